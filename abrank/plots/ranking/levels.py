"""Grids of many cells, each the deeper in one colour the larger its value."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from abrank._support.display import shorten
from abrank._support.typing import FloatArray, IntArray
from abrank.plots.style.style import NARROW, inches, sizes
from abrank.plots.style.theme import Theme

N_LEVELS = 8
# Inches of a row: where every one has its name, and where there are very many.
NAMED, CROWDED, MOST_NAMED = 0.2, 0.075, 40


def height(n_rows: int) -> float:
    """Return the inches that rows take."""
    return n_rows * (NAMED if n_rows <= MOST_NAMED else CROWDED)


def draw_levels(ax: Axes, shares: FloatArray, colour: str, *, deepest: float = 0.95) -> None:
    """Fill cells in a few depths; a depth is one path, its neighbours in a row one rectangle.

    Parameters
    ----------
    shares : float64[n_rows, n_columns]
        From 0, which leaves a cell empty, to 1.
    deepest : float
        Opacity of 1.
    """
    levels = np.ceil(np.clip(shares, 0.0, 1.0) * N_LEVELS).astype(np.int64)
    for level in range(1, N_LEVELS + 1):
        found = _rectangles(levels == level)
        if len(found):
            look = {"facecolor": colour, "edgecolor": "none", "zorder": 1.0}
            ax.add_patch(PathPatch(_path(found), alpha=deepest * level / N_LEVELS, **look))


def _rectangles(cells: np.ndarray) -> IntArray:
    """Return row, first column and the one after the last of each stretch of cells."""
    padded = np.pad(cells.astype(np.int8), ((0, 0), (1, 1)))
    steps = np.diff(padded, axis=1)
    row, start = np.nonzero(steps == 1)
    stop = np.nonzero(steps == -1)[1]
    return np.stack([row, start, stop], axis=1)


def _path(rectangles: IntArray) -> Path:
    row, start, stop = rectangles.T - 0.5
    corners = [(start, row), (stop, row), (stop, row + 1.0), (start, row + 1.0), (start, row)]
    points = np.stack([np.stack(each, axis=1) for each in corners], axis=1).reshape(-1, 2)
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
    return Path(points, np.tile(codes, len(rectangles)))


def frame(ax: Axes, theme: Theme, systems: tuple[str, ...], n_columns: int) -> None:
    """Give a grid its limits, and the names of its rows: of very many, every tenth by its place."""
    ax.patch.set_facecolor(theme.band if theme.paper != "none" else "none")
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(len(systems) - 0.5, -0.5))
    longest = 12 if inches(ax) < NARROW else 22
    step = 1 if len(systems) <= MOST_NAMED else 10
    places = sorted({0, *range(step - 1, len(systems), step)})
    names = [f"{i + 1}  {shorten(systems[i], width=longest)}" for i in places]
    small = sizes(ax).small
    ax.set_yticks(places, names, fontsize=small, color=theme.ink, parse_math=False)
    ax.tick_params(length=0.0, labelcolor=theme.ink, labelsize=small)
    ax.tick_params(axis="x", length=3.0, color=theme.muted, labelcolor=theme.muted)
