"""The tests of ``abrank/plots/per_query.py``."""

import dataclasses

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon, Rectangle

from abrank import ArgumentError, Independent, compare_scores
from abrank.plots import LIGHT, deltas, paired, scatter
from abrank.plots import per_query as drawing


def bars(ax) -> dict[int, Rectangle]:
    return {
        int(p.get_gid().removeprefix("query-")): p
        for p in ax.get_children()
        if isinstance(p, Rectangle) and (p.get_gid() or "").startswith("query-")
    }


@pytest.mark.parametrize("n", [1, 5, 24])
def test_few_queries_lie_with_their_names_best_first(n, comparison_of):
    comparison = comparison_of(n)
    values = comparison.differences()
    ax = deltas(comparison)
    order = np.argsort(values, kind="stable")[::-1]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [comparison.query_ids[i] for i in order]
    result = bars(ax)
    assert [result[i].get_width() for i in range(n)] == pytest.approx(values.tolist())
    assert [result[i].get_facecolor()[:3] for i in range(n)] == [_winner(v) for v in values]


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 121, 250])
def test_more_queries_stand_sorted(n, comparison_of):
    comparison = comparison_of(n)
    values = comparison.differences()
    result = bars(deltas(comparison))
    assert sorted(result) == [i for i in range(n) if round(values[i], 10)]
    assert all(result[i].get_height() == values[i] for i in result)
    by_place = sorted(result, key=lambda i: result[i].get_x())
    assert values[by_place].tolist() == sorted(values[by_place])
    assert all(result[i].get_facecolor()[:3] == _winner(values[i]) for i in result)


def test_very_many_queries_become_a_curve_through_quantiles(comparison_of):
    comparison = comparison_of(7000)
    ax = deltas(comparison)
    assert bars(ax) == {}
    shapes = [p for p in ax.patches if isinstance(p, Polygon) and p.get_alpha() is None]
    heights = np.concatenate([shape.get_xy()[1:-2, 1] for shape in shapes])
    values = np.sort(comparison.differences())
    assert {values[0], values[-1]} <= set(heights)
    assert set(heights) <= set(values)
    assert len(heights) <= drawing.CURVE
    assert np.median(heights[np.abs(heights) > 0]) == pytest.approx(np.median(values), abs=0.01)


@pytest.mark.parametrize("n", [12, 60])
def test_the_band_is_the_interval_and_the_line_the_mean(n, comparison_of):
    comparison = comparison_of(n)
    row = comparison.primary
    ax = deltas(comparison)
    (band,) = [p for p in ax.patches if p.get_alpha() == 0.14]
    low, size = (band.get_x(), band.get_width()) if n == 12 else (band.get_y(), band.get_height())
    assert (low, low + size) == pytest.approx((row.ci_low, row.ci_high))
    line = next(line for line in ax.lines if line.get_linewidth() == 1.1 and line.is_dashed())
    assert set(line.get_xdata() if n == 12 else line.get_ydata()) == {row.diff}


@pytest.mark.parametrize(("n", "test"), [(12, "sign"), (60, "sign"), (3, "permutation")])
def test_an_interval_of_another_hypothesis_or_without_ends_is_no_band(n, test, comparison_of):
    assert not [p for p in deltas(comparison_of(n, test=test)).patches if p.get_alpha() == 0.14]


def test_a_curve_of_wins_alone_has_one_colour():
    a = {f"q{i}": (7 * i % 1600) / 4000 for i in range(1600)}
    comparison = compare_scores(a, {query: 1.3 * value + 0.1 for query, value in a.items()})
    curves = [p for p in deltas(comparison).patches if p.get_alpha() is None]
    assert [curve.get_facecolor()[:3] for curve in curves] == [_winner(1.0)]
    values = comparison.differences()
    assert curves[0].get_xy()[1:-2, 1].min() == values.min() > 0.0


