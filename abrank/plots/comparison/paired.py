"""The scores of both systems side by side, and their mean difference in the same unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.inference.estimates.shape import spread_form
from abrank.inference.rounding import differences_of, has_spread, round_off
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.labels import PlainTicks
from abrank.plots.style.shapes import density, law_of_mean
from abrank.plots.style.style import (
    NARROW,
    dot,
    dress,
    inches,
    label_y,
    new_axes,
    say,
    score_limits,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import of_the_mean, systems

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

SIZE = (5.6, 4.2)
# More lines than these are a hairball.
LINES = 60
DECILES = tuple(range(10, 100, 10))
BINS = 25

# Across the frame: A at 0, B at 1, their difference further right.
_DIFFERENCE = 1.95
_LIMITS = (-0.5, 2.45)
_WIDE = 0.38


@plot("paired", title="The scores side by side, and their difference", size=SIZE)
def paired(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    r"""Draw the scores of A and of B, and right of them the mean difference in the same unit.

    Up to 60 queries each is a line from its score by A to its score by B, in the colour of who
    wins it. More are two shapes, and lines join their deciles, which need not be the same queries.
    At the right stands the mean difference with its interval (for a test of the mean) under the
    distribution of the resampled mean; its axis has 0 at the mean of A.

    Parameters
    ----------
    comparison : Comparison
    measure : str, optional
        The primary one without it.
    ax : Axes, optional
        Drawn onto; a new Figure's without it.
    theme : Theme

    Returns
    -------
    Axes

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
    ax = ax if ax is not None else new_axes(theme, SIZE)
    if comparison.n_queries == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    column = comparison.measures.index(row.measure)
    a, b = comparison.a[:, column], comparison.b[:, column]
    dress(ax, theme, grid="y", spines=("left",))
    ax.set_xlim(*_LIMITS)
    _score_axis(ax, theme, row, a, b)
    if len(a) <= LINES:
        _lines(ax, theme, a, b, comparison.outcomes(row.measure).tolist())
    else:
        _shapes(ax, theme, row, a, b)
    for place, mean, colour in ((0.0, row.mean_a, theme.a), (1.0, row.mean_b, theme.b)):
        dot(ax, theme, (place, mean), colour=colour, size=9.0, marker="D")
    _difference(ax, theme, comparison, row)
    _name_columns(ax, theme, comparison, row)
    return ax


def _score_axis(ax: Axes, theme: Theme, row: MeasureResult, a: FloatArray, b: FloatArray) -> None:
    low, high = score_limits(a, b)
    ends = [row.mean_a + end for end in (row.ci_low_adj, row.ci_high_adj) if np.isfinite(end)]
    ax.set_ylim(min(low, *ends, low), max(high, *ends, high))
    ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(PlainTicks())
    label_y(ax, theme, f"{shorten(row.measure, width=28)} per query")


def _lines(ax: Axes, theme: Theme, a: FloatArray, b: FloatArray, signs: list[int]) -> None:
    """Join the two scores of each query."""
    colours = [theme.of_outcome(sign) for sign in signs]
    lines = [((0.0, first), (1.0, second)) for first, second in zip(a, b, strict=True)]
    # All in one piece each: a line object a query is what takes time to draw.
    look: dict[str, Any] = {"alpha": 0.6, "zorder": 2.0}
    joined = LineCollection(lines, colors=colours, linewidths=1.0, **look)
    ax.add_collection(joined, autolim=False)
    x, y = np.repeat([0.0, 1.0], len(a)), np.concatenate([a, b])
    ax.scatter(x, y, s=9.0, color=2 * colours, linewidths=0.0, **look)


def _shapes(ax: Axes, theme: Theme, row: MeasureResult, a: FloatArray, b: FloatArray) -> None:
    """Draw half a shape on the outer side of each column, and join the deciles."""
    # Two shapes of one kind, or they could not be compared.
    smooth = all(_is_smooth(values) for values in (a, b))
    outlines = [_outline(values, smooth=smooth) for values in (a, b)]
    # Both in one scale, so that equal areas are equal numbers of queries.
    widest = max((float(width.max()) for _, width in outlines if len(width)), default=1.0)
    parts = zip(outlines, (0.0, 1.0), (-1.0, 1.0), (theme.a, theme.b), strict=True)
    for (heights, width), place, side, colour in parts:
        if len(heights):
            across = place + side * _WIDE * width / widest
            x = np.concatenate([[place], across, [place]])
            y = np.concatenate([heights[:1], heights, heights[-1:]])
            ax.fill(x, y, facecolor=colour, alpha=0.3, linewidth=0.0, zorder=1.5)
    first, second = np.percentile(a, DECILES), np.percentile(b, DECILES)
    ahead = np.sign(differences_of(first, second)) * (1 if row.higher_is_better else -1)
    for percent, low, high, sign in zip(DECILES, first, second, ahead, strict=True):
        ax.plot(
            [0.0, 1.0],
            [low, high],
            color=theme.of_outcome(int(sign)),
            linewidth=2.6 if percent == 50 else 1.2,
            zorder=2.0,
        )
    _name_deciles(ax, theme, (first + second) / 2.0, row.mean_a)


