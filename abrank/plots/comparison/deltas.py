"""Every query by its difference, sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.rounding import ascending
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.extremes import EXTREMES, name_extremes
from abrank.plots.style.shapes import evenly
from abrank.plots.style.style import (
    NARROW,
    difference_axis,
    difference_limits,
    dress,
    inches,
    label_x,
    label_y,
    new_axes,
    say,
    signed_ticks,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import delta, of_the_mean, query_name

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

# Up to so many queries each has its name; up to so many its own bar.
NAMED = 24
BARS = 1_500
CURVE = 1_000
# The share of the width that the name of the mean takes.
ROOM_FOR_MEAN = 0.25


def deltas_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    n = comparison.n_queries
    return (7.0, 1.0 + 0.23 * max(3, n)) if n <= NAMED else (7.0, 3.4)


@plot("deltas", title="Every query by its difference", size=deltas_size)
def deltas(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the difference of every query, sorted, in the colour of who wins it.

    The line and the band are the mean difference and its interval (for a test of the mean). Up to
    24 queries lie as bars with their names; up to 1 500 each is a bar of its own, which the drawing
    marks with its query; more become one filled curve through 1 000 quantiles. The three best and
    the three worst are named.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> [label.get_text() for label in deltas(result).get_yticklabels()]
    ['q2', 'q1']
    """
    ax = ax if ax is not None else new_axes(theme, deltas_size(comparison))
    n = comparison.n_queries
    if n == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    values = comparison.differences(row.measure)
    if row.wins == row.losses == 0:
        return say(ax, theme, f"A and B score the same on {_all(n)}: there is no bar to draw.")
    # Equal differences keep the order of the ids, so that the picture is always the same.
    order = ascending(values)
    if n <= NAMED:
        _lying(ax, theme, comparison, row, order[::-1])
    else:
        _standing(ax, theme, comparison, row, order)
    return ax


def _all(n: int) -> str:
    return "the only query" if n == 1 else f"all {labels.queries(n)}"


def _band(
    ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult, *, lying: bool
) -> None:
    """Draw the mean difference and its interval across the bars."""
    colour = theme.of_reading(row.reading)
    interval = (row.ci_low_adj, row.ci_high_adj)
    span, line = (ax.axvspan, ax.axvline) if lying else (ax.axhspan, ax.axhline)
    if of_the_mean(comparison) and np.all(np.isfinite(interval)):
        span(*interval, facecolor=colour, edgecolor="none", alpha=0.14, zorder=0.6)
    line(row.diff, color=colour, linewidth=1.1, linestyle=(0, (4, 2)), zorder=2.5)


def _lying(
    ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult, order: IntArray
) -> None:
    values = comparison.differences(row.measure)[order]
    signs = comparison.outcomes(row.measure)[order]
    n = len(order)
    dress(ax, theme)
    ax.set_ylim(n - 0.4, -0.6)
    ends = [*values.tolist(), row.diff]
    if of_the_mean(comparison):
        ends += [row.ci_low_adj, row.ci_high_adj]
    room = 0.3 if inches(ax) < NARROW else 0.2
    limits = difference_limits(*ends, room=room)
    difference_axis(ax, theme, limits, higher_is_better=row.higher_is_better)
    _band(ax, theme, comparison, row, lying=True)
    type_ = sizes(ax)
    for place, (value, sign, query) in enumerate(zip(values, signs, order, strict=True)):
        colour = theme.of_outcome(int(sign))
        _bar(ax, (0.0, place - 0.36), float(value), 0.72, colour, int(query))
        write(
            ax,
            labels.signed(float(value), digits=theme.digits),
            (1.0, place),
            coords=("axes fraction", "data"),
            shift=((1.6 + theme.digits) * type_.small, 0.0),
            ha="right",
            va="center",
            color=colour if sign else theme.muted,
            fontsize=type_.small,
            zorder=4.0,
        )
    longest = 14 if inches(ax) < NARROW else 32
    names = [shorten(query_name(comparison, query), width=longest) for query in order]
    ax.set_yticks(range(n), names, fontsize=type_.small, color=theme.ink, parse_math=False)
    ax.tick_params(axis="y", length=0.0)
    _tally(ax, theme, row, below=40.0)
    mean = labels.signed(row.diff, digits=theme.digits)
    label_x(ax, theme, f"{delta(row.measure)}; dashed: mean {mean}")


def _bar(
    ax: Axes, corner: tuple[float, float], length: float, thickness: float, colour: str, query: int
) -> None:
    """Lay or stand a bar that carries its query; ``corner`` has 0 for the axis of differences."""
    lying = corner[0] == 0.0
    width, height = (length, thickness) if lying else (thickness, length)
    bar = Rectangle(corner, width, height, facecolor=colour, edgecolor="none", clip_on=False)
    bar.set_gid(f"query-{query}")
    bar.set_zorder(3.0)
    ax.add_artist(bar)


