"""A forest: rows of estimate and interval on one axis of differences, numbers at their right."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from abrank._support.display import shorten
from abrank.plots.style import labels
from abrank.plots.style.style import (
    NARROW,
    difference_axis,
    difference_limits,
    dot,
    dress,
    inches,
    sizes,
    write,
)
from abrank.plots.style.theme import Theme


@dataclass(frozen=True)
class Row:
    """A row: its name, its numbers, how it reads.

    ``thin`` is the adjusted interval, where that is another one than the plain. ``last`` stands in
    the last column, and ``remark`` in the place of the drawing where the row has another scale or
    no interval. Without ``size`` (points) the estimate has no dot, as it is not on the axis. A
    ``summary`` is a diamond as wide as its interval. ``shown`` stands in the place of the estimate.
    """

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
    shown: str = ""


def draw_rows(
    ax: Axes,
    theme: Theme,
    rows: Sequence[Row],
    *,
    last: str,
    higher_is_better: bool,
    first: str = "Δ",
    percent: bool = False,
) -> None:
    """Draw the rows from top to bottom; ``first`` and ``last`` are the titles of the columns."""
    dress(ax, theme)
    drawn = [row for row in rows if not row.remark]
    ends = [value for row in drawn for value in (*row.thick, *(row.thin or ()))]
    ends += [row.estimate for row in drawn if row.size]
    limits = difference_limits(*ends, room=0.3 if inches(ax) < NARROW else 0.18)
    stripe(ax, theme, len(rows))
    difference_axis(ax, theme, limits, higher_is_better=higher_is_better, percent=percent)
    if inches(ax) < NARROW:
        # Names and numbers leave the frame a third of a column: more ticks would run together.
        ax.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    for place, row in enumerate(rows):
        if row.remark:
            _remark(ax, theme, place, row)
        else:
            _draw_row(ax, theme, place, row)
    name_rows(ax, theme, [row.name for row in rows], [row.lead for row in rows])
    _numbers(ax, theme, rows, first, last)


def stripe(ax: Axes, theme: Theme, n: int) -> None:
    """Make room for n rows from top to bottom, every second one shaded."""
    ax.set_ylim(n - 0.5, -0.5)
    for place in range(0, n, 2):
        ax.axhspan(place - 0.5, place + 0.5, facecolor=theme.band, edgecolor="none", zorder=0.3)


def _remark(ax: Axes, theme: Theme, place: int, row: Row) -> None:
    at: dict[str, Any] = {"ha": "center", "va": "center", "color": theme.muted}
    write(ax, row.remark, (0.5, place), coords=("axes fraction", "data"), style="italic", **at)


def _draw_row(ax: Axes, theme: Theme, place: int, row: Row) -> None:
    colour = theme.of_reading(row.reading)
    if row.thin is not None:
        draw_interval(ax, row.thin, place, colour=colour, width=1.4)
    if row.summary and np.isfinite(row.thick).all():
        ends = [row.thick[0], row.estimate, row.thick[1], row.estimate]
        ax.fill(ends, [place, place - 0.28, place, place + 0.28], color=colour, zorder=3.2, lw=0)
        return
    draw_interval(ax, row.thick, place, colour=colour, width=4.5)
    if row.size:
        at = (row.estimate, float(place))
        marker, size = ("D", 8.0) if row.lead else ("o", row.size)
        dot(ax, theme, at, colour=colour, size=size, marker=marker)


def draw_interval(
    ax: Axes, interval: tuple[float, float], height: float, *, colour: str, width: float
) -> None:
    """Draw a bar from end to end; an infinite end leaves the picture with an arrow."""
    left, right = sorted(ax.get_xlim())
    if np.isnan(interval[0]) or np.isnan(interval[1]):
        return
    inset = (right - left) * (width + 3.0) / (72.0 * inches(ax))
    low = left + inset if np.isinf(interval[0]) else interval[0]
    high = right - inset if np.isinf(interval[1]) else interval[1]
    ax.plot(
        [low, high],
        [height, height],
        color=colour,
        linewidth=width,
        solid_capstyle="butt",
        zorder=3.0,
    )
    for end, edge, marker in ((interval[0], left, 4), (interval[1], right, 5)):
        if np.isinf(end):
            ax.plot(
                [edge],
                [height],
                # 4 and 5 are matplotlib's triangles with the tip at the point.
                marker=marker,
                markersize=width + 4.0,
                color=colour,
                markeredgecolor="none",
                linestyle="none",
                clip_on=False,
                zorder=3.5,
            )


def name_rows(ax: Axes, theme: Theme, names: Sequence[str], bold: Sequence[bool]) -> None:
    """Write the names at the left of the rows, on two lines where they are long."""
    type_ = sizes(ax)
    longest = 16 if inches(ax) < NARROW else 26
    labels = [_wrapped(name, longest) for name in names]
    ax.set_yticks(range(len(names)), labels, fontsize=type_.body, color=theme.ink, parse_math=False)
    ax.tick_params(axis="y", length=0.0)
    for label, heavy in zip(ax.get_yticklabels(), bold, strict=True):
        label.set_fontweight("bold" if heavy else "normal")


def _wrapped(text: str, longest: int) -> str:
    """Return a name on at most two lines of about ``longest`` letters."""
    lines = textwrap.wrap(text, longest, break_long_words=False) or [""]
    if len(lines) > 2:
        lines = [lines[0], " ".join(lines[1:])]
    return "\n".join(shorten(line, width=longest + 2) for line in lines)


def _numbers(ax: Axes, theme: Theme, rows: Sequence[Row], first: str, last: str) -> None:
    """Write glyph, estimate and the last column right of the rows, each lined up at its right."""
    type_ = sizes(ax)
    em = type_.body
    columns = (1.6 * em, 6.3 * em, 11.6 * em)
    base = ("axes fraction", "axes fraction")
    for title, place in ((first, columns[1]), (last, columns[2])):
        write(
            ax,
            title,
            (1.0, 1.0),
            coords=base,
            shift=(place, 4.0),
            ha="right",
            va="bottom",
            color=theme.muted,
        )
    for place, row in enumerate(rows):
        cells = (
            labels.GLYPHS.get(row.reading, ""),
            row.shown or labels.signed(row.estimate, digits=theme.digits),
            row.last,
        )
        for text, column in zip(cells, columns, strict=True):
            write(
                ax,
                text,
                (1.0, place),
                coords=("axes fraction", "data"),
                shift=(column, 0.0),
                ha="right",
                va="center",
                fontsize=em,
                color=theme.ink if column == columns[2] else theme.of_reading(row.reading),
                fontweight="bold" if row.lead else "normal",
            )
