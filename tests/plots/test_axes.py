"""The tests of ``abrank/plots/axes.py``."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from abrank.comparison import Comparison
from abrank.plots import deltas
from abrank.plots.axes import PAD, lay_out
from abrank.plots.registry import draw, plots_of
from abrank.plots.style import LIGHT, new_axes, write

PLOTS = plots_of(Comparison)

# --- Room for letters: against constrained layout, and against the edges of the paper


def laid_out(ax: Axes) -> RendererSVG:
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.set_dpi(72.0)
    wide, tall = 72.0 * figure.get_size_inches()
    renderer = RendererSVG(wide, tall, io.StringIO())
    lay_out(figure, ax, renderer)
    return renderer


@pytest.mark.parametrize("width", ["column", "text"])
@pytest.mark.parametrize("name", sorted(set(PLOTS) - {"scatter"}))
def test_against_constrained_layout(name, width, comparison_of):
    ours, theirs = (draw(name, comparison_of(40), width=width) for _ in range(2))
    laid_out(ours)
    theirs.figure.draw_without_rendering()
    wide, tall = 72.0 * ours.figure.get_size_inches()
    apart = (ours.get_position().get_points() - theirs.get_position().get_points()) * (wide, tall)
    # Only what hangs out of the frame in its own units makes them differ, and then by a letter.
    assert np.abs(apart).max() < 8.0


@pytest.mark.parametrize("width", ["column", 11.8])
@pytest.mark.parametrize("n", [3, 250])
@pytest.mark.parametrize("name", PLOTS)
def test_nothing_leaves_the_paper(name, n, width, comparison_of):
    ax = draw(name, comparison_of(n), width=width)
    around = ax.get_tightbbox(laid_out(ax), for_layout_only=True)
    wide, tall = 72.0 * ax.figure.get_size_inches()
    edges = (around.x0, around.y0, wide - around.x1, tall - around.y1)
    assert min(edges) >= PAD - 0.6


def test_without_room_the_frame_stays_in_the_paper():
    ax = new_axes(LIGHT, (1.0, 0.5))
    write(ax, "as long as no paper is wide", (0.0, 0.0), coords="axes fraction")
    laid_out(ax)
    box = ax.get_position()
    assert 0.0 <= box.x0 < box.x1 <= 1.0
    assert 0.0 <= box.y0 < box.y1 <= 1.0


@pytest.mark.parametrize("n", [60, 7000])
def test_the_three_best_and_worst_are_named(n, comparison_of):
    comparison = comparison_of(n)
    values = comparison.differences()
    order = np.argsort(values, kind="stable")
    texts = {text.get_text() for text in deltas(comparison).texts}
    for i in (*order[:3], *order[-3:]):
        shown = f"{values[i]:+.3f}".replace("-", "−")
        assert f"{comparison.query_ids[i]}  {shown}" in texts


def test_names_that_find_no_room_are_left_out(comparison_of):
    # Nearly every query loses as much as the worst: no place is free beside the bars.
    comparison = comparison_of(60, "constant", prefix="a very long name of a query, number ")
    assert not [t for t in deltas(comparison).texts if "a very long" in t.get_text()]
