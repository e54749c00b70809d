from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference import bootstrap, run_test
from abrank.inference.bootstrap import (
    MANY_QUERIES,
    SMALLEST,
    Chances,
    _carried,
    _t_star,
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
    monkeypatch.setattr(bootstrap, "MOST_POINTS", 0)
    grid = bootstrap_distribution(sample)
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


D = np.array([0.12, -0.03, 0.25, 0.31, -0.08, 0.17, 0.22, 0.05, 0.4, -0.11, 0.02, 0.19])


# In the second sample 2.6 % of the resamples have the observed t but for its last digits.
@pytest.mark.parametrize("d", [D[:5], np.array([0.1, 0.3, 0.4, 0.3, 0.1])])
def test_against_theory_of_all_resamples(d):
    index = np.array(list(product(range(5), repeat=5)))
    means, spreads = d[index].mean(axis=1), d[index].std(axis=1, ddof=1)
    endless = np.where(np.isclose(means, d.mean()), 0.0, np.inf)
    alike = spreads < 1e-12
    t_star = np.where(
        alike, endless, np.abs(means - d.mean()) / np.where(alike, 1, spreads) * np.sqrt(5)
    )
    observed = abs(d.mean()) / (d.std(ddof=1) / np.sqrt(5))
    exact = np.mean(t_star >= observed * (1 - 1e-9))
    # 65 of the second sample's 3,125 resamples are of one value: too many, see below.
    ours = run_test("bootstrap", d, n_resamples=20_000)
    assert ours.statistic[0] == pytest.approx(observed)
    if alike.mean() > 0.01:
        assert ours.pvalue[0] == run_test("t", d).pvalue[0]
        return
    assert abs(ours.pvalue[0] - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4
    # Resamples of one value have infinite t: 5 of 3,125, above this level.
    assert run_test("bootstrap", d, n_resamples=20_000, confidence=0.9999).ci_high[0] == np.inf


def test_a_resample_without_spread_has_endless_t():
    t_star = _t_star(np.array([0.5, -0.5, 0.0]), np.array([0.5, 0.5, 0.0]), 0.0, 2, 1e-10)
    assert t_star.tolist() == [np.inf, -np.inf, 0.0]


def one_differs(n: int) -> np.ndarray:
    return np.append(np.zeros(n - 1), 0.5)


@pytest.mark.parametrize(
    "d", [D[:2], D[:3], D[:4], one_differs(25), one_differs(20_000), np.repeat([0.0, 1.0], [21, 4])]
)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_t_stands_in_where_resamples_have_no_spread(d, alternative):
    ours, t = (run_test(name, d, alternative=alternative) for name in ("bootstrap", "t"))
    assert (ours.method, ours.n_resamples) == ("closed form", 0)
    for field in ("statistic", "pvalue", "ci_low", "ci_high"):
        assert getattr(ours, field)[0] == getattr(t, field)[0], field


def test_one_column_of_two_is_drawn():
    d = np.column_stack([D, one_differs(12)])
    both, alone = run_test("bootstrap", d, seed=2), run_test("bootstrap", D, seed=2)
    assert both.method == "Monte Carlo"
    assert both.pvalue.tolist() == [alone.pvalue[0], run_test("t", d[:, 1]).pvalue[0]]
    p = alone.pvalue[0]
    assert both.pvalue_error.tolist() == [pytest.approx(np.sqrt(p * (1 - p) / 9_999)), 0.0]


def test_how_many_draws_are_held_at_once_changes_nothing(monkeypatch) -> None:
    d = np.random.default_rng(5).normal(0.1, 1.0, (40, 3))
    whole = run_test("bootstrap", d, n_resamples=999, seed=3)
    monkeypatch.setattr("abrank.inference.bootstrap.DRAWS_AT_ONCE", 40 * 17)
    parts = run_test("bootstrap", d, n_resamples=999, seed=3)
    np.testing.assert_array_equal(whole.pvalue, parts.pvalue)
    np.testing.assert_array_equal(whole.ci_low, parts.ci_low)


@pytest.mark.parametrize("decimals", [1, 10])
def test_drawing_counts_of_values_is_drawing_queries(monkeypatch, decimals):
    d = np.round(np.random.default_rng(7).gamma(0.5, 0.2, 400) - 0.09, decimals)
    plain = run_test("bootstrap", d, n_resamples=20_000)
    monkeypatch.setattr("abrank.inference.bootstrap.MANY_QUERIES", 0)
    counted = run_test("bootstrap", d, n_resamples=20_000)
    p = plain.pvalue[0]
    # Two draws of 20,000, four standard errors; limits in standard errors of the mean.
    assert counted.pvalue[0] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 10_000))
    for end in ("ci_low", "ci_high"):
        ends = np.array([getattr(one, end)[0] for one in (plain, counted)])
        assert np.ptp(ends) < 4 * 2.67 * d.std() / 20 * np.sqrt(2 / 20_000)


