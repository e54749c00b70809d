"""What a comparison holds of each measure: tests, effects, spread and power."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from abrank import inference, planning
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.diagnostics import Note
from abrank.estimate import AdjustedRow, Estimate, IntervalRow
from abrank.inference import TestResult
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    effective_clusters,
    freedom_of_clusters,
)
from abrank.inference.effect_size import EffectInterval
from abrank.inference.rounding import differences_of
from abrank.inference.shape import HEAP, Form, moments
from abrank.planning.student import chance_to_show, smallest_effect
from abrank.verdict import Rule


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
    def of(cls, found: TestResult, title: str, *, decides: bool) -> TestRow:
        """Return the one column of a test's answer as a row of the table of tests."""
        numbers = {name: float(getattr(found, name)[0]) for name in _NUMBERS}
        return cls(
            test=found.test, title=title, estimand=found.estimand, method=found.method,
            n_resamples=found.n_resamples, decides=decides, **numbers,
        )  # fmt: skip


_NUMBERS = (
    "estimate", "ci_low", "ci_high", "statistic", "pvalue", "pvalue_low", "pvalue_high",
    "pvalue_error",
)  # fmt: skip


@record
class ExtremeQuery:
    """A query with one of the largest or smallest differences of the primary measure."""

    query_id: str
    a: float
    b: float
    difference: float


@record
class Cell:
    """Queries with one difference, or in one bin of differences, which ``value`` is the middle of.

    Bins stand as ``width`` says, from 0 outwards; those that tie are at 0 with no width.
    """

    value: float
    width: float
    n_queries: int


@record
class MergedQueries:
    """The queries of a comparison from merged statistics.

    Attributes
    ----------
    n_queries : int
    n_partitions, n_skipped : int
        Partitions that were scored, and those that could not be.
    step : float
        Width of the bins in which the differences of the primary measure were counted; 0 where each
        was counted by itself.
    errors : tuple of float, length n_measures
        Standard errors of the mean differences, by the test that decides.
    freedom : float
        Degrees of freedom of their t.
    missing : str
        What became of queries that a run lacks, ``zero`` or ``drop``; empty without any.
    profile : tuple of float, length 201
        Quantiles of the differences of the primary measure: of 0, 0.5, 1, ... 100 per cent.
    cells : tuple of Cell
        The same differences counted, in at most 25 values or some 80 bins.
    smallest, largest : tuple of ExtremeQuery
        The 20 queries with the smallest and with the largest difference, the furthest first.
    statistics : mapping, optional
        What gives the comparison again: exact sums, and the counted differences of the primary
        measure. None in files of earlier versions.
    """

    n_queries: int
    n_partitions: int
    n_skipped: int
    step: float
    errors: tuple[float, ...]
    freedom: float
    missing: str
    profile: tuple[float, ...]
    cells: tuple[Cell, ...]
    smallest: tuple[ExtremeQuery, ...]
    largest: tuple[ExtremeQuery, ...]
    statistics: Mapping[str, Any] | None = None

    @property
    def form(self) -> Form:
        """The picture that shows how the differences spread: as :func:`spread_form` has it."""
        ties = next((cell.n_queries for cell in self.cells if cell.value == 0.0), 0)
        if all(cell.width == 0.0 for cell in self.cells):
            return "values"
        return "bins" if ties > HEAP * self.n_queries else "density"


def share_of_net(found: TestResult) -> Estimate:
    """Return a net share between -1 and 1 as a share from 0 to 1."""
    net = Estimate.of(found)
    estimate, low, high = ((1.0 + each) / 2.0 for each in (net.estimate, *net.interval))
    return Estimate(estimate, low, high, net.pvalue)


