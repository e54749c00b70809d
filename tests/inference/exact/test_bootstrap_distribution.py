"""The tests of ``abrank/inference/exact/bootstrap_distribution.py``."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test
from abrank.inference.exact import bootstrap_distribution as module
from abrank.inference.exact.bootstrap_distribution import (
    SMALLEST,
    bootstrap_distribution,
    laws_around,
    on_grid,
)
from abrank.inference.rounding import to_lattice


def of_all_resamples(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of all n**n resamples with their chances, ties put together."""
    index = np.array(list(product(range(sample.size), repeat=sample.size)))
    means, counts = np.unique(np.round(sample[index].mean(axis=1), 9), return_counts=True)
    return means, counts / counts.sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("step", [0.1, 1 / 3, 1e-4, 0.05])
def test_on_a_lattice_against_theory_of_all_resamples(seed, step):
    sample = np.random.default_rng(seed).integers(-3, 6, 6) * step
    if np.ptp(sample) == 0.0:
        sample[0] += step
    means, mass = of_all_resamples(sample)
    law = bootstrap_distribution(sample)
    assert law.on_lattice
    reached = law.below.points[np.diff(np.append(0.0, law.below.chance)) > 0] * law.unit
    np.testing.assert_allclose(reached, means, atol=1e-8)
    np.testing.assert_allclose(law.below.at((means + 1e-8) / law.unit), mass.cumsum(), atol=1e-12)
    above = law.above.at((1e-8 - means) / law.unit)
    np.testing.assert_allclose(above, mass[::-1].cumsum()[::-1], atol=1e-12)
    assert law.total == pytest.approx(sample.sum() / step)


def test_reciprocal_ranks_are_on_a_lattice():
    random = np.random.default_rng(1)
    ranks = random.integers(1, 11, (2, 50))
    law = bootstrap_distribution(1 / ranks[0] - 1 / ranks[1])
    assert law.on_lattice
    assert law.unit * 50 == pytest.approx(1 / 2520)


@pytest.mark.parametrize("n", [7, 50, 1000])
def test_the_moments_are_the_samples(n):
    # Whole numbers of the unit that samples are taken to.
    numbers, unit = to_lattice(np.random.default_rng(n).gamma(0.5, 0.2, (n, 1)) - 0.05)
    sample = numbers[:, 0] * unit[0]
    law = bootstrap_distribution(sample)
    assert not law.on_lattice
    # Points as they are, each with the mass half way to its neighbours.
    mass = np.diff(np.append(0.0, law.below.chance))
    means = (law.below.points - 0.5) * law.unit
    means[0] += law.unit / 2
    assert means @ mass == pytest.approx(sample.mean(), abs=1e-5 * sample.std())
    deviation = np.sqrt((means - sample.mean()) ** 2 @ mass)
    assert deviation == pytest.approx(sample.std() / np.sqrt(n), rel=1e-5)
    assert law.total * law.unit == pytest.approx(sample.mean(), rel=1e-12)


@pytest.mark.parametrize("n", [20, 250])
def test_the_grid_against_a_lattice(n, monkeypatch):
    """The same sample by its own step of .001, and put on a grid that knows of no step."""
    sample = np.round(np.random.default_rng(n).normal(0.05, 0.2, n), 3)
    own = bootstrap_distribution(sample)
    monkeypatch.setattr(module, "MOST_POINTS", 0)
    grid = bootstrap_distribution.__wrapped__(sample)
    assert own.on_lattice
    assert not grid.on_lattice
    width = 2 * 1.96 * sample.std() / np.sqrt(n)
    for level in (0.001, 0.025, 0.5, 0.975):
        # A point of the lattice stands for all within half a step of it.
        error = own.unit / 2 + 1e-5 * width
        ours = grid.below.reaches(level) * grid.unit
        assert ours == pytest.approx(own.below.reaches(level) * own.unit, abs=error)


def test_resamples_of_zeros_only_are_an_atom():
    sample = np.zeros(12)
    sample[:2] = np.sqrt(2) / 7, np.pi / 9
    law = bootstrap_distribution(sample)
    assert not law.on_lattice
    assert law.below.pvalue(0.0) == pytest.approx((10 / 12) ** 12, abs=1e-9)
    assert law.above.pvalue(0.0) == 1.0


def test_a_normal_law_for_many():
    sample = np.random.default_rng(8).normal(0.0, 0.2, 1_000_000)
    law = bootstrap_distribution(sample)
    error = sample.std() / 1000
    for level, quantile in ((0.025, -1.959964), (0.5, 0.0), (0.999, 3.090232)):
        ours = law.below.reaches(level) * law.unit
        assert (ours - sample.mean()) / error == pytest.approx(quantile, abs=1e-3)


def test_chances_are_not_told_apart_far_out():
    law = bootstrap_distribution(np.random.default_rng(2).normal(5.0, 0.1, 40))
    assert law.below.at(0.0) == 0.0
    assert law.below.pvalue(0.0) == SMALLEST
    assert law.below.reaches(SMALLEST) == -np.inf
    assert np.isfinite(law.below.reaches(2 * SMALLEST))
    # One of the 27 resamples.
    assert bootstrap_distribution(np.array([1.0, 2.0, 4.0])).below.pvalue(0.0) == pytest.approx(
        1 / 27
    )


@pytest.mark.parametrize("outlier", [1.0, 1e6, 1e30])
def test_an_outlier_is_drawn_as_often_as_the_binomial_says(outlier):
    sample = np.zeros(2000)
    sample[0] = outlier
    law = bootstrap_distribution(sample)
    chance = law.below.at(np.arange(4.0) * (outlier / 2000 / law.unit))
    assert chance == pytest.approx(stats.binom(2000, 1 / 2000).cdf(np.arange(4)), abs=1e-12)


def test_a_grid_keeps_the_sum():
    values = np.random.default_rng(3).normal(size=100)
    cells, weights = on_grid(values, np.ones(100, np.int64), 0.1)
    assert cells @ weights * 0.1 == pytest.approx(values.sum())
    assert weights.sum() == pytest.approx(100)
    assert np.all(np.diff(cells) > 0)
    assert np.all(weights > 0)


# --- Bounds of bootstrap p-values, held against the law of all resamples in whole fractions

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
