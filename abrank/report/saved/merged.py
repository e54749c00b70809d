"""What was read of merged statistics checked against the rest of the comparison."""

from __future__ import annotations

import math

from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.family import row_reading
from abrank.comparison.groups import segment_reading
from abrank.comparison.merged.result import MergedQueries
from abrank.report.saved.alike import require_same
from abrank.report.saved.schema import Damaged


def require_merged(comparison: Comparison, found: MergedQueries) -> None:
    """Refuse rows, segments and counts that do not go with each other.

    Raises
    ------
    Damaged
        At the first contradiction.
    """
    require_same("merged.errors", len(found.errors), len(comparison.rows), "the measures")
    for i, row in enumerate(comparison.rows):
        _row(row, found, i, f"measures[{i}]", comparison.rule.confidence)
    counted = sum(cell.n_queries for cell in found.cells)
    require_same("merged.cells", counted, found.n_queries, "the queries")
    if list(found.profile) != sorted(found.profile):
        raise Damaged("merged.profile", "is not in ascending order")
    for i, segmentation in enumerate(comparison.segmentations):
        place = f"segments[{i}].rows"
        n = sum(row.n_queries for row in segmentation.rows)
        require_same(place, n, found.n_queries, "the queries")
        for j, each in enumerate(segmentation.rows):
            reading = segment_reading(comparison.rule, each.ci_low_adj, each.ci_high_adj)
            require_same(f"{place}[{j}].reading", each.reading, reading, "its adjusted limits")


def _row(row: MeasureResult, found: MergedQueries, i: int, place: str, confidence: float) -> None:
    scale = max(abs(row.mean_a), abs(row.mean_b))
    require_same(f"{place}.diff", row.diff, row.mean_b - row.mean_a, "the means", scale=scale)
    relative = row.diff / row.mean_a if row.mean_a else math.nan
    require_same(f"{place}.rel_diff", row.rel_diff, relative, "the means")
    n = row.wins + row.ties + row.losses
    require_same(f"{place}.wins", n, found.n_queries, "the queries")
    error = found.errors[i]
    if math.isfinite(error) and row.wins + row.losses:
        scale = max(scale, abs(row.estimate))
        require_same(f"{place}.statistic", row.statistic, row.estimate / error, "the errors")
        limits = found.interval(i, row.estimate, confidence)
        for key, limit in zip(("ci_low", "ci_high"), limits, strict=True):
            require_same(f"{place}.{key}", getattr(row, key), limit, "the errors", scale=scale)
    low, high = row.ci_low_adj, row.ci_high_adj
    gain = (low, high) if row.higher_is_better else (-high, -low)
    reading = row_reading(*gain, moved=bool(row.wins + row.losses), pvalue=row.pvalue)
    require_same(f"{place}.reading", row.reading, reading, "the wins and the adjusted interval")
