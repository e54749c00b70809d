"""Rows of a ranking: systems, pairs, and what stands beside the deciding test; plain numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from abrank._support.records import record
from abrank.estimate import IntervalRow


@record
class SystemRow(IntervalRow):
    """One line of the leaderboard.

    ``ci_low`` and ``ci_high`` are limits of this system's mean by itself, over queries like these:
    by the percentile bootstrap, so they lie within the range of its scores; infinite where so few
    queries give none. ``within_low`` and ``within_high`` are limits with the queries' difficulty
    taken out: they go with comparisons of systems, can lie outside of the measure's range, and are
    no limits of the mean. None is adjusted for the number of systems. ``mean_rank`` is the mean of
    its ranks within the queries, 1 the best. Two systems that share a letter of ``group`` are not
    told apart; against a baseline there are no letters.
    """

    position: int
    system: str
    mean: float
    ci_low: float
    ci_high: float
    within_low: float
    within_high: float
    mean_rank: float
    group: str


@record
class PairRow(IntervalRow):
    """One pair. ``diff`` is the mean difference b - a; ``estimate`` what the test estimates of it.

    The limits are of the estimate, simultaneous over the pairs, and NaN where the test has none.
    ``reading`` says of b: better, worse, unclear, identical or untested, by the adjusted p-value;
    "differs" in the place of better and worse where nobody said which direction is better. ``wins``
    are the queries on which b is better, ``losses`` those on which a is.
    """

    a: str
    b: str
    diff: float
    ci_low: float
    ci_high: float
    pvalue: float
    pvalue_adj: float
    reading: str
    estimate: float
    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def told_apart(self) -> bool:
        """Whether the two are shown to differ."""
        return self.reading in ("better", "worse", "differs")

    @property
    def b_is_ahead(self) -> bool:
        """Whether b is shown to be better; higher, where nobody said which direction is better."""
        return self.reading == "better" or (self.reading == "differs" and self.estimate > 0.0)


@record
class RankChance:
    """How often a system has each rank where the queries are drawn anew.

    ``chances`` has the share of the resamples for each rank, the first for rank 1; in the share
    1 - alpha of them its rank is from ``low`` to ``high``. Of more than 300 systems only the first
    chance is kept.
    """

    system: str
    low: int
    high: int
    chances: tuple[float, ...]

    @property
    def first(self) -> float:
        """Share of the resamples in which it leads."""
        return self.chances[0]


@record
class Agreement:
    """How alike two measures order the systems, with limits from resampled queries.

    ``tau`` is Kendall's tau-b; ``tau_ap`` holds the order by ``b`` against that by ``a`` and weighs
    the first places most. The limits are percentiles of the resamples, 1 - alpha between them.
    """

    a: str
    b: str
    n_resamples: int
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    tau_ap_low: float
    tau_ap_high: float


@record
class Overlap:
    """Rank-biased overlap of the lists of two systems, in the mean over the queries."""

    a: str
    b: str
    rbo: float


@dataclass(frozen=True)
class OtherTest:
    """What another test of the same pairs finds.

    ``n_differ`` counts the pairs of which it says other than the deciding test whether they are
    told apart; ``n_leaders`` the systems not told apart from the first.
    """

    title: str
    n_significant: int
    n_differ: int
    n_leaders: int


@record
class PairSpread:
    """Smallest and largest standard deviation of a pair's differences, identical pairs left out.

    ``pooled`` is the root of the mean variance of all pairs, which tests of one common error take
    for each; NaN in files of earlier versions.
    """

    least: float
    most: float
    pooled: float = math.nan

    @property
    def unequal(self) -> float:
        """How many times the pooled variance the largest one is."""
        return (self.most / self.pooled) ** 2


@record
class Instrument:
    """How well a measure tells the systems apart.

    ``discriminative_power`` is the share of pairs with p below alpha, ``achieved_levels`` the
    p-values of all pairs, smallest first; ``smallest_told`` the smallest difference of two means
    among the pairs told apart; ``swap_rate`` the share of pairs that halves of the queries order
    the other way round; ``tau`` Kendall's tau-b with the order by the first measure.
    """

    measure: str
    discriminative_power: float
    swap_rate: float
    smallest_told: float
    tau: float
    achieved_levels: tuple[float, ...]


@record
class RiskRow:
    """URisk and TRisk of a system against the baseline, and its GeoRisk, each with limits."""

    system: str
    baseline: str
    urisk: float
    urisk_low: float
    urisk_high: float
    trisk: float
    trisk_low: float
    trisk_high: float
    georisk: float
    georisk_low: float
    georisk_high: float


@record
class Extras:
    """What was asked for beside the leaderboard; empty where nothing was."""

    instruments: tuple[Instrument, ...] = ()
    risk_weight: float = float("nan")
    risk: tuple[RiskRow, ...] = ()
