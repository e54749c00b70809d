"""Plots against depth, and number of queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from abrank._support import display
from abrank._support.display import shorten
from abrank.comparison.units import is_relative, reachable
from abrank.measures.names import known
from abrank.planning.student import power_curve
from abrank.plots import style
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abrank.comparison import Comparison
    from abrank.comparison.evidence import CutoffCurve


# --- The primary measure at growing cut-offs

CUTOFFS_SIZE = (5.6, 3.6)

# The parts of the frame, from below: the differences, a gap, the curves.
_LOWER, _UPPER = (0.0, 0.42), (0.5, 0.5)


@plot("cutoffs", title="The primary measure at growing cut-offs", size=CUTOFFS_SIZE)
def cutoffs(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the primary measure of A and of B at growing cut-offs, and under it their difference.

    The band is the interval of the mean difference by the t-test, every cut-off by itself. Only the
    cut-off in bold was declared. The two panels stand within the Axes that comes back.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> cutoffs(result).texts[0].get_text()[:22]
    'score has no cut-off: '
    """
    ax = ax if ax is not None else style.new_axes(theme, CUTOFFS_SIZE)
    curve = comparison.evidence.cutoff_curve
    if curve is None:
        return style.say(ax, theme, _no_curve(comparison))
    ax.axis("off")
    lower = ax.inset_axes((0.0, _LOWER[0], 1.0, _LOWER[1]))
    upper = ax.inset_axes((0.0, _UPPER[0], 1.0, _UPPER[1]))
    x = np.log(curve.cutoffs)
    for panel in (upper, lower):
        style.dress(
            panel, theme, grid="both", spines=("left",) if panel is upper else ("bottom", "left")
        )
        style.cutoff_axis(panel, theme, curve.cutoffs, _lead(comparison))
    upper.tick_params(axis="x", length=0.0, labelbottom=False)
    style.draw_pair(upper, theme, x.tolist(), curve.mean_a, curve.mean_b)
    style.round_ticks(upper.yaxis, 4)
    style.name_systems(upper, theme, comparison)
    style.label_y(upper, theme, f"{shorten(curve.measure, width=16)}@k")
    _differences(lower, theme, comparison, curve)
    style.label_x(lower, theme, "cut-off k; band: 95% for each k")
    return ax


def _differences(ax: Axes, theme: Theme, comparison: Comparison, curve: CutoffCurve) -> None:
    """Draw the difference with its band."""
    x = np.log(curve.cutoffs)
    reach = reachable(curve.measure, minimum=min(curve.mean_a), largest=max(curve.mean_a))
    low, high = (np.clip(values, *reach) for values in (curve.ci_low, curve.ci_high))
    diff = np.array(curve.diff)
    finite = np.isfinite(low) & np.isfinite(high)
    if finite.any():
        ax.fill_between(
            x, low, high, where=finite, facecolor=theme.muted, alpha=0.22, linewidth=0.0, zorder=1.5
        )
    ax.axhline(0.0, color=theme.ink, linewidth=1.0, zorder=2.0)
    style.line(ax, x, diff, theme.ink, 1.4, zorder=2.5, clip_on=False)
    gains = [
        comparison.rule.gain(*limits) for limits in zip(curve.ci_low, curve.ci_high, strict=True)
    ]
    for place, value, gain in zip(x, diff, gains, strict=True):
        ax.plot(
            [place],
            [value],
            marker="o",
            markersize=5.5,
            color=theme.of_reading(gain.read()),
            markeredgewidth=0.0,
            linestyle="none",
            zorder=3.0,
            clip_on=False,
        )
    ax.set_ylim(*style.difference_limits(*low.tolist(), *high.tolist(), *diff.tolist(), room=0.08))
    style.round_ticks(ax.yaxis, 4, signed=True)
    style.label_y(ax, theme, "Δ (B − A)")


