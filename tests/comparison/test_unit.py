"""Scores in another unit: the same verdict, p-values and wins."""

import numpy as np
import pytest

from abrank import compare_scores


def two_systems(factor=1.0):
    random = np.random.default_rng(11)
    a = np.round(random.uniform(0.2, 0.8, 30), 4)
    b = np.round(a + random.normal(0.03, 0.08, 30), 4)
    b[:5] = a[:5]
    return tuple({f"q{i}": float(x) * factor for i, x in enumerate(item)} for item in (a, b))


@pytest.mark.parametrize("factor", [1e-9, 2.0**-40, 1e6])
def test_the_unit_of_the_scores_changes_no_p_no_win_and_no_verdict(factor):
    plain, scaled = (compare_scores(*two_systems(item)) for item in (1.0, factor))
    assert scaled.verdict == plain.verdict
    row, second = plain.rows[0], scaled.rows[0]
    assert (second.wins, second.ties, second.losses) == (row.wins, row.ties, row.losses)
    assert row.ties == 5
    for test_row, two in zip(plain.test_rows, scaled.test_rows, strict=True):
        assert two.pvalue == pytest.approx(test_row.pvalue, rel=1e-9)
        assert two.method == test_row.method
