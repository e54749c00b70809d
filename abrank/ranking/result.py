"""The result of a ranking: systems, pairs, further statistics, and data frames of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from abrank import inference
from abrank._support import checks, display
from abrank._support.errors import ArgumentError
from abrank._support.result import Result, record
from abrank._support.typing import BoolArray, FloatArray, RankingFamily
from abrank.comparison.rows import WHO_WINS
from abrank.comparison.units import reachable
from abrank.diagnostics import Note
from abrank.estimate import Estimate, Interval, IntervalRow
from abrank.inputs import Audit
from abrank.rule import LEVELS

if TYPE_CHECKING:
    import pandas as pd

    from abrank._support.drawings import RankingPlots


@record
class SystemRow(IntervalRow):
    """One line of the leaderboard.

    ``ci_low`` and ``ci_high`` limit the mean of this system over similar queries, by the percentile
    bootstrap (so within the range of its scores); infinite with too few queries. ``within_low`` and
    ``within_high`` are limits without the variance between queries: they are for comparing systems,
    not limits of the mean, and may lie outside the measure's range. None are adjusted for the
    number of systems. ``mean_rank`` is the mean rank within queries, 1 is best. Systems that share
    a letter of ``group`` do not differ significantly; with a baseline there are no letters.
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
    """One pair. ``diff`` is the mean difference b - a; ``estimate`` is what the test estimates.

    The limits are for the estimate and adjusted for the pairs; NaN if the test has none.
    ``reading`` describes b by the adjusted p-value: better, worse, unclear, identical or untested;
    "differs" if the direction is not declared. ``wins`` counts queries where b is better,
    ``losses`` those where a is.
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
        """Whether the two systems differ significantly."""
        return self.reading in ("better", "worse", "differs")

    @property
    def b_is_ahead(self) -> bool:
        """Whether b is significantly better; higher, if the direction is not declared."""
        return self.reading == "better" or (self.reading == "differs" and self.estimate > 0.0)


@record
class RankChance:
    """How often a system has each rank if queries are resampled."""

    # `chances` is the share of the resamples by rank, starting with rank 1. The rank is between
    # `low` and `high` in a share of 1 - alpha. With more than 300 systems only the first chance is
    # kept.

    system: str
    low: int
    high: int
    chances: tuple[float, ...]

    @property
    def first(self) -> float:
        """Share of the resamples in which the system is first."""
        return self.chances[0]


@record
class Agreement:
    """Rank correlation of two measures: Kendall's tau-b of their orders of the systems."""

    a: str
    b: str
    tau: float


# Tests of ranks within queries with one error for all pairs, as in a critical difference diagram.
RANK_TESTS = frozenset({"nemenyi", "conover", "bonferroni-dunn"})


