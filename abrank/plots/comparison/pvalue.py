"""The p-value of every mean difference that might be the true one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank import inference
from abrank._support import display
from abrank.comparison.scales import is_relative
from abrank.inference.paired.t_test import mean_and_error, t_pvalue
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.labels import PlainTicks
from abrank.plots.style.rows import draw_interval
from abrank.plots.style.style import (
    difference_axis,
    difference_limits,
    dot,
    dress,
    label_x,
    label_y,
    margin_band,
    new_axes,
    say,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import delta, margin_words

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

SIZE = (5.6, 3.1)
POINTS = 161


@plot("pvalue", title="The p-value of every mean difference", size=SIZE)
def pvalue(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw how well every mean difference goes with the data: its p-value by the paired t-test.

    The curve is 1 at the mean observed. Above the line at alpha lie the differences that the test
    does not refuse: that is the interval. Where the curve crosses 0 stands the p-value of "no
    difference". Not adjusted for other measures.

    References
    ----------
    Birnbaum (1961), Journal of the American Statistical Association 56, 246-249; Fraser (2019), The
    American Statistician 73, 135-147.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> pvalue(result).get_ylabel()
    'p-value (paired t)'
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    row = comparison[measure or comparison.rule.primary]
    differences = comparison.differences(row.measure)
    n, alpha = len(differences), comparison.rule.alpha
    if n < 2:
        few = "No queries" if n == 0 else "Only 1 query"
        return say(ax, theme, f"{few}: no p-value to draw.")
    mean, error = (float(each[0]) for each in mean_and_error(differences[:, None]))
    if np.isnan(error):
        shown = labels.signed(row.diff, digits=theme.digits)
        return say(ax, theme, f"The difference is {shown} on every query: it has no error.")
    found = inference.run_test("t", differences, confidence=1.0 - alpha)
    interval = (float(found.ci_low[0]), float(found.ci_high[0]))
    ends = [mean + 1.6 * (limit - mean) for limit in interval]
    dress(ax, theme, grid="both", spines=("bottom", "left"))
    ax.set_ylim(0.0, 1.04)
    limits = difference_limits(*ends, room=0.22)
    difference_axis(ax, theme, limits, higher_is_better=row.higher_is_better)
    # A margin in per cent of A's mean is held against another interval than that of a difference.
    held = row.measure == comparison.rule.primary and not is_relative(comparison)
    margin = comparison.decision.margin if held else 0.0
    margin_band(ax, theme, margin)
    grid = np.unique(np.append(np.linspace(*limits, POINTS), mean))
    curve = t_pvalue((mean - grid) / error, n - 1, "two-sided")
    ax.plot(grid, curve, color=theme.ink, linewidth=1.8, zorder=3.0)
    ax.axhline(alpha, color=theme.muted, linewidth=1.0, linestyle=(0, (4, 2)), zorder=2.0)
    _read_off(ax, theme, row, interval, float(found.pvalue[0]), alpha)
    ax.yaxis.set_major_formatter(PlainTicks())
    label_y(ax, theme, "p-value (paired t)")
    level = display.alpha(alpha, found.pvalue)
    words = f"true mean {delta(row.measure)}; dashed: α = {level}"
    if margin > 0:
        words += f"\nband: margin ±{margin_words(comparison, digits=theme.digits)}"
    label_x(ax, theme, words)
    return ax


def _read_off(
    ax: Axes,
    theme: Theme,
    row: MeasureResult,
    interval: tuple[float, float],
    at_zero: float,
    alpha: float,
) -> None:
    """Mark the interval on the line at alpha, and the p-value at 0."""
    gain = interval if row.higher_is_better else (-interval[1], -interval[0])
    reading = "better" if gain[0] > 0 else "worse" if gain[1] < 0 else "unclear"
    colour = theme.of_reading(reading)
    draw_interval(ax, interval, alpha, colour=colour, width=4.0)
    dot(ax, theme, (0.0, at_zero), colour=colour, size=7.5)
    write(
        ax,
        display.p_clause(at_zero, alpha=alpha),
        # On the side of 0 that the curve leaves free, and off the line at alpha.
        (0.0, at_zero if at_zero > 2.0 * alpha else max(at_zero, alpha)),
        shift=(-7.0 if row.diff > 0 else 7.0, 4.0),
        ha="right" if row.diff > 0 else "left",
        va="bottom",
        color=colour,
        fontsize=sizes(ax).body,
        fontweight="bold",
        zorder=4.0,
    )
