"""Many systems on several collections: plain numbers, and the views of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from abrank._support import display
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.result import Result
from abrank.estimate import IntervalRow
from abrank.measures.names import known_among
from abrank.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd

    from abrank._support.drawings import StandingsPlots


@record
class Standing(IntervalRow):
    """How a system stands on these collections, or on collections like these.

    ``ci_low`` and ``ci_high`` are limits of its mean by itself; ``diff_low`` and ``diff_high`` of
    its difference from the first, for all pairs together, NaN for the first. ``rank_low`` is one
    more than the systems shown to be better, ``rank_high`` the number of systems less those shown
    to be worse. ``lead`` is the share of the resamples in which its mean is the highest.
    """

    ci_low: float
    ci_high: float
    diff_low: float
    diff_high: float
    rank_low: int
    rank_high: int
    lead: float

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
    these: Standing
    like: Standing


@dataclass(frozen=True, eq=False)
class MeasureStandings:
    """One measure over all collections.

    Attributes
    ----------
    these, like : Ranking
        Of the means of the collections, a collection in the place of a query: where the
        collections stay and their queries are drawn anew, and where the collections are a sample.
        Their pairs have simultaneous intervals.
    rows : tuple of StandingRow
        Best mean first.
    """

    these: Ranking
    like: Ranking
    rows: tuple[StandingRow, ...]

    @property
    def measure(self) -> str:
        """Canonical name."""
        return self.these.measure

    def first(self, *, like: bool = False) -> tuple[str, ...]:
        """Return the systems that could be the best: no other is shown to be better."""
        return tuple(
            row.system for row in self.rows if (row.like if like else row.these).may_be_first
        )

    def __getitem__(self, system: str) -> StandingRow:
        for row in self.rows:
            if row.system == system:
                return row
        there = ", ".join(row.system for row in self.rows)
        raise ArgumentError(f"no system {system!r} here; there are {there}")


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

    if TYPE_CHECKING:

        @property
        def plot(self) -> StandingsPlots:  # as editors know it
            """The plots, each a method: ``result.plot.forest()``; called itself it lists them."""
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
        return self.primary.these.systems

    @property
    def n_queries(self) -> int:
        """Of all collections together."""
        return sum(each.n_queries for each in self.rankings.values())

    @property
    def query_ids(self) -> tuple[str, ...]:
        """None: queries belong to collections."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """How names and sources of the scores were read, each remark once."""
        return tuple(dict.fromkeys(note for each in self.rankings.values() for note in each.notes))

    @property
    def decimals(self) -> int:
        """Decimals that its reports have, by the intervals of the differences from the first."""
        these = (row.these for row in self.primary.rows)
        return display.decimals((row.diff_low, row.diff_high) for row in these)

    def of(self, measure: str) -> MeasureStandings:
        """Return the standings by one of the measures."""
        names = [each.measure for each in self.measures]
        return self.measures[names.index(known_among(measure, names))]

    def __getitem__(self, collection: str) -> Ranking:
        if collection not in self.rankings:
            there = ", ".join(self.rankings)
            raise ArgumentError(f"no collection {collection!r} here; there are {there}")
        return self.rankings[collection]

    @property
    def table(self) -> pd.DataFrame:
        """A fresh frame, a row a measure and system; see :class:`StandingRow`.

        The columns of its two :class:`Standing` begin with ``these_`` and ``like_``.
        """
        import pandas as pd

        return pd.DataFrame(
            [{"measure": each.measure, **flat(row)} for each in self.measures for row in each.rows]
        )

    @property
    def means(self) -> pd.DataFrame:
        """A fresh frame of the means, first measure: a row a system, a column a collection."""
        import pandas as pd

        columns = {
            name: [each[system].mean for system in self.systems]
            for name, each in self.rankings.items()
        }
        return pd.DataFrame(columns, index=pd.Index(self.systems, name="system"))

    def __repr__(self) -> str:
        return (
            f"<CollectionsRanking of {len(self.systems)} systems on {len(self.rankings)}"
            f" collections by {self.primary.measure}: {self.systems[0]!r} leads>"
        )


def flat(row: StandingRow) -> dict[str, Any]:
    """Return a row with the columns of its two standings beside its own."""
    found = asdict(row)
    these, like = found.pop("these"), found.pop("like")
    found |= {f"these_{key}": value for key, value in these.items()}
    return found | {f"like_{key}": value for key, value in like.items()}
