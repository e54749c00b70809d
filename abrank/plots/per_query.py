"""Plots of single queries: sorted differences, scatter plot, paired scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.units import row_within_reach
from abrank.plots import style
from abrank.plots.axes import EXTREMES, evenly, name_extremes
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, PlainTicks, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult


# --- The sorted differences of all queries

# Maximum numbers of queries: for bars with names; for separate bars.
NAMED = 24
BARS = 1_500
CURVE = 1_000
# Share of the width for the label of the mean.
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
    """Draw the sorted differences of all queries in the colours of the winners.

    The line and the band are the mean difference and its interval (for tests of the mean). Up to 24
    queries are horizontal bars with names. Up to 1 500 have separate bars, which the SVG links to
    their queries. More are drawn as one filled curve through 1 000 quantiles. The three best and
    the three worst are named.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> [label.get_text() for label in deltas(result).get_yticklabels()]
    ['q2', 'q1']
    """
    ax = ax if ax is not None else style.new_axes(theme, deltas_size(comparison))
    n = comparison.n_queries
    if n == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    row = row_within_reach(comparison, row, relative=False)
    values = comparison.differences(row.measure)
    if row.wins == row.losses == 0:
        queries = "the only query" if n == 1 else f"all {style.queries(n)}"
        return style.say(
            ax, theme, f"A and B score the same on {queries}: there is no bar to draw."
        )
    # Equal differences keep the order of the ids, so that the plot is reproducible.
    order = np.argsort(values, kind="stable")
    if n <= NAMED:
        _lying(ax, theme, comparison, row, order[::-1])
    else:
        _standing(ax, theme, comparison, row, order)
    return ax


def _band(
    ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult, *, lying: bool
) -> None:
    colour = theme.of_reading(row.reading)
    interval = row.adjusted
    span, line = (ax.axvspan, ax.axvline) if lying else (ax.axhspan, ax.axhline)
    if style.of_the_mean(comparison) and np.all(np.isfinite(interval)):
        span(*interval, facecolor=colour, edgecolor="none", alpha=0.14, zorder=0.6)
    line(row.diff, color=colour, linewidth=1.1, linestyle=(0, (4, 2)), zorder=2.5)


def _lying(
    ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult, order: IntArray
) -> None:
    values = comparison.differences(row.measure)[order]
    signs = comparison.outcomes(row.measure)[order]
    n = len(order)
    style.dress(ax, theme)
    ax.set_ylim(n - 0.4, -0.6)
    ends = [*values.tolist(), row.diff]
    if style.of_the_mean(comparison):
        ends += row.adjusted
    room = 0.3 if style.inches(ax) < NARROW else 0.2
    limits = style.difference_limits(*ends, room=room)
    style.difference_axis(ax, theme, limits, higher_is_better=row.higher_is_better)
    _band(ax, theme, comparison, row, lying=True)
    type_ = style.sizes(ax)
    for place, (value, sign, query) in enumerate(zip(values, signs, order, strict=True)):
        colour = theme.of_outcome(int(sign))
        _bar(ax, (0.0, place - 0.36), float(value), 0.72, colour, int(query))
        style.write(
            ax,
            theme.signed(float(value)),
            (1.0, place),
            colour if sign else theme.muted,
            "right",
            "center",
            coords=("axes fraction", "data"),
            shift=((1.6 + theme.digits) * type_.small, 0.0),
            zorder=4.0,
        )
    longest = 14 if style.inches(ax) < NARROW else 32
    names = [shorten(style.query_name(comparison, query), width=longest) for query in order]
    ax.set_yticks(range(n), names, fontsize=type_.small, color=theme.ink, parse_math=False)
    ax.tick_params(axis="y", length=0.0)
    _tally(ax, theme, row, below=40.0)
    mean = theme.signed(row.diff)
    style.label_x(ax, theme, f"{style.delta(row.measure)}; dashed: mean {mean}")


def _bar(
    ax: Axes, corner: tuple[float, float], length: float, thickness: float, colour: str, query: int
) -> None:
    """Draw the bar of a query; ``corner`` is its position on the axis of differences at 0."""
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
    style.dress(ax, theme, grid="y", spines=("left",))
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_xticks([])
    # Leave room for the names of extreme queries on both sides of 0.
    tall = style.figure_of(ax).get_size_inches()[1]
    lines = (EXTREMES + 0.8) * 1.45 * style.sizes(ax).small / 72.0
    room = min(0.42, lines / max(tall - 0.8, 0.5))
    ax.set_ylim(*style.difference_limits(float(values[0]), float(values[-1]), room=room))
    style.signed_ticks(ax, "y")
    ax.axhline(0.0, color=theme.ink, linewidth=1.0, zorder=3.2)
    _band(ax, theme, comparison, row, lying=False)
    if n <= BARS:
        # Bars without gaps overlap slightly, because antialiasing would leave light lines.
        thickness = 0.8 if n <= 120 else 1.1
        for place, query in enumerate(order):
            value, sign = float(values[place]), int(signs[place])
            if sign:
                # Even a bar of the smallest visible height can be hit by a pointer.
                corner = (place - thickness / 2.0 or 1e-9, 0.0)
                _bar(ax, corner, value, thickness, theme.of_outcome(sign), int(query))
    else:
        places = evenly(n, CURVE)
        for side in (-1, 1):
            part = places[signs[places] == side]
            if len(part):
                across = np.concatenate([part[:1], part, part[-1:]])
                up = np.concatenate([[0.0], values[part], [0.0]])
                ax.fill(across, up, facecolor=theme.of_outcome(side), zorder=3.0, clip_on=False)
    mean = _mean_label(ax, theme, row)
    name_extremes(ax, theme, lambda place: style.query_name(comparison, int(order[place])), values)
    _tally(ax, theme, row, below=5.0)
    style.label_y(ax, theme, style.delta(row.measure))
    style.label_x(
        ax, theme, f"{style.queries(n)}, sorted by Δ{mean}", pad=2.4 * style.sizes(ax).small
    )


def _mean_label(ax: Axes, theme: Theme, row: MeasureResult) -> str:
    """Label the mean where bars leave room (left above 0, right below); else return the label."""
    up = row.diff >= 0
    text = f"mean {theme.signed(row.diff)}"
    total = row.wins + row.ties + row.losses
    in_the_way = row.wins if up == row.higher_is_better else row.losses
    if total - in_the_way < ROOM_FOR_MEAN * total:
        return f"; dashed: {text}"
    style.write(
        ax,
        text,
        (0.0 if up else 1.0, row.diff),
        theme.of_reading(row.reading),
        "left" if up else "right",
        "bottom" if up else "top",
        coords=("axes fraction", "data"),
        shift=(4.0, 3.0) if up else (-4.0, -3.0),
        bold=True,
        zorder=5.0,
    )
    return ""


def _tally(ax: Axes, theme: Theme, row: MeasureResult, *, below: float) -> None:
    """Draw the bracket of wins, ties and losses below the frame, in proportion."""
    parts = _outcomes(row, theme)
    total, start = sum(number for _, number, _ in parts), 0.0
    down = ScaledTranslation(0.0, -below / 72.0, style.figure_of(ax).dpi_scale_trans)
    look: dict[str, Any] = {"solid_capstyle": "butt", "clip_on": False, "zorder": 3.0}
    look["transform"] = ax.transAxes + down
    for outcome, number, _ in parts:
        stop = start + number / total
        if number:
            style.line(ax, [start, stop], [0.0, 0.0], theme.of_outcome(outcome), 3.5, **look)
        start = stop
    _count(ax, theme, parts, 0.0, va="top", shift=(0.0, -below - 4.0))


def _outcomes(row: MeasureResult, theme: Theme) -> list[tuple[int, int, str]]:
    """Return for each side of 0: sign, number of queries, and text."""
    parts = [
        (-1, row.losses, f"▼ A {theme.wins}"),
        (0, row.ties, "● ties"),
        (1, row.wins, f"▲ B {theme.wins}"),
    ]
    return parts if row.higher_is_better else parts[::-1]


def _count(
    ax: Axes,
    theme: Theme,
    parts: list[tuple[int, int, str]],
    height: float,
    **position: Any,  # noqa: ANN401 - of write()
) -> None:
    sides = (("left", 0.0), ("center", 0.5), ("right", 1.0))
    x, y = position.pop("shift")
    # Three numbers do not fit in a line above a small square frame.
    raised = 1.5 * style.sizes(ax).small if y > 0 and style.inches(ax) < 1.3 * NARROW else 0.0
    for (outcome, number, words), (side, place) in zip(parts, sides, strict=True):
        position["shift"] = (x, y if outcome else y + raised)
        colour = theme.of_outcome(outcome) if outcome else theme.muted
        text = f"{words} {display.count(number)}"
        style.write(ax, text, (place, height), colour, side, coords="axes fraction", **position)


# --- Every query by its two scores

SCATTER_SIZE = (4.6, 4.6)
# More dots would hide each other.
MANY = 1_000
LEVELS = 6
_MARKERS = {1: "^", -1: "v", 0: "o"}


@plot("scatter", title="Every query by its two scores", size=SCATTER_SIZE)
def scatter(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the scores of B against those of A; above the diagonal B is higher.

    Shape and colour both show the winner. The cross marks the two means, which the axis labels
    state. Of more than 1 000 queries that number is drawn, evenly chosen from the sorted
    differences.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> scatter(result).get_xlabel()
    'A, score (mean 0.300)'
    """
    ax = ax if ax is not None else style.new_axes(theme, SCATTER_SIZE)
    if comparison.n_queries == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    column = comparison.measures.index(row.measure)
    a, b = comparison.a[:, column], comparison.b[:, column]
    signs = comparison.outcomes(row.measure)
    style.dress(ax, theme, grid="both", spines=("bottom", "left"))
    limits = style.score_limits(a, b)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    places = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(*limits)
    ticks = [float(place) for place in places if limits[0] <= place <= limits[1]]
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PlainTicks())
        axis.set_ticks(ticks)
    style.line(ax, limits, limits, theme.ink, 1.0, zorder=2.0)
    shown = np.argsort(comparison.differences(row.measure), kind="stable")[evenly(len(a), MANY)]
    # As complex numbers, which numpy sorts faster than rows of a table.
    _, place, times = np.unique((a + 1j * b)[shown], return_index=True, return_counts=True)
    place = shown[place]
    shade = _dots(ax, theme, np.column_stack([a, b])[place], signs[place], times)
    if len(a) > MANY:
        shade += f"\n{display.count(MANY)} of {display.count(len(a))} queries, evenly by Δ"
    if len(a) > 1:
        _mean(ax, theme, row.mean_a, row.mean_b)
    # On their sides of the diagonal.
    _count(ax, theme, _outcomes(row, theme)[::-1], 1.0, va="bottom", shift=(0.0, 5.0))
    words = shorten(row.measure, width=20)
    means = [theme.score(mean) for mean in (row.mean_a, row.mean_b)]
    first, second = style.systems(comparison, 14 if style.inches(ax) < NARROW else 24)
    style.label_x(ax, theme, f"{first}, {words} (mean {means[0]}){shade}")
    style.label_y(ax, theme, f"{second}, {words} (mean {means[1]})")
    return ax


