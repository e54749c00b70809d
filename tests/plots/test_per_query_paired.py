from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from abrank import compare_scores
from abrank.plots import LIGHT, paired
from abrank.plots import per_query as drawing


def joins(ax) -> list[tuple[float, float]]:
    """Ends of the lines that join the columns."""
    return [tuple(line.get_ydata()) for line in ax.lines if list(line.get_xdata()) == [0.0, 1.0]]


@pytest.mark.parametrize("n", [1, 60])
def test_up_to_sixty_queries_are_lines_in_the_winners_colour(n, comparison_of):
    comparison = comparison_of(n)
    ax = paired(comparison)
    joined, dots = ax.collections
    ends = np.array([line.vertices for line in joined.get_paths()])
    scores = np.column_stack([comparison.a[:, 0], comparison.b[:, 0]])
    assert np.array_equal(ends[:, :, 0], np.tile([0.0, 1.0], (n, 1)))
    assert np.array_equal(ends[:, :, 1], scores)
    assert np.array_equal(dots.get_offsets()[:, 1], scores.T.ravel())
    colours = [to_rgb(LIGHT.of_outcome(int(sign))) for sign in comparison.outcomes()]
    assert np.array_equal(joined.get_edgecolor()[:, :3], colours)
    assert np.array_equal(dots.get_facecolor()[:, :3], colours + colours)


@pytest.mark.parametrize("n", [61, 7000])
def test_more_queries_are_shapes_and_nine_deciles(n, comparison_of):
    comparison = comparison_of(n)
    ax = paired(comparison)
    share = np.arange(10, 100, 10)
    ends = np.percentile(comparison.a[:, 0], share), np.percentile(comparison.b[:, 0], share)
    assert joins(ax) == list(zip(*ends, strict=True))
    left, right = [p for p in ax.patches if p.get_alpha() == 0.3]
    assert left.get_facecolor()[:3] == to_rgb(LIGHT.a)
    assert left.get_xy()[:, 0].max() == 0.0
    assert right.get_xy()[:, 0].min() == 1.0


def test_few_values_make_steps_and_no_smooth_shape(comparison_of):
    heights, width = drawing._outline(comparison_of(250, "discrete").a[:, 0], smooth=False)
    # Between two of the five values there is nothing.
    assert np.min(width) == 0.0
    assert np.sum(np.diff(heights) * (width[:-1] + width[1:]) / 2) == pytest.approx(1.0)
    assert len(drawing._outline(np.full(99, 0.4), smooth=True)[0]) == 0


def test_both_shapes_are_of_one_kind() -> None:
    # A has a heap at 0 and so is drawn in steps; B alone would be a smooth curve.
    a = np.where(np.arange(200) % 3, np.linspace(0.1, 0.9, 200), 0.0)
    names = [f"q{i}" for i in range(200)]
    b = np.linspace(0.0, 1.0, 200)
    result = compare_scores(dict(zip(names, a, strict=True)), dict(zip(names, b, strict=True)))
    shapes = [p.get_xy() for p in drawing.paired(result).patches if p.get_alpha() == 0.3]
    # Of steps every width stands there twice, at both ends of its bin.
    assert [len(shape) // 2 for shape in shapes] == [len(shapes[0]) // 2] * 2
    widths = [np.abs(shape[1:-2, 0] - shape[0, 0]) for shape in shapes]
    assert all(np.array_equal(width[0::2], width[1::2]) for width in widths)


@pytest.mark.parametrize("n", [3, 250])
def test_the_difference_stands_on_an_axis_of_the_same_unit(n, comparison_of):
    comparison = comparison_of(n)
    row = comparison.primary
    ax = paired(comparison)
    (scale,) = ax.child_axes
    ax.figure.draw_without_rendering()
    assert np.array(scale.get_ylim()) == pytest.approx(np.array(ax.get_ylim()) - row.mean_a)
    (bar,) = [line for line in ax.lines if line.get_linewidth() == 4.0]
    assert np.array(bar.get_ydata()) - row.mean_a == pytest.approx([row.ci_low, row.ci_high])
    assert ax.lines[-1].get_ydata()[0] - row.mean_a == pytest.approx(row.diff)
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == [
        f"A BM25\nmean {row.mean_a:.3f}",
        f"B monoT5\nmean {row.mean_b:.3f}",
        f"B − A\n{row.diff:+.3f}".replace("-", "−"),
    ]


@pytest.mark.parametrize("how", [{"test": "wilcoxon"}, {"test": "sign"}, {"kind": "constant"}])
def test_there_is_no_interval_where_it_is_not_of_the_mean(how, comparison_of):
    assert not [x for x in paired(comparison_of(60, **how)).lines if x.get_linewidth() == 4.0]


def test_where_lower_is_better_a_falling_line_is_bs(comparison_of):
    ax = paired(comparison_of(30, measures=("Unj@10",)))
    for line in ax.lines:
        if list(line.get_xdata()) == [0.0, 1.0]:
            first, second = line.get_ydata()
            sign = int(np.sign(round(first - second, 10)))
            assert line.get_color() == LIGHT.of_outcome(sign)


def test_no_queries_make_a_sentence(comparison_of):
    assert [t.get_text() for t in paired(comparison_of(0)).texts] == [
        "No queries: nothing to draw."
    ]


def test_scores_that_are_all_one_have_no_shape() -> None:
    a = {f"q{i}": i / 98 for i in range(99)}
    result = compare_scores(a, dict.fromkeys(a, 0.4))
    (shape,) = [p for p in drawing.paired(result).patches if p.get_alpha() == 0.3]
    assert shape.get_facecolor()[:3] == to_rgb(LIGHT.a)
