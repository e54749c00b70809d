import numpy as np
import pytest
from scipy import stats

from abrank.inference.systems import friedman
from abrank.inference.systems.pairwise import within_query_interval


def test_shares_of_nothing_are_not_defined():
    assert np.isnan(list(friedman.two_way_anova(np.full((3, 2), 0.5)).shares.values())).all()


def test_ranks_tell_ties_to_ten_decimals():
    np.testing.assert_array_equal(
        friedman.ranks_within(np.array([[0.3, 0.1 + 0.2, 0.5, 0.1]])), [[2.5, 2.5, 1.0, 4.0]]
    )


def test_critical_difference_of_the_literature():
    # Demšar (2006), Table 5 and section 3.2.2: 4 classifiers, 14 data sets, CD 2.569 sqrt(...).
    scores = np.random.default_rng(2).normal(size=(14, 4))
    difference = friedman.critical_difference(friedman.friedman_test(scores), 14, 0.05)
    assert difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=5e-4)


def test_within_query_interval_against_its_definition():
    block = np.random.default_rng(3).normal(0.4, 0.1, (25, 4))
    block += np.random.default_rng(4).normal(0, 0.5, (25, 1))
    custom = block - block.mean(axis=1, keepdims=True) + block.mean()
    half = stats.t.isf(0.05, 24) * np.sqrt(custom.var(axis=0, ddof=1) * 4 / 3 / 25)
    low, high = within_query_interval(block, confidence=0.9)
    np.testing.assert_allclose(low, block.mean(axis=0) - half)
    np.testing.assert_allclose(high, block.mean(axis=0) + half)
