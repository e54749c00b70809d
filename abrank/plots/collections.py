"""Several collections in one forest, with what they say together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from abrank._support import display
from abrank.plots.registry import COLLECTIONS_PLOTS, plot
from abrank.plots.style import labels
from abrank.plots.style.rows import Row, draw_rows
from abrank.plots.style.style import fit_height, label_x, new_axes
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.collections import (
        CollectionRow,
        CollectionsComparison,
        MeasureSummary,
        SummaryRow,
    )

MOST = 40
LARGEST, SMALLEST = 9.0, 3.5


def collections_size(found: CollectionsComparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 1.1 + 0.28 * (min(MOST, len(found.comparisons)) + 3)


@plot(
    "forest",
    title="The primary measure on every collection, and on all together",
    size=collections_size,
    of=COLLECTIONS_PLOTS,
)
def collections(
    found: CollectionsComparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean difference on every collection, and the summaries as diamonds under them.

    Thick is the interval of a collection alone, thin that adjusted for the number of collections,
    which gives the colour. A dot's area grows with the weight in the random-effects summary. The
    diamonds are as wide as their intervals; the thin line through that of random effects is the
    prediction interval, where one more collection would lie. Of more than 40 collections those of
    the most queries are drawn.

    Examples
    --------
    >>> from abrank.collections import summarise_collections
    >>> from abrank.comparison import compare_scores
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> drawn = collections(summarise_collections({"x": one, "y": one}))
    >>> [label.get_text() for label in drawn.get_yticklabels()]
    ['x', 'y', 'All queries', 'Equal weights', 'Random effects']
    """
    ax = ax if ax is not None else new_axes(theme, collections_size(found))
    summary = found.of(measure) if measure else found.primary
    largest = sorted(summary.rows, key=lambda row: -row.n_queries)[:MOST]
    shown = [row for row in summary.rows if any(row is each for each in largest)]
    rows = [_row(row, summary, found.alpha) for row in shown]
    prediction = summary.prediction
    rows += [
        _summary("All queries", summary.stratified, found.alpha),
        _summary("Equal weights", summary.equal, found.alpha),
        _summary("Random effects", summary.random, found.alpha, prediction),
    ]
    fit_height(ax, 1.1 + 0.28 * len(rows))
    draw_rows(ax, theme, rows, last="p adj.", higher_is_better=summary.higher_is_better)
    level = display.level(1.0 - found.alpha)
    words = [f"mean Δ of {display.shorten(summary.measure, width=40)} (B − A), {level} intervals"]
    if len(shown) < len(summary.rows):
        words.append(f"the largest {MOST} of {display.count(len(summary.rows))} collections")
    if math.isfinite(prediction[0]):
        words.append(f"line through the last diamond: {level} prediction interval")
    label_x(ax, theme, "\n".join(words))
    return ax


def _row(row: CollectionRow, summary: MeasureSummary, alpha: float) -> Row:
    largest = max(each.weight_random for each in summary.rows) or 1.0
    missing = math.isnan(row.ci_low) or math.isnan(row.estimate)
    return Row(
        name=row.collection,
        estimate=row.estimate,
        thick=(row.ci_low, row.ci_high),
        thin=(row.ci_low_adj, row.ci_high_adj),
        last=labels.pvalue(row.pvalue_adj, alpha=alpha),
        reading=row.reading,
        remark="no interval" if missing else "",
        size=max(SMALLEST, LARGEST * math.sqrt(row.weight_random / largest)),
    )


def _summary(
    name: str, row: SummaryRow, alpha: float, prediction: tuple[float, float] | None = None
) -> Row:
    return Row(
        name=name,
        estimate=row.estimate,
        thick=(row.ci_low, row.ci_high),
        thin=prediction if prediction and math.isfinite(prediction[0]) else None,
        last=labels.pvalue(row.pvalue, alpha=alpha),
        reading=row.reading,
        lead=True,
        remark="no interval" if math.isnan(row.ci_low) else "",
        summary=True,
    )
