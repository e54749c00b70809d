from __future__ import annotations

import numpy as np
import pytest

from abrank.inference.exact.inversion import align_interval_with_pvalue, invert


def test_inversion_is_unbounded_where_the_table_starts_at_alpha():
    values, table = np.arange(1.0, 5.0), np.arange(1, 6) / 5
    assert invert(values, table, table, alpha=0.2, alternative="greater") == (0.2, -np.inf, np.inf)
    assert invert(values, table, table, alpha=0.3, alternative="greater") == (0.2, 1.0, np.inf)
    assert invert(-values, table, table, alpha=0.3, alternative="less") == (0.2, -np.inf, -1.0)


@pytest.mark.parametrize(
    ("p", "low", "high", "excludes"),
    [
        (0.04, -1e-18, 1.0, True), (0.04, -1.0, 1e-18, True), (0.05, 1e-18, 1.0, False),
        (0.05, -1.0, -1e-18, False), (0.04, 0.1, 1.0, True), (np.nan, -np.inf, np.inf, False),
        (0.04, -0.1, 1.0, False), (0.2, 0.3, np.inf, True),
    ],
)  # fmt: skip
def test_the_pvalue_settles_a_limit_that_is_zero_but_for_rounding(p, low, high, excludes):
    estimate = 0.5 if abs(low) < abs(high) else -0.5
    new = align_interval_with_pvalue(
        *(np.array([value]) for value in (p, estimate, low, high, 0.05))
    )
    assert bool(new[0][0] > 0 or new[1][0] < 0) == excludes
    assert new[0][0] == pytest.approx(low, abs=1e-17)
    assert new[1][0] == pytest.approx(high, abs=1e-17)