def _dots(ax: Axes, theme: Theme, spots: FloatArray, signs: IntArray, times: IntArray) -> str:
    size = 26.0 if len(spots) <= 100 else 15.0 if len(spots) <= 600 else 8.0
    areas = np.minimum(size * times**0.7, 420.0)
    for outcome, marker in _MARKERS.items():
        chosen = signs == outcome
        if chosen.any():
            ax.scatter(
                spots[chosen, 0],
                spots[chosen, 1],
                s=areas[chosen],
                marker=marker,
                color=theme.of_outcome(outcome),
                alpha=0.7,
                linewidths=0.0,
                zorder=3.0,
                clip_on=False,
            )
    maximum = int(times.max())
    if maximum < 3:
        return ""
    return f"\nlarger: more queries at one spot, up to {display.count(maximum)}"


def _mean(ax: Axes, theme: Theme, a: float, b: float) -> None:
    low_x, low_y = ax.get_xlim()[0], ax.get_ylim()[0]
    style.line(ax, [low_x, a, a], [b, b, low_y], theme.ink, 0.8, linestyle=(0, (2, 2)), zorder=3.5)
    halo = {"color": theme.paper, "markersize": 12.0, "markeredgewidth": 4.5}
    cross = {"color": theme.ink, "markersize": 10.0, "markeredgewidth": 2.2}
    for look in (halo, cross) if theme.paper != "none" else (cross,):
        ax.plot([a], [b], marker="+", linestyle="none", zorder=4.0, **look)  # type: ignore[arg-type]


