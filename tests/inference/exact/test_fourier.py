"""The bounds must hold the truth, and be no wider than they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.inference.exact.characteristic_function import best_tilt
from abrank.inference.exact.convolution import subset_sum_distribution
from abrank.inference.exact.fourier import (
    lattice_frequencies,
    tail_by_fourier,
    tail_by_tilting,
    tail_on_lattice,
)
from abrank.inference.exact.meet_in_middle import tail_by_meet_in_middle


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
