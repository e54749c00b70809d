from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.plots import LIGHT, pvalue


def curve(ax) -> np.ndarray:
    (line,) = [line for line in ax.lines if len(line.get_xdata()) > 9]
    return np.array(line.get_data())


@pytest.mark.parametrize("n", [2, 60, 7000])
def test_against_scipy_the_curve_is_the_p_of_every_shift(n, comparison_of):
    differences = comparison_of(n).differences()
    x, p = curve(pvalue(comparison_of(n)))
    for i in range(0, len(x), 20):
        assert p[i] == pytest.approx(stats.ttest_1samp(differences, x[i]).pvalue)
    assert p.max() == pytest.approx(1.0)


@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
def test_the_interval_lies_on_the_line_at_alpha(shift, comparison_of):
    comparison = comparison_of(60, shift=shift)
    row = comparison.primary
    ax = pvalue(comparison)
    (bar,) = [line for line in ax.lines if line.get_linewidth() == 4.0]
    assert bar.get_xdata() == pytest.approx([row.ci_low, row.ci_high])
    assert set(bar.get_ydata()) == {0.05}
    assert bar.get_color() == LIGHT.of_reading(row.reading)
    at_zero = ax.lines[-1]
    assert at_zero.get_ydata()[0] == pytest.approx(row.pvalue)


def test_it_is_the_t_test_whatever_decides(comparison_of):
    by_sign = curve(pvalue(comparison_of(60, test="sign")))
    found = curve(pvalue(comparison_of(60)))
    assert np.array_equal(by_sign, found)


def test_the_margin_belongs_to_the_primary_measure(comparison_of):
    assert "band: margin ±0.010" in pvalue(comparison_of(60)).get_xlabel()
    assert "band" not in pvalue(comparison_of(60), measure="AP").get_xlabel()


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [
        (0, "normal", "No queries"),
        (1, "normal", "Only 1 query"),
        (30, "constant", "The difference is +0.050 on every query"),
    ],
)
def test_a_sentence_where_there_is_no_p(n, kind, sentence, comparison_of):
    (text,) = pvalue(comparison_of(n, kind)).texts
    assert text.get_text().startswith(sentence)
