"""The distribution of the mean difference under random signs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank._support import display
from abrank._support.typing import BoolArray, FloatArray
from abrank.inference.exact.flips import all_subsets, random_subsets
from abrank.inference.paired.permutation import ENUMERATED_UP_TO
from abrank.inference.rounding import to_lattice
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.shapes import MANY, N_MEANS
from abrank.plots.style.style import (
    difference_axis,
    difference_limits,
    dress,
    label_x,
    new_axes,
    say,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import delta

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

SIZE = (5.6, 2.9)
# Bars between 0 and the largest mean, about.
BARS = 24


@dataclass(frozen=True)
class _Law:
    """Bars of the size of the mean under chance: edges from 0, heights (the highest is 1).

    ``far`` are those at the size observed and beyond; ``how`` says where the distribution is from.
    """

    edges: FloatArray
    heights: FloatArray
    far: BoolArray
    how: str


@plot("null", title="What chance alone would do to the mean difference", size=SIZE)
def null(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the law of the mean difference where A and B are interchangeable, and the one observed.

    Each flip gives the scores of every query to A and B by the toss of a coin. The part in colour
    is as far from 0 as what was observed: its share is the two-sided p of the permutation test. All
    flips of up to 16 queries are drawn, else 9 999 random ones; for more than 50 000 queries it is
    the normal curve.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> print(null(result).get_xlabel())
    mean Δ score (B − A) if only chance were at work
    all 4 flips; permutation test p = 0.500
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    row = comparison.primary
    n = comparison.n_queries
    if n == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    if row.wins == row.losses == 0:
        return say(ax, theme, "A and B score the same on every query: chance has nothing to flip.")
    law = _law(comparison, abs(row.diff))
    dress(ax, theme)
    reach = max(float(law.edges[-1]), abs(row.diff))
    ax.set_ylim(0.0, 1.25)
    ax.set_yticks([])
    limits = difference_limits(-reach, reach)
    difference_axis(ax, theme, limits, higher_is_better=row.higher_is_better, zero_from=1.0)
    _draw_law(ax, theme, law)
    _observed(ax, theme, row)
    test = next(each for each in comparison.test_rows if each.test == "permutation")
    shown = display.p_clause(test.pvalue, alpha=comparison.rule.alpha)
    words = f"mean {delta(row.measure)} if only chance were at work"
    label_x(ax, theme, f"{words}\n{law.how}; permutation test {shown}")
    return ax


def _law(comparison: Comparison, observed: float) -> _Law:
    """Return the distribution of the size of the mean under random signs."""
    differences = comparison.differences()
    n = len(differences)
    if n > MANY:
        error = float(np.sqrt(np.sum(differences**2))) / n
        edges = _edges(4.0 * error, observed, 4.0 * error / BARS)
        heights = np.exp(-0.5 * ((edges[:-1] + edges[1:]) / (2.0 * error)) ** 2)
        return _Law(edges, heights, edges[:-1] >= observed, "normal curve")
    numbers, units = to_lattice(differences[:, None])
    if n <= ENUMERATED_UP_TO:
        sums, how = all_subsets(numbers)[0][0], f"all {display.count(2**n)} flips"
    else:
        sums = random_subsets(numbers, N_MEANS, seed=comparison.seed)[0][0]
        how = f"{display.count(N_MEANS)} random flips"
    # Sums that differ by no more than their rounding are equal.
    unit = float(units[0]) / n
    sums_ = np.abs(int(numbers.sum()) - 2 * sums)
    step = float(np.gcd.reduce(np.diff(np.unique(sums_)))) if np.ptp(sums_) else 0.0
    step = step * unit if step > 2 * n else 0.0
    reached = sums_ * unit
    edge = max(observed - max(0.5 * step, 2 * n * unit), 0.0)
    width = float(reached.max()) / BARS
    edges = _edges(
        float(reached.max()), edge, max(1.0, round(width / step)) * step if step else width
    )
    counts, _ = np.histogram(reached, bins=edges)
    heights = counts / np.diff(edges)
    return _Law(edges, heights / heights.max(), edges[:-1] >= edge, how)


def _edges(reach: float, edge: float, width: float) -> FloatArray:
    """Return edges from 0 to ``reach`` and beyond, ``width`` apart, one of them at ``edge``."""
    # Far outside it only tells where the others stand.
    edge -= width * max(0.0, (edge - reach) // width)
    first = edge % width
    if first < 0.6 * width and first + width <= edge:
        first += width
    inner = np.arange(first, edge, width) if edge > first else np.empty(0)
    outer = edge + width * np.arange(0, math.ceil(max(reach - edge, 0.0) / width) + 2)
    edges = np.unique(np.concatenate([[0.0], inner, outer]))
    # What rounding made of one edge is one edge.
    kept: FloatArray = edges[np.concatenate([[True], np.diff(edges) > 1e-6 * width])]
    return kept


def _draw_law(ax: Axes, theme: Theme, law: _Law) -> None:
    """Fill the law and its mirror image; dark where it is as far from 0 as what was observed."""
    for far, colour, alpha in ((False, theme.muted, 0.35), (True, theme.ink, 0.85)):
        chosen = law.far == far
        if not chosen.any():
            continue
        heights = np.where(chosen, law.heights, 0.0)
        for side in (-1.0, 1.0):
            x = side * np.repeat(law.edges, 2)
            y = np.concatenate([[0.0], np.repeat(heights, 2), [0.0]])
            ax.fill(x, y, facecolor=colour, alpha=alpha, linewidth=0.0, zorder=1.5)


def _observed(ax: Axes, theme: Theme, row: MeasureResult) -> None:
    """Mark the difference that was observed, its number where the frame has room."""
    colour = theme.of_reading(row.reading)
    ax.plot([row.diff] * 2, [0.0, 1.1], color=colour, linewidth=2.0, zorder=3.0)
    low, high = ax.get_xlim()
    inwards = "right" if row.diff > 0.5 * high else "left"
    if row.diff < 0.5 * low:
        inwards = "left"
    write(
        ax,
        f"observed {labels.signed(row.diff, digits=theme.digits)}",
        (row.diff, 1.1),
        shift=(0.0, 2.0),
        ha=inwards,
        va="bottom",
        color=colour,
        fontsize=sizes(ax).body,
        fontweight="bold",
        zorder=4.0,
    )
