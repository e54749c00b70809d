"""What a comparison holds of each measure: tests, effects, spread and power."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

from abrank import inference
from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.diagnostics import Note
from abrank.estimate import AdjustedRow, Estimate, IntervalRow
from abrank.inference import TestResult
from abrank.inference.effect_size import EffectInterval, effect_interval, moments
from abrank.inference.rounding import common_step, to_lattice
from abrank.inference.sign_flips import lattice_tail


@record
class MeasureResult(AdjustedRow):
    """One row of the table: one measure, A against B, by the test that decides.

    ``diff`` is the mean difference B - A; ``estimate`` what the test estimates (the same for tests
    of the mean). ``ci_low_adj``, ``ci_high_adj`` and ``pvalue_adj`` are adjusted over the family
    that the rule declares, and equal to the plain ones for a primary measure outside of it.
    ``wins`` counts the queries on which B scores better, which is lower where ``higher_is_better``
    is False. ``reading`` is better, worse, unclear, identical or untested, by the adjusted ones;
    differs where nobody said which direction is better.
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
    """One test of the primary measure, as shown beside the one that decides.

    ``method``, ``n_resamples``, ``pvalue_low``, ``pvalue_high`` and ``pvalue_error`` are those of
    :class:`abrank.inference.TestResult`: how the p-value was found, and how well it is known.
    """

    __test__ = False  # not a test case, whatever a test runner makes of the name

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
        """Return the one column of a test's answer as a row of the table of tests."""
        numbers = {name: float(getattr(result, name)[0]) for name in _NUMBERS}
        return cls(
            test=result.test, title=title, estimand=result.estimand, method=result.method,
            n_resamples=result.n_resamples, decides=decides, **numbers,
        )  # fmt: skip


_NUMBERS = (
    "estimate", "ci_low", "ci_high", "statistic", "pvalue", "pvalue_low", "pvalue_high",
    "pvalue_error",
)  # fmt: skip


def share_of_net(result: TestResult) -> Estimate:
    """Return a net share between -1 and 1 as a share from 0 to 1."""
    net = Estimate.of(result)
    estimate, low, high = ((1.0 + item) / 2.0 for item in (net.estimate, *net.interval))
    return Estimate(estimate, low, high, net.pvalue)


def attainable_level(differences: FloatArray, alpha: float) -> float | None:
    """Return the largest p-value below ``alpha`` that any signs of these differences have; or 0."""
    # None where they have no common step: then there is one near every level.
    numbers, _ = to_lattice(differences[:, None])
    magnitudes, counts = np.unique(np.abs(numbers[numbers != 0]), return_counts=True)
    sizes = common_step(magnitudes, n_terms=int(counts.sum()))
    if sizes is None:
        return None
    total = int(counts @ sizes)
    sums = range(total % 2, total + 1, 2)  # whose parity does not depend on the signs

    def pvalue(minimum: int) -> float:
        return 2.0 * lattice_tail(sizes, counts, minimum).value

    first = bisect_left(sums, True, key=lambda minimum: pvalue(minimum) < alpha)
    return pvalue(sums[first]) if first < len(sums) else 0.0


@record
class Preferences:
    """What the votes tell of the order in which the two were shown, and what was left out."""

    # n_votes, n_judges: those used.
    n_votes: int
    n_judges: int
    # Votes without a verdict, by what stood in its place.
    left_out: Mapping[str, int]
    # Votes by what was shown first: `a`, `b`, `random`, or empty where nobody said.
    shown_first: Mapping[str, int]
    # Pairs of verdicts of one judge on one query in both orders.
    n_both: int = 0
    # n_reversed, n_to_first, n_disagree: those whose winner is the other one in the other order; of
    # these to the answer shown first; and all that differ, a tie against a winner too.
    n_reversed: int = 0
    n_to_first: int = 0
    n_disagree: int = 0
    # Share of verdicts for the answer shown first less that for the second, between -1 and 1: by
    # the paired t test in both orders, else between the votes of the two orders.
    bias: Estimate | None = None
    # Of the reversed ones the share that goes to the answer shown first: exact binomial, which is
    # McNemar's exact test of the two orders.
    to_first: Estimate | None = None
    # Of the queries that are no tie the share that B wins, exact; none of clustered queries.
    decided: Estimate | None = None
    # Of interleaved lists: all credits of A and of B; then a query is an impression.
    credits: tuple[float, float] | None = None
    # Impressions without a credit, which count as ties.
    n_without_click: int = 0
    # Where sign flips decide, the largest p-value below alpha that votes like these can have: how
    # often a difference is found where there is none. None where it is alpha, and of clusters.
    attainable: float | None = None

    @property
    def always_first(self) -> str:
        """The side that was shown first in every vote; empty where it changes or is not known."""
        return next((side for side in "ab" if self.shown_first[side] == self.n_votes), "")

    def notes(self) -> list[Note]:
        """Return the cautions: one order alone, or nobody said which."""
        if self.always_first:
            return [Note("order-fixed", 3, {"first": self.always_first, "n": self.n_votes})]
        if self.shown_first[""]:
            return [Note("order-unknown", 2, {"n": self.shown_first[""], "of": self.n_votes})]
        return []


@record
class Effect(IntervalRow):
    """An effect size of the primary measure, its interval, and how that is made."""

    estimate: float
    ci_low: float
    ci_high: float
    method: str

    @classmethod
    def of(cls, result: EffectInterval, *, has_interval: bool) -> Effect:
        """Return the first of the effect sizes found."""
        nan = 1.0 if has_interval else math.nan
        low, high = nan * float(result.ci_low[0]), nan * float(result.ci_high[0])
        return cls(float(result.estimate[0]), low, high, result.method)


