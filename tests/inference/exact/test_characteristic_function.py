from __future__ import annotations

import numpy as np
import pytest

from abrank.inference.exact.characteristic_function import (
    SMALL_ANGLE,
    TERMS_ON_THE_GRID,
    best_tilt,
    characteristic_function,
    cumulant,
)


def product_of_cosines(sizes, counts, frequency, tilt):
    angle = np.multiply.outer(sizes, frequency)
    factors = np.cos(angle) + 1j * np.tanh(tilt * sizes)[:, None] * np.sin(angle)
    return np.prod(factors ** counts[:, None], axis=0)


@pytest.mark.parametrize("n", [1, TERMS_ON_THE_GRID, TERMS_ON_THE_GRID + 1, 700])
@pytest.mark.parametrize("tilt", [0.0, 0.4])
@pytest.mark.parametrize("largest_count", [1, 6])
def test_it_is_the_product_of_all_cosines(n, tilt, largest_count):
    random = np.random.default_rng(n)
    sizes = np.sort(random.gamma(0.5, 1.0, n))
    counts = random.integers(1, largest_count + 1, n)
    step = 0.03 / np.sqrt(counts @ sizes**2)
    # Some frequencies are small enough for the series, some beyond what is looked at.
    assert step * sizes.max() < SMALL_ANGLE
    found = characteristic_function(sizes, counts, step, 1000, tilt=tilt)
    expected = product_of_cosines(sizes, counts, step * np.arange(1, 1001), tilt)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-13)
    assert np.iscomplexobj(found) == (tilt > 0)


def test_where_the_product_is_nothing_no_more_is_multiplied():
    sizes = np.ones(300) + 1e-6 * np.arange(300)
    found = characteristic_function(sizes, np.ones(300, np.int64), 0.9, 1)
    assert np.abs(found[0]) < 1e-17


def test_the_tilt_makes_the_threshold_the_mean():
    random = np.random.default_rng(5)
    sizes, counts = random.gamma(0.5, 1.0, 40), random.integers(1, 4, 40)
    for share in (0.01, 0.5, 0.999):
        threshold = share * float(counts @ sizes)
        tilt = best_tilt(sizes, counts, threshold)
        slope = (cumulant(sizes, counts, tilt * 1.001) - cumulant(sizes, counts, tilt * 0.999)) / (
            0.002 * tilt
        )
        assert slope == pytest.approx(threshold, rel=2e-3)


def test_cumulants_of_large_tilts_do_not_overflow():
    assert cumulant(np.array([2.0]), np.array([3]), 1e6) == pytest.approx(6e6 - 3 * np.log(2))
