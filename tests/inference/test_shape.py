"""Moments of the differences.

Leave-one-out influence, against the test run again without each query.

Quantile plots: against order statistics and against themselves.

Outliers: as published, and in as many normal samples as the level says, whatever the p of t.
"""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.shape import (
    calls_without,
    moments,
    rosner_outliers,
)


def test_moments_against_scipy() -> None:
    d = np.round(np.random.default_rng(1).gamma(2, 0.1, 60) - 0.15, 4)
    assert moments(d) == pytest.approx((stats.skew(d), stats.kurtosis(d)), rel=1e-10)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("d", "expected"),
    [
        ([], (np.nan, np.nan)),
        ([0.3], (np.nan, np.nan)),
        ([0.1, 0.3], (0.0, -2.0)),
        ([0.0] * 5, (np.nan, np.nan)),
        ([0.1 + 0.2, 0.3, 0.3], (np.nan, np.nan)),
        # A Bernoulli variable with p = 1/9: skewness (1 - 2p) / sqrt(pq), excess (1 - 6pq) / pq.
        ([0.0] * 8 + [0.9], (7 / np.sqrt(8), 33 / 8)),
        ([0.1, 0.3] * 4, (0.0, -2.0)),
    ],
)
def test_degenerate(d, expected) -> None:
    assert moments(d) == pytest.approx(expected, nan_ok=True)


def test_infinities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        moments([0.1, np.inf])


def call_of(d, alpha=0.05):
    result = run_test("t", d, confidence=1 - alpha)
    return int(np.sign(result.estimate[0])) if result.pvalue[0] < alpha else 0


@pytest.mark.parametrize("seed", range(12))
def test_against_the_test_run_again(seed) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 40))
    d = np.round(random.normal(random.choice([-0.1, 0.0, 0.1]), 0.2, n), 2)
    call, calls, pvalues = calls_without(d, np.arange(n), confidence=0.9)
    assert call == call_of(d, 0.1)
    for i in range(n):
        rest = np.delete(d, i)
        again = run_test("t", rest)
        assert pvalues[i] == pytest.approx(again.pvalue[0], rel=1e-8, nan_ok=True)
        assert calls[i] == call_of(rest, 0.1)


def test_one_query_that_carries_the_call() -> None:
    d = np.r_[np.tile([0.1, -0.04], 10), 0.25]
    call, calls, _ = calls_without(d, np.arange(21))
    assert call == 1
    assert calls[20] == 0


@pytest.mark.slow
def test_a_million_queries() -> None:
    d = np.random.default_rng(1).normal(0.01, 0.2, 1_000_000)
    call, calls, _ = calls_without(d, np.arange(1_000_000))
    assert call == 1
    assert (calls == 1).all()


def test_numbers_far_from_zero_lose_no_digits() -> None:
    d = np.random.default_rng(2).normal(0, 1e-3, 50) + 1e4
    assert calls_without(d, np.array([7]))[0] == 1


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("d", "call", "n_flips"),
    [
        ([0.1, 0.2], 0, 0),
        ([0.1, 0.1001], 1, 2),
        ([0.0] * 6, 0, 0),
        ([0.2] * 6, 0, 0),
        ([0.0] * 6 + [0.4], 0, 0),
        # Without the one that differs the rest is one value, of which t says nothing.
        ([0.2] * 6 + [0.25], 1, 1),
        ([0.1, 0.3] * 4, 1, 0),
    ],
)
def test_degenerate_influence(d, call, n_flips) -> None:
    result, calls, _ = calls_without(d, np.arange(len(d)))
    assert (result, int((calls != result).sum())) == (call, n_flips)


def test_p_without_the_others_is_one_where_they_are_nothing() -> None:
    pvalues = [calls_without(d, np.array([0]))[2][0] for d in ([0.0] * 5, [0.2] * 5)]
    assert pvalues == pytest.approx([1.0, np.nan], nan_ok=True)


def test_infinities_are_refused_by_influence() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        calls_without([0.1, np.nan], np.array([0]))


# Rosner (1983), as in the NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.5.17.3.
ROSNER = """-0.25 0.68 0.94 1.15 1.20 1.26 1.26 1.34 1.38 1.43 1.49 1.49 1.55 1.56 1.58 1.65 1.69
1.70 1.76 1.77 1.81 1.91 1.94 1.96 1.99 2.06 2.09 2.10 2.14 2.15 2.23 2.24 2.26 2.35 2.37 2.40 2.47
2.54 2.62 2.64 2.90 2.92 2.92 2.93 3.21 3.26 3.30 3.59 3.68 4.30 4.64 5.34 5.42 6.01"""


def test_three_outliers_of_the_published_example() -> None:
    """against_theory: the paper finds three, though neither the first nor the second alone is."""
    values = np.array(ROSNER.split(), float)
    assert values[rosner_outliers(values, maximum=10)].tolist() == [6.01, 5.42, 5.34]
    assert rosner_outliers(values, maximum=2).size == 0


@pytest.mark.parametrize(
    ("differences", "places"),
    [
        ([], []),
        ([0.3], []),
        ([0.0, 5.0], []),
        ([0.1] * 9, []),
        ([0.0] * 9 + [1.0], [9]),
        ([-1.0] + [0.0] * 29, [0]),
    ],
)
def test_little_and_even_data(differences, places) -> None:
    assert rosner_outliers(differences).tolist() == places


def test_not_finite_is_refused() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        rosner_outliers([0.1, np.nan, 0.2])


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10, 40])
def test_normal_samples_have_outliers_as_often_as_said_whatever_their_mean(n) -> None:
    """against_theory: for one, Grubbs' level is exact, and by Basu's theorem at every p of t."""
    samples = np.random.default_rng(n).standard_normal((3000, n))
    values = np.array([rosner_outliers(sample, maximum=1).size > 0 for sample in samples])
    small = stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.2
    for some in (values, values[small], values[~small]):
        assert stats.binomtest(int(some.sum()), some.size, 0.05).pvalue > 1e-4
