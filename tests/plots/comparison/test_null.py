from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from abrank.plots import LIGHT, null
from abrank.plots.comparison import null as drawing


def shares(ax) -> tuple[float, float]:
    """Areas of the near and of the far part."""
    area = {"near": 0.0, "far": 0.0}
    for shape in ax.patches:
        x, y = shape.get_xy().T
        size = abs(float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)))
        area["far" if shape.get_facecolor()[:3] == to_rgb(LIGHT.ink) else "near"] += size
    return area["near"], area["far"]


@pytest.mark.parametrize("n", [3, 10])
def test_against_theory_the_dark_share_of_all_flips_is_the_exact_p(n, comparison_of):
    comparison = comparison_of(n)
    differences = comparison.differences()
    signs = np.array(list(itertools.product([-1, 1], repeat=n)))
    exact = np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9)
    near, far = shares(null(comparison))
    assert far / (near + far) == pytest.approx(exact)


@pytest.mark.parametrize(("n", "kind"), [(60, "normal"), (250, "discrete"), (60, "one decided")])
def test_of_more_queries_it_is_a_sample_of_them(n, kind, comparison_of):
    comparison = comparison_of(n, kind, shift=0.01)
    pvalue = next(row.pvalue for row in comparison.test_rows if row.test == "permutation")
    near, far = shares(null(comparison))
    # Five standard errors of a share of 9 999 draws.
    error = 5 * np.sqrt(pvalue * (1 - pvalue) / 9999) + 1e-9
    assert far / (near + far) == pytest.approx(pvalue, abs=error)


def test_of_very_many_it_is_the_normal_curve(comparison_of, monkeypatch):
    monkeypatch.setattr(drawing, "MANY", 50)
    comparison = comparison_of(60, shift=0.01)
    pvalue = next(row.pvalue for row in comparison.test_rows if row.test == "permutation")
    ax = null(comparison)
    near, far = shares(ax)
    assert far / (near + far) == pytest.approx(pvalue, abs=0.01)
    assert "normal curve; permutation test p" in ax.get_xlabel()


def test_the_bars_of_equal_steps_are_no_comb(comparison_of):
    # All means are multiples of one step: bars of unequal numbers of steps would go up and down.
    law = drawing._law(comparison_of(250, "constant"), 0.05)
    heights = law.heights[law.heights > 0.02]
    assert np.all(np.diff(heights) < 0.03)


def test_the_observed_difference_is_marked(comparison_of):
    comparison = comparison_of(60)
    ax = null(comparison)
    (line,) = [line for line in ax.lines if line.get_linewidth() == 2.0]
    assert set(line.get_xdata()) == {comparison.mean_difference}
    shown = f"observed {comparison.mean_difference:+.3f}".replace("-", "−")
    assert shown in [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [(0, "normal", "No queries"), (1, "identical", "A and B score the same"),
     (250, "identical", "A and B score the same")],
)  # fmt: skip
def test_a_sentence_where_there_is_nothing_to_flip(n, kind, sentence, comparison_of):
    (text,) = null(comparison_of(n, kind)).texts
    assert text.get_text().startswith(sentence)
