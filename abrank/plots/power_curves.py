"""Power curves: the chance to show a true difference with these queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.comparison.margins import is_relative
from abrank.planning import power_curve
from abrank.plots import style
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, PlainTicks, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison

SIZE = (5.6, 3.1)
POINTS = 81


@plot("power", title="What so many queries can see", size=SIZE)
def power(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the chance to show a true difference: with these queries, a quarter, four times.

    Computed from the spread of the differences, never from the difference observed. The dot is the
    smallest difference that these queries show with the power of the plan; the band is the margin.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> power(result).get_ylabel()
    'chance to show it'
    """
    ax = ax if ax is not None else style.new_axes(theme, SIZE)
    n, plan = comparison.n_queries, comparison.planning
    if n < 2:
        return style.say(ax, theme, f"{style.few(n)}: the spread of the differences is not known.")
    if math.isnan(plan.smallest_visible):
        return style.say(ax, theme, "The clusters are too few to plan with.")
    if plan.sd < 1e-10:
        return style.say(ax, theme, "The differences do not vary: there is no spread to plan with.")
    style.dress(ax, theme, grid="both", spines=("bottom", "left"))
    _axes_of_power(ax, theme, comparison)
    wide = ax.get_xlim()[1]

    def freedom(queries: float) -> float:
        """Return those of so many queries in clusters like these, taken to be of one size."""
        return (plan.freedom + 1.0) * queries / n - 1.0

    grid = np.linspace(0.0, wide, POINTS)
    for queries, dash, width in (
        (4 * n, (0, (5, 2)), 1.4),
        (n, "-", 2.4),
        (n // 4, (0, (1, 1.5)), 1.6),
    ):
        if queries >= 2:
            chance = power_curve(
                queries,
                grid / plan.sd,
                alpha=comparison.rule.alpha,
                freedom=freedom if comparison.clusters is not None else None,
            )
            now = queries == n
            colour = theme.ink if now else theme.muted
            style.line(ax, grid, chance, colour, width, linestyle=dash, zorder=3.0)
            _name_curve(ax, theme, grid, chance, queries, n)
    _smallest(ax, theme, plan.smallest_visible, plan.power)
    return ax


def _axes_of_power(ax: Axes, theme: Theme, comparison: Comparison) -> None:
    plan, margin = comparison.planning, comparison.decision.margin
    ax.set_xlim(
        0.0, max((2.6 if comparison.n_queries >= 8 else 1.9) * plan.smallest_visible, 1.6 * margin)
    )
    ax.set_ylim(0.0, 1.04)
    ax.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], ["0%", "20%", "40%", "60%", "80%", "100%"])
    ax.xaxis.set_major_locator(
        MaxNLocator(4 if style.inches(ax) < NARROW else 7, steps=[1, 2, 5, 10])
    )
    ax.xaxis.set_major_formatter(PlainTicks())
    words = f"true Δ {shorten(comparison.rule.primary, width=28)}, up or down"
    if margin > 0:
        ax.axvspan(0.0, margin, facecolor=theme.band, edgecolor="none", zorder=0.4)
        said = style.margin_words(comparison, digits=theme.digits)
        if is_relative(comparison):
            said = f"{display.least(margin, digits=theme.digits)} ({said})"
        words += f"; band: margin {said}"
    style.label_x(ax, theme, words)
    style.label_y(ax, theme, "chance to show it")


def _name_curve(
    ax: Axes, theme: Theme, grid: FloatArray, chance: FloatArray, queries: int, n: int
) -> None:
    """Write the number of queries beside its curve, that of the steepest at its left."""
    height, side = (0.92, "right") if queries > n else (0.3 if queries == n else 0.5, "left")
    place, shift = float(np.interp(height, chance, grid)), 6.0 if side == "left" else -5.0
    if chance[-1] < height:
        # So few queries never get there in this picture: the name stands at the end of the curve.
        place, height, side, shift = float(grid[-1]), float(chance[-1]) + 0.05, "right", -2.0
    style.write(
        ax,
        f"n = {display.count(queries)}",
        (place, height),
        theme.ink if queries == n else theme.muted,
        side,
        "center",
        shift=(shift, 0.0),
        bold=queries == n,
        zorder=4.0,
    )


def _smallest(ax: Axes, theme: Theme, smallest: float, target: float) -> None:
    """Mark the smallest difference that is shown with the power of the plan."""
    style.line(
        ax,
        [0.0, smallest, smallest],
        [target, target, 0.0],
        theme.b,
        1.2,
        linestyle=(0, (2, 2)),
        zorder=2.5,
    )
    style.dot(ax, theme, (smallest, target), colour=theme.b, size=7.5)
    words = f"smallest visible Δ {display.least(smallest, digits=theme.digits)}"
    body = style.sizes(ax).body
    # On the side that has more room, and shorter where that is too little.
    share, wide = smallest / ax.get_xlim()[1], 72.0 * style.inches(ax)
    side, shift = ("left", 5.0) if share < 0.5 else ("right", -5.0)
    if 0.66 * body * len(words) > wide * max(share, 1.0 - share):
        words = words.removeprefix("smallest ")
    look: dict[str, Any] = {"size": body, "bold": True, "zorder": 4.0, "shift": (shift, 5.0)}
    style.write(ax, words, (smallest, 0.0), theme.b, side, "bottom", **look)
