"""What a calibration found, drawn: error rates and coverage by the number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abrank.plots.style import LIGHT, Theme, dress, label_x, label_y, write

# A panel each: tests that mean the same and are to be told apart.
PANELS = {
    "Tests of the mean": ("t", "permutation", "bootstrap, studentised"),
    "Other bootstraps of the mean": (
        "bootstrap, percentile", "bootstrap, BCa", "bootstrap, basic", "bootstrap, shift",
    ),
    "Tests of something else": ("wilcoxon", "sign"),
}  # fmt: skip
QUANTITIES = {"false_05": ("false findings at 5 %", 0.05), "covers": ("coverage of 95 %", 0.95)}
# A panel a part of the study, with what n counts there, the rate, and names for its tests.
PARTS = {
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
        "t in each segment, unadjusted": "unadjusted", "t allowing for skewness, Holm": "Holm",
    }),
    "Ten collections": ("collections with different effects", "queries of each", "covers", {
        "random, 10 collections": "random effects", "prediction, 10 collections": "prediction",
        "stratified, 10 collections": "stratified",
    }),
}  # fmt: skip
MARKERS = "osD^"
TARGET = 0.05
SHOWN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
# 95 % of the rates of a test that keeps its promise lie so many standard errors around it.
BAND = 1.96
# Labels nearer to each other than this share of the height of a panel are pushed apart.
LABEL_GAP = 0.085


class _Rates(Protocol):
    """What is drawn of a test with ``n`` queries, clusters or what else a part counts."""

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


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG, the same bytes for the same figure."""
    with rc_context({"svg.hashsalt": "abrank"}):
        figure.savefig(path, metadata={"Date": None})


def calibration(rows: Sequence[_Rates], *, theme: Theme = LIGHT) -> Figure:
    """Draw the rate of false findings and the coverage of every test against the queries.

    A band holds 95 % of what a test that keeps its promise would show in so many replications.
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
            rates = [(row.test, row.n, getattr(row, quantity)) for row in rows]
            _lines(ax, theme, rates, {name: name.removeprefix("bootstrap, ") for name in tests})
            _scale(ax, rows, room=2.6)
            ax.yaxis.set_major_formatter(lambda value, _: f"{100.0 * value:.3g} %")
    figure.supxlabel(
        "grey: where 95 % of the rates of a test lie that keeps its promise",
        color=theme.muted, fontsize=8, x=0.01, ha="left",
    )  # fmt: skip
    _space_labels(panels)
    return figure


def calibration_parts(rows: Sequence[_Rates], *, theme: Theme = LIGHT) -> Figure:
    """Draw false findings, or intervals that miss the truth, against n on a logarithmic axis."""
    figure = Figure(figsize=(11.0, 7.0), layout="constrained", facecolor=theme.paper)
    panels = figure.subplots(2, 3, sharey=True)
    for ax, (title, (part, size, quantity, names)) in zip(panels.flat, PARTS.items(), strict=True):
        dress(ax, theme, grid="y", spines=("bottom", "left"))
        words = "false findings" if quantity == "false_05" else "intervals that miss"
        ax.set_title(f"{title}: {words}", color=theme.ink, fontsize=10, loc="left")
        label_x(ax, theme, size)
        result = [row for row in rows if row.part == part]
        if result:
            _band(ax, theme, result, TARGET)
            rates = [(row.test, row.n, max(_wrong(row, quantity), SHOWN[0])) for row in result]
            _lines(ax, theme, rates, names)
            _scale(ax, result, room=4.5)
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
    _space_labels(panels)
    return figure


def _band(ax: Axes, theme: Theme, rows: Sequence[_Rates], target: float) -> None:
    """Draw the promise and the rates that chance makes of it."""
    fewest = min(row.replications for row in rows)
    reach = BAND * np.sqrt(target * (1.0 - target) / fewest)
    ends = [min(row.n for row in rows), max(row.n for row in rows)]
    ax.fill_between(ends, target - reach, target + reach, color=theme.tie, alpha=0.5, linewidth=0)
    ax.plot(ends, [target, target], color=theme.ink, linewidth=0.8)


def _lines(
    ax: Axes, theme: Theme, rates: Sequence[tuple[str, int, float]], names: Mapping[str, str]
) -> None:
    """Draw a line a test over the sizes, its name at the end.

    Parameters
    ----------
    rates : sequence of (str, int, float)
        Test, size and rate.
    names : mapping of str to str
        The tests that are drawn, and what they are called.
    """
    colours = (theme.b, theme.a, theme.ink, theme.muted)
    for (test, name), colour, marker in zip(names.items(), colours, MARKERS, strict=False):
        result = sorted((n, rate) for owner, n, rate in rates if owner == test)
        if not result:
            continue
        n, visible = zip(*result, strict=True)
        ax.plot(n, visible, color=colour, marker=marker, markersize=4, linewidth=1.4)
        write(ax, name, (n[-1], visible[-1]), shift=(7.0, 0.0), color=colour, va="center")


def _scale(ax: Axes, rows: Sequence[_Rates], *, room: float) -> None:
    """Show the sizes on a logarithmic axis, with room for the names behind the last."""
    sizes = sorted({row.n for row in rows})
    ax.set_xscale("log")
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    ax.set_xlim(sizes[0] * 0.85, sizes[-1] * room)


def _wrong(row: _Rates, quantity: str) -> float:
    return row.false_05 if quantity == "false_05" else 1.0 - row.covers


def _space_labels(panels: np.ndarray) -> None:
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
