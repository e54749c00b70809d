"""The names of the best and the worst queries, beside the tips of their bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.diagnostics import outcomes
from abrank.plots.style import labels
from abrank.plots.style.shapes import spread_apart
from abrank.plots.style.style import NARROW, inches, sizes, write
from abrank.plots.style.theme import Theme

EXTREMES = 3


@dataclass(frozen=True)
class _Column:
    """Where names go: the place across that no bar reaches, and the height of each name."""

    across: float
    heights: tuple[float, ...]


def name_extremes(ax: Axes, theme: Theme, name: Callable[[int], str], values: FloatArray) -> None:
    """Name the three best and the three worst of sorted bars, where there is room.

    Parameters
    ----------
    ax : Axes
        Bar i stands at x = i; the limits are set.
    name : callable
        Gives the name of bar i.
    values : float64[n]
        Ascending.
    """
    signs = outcomes(values)
    n = len(values)
    worst = [place for place in range(min(EXTREMES, n)) if signs[place] < 0]
    best = [n - 1 - place for place in range(min(EXTREMES, n)) if signs[n - 1 - place] > 0]
    longest = 14 if inches(ax) < NARROW else 32
    for places, side in ((worst, -1), (best, 1)):
        texts = [
            f"{shorten(name(place), width=longest)}  "
            f"{labels.signed(float(values[place]), digits=theme.digits)}"
            for place in places
        ]
        column = _free_column(ax, values, places, side, max(map(len, texts), default=0))
        if column is not None:
            _write_column(ax, theme, values, places, texts, column, side)


def _free_column(
    ax: Axes, values: FloatArray, places: list[int], side: int, letters: int
) -> _Column | None:
    """Find a column for names at one side of 0; None where no bar is or no room.

    ``places`` come with the largest difference first. Heights are reckoned in |Δ| from the outer
    edge inwards, each name a line further in than the last.
    """
    figure = ax.get_figure(root=True)
    if not places or figure is None:
        return None
    n = len(values)
    small = sizes(ax).small / 72.0
    low, high = ax.get_ylim()
    line = 1.4 * small / (figure.get_size_inches()[1] - 0.8) * (high - low)
    edge = abs(low if side < 0 else high) - 0.6 * line
    depths = [max(0.0, edge - abs(float(values[place]))) for place in places]
    heights = [edge - depth for depth in spread_apart(depths, line)]
    reached = int(np.sum(side * values > heights[-1] - 0.7 * line))
    if reached + letters * 0.6 * small / inches(ax) * n > 0.98 * n:
        return None
    inwards = reached + 0.012 * n
    return _Column(
        across=inwards if side < 0 else n - 1 - inwards,
        heights=tuple(side * height for height in heights),
    )


def _write_column(
    ax: Axes,
    theme: Theme,
    values: FloatArray,
    places: list[int],
    texts: list[str],
    column: _Column,
    side: int,
) -> None:
    """Write the names, each with a line to the tip of its bar."""
    elbow = column.across + 0.012 * len(values) * side
    for place, text, height in zip(places, texts, column.heights, strict=True):
        tip = float(values[place])
        ax.plot(
            [place, elbow, column.across],
            [tip, tip, height],
            color=theme.muted,
            linewidth=0.6,
            zorder=2.8,
        )
        write(
            ax,
            text,
            (column.across, height),
            shift=(-3.0 * side, 0.0),
            ha="left" if side < 0 else "right",
            va="center",
            color=theme.ink,
            zorder=4.0,
        )
