"""Results per measure: tests, effect sizes, distribution, and statistics of votes."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.diagnostics import Note
from abrank.estimate import AdjustedRow, Estimate, IntervalRow
from abrank.inference import TestResult
from abrank.inference.effect_size import moments
from abrank.inference.rounding import common_step, to_lattice
from abrank.inference.sign_flips import lattice_tail


@record
class MeasureResult(AdjustedRow):
    """One row of the table: A compared with B by one measure and the deciding test.

    ``diff`` is the mean difference B - A. ``estimate`` is what the test estimates, the same for
    tests of the mean. ``ci_low_adj``, ``ci_high_adj`` and ``pvalue_adj`` are adjusted over the
    family of the rule; a primary measure outside the family keeps the plain values. ``wins`` counts
    the queries on which B is better. ``reading`` uses the adjusted values: better, worse, unclear,
    identical, untested, or "differs" if the direction is not declared.
    """

    measure: str
    mean_a: float
    mean_b: float
    diff: float
    ci_low: float
    ci_high: float
    ci_low_adj: float
    ci_high_adj: float
    rel_diff: float
    wins: int
    ties: int
    losses: int
    statistic: float
    pvalue: float
    pvalue_adj: float
    reading: str
    estimate: float
    higher_is_better: bool = True


@record
class TestRow(IntervalRow):
    """One test of the primary measure, shown next to the one that decides.

    ``method``, ``n_resamples``, ``pvalue_low``, ``pvalue_high`` and ``pvalue_error`` are those of
    :class:`abrank.inference.TestResult`.
    """

    __test__ = False  # keeps pytest from collecting this class

    test: str
    title: str
    estimand: str
    estimate: float
    ci_low: float
    ci_high: float
    statistic: float
    pvalue: float
    pvalue_low: float
    pvalue_high: float
    pvalue_error: float
    method: str
    n_resamples: int
    decides: bool

    @classmethod
    def of(cls, result: TestResult, title: str, *, decides: bool) -> TestRow:
        """Make a row of the table of tests from a result with one column."""
        names = [field.name for field in fields(cls) if field.type == "float"]
        numbers = {name: float(getattr(result, name)[0]) for name in names}
        return cls(
            test=result.test, title=title, estimand=result.estimand, method=result.method,
            n_resamples=result.n_resamples, decides=decides, **numbers,
        )  # fmt: skip


def share_of_net(result: TestResult) -> Estimate:
    """Convert a net share between -1 and 1 to a share between 0 and 1."""
    net = Estimate.of(result)
    estimate, low, high = ((1.0 + item) / 2.0 for item in (net.estimate, *net.interval))
    return Estimate(estimate, low, high, net.pvalue)


def attainable_level(differences: FloatArray, alpha: float) -> float | None:
    """Return the largest p-value below ``alpha`` that sign flips can reach here, or 0."""
    # None if the differences are no multiples of a common step: then p comes close to any level.
    numbers, _ = to_lattice(differences[:, None])
    magnitudes, counts = np.unique(np.abs(numbers[numbers != 0]), return_counts=True)
    sizes = common_step(magnitudes, n_terms=int(counts.sum()))
    if sizes is None:
        return None
    total = int(counts @ sizes)
    sums = range(total % 2, total + 1, 2)  # their parity does not depend on the signs

    def pvalue(minimum: int) -> float:
        return 2.0 * lattice_tail(sizes, counts, minimum).value

    first = bisect_left(sums, True, key=lambda minimum: pvalue(minimum) < alpha)
    return pvalue(sums[first]) if first < len(sums) else 0.0


@record
class Preferences:
    """Statistics of the votes: the order of presentation, ties, and votes left out."""

    # Votes and judges that were used.
    n_votes: int
    n_judges: int
    # Votes without a verdict, by what they contained instead.
    left_out: Mapping[str, int]
    # Votes by what was shown first: `a`, `b`, `random`, or empty if unknown.
    shown_first: Mapping[str, int]
    # Pairs of verdicts by one judge on one query, one in each order.
    n_both: int = 0
    # Of these pairs: those that name opposite winners; of those, the ones for the answer shown
    # first; and all that differ, including tie against winner.
    n_reversed: int = 0
    n_to_first: int = 0
    n_disagree: int = 0
    # Share of verdicts for the answer shown first minus that for the second, between -1 and 1: by
    # the paired t test with both orders, else by comparing the votes of the two orders.
    bias: Estimate | None = None
    # Share of the reversed pairs for the answer shown first; exact binomial, which is McNemar's
    # exact test of the two orders.
    to_first: Estimate | None = None
    # Share of queries without tie that B wins, exact; None for clustered queries.
    decided: Estimate | None = None
    # For interleaved lists, where a query is an impression: total credits of A and B.
    credits: tuple[float, float] | None = None
    # Impressions without credit; they count as ties.
    n_without_click: int = 0
    # If sign flips decide: the largest attainable p-value below alpha, which is the actual rate of
    # false positives. None if it equals alpha, and for clusters.
    attainable: float | None = None

    @property
    def always_first(self) -> str:
        """The side shown first in every vote; empty if it changes or is unknown."""
        return next((side for side in "ab" if self.shown_first[side] == self.n_votes), "")

    def notes(self) -> list[Note]:
        """Return the cautions: only one order was used, or the order is unknown."""
        if self.always_first:
            return [Note("order-fixed", 3, {"first": self.always_first, "n": self.n_votes})]
        if self.shown_first[""]:
            return [Note("order-unknown", 2, {"n": self.shown_first[""], "of": self.n_votes})]
        return []


@record
class Effect(IntervalRow):
    """An effect size of the primary measure, its interval, and the method of the interval."""

    estimate: float
    ci_low: float
    ci_high: float
    method: str


@record
class Spread:
    """The distribution of the differences of the primary measure in six numbers.

    Quartiles, skewness, excess kurtosis (0 for a normal distribution), and the correlation of the
    scores of A and B, which is why pairing helps. NaN if undefined.
    """

    lower_quartile: float
    median: float
    upper_quartile: float
    skew: float
    excess: float
    correlation: float


# Effect sizes that say which system is better, whatever the direction of the measure.
WHO_WINS = frozenset({"rank_biserial", "p_better"})


def spread(a: FloatArray, b: FloatArray, differences: FloatArray) -> Spread:
    """Describe the distribution of the differences B - A."""
    if len(a) == 0:
        return Spread(*[math.nan] * 6)
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75]).tolist()
    skew, excess = moments(differences)
    varies = len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0
    correlation = float(np.corrcoef(a, b)[0, 1]) if varies else math.nan
    return Spread(low, middle, high, skew, excess, correlation)


# The deciding test with machine judgments; it is not a plain paired test.
WITH_MACHINE = "prediction-powered"
LEVEL = 0.05  # overall level of the tests for a random sample
MOST_JUDGED = 0.5  # share judged by humans above which the machine adds little


@record
class PairOfScores:
    """The machine's scores of both systems by one measure, in the order of its query ids."""

    a: tuple[float, ...]
    b: tuple[float, ...]