@pytest.mark.parametrize(("kind", "beside"), [("normal", True), ("constant", False)])
def test_the_mean_is_named_once(kind, beside, comparison_of):
    comparison = comparison_of(60, kind)
    ax = deltas(comparison)
    words = f"mean {comparison.mean_difference:+.3f}".replace("-", "−")
    assert (words in [text.get_text() for text in ax.texts]) is beside
    assert (words in ax.get_xlabel()) is not beside


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 60, 7000])
def test_the_bracket_counts_wins_ties_and_losses_in_proportion(n, comparison_of):
    comparison = comparison_of(n, "many ties")
    row = comparison.primary
    ax = deltas(comparison)
    words = {text.get_text().replace("\u202f", "") for text in ax.texts}
    assert {f"▲ B wins {row.wins}", f"● ties {row.ties}", f"▼ A wins {row.losses}"} <= words
    rails = [line for line in ax.lines if line.get_linewidth() == 3.5]
    shares = {line.get_color(): np.ptp(line.get_xdata()) for line in rails}
    assert shares == pytest.approx(
        {LIGHT.a: row.losses / n, LIGHT.tie: row.ties / n, LIGHT.b: row.wins / n}
    )


def test_another_measure_can_be_asked_for(comparison_of):
    comparison = comparison_of(12)
    result = bars(deltas(comparison, measure="AP"))
    expected = comparison.differences("AP").tolist()
    assert [result[i].get_width() for i in range(12)] == pytest.approx(expected)


def _winner(value: float) -> tuple[float, ...]:
    return to_rgb(LIGHT.of_outcome(int(np.sign(round(value, 10)))))


@pytest.mark.parametrize("n", [1, 60])
def test_up_to_sixty_queries_are_lines_in_the_winners_colour(n, comparison_of):
    comparison = comparison_of(n)
    joined, dots = paired(comparison).collections
    ends = np.array([line.vertices for line in joined.get_paths()])
    order = np.argsort(comparison.differences(), kind="stable")
    scores = np.column_stack([comparison.a[:, 0], comparison.b[:, 0]])[order]
    assert np.array_equal(ends[:, :, 0], np.tile([0.0, 1.0], (n, 1)))
    assert np.array_equal(ends[:, :, 1], scores)
    assert np.array_equal(dots.get_offsets()[:, 1], scores.T.ravel())
    colours = [to_rgb(LIGHT.of_outcome(int(sign))) for sign in comparison.outcomes()[order]]
    assert np.array_equal(joined.get_edgecolor()[:, :3], colours)
    assert np.array_equal(dots.get_facecolor()[:, :3], colours + colours)


@pytest.mark.parametrize("n", [61, 7000])
def test_of_more_queries_sixty_are_lines_the_best_and_the_worst_among_them(n, comparison_of):
    comparison = comparison_of(n)
    ax = paired(comparison)
    ends = np.array([line.vertices[:, 1] for line in ax.collections[0].get_paths()])
    assert len(ends) == 60
    differences = comparison.differences()
    assert np.diff(ends).ravel()[[0, -1]] == pytest.approx([differences.min(), differences.max()])
    assert ax.get_ylabel().endswith(" by Δ")


@pytest.mark.slow
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


@pytest.mark.parametrize("how", [{"test": "wilcoxon"}, {"test": "sign"}])
def test_there_is_no_interval_where_it_is_not_of_the_mean(how, comparison_of):
    assert not [x for x in paired(comparison_of(60, **how)).lines if x.get_linewidth() == 4.0]


def test_where_lower_is_better_a_falling_line_is_bs(comparison_of):
    for line in paired(comparison_of(30, measures=("Unj@10",))).lines:
        if list(line.get_xdata()) == [0.0, 1.0]:
            first, second = line.get_ydata()
            sign = int(np.sign(round(first - second, 10)))
            assert line.get_color() == LIGHT.of_outcome(sign)


def test_independent_groups_have_no_pairs_to_draw() -> None:
    groups = [{f"{name}{i}": i / 9 for i in range(9)} for name in "ab"]
    with pytest.raises(ArgumentError, match="independent groups share no unit"):
        paired(compare_scores(*groups, design=Independent()))


