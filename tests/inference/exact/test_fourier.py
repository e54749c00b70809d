"""The tests of ``abrank/inference/exact/fourier.py``."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from abrank.inference.exact.fourier import (
    SMALL_ANGLE,
    TERMS_ON_THE_GRID,
    best_tilt,
    characteristic_function,
    cumulant,
    find_root,
    lattice_frequencies,
    tail_by_fourier,
    tail_by_tilting,
    tail_on_lattice,
)
from abrank.inference.exact.signed_sums import subset_sum_distribution, tail_by_meet_in_middle

# --- The bounds must hold the truth, and be no wider than they say


def samples(n_sizes, largest_count):
    random = np.random.default_rng(11)
    for i in range(6):
        sizes = random.gamma((0.3, 1.0, 5.0)[i % 3], 0.2, n_sizes)
        yield sizes, random.integers(1, largest_count + 1, n_sizes)


@pytest.mark.parametrize(("n_sizes", "largest_count"), [(1, 9), (5, 4), (20, 1), (24, 1)])
@pytest.mark.parametrize("n_frequencies", [16, 5000])
def test_bounds_hold_the_tail(n_sizes, largest_count, n_frequencies):
    for sizes, counts in samples(n_sizes, largest_count):
        total = float(counts @ sizes)
        for share in (0.0, 0.02, 0.2, 0.6, 0.95):
            truth = tail_by_meet_in_middle(sizes, counts, share * total * (1 - 1e-12))
            found = tail_by_fourier(sizes, counts, share * total, n_frequencies=n_frequencies)
            assert found.low <= truth <= found.high
            assert found.low <= found.value <= found.high


@pytest.mark.parametrize(("n_sizes", "largest_count"), [(2, 9), (20, 1), (24, 1)])
@pytest.mark.parametrize("n_frequencies", [16, 3000])
def test_tilted_bounds_hold_the_tail(n_sizes, largest_count, n_frequencies):
    for sizes, counts in samples(n_sizes, largest_count):
        total = float(counts @ sizes)
        for share in (0.1, 0.5, 0.9, 0.99):
            truth = tail_by_meet_in_middle(sizes, counts, share * total)
            # Any tilt will do; the best gives the narrowest bounds.
            for times in (0.5, 1.0, 2.0):
                found = tail_by_tilting(
                    sizes, counts, share * total, n_frequencies=n_frequencies,
                    tilt=times * best_tilt(sizes, counts, share * total),
                )  # fmt: skip
                assert found.low <= truth <= found.high


@pytest.mark.parametrize("z", [0.0, 0.7, 2.0, 4.0])
def test_a_smooth_law_is_found_to_many_digits(z):
    sizes, counts = np.sqrt(np.arange(1.0, 2001.0)), np.ones(2000, np.int64)
    threshold = z * np.sqrt(sizes @ sizes)
    coarse, fine = (
        tail_by_fourier(sizes, counts, threshold, n_frequencies=n) for n in (2**13, 2**17)
    )
    assert coarse.value == pytest.approx(fine.value, rel=1e-5)
    assert fine.high - fine.low < (coarse.high - coarse.low) / 15
    # Edgeworth: the kurtosis of the sum moves the normal tail by less than 1e-4 of a density.
    assert fine.value == pytest.approx(stats.norm.sf(z), abs=2e-4)


@pytest.mark.parametrize("wins", [130, 160, 199, 200])
def test_a_small_tail_is_found_relative_to_itself(wins):
    counts, threshold = np.array([200]), float(2 * wins - 201)
    truth = stats.binom.sf(wins - 1, 200, 0.5)
    tilt = best_tilt(np.ones(1), counts, threshold)
    found = tail_by_tilting(np.ones(1), counts, threshold, tilt=tilt, n_frequencies=2**17)
    assert found.low <= truth <= found.high
    assert found.high - found.low < 0.01 * truth
    assert found.value == pytest.approx(truth, rel=1e-4)


def test_on_a_lattice_it_is_exact():
    random = np.random.default_rng(2)
    for _ in range(20):
        numbers = np.unique(random.integers(1, 30, int(random.integers(1, 9))))
        counts = random.integers(1, 40, numbers.size)
        total = int(counts @ numbers)
        law = subset_sum_distribution(np.repeat(numbers, counts), total)
        for lost in {0, total // 5, total // 3, total // 2}:
            truth = law[: lost + 1].sum()
            found = tail_on_lattice(numbers, counts, total - 2 * lost)
            assert found.low <= truth <= found.high
            assert found.value == pytest.approx(truth, abs=2e-13)
            assert found.high - found.low < 1e-12
            assert lattice_frequencies(numbers, counts, total - 2 * lost) <= total


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


# --- Roots between limits, against scipy and closed forms


def curve(x, root, steepness):
    return np.tanh(steepness * (x - root)) + (x - root) ** 3


def test_against_scipy():
    rng = np.random.default_rng(1)
    root, steepness = rng.normal(size=200), 10.0 ** rng.uniform(-2, 2, 200)
    found = find_root(lambda x: curve(x, root, steepness), np.full(200, -9.0), np.full(200, 9.0))
    expected = [brentq(curve, -9.0, 9.0, given) for given in zip(root, steepness, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_a_number_gives_numbers_to_the_function():
    seen = []

    def function(x):
        seen.append(type(x))
        return x**2 - 2.0

    assert float(find_root(function, 0.0, 2.0)) == pytest.approx(2**0.5, rel=1e-15)
    assert all(issubclass(each, float) for each in seen)
    assert len(seen) < 15


@pytest.mark.parametrize("limits", [(3.0, 9.0), (0.0, 3.0)])
def test_a_root_at_a_limit_is_found(limits):
    assert float(find_root(lambda x: x - 3.0, *limits)) == 3.0


def test_a_step_is_found_within_the_tolerance():
    found = float(find_root(lambda x: np.sign(x - 1 / 3), 0.0, 1.0, xtol=1e-6, rtol=0.0))
    assert abs(found - 1 / 3) <= 1e-6


def test_no_root_between_the_limits_is_an_error():
    with pytest.raises(ValueError, match="one sign"):
        find_root(lambda x: x + 1.0, 0.0, 1.0)
