from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from abrank.inference import run_joint_test

BLOCKS = [
    np.array([[0.1, 0.3, 0.2], [0.5, 0.9, 0.4], [0.2, 0.2, 0.6], [0.0, 0.7, 0.1]]),
    np.array([[1, 2, 3], [2, 2, 5], [0, 1, 1]]) / 3,
    np.array([[0.1, 0.4, 0.2, 0.2], [0.3, 0.5, 0.5, 0.0], [0.2, 0.9, 0.1, 0.4]]),
    np.array([[0.2, 0.5], [0.1, 0.4], [0.3, 0.3], [0.0, 0.6], [0.4, 0.2]]),
]


def enumerated(block):
    """Largest and first difference of means under every order, as defined."""
    rows = [list(permutations(row)) for row in block.tolist()]
    means = np.array([np.mean(choice, axis=0) for choice in product(*rows)])
    return np.ptp(means, axis=1), np.abs(means[:, 0] - means[:, 1])


@pytest.mark.parametrize("block", BLOCKS, ids=["tenths", "thirds", "four", "two"])
def test_against_every_order(block):
    found = run_joint_test("randomised-tukey", block, confidence=0.7)
    assert found.method == "exact"
    assert found.n_resamples == 0
    largest, one = enumerated(block)
    i, j = np.triu_indices(block.shape[1], 1)
    difference = np.abs(block.mean(axis=0)[j] - block.mean(axis=0)[i])[:, None] - 1e-9
    np.testing.assert_array_equal(found.pvalue_adj, (largest >= difference).mean(axis=1))
    np.testing.assert_array_equal(found.pvalue, (one >= difference).mean(axis=1))
    # p < .3 is to exceed the value that .3 of the orders reach.
    k = int(np.ceil(0.3 * len(largest) - 1e-9))
    critical = np.sort(largest)[-k]
    half = (found.ci_high - found.ci_low) / 2
    np.testing.assert_allclose(half, np.inf if critical >= largest.max() - 1e-9 else critical)


def test_drawn_orders_agree_with_all():
    block = np.random.default_rng(2).integers(0, 9, (6, 3)) / 10
    exact = run_joint_test("randomised-tukey", block, n_resamples=6**6)
    drawn = run_joint_test("randomised-tukey", block, n_resamples=20_000, seed=5)
    assert (exact.method, drawn.method) == ("exact", "Monte Carlo")
    for ours, true in ((drawn.pvalue, exact.pvalue), (drawn.pvalue_adj, exact.pvalue_adj)):
        assert np.all(np.abs(ours - true) < 4 * np.sqrt(true * (1 - true) / 20_000) + 1 / 20_000)
    # (b + 1) / (m + 1): never 0, and whole steps.
    steps = drawn.pvalue_adj * 20_001
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-8)
    assert np.all(steps >= 1)


def test_more_orders_begin_with_the_same():
    from abrank.inference.systems.randomized_tukey import _random_orders

    numbers = np.random.default_rng(3).integers(0, 10**6, (1030, 4))
    few, many = (_random_orders(numbers, n, seed=4) for n in (100, 150))
    np.testing.assert_array_equal(many[:100], few)
    np.testing.assert_array_equal(few.sum(axis=1), numbers.sum())


def test_equal_differences_in_thirds_have_equal_p():
    block = np.array([[0, 1, 2]] * 5) / 3 + np.array([[0.1]] * 5) / 3
    found = run_joint_test("randomised-tukey", block)
    assert found.pvalue_adj[0] == found.pvalue_adj[2]
    assert found.pvalue_adj[1] * 6**5 == pytest.approx(6)
