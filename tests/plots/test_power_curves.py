from __future__ import annotations

import numpy as np
import pytest

from abrank import planning
from abrank.plots import LIGHT, power


def curves(ax) -> list[tuple[np.ndarray, np.ndarray]]:
    return [line.get_data() for line in ax.lines if len(line.get_xdata()) > 9]


@pytest.mark.parametrize(
    ("n", "counts"), [(60, (240, 60, 15)), (3, (12, 3)), (7000, (28000, 7000, 1750))]
)
def test_curves_are_the_plans_power(n, counts, comparison_of):
    comparison = comparison_of(n)
    found = curves(power(comparison))
    assert len(found) == len(counts)
    for queries, (x, y) in zip(counts, found, strict=True):
        for i in (0, 20, 40, 80):
            effect = x[i] / comparison.planning.sd
            assert y[i] == pytest.approx(planning.power(queries, effect=effect, alpha=0.05))
            assert np.isfinite(y[i])


def test_the_dot_is_the_smallest_visible_difference(comparison_of):
    plan = comparison_of(60).planning
    ax = power(comparison_of(60))
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (plan.smallest_visible, 0.8)
    texts = [text.get_text() for text in ax.texts]
    assert f"smallest visible Δ {plan.smallest_visible:.3f}" in texts
    assert [t for t in texts if t.startswith("n =")] == ["n = 240", "n = 60", "n = 15"]


def test_a_curve_that_never_rises_has_its_name_at_the_end(comparison_of):
    ax = power(comparison_of(10))
    (name,) = [text for text in ax.texts if text.get_text() == "n = 2"]
    assert name.xy[0] == ax.get_xlim()[1]


@pytest.mark.parametrize("margin", [0.0, 0.01, 0.5])
def test_the_margin_lies_in_the_picture(margin, comparison_of):
    ax = power(comparison_of(60, margin=margin))
    bands = [p for p in ax.patches if p.get_width() == margin and margin]
    assert len(bands) == (margin > 0)
    assert ax.get_xlim()[1] > margin
    assert ("margin" in ax.get_xlabel()) is (margin > 0)


def test_these_queries_are_the_thick_line(comparison_of):
    lines = [line for line in power(comparison_of(60)).lines if len(line.get_xdata()) > 9]
    assert [line.get_color() for line in lines] == [LIGHT.muted, LIGHT.ink, LIGHT.muted]
    assert max(lines, key=lambda line: line.get_linewidth()) is lines[1]


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [(0, "normal", "No queries"), (1, "normal", "Only 1 query"), (30, "constant", "do not vary")],
)
def test_a_sentence_where_nothing_can_be_planned(n, kind, sentence, comparison_of):
    (text,) = power(comparison_of(n, kind)).texts
    assert sentence in text.get_text()
