"""The differences against a normal distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from abrank._support import display
from abrank._support.display import shorten
from abrank.inference.estimates.normal_plot import normal_plot
from abrank.inference.estimates.shape import moments
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.style import dress, label_x, label_y, new_axes, say, signed_ticks
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison

SIZE = (5.6, 2.9)
FEWEST = 10


@plot("qq", title="The differences against a normal law", size=SIZE)
def qq(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the standardised differences against the quantiles of the normal distribution.

    The line is the normal distribution; the band holds each value of a normal sample with a chance
    of 95%, every one by itself. Of more than 400 queries some are drawn, evenly along the axis and
    with both ends. Fewer than 10 queries say nothing of their distribution.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> qq(result).texts[0].get_text()[:24]
    'Only 2 queries: too few '
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    row = comparison[measure or comparison.rule.primary]
    differences = comparison.differences(row.measure)
    n = len(differences)
    if n == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    if n < FEWEST:
        sentence = (
            f"Only {labels.queries(n)}: too few to see the law of the differences"
            f" ({FEWEST} are needed)."
        )
        return say(ax, theme, sentence)
    skew, excess = moments(differences)
    if math.isnan(skew):
        shown = labels.signed(row.diff, digits=theme.digits)
        return say(ax, theme, f"The difference is {shown} on every query: it follows no law.")
    found = normal_plot(differences)
    dress(ax, theme, grid="both", spines=("bottom", "left"))
    ax.fill_between(
        found.expected, found.low, found.high, facecolor=theme.muted, alpha=0.18, linewidth=0.0
    )
    ends = found.expected[[0, -1]]
    ax.plot(ends, ends, color=theme.muted, linewidth=1.0, zorder=2.0)
    ax.plot(
        found.expected,
        found.observed,
        marker="o",
        markersize=3.2 if n <= 100 else 2.2,
        color=theme.ink,
        markeredgewidth=0.0,
        linestyle="none",
        zorder=3.0,
    )
    room = 0.04 * float(ends[1] - ends[0])
    ax.set_xlim(float(ends[0]) - room, float(ends[1]) + room)
    for axis in ("x", "y"):
        signed_ticks(ax, axis)
    label_y(ax, theme, f"standardised Δ {shorten(row.measure, width=20)}")
    words = (
        f"skew {display.signed(skew, digits=1)}, excess kurtosis {display.signed(excess, digits=1)}"
    )
    label_x(ax, theme, f"normal quantile; band: 95% for each point\n{words}")
    return ax