@record
class JudgedBy(IntervalRow):
    """The result for the primary measure by ``people``, ``both`` or ``machine``."""

    who: str
    n_queries: int
    estimate: float
    ci_low: float
    ci_high: float
    pvalue: float


@record
class SampleCheck:
    """Whether the human-judged queries resemble the others: both means and Welch's p-value."""

    # `what`: `difference` is the machine's B - A, `difficulty` its mean score of A and B.

    what: str
    mean_judged: float
    mean_others: float
    pvalue: float


@record
class MachineJudgments:
    """What machine judgments add to human ones for the primary measure."""

    # All queries judged by the machine.
    query_ids: tuple[str, ...]
    # By measure.
    scores: Mapping[str, PairOfScores]
    # As declared by the user.
    shared_model: str | None
    # Queries judged by humans but not by the machine; they are left out.
    missing: tuple[str, ...]
    # Humans alone, both, machine alone. The second decides unless the machine is set aside.
    answers: tuple[JudgedBy, ...]
    # slope, correlation, worth, outside, floored, refused: as in `PredictionPowered`; worth is
    # rounded to whole queries.
    slope: float
    correlation: float
    # 1 / sqrt(n - 2): with a lower correlation the machine widens the interval.
    break_even: float
    worth: int | None
    outside: float
    floored: bool
    refused: bool
    # Empty if humans judged all queries.
    sample: tuple[SampleCheck, ...]
    # Declared name of the machine.
    judge: str | None = None
    # 95 % interval of the worth; None if human judgments alone decide.
    worth_low: int | None = None
    worth_high: int | None = None

    @property
    def set_aside(self) -> str:
        """Why human judgments alone decide: ``draw``, ``errors``; empty if both decide."""
        # `draw`: one of the two checks has p below .025, so the sample is not random. `errors`:
        # fewer than six errors make up most of the sum of squares, so its variance is not reliable.
        level = LEVEL / max(1, len(self.sample))
        if any(item.pvalue < level for item in self.sample):
            return "draw"
        return "errors" if self.refused else ""

    def notes(self) -> list[Note]:
        """Return the cautions on the machine judgments."""
        n_judged, n_missing = self.of("both").n_queries, len(self.missing)
        notes = []
        for item in self.sample:
            if item.pvalue < LEVEL / len(self.sample):
                means = {"judged": item.mean_judged, "others": item.mean_others}
                values = {"what": item.what, **means, "pvalue": item.pvalue}
                notes.append(Note("machine-sample-differs", 3, values))
        has_others = n_judged <= MOST_JUDGED * len(self.query_ids)
        if has_others and not self.set_aside and abs(self.correlation) <= self.break_even:
            values = {"correlation": self.correlation, "break_even": self.break_even}
            notes.append(Note("machine-no-help", 2, values))
        if self.set_aside == "errors":
            sizes = {"n_judged": n_judged, "n_queries": len(self.query_ids)}
            notes.append(Note("machine-set-aside", 3, {**sizes, "outside": self.outside}))
        if n_missing:
            values = {"ids": list(self.missing[:3]), "count": n_missing}
            notes.append(Note("machine-missing", 3 if n_missing >= n_judged else 2, values))
        return notes

    def of(self, who: str) -> JudgedBy:
        """Return the result by ``people``, ``both`` or ``machine``."""
        return next(answer for answer in self.answers if answer.who == who)
