"""Results for two or more systems on several collections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from abrank._support import display
from abrank._support.errors import ArgumentError, GateError
from abrank._support.result import Result, record
from abrank._support.typing import OnCollections, Requirement
from abrank.comparison import Comparison
from abrank.comparison.units import reachable
from abrank.estimate import AdjustedRow, Interval, IntervalRow
from abrank.inference.meta_analysis import Summary
from abrank.inference.segments import Heterogeneity
from abrank.measures.names import known_among
from abrank.ranking import Ranking
from abrank.rule import Soundness
from abrank.verdict import Decision, Rule, Verdict

if TYPE_CHECKING:
    import pandas as pd

    from abrank._support.drawings import CollectionsPlots, StandingsPlots


@record
class CollectionRow(AdjustedRow):
    """One collection and one measure.

    ``diff`` is the mean difference B - A; ``estimate`` is what the test estimates. Names with
    ``_adj`` are adjusted for the number of collections by Holm, and ``reading`` uses these.
    ``weight_stratified`` and ``weight_random`` are the weights in the two summaries. ``bounded``
    says that all differences are equal, and that the random-effects summary uses an upper bound for
    their variance instead of 0.
    """

    collection: str
    n_queries: int
    mean_a: float
    mean_b: float
    diff: float
    ci_low: float
    ci_high: float
    ci_low_adj: float
    ci_high_adj: float
    pvalue: float
    pvalue_adj: float
    wins: int
    ties: int
    losses: int
    weight_stratified: float
    weight_random: float
    bounded: bool
    reading: str
    estimate: float


@record
class SummaryRow(Summary):
    """A pooled mean difference over the collections, and the reading of its interval."""

    reading: str


@record
class MeasureSummary:
    """One measure over all collections; see :func:`abrank.inference.pool_collections`.

    Attributes
    ----------
    measure : str
    higher_is_better : bool
    n_queries : int
        Total over all collections.
    rows : tuple of CollectionRow
        In input order.
    stratified : SummaryRow
        The mean over all queries of these collections.
    equal : SummaryRow
        The mean over these collections with equal weight.
    random : SummaryRow
        The mean in the population that the collections are a sample of.
    tau : float
        Standard deviation of the differences in that population.
    prediction_low, prediction_high : float
        Prediction interval for a further collection.
    heterogeneity : Heterogeneity
        Test whether the collections differ by more than chance.
    """

    measure: str
    higher_is_better: bool
    n_queries: int
    rows: tuple[CollectionRow, ...]
    stratified: SummaryRow
    equal: SummaryRow
    random: SummaryRow
    tau: float
    prediction_low: float
    prediction_high: float
    heterogeneity: Heterogeneity

    @property
    def prediction(self) -> Interval:
        """Prediction interval for a further collection, within the range of the measure."""
        return self.within_reach(Interval(self.prediction_low, self.prediction_high))

    def within_reach(self, interval: Interval) -> Interval:
        """Clip limits of a difference to the possible differences of the measure."""
        means = sorted(mean for row in self.rows for mean in (row.mean_a, row.mean_b))
        return interval.within(*reachable(self.measure, minimum=means[0], largest=means[-1]))

    @property
    def n_ahead(self) -> int:
        """Number of collections where B has the better mean."""
        side = 1.0 if self.higher_is_better else -1.0
        return sum(row.diff * side > 0.0 for row in self.rows)

    def count(self, reading: str) -> int:
        """Return the number of collections with this reading."""
        return sum(row.reading == reading for row in self.rows)


@dataclass(frozen=True, eq=False)
class CollectionsComparison(Result):
    """Baseline A compared with candidate B on several collections; immutable.

    Returned by :func:`abrank.compare_collections`.

    Attributes
    ----------
    baseline, candidate : str
        Names of A and B.
    comparisons : mapping of str to Comparison
        By collection, in input order.
    measures : tuple of MeasureSummary
        The primary measure first.
    alpha : float
        Two-sided level.
    pooled : Comparison
        The comparison by the mean over all queries: verdict, gate, guards and soundness. Queries
        are named ``COLLECTION/QUERY``.
    provenance : mapping
        Command, time and versions; the comparisons have the inputs.
    """

    _PAIR_IN: ClassVar[str] = ".pooled and .comparisons[NAME] have it"

    if TYPE_CHECKING:

        @property
        def plot(self) -> CollectionsPlots:  # as editors know it
            """The plots as methods, such as ``result.plot.forest()``; calling it lists them."""
            ...

    baseline: str
    candidate: str
    comparisons: Mapping[str, Comparison]
    measures: tuple[MeasureSummary, ...]
    alpha: float
    pooled: Comparison
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rule(self) -> Rule:
        """The rule for all collections together."""
        return self.pooled.rule

    @property
    def decision(self) -> Decision:
        """The verdict on the mean over all queries, with its gate and guards."""
        return self.pooled.decision

    @property
    def verdict(self) -> Verdict:
        """The verdict on the mean over all queries, a string such as ``"better"``."""
        return self.decision.verdict

    @property
    def pvalue(self) -> float:
        """The p-value of the primary measure's mean over all queries."""
        return self.pooled.pvalue

    @property
    def interval(self) -> Interval:
        """The interval of the primary measure's mean over all queries."""
        return self.pooled.interval

    @property
    def significant(self) -> bool:
        """Whether that p-value is below alpha."""
        return self.pooled.significant

    def effect_size(self, name: str | None = None) -> float:
        """Return an effect size over all queries; see :meth:`abrank.Comparison.effect_size`."""
        return self.pooled.effect_size(name)

    @property
    def soundness(self) -> Soundness:
        """The reasons against the evidence, each with the name of its collection."""
        return self.decision.soundness

    def require(
        self, requirement: Requirement, *, on: OnCollections = "all"
    ) -> CollectionsComparison:
        """Return the comparison if the gate passes on all collections together, or on each.

        For requirements and errors see :meth:`abrank.Comparison.require`.
        """
        if on == "all":
            self.pooled.require(requirement)
        for name, comparison in self.comparisons.items() if on == "each" else ():
            try:
                comparison.require(requirement)
            except GateError as error:
                error.args = (f"{name}: {error}",)
                raise
        return self

    @property
    def unsound(self) -> dict[str, Soundness]:
        """The collections with unsound evidence, which prevent an overall decision."""
        soundness = {name: comparison.soundness for name, comparison in self.comparisons.items()}
        return {
            name: evidence for name, evidence in soundness.items() if evidence.level == "unsound"
        }

    @property
    def primary(self) -> MeasureSummary:
        """The summary of the measure that decides."""
        return self.measures[0]

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The measures whose names sound like costs and whose direction is not declared."""
        return next(iter(self.comparisons.values())).undeclared

    @property
    def decimals(self) -> int:
        """Decimals in reports, chosen by the intervals of collections and summaries."""
        primary = self.primary
        rows = [row.adjusted for row in primary.rows]
        pooled = [row.interval for row in (primary.stratified, primary.equal, primary.random)]
        return display.decimals([*rows, *pooled])

    def of(self, measure: str) -> MeasureSummary:
        """Return the summary of one of the measures."""
        names = [measure.measure for measure in self.measures]
        return self.measures[names.index(known_among(measure, names))]

    @property
    def remarks(self) -> tuple[str, ...]:
        """How names and sources of the scores were interpreted, without repetitions."""
        return display.merged(
            remark for comparison in self.comparisons.values() for remark in comparison.remarks
        )

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Empty, because queries belong to collections."""
        return ()

    def __getitem__(self, collection: str) -> Comparison:
        if collection not in self.comparisons:
            names = ", ".join(self.comparisons)
            raise ArgumentError(f"no collection {collection!r} here; there are {names}")
        return self.comparisons[collection]

    def to_frame(self) -> pd.DataFrame:
        """Return a new frame, one row per measure and collection; see :class:`CollectionRow`."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"measure": measure.measure, **asdict(row)}
                for measure in self.measures
                for row in measure.rows
            ]
        )

    @property
    def summaries(self) -> pd.DataFrame:
        """A new frame, one row per measure and summary: stratified, equal, random."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"measure": measure.measure, "summary": kind, **asdict(getattr(measure, kind))}
                for measure in self.measures
                for kind in ("stratified", "equal", "random")
            ]
        )

    def __repr__(self) -> str:
        return (
            f"<CollectionsComparison {self.candidate!r} against {self.baseline!r} on"
            f" {len(self.comparisons)} collections, {self.primary.measure}>"
        )


