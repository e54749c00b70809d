"""Effect sizes against the formulas of the papers."""

import numpy as np
import pytest
from scipy import special, stats

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import EFFECT_SIZES, effect_size
from abrank.inference.effect_size import effect_interval

A = np.array([0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55])
B = np.array([0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95])


def test_unknown_and_uneven():
    with pytest.raises(UnknownNameError, match="did you mean d_z"):
        effect_size("dz", A, B)
    with pytest.raises(ArgumentError, match="differ in shape"):
        effect_size("d_z", A, B[:5])


NORMAL = np.random.default_rng(4).multivariate_normal([0.4, 0.5], [[0.04, 0.02], [0.02, 0.09]], 400)
SKEWED = np.random.default_rng(5).beta([0.5, 0.7], 1.0, (60, 2))


def interval(name, a, b, **how):
    result = effect_interval(name, a, b, **how)
    return result.ci_low[0], result.ci_high[0]


@pytest.mark.parametrize("name", list(EFFECT_SIZES))
def test_intervals_hold_the_estimate_widen_with_confidence_and_swap(name):
    for a, b in (NORMAL[:20].T, NORMAL.T, SKEWED.T):
        wide, narrow = interval(name, a, b, confidence=0.99), interval(name, a, b, confidence=0.8)
        assert wide[0] < narrow[0] < effect_size(name, a, b)[0] < narrow[1] < wide[1]
        if name != "glass_delta":
            centre = 1.0 if name == "p_better" else 0.0
            low, high = interval(name, b, a, confidence=0.99)
            assert (centre - high, centre - low) == pytest.approx(wide, abs=1e-9)
    both = effect_interval(name, np.column_stack([A, A]), np.column_stack([B, A]))
    assert (both.ci_low[0], both.ci_high[0]) == interval(name, A, B)
    assert both.ci_low[1] == both.ci_high[1] == both.estimate[1]


@pytest.mark.parametrize("name", ["d_av", "glass_delta"])
def test_delta_method_against_the_jackknife(name):
    a, b = SKEWED.T
    n = a.size
    without = np.array([effect_size(name, np.delete(a, i), np.delete(b, i))[0] for i in range(n)])
    jackknife = np.sqrt((n - 1) ** 2 / n * without.var(ddof=1))
    low, high = interval(name, a, b)
    # Two estimates of one standard error, which differ by terms of 1 / n.
    assert (high - low) / 2 / stats.t.isf(0.025, n - 1) == pytest.approx(jackknife, rel=0.05)


def test_hedges_is_d_z_times_its_correction():
    factor = special.gamma(9 / 2) / np.sqrt(9 / 2) / special.gamma(8 / 2)
    d_z, hedges = (effect_interval(name, A, B) for name in ("d_z", "hedges_g"))
    for field in ("estimate", "ci_low", "ci_high"):
        assert getattr(hedges, field) == pytest.approx(factor * getattr(d_z, field))


def test_rank_biserial_is_wilsons_interval():
    low, high = interval("rank_biserial", A, B)
    size = effect_size("rank_biserial", A, B)[0]
    ranks = stats.rankdata(np.abs(np.round(B - A, 10))[np.round(B - A, 10) != 0])
    for rho in (low, high):
        z = (size - rho) / np.sqrt((1 - rho**2) * (ranks**2).sum() / ranks.sum() ** 2)
        assert abs(z) == pytest.approx(1.959963984540054)
    # Without ties and with +-1 equally likely, it is the null variance of W+.
    assert (ranks**2).sum() / ranks.sum() ** 2 == pytest.approx(4 / 3 / ranks.size, rel=0.1)


def test_p_better_is_wilsons_interval():
    # 8 of 10 won, from Wilson's formula; statsmodels proportion_confint(8, 10, method="wilson").
    d = np.append(np.full(8, 0.1), [-0.1, -0.2])
    assert interval("p_better", np.zeros(10), d) == pytest.approx((0.4901624715, 0.9433178485))
    # With ties the variance is less than that of a coin: 7 won, 2 lost, 1 tied.
    low, high = interval("p_better", A, B)
    z = 1.959963984540054
    for share in (low, high):
        variance = share * (1 - share) * (7 + 0.25 - 10 * 0.75**2) / 10 / (0.75 * 0.25) / 10
        assert abs(0.75 - share) / np.sqrt(variance) == pytest.approx(z)


@pytest.mark.parametrize("name", list(EFFECT_SIZES))
def test_one_value_of_scores_that_differ_has_the_unit_of_some(name):
    scores = np.array([0.1, 0.2, 0.3, 0.4, 0.6])
    spread = effect_interval(name, scores, scores + 0.1)
    assert np.isnan(spread.estimate[0]) == (name in ("d_z", "hedges_g"))
    if name in ("d_av", "glass_delta"):
        assert 0.0 < spread.ci_low[0] < spread.estimate[0] < spread.ci_high[0]
    none = 0.5 if name == "p_better" else 0.0
    assert interval(name, scores, scores) == (none, none)
