"""The difference that decides, its interval, its bootstrap distribution and the margin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank._support import display
from abrank.comparison.deciding import deciding_interval
from abrank.comparison.scales import is_relative, rows_in_unit
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.rows import draw_interval
from abrank.plots.style.shapes import law_of_mean
from abrank.plots.style.style import (
    difference_axis,
    difference_limits,
    dot,
    dress,
    inches,
    label_x,
    margin_band,
    new_axes,
    say,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import (
    delta,
    difference,
    interval_axis,
    margin_words,
    of_the_mean,
    relative_change,
)

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

SIZE = (5.4, 2.5)

# Heights in the frame: the bar (higher where no shape stands on it), and the shape.
_BAR, _BAR_ALONE, _FLOOR, _TOP = 0.30, 0.55, 0.38, 0.97


@plot("effect", title="The difference and its interval", size=SIZE)
def effect(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the estimate and its interval under the bootstrap distribution of the mean difference.

    The bar is the interval that decides (for a secondary measure the adjusted one), with its limits
    and the estimate printed: where only the margin is decided, that of the two one-sided tests; for
    a relative margin, in per cent of A's mean. The shape above it is the bootstrap distribution of
    the mean. There is no shape for fewer than 10 queries, nor for a test of another hypothesis than
    the mean's, nor for a change in per cent; for more than 50 000 queries it is the normal curve.
    The margin is a band around 0.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> effect(result).get_xlabel()
    'Δ score (B − A)'
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    row = comparison[measure or comparison.rule.primary]
    (row,) = (each for each in rows_in_unit(comparison) if each.measure == row.measure)
    sentence = _nothing_to_draw(comparison, row, theme.digits)
    if sentence:
        return say(ax, theme, sentence)
    lead = row.measure == comparison.rule.primary
    deciding = deciding_interval(comparison.rule, comparison.decision)
    decision, percent = comparison.decision, is_relative(comparison)
    interval = (row.ci_low_adj, row.ci_high_adj)
    if lead:
        interval = decision.equivalence_interval if deciding.by_margin else decision.interval
    # The law is that of the difference, not of a ratio.
    shape = None if percent else law_of_mean(comparison, row)
    # The margin is that of the primary measure.
    margin = comparison.rule.margin if lead else 0.0
    # A margin that decides is to be seen; one that is far beyond the interval is not to squeeze it.
    edges = (-margin, margin) if lead and deciding.by_margin else ()
    ends = (row.estimate, *interval, *edges, *(shape[0] if shape else ()))
    room = 0.3 if inches(ax) < 3.0 else 0.2
    bar = _BAR_ALONE if shape is None else _BAR
    dress(ax, theme)
    limits = difference_limits(*ends, room=room)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([])
    # The line at 0 ends above the numbers.
    higher = row.higher_is_better
    difference_axis(
        ax, theme, limits, higher_is_better=higher, zero_from=bar - 0.025, percent=percent
    )
    margin_band(ax, theme, margin)
    colour = theme.of_reading(row.reading)
    if shape is not None:
        grid, height = shape
        tall = _FLOOR + (_TOP - _FLOOR) * height / height.max()
        around = np.concatenate([grid[:1], grid, grid[-1:]])
        outline = np.concatenate([[_FLOOR], tall, [_FLOOR]])
        ax.fill(around, outline, facecolor=colour, alpha=0.28, linewidth=0.0, zorder=1.5)
    draw_interval(ax, interval, bar, colour=colour, width=5.0)
    dot(ax, theme, (row.estimate, bar), colour=colour, size=9.0)
    texts = [
        difference(comparison, value, digits=theme.digits)
        for value in (interval[0], row.estimate, interval[1])
    ]
    _numbers(ax, colour, (interval[0], row.estimate, interval[1]), bar, texts)
    label_x(ax, theme, _axis_words(comparison, row, theme.digits, lead=lead))
    return ax


def _nothing_to_draw(comparison: Comparison, row: MeasureResult, digits: int) -> str:
    """Return why there is no picture, or nothing."""
    if comparison.n_queries == 0:
        return "No queries: nothing to draw."
    if comparison.n_queries == 1:
        shown = labels.signed(row.diff, digits=digits)
        return f"Only 1 query (Δ {shown}): no interval to draw."
    if row.reading == "identical":
        return f"A and B score the same on all {labels.queries(comparison.n_queries)}: Δ is 0."
    return ""


def _numbers(
    ax: Axes,
    colour: str,
    values: tuple[float, float, float],
    bar: float,
    texts: Sequence[str],
) -> None:
    """Print the limits and, between them, the estimate, apart even if the bar is short."""
    type_ = sizes(ax)
    low, high = ax.get_xlim()
    estimate, interval = values[1], (values[0], values[2])
    unit = (high - low) / (72.0 * inches(ax))
    half = [0.33 * len(text) * size for text, size in zip(texts, _point_sizes(ax), strict=True)]
    ends = [low if np.isinf(interval[0]) else interval[0], estimate]
    ends.append(high if np.isinf(interval[1]) else interval[1])
    gaps = [(half[0] + half[1]) * unit, (half[1] + half[2]) * unit]
    middle = min(max(estimate, low + gaps[0] + half[0] * unit), high - gaps[1] - half[2] * unit)
    places = [min(ends[0], middle - gaps[0]), middle, max(ends[2], middle + gaps[1])]
    for text, place, size in zip(texts, places, _point_sizes(ax), strict=True):
        write(
            ax,
            text,
            (place, bar),
            shift=(0.0, -9.0),
            ha="center",
            va="top",
            color=colour,
            fontsize=size,
            fontweight="bold" if size == type_.strong else "normal",
            zorder=5.0,
        )


def _point_sizes(ax: Axes) -> tuple[float, float, float]:
    type_ = sizes(ax)
    return type_.body, type_.strong, type_.body


def _axis_words(comparison: Comparison, row: MeasureResult, digits: int, *, lead: bool) -> str:
    words = interval_axis(comparison, f"mean {delta(row.measure)}")
    if of_the_mean(comparison):
        words = delta(row.measure)
    if is_relative(comparison):
        words = relative_change(row.measure)
    rule = comparison.rule
    if not lead or not rule.margin:
        return words
    deciding = deciding_interval(rule, comparison.decision)
    bar = f"; bar: {display.level(deciding.confidence)} interval" if deciding.by_margin else ""
    return f"{words}{bar}; band: margin ±{margin_words(comparison, digits=digits)}"
