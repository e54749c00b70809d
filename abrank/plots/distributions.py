"""Plots of distributions: the differences, their mean under random signs, normality, p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from abrank import inference
from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import BoolArray, FloatArray
from abrank.comparison.declared import is_relative
from abrank.diagnostics.notes import outcomes
from abrank.estimate import Estimate
from abrank.inference.paired import ENUMERATED_UP_TO, mean_and_error, t_pvalue
from abrank.inference.rounding import to_lattice
from abrank.inference.shape import FEWEST_FOR_DENSITY, moments, normal_plot, spread_form
from abrank.inference.sign_flips import all_subsets, random_subsets
from abrank.plots import style
from abrank.plots.axes import MANY, N_MEANS, density, draw_interval, evenly, scatter_heights
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, PlainTicks, Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from abrank.comparison import Comparison, MeasureResult


# --- How the differences spread

STRIP = 500
# So many bars have room for their counts.
MOST_COUNTED = 9

# Heights in the frame: the floor of the cloud, the box under it.
_CLOUD, _BOX = 0.46, 0.36


def distribution_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 1.5 if comparison.n_queries < FEWEST_FOR_DENSITY else 2.0


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
        _bars(ax, look, distinct, counts, _thickness(distinct, limits))
    elif form == "bins":
        step = (limits[1] - limits[0]) / 40.0
        _heaps(ax, look, _binned(values, step), step)
    else:
        _rain(ax, look, values)
    bar_at_0 = form == "values" and row.ties > 0
    higher = row.higher_is_better
    style.difference_axis(ax, theme, limits, higher_is_better=higher, zero=not bar_at_0)
    summary = _summary(values, row.ties, theme.digits)
    style.label_x(ax, theme, f"{style.delta(row.measure)} per query\n{summary}")
    return ax


def _summary(values: FloatArray, ties: int, digits: int) -> str:
    """Return the median, the middle half and the ties in words."""
    low, middle, high = (
        style.signed(float(value), digits=digits) for value in np.percentile(values, [25, 50, 75])
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
    visible = values[evenly(len(values), STRIP)]
    _strip(ax, theme, visible, 0.15, 0.2, size=14.0 if len(visible) <= 100 else 7.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([])


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
            position, shift = (float(centre), float(number)), (0.0, 2.0)
            style.write(ax, text, position, theme.ink, "center", "bottom", shift=shift, zorder=4.0)


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
        style.write(ax, cut, (0.0, cap), theme.muted, "left", "top", shift=(7.0, -7.0))
        tallest = max(tallest, cap)
    _count_axis(ax, theme, tallest)


def _count_axis(ax: Axes, theme: Theme, tallest: float) -> None:
    ax.set_ylim(0.0, 1.12 * tallest)
    ax.yaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda x, _: display.count(round(x))))
    ax.tick_params(axis="y", length=0.0)
    style.label_y(ax, theme, "queries")


# --- The distribution of the mean difference under random signs

NULL_SIZE = (5.6, 2.9)
# Bars between 0 and the largest mean, about.
BARS = 24


@dataclass(frozen=True)
class _Law:
    """Bars of the size of the mean under chance; ``far`` are as far as the one observed."""

    edges: FloatArray
    heights: FloatArray
    far: BoolArray
    how: str


@plot("null", title="What chance alone would do to the mean difference", size=NULL_SIZE)
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
    ax = ax if ax is not None else style.new_axes(theme, NULL_SIZE)
    row = comparison.primary
    n = comparison.n_queries
    if n == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    if row.wins == row.losses == 0:
        return style.say(
            ax, theme, "A and B score the same on every query: chance has nothing to flip."
        )
    law = _law(comparison, abs(row.diff))
    style.dress(ax, theme)
    reach = max(float(law.edges[-1]), abs(row.diff))
    ax.set_ylim(0.0, 1.25)
    ax.set_yticks([])
    limits = style.difference_limits(-reach, reach)
    style.difference_axis(ax, theme, limits, higher_is_better=row.higher_is_better, zero=False)
    # Fill the law and its mirror image; dark where it is as far from 0 as what was observed.
    for far, colour, alpha in ((False, theme.muted, 0.35), (True, theme.ink, 0.85)):
        chosen = law.far == far
        if not chosen.any():
            continue
        heights = np.where(chosen, law.heights, 0.0)
        for side in (-1.0, 1.0):
            x = side * np.repeat(law.edges, 2)
            y = np.concatenate([[0.0], np.repeat(heights, 2), [0.0]])
            ax.fill(x, y, facecolor=colour, alpha=alpha, linewidth=0.0, zorder=1.5)
    _observed(ax, theme, row)
    test = next(test_row for test_row in comparison.test_rows if test_row.test == "permutation")
    p_clause = display.p_clause(test.pvalue, alpha=comparison.rule.alpha)
    words = f"mean {style.delta(row.measure)} if only chance were at work"
    style.label_x(ax, theme, f"{words}\n{law.how}; permutation test {p_clause}")
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
        sums, text = all_subsets(numbers)[0][0], f"all {display.count(2**n)} flips"
    else:
        sums = random_subsets(numbers, N_MEANS, seed=comparison.seed)[0][0]
        text = f"{display.count(N_MEANS)} random flips"
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
    return _Law(edges, heights / heights.max(), edges[:-1] >= edge, text)


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
    selected: FloatArray = edges[np.concatenate([[True], np.diff(edges) > 1e-6 * width])]
    return selected


def _observed(ax: Axes, theme: Theme, row: MeasureResult) -> None:
    """Mark the difference that was observed, its number where the frame has room."""
    colour = theme.of_reading(row.reading)
    style.line(ax, [row.diff] * 2, [0.0, 1.1], colour, 2.0, zorder=3.0)
    low, high = ax.get_xlim()
    inwards = "right" if row.diff > 0.5 * high else "left" if row.diff < 0.5 * low else "center"
    style.write(
        ax,
        f"observed {style.signed(row.diff, digits=theme.digits)}",
        (row.diff, 1.1),
        colour,
        inwards,
        "bottom",
        shift=(0.0, 2.0),
        size=style.sizes(ax).body,
        bold=True,
        zorder=4.0,
    )


# --- The differences against a normal distribution

QQ_SIZE = (5.6, 2.9)
FEWEST = 10


@plot("qq", title="The differences against a normal law", size=QQ_SIZE)
def qq(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the standardised differences against the quantiles of the normal distribution.

    The line is the normal distribution; the band holds each value of a normal sample with a chance
    of 95%, every one by itself. Of more than 400 queries some are drawn, evenly along the axis and
    with both ends. Fewer than 10 queries say nothing of their distribution.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> qq(result).texts[0].get_text()[:24]
    'Only 2 queries: too few '
    """
    ax = ax if ax is not None else style.new_axes(theme, QQ_SIZE)
    row = comparison[measure or comparison.rule.primary]
    differences = comparison.differences(row.measure)
    n = len(differences)
    if n == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    if n < FEWEST:
        sentence = (
            f"Only {style.queries(n)}: too few to see the law of the differences"
            f" ({FEWEST} are needed)."
        )
        return style.say(ax, theme, sentence)
    skew, excess = moments(differences)
    if math.isnan(skew):
        text = style.signed(row.diff, digits=theme.digits)
        return style.say(ax, theme, f"The difference is {text} on every query: it follows no law.")
    result = normal_plot(differences)
    style.dress(ax, theme, grid="both", spines=("bottom", "left"))
    ax.fill_between(
        result.expected, result.low, result.high, facecolor=theme.muted, alpha=0.18, linewidth=0.0
    )
    ends = result.expected[[0, -1]]
    style.line(ax, ends, ends, theme.muted, 1.0, zorder=2.0)
    ax.plot(
        result.expected,
        result.observed,
        marker="o",
        markersize=3.2 if n <= 100 else 2.2,
        color=theme.ink,
        markeredgewidth=0.0,
        linestyle="none",
        zorder=3.0,
    )
    room = 0.04 * float(ends[1] - ends[0])
    ax.set_xlim(float(ends[0]) - room, float(ends[1]) + room)
    for axis in ("x", "y"):
        style.signed_ticks(ax, axis)
    style.label_y(ax, theme, f"standardised Δ {shorten(row.measure, width=20)}")
    words = (
        f"skew {display.signed(skew, digits=1)}, excess kurtosis {display.signed(excess, digits=1)}"
    )
    style.label_x(ax, theme, f"normal quantile; band: 95% for each point\n{words}")
    return ax


