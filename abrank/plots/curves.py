"""Plots by depth and number of queries, and of the distribution of the differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.comparison.units import is_relative, reachable
from abrank.diagnostics import outcomes
from abrank.inference.effect_size import MIN_FOR_DENSITY, spread_form
from abrank.measures.names import known
from abrank.planning.student import power_curve
from abrank.plots import style
from abrank.plots.axes import density, evenly, scatter_heights
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison
    from abrank.comparison.evidence import CutoffCurve


# --- The primary measure at increasing cut-offs

CUTOFFS_SIZE = (5.6, 3.6)

# Vertical parts of the frame: the differences below, the curves above, and a gap between.
_LOWER, _UPPER = (0.0, 0.42), (0.5, 0.5)


@plot("cutoffs", title="The primary measure at growing cut-offs", size=CUTOFFS_SIZE)
def cutoffs(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the primary measure of A and of B at increasing cut-offs, and their difference below.

    The band is the t interval of the mean difference, separately for each cut-off. Only the cut-off
    in bold was declared. Both panels are inside the returned Axes.

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
    for values, colour, marker in ((curve.mean_a, theme.a, "v"), (curve.mean_b, theme.b, "^")):
        look: dict[str, Any] = {"marker": marker, "markersize": 5.5, "markeredgewidth": 0.0}
        style.line(upper, x, values, colour, 2.0, zorder=3.0, clip_on=False, **look)
    style.round_ticks(upper.yaxis, 4)
    style.name_systems(upper, theme, comparison)
    style.label_y(upper, theme, f"{shorten(curve.measure, width=16)}@k")
    _differences(lower, theme, comparison, curve)
    style.label_x(lower, theme, "cut-off k; band: 95% for each k")
    return ax


def _differences(ax: Axes, theme: Theme, comparison: Comparison, curve: CutoffCurve) -> None:
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
    primary = known(comparison.rule.primary)  # None for names that are no known measure
    parameter = dict(primary.parameters).get("cutoff") if primary else None
    return parameter if isinstance(parameter, int) else 0


POWER_SIZE = (5.6, 3.1)
POINTS = 81


@plot("power", title="What a sample of this size can see", size=POWER_SIZE)
def power(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the power for true differences: with these queries, a quarter, four times.

    It uses only the standard deviation of the differences, not the observed mean. The dot is the
    smallest difference that these queries detect with the planned power; the band is the margin.

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

    # For clusters, equal sizes like the present ones are assumed.
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
    """Write the number of queries above the frame, with a sample of its curve's line."""
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
    # On the side with more room, and shortened if needed.
    share, wide = smallest / ax.get_xlim()[1], 72.0 * style.inches(ax)
    side, shift = ("left", 5.0) if share < 0.5 else ("right", -5.0)
    if 0.66 * body * len(words) > wide * max(share, 1.0 - share):
        words = words.removeprefix("smallest ")
    look: dict[str, Any] = {"size": body, "bold": True, "zorder": 4.0, "shift": (shift, 5.0)}
    style.write(ax, words, (smallest, 0.0), theme.b, side, "bottom", **look)


# --- The distribution of the differences

STRIP = 500
# Maximum number of bars with room for their counts.
MOST_COUNTED = 9

# Heights in the frame: base of the density, and the box below it.
_CLOUD, _BOX = 0.46, 0.36


def distribution_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 1.5 if comparison.n_queries < MIN_FOR_DENSITY else 2.0


