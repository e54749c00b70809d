"""Ratios of a benchmark: how many times as long each program takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abrank.plots.style import LIGHT, Theme, new_axes

WIDTH, ROW = 12.0, 0.27


@dataclass(frozen=True)
class Ratio:
    """How many times as long ``program`` takes for ``work``: the median and the extremes."""

    work: str
    program: str
    ratio: float
    ratio_low: float
    ratio_high: float


def draw_ratios(rows: Sequence[Ratio], path: Path, *, theme: Theme = LIGHT) -> None:
    """Draw the ratios and write them as ``path`` with the endings .svg and .png.

    Parameters
    ----------
    rows : sequence
        In the order of the table; the rows of abrank itself, whose ratio is 1, are left out.
    """
    figure = cast(Figure, ratios(rows, theme=theme).figure)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=150)


def ratios(rows: Sequence[Ratio], *, theme: Theme = LIGHT) -> Axes:
    """Draw how many times as long every other program takes, on a logarithmic axis."""
    visible = [row for row in rows if row.program != "abrank" and row.work != "start"]
    ax = new_axes(theme, (WIDTH, 1.0 + ROW * len(visible)))
    for place, row in enumerate(visible):
        colour = theme.b if row.ratio >= 1 else theme.a
        ax.plot([1.0, row.ratio], [place, place], color=colour, linewidth=5, solid_capstyle="butt")
        ax.plot([row.ratio_low, row.ratio_high], [place, place], color=theme.ink, linewidth=1.2)
        ax.annotate(
            f"{row.ratio:.1f}×",
            (max(row.ratio_high, 1.0), place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=theme.ink,
        )
    ax.axvline(1.0, color=theme.muted, linewidth=1.0)
    ax.set_xscale("log")
    ax.set_ylim(len(visible) - 0.4, -0.6)
    ax.set_yticks(range(len(visible)), [f"{row.work}: {row.program}" for row in visible])
    ax.set_xlabel("time ÷ abrank's; thin: extremes")
    ax.margins(x=0.2)
    ax.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