# --- The p-value of every mean difference that might be the true one

PVALUE_SIZE = (5.6, 3.1)
POINTS = 161


@plot("pvalue", title="The p-value of every mean difference", size=PVALUE_SIZE)
def pvalue(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw how well every mean difference goes with the data: its p-value by the paired t-test.

    The curve is 1 at the mean observed. Above the line at alpha lie the differences that the test
    does not refuse: that is the interval. Where the curve crosses 0 stands the p-value of "no
    difference". Not adjusted for other measures.

    References
    ----------
    Birnbaum (1961), Journal of the American Statistical Association 56, 246-249; Fraser (2019), The
    American Statistician 73, 135-147.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> pvalue(result).get_ylabel()
    'p-value (paired t)'
    """
    ax = ax if ax is not None else style.new_axes(theme, PVALUE_SIZE)
    row = comparison[measure or comparison.rule.primary]
    differences = comparison.differences(row.measure)
    n, alpha = len(differences), comparison.rule.alpha
    if n < 2:
        return style.say(ax, theme, f"{style.few(n)}: no p-value to draw.")
    mean, error = (float(item[0]) for item in mean_and_error(differences[:, None]))
    if np.isnan(error):
        text = style.signed(row.diff, digits=theme.digits)
        return style.say(ax, theme, f"The difference is {text} on every query: it has no error.")
    run_test = inference.run_test("t", differences, confidence=1.0 - alpha)
    estimate = Estimate.of(run_test)
    ends = [mean + 1.6 * (limit - mean) for limit in estimate.interval]
    style.dress(ax, theme, grid="both", spines=("bottom", "left"))
    ax.set_ylim(0.0, 1.04)
    limits = style.difference_limits(*ends, room=0.22)
    style.difference_axis(ax, theme, limits, higher_is_better=row.higher_is_better)
    # A margin in per cent of A's mean is held against another interval than that of a difference.
    held = row.measure == comparison.rule.primary and not is_relative(comparison)
    margin = comparison.decision.margin if held else 0.0
    style.margin_band(ax, theme, margin)
    grid = np.unique(np.append(np.linspace(*limits, POINTS), mean))
    curve = t_pvalue((mean - grid) / error, n - 1, "two-sided")
    style.line(ax, grid, curve, theme.ink, 1.8, zorder=3.0)
    ax.axhline(alpha, color=theme.muted, linewidth=1.0, linestyle=(0, (4, 2)), zorder=2.0)
    _read_off(ax, theme, row, estimate, alpha)
    ax.yaxis.set_major_formatter(PlainTicks())
    style.label_y(ax, theme, "p-value (paired t)")
    level = display.alpha(alpha, run_test.pvalue)
    words = f"true mean {style.delta(row.measure)}; dashed: α = {level}"
    if margin > 0:
        words += f"\nband: margin ±{style.margin_words(comparison, digits=theme.digits)}"
    style.label_x(ax, theme, words)
    return ax


def _read_off(
    ax: Axes,
    theme: Theme,
    row: MeasureResult,
    result: Estimate,
    alpha: float,
) -> None:
    """Mark the interval on the line at alpha, and the p-value at 0."""
    at_zero = result.pvalue
    colour = theme.of_reading(result.interval.read(higher=row.higher_is_better))
    draw_interval(ax, result.interval, alpha, colour=colour, width=4.0)
    style.dot(ax, theme, (0.0, at_zero), colour=colour, size=7.5)
    style.write(
        ax,
        display.p_clause(at_zero, alpha=alpha),
        # On the side of 0 that the curve leaves free, and off the line at alpha.
        (0.0, at_zero if at_zero > 2.0 * alpha else max(at_zero, alpha)),
        shift=(-7.0 if row.diff > 0 else 7.0, 4.0),
        ha="right" if row.diff > 0 else "left",
        va="bottom",
        color=colour,
        fontsize=style.sizes(ax).body,
        fontweight="bold",
        zorder=4.0,
    )