def test_many_queries():
    n = 30 * MANY_QUERIES
    d = np.random.default_rng(8).normal(0.0, 0.2, n)
    d += 1.9 * d.std() / np.sqrt(n) - d.mean()
    forth, back, t = (*(run_test("bootstrap", x, seed=1) for x in (d, -d)), run_test("t", d))
    assert forth.pvalue[0] == pytest.approx(t.pvalue[0], abs=4 * np.sqrt(0.057 / 9_999))
    assert forth.ci_low[0] == pytest.approx(t.ci_low[0], abs=0.2 * d.std() / np.sqrt(n))
    assert (forth.pvalue[0], forth.ci_low[0]) == (back.pvalue[0], -back.ci_high[0])


def test_counts_of_values_give_what_queries_give_far_from_zero(monkeypatch):
    d = np.random.default_rng(4).normal(1.0, 0.2, 60)  # the spread is about a mean that is not 0
    by_query = run_test("bootstrap", d, seed=1)
    monkeypatch.setattr(bootstrap, "MANY_QUERIES", 10)
    by_value = run_test("bootstrap", d, seed=1)
    assert by_value.ci_low[0] != by_query.ci_low[0]
    assert by_value.ci_low[0] == pytest.approx(by_query.ci_low[0], abs=0.003)
    assert by_value.ci_high[0] == pytest.approx(by_query.ci_high[0], abs=0.003)


D = np.array([0.12, -0.03, 0.25, 0.31, -0.08, 0.17, 0.22, 0.05, 0.4, -0.11, 0.02, 0.19])
BY_LAW = ("percentile", "BCa", "basic", "shift")


def samples(n_sets):
    """Samples on a lattice and off it, from 2 to 60 queries, some skewed, some with many zeros."""
    random = np.random.default_rng(11)
    for i in range(n_sets):
        n = int(random.integers(2, 60))
        d = random.gamma(0.5, 0.2, n) * random.choice([-1.0, 1.0], n, p=[0.4, 0.6])
        d[random.random(n) < (i % 3) / 4] = 0.0
        yield np.round(d, (10, 2, 1, 4)[i % 4])


@pytest.mark.parametrize("method", ["percentile", "BCa", "basic"])
@pytest.mark.parametrize("d", [D, D**3 * np.pi], ids=["lattice", "grid"])
def test_limits_against_scipy(method, d):
    theirs = stats.bootstrap(
        (d,), np.mean, n_resamples=99_999, method=method, rng=np.random.default_rng(5)
    ).confidence_interval
    ours = run_test("bootstrap", d, method=method)
    assert ours.method in ("exact", "on a grid")
    assert ours.n_resamples == 0
    # 2.67 standard errors / sqrt(B), four of them, for their drawing; twice that for BCa, which
    # draws z0 too and, here, goes further into a tail.
    error = 4 * 2.67 * d.std() / np.sqrt(d.size) / np.sqrt(99_999) * (2 if method == "BCa" else 1)
    assert ours.ci_low[0] == pytest.approx(theirs.low, abs=error)
    assert ours.ci_high[0] == pytest.approx(theirs.high, abs=error)


@pytest.mark.parametrize(
    "d", [D[:6], D[:6] ** 3 * np.pi, np.array([0.1, 0.1, 0.0, -0.2, 0.3, 0.0])]
)
def test_pvalues_against_theory_of_all_resamples(d):
    d = np.round(d, 10)
    means = np.round(d[np.array(list(product(range(6), repeat=6)))].mean(axis=1), 9)
    below, above = np.mean(means <= 0.0), np.mean(means >= 0.0)
    shift = np.mean(np.abs(means - d.mean()) >= abs(d.mean()) - 1e-9)
    for method, expected in (("percentile", 2 * min(below, above)), ("shift", shift)):
        p = run_test("bootstrap", d, method=method).pvalue[0]
        assert p == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", BY_LAW)
def test_interval_and_pvalue_are_one_procedure_on_and_off_a_lattice(method):
    decided = 0
    n_samples = 10 if method == "BCa" else 30  # a sample of BCa costs ten times as much
    for d in samples(n_samples):
        for alternative in ("two-sided", "greater", "less"):
            levels = np.array([0.5, 0.9, 0.95, 0.999])
            result = run_test(
                "bootstrap", d[:, None] * np.ones(4), method=method, alternative=alternative,
                confidence=levels,
            )  # fmt: skip
            rejected = result.pvalue < np.round(1 - levels, 12)
            np.testing.assert_array_equal(rejected, result.excludes_zero, str(d.tolist()))
            decided += int(rejected.sum())
    assert 0.05 < decided / (n_samples * 3 * 4) < 1


