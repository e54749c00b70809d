"""Moments of the differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference.estimates.shape import moments


def test_moments_against_scipy() -> None:
    d = np.round(np.random.default_rng(1).gamma(2, 0.1, 60) - 0.15, 4)
    assert moments(d) == pytest.approx((stats.skew(d), stats.kurtosis(d)), rel=1e-10)


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
