"""Ticks, their names and the grid as plain lines and texts.

matplotlib keeps five artists for every tick, and measures its letters four times for one drawing.
In a figure of ours nothing moves any more once it is drawn: each is made and measured once.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import Bbox, ScaledTranslation, Transform

_One = TypeVar("_One")

POINTS = 72.0
TICK_LEFT: Final = 0  # matplotlib's markers
TICK_DOWN: Final = 3
DRESSED = {"length", "width", "color", "labelsize", "labelcolor"}  # what style.dress() says


class Letters(NamedTuple):
    """What was written, and the room that it takes, without the length of a label."""

    texts: list[Text]
    boxes: list[Bbox]


def settle(figure: Figure, ax: Axes, renderer: RendererBase) -> Letters:
    """Put lines and texts in the place of both axes, where they have plain ticks; hide the axes.

    Parameters
    ----------
    figure : Figure
        One of our own, which is drawn once and thrown away.
    ax : Axes
    renderer : RendererBase
        What measures the letters.

    Returns
    -------
    Letters
        The names of the ticks and the label of each axis that was replaced.

    Examples
    --------
    >>> import io
    >>> from matplotlib.backends.backend_svg import RendererSVG
    >>> from abrank.plots import LIGHT
    >>> from abrank.plots.style.style import dress, new_axes, signed_ticks
    >>> ax = new_axes(LIGHT, (3.0, 2.0))
    >>> dress(ax, LIGHT)
    >>> signed_ticks(ax, "x")
    >>> _ = settle(ax.figure, ax, RendererSVG(216, 144, io.StringIO()))
    >>> [text.get_text() for text in ax.texts][:3], ax.xaxis.get_visible(), ax.yaxis.get_visible()
    (['0.0', '+0.5', '+1.0'], False, True)
    """
    axes = [axis for axis in (ax.xaxis, ax.yaxis) if ax.axison and _is_plain(axis)]
    letters = Letters([], [])
    for axis in axes:
        _PlainAxis(figure, ax, axis).settle(renderer, letters)
    return letters


def _is_plain(axis: Axis) -> bool:
    """Say whether the ticks are where and as we put them, and at the bottom or the left."""
    look = axis.get_tick_params()
    elsewhere = any(look.get(side) for side in ("top", "right", "labeltop", "labelright"))
    # How many ticks matplotlib would take depends on a frame whose size is not known yet.
    counted = isinstance(axis.get_major_locator(), AutoLocator)
    minor = not isinstance(axis.get_minor_locator(), NullLocator)
    return axis.get_visible() and look.keys() >= DRESSED and not (elsewhere or counted or minor)


class _PlainAxis:
    """One axis on its way to lines and texts."""

    def __init__(self, figure: Figure, ax: Axes, axis: Axis) -> None:
        self.figure, self.ax, self.axis = figure, ax, axis
        self.is_x = axis is ax.xaxis
        self.look: dict[str, Any] = axis.get_tick_params()
        low, high = sorted(axis.get_view_interval())
        rounding = 1e-10 * (high - low)
        places = np.asarray(axis.get_majorticklocs(), dtype=np.float64)
        names = axis.get_major_formatter().format_ticks(places.tolist())
        seen = (places >= low - rounding) & (places <= high + rounding)
        # Which of all ticks can be seen, where they are, what stands there.
        self.seen, self.places = np.flatnonzero(seen), places[seen]
        self.names = [names[i] for i in self.seen]

    def settle(self, renderer: RendererBase, letters: Letters) -> None:
        """Put the parts into the Axes, and hide the axis."""
        side = "bottom" if self.is_x else "left"
        along = self.ax.get_xaxis_transform() if self.is_x else self.ax.get_yaxis_transform()
        reach = 0.0
        if self.look.get("gridOn"):
            self._add(self._grid(), along)
        if self.look["length"] and self.look[side] and len(self.places):
            self._add(self._marks(), along, clipped=False)
            reach = float(self.look["length"])
        written = self._written() if self.look[f"label{side}"] else []
        frame, boxes = self.ax.bbox, [text.get_window_extent(renderer) for text in written]
        beyond = [frame.y0 - box.y0 if self.is_x else frame.x0 - box.x0 for box in boxes]
        reach = max([reach, *(POINTS / self.figure.dpi * each for each in beyond)])
        self._place_label(reach + self.axis.labelpad)
        self.axis.set_visible(False)
        letters.texts.extend([*written, self.axis.label])
        letters.boxes.extend(boxes)
        if self.axis.label.get_text():
            letters.boxes.append(self._thin(self.axis.label.get_window_extent(renderer)))

    def _add(self, artist: Artist, transform: Transform, *, clipped: bool = True) -> None:
        artist.set_transform(transform)
        artist.set_clip_on(clipped)
        artist.set_zorder(self.axis.get_zorder())
        self.ax.add_artist(artist)

    def _turned(self, along: _One, across: _One) -> tuple[_One, _One]:
        """Return x and y of what goes along the axis and what goes across it."""
        return (along, across) if self.is_x else (across, along)

    def _thin(self, box: Bbox) -> Bbox:
        """Return the room of the label without its length."""
        if self.is_x:
            middle = (box.x0 + box.x1) / 2.0
            return Bbox.from_extents(middle, box.y0, middle, box.y1)
        middle = (box.y0 + box.y1) / 2.0
        return Bbox.from_extents(box.x0, middle, box.x1, middle)

    def _grid(self) -> Line2D:
        """Return all lines of the grid as one, with gaps."""
        ends = np.tile([0.0, 1.0, np.nan], len(self.places))
        look = {"color": self.look["grid_color"], "linewidth": self.look["grid_linewidth"]}
        return Line2D(*self._turned(np.repeat(self.places, 3), ends), **look)

    def _marks(self) -> Line2D:
        return Line2D(
            *self._turned(self.places, np.zeros(len(self.places))),
            linestyle="none",
            marker=TICK_DOWN if self.is_x else TICK_LEFT,
            markersize=self.look["length"],
            markeredgewidth=self.look["width"],
            color=self.look["color"],
        )

    def _written(self) -> list[Text]:
        """Write what stands at the ticks; names given one by one keep letters of their own."""
        pad = rcParams["xtick.major.pad"] if self.is_x else rcParams["ytick.major.pad"]
        pad = self.look["length"] + self.look.get("pad", pad)
        ax = self.ax
        make = ax.get_xaxis_text1_transform if self.is_x else ax.get_yaxis_text1_transform
        transform, vertical, horizontal = make(pad)
        if isinstance(self.axis.get_major_locator(), FixedLocator) and isinstance(
            self.axis.get_major_formatter(), FuncFormatter
        ):
            ticks = self.axis.get_major_ticks()
            texts = [ticks[i].label1 for i in self.seen]
        else:
            look = {"color": self.look["labelcolor"], "fontsize": self.look["labelsize"]}
            texts = [Text(va=vertical, ha=horizontal, parse_math=False, **look) for _ in self.names]
        for text, place, name in zip(texts, self.places, self.names, strict=True):
            text.set_text(name)
            text.set_position(self._turned(place, 0.0))
            self._add(text, transform, clipped=False)
        return [text for text in texts if text.get_text()]

    def _place_label(self, away: float) -> None:
        """Put the label of the axis ``away`` points off the frame."""
        shift = self._turned(0.0, -away / POINTS)
        self.axis.label.set_position(self._turned(0.5, 0.0))
        outside = ScaledTranslation(*shift, self.figure.dpi_scale_trans)
        self._add(self.axis.label, self.ax.transAxes + outside, clipped=False)