@pytest.mark.parametrize("method", BY_LAW)
def test_the_pvalue_is_the_level_at_which_the_limit_is_zero(method):
    d = D - 0.04
    p = run_test("bootstrap", d, method=method).pvalue[0]
    just_in = run_test("bootstrap", d, method=method, confidence=1 - p * 0.999)
    just_out = run_test("bootstrap", d, method=method, confidence=1 - p * 1.001)
    assert just_in.ci_low[0] <= 0.0 < just_out.ci_low[0]
    assert just_in.ci_low[0] == pytest.approx(0.0, abs=2e-3)


def test_one_sided_shift_is_basic():
    for alternative in ("greater", "less"):
        one, other = (
            run_test("bootstrap", D, method=method, alternative=alternative)
            for method in ("shift", "basic")
        )
        assert one.pvalue[0] == other.pvalue[0]
        assert (one.ci_low[0], one.ci_high[0]) == (other.ci_low[0], other.ci_high[0])


def test_bca_without_bias_and_skewness_is_the_percentile():
    chances = Chances(np.arange(99.0), np.arange(1, 100) / 99, 1e-10, smooth=True)
    np.testing.assert_allclose(_carried(chances, 0.0, 0.0).chance, chances.chance, atol=1e-12)


def test_bca_never_goes_below_the_smallest_chance():
    # An outlier this size accelerates beyond the pole of the formula.
    sample = np.append(np.zeros(40), 1.0)
    result = run_test("bootstrap", sample, method="BCa")
    assert 0.0 < result.pvalue[0] <= 1.0
    chances = Chances(np.arange(100.0), np.linspace(0, 1, 100), 1e-10, smooth=True)
    for bias, acceleration in ((0.5, 0.6), (-0.5, -0.6)):
        carried = _carried(chances, bias, acceleration)
        assert np.all(np.diff(carried.chance) >= 0)
        assert carried.smallest >= 1e-10
        assert carried.chance[-1] == 1.0


def test_the_smallest_pvalue_is_that_of_one_resample():
    assert run_test("bootstrap", [0.1, 0.3], method="percentile").pvalue[0] == 0.5
    assert run_test("bootstrap", [0.1, 0.3], method="percentile").ci_low[0] == -np.inf
    three = run_test("bootstrap", [0.1, 0.2, 0.4], method="percentile")
    assert three.pvalue[0] == pytest.approx(2 / 27)
    # However often it comes: here 36 % of them are .1 throughout.
    heavy = run_test("bootstrap", np.append(np.full(29, 0.1), 0.6), method="percentile")
    assert (heavy.pvalue[0], heavy.ci_low[0]) == (2e-10, pytest.approx(0.1))
    assert run_test("bootstrap", D + 0.2, method="percentile").pvalue[0] == 2e-10


def test_how_many_are_drawn():
    assert run_test("bootstrap", D, n_resamples=50).n_resamples == 50
    assert run_test("bootstrap", D).n_resamples == 9_999


@pytest.mark.parametrize("method", BY_LAW)
def test_one_query_differs(method):
    result = run_test("bootstrap", np.append(np.zeros(29), 0.6), method=method)
    # P(it is not drawn) = .36: no interval that tells it from 0.
    assert result.ci_low[0] <= 0.0 < result.ci_high[0] < 0.2
    if method == "percentile":
        assert result.pvalue[0] == pytest.approx(2 * (29 / 30) ** 30)


@pytest.mark.parametrize("method", [*BY_LAW, "studentised"])
@pytest.mark.parametrize("d", [[0.1, 0.3], [-0.1, 0.3], [0.1, -0.1], [0.0, 0.3]])
def test_two_queries_bound_nothing_at_95(method, d):
    result = run_test("bootstrap", d, method=method)
    assert 0.0 < result.pvalue[0] <= 1.0
    assert not result.excludes_zero[0]
    if method in ("percentile", "basic"):
        assert result.pvalue[0] >= 0.5
        assert (result.ci_low[0], result.ci_high[0]) == (-np.inf, np.inf)


def test_of_so_many_queries_that_bca_has_no_bias_its_bounds_say_nothing():
    d = np.random.default_rng(11).normal(0.0005, 0.1, 300_000)
    found = run_test("bootstrap", d, method="BCa")
    assert (found.pvalue_low[0], found.pvalue_high[0]) == (0.0, 1.0)
    assert 0.0 < found.pvalue[0] < 1.0
