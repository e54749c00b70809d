"""Frames, type sizes and the dressing that all plots share; a plot chooses none of its own."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from abrank._support.typing import FloatArray
from abrank.plots.style.labels import PlainTicks
from abrank.plots.style.theme import Theme

# What our own figures are labelled by: whether somebody asked for their height.
FREE, FIXED = "height follows the drawing", "height was asked for"
# Below this width of an Axes, in inches, letters shrink and columns of text lose what can go.
NARROW = 3.0


@dataclass(frozen=True)
class Sizes:
    """Type sizes in points: small notes, body text, and the number that matters."""

    small: float
    body: float
    strong: float


def new_axes(theme: Theme, size: tuple[float, float], *, free: bool = True) -> Axes:
    """Return the Axes of a new Figure of ``size`` inches, laid out so that no label is cut.

    Unless it is ``free``, its height was asked for.

    Examples
    --------
    >>> from abrank.plots import LIGHT
    >>> new_axes(LIGHT, (3.0, 2.0)).figure.get_size_inches().tolist()
    [3.0, 2.0]
    """
    figure = Figure(figsize=size, layout="constrained", facecolor=theme.paper)
    figure.set_label(FREE if free else FIXED)
    return figure.add_subplot()


def fit_height(ax: Axes, height: float, *, most: bool = False) -> None:
    """Give a figure of ours the height that its content needs; leave a reader's own alone.

    A height that was asked for stays, or with ``most`` is the most that it may be.

    Examples
    --------
    >>> from abrank.plots import LIGHT
    >>> ax = new_axes(LIGHT, (3.0, 2.0))
    >>> fit_height(ax, 1.0)
    >>> ax.figure.get_size_inches().tolist()
    [3.0, 1.0]
    """
    figure = ax.get_figure(root=True)
    if figure is None or figure.get_label() not in (FREE, FIXED):
        return
    if figure.get_label() == FREE:
        figure.set_figheight(height)
    elif most:
        figure.set_figheight(min(height, figure.get_figheight()))


def inches(ax: Axes) -> float:
    """Return the width of the Axes in inches, about: layout has yet to happen."""
    figure = ax.get_figure(root=True)
    if figure is None:
        return NARROW
    alone = len(figure.axes) == 1
    share = 0.85 if alone else ax.get_position().width
    return float(share * figure.get_size_inches()[0])


def sizes(ax: Axes) -> Sizes:
    """Return the type sizes for the width of the Axes; 7 points is the least that journals take.

    Examples
    --------
    >>> from abrank.plots import LIGHT
    >>> sizes(new_axes(LIGHT, (7.0, 3.0))).body
    9.0
    """
    return Sizes(7.0, 7.5, 9.0) if inches(ax) < NARROW else Sizes(8.0, 9.0, 11.0)


def dress(
    ax: Axes, theme: Theme, *, grid: str = "x", spines: tuple[str, ...] = ("bottom",)
) -> None:
    """Give the Axes spines, ticks and a grid: ``"x"``, ``"y"``, ``"both"`` or ``""``."""
    type_ = sizes(ax)
    ax.patch.set_visible(False)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in spines)
        spine.set_color(theme.muted)
        spine.set_linewidth(0.8)
    ax.tick_params(
        color=theme.muted,
        labelcolor=theme.muted,
        labelsize=type_.small,
        length=3.0,
        width=0.8,
    )
    for which, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        if grid in (which, "both"):
            axis.grid(visible=True, color=theme.grid, linewidth=0.8)
        else:
            axis.grid(visible=False)


def write(
    ax: Axes,
    text: str,
    xy: tuple[float, float],
    *,
    coords: Any = "data",  # noqa: ANN401 - a name, a transform or a pair of them
    shift: tuple[float, float] = (0.0, 0.0),
    **look: Any,  # noqa: ANN401 - properties of Text
) -> Annotation:
    """Write ``text`` at ``xy``, moved by ``shift`` points; a dollar sign in it is a dollar sign."""
    look.setdefault("fontsize", sizes(ax).small)
    note = ax.annotate(
        text, xy=xy, xycoords=coords, xytext=shift, textcoords="offset points", **look
    )
    note.set_parse_math(False)
    note.set_annotation_clip(False)
    return note


def dot(
    ax: Axes, theme: Theme, xy: tuple[float, float], *, colour: str, size: float, marker: str = "o"
) -> None:
    """Draw one dot, with a rim of paper that lifts it off what it lies on."""
    ax.plot(
        [xy[0]],
        [xy[1]],
        marker=marker,
        markersize=size,
        color=colour,
        markeredgecolor=colour if theme.paper == "none" else theme.paper,
        markeredgewidth=1.3,
        linestyle="none",
        zorder=4.5,
    )


def label_x(ax: Axes, theme: Theme, text: str, *, pad: float = 4.0) -> None:
    """Write the label under the horizontal axis, ``pad`` points below it."""
    size = sizes(ax).small
    ax.set_xlabel(text, color=theme.muted, fontsize=size, labelpad=pad, parse_math=False)


def label_y(ax: Axes, theme: Theme, text: str) -> None:
    """Write the label beside the vertical axis."""
    ax.set_ylabel(text, color=theme.muted, fontsize=sizes(ax).small, parse_math=False)


def difference_axis(
    ax: Axes,
    theme: Theme,
    limits: tuple[float, float],
    *,
    higher_is_better: bool,
    zero_from: float = 0.0,
    percent: bool = False,
) -> None:
    """Make x an axis of differences: limits, signed ticks, a line at 0, who is better where.

    The line begins at the share ``zero_from`` of the height; 1 draws none.
    """
    ax.set_xlim(*limits)
    signed_ticks(ax, "x", percent=percent)
    if zero_from < 1.0:
        ax.axvline(0.0, ymin=zero_from, color=theme.ink, linewidth=1.1, zorder=2.0)
    at: dict[str, Any] = {"coords": ("data", "axes fraction"), "va": "bottom"}
    left, right = (("A", theme.a), ("B", theme.b))[:: 1 if higher_is_better else -1]
    write(ax, f"◂ {left[0]} better", (0.0, 1.0), shift=(-6.0, 4.0), ha="right", color=left[1], **at)
    write(ax, f"{right[0]} better ▸", (0.0, 1.0), shift=(6.0, 4.0), ha="left", color=right[1], **at)


def signed_ticks(ax: Axes, which: str, *, percent: bool = False) -> None:
    """Put about six round ticks on an axis of differences, each with its sign."""
    from matplotlib.ticker import MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(4 if inches(ax) < NARROW else 6, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(PlainTicks(signed=True, percent=percent))


def difference_limits(*values: float, room: float = 0.16) -> tuple[float, float]:
    """Return limits around the finite ``values`` and 0, with ``room`` on either side of 0.

    Parameters
    ----------
    room : float
        Least share of the width that stays on each side of 0, for the words above it.

    Examples
    --------
    >>> low, high = difference_limits(0.01, 0.09, room=0.2)
    >>> round(-low / (high - low), 3)
    0.2
    """
    finite = [value for value in values if np.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    if high - low < 1e-12:
        return -0.1, 0.1
    pad = 0.06 * (high - low)
    low, high = low - pad, high + pad
    share = room / (1.0 - room)
    return min(low, -share * high), max(high, -share * low)


def score_limits(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Return 0 to 1 where the scores lie there, else their own range, and a little room.

    Examples
    --------
    >>> low, high = score_limits(np.array([0.1]), np.array([0.6]))
    >>> round(low, 2), round(high, 2)
    (-0.04, 1.04)
    """
    low, high = float(min(a.min(), b.min())), float(max(a.max(), b.max()))
    if low >= 0.0 and high <= 1.0:
        low, high = 0.0, 1.0
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def margin_band(ax: Axes, theme: Theme, margin: float) -> None:
    """Shade the differences that are too small to matter."""
    if margin > 0:
        ax.axvspan(-margin, margin, facecolor=theme.band, edgecolor="none", zorder=0.4)


def say(ax: Axes, theme: Theme, sentence: str) -> Axes:
    """Write a sentence into the empty frame, for data that no picture can be made of."""
    dress(ax, theme, grid="", spines=("top", "bottom", "left", "right"))
    for spine in ax.spines.values():
        spine.set_color(theme.grid)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), aspect="auto")
    type_ = sizes(ax)
    width = max(16, int(inches(ax) * 72.0 / (0.62 * type_.body)))
    text = textwrap.fill(sentence, width)
    fit_height(ax, 0.5 + 1.45 * type_.body / 72.0 * len(text.splitlines()), most=True)
    write(
        ax,
        text,
        (0.5, 0.5),
        coords="axes fraction",
        ha="center",
        va="center",
        color=theme.muted,
        fontsize=type_.body,
    )
    return ax