@record
class Standing(IntervalRow):
    """The standing of a system on these collections, or on similar collections.

    ``ci_low`` and ``ci_high`` limit its mean. ``diff_low`` and ``diff_high`` limit its difference
    from the first system, simultaneously for all pairs; NaN for the first. ``rank_low`` is 1 plus
    the number of significantly better systems; ``rank_high`` is the number of systems minus the
    significantly worse ones. ``chance_first`` is the share of resamples where its mean is highest.
    """

    ci_low: float
    ci_high: float
    diff_low: float
    diff_high: float
    rank_low: int
    rank_high: int
    chance_first: float

    @property
    def may_be_first(self) -> bool:
        """Whether no other system is significantly better."""
        return self.rank_low == 1


@record
class StandingRow:
    """One system and one measure over all collections with equal weight.

    ``diff`` is the difference of its mean from that of the first; ``n_first`` is the number of
    collections on which no mean is higher.
    """

    position: int
    system: str
    mean: float
    diff: float
    n_first: int
    fixed: Standing
    random: Standing


@dataclass(frozen=True, eq=False)
class MeasureStandings:
    """One measure over all collections.

    Attributes
    ----------
    fixed, random : Ranking
        Rankings of the collections' means, with a collection in place of a query: for fixed
        collections with resampled queries, and for collections as a random sample. Intervals of
        pairs are simultaneous.
    rows : tuple of StandingRow
        Best mean first.
    """

    fixed: Ranking
    random: Ranking
    rows: tuple[StandingRow, ...]

    @property
    def measure(self) -> str:
        """Canonical name."""
        return self.fixed.measure

    def first(self, *, random: bool = False) -> tuple[str, ...]:
        """Return the systems that could be the best: no other is significantly better."""
        return tuple(
            row.system for row in self.rows if (row.random if random else row.fixed).may_be_first
        )

    def __getitem__(self, system: str) -> StandingRow:
        for row in self.rows:
            if row.system == system:
                return row
        names = ", ".join(row.system for row in self.rows)
        raise ArgumentError(f"no system {system!r} here; there are {names}")


