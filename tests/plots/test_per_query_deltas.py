from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Polygon, Rectangle

from abrank import compare_scores
from abrank.plots import LIGHT, deltas
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
    found = bars(ax)
    assert [found[i].get_width() for i in range(n)] == pytest.approx(values.tolist())
    assert [found[i].get_facecolor()[:3] for i in range(n)] == [_winner(v) for v in values]


@pytest.mark.parametrize("n", [25, 121, 250])
def test_more_queries_stand_sorted(n, comparison_of):
    comparison = comparison_of(n)
    values = comparison.differences()
    found = bars(deltas(comparison))
    assert sorted(found) == [i for i in range(n) if round(values[i], 10)]
    assert all(found[i].get_height() == values[i] for i in found)
    by_place = sorted(found, key=lambda i: found[i].get_x())
    assert values[by_place].tolist() == sorted(values[by_place])
    assert all(found[i].get_facecolor()[:3] == _winner(values[i]) for i in found)


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


@pytest.mark.parametrize("n", [12, 60])
def test_a_test_of_another_hypothesis_has_no_band(n, comparison_of):
    ax = deltas(comparison_of(n, test="sign"))
    assert not [p for p in ax.patches if p.get_alpha() == 0.14]


def test_a_curve_of_wins_alone_has_one_colour():
    a = {f"q{i}": (7 * i % 1600) / 4000 for i in range(1600)}
    b = {query: 1.3 * value + 0.1 for query, value in a.items()}
    comparison = compare_scores(a, b)
    curves = [p for p in deltas(comparison).patches if p.get_alpha() is None]
    assert [curve.get_facecolor()[:3] for curve in curves] == [_winner(1.0)]
    values = comparison.differences()
    assert curves[0].get_xy()[1:-2, 1].min() == values.min() > 0.0


def test_an_infinite_interval_has_no_band(comparison_of):
    ax = deltas(comparison_of(60, "constant"))
    assert not [p for p in ax.patches if p.get_alpha() == 0.14]


@pytest.mark.parametrize(("kind", "beside"), [("normal", True), ("constant", False)])
def test_the_mean_is_named_once(kind, beside, comparison_of):
    comparison = comparison_of(60, kind)
    ax = deltas(comparison)
    words = f"mean {comparison.mean_difference:+.3f}".replace("-", "−")
    assert (words in [text.get_text() for text in ax.texts]) is beside
    assert (words in ax.get_xlabel()) is not beside


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


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [
        (0, "normal", "No queries: nothing to draw."),
        (1, "identical", "the only query"),
        (60, "identical", "all 60 queries"),
    ],
)
def test_a_sentence_where_there_is_no_bar(n, kind, sentence, comparison_of):
    (text,) = deltas(comparison_of(n, kind)).texts
    assert sentence in text.get_text()


def test_another_measure_can_be_asked_for(comparison_of):
    comparison = comparison_of(12)
    found = bars(deltas(comparison, measure="AP"))
    expected = comparison.differences("AP").tolist()
    assert [found[i].get_width() for i in range(12)] == pytest.approx(expected)


def _winner(value: float) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return to_rgb(LIGHT.of_outcome(int(np.sign(round(value, 10)))))
