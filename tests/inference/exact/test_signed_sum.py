from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.inference.exact import signed_sum
from abrank.inference.exact.convolution import subset_sum_distribution
from abrank.inference.exact.fourier import Bracket
from abrank.inference.exact.signed_sum import SMALL, lattice_tail, upper_tail


def by_convolution(numbers, threshold):
    return float(subset_sum_distribution(numbers, (int(numbers.sum()) - threshold) // 2).sum())


@pytest.mark.parametrize(("n", "decimals"), [(50, 5), (250, 4), (1000, 3)])
@pytest.mark.parametrize("z", [0.3, 2.0, 3.5, 6.0, 8.0])
def test_bounds_of_reals_hold_what_the_convolution_of_decimals_finds(n, decimals, z):
    random = np.random.default_rng(n)
    numbers = np.rint(random.gamma(0.5, 0.15 * 10**decimals, n)).astype(np.int64) + 1
    total = int(numbers.sum())
    threshold = total - 2 * ((total - int(z * np.sqrt((numbers**2).sum()))) // 2)
    if threshold >= total:
        threshold = total - 2 * int(numbers.min()) - 2
    truth = by_convolution(numbers, threshold)
    sizes, counts = np.unique(numbers / 10.0**decimals, return_counts=True)
    found = upper_tail(sizes, counts, threshold / 10.0**decimals, slack=1e-9)
    assert found.low <= truth <= found.high
    assert found.high - found.low < max(0.02 * truth, 1e-6)
    assert found.value == pytest.approx(truth, rel=5e-3)
    quick = upper_tail(sizes, counts, threshold / 10.0**decimals, slack=1e-9, quick=True)
    assert quick.low <= truth <= quick.high


def test_a_lattice_too_long_for_convolution_is_transformed(monkeypatch):
    random = np.random.default_rng(8)
    numbers, counts = np.arange(1, 10), random.integers(20, 60, 9)
    spread = np.sqrt(counts @ numbers**2)
    total = int(counts @ numbers)
    for z in (0.5, 3.0, 7.0):
        threshold = total - 2 * int((total - z * spread) / 2)
        for strict in (False, True):
            truth = lattice_tail(numbers, counts, threshold, strict=strict)
            assert truth.low == truth.high
            with monkeypatch.context() as patch:
                patch.setattr(signed_sum, "ADDITIONS", 0)
                found = lattice_tail(numbers, counts, threshold, strict=strict)
            assert found.low <= truth.value <= found.high
            if truth.value > SMALL:
                assert found.value == pytest.approx(truth.value, abs=1e-12)
            else:
                assert found.value == pytest.approx(truth.value, rel=5e-3)


@pytest.mark.parametrize("n_sums", [1 << 16, 0])
def test_ends_of_the_law(monkeypatch, n_sums):
    monkeypatch.setattr(signed_sum, "SUMS_OF_A_HALF", n_sums)
    sizes, counts = np.array([0.2, 0.3, 0.5]), np.array([1, 2, 1])
    least = Bracket(1 / 16, 1 / 16, 1 / 16)
    assert upper_tail(sizes, counts, 1.3, slack=1e-9) == least
    assert upper_tail(sizes, counts, 1.1, slack=1e-9, strict=True) == least
    assert upper_tail(sizes, counts, 1.3, slack=1e-9, strict=True) == Bracket(0.0, 0.0, 0.0)
    assert upper_tail(sizes, counts, 1.4, slack=1e-9) == Bracket(0.0, 0.0, 0.0)
    found = upper_tail(sizes, counts, 0.9, slack=1e-9)
    assert found.low <= 2 / 16 <= found.high
    assert lattice_tail(np.array([2, 3, 5]), counts, 13, strict=True).high == 0.0


def test_one_outlier_deceives_nobody():
    """The normal law takes for ordinary what is rare: one difference has nearly all variance."""
    sizes = np.append(np.linspace(0.01, 0.02, 60), 5.0)
    counts = np.ones(61, np.int64)
    threshold = 5.0 + 0.9 * sizes[:60].sum()
    assert stats.norm.sf(threshold / np.sqrt(sizes @ sizes)) > 0.1
    # The outlier must have plus, and the others reach nine tenths of their sum.
    others = upper_tail(sizes[:60], counts[:60], threshold - 5.0, slack=1e-12)
    found = upper_tail(sizes, counts, threshold, slack=1e-12)
    assert others.value < 1e-9
    assert found.low <= others.value / 2 <= found.high
