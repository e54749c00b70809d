"""Parts that plots share: axes, labelled rows, and shapes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.diagnostics import outcomes
from abrank.estimate import GLYPHS, IntervalRow
from abrank.plots import style
from abrank.plots.style import NARROW, Theme

# Number of points of a curve.
POINTS = 161


def density(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a Gaussian kernel density of ``values`` that do not all agree."""
    # Source: Silverman (1986), Density Estimation, eq. 3.28 and 3.31; binned as in his section 3.5.
    n = len(values)
    quartiles = np.percentile(values, [25, 75])
    spread = float(np.std(values))
    middle = float(quartiles[1] - quartiles[0]) / 1.349
    bandwidth = 0.9 * (min(spread, middle) if middle > 0 else spread) * n**-0.2
    fine = 2048
    low, high = values.min() - 3.0 * bandwidth, values.max() + 3.0 * bandwidth
    counts, edges = np.histogram(values, bins=fine, range=(low, high))
    step = edges[1] - edges[0]
    reach = min(fine, int(np.ceil(4.0 * bandwidth / step)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / bandwidth) ** 2)
    smooth = np.convolve(counts, kernel / kernel.sum(), mode="full")[reach : reach + fine]
    centres = (edges[:-1] + edges[1:]) / 2.0
    grid = np.linspace(low, high, POINTS)
    return grid, np.interp(grid, centres, smooth / (n * step))


def evenly(n: int, size: int) -> np.ndarray:
    """Return at most ``size`` positions among ``n`` sorted values, including both ends."""
    return np.unique(np.round(np.linspace(0, n - 1, min(n, size))).astype(np.int64))


def scatter_heights(n: int) -> FloatArray:
    """Return n heights in [0, 1), evenly distributed without randomness."""
    # Source: steps of the golden ratio, Knuth, The Art of Computer Programming 3, 6.4, theorem S.
    return np.asarray((0.5 + np.arange(n) * 0.6180339887498949) % 1.0)


# --- Forest plot: rows of estimate and interval on one axis of differences, with numbers on the
# right


@dataclass(frozen=True)
class AxisRow:
    """A row of a forest plot: name, numbers, reading."""

    # `thin` is the adjusted interval if it differs from the plain one. `last` is the text of the
    # last column. `remark` replaces the drawing if the row has another scale or no interval.
    # Without `size` (points) the estimate has no dot, because it is not on this axis. A `summary`
    # is a diamond as wide as its interval. `value_text` replaces the estimate, and `glyph` the sign
    # of the reading.

    name: str
    estimate: float
    thick: tuple[float, float]
    thin: tuple[float, float] | None
    last: str
    reading: str
    lead: bool = False
    remark: str = ""
    size: float = 7.0
    summary: bool = False
    value_text: str = ""
    glyph: str = ""

    @classmethod
    def of(
        cls,
        row: IntervalRow,
        estimate: float,
        **rest: Any,  # noqa: ANN401 - the other fields
    ) -> AxisRow:
        """Make a row from an estimate and its interval; a remark if there is no interval."""
        remark = "no interval" if np.isnan([estimate, row.ci_low]).any() else ""
        result: dict[str, Any] = {"estimate": estimate, "thick": row.interval, "thin": None}
        return cls(**{**result, "remark": remark, **rest})


def draw_rows(
    ax: Axes,
    theme: Theme,
    rows: Sequence[AxisRow],
    *,
    last: str,
    higher_is_better: bool,
    first: str = "Δ",
    percent: bool = False,
    mixed: bool = False,
    margin: float = 0.0,
    n_with_margin: int | None = None,
) -> None:
    """Draw the rows from top to bottom; ``first`` and ``last`` are titles of columns."""
    # `mixed`: higher is better for some rows and lower for others. The margin applies to the first
    # `n_with_margin` rows, by default to all.
    style.dress(ax, theme)
    plain_rows = [row for row in rows if not row.remark]
    ends = [value for row in plain_rows for value in (*row.thick, *(row.thin or ()))]
    ends += [row.estimate for row in plain_rows if row.size]
    limits = style.difference_limits(*ends, room=0.3 if style.inches(ax) < NARROW else 0.18)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    for place in range(1, len(rows)):
        ax.axhline(place - 0.5, color=theme.grid, linewidth=0.6, zorder=0.3)
    if margin > 0:
        share = (n_with_margin or len(rows)) / len(rows)
        band: dict[str, Any] = {"facecolor": theme.band, "edgecolor": "none", "zorder": 0.4}
        ax.axvspan(-margin, margin, 1.0 - share, 1.0, **band)
    side = replace(theme, undeclared=True) if mixed else theme
    style.difference_axis(ax, side, limits, higher_is_better=higher_is_better, percent=percent)
    if style.inches(ax) < NARROW:
        # Names and numbers leave a third of the width, where more ticks would overlap.
        ax.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    for place, row in enumerate(rows):
        if row.remark:
            look: dict[str, Any] = {"coords": ("axes fraction", "data"), "style": "italic"}
            style.write(ax, row.remark, (0.5, place), theme.muted, "center", "center", **look)
        else:
            _draw_row(ax, theme, place, row)
    name_rows(ax, theme, [row.name for row in rows], [row.lead for row in rows])
    _numbers(ax, theme, rows, first, last)


