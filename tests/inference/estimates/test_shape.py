"""Moments, normality and outliers of the differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference.estimates.shape import describe_shape


def test_moments_against_scipy() -> None:
    d = np.round(np.random.default_rng(1).gamma(2, 0.1, 60) - 0.15, 4)
    found = describe_shape(d)
    assert found.mean == pytest.approx(d.mean())
    assert found.sd == pytest.approx(d.std(ddof=1))
    assert found.skew == pytest.approx(stats.skew(d), rel=1e-10)
    assert found.excess == pytest.approx(stats.kurtosis(d), rel=1e-10)
    assert (found.normality_test, found.normality) == ("Shapiro-Wilk", stats.shapiro(d).pvalue)


def test_many_queries_take_the_test_that_is_right_there() -> None:
    d = np.random.default_rng(1).normal(0, 1, 5001)
    found = describe_shape(d)
    assert found.normality_test == "D'Agostino-Pearson"
    assert found.normality == pytest.approx(stats.normaltest(np.round(d, 10)).pvalue)


@pytest.mark.parametrize(
    ("d", "mean", "sd", "skew", "test"),
    [
        ([], np.nan, np.nan, np.nan, "none"),
        ([0.3], 0.3, np.nan, np.nan, "none"),
        ([0.1, 0.3], 0.2, np.sqrt(0.02), 0.0, "none"),
        ([0.0] * 5, 0.0, 0.0, np.nan, "none"),
        ([0.1 + 0.2, 0.3, 0.3], 0.3, 0.0, np.nan, "none"),
        ([0.0] * 8 + [0.9], 0.1, 0.3, stats.skew([0.0] * 8 + [0.9]), "Shapiro-Wilk"),
        ([0.1, 0.3] * 4, 0.2, 0.1 * np.sqrt(8 / 7), 0.0, "Shapiro-Wilk"),
    ],
)
def test_degenerate(d, mean, sd, skew, test) -> None:
    found = describe_shape(d)
    assert [found.mean, found.sd, found.skew] == pytest.approx([mean, sd, skew], nan_ok=True)
    assert found.normality_test == test
    assert np.isnan(found.normality) == (test == "none")
    assert found.n_queries == len(d)


def test_zero_share() -> None:
    assert describe_shape([0.0, 1e-12, 0.1, -0.2]).zero_share == 0.5
    assert np.isnan(describe_shape([]).zero_share)


def test_infinities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        describe_shape([0.1, np.inf])
