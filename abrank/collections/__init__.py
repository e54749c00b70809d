"""Two systems or many on several collections: each by itself, and all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr

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
    from abrank.collections.table import boards_of as boards_of
    from abrank.collections.table import pairs_of as pairs_of
    from abrank.collections.table import read_collections as read_collections
    from abrank.collections.table import same_judgments as same_judgments

_HOMES = {
    "CollectionRow": "abrank.collections.result",
    "CollectionsComparison": "abrank.collections.result",
    "CollectionsRanking": "abrank.collections.result",
    "MeasureStandings": "abrank.collections.result",
    "MeasureSummary": "abrank.collections.result",
    "Standing": "abrank.collections.result",
    "StandingRow": "abrank.collections.result",
    "SummaryRow": "abrank.collections.result",
    "boards_of": "abrank.collections.table",
    "compare_collections": "abrank.collections.compare",
    "pairs_of": "abrank.collections.table",
    "rank_collections": "abrank.collections.rank",
    "read_collections": "abrank.collections.table",
    "same_judgments": "abrank.collections.table",
}

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
