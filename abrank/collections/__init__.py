"""Two systems on several collections: each by itself, and all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr

if TYPE_CHECKING:
    from abrank.collections.compare import compare_collections as compare_collections
    from abrank.collections.compare import summarise_collections as summarise_collections
    from abrank.collections.result import CollectionRow as CollectionRow
    from abrank.collections.result import CollectionsComparison as CollectionsComparison
    from abrank.collections.result import MeasureSummary as MeasureSummary
    from abrank.collections.result import SummaryRow as SummaryRow
    from abrank.collections.table import pairs_of as pairs_of
    from abrank.collections.table import read_collections as read_collections

_HOMES = {
    "CollectionRow": "abrank.collections.result",
    "CollectionsComparison": "abrank.collections.result",
    "MeasureSummary": "abrank.collections.result",
    "SummaryRow": "abrank.collections.result",
    "compare_collections": "abrank.collections.compare",
    "pairs_of": "abrank.collections.table",
    "read_collections": "abrank.collections.table",
    "summarise_collections": "abrank.collections.compare",
}

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
