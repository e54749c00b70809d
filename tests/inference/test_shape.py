"""Moments of the differences.

Quantile plots: against order statistics and against themselves.

Outliers: as published, and in as many normal samples as the level says, whatever the p of t.
"""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference.effect_size import moments, rosner_outliers


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
        ([], []), ([0.3], []), ([0.0, 5.0], []), ([0.1] * 9, []), ([0.0] * 9 + [1.0], [9]),
        ([-1.0] + [0.0] * 29, [0]),
    ],
)  # fmt: skip
def test_little_and_even_data(differences, places) -> None:
    assert rosner_outliers(differences).tolist() == places


@pytest.mark.parametrize("function", [moments, rosner_outliers])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(function, value) -> None:
    with pytest.raises(ArgumentError, match="finite"):
        function([0.1, value, 0.2])


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10, 40])
def test_normal_samples_have_outliers_as_often_as_said_whatever_their_mean(n) -> None:
    """against_theory: for one, Grubbs' level is exact, and by Basu's theorem at every p of t."""
    samples = np.random.default_rng(n).standard_normal((3000, n))
    values = np.array([rosner_outliers(sample, maximum=1).size > 0 for sample in samples])
    small = stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.2
    for some in (values, values[small], values[~small]):
        assert stats.binomtest(int(some.sum()), some.size, 0.05).pvalue > 1e-4
