"""Where lower scores are better, geometry stays B - A, and words and colours change sides."""

import dataclasses

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from abrank.comparison import compare_scores
from abrank.plots import DARK, LIGHT, deltas, distribution, forest, scatter

LOWER = ("RBPResid", "Unj@10", "AP")


def words(ax) -> dict[str, str]:
    return {text.get_text(): text.get_color() for text in ax.texts}


def fills(ax) -> dict[float, tuple[float, ...]]:
    """Colours of bars by the sign of what they stand for."""
    bars = [p for p in ax.get_children() if (p.get_gid() or "").startswith("query-")]
    return {
        float(np.sign(p.get_width() if p.get_x() == 0.0 else p.get_height())): p.get_facecolor()[:3]
        for p in bars
    }


@pytest.mark.parametrize("draw", [forest, deltas, distribution])
def test_the_words_above_the_axis_change_sides(draw, comparison_of):
    result = words(draw(comparison_of(12, measures=LOWER[:2])))
    assert result["◂ B better"] == LIGHT.b
    assert result["A better ▸"] == LIGHT.a
    assert "B better ▸" not in result


def test_on_an_axis_of_gains_and_costs_nobody_is_better_at_one_side(comparison_of):
    result = words(forest(comparison_of(12, measures=LOWER)))
    assert {"◂ B higher", "A higher ▸"} <= {*result}
    assert not any("better" in text for text in result)


def test_where_a_margin_decides_the_glyph_is_that_of_the_verdict():
    a = {f"q{i}": i / 40 for i in range(40)}
    b = {query: score + 0.001 * (-1) ** i for i, (query, score) in enumerate(a.items())}
    result = compare_scores(a, b, margin=0.01)
    assert (result.verdict, {"=", "?"} & {*words(forest(result))}) == ("same", {"="})


@pytest.mark.parametrize("n", [12, 60])
def test_bars_have_the_colour_of_who_wins(n, comparison_of):
    comparison = comparison_of(n, measures=LOWER)
    ax = deltas(comparison)
    assert fills(ax) == {-1.0: to_rgb(LIGHT.b), 1.0: to_rgb(LIGHT.a)}
    row = comparison.primary
    # What stands under the bars is in the order of the bars of a sorted picture.
    tally = [t.get_text() for t in ax.texts if "wins" in t.get_text() or "ties" in t.get_text()]
    assert tally == [f"▲ B wins {row.wins}", f"● ties {row.ties}", f"▼ A wins {row.losses}"]
    assert row.losses == np.sum(comparison.differences() > 0)


@pytest.mark.slow
def test_a_curve_of_very_many_has_them_too(comparison_of):
    ax = deltas(comparison_of(7000, measures=LOWER))
    shapes = {
        float(np.sign(p.get_xy()[:, 1].sum())): p.get_facecolor()[:3]
        for p in ax.patches
        if p.get_alpha() is None and len(p.get_xy()) > 9
    }
    assert shapes == {-1.0: to_rgb(LIGHT.b), 1.0: to_rgb(LIGHT.a)}


def test_the_cloud_changes_colours(comparison_of):
    left, right = distribution(comparison_of(250, measures=LOWER)).patches
    assert left.get_facecolor()[:3] == to_rgb(LIGHT.b)
    assert right.get_facecolor()[:3] == to_rgb(LIGHT.a)


def test_below_the_diagonal_b_wins(comparison_of):
    ax = scatter(comparison_of(60, measures=LOWER))
    for collection in ax.collections:
        places = np.asarray(collection.get_offsets())
        below = places[:, 1] < places[:, 0]
        expected = LIGHT.b if below.all() else LIGHT.a
        assert below.all() or not below.any()
        assert tuple(collection.get_facecolor()[0][:3]) == to_rgb(expected)
    assert [text.get_text()[0] for text in ax.texts] == ["▼", "●", "▲"]


@pytest.mark.parametrize("shift", [-0.2, 0.2])
def test_colours_of_intervals_follow_the_reading(shift, comparison_of):
    comparison = comparison_of(60, measures=LOWER, shift=shift)
    better = shift < 0
    assert comparison.primary.reading == ("better" if better else "worse")
    assert [row.reading == "better" for row in comparison.rows] == [better, better, not better]
    colours = {"better": LIGHT.b, "worse": LIGHT.a}
    dots = [line for line in forest(comparison).lines if line.get_marker() in ("o", "D")]
    assert [dot.get_color() for dot in dots] == [colours[row.reading] for row in comparison.rows]


def test_a_measure_that_points_the_other_way_is_marked(comparison_of):
    ax = forest(comparison_of(60, measures=LOWER))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["RBPResid", "Unj@10", "AP ↑"]
    assert ax.get_xlabel().endswith("↑ higher is better: right of 0 B is better")
    mixed = forest(comparison_of(60, measures=("AP", "Unj@10")))
    assert [label.get_text() for label in mixed.get_yticklabels()] == ["AP", "Unj@10 ↓"]
    assert mixed.get_xlabel().endswith("↓ lower is better: left of 0 B is better")


def test_digits_are_those_of_the_call_or_the_theme(comparison_of):
    comparison = comparison_of(60)
    said = f"{comparison.primary.estimate:+.5f}".replace("-", "−")
    themed = forest(comparison, theme=dataclasses.replace(DARK, digits=5))
    for ax in (comparison.plot.forest(digits=5).axes, themed):
        assert said in [text.get_text() for text in ax.texts]