@plot("distribution", title="How the differences spread", size=distribution_size)
def distribution(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the distribution of the per-query differences.

    A density; below it the middle 90% and the middle half with the median; below that the queries.
    Fewer than 10 queries are drawn as dots only. With at most 25 distinct values, or a fifth of the
    queries at one value, they are counted in bars, with a separate bar for ties.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> print(distribution(result).get_xlabel())
    Δ score (B − A) per query
    median +0.150
    """
    ax = ax if ax is not None else style.new_axes(theme, distribution_size(comparison))
    n = comparison.n_queries
    if n == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    if row.wins == row.losses == 0:
        return style.say(ax, theme, "A and B score the same on every query: nothing spreads.")
    values = np.sort(comparison.differences(row.measure))
    distinct, counts = np.unique(values, return_counts=True)
    style.dress(ax, theme)
    room = 0.28 if style.inches(ax) < NARROW else 0.16
    limits = style.difference_limits(float(values[0]), float(values[-1]), room=room)
    look = theme.by_sign(higher_is_better=row.higher_is_better)
    form = spread_form(values)
    if form == "dots":
        _strip(ax, look, values, 0.5, 0.5, size=42.0)
        ax.set_ylim(0.0, 1.0)
        ax.set_yticks([])
    elif form == "values":
        _bars(ax, look, distinct, counts, _thickness(distinct, limits), cut=False)
    elif form == "bins":
        step = (limits[1] - limits[0]) / 40.0
        _bars(ax, look, *_binned(values, step), 0.92 * step, cut=True)
    else:
        _rain(ax, look, values)
    bar_at_0 = form == "values" and row.ties > 0
    higher = row.higher_is_better
    style.difference_axis(ax, theme, limits, higher_is_better=higher, zero=not bar_at_0)
    summary = _summary(values, row.ties, theme) + "; line: 5% to 95%" * (form == "density")
    style.label_x(ax, theme, f"{style.delta(row.measure)} per query\n{summary}")
    return ax


def _summary(values: FloatArray, ties: int, theme: Theme) -> str:
    low, middle, high = map(theme.signed, np.percentile(values, [25, 50, 75]).tolist())
    parts = [f"median {middle}"]
    if len(values) >= MIN_FOR_DENSITY:
        parts.append(f"middle half {low} to {high}")
    if ties:
        parts.append(display.plural(ties, "tie"))
    return ", ".join(parts)


def _strip(
    ax: Axes, theme: Theme, values: FloatArray, middle: float, tall: float, *, size: float
) -> None:
    heights = middle + tall * (scatter_heights(len(values)) - 0.5)
    signs = outcomes(values)
    for outcome in (-1, 0, 1):
        chosen = signs == outcome
        if chosen.any():
            ax.scatter(
                values[chosen],
                heights[chosen],
                s=size,
                color=theme.of_outcome(outcome),
                alpha=0.75,
                linewidths=0.0,
                zorder=3.0,
            )


def _rain(ax: Axes, theme: Theme, values: FloatArray) -> None:
    grid, height = density(values)
    inside = (grid >= values[0]) & (grid <= values[-1])
    grid, height = grid[inside], height[inside]
    tall = _CLOUD + 0.5 * height / height.max()
    for sign, colour in ((-1, theme.a), (1, theme.b)):
        half = np.concatenate([grid[sign * grid > 0], [0.0]])
        if len(half) < 2:
            continue
        # Both halves include the point at 0, so that there is no gap between them.
        half = np.sort(half)
        top = np.interp(half, grid, tall, left=_CLOUD, right=_CLOUD)
        around = np.concatenate([half[:1], half, half[-1:]])
        outline = np.concatenate([[_CLOUD], top, [_CLOUD]])
        ax.fill(around, outline, facecolor=colour, alpha=0.32, linewidth=0.0, zorder=1.5)
    style.line(ax, grid, tall, theme.muted, 0.9, zorder=1.6)
    ends = [float(value) for value in np.percentile(values, [5, 25, 50, 75, 95])]
    for low, high, width in ((ends[0], ends[4], 1.4), (ends[1], ends[3], 6.0)):
        style.line(
            ax, [low, high], [_BOX, _BOX], theme.ink, width, solid_capstyle="butt", zorder=3.0
        )
    style.dot(ax, theme, (ends[2], _BOX), colour=theme.ink, size=6.5)
    dots = values[evenly(len(values), STRIP)]
    _strip(ax, theme, dots, 0.15, 0.2, size=14.0 if len(dots) <= 100 else 7.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([])


def _thickness(distinct: FloatArray, limits: tuple[float, float]) -> float:
    """Return the width of bars: most of the smallest gap between two values, but limited."""
    widest = 0.06 * (limits[1] - limits[0])
    if len(distinct) < 2:
        return widest
    return float(max(0.006 * (limits[1] - limits[0]), min(widest, 0.8 * np.min(np.diff(distinct)))))


def _bars(
    ax: Axes, theme: Theme, centres: FloatArray, counts: np.ndarray, thickness: float, *, cut: bool
) -> None:
    colours = [theme.of_outcome(int(sign)) for sign in outcomes(centres)]
    tallest = max(counts[centres != 0.0], default=counts.max())
    heights = np.where(cut & (centres == 0.0), np.minimum(counts, 1.3 * tallest), counts)
    ax.bar(centres, heights, width=thickness, color=colours, linewidth=0.0, zorder=3.0)
    ax.set_ylim(0.0, 1.12 * float(heights.max()))
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda x, _: display.count(round(x))))
    ax.tick_params(axis="y", length=0.0)
    style.label_y(ax, theme, "queries")
    for centre, number, height in zip(centres, counts, heights, strict=True):
        text = display.count(int(number))
        if not centre and len(centres) > MOST_COUNTED:
            text = display.plural(int(number), "tie") + " (bar cut)" * bool(height < number)
        elif len(centres) > MOST_COUNTED:
            continue
        position, shift = (float(centre), float(height)), (0.0, 2.0)
        style.write(ax, text, position, theme.ink, "center", "bottom", shift=shift, zorder=4.0)


def _binned(values: FloatArray, step: float) -> tuple[FloatArray, np.ndarray]:
    """Return middles and counts of histogram bins that meet at 0, and ties at 0."""
    ties = np.sum(values == 0.0)
    middles, counts = [np.zeros(1)] * bool(ties), [np.array([ties])] * bool(ties)
    for sign in (-1, 1):
        part = np.abs(values[np.sign(values) == sign])
        if len(part):
            number, edges = np.histogram(part, bins=np.arange(0.0, part.max() + step, step))
            middles.append(sign * (edges[:-1] + step / 2.0))
            counts.append(number)
    return np.concatenate(middles), np.concatenate(counts)
