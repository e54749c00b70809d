from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference.exact.meet_in_middle import (
    MANY_SIZES,
    n_meet_in_middle_sums,
    tail_by_meet_in_middle,
)


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
