from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from abrank.inference.exact.convolution import NUMBERS_BETWEEN_SCALINGS, subset_sum_distribution


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
