from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from abrank.inference.exact.subset_mean import additions, subset_mean_distribution


def test_against_enumeration():
    random = np.random.default_rng(4)
    for _ in range(20):
        terms = np.sort(random.integers(-4, 7, int(random.integers(1, 11))))
        means, chances = subset_mean_distribution(*np.unique(terms, return_counts=True))
        taken = np.array(list(product((0, 1), repeat=terms.size)))
        size = taken.sum(axis=1)
        listed = (taken @ terms)[size > 0] / size[size > 0]
        assert means[0] == -np.inf
        assert chances[0] == 0.5**terms.size
        np.testing.assert_allclose(means[1:], np.unique(listed.round(12)), atol=1e-11)
        for mean, chance in zip(means[1:], chances[1:], strict=True):
            count = 1 + np.count_nonzero(listed <= mean + 1e-9)
            assert chance == pytest.approx(count / 2**terms.size, rel=1e-12)


def test_the_cost_grows_with_terms_and_range():
    numbers, counts = np.array([-1, 4]), np.array([10, 20])
    assert additions(numbers, 2 * counts) > 7 * additions(numbers, counts)
    assert additions(3 * numbers, counts) > 2 * additions(numbers, counts)
