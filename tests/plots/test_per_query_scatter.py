from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import PathPatch

from abrank.plots import LIGHT, scatter

SIDES = {LIGHT.b: 1, LIGHT.tie: 0, LIGHT.a: -1}


def spots(ax) -> dict[int, np.ndarray]:
    found = {}
    for drawn in ax.collections:
        side = next(s for c, s in SIDES.items() if to_rgb(c) == tuple(drawn.get_facecolor()[0][:3]))
        found[side] = np.asarray(drawn.get_offsets())
    return found


@pytest.mark.parametrize("n", [3, 250, 700])
def test_dots_are_the_scores_by_who_wins(n, comparison_of):
    comparison = comparison_of(n, "many ties")
    a, b = comparison.a[:, 0], comparison.b[:, 0]
    ax = scatter(comparison)
    signs = np.sign(np.round(b - a, 10))
    found = spots(ax)
    for side in (-1, 0, 1):
        expected = np.unique(np.column_stack([a, b])[signs == side], axis=0)
        assert np.array_equal(found.get(side, np.empty((0, 2))), expected)


def test_queries_at_one_spot_make_a_larger_dot(comparison_of):
    comparison = comparison_of(250, "discrete")
    ax = scatter(comparison)
    pairs = np.column_stack([comparison.a[:, 0], comparison.b[:, 0]])
    _, times = np.unique(pairs, axis=0, return_counts=True)
    areas = np.concatenate([drawn.get_sizes() for drawn in ax.collections])
    assert len(areas) == len(times)
    assert np.argmax(areas) >= 0
    assert ax.get_xlabel().endswith(f"up to {times.max()}")
    assert areas.max() / areas.min() == pytest.approx((times.max() / times.min()) ** 0.7)


def test_very_many_queries_are_counted_in_hexagons(comparison_of):
    comparison = comparison_of(7000)
    ax = scatter(comparison)
    cells = [patch for patch in ax.patches if isinstance(patch, PathPatch)]
    assert not ax.collections
    assert 6 < len(cells) <= 18
    alphas = {patch.get_alpha() for patch in cells}
    assert max(alphas) == 1.0
    assert min(alphas) == pytest.approx(0.25)
    assert "1 to " in ax.get_xlabel()
    # Cells well above the diagonal are B's, those well below A's.
    for patch in cells:
        corners = patch.get_path().vertices
        rise = corners[:, 1] - corners[:, 0]
        if patch.get_facecolor()[:3] == to_rgb(LIGHT.b):
            assert rise.min() > -0.1
        if patch.get_facecolor()[:3] == to_rgb(LIGHT.a):
            assert rise.max() < 0.1


def test_a_cell_of_ties_is_a_ties(comparison_of):
    comparison = comparison_of(7000, "one decided")
    ax = scatter(comparison)
    colours = {patch.get_facecolor()[:3] for patch in ax.patches if isinstance(patch, PathPatch)}
    assert colours <= {to_rgb(LIGHT.tie), to_rgb(LIGHT.b)}
    assert to_rgb(LIGHT.tie) in colours


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
    import dataclasses

    made = comparison_of(30)
    ax = scatter(dataclasses.replace(made, a=10 * made.a, b=10 * made.b))
    top = 10 * max(made.a[:, 0].max(), made.b[:, 0].max())
    assert ax.get_xlim()[1] > top > 2
    flat = dataclasses.replace(made, a=0 * made.a + 7, b=0 * made.b + 7)
    assert scatter(flat).get_xlim() == pytest.approx((6.72, 7.28))


def test_no_queries_make_a_sentence(comparison_of):
    assert [t.get_text() for t in scatter(comparison_of(0)).texts] == [
        "No queries: nothing to draw."
    ]
