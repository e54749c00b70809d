"""Quantile plots: against order statistics and against themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference.estimates.shape import normal_plot


def test_against_scipy_the_band_is_the_law_of_order_statistics():
    values = np.random.default_rng(0).normal(size=30)
    found = normal_plot(values, confidence=0.9)
    rank = np.arange(1, 31)
    for limits, tail in ((found.low, 0.05), (found.high, 0.95)):
        assert limits == pytest.approx(stats.norm.ppf(stats.beta(rank, 31 - rank).ppf(tail)))
    assert found.expected == pytest.approx(stats.norm.ppf((rank - 0.375) / 30.25))


def test_against_itself_the_band_holds_normal_values_at_its_level():
    # Fresh values with the true mean and deviation would be inside 95% of the time at each rank.
    # With the sample's own they vary less, so the band holds more.
    random = np.random.default_rng(1)
    inside = []
    for _ in range(400):
        found = normal_plot(random.normal(3.0, 0.2, size=40))
        inside.append(np.mean((found.low <= found.observed) & (found.observed <= found.high)))
    assert np.mean(inside) > 0.95
    heavy = normal_plot(random.standard_t(2, size=400))
    assert heavy.observed[-1] > heavy.high[-1] or heavy.observed[0] < heavy.low[0]


@pytest.mark.parametrize("n", [401, 1_000_000])
def test_of_many_some_are_taken_with_both_ends(n):
    values = np.random.default_rng(2).normal(size=n)
    found = normal_plot(values)
    assert 200 < len(found.expected) <= 400
    ends = (np.array([values.min(), values.max()]) - values.mean()) / values.std(ddof=1)
    assert found.observed[[0, -1]] == pytest.approx(ends, abs=1e-6)
    assert np.all(np.diff(found.expected) > 0)
    assert np.max(np.diff(found.expected)) < 0.4
    assert np.all((found.low < found.expected) & (found.expected < found.high))


@pytest.mark.parametrize("values", [[], [0.1], [0.3, 0.3], [0.3 - 0.2, 0.2 - 0.1]])
def test_what_does_not_vary_is_refused(values):
    with pytest.raises(ArgumentError, match="do not vary"):
        normal_plot(values)


def test_two_equal_values_at_an_end_are_no_sample_without_spread():
    assert normal_plot([0.1, 0.1, 0.3]).observed == pytest.approx(
        [-0.5774, -0.5774, 1.1547], abs=1e-4
    )
