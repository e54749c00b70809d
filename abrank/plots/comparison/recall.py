"""Precision at growing recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from abrank.plots.registry import plot
from abrank.plots.style.curves import draw_pair, name_systems
from abrank.plots.style.labels import PlainTicks
from abrank.plots.style.style import dress, label_x, label_y, new_axes, say
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison

SIZE = (5.6, 3.1)


@plot("recall", title="Precision at growing recall", size=SIZE)
def recall(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the mean interpolated precision of A and of B at eleven levels of recall.

    At each level stands the highest precision at this recall or beyond it, so the curves only fall.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> recall(result).texts[0].get_text()[:22]
    'Ready scores were comp'
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    curve = comparison.evidence.recall_curve
    if curve is None:
        nothing = "No queries: nothing to draw."
        ready = "Ready scores were compared: recall is known of runs only."
        return say(ax, theme, ready if comparison.n_queries else nothing)
    dress(ax, theme, grid="both", spines=("bottom", "left"))
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(0.0, max(0.1, 1.06 * max(*curve.a, *curve.b)))
    draw_pair(ax, theme, curve.levels, curve.a, curve.b)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(PlainTicks())
    name_systems(ax, theme, comparison)
    label_x(ax, theme, "recall")
    label_y(ax, theme, "interpolated precision, mean")
    return ax
