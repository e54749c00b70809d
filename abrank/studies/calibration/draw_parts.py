"""How often the tests beside those of one mean are wrong, by n, from a calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abrank.plots.style.style import dress, label_x, label_y, write
from abrank.plots.style.theme import LIGHT, Theme
from abrank.studies.calibration.draw import BAND, MARKERS, space_labels

# A panel a part of the study, with what n counts there, the rate, and names for its tests.
PANELS = {
    "Queries in clusters": ("clusters of many sizes", "clusters", "false_05", {
        "t, clusters ignored": "t, ignoring them", "t, by cluster": "t",
        "permutation, by cluster": "permutation", "bootstrap, by cluster": "bootstrap",
    }),
    "Looks at queries as they come": ("streams", "queries", "false_05", {
        "t at up to 25 looks, unadjusted": "t, 25 looks", "confidence sequence": "sequence",
        "t at five looks, spend-obrien-fleming": "O'Brien-Fleming",
        "t at five looks, unadjusted": "t, five looks",
    }),
    "Five systems of one mean": ("systems of one mean", "queries", "false_05", {
        "Nemenyi": "Nemenyi", "Tukey": "Tukey", "randomised Tukey": "randomised",
        "t, Holm": "t, Holm",
    }),
    "Effect sizes": ("effects, a quarter more", "queries", "covers", {
        "p_better": "P(B > A)", "relative change, bootstrap": "relative, boot.",
        "hedges_g": "Hedges' g", "relative change, Fieller": "relative, Fieller",
    }),
    "Three segments together": ("segments", "queries of a segment", "covers", {
        "t in each segment, unadjusted": "unadjusted", "t in each segment, Holm": "Holm",
    }),
    "Posteriors of the mean": ("posteriors", "queries", "covers", {
        "Bayesian bootstrap": "bootstrap", "posterior by t": "t",
    }),
}  # fmt: skip
TARGET = 0.05
SHOWN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


class _Rates(Protocol):
    """What is drawn of a test of a part with ``n`` of what it counts."""

    @property
    def part(self) -> str: ...
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


def draw_calibration_parts(rows: Sequence[_Rates], path: Path, *, theme: Theme = LIGHT) -> None:
    """Draw how often tests are wrong and write it as ``path`` with the endings .svg and .png.

    Parameters
    ----------
    rows : sequence
        Of all parts and sizes.
    path : Path
    theme : Theme
    """
    figure = calibration_parts(rows, theme=theme)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=150, metadata={"Software": None})


def calibration_parts(rows: Sequence[_Rates], *, theme: Theme = LIGHT) -> Figure:
    """Draw false findings, or intervals that miss the truth, against n on a logarithmic axis.

    Parameters
    ----------
    rows : sequence
    theme : Theme

    Returns
    -------
    Figure
    """
    figure = Figure(figsize=(11.0, 7.0), layout="constrained", facecolor=theme.paper)
    panels = figure.subplots(2, 3, sharey=True)
    for ax, (title, (part, size, quantity, names)) in zip(panels.flat, PANELS.items(), strict=True):
        dress(ax, theme, grid="y", spines=("bottom", "left"))
        words = "false findings" if quantity == "false_05" else "intervals that miss"
        ax.set_title(f"{title}: {words}", color=theme.ink, fontsize=10, loc="left")
        label_x(ax, theme, size)
        _draw_part(ax, theme, [row for row in rows if row.part == part], quantity, names)
    for ax in panels[:, 0]:
        label_y(ax, theme, "wrong at 5 %")
    panels[0, 0].set_yscale("log")
    panels[0, 0].set_ylim(SHOWN[0], 1.0)
    panels[0, 0].set_yticks(SHOWN, [f"{100.0 * rate:.0f} %" for rate in SHOWN])
    panels[0, 0].minorticks_off()
    figure.supxlabel(
        "grey: where 95 % of the rates of a test lie that is wrong in 5 %; rates on a logarithmic"
        " axis",
        color=theme.muted, fontsize=8, x=0.01, ha="left",
    )  # fmt: skip
    space_labels(panels)
    return figure


def _draw_part(
    ax: Axes, theme: Theme, rows: Sequence[_Rates], quantity: str, names: dict[str, str]
) -> None:
    """Draw a line a test, its name at the end, and the band of what is promised."""
    sizes = sorted({row.n for row in rows})
    if not sizes:
        return
    reach = BAND * math.sqrt(TARGET * (1.0 - TARGET) / min(row.replications for row in rows))
    ends = [sizes[0], sizes[-1]]
    ax.fill_between(ends, TARGET - reach, TARGET + reach, color=theme.tie, alpha=0.5, linewidth=0)
    ax.plot(ends, [TARGET, TARGET], color=theme.ink, linewidth=0.8)
    colours = (theme.b, theme.a, theme.ink, theme.muted)
    for (test, name), colour, marker in zip(names.items(), colours, MARKERS, strict=False):
        found = sorted((row.n, _wrong(row, quantity)) for row in rows if row.test == test)
        if not found:
            continue
        n, rates = zip(*found, strict=True)
        ax.plot(n, np.maximum(rates, SHOWN[0]), color=colour, marker=marker, markersize=4)
        at = (n[-1], max(rates[-1], SHOWN[0]))
        write(ax, name, at, shift=(7.0, 0.0), color=colour, va="center")
    ax.set_xscale("log")
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    ax.set_xlim(sizes[0] * 0.85, sizes[-1] * 4.5)


def _wrong(row: _Rates, quantity: str) -> float:
    return row.false_05 if quantity == "false_05" else 1.0 - row.covers
