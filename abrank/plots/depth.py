"""Plots by depth: the primary measure and judged documents at cut-offs, precision by recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError
from abrank.measures import parse
from abrank.plots import style
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, PlainTicks, Theme

if TYPE_CHECKING:
    from abrank.comparison import Comparison
    from abrank.comparison.evidence import CutoffCurve


# --- The primary measure, and the judged documents, at growing cut-offs

CUTOFFS_SIZE = (5.6, 3.6)
JUDGED_SIZE = (5.6, 3.0)

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
    upper.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    upper.yaxis.set_major_formatter(PlainTicks())
    style.name_systems(upper, theme, comparison)
    style.label_y(upper, theme, f"{shorten(curve.measure, width=16)}@k")
    _differences(lower, theme, comparison, curve)
    style.label_x(lower, theme, "cut-off k; band: 95% for each k")
    return ax


def _differences(ax: Axes, theme: Theme, comparison: Comparison, curve: CutoffCurve) -> None:
    """Draw the difference with its band."""
    x = np.log(curve.cutoffs)
    low, high, diff = (np.array(values) for values in (curve.ci_low, curve.ci_high, curve.diff))
    known = np.isfinite(low) & np.isfinite(high)
    if known.any():
        ax.fill_between(
            x, low, high, where=known, facecolor=theme.muted, alpha=0.22, linewidth=0.0, zorder=1.5
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
    style.signed_ticks(ax, "y")
    ax.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    style.label_y(ax, theme, "Δ (B − A)")


@plot("judged", title="Judged documents at growing cut-offs", size=JUDGED_SIZE)
def judged(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the share of judged documents of A and of B at growing cut-offs.

    Where one curve lies lower, more of that system's documents counted as not relevant because
    nobody had looked at them.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> judged(result).texts[0].get_text()[:22]
    'score has no cut-off: '
    """
    ax = ax if ax is not None else style.new_axes(theme, JUDGED_SIZE)
    curve = comparison.evidence.cutoff_curve
    if curve is None:
        return style.say(ax, theme, _no_curve(comparison))
    style.dress(ax, theme, grid="both", spines=("bottom", "left"))
    style.cutoff_axis(ax, theme, curve.cutoffs, _lead(comparison))
    style.draw_pair(ax, theme, np.log(curve.cutoffs).tolist(), curve.judged_a, curve.judged_b)
    ax.set_ylim(0.0, 1.04)
    ax.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100.0 * y:.0f}%"))
    style.name_systems(ax, theme, comparison)
    style.label_x(ax, theme, "cut-off k")
    style.label_y(ax, theme, "judged of the first k")
    return ax


def _no_curve(comparison: Comparison) -> str:
    """Say why there is no curve."""
    if comparison.n_queries == 0:
        return "No queries: nothing to draw."
    if not _lead(comparison):
        return f"{shorten(comparison.rule.primary, width=28)} has no cut-off: there is no curve."
    return "Ready scores were compared: other cut-offs are known of runs only."


def _lead(comparison: Comparison) -> int:
    """Return the cut-off of the primary measure, 0 where it has none."""
    try:
        found = dict(parse(comparison.rule.primary).parameters).get("cutoff", 0)
    except ArgumentError:
        return 0  # a name of the user's own, of ready scores
    return found if isinstance(found, int) else 0


# --- Precision at growing recall

RECALL_SIZE = (5.6, 3.1)


@plot("recall", title="Precision at growing recall", size=RECALL_SIZE)
def recall(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the mean interpolated precision of A and of B at eleven levels of recall.

    At each level stands the highest precision at this recall or beyond it, so the curves only fall.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> recall(result).texts[0].get_text()[:22]
    'Ready scores were comp'
    """
    ax = ax if ax is not None else style.new_axes(theme, RECALL_SIZE)
    curve = comparison.evidence.recall_curve
    if curve is None:
        nothing = "No queries: nothing to draw."
        ready = "Ready scores were compared: recall is known of runs only."
        return style.say(ax, theme, ready if comparison.n_queries else nothing)
    style.dress(ax, theme, grid="both", spines=("bottom", "left"))
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(0.0, max(0.1, 1.06 * max(*curve.a, *curve.b)))
    style.draw_pair(ax, theme, curve.levels, curve.a, curve.b)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(PlainTicks())
    style.name_systems(ax, theme, comparison)
    style.label_x(ax, theme, "recall")
    style.label_y(ax, theme, "interpolated precision, mean")
    return ax
