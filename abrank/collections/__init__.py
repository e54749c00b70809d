"""Two or more systems on several collections: each collection, and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import homes, module_getattr

if TYPE_CHECKING:
    from abrank.collections.compare import compare_collections as compare_collections
    from abrank.collections.rank import rank_collections as rank_collections
    from abrank.collections.result import CollectionRow as CollectionRow
    from abrank.collections.result import CollectionsComparison as CollectionsComparison
    from abrank.collections.result import CollectionsRanking as CollectionsRanking
    from abrank.collections.result import MeasureStandings as MeasureStandings
    from abrank.collections.result import MeasureSummary as MeasureSummary
    from abrank.collections.result import Standing as Standing
    from abrank.collections.result import StandingRow as StandingRow
    from abrank.collections.result import SummaryRow as SummaryRow
    from abrank.collections.table import pairs_of as pairs_of
    from abrank.collections.table import ranking_inputs_of as ranking_inputs_of
    from abrank.collections.table import read_collections as read_collections

_HOMES = homes(
    {
        "abrank.collections.compare": "compare_collections",
        "abrank.collections.rank": "rank_collections",
        "abrank.collections.result": "CollectionRow CollectionsComparison CollectionsRanking"
        " MeasureStandings MeasureSummary Standing StandingRow SummaryRow",
        "abrank.collections.table": "ranking_inputs_of pairs_of read_collections",
    }
)

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
