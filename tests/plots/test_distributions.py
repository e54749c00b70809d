"""The tests of ``abrank/plots/curves.py``: how differences spread."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from abrank import compare_scores
from abrank.plots import LIGHT, distribution
from abrank.plots import curves as drawing


def heights(ax) -> dict[float, float]:
    """Counted bars by the place of their middle."""
    return {
        round(p.get_x() + p.get_width() / 2, 9): p.get_height()
        for p in ax.patches
        if isinstance(p, Rectangle)
    }


def dots(ax) -> np.ndarray:
    return np.sort(np.concatenate([np.asarray(c.get_offsets())[:, 0] for c in ax.collections]))


@pytest.mark.parametrize("n", [1, 3, 9])
def test_few_queries_are_dots_only(n, comparison_of):
    comparison = comparison_of(n)
    ax = distribution(comparison)
    assert dots(ax) == pytest.approx(np.sort(comparison.differences()), abs=1e-9)
    assert not ax.patches


def test_cloud_box_and_drops(comparison_of):
    comparison = comparison_of(250)
    values = comparison.differences()
    ax = distribution(comparison)
    assert dots(ax) == pytest.approx(np.sort(values), abs=1e-9)
    box = {
        line.get_linewidth(): tuple(line.get_xdata())
        for line in ax.lines
        if line.get_linewidth() in (1.4, 6.0)
    }
    assert box[1.4] == pytest.approx(np.percentile(values, [5, 95]), abs=1e-9)
    assert box[6.0] == pytest.approx(np.percentile(values, [25, 75]), abs=1e-9)
    low, middle, high = (f"{v:+.3f}".replace("-", "−") for v in np.percentile(values, [25, 50, 75]))
    text = f"median {middle}, middle half {low} to {high}; line: 5% to 95%"
    assert ax.get_xlabel().endswith(f"\n{text}")


def test_the_cloud_changes_colour_at_zero(comparison_of):
    left, right = distribution(comparison_of(250)).patches
    assert left.get_facecolor()[:3] == to_rgb(LIGHT.a)
    assert right.get_facecolor()[:3] == to_rgb(LIGHT.b)
    assert left.get_xy()[:, 0].max() == right.get_xy()[:, 0].min() == 0.0


def test_thousands_of_drops_are_a_sample_with_both_ends(comparison_of):
    comparison = comparison_of(7000)
    values = comparison.differences()
    visible = dots(distribution(comparison))
    assert len(visible) == drawing.STRIP
    assert (visible[0], visible[-1]) == pytest.approx((values.min(), values.max()), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n", [24, 7000])
def test_few_values_are_counted(n, comparison_of):
    comparison = comparison_of(n, "discrete")
    values, counts = np.unique(comparison.differences(), return_counts=True)
    ax = distribution(comparison)
    assert heights(ax) == pytest.approx(dict(zip(values, counts, strict=True)))
    bars = {p.get_x() + p.get_width() / 2: p.get_facecolor()[:3] for p in ax.patches}
    assert all(
        colour == to_rgb(LIGHT.of_outcome(int(np.sign(round(x, 9))))) for x, colour in bars.items()
    )
    assert ax.get_ylabel() == "queries"


def test_many_ties_have_a_bar_of_their_own(comparison_of):
    comparison = comparison_of(250, "many ties")
    row = comparison.primary
    ax = distribution(comparison)
    result = heights(ax)
    assert sum(v for x, v in result.items() if x > 0) == row.wins
    assert sum(v for x, v in result.items() if x < 0) == row.losses
    assert result[0.0] == pytest.approx(min(row.ties, 1.3 * max(v for x, v in result.items() if x)))
    cut = " (bar cut)" if result[0.0] < row.ties else ""
    assert f"{row.ties} ties{cut}" in [text.get_text() for text in ax.texts]


def test_a_heap_that_is_not_at_zero_is_a_histogram(comparison_of):
    import dataclasses

    comparison = comparison_of(100)
    b = comparison.b.copy()
    b[:40] = comparison.a[:40] + 0.25
    result = heights(distribution(dataclasses.replace(comparison, b=b)))
    assert 0.0 not in result
    assert max(result.values()) >= 40
    assert sum(result.values()) == 100


def test_a_cloud_far_from_zero_has_one_colour():
    a = {f"q{i}": (7 * i % 250) / 1000 for i in range(250)}
    result = compare_scores(a, {query: 1.1 * value + 0.5 for query, value in a.items()})
    (cloud,) = distribution(result).patches
    assert cloud.get_facecolor()[:3] == to_rgb(LIGHT.b)


def test_more_values_than_nine_are_counted_without_numbers():
    a = {f"q{i}": 0.5 for i in range(60)}
    ax = distribution(compare_scores(a, {query: 0.4 + i % 12 / 50 for i, query in enumerate(a)}))
    assert list(heights(ax).values()) == [5.0] * 12
    assert not [text for text in ax.texts if text.get_text().isdigit()]


def test_a_heap_beside_wins_alone():
    a = {f"q{i}": 0.3 for i in range(90)}
    b = {query: 0.35 if i < 40 else 0.3 + i / 200 for i, query in enumerate(a)}
    ax = distribution(compare_scores(a, b))
    assert {p.get_facecolor()[:3] for p in ax.patches} == {to_rgb(LIGHT.b)}
    assert sum(heights(ax).values()) == 90