def _no_curve(comparison: Comparison) -> str:
    if comparison.n_queries == 0:
        return "No queries: nothing to draw."
    if not _lead(comparison):
        return f"{shorten(comparison.rule.primary, width=28)} has no cut-off: there is no curve."
    return "Ready scores were compared: other cut-offs are known of runs only."


def _lead(comparison: Comparison) -> int:
    """Return the cut-off of the primary measure, 0 where it has none."""
    primary = known(comparison.rule.primary)  # None: a name of the user's own, of ready scores
    parameter = dict(primary.parameters).get("cutoff") if primary else None
    return parameter if isinstance(parameter, int) else 0


POWER_SIZE = (5.6, 3.1)
POINTS = 81


@plot("power", title="What a sample of this size can see", size=POWER_SIZE)
def power(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the chance to show a true difference: with these queries, a quarter, four times.

    Computed from the spread of the differences, never from the difference observed. The dot is the
    smallest difference that these queries show with the power of the plan; the band is the margin.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> power(result).get_ylabel()
    'chance to detect it'
    """
    ax = ax if ax is not None else style.new_axes(theme, POWER_SIZE)
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

    # Of so many queries in clusters like these, taken to be of one size.
    grid = np.linspace(0.0, wide, POINTS)
    for place, queries, dash, width in (
        (0.0, 4 * n, (0, (5, 2)), 1.4),
        (0.4, n, "-", 2.4),
        (0.76, n // 4, (0, (1, 1.5)), 1.6),
    ):
        if queries >= 2:
            chance = power_curve(
                queries,
                grid / plan.sd,
                alpha=comparison.rule.alpha,
                df=lambda queries: (plan.freedom + 1.0) * queries / n - 1.0,
            )
            colour = theme.ink if queries == n else theme.muted
            look: dict[str, Any] = {"colour": colour, "width": width, "linestyle": dash}
            style.line(ax, grid, chance, **look, zorder=3.0)
            _name_curve(ax, theme, place, queries, look)
    _smallest(ax, theme, plan.smallest_visible, plan.power)
    return ax


def _axes_of_power(ax: Axes, theme: Theme, comparison: Comparison) -> None:
    plan, margin = comparison.planning, comparison.decision.margin
    ax.set_xlim(
        0.0, max((2.6 if comparison.n_queries >= 8 else 1.9) * plan.smallest_visible, 1.6 * margin)
    )
    ax.set_ylim(0.0, 1.04)
    ax.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], ["0%", "20%", "40%", "60%", "80%", "100%"])
    style.round_ticks(ax.xaxis, 4 if style.inches(ax) < NARROW else 7)
    words = f"true Δ {shorten(comparison.rule.primary, width=28)}, up or down"
    if margin > 0:
        ax.axvspan(0.0, margin, facecolor=theme.band, edgecolor="none", zorder=0.4)
        margin_words = style.margin_words(comparison, theme)
        if is_relative(comparison):
            margin_words = f"{display.least(margin, digits=theme.digits)} ({margin_words})"
        words += f"; band: margin {margin_words}"
    style.label_x(ax, theme, words)
    style.label_y(ax, theme, "chance to detect it")


def _name_curve(
    ax: Axes, theme: Theme, place: float, queries: int, look: Mapping[str, Any]
) -> None:
    """Write the number of queries above the frame, beside a piece of its curve's line."""
    above = ScaledTranslation(0.0, 8.0 / 72.0, style.figure_of(ax).dpi_scale_trans)
    over: dict[str, Any] = {"transform": ax.transAxes + above, "clip_on": False}
    style.line(ax, [place, place + 0.07], [1.0, 1.0], **look, **over)
    style.write(
        ax,
        f"n = {display.count(queries)}",
        (place + 0.09, 1.0),
        look["colour"],
        "left",
        "bottom",
        coords="axes fraction",
        shift=(0.0, 4.0),
        bold=look["colour"] == theme.ink,
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
