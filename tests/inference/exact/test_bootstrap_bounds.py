"""Bounds of bootstrap p-values, held against the law of all resamples in whole fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from abrank.inference import run_test
from abrank.inference.exact.bootstrap_bounds import laws_around
from abrank.inference.exact.bootstrap_distribution import bootstrap_distribution

# Differences of reciprocal ranks: common ones, and ones whose steps have none in common.
COMMON = [Fraction(1, 2), Fraction(1), Fraction(-1, 2), Fraction(0), Fraction(1, 3)]
RARE = [Fraction(1, 13) - Fraction(1, 2), Fraction(1, 2) - Fraction(1, 17),
        Fraction(1, 29) - Fraction(1, 31), Fraction(1, 3) - Fraction(1, 37)]  # fmt: skip


def sample_of(seed: int, n: int = 13) -> list[Fraction]:
    random = np.random.default_rng(seed)
    common = [COMMON[i] for i in random.integers(0, len(COMMON), n - len(RARE))]
    return [*common, *RARE]


def sums_of_all_resamples(sample: list[Fraction]) -> Counter[Fraction]:
    """How many of the n**n resamples have each sum."""
    unit = math.lcm(*(each.denominator for each in sample))  # whole numbers add faster
    once, sums = Counter(int(each * unit) for each in sample), Counter({0: 1})
    for _ in sample:
        after: Counter[int] = Counter()
        for total, ways in sums.items():
            for value, count in once.items():
                after[total + value] += ways * count
        sums = after
    return Counter({Fraction(total, unit): ways for total, ways in sums.items()})


def chance(sums: Counter[Fraction], holds) -> float:
    return float(Fraction(sum(k for s, k in sums.items() if holds(s)), sums.total()))


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_where_reciprocal_ranks_have_no_common_step(seed):
    sample = sample_of(seed)
    sums, total = sums_of_all_resamples(sample), sum(sample)
    d = [float(each) for each in sample]
    truth = {
        "percentile": min(
            1.0, 2 * min(chance(sums, lambda s: s <= 0), chance(sums, lambda s: s >= 0))
        ),
        "basic": min(
            1.0,
            2 * min(chance(sums, lambda s: s >= 2 * total), chance(sums, lambda s: s <= 2 * total)),
        ),
        "shift": chance(sums, lambda s: abs(s - total) >= abs(total)),
    }
    for method, expected in truth.items():
        found = run_test("bootstrap", d, method=method)
        low, high = found.pvalue_low[0], found.pvalue_high[0]
        assert low <= expected <= high
        assert low <= found.pvalue[0] <= high
        assert high - low < 0.003
        assert found.method == "on a grid"
    greater = run_test("bootstrap", d, method="percentile", alternative="greater")
    expected = chance(sums, lambda s: s <= 0)
    assert greater.pvalue_low[0] <= expected <= greater.pvalue_high[0]


def test_the_case_whose_bounds_excluded_the_truth():
    """A p of 1.00004e-3 was said to lie between .0009999977 and itself, and to be exact."""
    sample = [*[Fraction(1, 2)] * 5, Fraction(-1, 3), Fraction(-1, 5), *RARE[1:], Fraction(-1, 7)]
    sums = sums_of_all_resamples(sample)
    expected = 2 * chance(sums, lambda s: s <= 0)
    assert 0.0 < expected < 0.05
    d = [float(each) for each in sample]
    # What was given for the truth, with no bounds about it.
    law = bootstrap_distribution(np.array(d))
    assert not law.on_lattice
    found = run_test("bootstrap", d, method="percentile")
    assert found.pvalue_low[0] <= expected <= found.pvalue_high[0]
    assert found.pvalue_low[0] < found.pvalue_high[0]


def test_the_bounds_of_bca_hold_its_p_by_a_finer_law():
    random = np.random.default_rng(2)
    d = random.normal(0.03, 0.08, 30)
    found = run_test("bootstrap", d, method="BCa")
    draws = random.choice(d, (400_000, 30)).mean(axis=1)
    from scipy.special import ndtr, ndtri

    centred = d - d.mean()
    a = (centred**3).sum() / (6 * (centred**2).sum() ** 1.5)
    z0, w = ndtri(np.mean(draws < d.mean())), ndtri(np.mean(draws <= 0.0))
    drawn = 2 * ndtr((w - z0) / (1 + a * (w - z0)) - z0)
    assert found.pvalue_low[0] <= found.pvalue[0] <= found.pvalue_high[0]
    assert found.pvalue[0] == pytest.approx(drawn, abs=8 * np.sqrt(drawn / 400_000))


def test_a_common_step_is_exact_and_has_no_bounds():
    found = run_test("bootstrap", [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1], method="percentile")
    assert found.method == "exact"
    assert found.pvalue_low[0] == found.pvalue[0] == found.pvalue_high[0]
    both = run_test(
        "bootstrap", np.column_stack([[0.1, 0.2, -0.1, 0.3], np.sqrt([0.1, 0.2, 0.3, 0.5]) - 0.4]),
        method="percentile",
    )  # fmt: skip
    assert both.method == "on a grid"
    assert both.pvalue_low[0] == both.pvalue_high[0]
    assert both.pvalue_low[1] < both.pvalue_high[1]


def test_frequent_values_are_on_the_grid_of_both_laws():
    sample = np.array([0.5] * 10 + [-0.5] * 9 + [1 / 3, -1 / 3, np.sqrt(0.1)])
    low, high = laws_around(sample)
    np.testing.assert_allclose(low.unit, high.unit)
    step = low.unit * sample.size
    for value in (0.5, 1 / 3):
        assert value / step == pytest.approx(round(value / step), abs=1e-6)


def test_one_value_besides_0_gives_a_step():
    # A resample of three is 0 where none of its draws is the one value.
    low, high = laws_around(np.array([0.3, 0.0, 0.0]))
    nothing = (2 / 3) ** 3
    assert float(high.below.at(0.1)) <= nothing + 1e-12
    assert float(low.below.at(0.1)) >= nothing - 1e-12
    assert float(low.below.at(0.1)) - float(high.below.at(0.1)) < 1e-3