def stripe(ax: Axes, theme: Theme, n: int) -> None:
    """Make room for n rows from top to bottom, with every second one shaded."""
    ax.set_ylim(n - 0.5, -0.5)
    for place in range(0, n, 2):
        ax.axhspan(place - 0.5, place + 0.5, facecolor=theme.band, edgecolor="none", zorder=0.3)


def _draw_row(ax: Axes, theme: Theme, place: int, row: AxisRow) -> None:
    colour = theme.of_reading(row.reading)
    if row.thin is not None:
        draw_interval(ax, row.thin, place, colour=colour, width=1.4)
    if row.summary and np.isfinite(row.thick).all():
        ends = [row.thick[0], row.estimate, row.thick[1], row.estimate]
        ax.fill(ends, [place, place - 0.28, place, place + 0.28], color=colour, zorder=3.2, lw=0)
        return
    draw_interval(ax, row.thick, place, colour=colour, width=4.5)
    if row.size:
        position = (row.estimate, float(place))
        marker, size = ("D", 8.0) if row.lead else ("o", row.size)
        style.dot(ax, theme, position, colour=colour, size=size, marker=marker)


def draw_interval(
    ax: Axes, interval: tuple[float, float], height: float, *, colour: str, width: float
) -> None:
    """Draw an interval as a bar; an arrow marks an infinite end."""
    left, right = sorted(ax.get_xlim())
    if np.isnan(interval[0]) or np.isnan(interval[1]):
        return
    inset = (right - left) * (width + 3.0) / (72.0 * style.inches(ax))
    low = left + inset if np.isinf(interval[0]) else interval[0]
    high = right - inset if np.isinf(interval[1]) else interval[1]
    style.line(ax, [low, high], [height, height], colour, width, solid_capstyle="butt", zorder=3.0)
    for end, edge, marker in ((interval[0], left, 4), (interval[1], right, 5)):
        if np.isinf(end):
            ax.plot(
                [edge],
                [height],
                # 4 and 5 are matplotlib's triangles whose tip is at the point.
                marker=marker,
                markersize=width + 4.0,
                color=colour,
                markeredgecolor="none",
                linestyle="none",
                clip_on=False,
                zorder=3.5,
            )


def name_rows(
    ax: Axes, theme: Theme, names: Sequence[str], bold: Sequence[bool], *, lines: int = 2
) -> None:
    """Write the names left of the rows, on two lines if they are long and fit."""
    type_ = style.sizes(ax)
    longest = 15 if style.inches(ax) < NARROW else 26
    labels = []
    for name in names:  # a line holds about ``longest`` letters
        parts = textwrap.wrap(name, longest, break_long_words=False) or [""]
        parts = [name] if lines == 1 else [parts[0], " ".join(parts[1:])][: len(parts)]
        labels.append("\n".join(shorten(part, width=longest + 2) for part in parts))
    ax.set_yticks(range(len(names)), labels, fontsize=type_.body, color=theme.ink, parse_math=False)
    ax.tick_params(axis="y", length=0.0)
    for label, heavy in zip(ax.get_yticklabels(), bold, strict=True):
        label.set_fontweight("bold" if heavy else "normal")


def _numbers(ax: Axes, theme: Theme, rows: Sequence[AxisRow], first: str, last: str) -> None:
    type_ = style.sizes(ax)
    em = type_.body
    wider = 0.65 * max(0, theme.digits - 3)  # extra width for more decimals
    places = (1.1, 5.5, 10.4) if style.inches(ax) < NARROW else (1.6, 6.3, 11.6)
    columns = tuple((place + wider * (place > 2.0)) * em for place in places)
    base = ("axes fraction", "axes fraction")
    for title, place in ((first, columns[1]), (last, columns[2])):
        position, shift = (1.0, 1.0), (place, 4.0)
        style.write(ax, title, position, theme.muted, "right", "bottom", coords=base, shift=shift)
    for place, row in enumerate(rows):
        cells = (
            row.glyph or GLYPHS.get(row.reading, ""),
            row.value_text or theme.signed(row.estimate),
            row.last,
        )
        for text, column in zip(cells, columns, strict=True):
            colour = theme.ink if column == columns[2] else theme.of_reading(row.reading)
            look: dict[str, Any] = {"coords": ("axes fraction", "data"), "shift": (column, 0.0)}
            position = (1.0, place)
            style.write(
                ax, text, position, colour, "right", "center", size=em, bold=row.lead, **look
            )


