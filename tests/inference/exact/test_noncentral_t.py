from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.inference.exact.noncentral_t import chance_above, noncentrality_interval


@pytest.mark.parametrize("freedom", [1, 2, 9, 49, 999])
def test_against_scipy(freedom):
    t, center = np.meshgrid([-15.0, -2.0, -0.1, 0.0, 0.5, 2.0, 20.0], [-20.0, -3.0, 0.0, 0.5, 30.0])
    ours, theirs = chance_above(t, freedom, center), stats.nct.sf(t, freedom, center)
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 7, 49, 300, 5000])
@pytest.mark.parametrize("center", [-3.0, -0.1, 0.0, 0.5, 3.0, 12.0])
def test_tails_of_a_test_against_scipy(freedom, center):
    # scipy's own distribution is right where its arguments are small.
    for alpha in (0.05, 1e-4):
        critical = stats.t.isf(alpha / 2, freedom)
        found = chance_above(critical, freedom, center)
        expected = stats.nct.sf(critical, freedom, center)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(
    ("t", "freedom"),
    [(0.0, 9), (2.5, 9), (-2.5, 9), (0.5, 1), (1e5, 2), (38.0, 6999), (1e4, 10**6)],
)
def test_limits_are_where_half_of_alpha_is_left(t, freedom):
    low, high = noncentrality_interval(np.array([t]), freedom, np.array([0.1]))
    assert chance_above(t, freedom, low)[0] == pytest.approx(0.05, rel=1e-8)
    assert 1.0 - chance_above(t, freedom, high)[0] == pytest.approx(0.05, rel=1e-8)


def test_large_noncentralities_against_theory():
    """With n large, T is normal about c with variance 1 + c**2 / 2 df."""
    low, high = noncentrality_interval(np.array([1000.0]), 999_999, np.array([0.05]))
    half = 1.959964 * np.sqrt(1 + 1000.0**2 / 2 / 999_999)
    assert (high - low)[0] / 2 == pytest.approx(half, rel=1e-4)
    assert (high + low)[0] / 2 == pytest.approx(1000.0, abs=0.01)