@dataclass(frozen=True, eq=False)
class Ranking(Result):
    """Systems ranked by the mean of one measure, with tests of all pairs; immutable.

    Returned by :func:`abrank.rank` and :func:`rank_scores`. Further measures have rankings of
    their own, each with its own family of tests.

    Attributes
    ----------
    measure : str
        Canonical name.
    query_ids : tuple of str, length n_queries
    systems : tuple of str, length n_systems
        Best mean first.
    scores : float64[n_queries, n_systems]
        In that order.
    rows : tuple of SystemRow
    pair_rows : tuple of PairRow
        A baseline is always ``a``; without one, b ranks above a.
    test, title : str
        Name and title of the test.
    alpha : float
        Familywise level.
    baseline : str or None
        The first of ``baselines``.
    shares : mapping of str to float
        Shares of ``query``, ``system`` and ``error`` in the variance of the scores.
    seed : int
        Reproduces every resampled number.
    method : str
        "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation".
    n_resamples : int
        Number of random draws.
    audits : mapping of str to Audit
        Facts about each system's run; empty for ready scores.
    notes : tuple of str
        How an ambiguous name of the measure was interpreted.
    cautions : tuple of Note
        Cautions on the runs, most severe first: unmatched ids, missing queries, unequal depth, tied
        scores.
    provenance : mapping
    secondary : tuple of Ranking
        One per further measure, by the same test at the same level.
    baselines : tuple of str
        All systems with which the others were compared, adjusted over all comparisons.
    adjust : str or None
        The requested adjustment; None is the test's own.
    family : {"measure", "all"}
        Whether alpha holds per measure or for all measures together.
    n_families : int
        Alpha is divided by it: the number of measures if they share alpha, else 1.
    stability : tuple of RankChance
        In the order of ``systems``: their ranks in ``n_drawn`` resamples of the queries.
    n_drawn : int
    agreements : tuple of Agreement
        For every two measures.
    spread : float or None
        Largest variance of a pair's differences divided by the mean over pairs.
    higher_is_better : bool
        Direction of the measure.
    """

    _PAIR_IN: ClassVar[str] = "compare() of two systems has it"

    if TYPE_CHECKING:

        @property
        def plot(self) -> RankingPlots:  # as editors know it
            """The plots as methods, such as ``plot.leaderboard()``; calling it lists them."""
            ...

    measure: str
    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    scores: FloatArray
    rows: tuple[SystemRow, ...]
    pair_rows: tuple[PairRow, ...]
    test: str
    title: str
    alpha: float
    baseline: str | None
    shares: Mapping[str, float]
    seed: int
    method: str
    n_resamples: int
    audits: Mapping[str, Audit] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cautions: tuple[Note, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    secondary: tuple[Ranking, ...] = ()
    baselines: tuple[str, ...] = ()
    adjust: str | None = None
    family: RankingFamily = "measure"
    n_families: int = 1
    stability: tuple[RankChance, ...] = ()
    n_drawn: int = 0
    agreements: tuple[Agreement, ...] = ()
    spread: float | None = None
    higher_is_better: bool = True

    @property
    def direction_declared(self) -> bool:
        """False if the measure's name sounds like a cost and its direction was not declared."""
        return self.measure not in self.undeclared

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The measures whose names sound like costs and whose direction is not declared."""
        of_notes = (
            n.values["measures"] for n in self.cautions if n.code == "direction-not-declared"
        )
        return tuple(measure for measures in of_notes for measure in measures)

    @property
    def best(self) -> str:
        """Which mean is best: the highest or the lowest."""
        return "highest" if self.higher_is_better else "lowest"

    @property
    def distances(self) -> dict[str, Estimate]:
        """Difference of every other system from the baseline, or from the first without one."""
        if self.baseline is not None:
            rows = [row for row in self.pair_rows if row.a == self.baseline]
            return {row.b: Estimate(row.diff, *row.interval) for row in rows}
        rows = [row for row in self.pair_rows if row.b == self.systems[0]]
        return {row.a: -Estimate(row.diff, *row.interval) for row in rows}

    @property
    def readings(self) -> dict[str, str]:
        """Reading of every other system relative to the baseline, or to the first without one."""
        reference = self.baseline or self.systems[0]
        turned = {"better": "worse", "worse": "better"}
        result = {row.b: row.reading for row in self.pair_rows if row.a == reference}
        return result | {
            row.a: turned.get(row.reading, row.reading)
            for row in self.pair_rows
            if row.b == reference
        }

    def within_reach(self, interval: Interval) -> Interval:
        """Clip limits of a difference to the possible differences of the measure."""
        return interval.within(*self._reachable)

    @cached_property
    def _reachable(self) -> tuple[float, float]:
        means = [row.mean for row in self.rows]
        return reachable(self.measure, minimum=min(means), largest=max(means))

    @property
    def level(self) -> float:
        """Level of the tests of this measure: alpha, divided if measures share it."""
        return self.alpha / self.n_families

    @property
    def unsound(self) -> dict[str, str]:
        """Systems for which no conclusion is possible, with the code of the reason.

        For example a run without judged documents.
        """
        result: dict[str, str] = {}
        for note in self.cautions:
            if LEVELS.get(note.code) == "unsound" and note.code != "none-relevant":
                named = note.values.get("systems") or [note.values.get("system", "")]
                result |= {name: note.code for name in named if name in self.systems}
        return result

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures; the first orders the systems."""
        return tuple(item.measure for item in self.by_measure)

    @property
    def by_measure(self) -> tuple[Ranking, ...]:
        """The ranking itself, and those of the further measures."""
        return (self, *self.secondary)

    def of(self, measure: str) -> Ranking:
        """Return the ranking by one of the measures.

        Raises
        ------
        ArgumentError
            If the systems were not ranked by it; the message lists the available measures.
        """
        for item in self.by_measure:
            if item.measure == measure:
                return item
        raise ArgumentError(f"not ranked by {measure!r}; by {', '.join(self.measures)}")

    def scores_of(self, systems: Iterable[str]) -> FloatArray:
        """Return the scores in the order of ``systems``: float64[n_queries, n_systems]."""
        return self.scores[:, [self.place[system] for system in systems]]

    @property
    def decimals(self) -> int:
        """Decimals in reports, chosen by the intervals of the differences from the first."""
        named = self.baselines or self.systems[:1]
        rows = [row for row in self.pair_rows if row.a in named or row.b in named]
        return display.decimals(row.interval for row in rows)

    @property
    def has_all_pairs(self) -> bool:
        """Whether all pairs are stored: not with a baseline, nor for very many systems."""
        return len(self.pair_rows) == len(self.systems) * (len(self.systems) - 1) // 2

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def n_significant(self) -> int:
        """Number of pairs that differ significantly."""
        return sum(row.told_apart for row in self.pair_rows)

    @property
    def by_mean_rank(self) -> tuple[str, ...]:
        """The systems by their mean rank within the queries, best first.

        Ties keep the order of the means. If this differs from the order of ``systems``, some
        systems lead by large gains on few queries.
        """
        return tuple(row.system for row in sorted(self.rows, key=lambda row: row.mean_rank))

    @property
    def omnibus(self) -> dict[str, float] | None:
        """Friedman's test of equal ranks, if the test compares ranks; else None.

        ``chi2 df pvalue``, Iman and Davenport's ``f df_error pvalue_f``, and for Nemenyi's test the
        ``critical_difference`` of two mean ranks at ``level``.
        """
        if self.test not in RANK_TESTS or not self.n_queries:
            return None
        from abrank.inference.systems.friedman import critical_difference, friedman_test

        friedman = friedman_test(self.scores)
        keys = ("chi2", "df", "pvalue", "f", "df_error", "pvalue_f")
        values = {key: getattr(friedman, key) for key in keys}
        if self.test == "nemenyi":
            values["critical_difference"] = critical_difference(
                friedman, self.n_queries, self.level
            )
        return values

    @property
    def leaders(self) -> tuple[str, ...]:
        """The first system and those that do not differ from it; empty with a baseline."""
        if self.baseline is not None:
            return ()
        beaten = {
            (row.a if row.b == self.systems[0] else row.b)
            for row in self.pair_rows
            if self.systems[0] in (row.a, row.b) and row.told_apart
        }
        return tuple(system for system in self.systems if system not in beaten)

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The bars of a critical difference diagram, over systems by mean rank; best first.

        No two systems under a bar differ significantly. Empty with a baseline, and for tests that
        do not compare ranks.
        """
        if self.baseline is not None or self.test not in RANK_TESTS:
            return ()
        from abrank.inference.systems.pairwise import find_cliques

        order = [self.place[system] for system in self.by_mean_rank]
        bars = find_cliques(order, self._distinct())
        return tuple(tuple(self.systems[i] for i in bar) for bar in bars)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The systems of each letter, best first; two share one exactly if they do not differ.

        Empty with a baseline, and if not all pairs are stored.
        """
        if self.baseline is not None or not self.has_all_pairs:
            return ()
        from abrank.inference.systems.pairwise import find_groups

        groups = find_groups(self._distinct())
        return tuple(tuple(self.systems[i] for i in group) for group in groups)

    @cached_property
    def place(self) -> dict[str, int]:
        """The position of each system in ``systems``."""
        return {system: i for i, system in enumerate(self.systems)}

    def _distinct(self) -> BoolArray:
        distinct = np.zeros((len(self.systems), len(self.systems)), bool)
        for row in self.pair_rows:
            i, j = self.place[row.a], self.place[row.b]
            distinct[i, j] = distinct[j, i] = row.told_apart
        return distinct

    @property
    def means(self) -> pd.DataFrame:
        """A new frame of the means: one row per system, best first, and one column per measure."""
        import pandas as pd

        columns = {
            item.measure: [item[system].mean for system in self.systems] for item in self.by_measure
        }
        return pd.DataFrame(columns, index=pd.Index(self.systems, name="system"))

    @property
    def pairs(self) -> pd.DataFrame:
        """A new frame, one row per pair; see :class:`PairRow` for the columns."""
        import pandas as pd

        names = [item.name for item in fields(PairRow)]
        return pd.DataFrame([asdict(row) for row in self.pair_rows], columns=names)

    def __getitem__(self, system: str) -> SystemRow:
        for row in self.rows:
            if row.system == system:
                return row
        raise ArgumentError(f"no system {system!r} here; there are {', '.join(self.systems)}")

    def _by_pair(self, values: Iterable[Any], name: str) -> pd.Series[Any]:
        import pandas as pd

        pairs = [(row.a, row.b) for row in self.pair_rows]
        index = pd.MultiIndex.from_tuples(pairs, names=["a", "b"])
        return pd.Series(list(values), index=index, name=name)

    @property
    def pvalue(self) -> pd.Series[float]:
        """The adjusted p-value of every pair, indexed by the two systems."""
        return self._by_pair((row.pvalue_adj for row in self.pair_rows), "pvalue")

    @property
    def interval_name(self) -> str:
        """The kind of the pairs' intervals, simultaneous or not, as text."""
        if self.adjust in (None, "bonferroni"):
            return "simultaneous interval"
        return "interval" if self.adjust == "none" else "adjusted interval"

    @property
    def interval(self) -> pd.DataFrame:
        """The adjusted interval of every pair's difference, indexed by the two systems."""
        return self.pairs.set_index(["a", "b"])[["ci_low", "ci_high"]]

    @property
    def significant(self) -> pd.Series[bool]:
        """Whether the two systems of a pair differ significantly, indexed by the two systems."""
        return self._by_pair((row.told_apart for row in self.pair_rows), "significant")

    def effect_size(self, name: str = "d_z") -> pd.Series[float]:
        """Return an effect size of b compared with a for every pair.

        Parameters
        ----------
        name : str
            ``d_z``, ``hedges_g``, ``d_av``, ``glass_delta``, ``rank_biserial`` or ``p_better``.
        """
        checks.one_of("effect size", name, inference.EFFECT_SIZES)
        a, b = (self.scores_of(getattr(row, side) for row in self.pair_rows) for side in "ab")
        swap = name in WHO_WINS and not self.higher_is_better
        sizes = inference.effect_size(name, *((b, a) if swap else (a, b)))
        return self._by_pair(sizes.tolist(), name)

    def __repr__(self) -> str:
        return (
            f"<Ranking of {len(self.systems)} systems by {self.measure}: {self.systems[0]!r} leads,"
            f" {self.n_queries} queries>"
        )
