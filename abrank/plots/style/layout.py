"""Room for the letters around a frame, measured once."""

from __future__ import annotations

from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.transforms import Bbox

from abrank.plots.style.plain_axis import settle

# Points left of the frame, below it, right of it and above it.
Margins: TypeAlias = tuple[float, float, float, float]

# Points of paper around all that is drawn; matplotlib's constrained layout leaves as many.
PAD = 3.0
# A little more than letters commonly take: what hangs out of a small frame stays in a larger one.
COMMON: Margins = (52.0, 46.0, 24.0, 26.0)


def lay_out(figure: Figure, ax: Axes, renderer: RendererBase) -> None:
    """Give the only Axes of a figure of ours all the room that the letters around it leave.

    The figure has 72 dots an inch, so that a dot is a point.

    matplotlib's constrained layout, which a reader's figure keeps, measures every text four times;
    our letters do not change with the size of the frame, so once gives the same picture.
    """
    figure.set_layout_engine("none")
    _leave(figure, ax, COMMON)
    letters = settle(figure, ax, renderer)
    # Bars, bands and spines lie in the frame or on its edge.
    measured = [
        artist
        for artist in ax.get_default_bbox_extra_artists()
        if not isinstance(artist, Patch) and artist not in letters.texts
    ]
    others = ax.get_tightbbox(renderer, bbox_extra_artists=measured, for_layout_only=True)
    frame = ax.get_window_extent(renderer)
    around = Bbox.union([frame, *letters.boxes] if others is None else [others, *letters.boxes])
    beyond = (
        frame.x0 - around.x0,
        frame.y0 - around.y0,
        around.x1 - frame.x1,
        around.y1 - frame.y1,
    )
    left, below, right, above = (PAD + side for side in beyond)
    _leave(figure, ax, (left, below, right, above))


def _leave(figure: Figure, ax: Axes, margins: Margins) -> None:
    """Put the frame inside its margins, where they leave it room."""
    wide, tall = (72.0 * figure.get_size_inches()).tolist()
    left, below, right, above = margins
    width, height = wide - left - right, tall - below - above
    if width > 0.0 and height > 0.0:
        ax.set_position((left / wide, below / tall, width / wide, height / tall))