# --- The names of the best and the worst queries, next to the ends of their bars

EXTREMES = 3


def name_extremes(ax: Axes, theme: Theme, name: Callable[[int], str], values: FloatArray) -> None:
    """Name the three best and the three worst of the sorted bars, if there is room."""
    signs = outcomes(values)
    n = len(values)
    worst = [place for place in range(min(EXTREMES, n)) if signs[place] < 0]
    best = [n - 1 - place for place in range(min(EXTREMES, n)) if signs[n - 1 - place] > 0]
    longest = 14 if style.inches(ax) < NARROW else 32
    for places, side in ((worst, -1), (best, 1)):
        texts = [
            f"{shorten(name(place), width=longest)}  {theme.signed(float(values[place]))}"
            for place in places
        ]
        column = _free_column(ax, values, places, side, max(map(len, texts), default=0))
        if column is None:
            continue
        across, heights = column
        elbow = across + 0.012 * n * side
        for place, text, height in zip(places, texts, heights, strict=True):
            tip, ha = float(values[place]), "left" if side < 0 else "right"
            style.line(ax, [place, elbow, across], [tip, tip, height], theme.muted, 0.6, zorder=2.8)
            position, shift = (across, height), (-3.0 * side, 0.0)
            style.write(ax, text, position, theme.ink, ha, "center", shift=shift, zorder=4.0)


def _free_column(
    ax: Axes, values: FloatArray, places: list[int], side: int, letters: int
) -> tuple[float, list[float]] | None:
    """Return a position without bars, and the heights for names there; None without room."""
    # Heights are in |Δ| from the outer edge inwards, starting with the largest difference.
    if not places:
        return None
    figure = style.figure_of(ax)
    n = len(values)
    small = style.sizes(ax).small / 72.0
    low, high = ax.get_ylim()
    line = 1.4 * small / (figure.get_size_inches()[1] - 0.8) * (high - low)
    edge = abs(low if side < 0 else high) - 0.6 * line
    depths = [max(0.0, edge - abs(float(values[place]))) for place in places]
    # Moved inwards as little as needed to keep them a line apart.
    apart = accumulate(depths, lambda last, depth: max(depth, last + line))
    heights = [edge - depth for depth in apart]
    reached = int(np.sum(side * values > heights[-1] - 0.7 * line))
    if reached + letters * 0.6 * small / style.inches(ax) * n > 0.98 * n:
        return None
    inwards = reached + 0.012 * n
    return inwards if side < 0 else n - 1 - inwards, [side * height for height in heights]


# --- Room for the labels around a frame, measured once

# Padding in points around the drawing, as in matplotlib's constrained layout.
PAD = 3.0
# Margins in points: left, bottom, right, top. Slightly more than labels usually need, so that
# overhanging parts of a small frame stay inside.
COMMON = (52.0, 46.0, 24.0, 26.0)


def lay_out(figure: Figure, ax: Axes, renderer: RendererBase) -> None:
    """Give the only Axes of our own figure all the room that its labels leave."""
    # The figure has 72 dots per inch, so that a dot is a point. matplotlib's constrained layout,
    # which users' figures keep, measures every text four times. Our labels do not depend on the
    # size of the frame, so measuring once gives the same result.
    figure.set_layout_engine("none")
    _leave(figure, ax, COMMON)
    # Bars, bands and spines are within the frame.
    measured = [
        artist for artist in ax.get_default_bbox_extra_artists() if not isinstance(artist, Patch)
    ]
    frame = ax.get_window_extent(renderer)
    tightbbox = ax.get_tightbbox(renderer, bbox_extra_artists=measured, for_layout_only=True)
    around = frame if tightbbox is None else tightbbox
    beyond = (
        frame.x0 - around.x0,
        frame.y0 - around.y0,
        around.x1 - frame.x1,
        around.y1 - frame.y1,
    )
    _leave(figure, ax, [PAD + side for side in beyond])


def _leave(figure: Figure, ax: Axes, margins: Sequence[float]) -> None:
    """Place the frame inside its margins, if they leave room."""
    wide, tall = (72.0 * figure.get_size_inches()).tolist()
    left, below, right, above = margins
    width, height = wide - left - right, tall - below - above
    if width > 0.0 and height > 0.0:
        ax.set_position((left / wide, below / tall, width / wide, height / tall))
