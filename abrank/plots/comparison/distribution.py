"""How the differences spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from abrank._support import display
from abrank._support.typing import FloatArray
from abrank.diagnostics import outcomes
from abrank.inference.estimates.shape import FEWEST_FOR_DENSITY, spread_form
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.shapes import density, evenly, scatter_heights
from abrank.plots.style.style import (
    NARROW,
    difference_axis,
    difference_limits,
    dot,
    dress,
    inches,
    label_x,
    label_y,
    new_axes,
    say,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abrank.comparison import Comparison
    from abrank.comparison.merged.result import MergedQueries

STRIP = 500
# So many bars have room for their counts.
MOST_COUNTED = 9

# Heights in the frame: the floor of the cloud, the box under it.
_CLOUD, _BOX = 0.46, 0.36


def distribution_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return (5.6, 1.7) if comparison.n_queries < FEWEST_FOR_DENSITY else (5.6, 2.9)


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
    ax = ax if ax is not None else new_axes(theme, distribution_size(comparison))
    n = comparison.n_queries
    if n == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    if row.wins == row.losses == 0:
        return say(ax, theme, "A and B score the same on every query: nothing spreads.")
    merged = comparison.merged
    if merged is not None and row.measure != comparison.rule.primary:
        return say(ax, theme, f"Only {comparison.rule.primary} was counted to be drawn.")
    values = np.sort(comparison.differences(row.measure)) if merged is None else _profile(merged)
    distinct, counts = np.unique(values, return_counts=True)
    dress(ax, theme)
    room = 0.28 if inches(ax) < NARROW else 0.16
    limits = difference_limits(float(values[0]), float(values[-1]), room=room)
    look = theme.by_sign(higher_is_better=row.higher_is_better)
    form = spread_form(values) if merged is None else merged.form
    if merged is not None and form == "values":
        distinct = np.array([cell.value for cell in merged.cells])
        counts = np.array([cell.n_queries for cell in merged.cells])
    if form == "dots":
        _strip(ax, look, values, 0.5, 0.5, size=42.0)
        ax.set_ylim(0.0, 1.0)
        ax.set_yticks([])
    elif form == "values":
        _bars(ax, look, distinct, counts, _thickness(distinct, limits))
    elif form == "bins":
        step = (limits[1] - limits[0]) / 40.0 if merged is None else _width(merged)
        bars = _binned(values, step) if merged is None else _cells(merged)
        _heaps(ax, look, bars, step)
    else:
        limits = _rain(ax, look, values, room)
    zero_from = 1.0 if form == "values" and row.ties else 0.0
    higher = row.higher_is_better
    difference_axis(ax, theme, limits, higher_is_better=higher, zero_from=zero_from)
    summary = _summary(values, row.ties, theme.digits)
    label_x(ax, theme, f"{delta(row.measure)} per query\n{summary}")
    return ax


def _summary(values: FloatArray, ties: int, digits: int) -> str:
    """Return the median, the middle half and the ties in words."""
    low, middle, high = (
        labels.signed(float(value), digits=digits) for value in np.percentile(values, [25, 50, 75])
    )
    parts = [f"median {middle}"]
    if len(values) >= FEWEST_FOR_DENSITY:
        parts.append(f"middle half {low} to {high}")
    if ties:
        parts.append(f"{display.count(ties)} {'tie' if ties == 1 else 'ties'}")
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


def _rain(ax: Axes, theme: Theme, values: FloatArray, room: float) -> tuple[float, float]:
    """Draw cloud, box and drops; return the limits that hold them."""
    grid, height = density(values)
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
    ax.plot(grid, tall, color=theme.muted, linewidth=0.9, zorder=1.6)
    ends = [float(value) for value in np.percentile(values, [5, 25, 50, 75, 95])]
    for low, high, width in ((ends[0], ends[4], 1.4), (ends[1], ends[3], 6.0)):
        line = ax.plot([low, high], [_BOX, _BOX], color=theme.ink, linewidth=width, zorder=3.0)
        line[0].set_solid_capstyle("butt")
    dot(ax, theme, (ends[2], _BOX), colour=theme.ink, size=6.5)
    shown = values[evenly(len(values), STRIP)]
    _strip(ax, theme, shown, 0.15, 0.2, size=14.0 if len(shown) <= 100 else 7.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([])
    return difference_limits(float(grid[0]), float(grid[-1]), room=room)


def _thickness(distinct: FloatArray, limits: tuple[float, float]) -> float:
    """Return a bar's width: most of the smallest gap between two values, and not too much."""
    widest = 0.06 * (limits[1] - limits[0])
    if len(distinct) < 2:
        return widest
    return float(max(0.006 * (limits[1] - limits[0]), min(widest, 0.8 * np.min(np.diff(distinct)))))