SIDES = {LIGHT.b: 1, LIGHT.tie: 0, LIGHT.a: -1}


def spots(ax) -> dict[int, np.ndarray]:
    result = {}
    for collection in ax.collections:
        side = next(
            s for c, s in SIDES.items() if to_rgb(c) == tuple(collection.get_facecolor()[0][:3])
        )
        result[side] = np.asarray(collection.get_offsets())
    return result


@pytest.mark.parametrize("n", [3, 250, 700])
def test_dots_are_the_scores_by_who_wins(n, comparison_of):
    comparison = comparison_of(n, "many ties")
    a, b = comparison.a[:, 0], comparison.b[:, 0]
    ax = scatter(comparison)
    signs = np.sign(np.round(b - a, 10))
    result = spots(ax)
    for side in (-1, 0, 1):
        expected = np.unique(np.column_stack([a, b])[signs == side], axis=0)
        assert np.array_equal(result.get(side, np.empty((0, 2))), expected)


def test_queries_at_one_spot_make_a_larger_dot(comparison_of):
    comparison = comparison_of(250, "discrete")
    ax = scatter(comparison)
    pairs = np.column_stack([comparison.a[:, 0], comparison.b[:, 0]])
    _, times = np.unique(pairs, axis=0, return_counts=True)
    areas = np.concatenate([collection.get_sizes() for collection in ax.collections])
    assert len(areas) == len(times)
    assert np.argmax(areas) >= 0
    assert ax.get_xlabel().endswith(f"up to {times.max()}")
    assert areas.max() / areas.min() == pytest.approx((times.max() / times.min()) ** 0.7)


def test_of_very_many_queries_so_many_are_drawn_both_ends_among_them(comparison_of):
    comparison = comparison_of(7000)
    ax = scatter(comparison)
    spots = np.concatenate([item.get_offsets() for item in ax.collections])
    assert 500 < len(spots) <= 1000
    rise, d = spots[:, 1] - spots[:, 0], comparison.differences()
    assert (rise.min(), rise.max()) == pytest.approx((d.min(), d.max()))
    assert ax.get_xlabel().replace("\u202f", "").endswith("1000 of 7000 queries, evenly by Δ")


@pytest.mark.parametrize("n", [250, 7000])
def test_axes_are_equal_and_name_the_means(n, comparison_of):
    comparison = comparison_of(n)
    row = comparison.primary
    ax = scatter(comparison)
    assert ax.get_xlim() == ax.get_ylim() == (-0.04, 1.04)
    assert ax.get_aspect() == 1.0
    assert ax.get_xlabel().startswith(f"A BM25, nDCG@10 (mean {row.mean_a:.3f})")
    assert ax.get_ylabel() == f"B monoT5, nDCG@10 (mean {row.mean_b:.3f})"
    crosses = [line for line in ax.lines if line.get_marker() == "+"]
    assert {(line.get_xdata()[0], line.get_ydata()[0]) for line in crosses} == {
        (row.mean_a, row.mean_b)
    }


def test_counts_stand_above_the_frame(comparison_of):
    comparison = comparison_of(250, "many ties")
    row = comparison.primary
    texts = [text.get_text() for text in scatter(comparison).texts]
    assert texts == [f"▲ B wins {row.wins}", f"● ties {row.ties}", f"▼ A wins {row.losses}"]


def test_scores_beyond_one_have_their_own_range(comparison_of):
    comparison = comparison_of(30)
    ax = scatter(dataclasses.replace(comparison, a=10 * comparison.a, b=10 * comparison.b))
    top = 10 * max(comparison.a[:, 0].max(), comparison.b[:, 0].max())
    assert ax.get_xlim()[1] > top > 2
    flat = dataclasses.replace(comparison, a=0 * comparison.a + 7, b=0 * comparison.b + 7)
    assert scatter(flat).get_xlim() == pytest.approx((6.72, 7.28))