def _name_deciles(ax: Axes, theme: Theme, heights: FloatArray, mean: float) -> None:
    """Name the median, off the line of the mean, and the outer deciles where they keep clear."""
    figure = ax.get_figure(root=True)
    tall = figure.get_size_inches()[1] if figure is not None else 3.0
    low, high = ax.get_ylim()
    line = 3.0 * sizes(ax).small / 72.0 / max(tall - 0.9, 0.5) * (high - low)
    middle = float(heights[4])
    side = -1.0 if mean >= middle else 1.0
    named = [("median", middle, side)]
    named += [
        (text, float(height), outwards)
        for text, height, outwards in (("10%", heights[0], -1.0), ("90%", heights[-1], 1.0))
        if abs(float(height) - middle) > line
    ]
    for text, height, way in named:
        write(
            ax,
            text,
            (0.5, height),
            shift=(0.0, 2.5 * way),
            ha="center",
            va="bottom" if way > 0 else "top",
            color=theme.muted,
            zorder=4.0,
        )


def _is_smooth(values: FloatArray) -> bool:
    """Whether a smooth curve shows nothing that is not there; one value has no shape at all."""
    return not has_spread(values) or spread_form(round_off(values)) == "density"


def _outline(values: FloatArray, *, smooth: bool) -> tuple[FloatArray, FloatArray]:
    """Return heights and widths of the outline of ``values``; empty where all agree."""
    low, high = float(values.min()), float(values.max())
    if not has_spread(values):
        return np.empty(0), np.empty(0)
    if not smooth:
        number, edges = np.histogram(values, bins=BINS, density=True)
        return np.repeat(edges, 2)[1:-1], np.repeat(number, 2)
    grid, height = density(values)
    inside = (grid >= low) & (grid <= high)
    return grid[inside], height[inside]


def _difference(ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult) -> None:
    """Draw the mean difference and its interval, on an axis whose 0 is at the mean of A."""
    colour = theme.of_reading(row.reading)
    right = _LIMITS[1]
    for start, height in ((0.0, row.mean_a), (1.0, row.mean_b)):
        ax.plot(
            [start, right],
            [height, height],
            color=theme.muted,
            linewidth=0.9,
            linestyle="-" if start == 0.0 else (0, (2, 2)),
            zorder=1.8,
        )
    shape = law_of_mean(comparison, row)
    if shape is not None:
        grid, tall = shape
        x = _DIFFERENCE + _WIDE * np.concatenate([[0.0], tall / tall.max(), [0.0]])
        y = row.mean_a + np.concatenate([grid[:1], grid, grid[-1:]])
        ax.fill(x, y, facecolor=colour, alpha=0.28, linewidth=0.0, zorder=1.9)
    interval = np.array([row.ci_low_adj, row.ci_high_adj])
    if of_the_mean(comparison) and np.all(np.isfinite(interval)):
        line = ax.plot([_DIFFERENCE] * 2, row.mean_a + interval, color=colour, linewidth=4.0)
        line[0].set(solid_capstyle="butt", zorder=3.0)
    dot(ax, theme, (_DIFFERENCE, row.mean_b), colour=colour, size=6.5)
    scale = ax.secondary_yaxis(
        "right",
        functions=(lambda y: np.asarray(y) - row.mean_a, lambda d: np.asarray(d) + row.mean_a),
    )
    dress(scale, theme, grid="", spines=("right",))  # type: ignore[arg-type] # it has all of it
    scale.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    scale.yaxis.set_major_formatter(PlainTicks(signed=True))
    size = sizes(ax).small
    scale.set_ylabel("mean Δ (B − A)", color=theme.muted, fontsize=size, parse_math=False)


def _name_columns(ax: Axes, theme: Theme, comparison: Comparison, row: MeasureResult) -> None:
    """Write under each column what it is, and its number."""
    narrow = inches(ax) < NARROW
    first, second = systems(comparison, 10 if narrow else 18)
    mean_a, mean_b = (labels.plain(x, digits=theme.digits) for x in (row.mean_a, row.mean_b))
    difference = f"B − A\n{labels.signed(row.diff, digits=theme.digits)}"
    type_ = sizes(ax)
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
