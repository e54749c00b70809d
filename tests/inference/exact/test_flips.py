from __future__ import annotations

import numpy as np

from abrank.inference.exact.flips import (
    FLIPS_AT_ONCE,
    QUERIES_AT_ONCE,
    all_subsets,
    composed_flips,
    random_subsets,
)


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
