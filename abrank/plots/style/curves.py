"""What the plots of two curves share: the names of the systems, and an axis of cut-offs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank._support import display
from abrank.plots.style.style import NARROW, inches, sizes, write
from abrank.plots.style.theme import Theme
from abrank.plots.style.words import systems

if TYPE_CHECKING:
    from abrank.comparison import Comparison

MARKERS = {"a": "v", "b": "^"}


def name_systems(ax: Axes, theme: Theme, comparison: Comparison) -> None:
    """Write the names of A and B above the frame, each with its marker and in its colour."""
    first, second = systems(comparison, 12 if inches(ax) < NARROW else 28)
    for text, place, side, colour in (
        (f"▼ {first}", 0.0, "left", theme.a),
        (f"▲ {second}", 1.0, "right", theme.b),
    ):
        write(
            ax,
            text,
            (place, 1.0),
            coords="axes fraction",
            shift=(0.0, 5.0),
            ha=side,
            va="bottom",
            color=colour,
            fontsize=sizes(ax).body,
            fontweight="bold",
        )


def draw_pair(
    ax: Axes, theme: Theme, x: Sequence[float], a: Sequence[float], b: Sequence[float]
) -> None:
    """Draw one curve of A and one of B, told apart by colour and by marker."""
    for values, colour, marker in ((a, theme.a, MARKERS["a"]), (b, theme.b, MARKERS["b"])):
        ax.plot(
            x,
            values,
            color=colour,
            linewidth=2.0,
            marker=marker,
            markersize=5.5,
            markeredgewidth=0.0,
            zorder=3.0,
            clip_on=False,
        )


def cutoff_axis(ax: Axes, theme: Theme, cutoffs: Sequence[int], lead: int) -> None:
    """Make x a logarithmic axis of cut-offs; the one that decides is in bold and has a line."""
    low, high = float(np.log(cutoffs[0])), float(np.log(cutoffs[-1]))
    width = (high - low) or 1.0
    ax.set_xlim(low - 0.04 * width, high + 0.04 * width)
    apart = 1.08 * width * 2.6 * sizes(ax).small / 72.0 / inches(ax)
    kept = [lead] if lead in cutoffs else []
    for cutoff in cutoffs:
        if all(abs(np.log(cutoff / other)) >= apart for other in kept):
            kept.append(cutoff)
    places = [float(np.log(cutoff)) for cutoff in sorted(kept)]
    labels = [display.count(cutoff) for cutoff in sorted(kept)]
    ax.set_xticks(places, labels, fontsize=sizes(ax).small)
    for label, cutoff in zip(ax.get_xticklabels(), sorted(kept), strict=True):
        if cutoff == lead:
            label.set(color=theme.ink, fontweight="bold")
    if lead in cutoffs:
        ax.axvline(float(np.log(lead)), color=theme.muted, linewidth=1.0, zorder=1.0)
