"""Error rates and coverage of the tests by the number of queries, from a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abrank.plots.style.style import dress, label_x, label_y, write
from abrank.plots.style.theme import LIGHT, Theme

# A panel each: tests that mean the same and are to be told apart.
PANELS = {
    "Tests of the mean": ("t", "permutation", "bootstrap, studentised"),
    "Other bootstraps of the mean": (
        "bootstrap, percentile", "bootstrap, BCa", "bootstrap, basic", "bootstrap, shift",
    ),
    "Tests of something else": ("wilcoxon", "sign"),
}  # fmt: skip
QUANTITIES = {"false_05": ("false findings at 5 %", 0.05), "covers": ("coverage of 95 %", 0.95)}
MARKERS = "osD^"
# 95 % of the rates of a test that keeps its promise lie so many standard errors around it.
BAND = 1.96
# Labels nearer to each other than this share of the height of a panel are pushed apart.
LABEL_GAP = 0.085


class _Rates(Protocol):
    """What is drawn of a test with ``n`` queries."""

    @property
    def n(self) -> int: ...
    @property
    def test(self) -> str: ...
    @property
    def replications(self) -> int: ...
    @property
    def false_05(self) -> float: ...
    @property
    def covers(self) -> float: ...


def draw_calibration(rows: Sequence[_Rates], path: Path, *, theme: Theme = LIGHT) -> None:
    """Draw rates and coverage and write them as ``path`` with the endings .svg and .png.

    Parameters
    ----------
    rows : sequence
        Of one population, all sizes and tests.
    path : Path
    theme : Theme
    """
    figure = calibration(rows, theme=theme)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Software": None})


def calibration(rows: Sequence[_Rates], *, theme: Theme = LIGHT) -> Figure:
    """Draw the rate of false findings and the coverage of every test against the queries.

    A band holds 95 % of what a test that keeps its promise would show in so many replications.

    Parameters
    ----------
    rows : sequence
    theme : Theme

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(11.0, 6.0), layout="constrained", facecolor=theme.paper)
    panels = figure.subplots(len(QUANTITIES), len(PANELS), sharex=True, sharey="row")
    for line, (quantity, (words, target)) in enumerate(QUANTITIES.items()):
        for place, (title, tests) in enumerate(PANELS.items()):
            ax = panels[line, place]
            dress(ax, theme, grid="y", spines=("bottom", "left"))
            if line == 0:
                ax.set_title(title, color=theme.ink, fontsize=10, loc="left")
            else:
                label_x(ax, theme, "queries")
            if place == 0:
                label_y(ax, theme, words)
            _band(ax, theme, rows, target)
            _lines(ax, theme, rows, tests, quantity)
    figure.supxlabel(
        "grey: where 95 % of the rates of a test lie that keeps its promise",
        color=theme.muted, fontsize=8, x=0.01, ha="left",
    )  # fmt: skip
    space_labels(panels)
    return figure


def _band(ax: Axes, theme: Theme, rows: Sequence[_Rates], target: float) -> None:
    """Draw the promise and the rates that chance makes of it."""
    fewest = min(row.replications for row in rows)
    reach = BAND * np.sqrt(target * (1.0 - target) / fewest)
    ends = [min(row.n for row in rows), max(row.n for row in rows)]
    ax.fill_between(ends, target - reach, target + reach, color=theme.tie, alpha=0.5, linewidth=0)
    ax.plot(ends, [target, target], color=theme.ink, linewidth=0.8)


def _lines(
    ax: Axes, theme: Theme, rows: Sequence[_Rates], tests: tuple[str, ...], quantity: str
) -> None:
    """Draw a line a test over the sizes, its name at the end."""
    sizes = sorted({row.n for row in rows})
    colours = (theme.b, theme.a, theme.ink, theme.muted)
    for test, colour, marker in zip(tests, colours, MARKERS, strict=False):
        found = sorted((row.n, getattr(row, quantity)) for row in rows if row.test == test)
        if not found:
            continue
        n, rates = zip(*found, strict=True)
        ax.plot(n, rates, color=colour, marker=marker, markersize=4, linewidth=1.4)
        write(
            ax, test.removeprefix("bootstrap, "), (n[-1], rates[-1]), shift=(7.0, 0.0),
            color=colour, va="center",
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    ax.set_xlim(sizes[0] * 0.85, sizes[-1] * 2.6)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100.0 * value:.3g} %")


def space_labels(panels: np.ndarray) -> None:
    """Move the names at the ends of the lines apart, as far up as down."""
    for ax in panels.flat:
        names = sorted(ax.texts, key=lambda name: name.xy[1])
        # As shares of the height of the panel, whatever the scale of its axis.
        to_share = ax.transData - ax.transAxes
        ends = np.array([to_share.transform(name.xy)[1] for name in names])
        apart = LABEL_GAP * np.arange(ends.size)
        heights = np.maximum.accumulate(ends - apart) + apart
        heights -= (heights - ends).mean() if ends.size else 0.0
        points = (heights - ends) * ax.bbox.height * 72.0 / ax.figure.dpi
        for name, shift in zip(names, points.tolist(), strict=True):
            name.set_position((7.0, shift))
