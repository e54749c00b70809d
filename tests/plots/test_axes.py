"""The tests of ``abrank/plots/axes.py``."""

import io

import numpy as np
import pytest
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from abrank.comparison import Comparison
from abrank.plots import axes, deltas
from abrank.plots.axes import PAD, lay_out
from abrank.plots.registry import draw, plots_of
from abrank.plots.style import LIGHT, new_axes, write

PLOTS = plots_of(Comparison)

# --- Room for letters: against constrained layout, and against the edges of the paper


def laid_out(ax) -> RendererSVG:
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.set_dpi(72.0)
    wide, tall = 72.0 * figure.get_size_inches()
    renderer = RendererSVG(wide, tall, io.StringIO())
    lay_out(figure, ax, renderer)
    return renderer


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 7000])
def test_the_three_best_and_worst_are_named(n, comparison_of):
    comparison = comparison_of(n)
    values = comparison.differences()
    order = np.argsort(values, kind="stable")
    texts = {text.get_text() for text in deltas(comparison).texts}
    for i in (*order[:3], *order[-3:]):
        visible = f"{values[i]:+.3f}".replace("-", "−")
        assert f"{comparison.query_ids[i]}  {visible}" in texts


def test_names_that_find_no_room_are_left_out(comparison_of):
    # Nearly every query loses as much as the worst: no place is free beside the bars.
    comparison = comparison_of(60, "constant", prefix="a very long name of a query, number ")
    assert not [t for t in deltas(comparison).texts if "a very long" in t.get_text()]


def test_density_against_theory():
    # The sum of kernels, written out, at every point of the grid.
    values = np.random.default_rng(1).normal(size=300)
    grid, height = axes.density(values)
    quartiles = np.percentile(values, [25, 75])
    width = 0.9 * min(values.std(), (quartiles[1] - quartiles[0]) / 1.349) * 300**-0.2
    kernels = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2) / np.sqrt(2 * np.pi)
    assert height == pytest.approx(kernels.sum(axis=1) / (300 * width), abs=3e-3)


def test_density_of_a_heap_with_few_others_is_finite():
    grid, height = axes.density(np.r_[np.zeros(90), np.linspace(-1, 1, 10)])
    assert np.all(np.isfinite(height))
    assert height.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("n", "size"), [(1, 5), (5, 5), (7000, 1000)])
def test_evenly_has_both_ends(n, size):
    places = axes.evenly(n, size)
    assert (places[0], places[-1]) == (0, n - 1)
    assert len(places) == min(n, size)


def test_scatter_heights_fill_the_strip():
    counts, _ = np.histogram(axes.scatter_heights(100), bins=10, range=(0, 1))
    assert counts.min() >= 8
    assert counts.max() <= 12