@dataclass(frozen=True, eq=False)
class CollectionsRanking(Result):
    """Many systems on several collections; immutable.

    Returned by :func:`abrank.rank_collections`.

    Attributes
    ----------
    rankings : mapping of str to Ranking
        By collection, in input order.
    measures : tuple of MeasureStandings
        The measure that orders the systems comes first.
    alpha : float
        Two-sided level.
    provenance : mapping
        Command, time and versions; the rankings have the inputs.
    """

    _PAIR_IN: ClassVar[str] = "compare() of two systems has it"

    if TYPE_CHECKING:

        @property
        def plot(self) -> StandingsPlots:  # as editors know it
            """The plots as methods, such as ``result.plot.means()``; calling it lists them."""
            ...

    rankings: Mapping[str, Ranking]
    measures: tuple[MeasureStandings, ...]
    alpha: float
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def primary(self) -> MeasureStandings:
        """The measure that orders the systems."""
        return self.measures[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best mean first."""
        return self.primary.fixed.systems

    @property
    def n_queries(self) -> int:
        """Total number of queries over all collections."""
        return sum(ranking.n_queries for ranking in self.rankings.values())

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Empty, because queries belong to collections."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """How names and sources of the scores were interpreted, without repetitions."""
        return display.merged(note for ranking in self.rankings.values() for note in ranking.notes)

    @property
    def decimals(self) -> int:
        """Decimals in reports, chosen by the intervals of the differences from the first."""
        rows = (row.fixed for row in self.primary.rows)
        return display.decimals((row.diff_low, row.diff_high) for row in rows)

    def of(self, measure: str) -> MeasureStandings:
        """Return the standings by one of the measures."""
        names = [measure.measure for measure in self.measures]
        return self.measures[names.index(known_among(measure, names))]

    def __getitem__(self, collection: str) -> Ranking:
        if collection not in self.rankings:
            names = ", ".join(self.rankings)
            raise ArgumentError(f"no collection {collection!r} here; there are {names}")
        return self.rankings[collection]

    def to_frame(self) -> pd.DataFrame:
        """Return a new frame, one row per measure and system; see :class:`StandingRow`.

        The columns of its two :class:`Standing` begin with ``fixed_`` and ``random_``.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {"measure": measure.measure, **flat(row)}
                for measure in self.measures
                for row in measure.rows
            ]
        )

    @property
    def means(self) -> pd.DataFrame:
        """A new frame of the means in the first measure, systems by collections."""
        import pandas as pd

        columns = {
            name: [ranking[system].mean for system in self.systems]
            for name, ranking in self.rankings.items()
        }
        return pd.DataFrame(columns, index=pd.Index(self.systems, name="system"))

    def __repr__(self) -> str:
        return (
            f"<CollectionsRanking of {len(self.systems)} systems on {len(self.rankings)}"
            f" collections by {self.primary.measure}: {self.systems[0]!r} leads>"
        )


def flat(row: StandingRow) -> dict[str, Any]:
    """Return a row with the columns of its two standings added."""
    result = asdict(row)
    for kind in ("fixed", "random"):
        result |= {f"{kind}_{key}": value for key, value in result.pop(kind).items()}
    return result