@record
class Preferences:
    """What the votes tell of the order in which the two were shown, and what was left out.

    Attributes
    ----------
    n_votes, n_judges : int
        Those used.
    left_out : mapping of str to int
        Votes without a verdict, by what stood in its place.
    shown : mapping of str to int
        Votes by what was shown first: ``a``, ``b``, ``random``, or empty where nobody said.
    n_both : int
        Pairs of verdicts of one judge on one query in both orders.
    n_reversed, n_to_first, n_disagree : int
        Those whose winner is the other one in the other order; of these to the answer shown first;
        and all that differ, a tie against a winner too.
    bias : Estimate, optional
        Share of verdicts for the answer shown first less that for the second, between -1 and 1: by
        the paired t test in both orders, else between the votes of the two orders.
    to_first : Estimate, optional
        Of the reversed ones the share that goes to the answer shown first: exact binomial, which is
        McNemar's exact test of the two orders.
    credits : (float, float), optional
        Of interleaved lists: all credits of A and of B; then a query is an impression.
    n_without_click : int
        Impressions without a credit, which count as ties.
    decided : Estimate, optional
        Of the queries that are no tie the share that B wins, exact; none of clustered queries.
    """

    n_votes: int
    n_judges: int
    left_out: Mapping[str, int]
    shown: Mapping[str, int]
    n_both: int = 0
    n_reversed: int = 0
    n_to_first: int = 0
    n_disagree: int = 0
    bias: Estimate | None = None
    to_first: Estimate | None = None
    decided: Estimate | None = None
    credits: tuple[float, float] | None = None
    n_without_click: int = 0

    @property
    def always_first(self) -> str:
        """The side that was shown first in every vote; empty where it changes or is not known."""
        return next((side for side in "ab" if self.shown[side] == self.n_votes), "")

    def notes(self) -> list[Note]:
        """Return the cautions: one order alone, or nobody said which."""
        if self.always_first:
            return [Note("order-fixed", 3, {"first": self.always_first, "n": self.n_votes})]
        if self.shown[""]:
            return [Note("order-unknown", 2, {"n": self.shown[""], "of": self.n_votes})]
        return []


@record
class Effect(IntervalRow):
    """An effect size of the primary measure, its interval, and how that is made."""

    estimate: float
    ci_low: float
    ci_high: float
    method: str

    @classmethod
    def of(cls, found: EffectInterval, *, has_interval: bool) -> Effect:
        """Return the first of the effect sizes found."""
        known = 1.0 if has_interval else math.nan
        low, high = known * float(found.ci_low[0]), known * float(found.ci_high[0])
        return cls(float(found.estimate[0]), low, high, found.method)


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
    *,
    confidence: float,
    higher_is_better: bool = True,
    independent: bool = True,
) -> dict[str, Effect]:
    """Return every effect size of B over A, by name."""
    found = {}
    for name in inference.EFFECT_SIZES:
        swap = name in WHO_WINS and not higher_is_better
        pair = (b, a) if swap else (a, b)
        found[name] = inference.effect_interval(name, *pair, confidence=confidence)
    return {name: Effect.of(each, has_interval=independent) for name, each in found.items()}


def spread(a: FloatArray, b: FloatArray) -> Spread:
    """Return how the differences B - A are spread."""
    if len(a) == 0:
        return Spread(*[math.nan] * 6)
    differences = differences_of(a, b)
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75]).tolist()
    skew, excess = moments(differences)
    known = len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0
    correlation = float(np.corrcoef(a, b)[0, 1]) if known else math.nan
    return Spread(low, middle, high, skew, excess, correlation)


@record
class Belief(IntervalRow):
    """What a posterior of the mean difference says of B's gain.

    ``ahead`` is the probability that B is better at all; ``worse``, ``within`` and ``better`` those
    of a loss beyond the margin ``rope``, of less than it either way, and of a gain beyond it: they
    add up to 1. The interval of B - A is credible and equal-tailed.
    """

    model: str
    rope: float
    confidence: float
    ci_low: float
    ci_high: float
    ahead: float
    worse: float
    within: float
    better: float


