import numpy as np
import pytest

from abrank.inference import rounding


def coarse(differences):
    numbers, _ = rounding.to_lattice(np.array(differences, float)[:, None])
    step = rounding.common_step(numbers[:, 0])
    return None if step is None else step.tolist()


def test_what_is_a_tie_depends_on_the_largest():
    small = np.array([0.0712 - 0.0548, -0.0164, 1e-13, -1e-14, 0.37])
    off = rounding.round_off(small)
    assert off[0] == -off[1]
    assert off[2] == off[3] == 0.0
    assert not np.signbit(off[3])
    np.testing.assert_array_equal(rounding.round_off(small * 2.0**-40), off * 2.0**-40)
    np.testing.assert_array_equal(rounding.round_off(small[2:4]), small[2:4])
    assert not rounding.round_off(small[2:4], scale=0.37).any()


def test_many_small_values_beside_a_large_one_are_not_one_value():
    values = np.append(1e-6 * np.arange(-3000, 3000), 1e5)
    off = rounding.round_off(values)
    assert np.abs(off - values).max() < 1.001e-10 * 1e5
    assert np.sum(off > 0.0) > 2900
    np.testing.assert_array_equal(rounding.round_off(values[:, None])[:, 0], off)


def test_equal_scores_differ_by_nothing():
    a, b = np.array([0.1 + 0.2, 0.7]), np.array([0.3, 0.1 * 7])
    assert (b - a).any()
    assert not rounding.differences_of(a, b).any()
    assert not rounding.differences_of(a * 1e-9, b * 1e-9).any()
    assert rounding.differences_of(np.array([1e-9]), np.array([1.2e-9])).any()


@pytest.mark.every_case
@pytest.mark.parametrize("power", [-40, -9, 7, 40])
@pytest.mark.parametrize("base", [2.0, 10.0])
def test_the_numbers_do_not_depend_on_the_unit(base, power):
    random = np.random.default_rng(3)
    columns = [
        np.round(random.normal(0.01, 0.1, 60), 4),
        1 / random.integers(1, 20, 60) - 1 / random.integers(1, 20, 60),
        random.normal(0.1, 1.0, 60),
    ]
    for d in columns:
        numbers, unit = rounding.to_lattice(d[:, None])
        scaled, of_scaled = rounding.to_lattice(d[:, None] * base**power)
        np.testing.assert_array_equal(scaled, numbers)
        np.testing.assert_allclose(of_scaled, unit * base**power, rtol=1e-15)


@pytest.mark.every_case
@pytest.mark.parametrize(("differences", "numbers"), [
    ([0.1, -0.3, 0.0], [1, -3, 0]),
    ([0.2, -0.6], [1, -3]),
    ([0.0712 - 0.0548, 0.0164, 0.0001], [164, 164, 1]),
    ([1 - 1 / 3, 1 / 7, -1 / 2], [28, 6, -21]),
    ([1 / 3, -1 / 4000], [4000, -3]),
    ([5.0, 1e5], [1, 20_000]),
    ([0.123456, 0.5, 0.012345], [123_456, 500_000, 12_345]),
])  # fmt: skip
def test_a_step_is_found_in_decimals_and_fractions(differences, numbers):
    assert coarse(differences) == numbers


@pytest.mark.parametrize("differences", [
    [np.sqrt(0.5), 0.1],
    [1 / (rounding.LARGEST_DENOMINATOR + 3), 1 / 3],
    [1 / prime for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23)],
])  # fmt: skip
def test_no_step_is_made_up(differences):
    assert coarse(differences) is None


def test_a_step_within_the_rounding_of_the_sum_is_none():
    numbers = np.array([4, 10_000_000_006])
    assert rounding.common_step(numbers, n_terms=100) is None
    assert rounding.common_step(numbers * 1000, n_terms=100).tolist() == [2, 5_000_000_003]


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("p", "low", "high", "excludes"),
    [
        (0.04, -1e-18, 1.0, True), (0.04, -1.0, 1e-18, True), (0.05, 1e-18, 1.0, False),
        (0.05, -1.0, -1e-18, False), (0.04, 0.1, 1.0, True), (np.nan, -np.inf, np.inf, False),
        (0.04, -0.1, 1.0, False), (0.2, 0.3, np.inf, True),
    ],
)  # fmt: skip
def test_the_pvalue_settles_a_limit_that_is_zero_but_for_rounding(p, low, high, excludes):
    estimate = 0.5 if abs(low) < abs(high) else -0.5
    new = rounding.align_interval_with_pvalue(
        *(np.array([value]) for value in (p, estimate, low, high, 0.05))
    )
    assert bool(new[0][0] > 0 or new[1][0] < 0) == excludes
    assert new[0][0] == pytest.approx(low, abs=1e-17)
    assert new[1][0] == pytest.approx(high, abs=1e-17)