def _standing(
    ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult, order: IntArray
) -> None:
    values = comparison.differences(row.measure)[order]
    signs = comparison.outcomes(row.measure)[order]
    n = len(values)
    dress(ax, theme, grid="y", spines=("left",))
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_xticks([])
    ax.set_ylim(*_vertical_limits(ax, values))
    signed_ticks(ax, "y")
    ax.axhline(0.0, color=theme.ink, linewidth=1.0, zorder=3.2)
    _band(ax, theme, comparison, row, lying=False)
    if n <= BARS:
        # Bars without a gap overlap a little, or their smoothed edges would let paper through.
        thickness = 0.8 if n <= 120 else 1.1
        for place, query in enumerate(order):
            value, sign = float(values[place]), int(signs[place])
            if sign:
                # A bar of the least visible height can still be hit by a pointer.
                corner = (place - thickness / 2.0 or 1e-9, 0.0)
                _bar(ax, corner, value, thickness, theme.of_outcome(sign), int(query))
    else:
        _curve(ax, theme, values, signs)
    mean = _mean_label(ax, theme, row)
    name_extremes(ax, theme, lambda place: query_name(comparison, int(order[place])), values)
    _tally(ax, theme, row, below=5.0)
    label_y(ax, theme, delta(row.measure))
    label_x(ax, theme, f"{labels.queries(n)}, sorted by Δ{mean}", pad=2.4 * sizes(ax).small)


def _vertical_limits(ax: Axes, values: FloatArray) -> tuple[float, float]:
    """Return limits that leave the names of the extremes room on either side of 0."""
    figure = ax.get_figure(root=True)
    tall = figure.get_size_inches()[1] if figure is not None else 3.0
    lines = (EXTREMES + 0.8) * 1.45 * sizes(ax).small / 72.0
    room = min(0.42, lines / max(tall - 0.8, 0.5))
    return difference_limits(float(values[0]), float(values[-1]), room=room)


def _curve(ax: Axes, theme: Theme, values: FloatArray, signs: IntArray) -> None:
    """Fill the quantile curve in the colours of who wins."""
    places = evenly(len(values), CURVE)
    for sign in (-1, 1):
        part = places[signs[places] == sign]
        if len(part):
            across = np.concatenate([part[:1], part, part[-1:]])
            up = np.concatenate([[0.0], values[part], [0.0]])
            ax.fill(across, up, facecolor=theme.of_outcome(sign), zorder=3.0, clip_on=False)


def _mean_label(ax: Axes, theme: Theme, row: MeasureResult) -> str:
    """Name the mean where bars leave room for it, else return the words for the axis.

    That is above 0 at the left, or below 0 at the right.
    """
    up = row.diff >= 0
    shown = f"mean {labels.signed(row.diff, digits=theme.digits)}"
    total = row.wins + row.ties + row.losses
    in_the_way = row.wins if up == row.higher_is_better else row.losses
    if total - in_the_way < ROOM_FOR_MEAN * total:
        return f"; dashed: {shown}"
    write(
        ax,
        shown,
        (0.0 if up else 1.0, row.diff),
        coords=("axes fraction", "data"),
        shift=(4.0, 3.0) if up else (-4.0, -3.0),
        ha="left" if up else "right",
        va="bottom" if up else "top",
        color=theme.of_reading(row.reading),
        fontweight="bold",
        zorder=5.0,
    )
    return ""


def _tally(ax: Axes, theme: Theme, row: MeasureResult, *, below: float) -> None:
    """Draw the bracket of wins, ties and losses under the frame, its parts in proportion."""
    total = row.wins + row.ties + row.losses
    at: dict[str, Any] = {"coords": "axes fraction", "va": "top", "shift": (0.0, -below - 4.0)}
    start = 0.0
    parts = [(-1, row.losses, "▼ A wins"), (0, row.ties, "● ties"), (1, row.wins, "▲ B wins")]
    if not row.higher_is_better:
        parts.reverse()
    sides = (("left", 0.0), ("center", 0.5), ("right", 1.0))
    for (outcome, number, words), (side, place) in zip(parts, sides, strict=True):
        if number:
            _rail(ax, theme.of_outcome(outcome), start, start + number / total, below)
        start += number / total
        colour = theme.of_outcome(outcome) if outcome else theme.muted
        write(ax, f"{words} {display.count(number)}", (place, 0.0), ha=side, color=colour, **at)


def _rail(ax: Axes, colour: str, start: float, stop: float, below: float) -> None:
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0.0, -below / 72.0, ax.figure.dpi_scale_trans)
    place = ax.transAxes + down
    ax.plot(
        [start, stop],
        [0.0, 0.0],
        transform=place,
        color=colour,
        linewidth=3.5,
        solid_capstyle="butt",
        clip_on=False,
        zorder=3.0,
    )
