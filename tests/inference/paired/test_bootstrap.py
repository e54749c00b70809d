from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test
from abrank.inference.exact.bootstrap_distribution import Chances
from abrank.inference.paired.bootstrap import _carried

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
