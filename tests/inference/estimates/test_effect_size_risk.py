"""Risk against a baseline: against the formulas of the papers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference.estimates.effect_size import geo_risk, risk

D = np.array([0.2, -0.1, 0.05, -0.3, 0.0, 0.4, 0.1])


@pytest.mark.parametrize("weight", [0.0, 1.0, 5.0])
def test_urisk_is_the_mean_of_wins_less_weighted_losses(weight) -> None:
    found = risk(D, weight=weight)
    by_formula = (D[D > 0].sum() - (1 + weight) * -D[D < 0].sum()) / len(D)
    assert found.urisk == pytest.approx(by_formula)
    weighted = np.where(D < 0, (1 + weight) * D, D)
    test = stats.ttest_1samp(weighted, 0.0)
    assert found.trisk == pytest.approx(test.statistic)
    limits = test.confidence_interval(0.95)
    assert (found.urisk_low, found.urisk_high) == pytest.approx((limits.low, limits.high))
    low = stats.nct.sf(found.trisk, len(D) - 1, found.trisk_low)
    assert low == pytest.approx(0.025, abs=1e-6)


def test_georisk_is_the_formula_of_2016() -> None:
    scores = np.abs(np.random.default_rng(1).normal(0.4, 0.2, (9, 3)))
    expected = np.outer(scores.sum(axis=1), scores.sum(axis=0)) / scores.sum()
    z = (scores - expected) / np.sqrt(expected)
    z_risk = np.array([sum(v if v > 0 else 3.0 * v for v in column) for column in z.T])
    wanted = np.sqrt(scores.sum(axis=0) / 9 * stats.norm.cdf(z_risk / 9))
    estimate, low, high = geo_risk(scores, weight=2.0, n_resamples=200)
    np.testing.assert_allclose(estimate, wanted)
    assert (low < estimate).all()
    assert (estimate < high).all()


def test_no_difference_and_too_few_queries() -> None:
    same = risk(np.zeros(5))
    assert (same.urisk, same.urisk_low, same.trisk, same.trisk_high) == (0.0, 0.0, 0.0, 0.0)
    assert np.isnan(risk([]).urisk)
    one = risk([-0.1])
    assert one.urisk == pytest.approx(-0.2)
    assert one.urisk_low == -np.inf
    assert np.isnan(one.trisk)
    assert np.isnan(geo_risk(np.empty((0, 2)))[0]).all()
    assert np.isnan(geo_risk(np.zeros((3, 2)), n_resamples=9)[0]).all()


def test_what_has_no_risk_is_refused() -> None:
    with pytest.raises(ArgumentError, match="0 or more"):
        risk(D, weight=-1.0)
    with pytest.raises(ArgumentError, match="not negative"):
        geo_risk([[-0.1, 0.2]])
    with pytest.raises(ArgumentError, match="one column"):
        risk(np.zeros((3, 2)))
