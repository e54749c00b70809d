"""The primary measure in every segment of the queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank._support import checks, display
from abrank.plots.registry import plot
from abrank.plots.style.rows import Row, draw_rows
from abrank.plots.style.style import fit_height, label_x, new_axes, say
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import delta, interval_axis, of_the_mean

if TYPE_CHECKING:
    from abrank.comparison import Comparison
    from abrank.comparison.groups import Segmentation, SegmentRow

MOST = 20
# Points across the dot of all queries, and of the smallest segment.
LARGEST, SMALLEST = 9.0, 3.5


def _height(n_rows: int) -> float:
    return 1.1 + 0.28 * max(2, n_rows)


def segments_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, _height(1 + min(MOST, sum(len(each.rows) for each in comparison.segmentations)))


@plot("segments", title="The primary measure in every segment", size=segments_size)
def segments(
    comparison: Comparison,
    *,
    by: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean difference in every segment, under that of all queries.

    Thick is the interval of a segment alone, thin that among all segments of its property, which
    gives the colour. A dot's area grows with the root of the number of queries. Of more than 20
    segments the largest are drawn; one of too few queries has no interval.

    Parameters
    ----------
    by : str, optional
        The property; all of them without it.

    Raises
    ------
    UnknownNameError
        If the queries have no such property.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> segments(result).texts[0].get_text()
    'No segments of the queries were given.'
    """
    ax = ax if ax is not None else new_axes(theme, segments_size(comparison))
    if not comparison.segmentations:
        return say(ax, theme, "No segments of the queries were given.")
    if by is not None:
        checks.one_of("property", by, [each.name for each in comparison.segmentations])
    chosen = [each for each in comparison.segmentations if by in (None, each.name)]
    every = sum(len(each.rows) for each in chosen)
    rows = [_all_queries(comparison), *_rows(comparison, chosen, named=by is None)]
    fit_height(ax, _height(len(rows)))
    higher = comparison.rule.higher_is_better
    draw_rows(ax, theme, rows, last="queries", higher_is_better=higher)
    words = interval_axis(comparison, f"mean {delta(comparison.rule.primary)}")
    if every >= len(rows):
        words += f"; the largest {MOST} of {display.count(every)} segments"
    label_x(ax, theme, "\n".join([words, *_differ(comparison, chosen)]))
    return ax


def _rows(comparison: Comparison, chosen: Sequence[Segmentation], *, named: bool) -> list[Row]:
    """Return the rows of the largest segments, those of a property together."""
    sizes = sorted((row.n_queries for each in chosen for row in each.rows), reverse=True)
    least = sizes[min(MOST, len(sizes)) - 1]
    found: list[Row] = []
    room = {True: MOST - sum(size > least for size in sizes), False: MOST}
    for each in chosen:
        for row in each.rows:
            # Of segments as large as the smallest one shown, the first.
            if row.n_queries >= least and room[row.n_queries == least] > 0:
                room[row.n_queries == least] -= 1
                name = f"{each.name}: {row.label}" if named else row.label
                found.append(_row(comparison, row, name))
    return found


def _row(comparison: Comparison, row: SegmentRow, name: str) -> Row:
    few = math.isnan(row.ci_low_adj)
    share = math.sqrt(math.sqrt(row.n_queries / comparison.n_queries))
    return Row(
        name=name,
        estimate=row.mean,
        thick=(row.ci_low, row.ci_high),
        thin=(row.ci_low_adj, row.ci_high_adj),
        last=display.count(row.n_queries),
        reading=row.reading,
        remark="too few queries" if few else "",
        size=max(SMALLEST, LARGEST * share) if of_the_mean(comparison) else 0.0,
    )


def _all_queries(comparison: Comparison) -> Row:
    row = comparison.primary
    missing = bool(np.isnan(row.ci_low))
    return Row(
        name="All queries",
        estimate=row.diff,
        thick=(row.ci_low, row.ci_high),
        thin=None,
        last=display.count(comparison.n_queries),
        reading=row.reading,
        lead=True,
        remark="no interval" if missing else "",
        size=LARGEST if of_the_mean(comparison) else 0.0,
    )


def _differ(comparison: Comparison, chosen: Sequence[Segmentation]) -> list[str]:
    """Say of each property whether its segments differ."""
    alpha = comparison.rule.alpha
    return [
        f"{display.shorten(each.name, width=24)}: do its segments differ?"
        f" {display.p_clause(each.interaction_pvalue, alpha=alpha)}"
        for each in chosen
        if not math.isnan(each.interaction_pvalue)
    ]
