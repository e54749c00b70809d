from __future__ import annotations

import numpy as np
import pytest

from abrank.inference.rounding import LARGEST_DENOMINATOR, coarsest, round_off, snap, to_lattice


def coarse(differences):
    numbers, unit = to_lattice(np.array(differences, float)[:, None])
    found = coarsest(numbers[:, 0], float(unit[0]))
    return None if found is None else found.tolist()


def test_the_lattice_widens_for_large_numbers():
    numbers, unit = to_lattice(np.array([[0.1, 1e12], [-0.3, 1e12]]))
    assert unit[0] == 1e-10
    assert unit[1] > 1e-10
    np.testing.assert_allclose(numbers * unit, [[0.1, 1e12], [-0.3, 1e12]])
    assert np.abs(numbers).sum(axis=0).max() <= 10**18
    assert snap(np.array([3, -4]), 3).tolist() == [0, -4]
    assert not np.signbit(round_off(np.array([-1e-12]))[0])


@pytest.mark.parametrize(
    ("differences", "numbers"),
    [
        ([0.1, -0.3, 0.0], [1, -3, 0]),
        ([0.2, -0.6], [1, -3]),
        ([0.0712 - 0.0548, 0.0164, 0.0001], [164, 164, 1]),
        ([1 - 1 / 3, 1 / 7, -1 / 2], [28, 6, -21]),
        ([1 / 3, -1 / 4000], [4000, -3]),
        ([5.0, 1e9], [1, 200_000_000]),
    ],
)
def test_a_step_is_found_in_decimals_and_fractions(differences, numbers):
    assert coarse(differences) == numbers


@pytest.mark.parametrize(
    "differences",
    [
        [np.sqrt(0.5), 0.1],
        [1 / (LARGEST_DENOMINATOR + 2), 1 / 3],
        [1 / prime for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23)],
    ],
)
def test_no_step_is_made_up(differences):
    assert coarse(differences) is None


def test_a_step_within_the_rounding_of_the_sum_is_none():
    numbers = np.array([4, 10_000_000_006])
    assert coarsest(numbers, 1e-10, n_terms=100) is None
    assert coarsest(numbers * 1000, 1e-13, n_terms=100).tolist() == [2, 5_000_000_003]
