"""Axes as plain lines and texts, against the ticks that matplotlib itself would draw."""

from __future__ import annotations

import io

import numpy as np
import pytest
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.lines import Line2D
from matplotlib.ticker import AutoLocator

from abrank.plots.registry import draw
from abrank.plots.style.plain_axis import settle


def renderer_of(ax):
    ax.figure.set_dpi(72.0)
    ax.figure.set_layout_engine("none")
    return RendererSVG(*(72.0 * ax.figure.get_size_inches()), io.StringIO())


@pytest.mark.parametrize("name", ["deltas", "forest", "power", "scatter"])
def test_letters_stand_where_matplotlib_puts_them(name, comparison_of):
    theirs, ours = (draw(name, comparison_of(40), width=4.0) for _ in range(2))
    theirs.figure.draw_without_rendering()
    theirs.set_position((0.2, 0.2, 0.6, 0.6))
    ours.set_position((0.2, 0.2, 0.6, 0.6))
    by, own = renderer_of(theirs), renderer_of(ours)
    theirs.figure.draw(by)
    written = len(ours.texts)
    found = [text for text in settle(ours.figure, ours, own).texts if text.get_text()]
    assert found == [text for text in ours.texts[written:] if text.get_text()]
    expected = []
    for axis in (theirs.xaxis, theirs.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        expected += [label for place, label in ticks if low <= place <= high and label.get_text()]
        expected.append(axis.label)
    expected = [text for text in expected if text.get_text()]
    assert [text.get_text() for text in found] == [text.get_text() for text in expected]
    assert [text.get_color() for text in found] == [text.get_color() for text in expected]
    assert [text.get_weight() for text in found] == [text.get_weight() for text in expected]
    boxes, others = (
        np.array([text.get_window_extent(each).extents for text in texts])
        for texts, each in ((found, own), (expected, by))
    )
    # matplotlib measures a label's distance from the spine's outer edge: half a line away.
    np.testing.assert_allclose(boxes, others, atol=0.5)


def test_all_lines_of_a_grid_and_all_marks_are_one_artist_each(comparison_of):
    ax = draw("power", comparison_of(40))
    before = len(ax.lines)
    settle(ax.figure, ax, renderer_of(ax))
    grid_x, marks_x, grid_y, marks_y = ax.lines[before:]
    assert isinstance(grid_x, Line2D)
    assert len(grid_x.get_xdata()) == 3 * len(marks_x.get_xdata())
    assert marks_y.get_ydata().tolist() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert (grid_y.get_zorder(), marks_y.get_clip_on()) == (ax.yaxis.get_zorder(), False)


def test_an_axis_whose_ticks_depend_on_its_length_is_left_to_matplotlib(comparison_of):
    ax = draw("power", comparison_of(40))
    ax.xaxis.set_major_locator(AutoLocator())
    assert settle(ax.figure, ax, renderer_of(ax)).texts[-1] is ax.yaxis.label
    assert ax.xaxis.get_visible()
