"""The plot of how the differences of the queries spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from abrank._support import display
from abrank._support.typing import FloatArray
from abrank.diagnostics import outcomes
from abrank.inference.shape import MIN_FOR_DENSITY, spread_form
from abrank.plots import style
from abrank.plots.axes import density, evenly, scatter_heights
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison


# --- How the differences spread

STRIP = 500
# So many bars have room for their counts.
MOST_COUNTED = 9

# Heights in the frame: the floor of the cloud, the box under it.
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
    """Draw the spread of the per-query differences.

    A density, under it the middle 90% and the middle half with the median, under that the queries.
    Fewer than 10 queries are dots only. Up to 25 distinct values, or a fifth of the queries at one
    of them, are counted in bars, the ties in a bar of their own.

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
    summary = _summary(values, row.ties, theme)
    style.label_x(ax, theme, f"{style.delta(row.measure)} per query\n{summary}")
    return ax


def _summary(values: FloatArray, ties: int, theme: Theme) -> str:
    """Return the median, the middle half and the ties in words."""
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
    """Draw the queries as dots, spread in height only so that they do not hide each other."""
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
    """Draw cloud, box and drops; the cloud ends where the values do."""
    grid, height = density(values)
    inside = (grid >= values[0]) & (grid <= values[-1])
    grid, height = grid[inside], height[inside]
    tall = _CLOUD + 0.5 * height / height.max()
    for sign, colour in ((-1, theme.a), (1, theme.b)):
        half = np.concatenate([grid[sign * grid > 0], [0.0]])
        if len(half) < 2:
            continue
        # Both halves get the point at 0, so that no slit opens between them.
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
    """Return a bar's width: most of the smallest gap between two values, and not too much."""
    widest = 0.06 * (limits[1] - limits[0])
    if len(distinct) < 2:
        return widest
    return float(max(0.006 * (limits[1] - limits[0]), min(widest, 0.8 * np.min(np.diff(distinct)))))


def _bars(
    ax: Axes, theme: Theme, centres: FloatArray, counts: np.ndarray, thickness: float, *, cut: bool
) -> None:
    """Draw counts as bars in the winner's colour; ``cut`` a bar of ties that dwarfs the others."""
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
    """Return the bars of a histogram whose bins meet at 0: middles, and queries; ties at 0."""
    ties = np.sum(values == 0.0)
    middles, counts = [np.zeros(1)] * bool(ties), [np.array([ties])] * bool(ties)
    for sign in (-1, 1):
        part = np.abs(values[np.sign(values) == sign])
        if len(part):
            number, edges = np.histogram(part, bins=np.arange(0.0, part.max() + step, step))
            middles.append(sign * (edges[:-1] + step / 2.0))
            counts.append(number)
    return np.concatenate(middles), np.concatenate(counts)
