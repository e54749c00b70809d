"""The tests of ``abrank/inference/exact/signed_sums.py``."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference.exact import signed_sums
from abrank.inference.exact.fourier import Bracket
from abrank.inference.exact.signed_sums import (
    FLIPS_AT_ONCE,
    MANY_SIZES,
    NUMBERS_BETWEEN_SCALINGS,
    QUERIES_AT_ONCE,
    SMALL,
    all_subsets,
    composed_flips,
    lattice_tail,
    n_meet_in_middle_sums,
    random_subsets,
    subset_sum_distribution,
    tail_by_meet_in_middle,
    upper_tail,
)


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
                patch.setattr(signed_sums, "ADDITIONS", 0)
                found = lattice_tail(numbers, counts, threshold, strict=strict)
            assert found.low <= truth.value <= found.high
            if truth.value > SMALL:
                assert found.value == pytest.approx(truth.value, abs=1e-12)
            else:
                assert found.value == pytest.approx(truth.value, rel=5e-3)


@pytest.mark.parametrize("n_sums", [1 << 16, 0])
def test_ends_of_the_law(monkeypatch, n_sums):
    monkeypatch.setattr(signed_sums, "SUMS_OF_A_HALF", n_sums)
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


def test_the_flips_of_a_large_run_are_its_first_ones():
    numbers = np.random.default_rng(1).integers(-9, 9, (QUERIES_AT_ONCE + 13, 2))
    few, sizes = random_subsets(numbers, 10, seed=4)
    many, more_sizes = random_subsets(numbers, FLIPS_AT_ONCE + 10, seed=4)
    np.testing.assert_array_equal(many[:, :10], few)
    np.testing.assert_array_equal(more_sizes[:10], sizes)
    assert np.abs(more_sizes - len(numbers) / 2).max() < 6 * np.sqrt(len(numbers)) / 2
    # Rows of the same bit of two parts agree half of the time: no byte is used twice.
    ones = np.ones((len(numbers), 3), np.int64)
    ones[1:, 0] = ones[:QUERIES_AT_ONCE, 1] = ones[QUERIES_AT_ONCE + 1 :, 1] = 0
    (first, second, all_rows), sizes = random_subsets(ones, 4000, seed=4)
    np.testing.assert_array_equal(all_rows, sizes)
    assert abs(np.mean(first == second) - 0.5) < 4 * np.sqrt(0.25 / 4000)


def test_all_subsets_are_all_sums():
    sums, sizes = all_subsets(np.array([[1, -1], [2, -2], [4, -4]]))
    assert sums.tolist() == [list(range(8)), [-k for k in range(8)]]
    assert sizes.tolist() == [0, 1, 1, 2, 1, 2, 2, 3]


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


def test_against_enumeration():
    random = np.random.default_rng(3)
    for _ in range(20):
        sizes = random.gamma(0.5, 1.0, int(random.integers(1, 4)))
        counts = random.integers(1, 5, sizes.size)
        terms = np.repeat(sizes, counts)
        sums = np.array(list(product((-1, 1), repeat=terms.size))) @ terms
        for threshold in (0.01, 0.3 * terms.sum(), 0.999 * terms.sum()):
            expected = np.mean(sums >= threshold)
            assert tail_by_meet_in_middle(sizes, counts, threshold) == pytest.approx(
                expected, rel=1e-13
            )


def test_many_terms_of_few_sizes_against_the_binomial_law():
    counts = np.array([600])
    expected = stats.binom.sf(379, 600, 0.5)
    assert tail_by_meet_in_middle(np.ones(1), counts, 159.5) == pytest.approx(expected, rel=1e-12)


def test_the_larger_half_is_counted():
    assert n_meet_in_middle_sums(np.array([3, 1])) == 4
    assert n_meet_in_middle_sums(np.ones(7, np.int64)) == 16
    assert n_meet_in_middle_sums(np.ones(MANY_SIZES + 1, np.int64)) == 2**50


def in_fractions(numbers):
    law = {0: 1}
    for number in numbers:
        longer = dict(law)
        for total, ways in law.items():
            longer[total + number] = longer.get(total + number, 0) + ways
        law = longer
    return law


def test_every_probability_is_right_to_its_last_digits():
    numbers = np.random.default_rng(1).integers(0, 40, 90)
    law, exact = subset_sum_distribution(numbers, 10**6), in_fractions(numbers.tolist())
    assert law.size == numbers.sum() + 1
    for total, ways in exact.items():
        assert law[total] == pytest.approx(float(Fraction(ways, 2**90)), rel=1e-14)


def test_a_reach_leaves_out_the_rest_and_changes_nothing():
    numbers = np.array([7, 3, 3, 12, 1, 0])
    whole = subset_sum_distribution(numbers, 100)
    for reach in (0, 2, 5, 11, 26, 27):
        np.testing.assert_array_equal(subset_sum_distribution(numbers, reach), whole[: reach + 1])
    assert subset_sum_distribution(np.array([], np.int64), 5).tolist() == [1.0]


@pytest.mark.parametrize("n", [NUMBERS_BETWEEN_SCALINGS, 3 * NUMBERS_BETWEEN_SCALINGS + 7])
def test_scaling_costs_no_digit(n):
    law = subset_sum_distribution(np.ones(n, np.int64), n)
    for heads in (n // 2, n // 3):
        exact = Fraction(math.comb(n, heads), 2**n)
        assert law[heads] == pytest.approx(float(exact), rel=1e-12)
