"""The forest plot: the difference by every measure, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank.comparison.scales import is_relative, rows_in_unit, shares_scale
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.rows import Row, draw_rows
from abrank.plots.style.style import label_x, new_axes, say
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import difference, interval_axis, of_the_mean, unit_is_measure

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult


def forest_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + 0.34 * max(2, len(comparison.rows))


@plot("forest", title="All measures", size=forest_size)
def forest(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the interval of every measure, the primary one first, with a diamond and in bold.

    Thick is the plain interval, thin the adjusted one; the adjusted one gives the colour and the
    glyph: B's for better, A's for worse, grey for unclear. At the right stand the estimate and the
    adjusted p-value. A measure whose scale is another than the primary one's is named, not drawn;
    an arrow marks one whose better side is the other one.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> [label.get_text() for label in forest(result).get_yticklabels()]
    ['score']
    """
    ax = ax if ax is not None else new_axes(theme, forest_size(comparison))
    if comparison.n_queries == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    primary, percent = comparison.primary, is_relative(comparison)
    ordered = sorted(rows_in_unit(comparison), key=lambda row: row.measure != primary.measure)
    family = len(ordered) > 1 and comparison.rule.adjust != "none"
    rows = [_row(comparison, row, theme.digits) for row in ordered]
    title = "p adj." if family else "p"
    higher = primary.higher_is_better
    first, words = "Δ", interval_axis(comparison, "mean Δ per query (B − A)")
    if percent:
        first, words = "Δ%", "change of the mean, in per cent of A's"
    elif not of_the_mean(comparison):
        first = "estimate"
    draw_rows(ax, theme, rows, first=first, last=title, higher_is_better=higher, percent=percent)
    for higher, arrow in _TURNED.items():
        if higher != primary.higher_is_better and any(
            row.higher_is_better == higher for row in ordered
        ):
            side = "right" if higher else "left"
            words += (
                f"\n{arrow} {'higher' if higher else 'lower'} is better: {side} of 0 B is better"
            )
    label_x(ax, theme, words)
    return ax


# What marks a measure whose better side is not the primary one's.
_TURNED = {True: "↑", False: "↓"}


def _row(comparison: Comparison, result: MeasureResult, digits: int) -> Row:
    lead = result.measure == comparison.rule.primary
    remark = ""
    if unit_is_measure(comparison) and not shares_scale(comparison, result.measure):
        remark = "another scale: see the numbers"
    elif np.isnan(result.ci_low) or np.isnan(result.estimate):
        remark = "no interval"
    plain = (result.ci_low, result.ci_high)
    adjusted = (result.ci_low_adj, result.ci_high_adj)
    turned = result.higher_is_better != comparison.rule.higher_is_better
    mark = f" {_TURNED[result.higher_is_better]}" if turned else ""
    return Row(
        name=f"{result.measure}{mark}",
        estimate=result.estimate,
        thick=plain,
        thin=adjusted if adjusted != plain else None,
        last=labels.pvalue(result.pvalue_adj, alpha=comparison.rule.alpha),
        reading=result.reading,
        lead=lead,
        remark=remark,
        shown=difference(comparison, result.estimate, digits=digits),
    )