@record
class Spread:
    """The differences of the primary measure in six numbers.

    Their quartiles, skewness and excess kurtosis (0 for a normal distribution), and the correlation
    of the scores of A and B, which is why pairing helps. NaN where there is nothing to compute it
    from.
    """

    lower_quartile: float
    median: float
    upper_quartile: float
    skew: float
    excess: float
    correlation: float


# Effect sizes that say which system wins, whatever the sign of its differences.
WHO_WINS = frozenset({"rank_biserial", "p_better"})


def effects(
    a: FloatArray,
    b: FloatArray,
    differences: FloatArray,
    *,
    confidence: float,
    higher_is_better: bool = True,
    independent: bool = True,
) -> dict[str, Effect]:
    """Return every effect size of B over A, by name."""
    result = {}
    for name in inference.EFFECT_SIZES:
        swap = name in WHO_WINS and not higher_is_better
        pair, sign = ((b, a), -1.0) if swap else ((a, b), 1.0)
        result[name] = effect_interval(
            name, *pair, confidence=confidence, differences=sign * differences[:, None]
        )
    return {name: Effect.of(item, has_interval=independent) for name, item in result.items()}


def spread(a: FloatArray, b: FloatArray, differences: FloatArray) -> Spread:
    """Return how the differences B - A are spread."""
    if len(a) == 0:
        return Spread(*[math.nan] * 6)
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75]).tolist()
    skew, excess = moments(differences)
    varies = len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0
    correlation = float(np.corrcoef(a, b)[0, 1]) if varies else math.nan
    return Spread(low, middle, high, skew, excess, correlation)


# The test that decides with machine judgments; it is not among the plain paired tests.
WITH_MACHINE = "prediction-powered"
LEVEL = 0.05  # of the tests of the draw, both together
MOST_JUDGED = 0.5  # of all queries: so many judged by people leave the machine little to add


@record
class PairOfScores:
    """The scores of one measure by the machine, in the order of its query ids."""

    a: tuple[float, ...]
    b: tuple[float, ...]


@record
class JudgedBy(IntervalRow):
    """One of the three answers on the primary measure: ``people``, ``both`` or ``machine``."""

    who: str
    n_queries: int
    estimate: float
    ci_low: float
    ci_high: float
    pvalue: float


@record
class SampleCheck:
    """Whether the human queries are like the others: means of both, and Welch's p-value."""

    # `what` is `difference` (the machine's B - A) or `difficulty` (its mean score of A and B).

    what: str
    mean_judged: float
    mean_others: float
    pvalue: float


@record
class MachineJudgments:
    """What the machine's judgments add to those of people, on the primary measure."""

    # All queries that the machine judged.
    query_ids: tuple[str, ...]
    # By measure.
    scores: Mapping[str, PairOfScores]
    # As it was declared.
    shared_model: str | None
    # Queries that people judged and the machine did not: left out.
    missing: tuple[str, ...]
    # People alone, people and machine, the machine alone. The second decides unless the machine is
    # set aside.
    answers: tuple[JudgedBy, ...]
    # slope, correlation, worth, outside, floored, refused: as in `PredictionPowered`; the worth in
    # whole queries.
    slope: float
    correlation: float
    # The correlation below which the machine widens the interval, 1 / sqrt(n - 2).
    break_even: float
    worth: int | None
    outside: float
    floored: bool
    refused: bool
    # Empty where people judged all queries.
    sample: tuple[SampleCheck, ...]
    # Name of the machine, as it was declared.
    judge: str | None = None
    # worth_low, worth_high: its 95 % interval; None where people alone decide.
    worth_low: int | None = None
    worth_high: int | None = None

    @property
    def set_aside(self) -> str:
        """Why people alone decide: ``draw``, ``errors``; empty where the machine decides, too."""
        # A draw is rejected where one of the two checks has p below .025; fewer than six errors
        # that carry their sum of squares do not tell how often the machine fails grossly.
        level = LEVEL / max(1, len(self.sample))
        if any(item.pvalue < level for item in self.sample):
            return "draw"
        return "errors" if self.refused else ""

    def notes(self) -> list[Note]:
        """Return the cautions on the machine's judgments."""
        n_judged, missing = self.of("both").n_queries, self.missing
        sizes = {"n_judged": n_judged, "n_queries": len(self.query_ids)}
        notes = [
            Note(
                "machine-sample-differs",
                3,
                {
                    "what": item.what,
                    "judged": item.mean_judged,
                    "others": item.mean_others,
                    "pvalue": item.pvalue,
                },
            )
            for item in self.sample
            if item.pvalue < LEVEL / len(self.sample)
        ]
        has_others = n_judged <= MOST_JUDGED * len(self.query_ids)
        if has_others and not self.set_aside and abs(self.correlation) <= self.break_even:
            values = {"correlation": self.correlation, "break_even": self.break_even}
            notes.append(Note("machine-no-help", 2, values))
        if self.set_aside == "errors":
            notes.append(Note("machine-set-aside", 3, {**sizes, "outside": self.outside}))
        if missing:
            values_of_missing = {"ids": list(missing[:3]), "count": len(missing)}
            notes.append(
                Note("machine-missing", 3 if len(missing) >= n_judged else 2, values_of_missing)
            )
        return notes

    def of(self, who: str) -> JudgedBy:
        """Return the answer of ``people``, ``both`` or ``machine``."""
        return next(answer for answer in self.answers if answer.who == who)
