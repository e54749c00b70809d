"""The exact test of one sample by every route, against going through all signs."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from abrank.inference import sign_flips
from abrank.inference.rounding import to_lattice
from abrank.inference.sign_flips import (
    FLIPS_AT_ONCE,
    NUMBERS_BETWEEN_SCALINGS,
    QUERIES_AT_ONCE,
    SMALL,
    composed_flips,
    flip_signs,
    invert_means,
    lattice_tail,
    random_subsets,
    sign_flip_test,
    subset_mean_distribution,
    subset_sum_distribution,
    upper_tail,
)
from abrank.inference.student import Bracket


def samples(n_samples, largest):
    """Ties, zeros, fractions, an outlier, one value, and numbers without any pattern."""
    random = np.random.default_rng(16)
    for i in range(n_samples):
        n = int(random.integers(2, largest + 1))
        d = (
            random.integers(-3, 5, n) / 10,
            random.integers(-2, 4, n) * random.integers(0, 2, n) / 3,
            np.append(random.normal(0.02, 0.02, n - 1), 3.0),
            np.full(n, 0.1),
            np.round(random.normal(0.05, 0.2, n), 4),
            random.normal(0.1, 0.3, n),
        )[i % 6]
        if d.any():
            yield d


def enumerated(d, alternative):
    sums = np.array(list(product((1, -1), repeat=d.size))) @ d
    observed, noise = d.sum(), 1e-9
    return {
        "two-sided": np.mean(np.abs(sums) >= abs(observed) - noise),
        "greater": np.mean(sums >= observed - noise),
        "less": np.mean(sums <= observed + noise),
    }[alternative]


def ask(d, alternative, alpha=0.05):
    numbers, unit = to_lattice(d[:, None])
    return sign_flip_test(numbers[:, 0], float(unit[0]), alpha=alpha, alternative=alternative)


@pytest.mark.slow
def test_bounds_hold_the_pvalue_where_nothing_else_is_allowed(monkeypatch):
    monkeypatch.setattr(sign_flips, "MAX_ADDITIONS", 0)
    monkeypatch.setattr(sign_flips, "SUMS_OF_A_HALF", 0)
    monkeypatch.setattr(sign_flips, "MAX_FREQUENCIES", 4096)
    for d in samples(60, 10):
        for alternative in ALTERNATIVES:
            result, truth = ask(d, alternative)[0], enumerated(d, alternative)
            assert result.low - 1e-12 <= truth <= result.high + 1e-12


@pytest.mark.slow
def test_limits_of_every_route_are_the_subset_means(monkeypatch):
    """Listed as multiples of a step, or searched by meeting halves; order statistics otherwise."""
    compared = 0
    for d in samples(60, 12):
        numbers, unit = to_lattice(d[:, None])
        error = d.std() / np.sqrt(d.size)
        for alternative, alpha in (("two-sided", 0.05), ("greater", 0.1), ("less", 0.1)):
            expected = all_flips(numbers, unit, alpha, alternative)
            for maximum in (sign_flips.MEAN_ADDITIONS, 0):
                with monkeypatch.context() as patch:
                    patch.setattr(sign_flips, "MEAN_ADDITIONS", maximum)
                    _, *limits = ask(d, alternative, alpha)
                np.testing.assert_allclose(
                    limits, expected[1:, 0], rtol=1e-9, atol=2e-4 * error + 1e-10
                )
                compared += int(np.isfinite(limits).sum())
    assert compared > 200


@pytest.mark.parametrize("n", [40, 300])
def test_limits_are_where_the_test_of_the_shifted_sample_turns(n):
    d = np.random.default_rng(n).gamma(0.5, 0.2, n) - 0.08
    error = 1e-3 * d.std() / np.sqrt(n)
    for alternative in ALTERNATIVES:
        _, low, high = ask(d, alternative)
        for end, inwards in ((low, error), (high, -error)):
            if np.isfinite(end):
                assert ask(d - (end + inwards), alternative)[0].value > 0.05
                assert ask(d - (end - inwards), alternative)[0].value < 0.05


def test_a_limit_never_contradicts_the_pvalue():
    """With alpha set to the p-value itself 0 is in the interval; a little above, it is out."""
    random = np.random.default_rng(9)
    for n in (18, 40, 120):
        for d in (random.normal(0.1, 0.3, n), random.integers(-3, 5, n) / 10):
            for alternative in ALTERNATIVES:
                p = ask(d, alternative)[0].value
                _, low, high = ask(d, alternative, p)
                assert low <= 0.0 <= high
                _, low, high = ask(d, alternative, min(p * (1 + 1e-9), 1 - 1e-9))
                assert low > 0.0 or high < 0.0


ALTERNATIVES = ("two-sided", "greater", "less")


def draw(d, *, alpha=0.05, alternative="two-sided", n_flips=9_999):
    numbers, unit = to_lattice(np.reshape(d, (len(d), -1)))
    values, precision, _ = flip_signs(
        numbers, unit, alpha=np.full(numbers.shape[1], alpha), alternative=alternative,
        n_flips=n_flips, seed=7, exact=False,
    )  # fmt: skip
    return np.vstack([values, precision[2:]])


def all_flips(numbers, unit, alpha, alternative):
    return flip_signs(
        numbers, unit, alpha=np.array([alpha]), alternative=alternative, n_flips=1, seed=0
    )[0]


def test_the_limit_is_unbounded_where_no_count_is_below_alpha():
    means = np.arange(1.0, 5.0)  # and the empty subset
    assert invert_means(means, 5, alpha=0.2, alternative="greater") == (0.2, -np.inf, np.inf)
    assert invert_means(means, 5, alpha=0.3, alternative="greater") == (0.2, 1.0, np.inf)
    assert invert_means(-means, 5, alpha=0.3, alternative="less") == (0.2, -np.inf, -1.0)


def test_the_formula_of_the_drawn_pvalue():
    """37 of 9,999 flips reach the mean: p = 38 / 10,000 (Phipson & Smyth 2010)."""
    result = draw(np.random.default_rng(2).normal(0.08, 0.2, 45))
    b = result[0, 0] * 10_000 - 1
    assert b == pytest.approx(round(b), abs=1e-6)
    assert b >= 1
    assert result[3, 0] == pytest.approx(np.sqrt(result[0, 0] * (1 - result[0, 0]) / 9_999))
    # No flip reaches it: the smallest p there is, not 0.
    assert draw(np.full(40, 0.1))[0, 0] == 1 / 10_000


def test_against_enumeration():
    random = np.random.default_rng(4)
    for _ in range(20):
        terms = np.sort(random.integers(-4, 7, int(random.integers(1, 11))))
        means, chances = subset_mean_distribution(*np.unique(terms, return_counts=True))
        values = np.array(list(product((0, 1), repeat=terms.size)))
        size = values.sum(axis=1)
        listed = (values @ terms)[size > 0] / size[size > 0]
        assert means[0] == -np.inf
        assert chances[0] == 0.5**terms.size
        np.testing.assert_allclose(means[1:], np.unique(listed.round(12)), atol=1e-11)
        for mean, chance in zip(means[1:], chances[1:], strict=True):
            count = 1 + np.count_nonzero(listed <= mean + 1e-9)
            assert chance == pytest.approx(count / 2**terms.size, rel=1e-12)


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
    tail = upper_tail(sizes, counts, threshold / 10.0**decimals, slack=1e-9)
    assert tail.low <= truth <= tail.high
    assert tail.high - tail.low < max(0.02 * truth, 1e-6)
    assert tail.value == pytest.approx(truth, rel=5e-3)
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
                patch.setattr(sign_flips, "MAX_ADDITIONS", 0)
                tail = lattice_tail(numbers, counts, threshold, strict=strict)
            assert tail.low <= truth.value <= tail.high
            if truth.value > SMALL:
                assert tail.value == pytest.approx(truth.value, abs=1e-12)
            else:
                assert tail.value == pytest.approx(truth.value, rel=5e-3)


@pytest.mark.parametrize("n_sums", [1 << 16, 0])
def test_ends_of_the_law(monkeypatch, n_sums):
    monkeypatch.setattr(sign_flips, "SUMS_OF_A_HALF", n_sums)
    sizes, counts = np.array([0.2, 0.3, 0.5]), np.array([1, 2, 1])
    bracket = Bracket(1 / 16, 1 / 16, 1 / 16)
    assert upper_tail(sizes, counts, 1.3, slack=1e-9) == bracket
    assert upper_tail(sizes, counts, 1.1, slack=1e-9, strict=True) == bracket
    assert upper_tail(sizes, counts, 1.3, slack=1e-9, strict=True) == Bracket(0.0, 0.0, 0.0)
    assert upper_tail(sizes, counts, 1.4, slack=1e-9) == Bracket(0.0, 0.0, 0.0)
    tail = upper_tail(sizes, counts, 0.9, slack=1e-9)
    assert tail.low <= 2 / 16 <= tail.high
    assert lattice_tail(np.array([2, 3, 5]), counts, 13, strict=True).high == 0.0


def test_the_flips_of_a_large_run_are_its_first_ones():
    numbers = np.random.default_rng(1).integers(-9, 9, (QUERIES_AT_ONCE + 13, 2))
    few, sizes = random_subsets(numbers, 10, seed=4)
    is_many, more_sizes = random_subsets(numbers, FLIPS_AT_ONCE + 10, seed=4)
    np.testing.assert_array_equal(is_many[:, :10], few)
    np.testing.assert_array_equal(more_sizes[:10], sizes)
    assert np.abs(more_sizes - len(numbers) / 2).max() < 6 * np.sqrt(len(numbers)) / 2
    # Rows of the same bit of two parts agree half of the time: no byte is used twice.
    ones = np.ones((len(numbers), 3), np.int64)
    ones[1:, 0] = ones[:QUERIES_AT_ONCE, 1] = ones[QUERIES_AT_ONCE + 1 :, 1] = 0
    (first, second, all_rows), sizes = random_subsets(ones, 4000, seed=4)
    np.testing.assert_array_equal(all_rows, sizes)
    assert abs(np.mean(first == second) - 0.5) < 4 * np.sqrt(0.25 / 4000)


@pytest.mark.slow
def test_composed_flips_are_a_group_of_fair_and_pairwise_independent_flips():
    n, n_generators = 60, 6
    # One row at a time: its sum is its sign under each flip.
    rows = np.eye(n, dtype=np.int64)
    signs = np.stack([composed_flips(row, n_generators, seed=5) for row in rows], axis=1)
    assert set(signs.ravel().tolist()) == {-1, 1}
    assert (signs[0] == 1).all()
    # The product of any two is there again, at the place of their exclusive or.
    place = np.arange(2**n_generators)
    products = signs[:, None, :] * signs[None, :, :]
    np.testing.assert_array_equal(products, signs[place[:, None] ^ place[None, :]])
    numbers = np.random.default_rng(2).integers(-9, 9, n)
    np.testing.assert_array_equal(composed_flips(numbers, n_generators, seed=5), signs @ numbers)
    # Over seeds each is a fair coin, and so is the product of two.
    fair = np.mean(
        [[composed_flips(row, 2, seed=seed) for row in rows[:4]] for seed in range(2000)], axis=0
    )
    assert np.abs(fair[:, 1:]).max() < 4.5 / np.sqrt(2000)


@pytest.mark.parametrize("n", [NUMBERS_BETWEEN_SCALINGS, 3 * NUMBERS_BETWEEN_SCALINGS + 7])
def test_scaling_costs_no_digit(n):
    law = subset_sum_distribution(np.ones(n, np.int64), n)
    for heads in (n // 2, n // 3):
        assert law[heads] == pytest.approx(float(Fraction(math.comb(n, heads), 2**n)), rel=1e-12)
