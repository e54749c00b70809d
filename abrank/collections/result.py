"""Two systems or many on several collections: plain numbers, and the views of them."""

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
    """One collection on one measure.

    ``diff`` is the mean difference B - A, ``estimate`` what the test estimates of it. The names
    that end in ``_adj`` are adjusted for the number of collections by Holm; ``reading`` follows
    them. ``weight_stratified`` and ``weight_random`` are shares in the two summaries. ``bounded``:
    all differences are one value, and the random-effects summary takes a bound of their variance in
    place of the 0 that was seen.
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
    """A mean difference over the collections as it was pooled, and what its interval says."""

    reading: str


@record
class MeasureSummary:
    """One measure over all collections; see :func:`abrank.inference.pool_collections`.

    Attributes
    ----------
    measure : str
    higher_is_better : bool
    n_queries : int
        Of all collections together.
    rows : tuple of CollectionRow
        In the order given.
    stratified : SummaryRow
        The mean over all queries of these collections.
    equal : SummaryRow
        The mean over these collections, each with the same weight.
    random : SummaryRow
        The mean in the population that the collections are a sample of.
    tau : float
        Standard deviation of the differences in that population.
    prediction_low, prediction_high : float
        What one more collection would show.
    heterogeneity : Heterogeneity
        Whether the collections differ by more than chance.
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
        """What one more collection would show, within what the measure can differ at all."""
        return self.within_reach(Interval(self.prediction_low, self.prediction_high))

    def within_reach(self, interval: Interval) -> Interval:
        """Return limits of a difference within what the measure can differ at all."""
        means = sorted(mean for row in self.rows for mean in (row.mean_a, row.mean_b))
        return interval.within(*reachable(self.measure, minimum=means[0], largest=means[-1]))

    @property
    def n_ahead(self) -> int:
        """Collections on which B's mean is the better one."""
        side = 1.0 if self.higher_is_better else -1.0
        return sum(row.diff * side > 0.0 for row in self.rows)

    def count(self, reading: str) -> int:
        """Return the number of collections with that reading."""
        return sum(row.reading == reading for row in self.rows)


@dataclass(frozen=True, eq=False)
class CollectionsComparison(Result):
    """Baseline A against candidate B on several collections.

    Made by :func:`abrank.compare_collections`; never changes.

    Attributes
    ----------
    baseline, candidate : str
        Names of A and B.
    comparisons : mapping of str to Comparison
        By collection, in the order given.
    measures : tuple of MeasureSummary
        The primary measure first.
    alpha : float
        Two-sided level.
    pooled : Comparison
        By the mean over all queries of these collections: the verdict, the gate, the guards and how
        sound the evidence is; queries are named ``COLLECTION/QUERY``.
    provenance : mapping
        Command, time and versions; the inputs stand in the comparisons.
    """

    _PAIR_IN: ClassVar[str] = ".pooled and .comparisons[NAME] have it"

    if TYPE_CHECKING:

        @property
        def plot(self) -> CollectionsPlots:  # as editors know it
            """The plots, each a method: ``result.plot.forest()``; called itself it lists them."""
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
        """What was declared for all collections together."""
        return self.pooled.rule

    @property
    def decision(self) -> Decision:
        """The verdict on the mean over all queries, with its gate and guards."""
        return self.pooled.decision

    @property
    def verdict(self) -> Verdict:
        """What the interval of the mean over all queries says: a string such as ``"better"``."""
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
        """What speaks against the evidence of a collection; its name stands with each reason."""
        return self.decision.soundness

    def require(
        self, requirement: Requirement, *, on: OnCollections = "all"
    ) -> CollectionsComparison:
        """Return the comparison if the gate passes on all collections together, or on each.

        Requirements and errors are those of :meth:`abrank.Comparison.require`.
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
        """The collections whose evidence is not sound, so that nothing is decided over all."""
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
        """The measures that sound like a cost, and whose better direction nobody declared."""
        return next(iter(self.comparisons.values())).undeclared

    @property
    def decimals(self) -> int:
        """Decimals that its reports have, by the intervals of collections and summaries."""
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
        """How names and sources of the scores were read, what is alike once."""
        return display.merged(
            remark for comparison in self.comparisons.values() for remark in comparison.remarks
        )

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Empty: queries belong to collections."""
        return ()

    def __getitem__(self, collection: str) -> Comparison:
        if collection not in self.comparisons:
            names = ", ".join(self.comparisons)
            raise ArgumentError(f"no collection {collection!r} here; there are {names}")
        return self.comparisons[collection]

    def to_frame(self) -> pd.DataFrame:
        """Return a fresh frame, a row a measure and collection; see :class:`CollectionRow`."""
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
        """A fresh frame, a row a measure and summary: stratified, equal weights, random effects."""
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
    """How a system stands on these collections, or on collections like these.

    ``ci_low`` and ``ci_high`` are limits of its mean by itself; ``diff_low`` and ``diff_high`` of
    its difference from the first, for all pairs together, NaN for the first. ``rank_low`` is one
    more than the systems shown to be better, ``rank_high`` the number of systems less those shown
    to be worse. ``chance_first`` is the share of the resamples in which its mean is the highest.
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
        """Whether no other system is shown to be better."""
        return self.rank_low == 1


@record
class StandingRow:
    """One system on one measure over all collections, each with the same weight.

    ``diff`` is the difference of its mean from that of the first, ``n_first`` the number of
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
        Of the means of the collections, a collection in the place of a query: where the
        collections stay and their queries are drawn anew, and where the collections are a sample.
        Their pairs have simultaneous intervals.
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
        """Return the systems that could be the best: no other is shown to be better."""
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
    """Many systems on several collections.

    Made by :func:`abrank.rank_collections`; never changes.

    Attributes
    ----------
    rankings : mapping of str to Ranking
        By collection, in the order given: each by itself.
    measures : tuple of MeasureStandings
        The one that orders first.
    alpha : float
        Two-sided level.
    provenance : mapping
        Command, time and versions; the inputs stand in the rankings.
    """

    _PAIR_IN: ClassVar[str] = "compare() of two systems has it"

    if TYPE_CHECKING:

        @property
        def plot(self) -> StandingsPlots:  # as editors know it
            """The plots, each a method: ``result.plot.means()``; called itself it lists them."""
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
        """Of all collections together."""
        return sum(ranking.n_queries for ranking in self.rankings.values())

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Empty: queries belong to collections."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """How names and sources of the scores were read, what is alike once."""
        return display.merged(note for ranking in self.rankings.values() for note in ranking.notes)

    @property
    def decimals(self) -> int:
        """Decimals that its reports have, by the intervals of the differences from the first."""
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
        """Return a fresh frame, a row a measure and system; see :class:`StandingRow`.

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
        """A fresh frame of the means, first measure: a row a system, a column a collection."""
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
    """Return a row with the columns of its two standings beside its own."""
    result = asdict(row)
    fixed, random = result.pop("fixed"), result.pop("random")
    result |= {f"fixed_{key}": value for key, value in fixed.items()}
    return result | {f"random_{key}": value for key, value in random.items()}