def beliefs(
    differences: FloatArray, rule: Rule, *, margin: float, seed: int, asked: bool = True
) -> tuple[Belief, ...]:
    """Return the t posterior under Jeffreys' prior, and the Bayesian bootstrap."""
    if not asked:
        return ()
    if rule.design is not None and rule.design.clusters:
        raise ArgumentError(
            "the Bayesian view takes queries to be independent, and clusters say they are not;"
            " leave out bayes (Question(bayes=)) or --clusters (Clusters(...))"
        )
    from abrank.inference.bayes import bayesian_bootstrap, t_posterior

    # Looking does not change a posterior, so that its level is that of all looks.
    looks = rule.design is not None and rule.design.shared
    level = 1.0 - rule.design.alpha if rule.design and looks else rule.confidence
    found = []
    for name in ("t", "bootstrap"):
        narrow, wide = (
            t_posterior(differences, rope=rope, confidence=level)
            if name == "t"
            else bayesian_bootstrap(differences, rope=rope, confidence=level, seed=seed)
            for rope in (0.0, margin)
        )
        sides = ("worse", "better") if rule.higher_is_better else ("better", "worse")
        found.append(
            Belief(
                model=name,
                rope=margin,
                confidence=level,
                ci_low=float(wide.ci_low[0]),
                ci_high=float(wide.ci_high[0]),
                ahead=float(getattr(narrow, sides[1])[0]),
                worse=float(getattr(wide, sides[0])[0]),
                within=float(wide.equal[0]),
                better=float(getattr(wide, sides[1])[0]),
            )
        )
    return tuple(found)


# A smaller "smallest visible difference" is the rounding of differences that are all the same.
NOTHING = 1e-9
POWER = 0.8
MOST_QUERIES = 100_000_000


@record
class PlannedDifference:
    """One true difference: the queries that show it, and the chance that these ones do.

    ``queries_low`` and ``queries_high`` are the queries needed at the two ends of the interval of
    the standard deviation. Each is None where no finite number is practical. Where queries come in
    clusters these are queries in new clusters like the ones at hand, and
    ``queries_same_clusters`` would take as many of the same clusters; None where no number would.
    """

    difference: float
    queries_needed: int | None
    power: float
    queries_low: int | None = None
    queries_high: int | None = None
    queries_same_clusters: int | None = None


@dataclass(frozen=True)
class PlannedClaim:
    """The queries with which a claim about the margin would be shown, if the true difference is 0.

    ``claim`` is ``same`` (both one-sided tests) or ``not-worse`` (one of them).
    """

    claim: str
    queries_needed: int | None
    queries_low: int | None
    queries_high: int | None


@record
class Planning:
    """What this number of queries can see, and how many the next test needs.

    Computed from the standard deviation of the differences alone: the difference that was observed
    plays no part. ``sd_low`` and ``sd_high`` are the interval of that deviation, by the chi-square
    distribution at the level of the rule; every other range follows from it. ``differences`` are
    round true differences, with the margin among them; none where the differences do not vary.
    ``claims`` are about the margin; none without one. ``inflation`` is by what the
    design makes the interval wider than that of one look at independent queries; ``sd`` has it in.
    ``freedom`` are the degrees of freedom of the t that the plan is for; NaN in files of earlier
    versions.
    """

    sd: float
    smallest_visible: float
    power: float = POWER
    differences: tuple[PlannedDifference, ...] = ()
    sd_low: float = math.nan
    sd_high: float = math.nan
    visible_low: float = math.nan
    visible_high: float = math.nan
    claims: tuple[PlannedClaim, ...] = ()
    inflation: float = 1.0
    freedom: float = math.nan

    def of(self, difference: float) -> PlannedDifference | None:
        """Return the row of a true difference, such as the margin; None where it has none."""
        return next((row for row in self.differences if row.difference == difference), None)

    def claim(self, name: str) -> PlannedClaim | None:
        """Return what was planned for a claim; None where nothing was."""
        return next((each for each in self.claims if each.claim == name), None)


class ClusterSizes(NamedTuple):
    """The sizes of the clusters at hand, and the share of the squared error that is theirs.

    Of queries that count by weights a size is the part of the cluster. ``lasting_share`` is what
    more queries of the same clusters would leave of it.
    """

    sizes: IntArray | FloatArray
    lasting_share: float

    def freedom(self, n_queries: float) -> float:
        """Return the degrees of freedom of the t of so many queries in clusters like these.

        Of fewer queries than these, by the rule of clusters of one size.
        """
        times = n_queries / float(self.sizes.sum())
        if times >= 1.0:
            return freedom_of_clusters(self.sizes, times=times)
        return (freedom_of_clusters(self.sizes) + 1.0) * times - 1.0

    def queries_of_same(
        self, error: float, difference: float, rule: Rule, target: float
    ) -> int | None:
        """Return the queries of the same clusters that show a difference; None where none do."""
        freedom = freedom_of_clusters(self.sizes)
        if not math.isfinite(self.lasting_share) or not freedom > 0.0:
            return None
        centre = smallest_effect(
            lambda each: float(chance_to_show(each, freedom, alpha=rule.alpha)), target
        )
        allowed = (difference / error / centre) ** 2  # share of the squared error that may be left
        if allowed <= self.lasting_share:
            return None
        shrinking = (1.0 - self.lasting_share) * float(self.sizes.sum())
        needed = max(2, math.ceil(shrinking / (allowed - self.lasting_share)))
        return needed if needed <= MOST_QUERIES else None