# --- The scores of both systems side by side, and their mean difference in the same unit

PAIRED_SIZE = (5.6, 4.2)
# More lines would be unreadable.
LINES = 60

# Horizontal positions: A at 0, B at 1, their difference further right.
_DIFFERENCE = 1.95
_LIMITS = (-0.5, 2.45)


@plot("paired", title="The scores side by side, and their difference", size=PAIRED_SIZE)
def paired(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    r"""Draw the scores of A and of B, and to their right the mean difference in the same unit.

    Each query is a line from its score by A to its score by B, in the colour of the winner; of more
    than 60 queries that number is drawn, evenly chosen from the sorted differences. On the right is
    the mean difference with its interval (for tests of the mean); its axis has 0 at the mean of A.

    References
    ----------
    Gardner & Altman (1986), British Medical Journal 292, 746-750.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> paired(result).get_xticklabels()[2].get_text()
    'B − A\n+0.150'
    """
    ax = ax if ax is not None else style.new_axes(theme, PAIRED_SIZE)
    if comparison.n_queries == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    row = row_within_reach(comparison, row, relative=False)
    column = comparison.measures.index(row.measure)
    a, b = comparison.a[:, column], comparison.b[:, column]
    order = np.argsort(comparison.differences(row.measure), kind="stable")
    shown = order[evenly(len(a), LINES)]
    style.dress(ax, theme, grid="y", spines=("left",))
    ax.set_xlim(*_LIMITS)
    low, high = style.score_limits(a, b)
    ends = [row.mean_a + end for end in row.adjusted if np.isfinite(end)]
    ax.set_ylim(min(low, *ends, low), max(high, *ends, high))
    style.round_ticks(ax.yaxis, 6)
    some = f", {LINES} of {display.count(len(a))} by Δ" * (len(a) > LINES)
    style.label_y(ax, theme, f"{shorten(row.measure, width=28)} per query{some}")
    _lines(ax, theme, a[shown], b[shown], comparison.outcomes(row.measure)[shown].tolist())
    for place, mean, colour in ((0.0, row.mean_a, theme.a), (1.0, row.mean_b, theme.b)):
        style.dot(ax, theme, (place, mean), colour=colour, size=9.0, marker="D")
    _difference(ax, theme, comparison, row)
    _name_columns(ax, theme, comparison, row)
    return ax


def _lines(ax: Axes, theme: Theme, a: FloatArray, b: FloatArray, signs: list[int]) -> None:
    colours = [theme.of_outcome(sign) for sign in signs]
    lines = [((0.0, first), (1.0, second)) for first, second in zip(a, b, strict=True)]
    # As few line objects as possible, because each one takes time to draw.
    look: dict[str, Any] = {"alpha": 0.6, "zorder": 2.0}
    joined = LineCollection(lines, colors=colours, linewidths=1.0, **look)
    ax.add_collection(joined, autolim=False)
    x, y = np.repeat([0.0, 1.0], len(a)), np.concatenate([a, b])
    ax.scatter(x, y, s=9.0, color=2 * colours, linewidths=0.0, **look)


def _difference(ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult) -> None:
    colour = theme.of_reading(row.reading)
    right = _LIMITS[1]
    for start, height in ((0.0, row.mean_a), (1.0, row.mean_b)):
        style.line(
            ax,
            [start, right],
            [height, height],
            theme.muted,
            0.9,
            linestyle="-" if start == 0.0 else (0, (2, 2)),
            zorder=1.8,
        )
    interval = np.array(row.adjusted)
    if style.of_the_mean(comparison) and np.all(np.isfinite(interval)):
        ends = row.mean_a + interval
        style.line(ax, [_DIFFERENCE] * 2, ends, colour, 4.0, solid_capstyle="butt", zorder=3.0)
    style.dot(ax, theme, (_DIFFERENCE, row.mean_b), colour=colour, size=6.5)
    scale = ax.secondary_yaxis(
        "right",
        functions=(lambda y: np.asarray(y) - row.mean_a, lambda d: np.asarray(d) + row.mean_a),
    )
    style.dress(scale, theme, grid="", spines=("right",))  # type: ignore[arg-type] # has all methods
    style.round_ticks(scale.yaxis, 6, signed=True)
    size = style.sizes(ax).small
    scale.set_ylabel("mean Δ (B − A)", color=theme.muted, fontsize=size, parse_math=False)


def _name_columns(ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult) -> None:
    narrow = style.inches(ax) < NARROW
    first, second = style.systems(comparison, 10 if narrow else 18)
    mean_a, mean_b = (theme.score(x) for x in (row.mean_a, row.mean_b))
    difference = f"B − A\n{theme.signed(row.diff)}"
    type_ = style.sizes(ax)
    ax.set_xticks(
        [0.0, 1.0, _DIFFERENCE],
        [f"{first}\nmean {mean_a}", f"{second}\nmean {mean_b}", difference],
        fontsize=type_.small if narrow else type_.body,
        parse_math=False,
    )
    ax.tick_params(axis="x", length=0.0)
    colours = (theme.a, theme.b, theme.of_reading(row.reading))
    for label, colour in zip(ax.get_xticklabels(), colours, strict=True):
        label.set_color(colour)
