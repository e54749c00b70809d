"""A ranking: systems, pairs and what stands beside the deciding test, and the views of them."""

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

    The limits are of the estimate, adjusted for the pairs, and NaN where the test has none.
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
    """How often a system has each rank where the queries are drawn anew."""

    # `chances` has the share of the resamples for each rank, the first for rank 1; in the share 1 -
    # alpha of them its rank is from `low` to `high`. Of more than 300 systems only the first chance
    # is kept.

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
    """How alike two measures order the systems: Kendall's tau-b."""

    a: str
    b: str
    tau: float


# Tests of the ranks within queries by one error for all pairs: what a diagram of mean ranks shows.
RANK_TESTS = frozenset({"nemenyi", "conover", "bonferroni-dunn"})


@dataclass(frozen=True, eq=False)
class Ranking(Result):
    """Systems ranked by the mean of one measure, and all pairs of them tested.

    Further measures have rankings of their own, each a family of its own.

    Made by :func:`abrank.rank` and :func:`rank_scores`; never changes.

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
        Against a baseline that is always ``a``; else b stands above a.
    test, title : str
        Name and title of the test.
    alpha : float
        Joint level.
    baseline : str or None
        The first of ``baselines``.
    shares : mapping of str to float
        Shares of ``query``, ``system`` and ``error`` in the variance of the scores.
    seed : int
        Replays every resampled number.
    method : str
        "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation".
    n_resamples : int
        What was drawn.
    audits : mapping of str to Audit
        What was seen while each system's run was read; empty for ready scores.
    notes : tuple of str
        How the measure's name was read, where it has several meanings.
    cautions : tuple of Note
        What is to be known of the runs, the most severe first: ids that match nothing, missing
        queries, unequal depth, tied scores.
    provenance : mapping
    secondary : tuple of Ranking
        One for each further measure, by the same test at the same level.
    baselines : tuple of str
        All those that the other systems were compared with, corrected across.
    adjust : str or None
        The adjustment that was asked for; None is the test's own.
    family : {"measure", "all"}
        Whether alpha holds for each measure, or for all of them together.
    n_families : int
        Alpha is divided by it: the number of measures where they share it, else 1.
    stability : tuple of RankChance
        In the order of ``systems``: their ranks under ``n_drawn`` resamples of the queries.
    n_drawn : int
    agreements : tuple of Agreement
        Of the orders by every two measures.
    spread : float or None
        How unequally the differences of the pairs vary: the largest variance over their mean.
    higher_is_better : bool
        Of the measure.
    """

    _PAIR_IN: ClassVar[str] = "compare() of two systems has it"

    if TYPE_CHECKING:

        @property
        def plot(self) -> RankingPlots:  # as editors know it
            """The plots, each a method: ``plot.leaderboard()``; called itself it lists them."""
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
        """False where the measure's name sounds like a cost, and nobody said which is better."""
        return self.measure not in self.undeclared

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The measures that sound like a cost, and whose better direction nobody declared."""
        of_notes = (
            n.values["measures"] for n in self.cautions if n.code == "direction-not-declared"
        )
        return tuple(measure for measures in of_notes for measure in measures)

    @property
    def best(self) -> str:
        """Which mean is first: the highest or the lowest."""
        return "highest" if self.higher_is_better else "lowest"

    @property
    def distances(self) -> dict[str, Estimate]:
        """How far every other system stands from the baseline, or without one from the first."""
        if self.baseline is not None:
            rows = [row for row in self.pair_rows if row.a == self.baseline]
            return {row.b: Estimate(row.diff, *row.interval) for row in rows}
        rows = [row for row in self.pair_rows if row.b == self.systems[0]]
        return {row.a: -Estimate(row.diff, *row.interval) for row in rows}

    @property
    def readings(self) -> dict[str, str]:
        """What every other system is to the baseline, or without one to the first."""
        reference = self.baseline or self.systems[0]
        turned = {"better": "worse", "worse": "better"}
        result = {row.b: row.reading for row in self.pair_rows if row.a == reference}
        return result | {
            row.a: turned.get(row.reading, row.reading)
            for row in self.pair_rows
            if row.b == reference
        }

    def within_reach(self, interval: Interval) -> Interval:
        """Return limits of a difference within what the measure can differ at all."""
        return interval.within(*self._reachable)

    @cached_property
    def _reachable(self) -> tuple[float, float]:
        means = [row.mean for row in self.rows]
        return reachable(self.measure, minimum=min(means), largest=max(means))

    @property
    def level(self) -> float:
        """Alpha of the tests of this measure: that of the ranking, divided where it is shared."""
        return self.alpha / self.n_families

    @property
    def unsound(self) -> dict[str, str]:
        """Systems of which nothing may be said, with the code of the reason.

        Such as a run without a judged document.
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
            If the systems were not ranked by it; the message lists those that they were.
        """
        for item in self.by_measure:
            if item.measure == measure:
                return item
        raise ArgumentError(f"not ranked by {measure!r}; by {', '.join(self.measures)}")

    def scores_of(self, systems: Iterable[str]) -> FloatArray:
        """Return the scores in an order of the systems: float64[n_queries, n_systems]."""
        return self.scores[:, [self.place[system] for system in systems]]

    @property
    def decimals(self) -> int:
        """Decimals that its reports have, by the intervals of the differences from the first."""
        named = self.baselines or self.systems[:1]
        rows = [row for row in self.pair_rows if row.a in named or row.b in named]
        return display.decimals(row.interval for row in rows)

    @property
    def has_all_pairs(self) -> bool:
        """Whether all pairs are kept: false against a baseline, and of very many systems."""
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

        Systems of one mean rank keep the order of their means. Where this is not the order of
        ``systems``, some lead by a few queries rather than by many.
        """
        return tuple(row.system for row in sorted(self.rows, key=lambda row: row.mean_rank))

    @property
    def omnibus(self) -> dict[str, float] | None:
        """Friedman's test that all systems rank alike, of a test of ranks; else None.

        ``chi2 df pvalue``, Iman and Davenport's ``f df_error pvalue_f``, and Nemenyi's
        ``critical_difference`` of two mean ranks at ``level``, where that is the test.
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
        """The first system, and those that do not differ from it; none against a baseline."""
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

        A bar spans only systems of which no two differ significantly; there is none against a
        baseline, nor for a test that does not compare ranks.
        """
        if self.baseline is not None or self.test not in RANK_TESTS:
            return ()
        from abrank.inference.systems.pairwise import find_cliques

        order = [self.place[system] for system in self.by_mean_rank]
        bars = find_cliques(order, self._distinct())
        return tuple(tuple(self.systems[i] for i in bar) for bar in bars)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The systems of each letter, best first: two share one exactly when they do not differ.

        None against a baseline, nor where not all pairs are kept.
        """
        if self.baseline is not None or not self.has_all_pairs:
            return ()
        from abrank.inference.systems.pairwise import find_groups

        groups = find_groups(self._distinct())
        return tuple(tuple(self.systems[i] for i in group) for group in groups)

    @cached_property
    def place(self) -> dict[str, int]:
        """The place of each system among ``systems``."""
        return {system: i for i, system in enumerate(self.systems)}

    def _distinct(self) -> BoolArray:
        """Return which two systems differ significantly."""
        distinct = np.zeros((len(self.systems), len(self.systems)), bool)
        for row in self.pair_rows:
            i, j = self.place[row.a], self.place[row.b]
            distinct[i, j] = distinct[j, i] = row.told_apart
        return distinct

    @property
    def means(self) -> pd.DataFrame:
        """A fresh frame of the means: a row a system, best first, and a column per measure."""
        import pandas as pd

        columns = {
            item.measure: [item[system].mean for system in self.systems] for item in self.by_measure
        }
        return pd.DataFrame(columns, index=pd.Index(self.systems, name="system"))

    @property
    def pairs(self) -> pd.DataFrame:
        """A fresh frame, one row a pair; see :class:`PairRow` for the columns."""
        import pandas as pd

        names = [item.name for item in fields(PairRow)]
        return pd.DataFrame([asdict(row) for row in self.pair_rows], columns=names)

    def __getitem__(self, system: str) -> SystemRow:
        for row in self.rows:
            if row.system == system:
                return row
        raise ArgumentError(f"no system {system!r} here; there are {', '.join(self.systems)}")

    def _by_pair(self, values: Iterable[Any], name: str) -> pd.Series[Any]:
        """Return values of the pairs with their two systems as index."""
        import pandas as pd

        pairs = [(row.a, row.b) for row in self.pair_rows]
        index = pd.MultiIndex.from_tuples(pairs, names=["a", "b"])
        return pd.Series(list(values), index=index, name=name)

    @property
    def pvalue(self) -> pd.Series[float]:
        """The adjusted p-value of every pair, by its two systems."""
        return self._by_pair((row.pvalue_adj for row in self.pair_rows), "pvalue")

    @property
    def interval_name(self) -> str:
        """What the intervals of the pairs are called: only some hold all at once."""
        if self.adjust in (None, "bonferroni"):
            return "simultaneous interval"
        return "interval" if self.adjust == "none" else "adjusted interval"

    @property
    def interval(self) -> pd.DataFrame:
        """The adjusted interval of every pair's difference, by its two systems."""
        return self.pairs.set_index(["a", "b"])[["ci_low", "ci_high"]]

    @property
    def significant(self) -> pd.Series[bool]:
        """Whether the two systems of a pair differ significantly, by its two systems."""
        return self._by_pair((row.told_apart for row in self.pair_rows), "significant")

    def effect_size(self, name: str = "d_z") -> pd.Series[float]:
        """Return an effect size of b over a for every pair.

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