def plan_from_spread(
    sd: float,
    n: int,
    rule: Rule,
    margin: float,
    *,
    inflation: float = 1.0,
    clustered: ClusterSizes | None = None,
) -> Planning:
    """Plan the next test from the standard deviation of ``n`` differences, by the paired t test.

    ``inflation`` is of the standard error, over that of a t test of as many independent queries. Of
    looks the plan is for all queries and all of alpha.
    """
    sd *= inflation
    if rule.design is not None and rule.design.shared:
        rule = replace(rule, alpha=rule.design.alpha)
    freedom = clustered.freedom if clustered is not None else _independent
    few = clustered is not None and effective_clusters(clustered.sizes) < FEWEST_EFFECTIVE["t"]
    visible = (
        math.nan
        if few
        else planning.smallest_visible(sd, n, alpha=rule.alpha, freedom=clustered and freedom)
    )
    if not visible > NOTHING:
        return Planning(sd=sd, smallest_visible=visible)
    low, high = planning.spread_interval(sd, n, confidence=rule.confidence, freedom=freedom(n))
    spreads = (sd, low, high)
    return Planning(
        sd=sd,
        smallest_visible=visible,
        differences=tuple(
            _planned(each, spreads, n, rule, clustered) for each in planned_differences(sd, margin)
        ),
        sd_low=low,
        sd_high=high,
        visible_low=visible * low / sd,
        visible_high=visible * high / sd,
        claims=_claims(spreads, rule, margin, clustered) if margin else (),
        inflation=inflation,
        freedom=freedom(n),
    )


def planned_differences(sd: float, margin: float) -> list[float]:
    """Return three round differences that suit a spread, with the margin among them.

    They depend on the power of ten of the spread alone, so that comparisons of one kind plan for
    the same differences: .01, .02 and .05 for a standard deviation from .05 to .5.
    """
    decade = math.floor(math.log10(2.0 * sd)) - 1
    rounded = {float(f"{factor}e{decade}") for factor in (1, 2, 5)}
    return sorted(rounded | ({margin} if margin else set()))


def _independent(n_queries: float) -> float:
    return n_queries - 1.0


def _planned(
    difference: float,
    spreads: tuple[float, float, float],
    n: int,
    rule: Rule,
    clustered: ClusterSizes | None,
) -> PlannedDifference:
    how: dict[str, Any] = {"alpha": rule.alpha, "freedom": clustered and clustered.freedom}
    needed, low, high = (planning.queries_needed(sd, difference, **how) for sd in spreads)
    chance = planning.power(n, effect=difference / spreads[0], **how)
    same = None
    if clustered is not None:
        same = clustered.queries_of_same(spreads[0] / n**0.5, difference, rule, POWER)
    return PlannedDifference(difference, needed, chance, low, high, same)


def _claims(
    spreads: tuple[float, float, float], rule: Rule, margin: float, clustered: ClusterSizes | None
) -> tuple[PlannedClaim, ...]:
    """Return the queries for both claims about the margin at a true difference of 0."""
    how: dict[str, Any] = {"freedom": clustered and clustered.freedom}
    same = [planning.queries_to_show_same(sd, margin, alpha=rule.alpha, **how) for sd in spreads]
    # One one-sided test at alpha is a two-sided one at twice alpha: its far tail never counts.
    one = [planning.queries_needed(sd, margin, alpha=2.0 * rule.alpha, **how) for sd in spreads]
    return PlannedClaim("same", *same), PlannedClaim("not-worse", *one)