def _bars(
    ax: Axes, theme: Theme, centres: FloatArray, counts: np.ndarray, thickness: float
) -> None:
    """Draw counted values as bars in the winner's colour."""
    colours = [theme.of_outcome(int(sign)) for sign in outcomes(centres)]
    ax.bar(centres, counts, width=thickness, color=colours, linewidth=0.0, zorder=3.0)
    _count_axis(ax, theme, float(counts.max()))
    if len(centres) <= MOST_COUNTED:
        for centre, number in zip(centres, counts, strict=True):
            text = display.count(int(number))
            at = {"ha": "center", "va": "bottom", "color": theme.ink, "zorder": 4.0}
            write(ax, text, (float(centre), float(number)), shift=(0.0, 2.0), **at)


def _binned(values: FloatArray, step: float) -> list[tuple[float, int]]:
    """Return the bars of a histogram whose bins meet at 0: middle, and queries; the ties at 0."""
    bars = [(0.0, int(np.sum(values == 0.0)))]
    for sign in (-1, 1):
        part = np.abs(values[np.sign(values) == sign])
        if len(part):
            edges = np.arange(0.0, part.max() + step, step)
            counts, _ = np.histogram(part, bins=edges)
            middles = sign * (edges[:-1] + step / 2.0)
            bars += zip(middles.tolist(), counts.tolist(), strict=True)
    return bars


def _profile(merged: MergedQueries) -> FloatArray:
    return np.array(merged.profile)


def _cells(merged: MergedQueries) -> list[tuple[float, int]]:
    return [(cell.value, cell.n_queries) for cell in merged.cells]


def _width(merged: MergedQueries) -> float:
    return max(cell.width for cell in merged.cells)


def _heaps(ax: Axes, theme: Theme, bars: Sequence[tuple[float, int]], step: float) -> None:
    """Draw the bars of a histogram, and the ties in one of their own."""
    ties = sum(n for middle, n in bars if middle == 0.0)
    for sign in (-1, 1):
        side = [bar for bar in bars if np.sign(bar[0]) == sign]
        if side:
            middles, counts = zip(*side, strict=True)
            colour = theme.of_outcome(sign)
            ax.bar(middles, counts, width=0.92 * step, color=colour, linewidth=0.0, zorder=3.0)
    tallest = max((float(bar.get_height()) for bar in ax.patches), default=0.0)  # type: ignore[attr-defined]
    if ties:
        cap = min(float(ties), 1.3 * tallest) if tallest else float(ties)
        ax.bar([0.0], [cap], width=0.55 * step, color=theme.tie, linewidth=0.0, zorder=3.4)
        cut = f"{display.count(ties)} ties" + ("" if cap == ties else " (bar cut)")
        write(ax, cut, (0.0, cap), shift=(7.0, -7.0), ha="left", va="top", color=theme.muted)
        tallest = max(tallest, cap)
    _count_axis(ax, theme, tallest)


def _count_axis(ax: Axes, theme: Theme, tallest: float) -> None:
    ax.set_ylim(0.0, 1.12 * tallest)
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda x, _: display.count(round(x))))
    ax.tick_params(axis="y", length=0.0)
    label_y(ax, theme, "queries")
