from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test
from abrank.inference.bootstrap import _bca_tables, _t_star

D = np.array([0.12, -0.03, 0.25, 0.31, -0.08, 0.17, 0.22, 0.05, 0.4, -0.11, 0.02, 0.19])


@pytest.mark.parametrize("method", ["percentile", "BCa", "basic"])
def test_limits_against_scipy(method):
    theirs = stats.bootstrap(
        (D,), np.mean, n_resamples=99_999, method=method, rng=np.random.default_rng(5)
    ).confidence_interval
    ours = run_test("bootstrap", D, method=method, n_resamples=99_999)
    # 2.67 standard errors / sqrt(B) on either side, four of them; twice that for BCa's own z0.
    error = 2 * 4 * 2.67 * D.std() / np.sqrt(D.size) * np.sqrt(2 / 99_999)
    assert ours.ci_low[0] == pytest.approx(theirs.low, abs=error)
    assert ours.ci_high[0] == pytest.approx(theirs.high, abs=error)


# In the second sample 2.6 % of the resamples have the observed t but for its last digits.
@pytest.mark.parametrize("d", [D[:5], np.array([0.1, 0.3, 0.4, 0.3, 0.1])])
def test_studentised_against_all_resamples(d):
    index = np.array(list(product(range(5), repeat=5)))
    means, spreads = d[index].mean(axis=1), d[index].std(axis=1, ddof=1)
    endless = np.where(np.isclose(means, d.mean()), 0.0, np.inf)
    alike = spreads < 1e-12
    t_star = np.where(
        alike, endless, np.abs(means - d.mean()) / np.where(alike, 1, spreads) * np.sqrt(5)
    )
    observed = abs(d.mean()) / (d.std(ddof=1) / np.sqrt(5))
    exact = np.mean(t_star >= observed * (1 - 1e-9))
    ours = run_test("bootstrap", d, n_resamples=20_000)
    assert ours.statistic[0] == pytest.approx(observed)
    assert abs(ours.pvalue[0] - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4
    # Resamples of one value have infinite t: 5 of 3,125, above this level.
    assert run_test("bootstrap", d, n_resamples=20_000, confidence=0.9999).ci_high[0] == np.inf


def test_a_resample_without_spread_has_endless_t():
    t_star = _t_star(np.array([0.5, -0.5, 0.0]), np.array([0.5, 0.5, 0.0]), 0.0, 2)
    assert t_star.tolist() == [np.inf, -np.inf, 0.0]


def test_bca_without_bias_and_skewness_is_the_percentile():
    means, plain = np.arange(-50.0, 51.0), np.arange(1, 103) / 102
    lower, upper = _bca_tables(means, np.array([-1.0, 0.0, 1.0]), plain)
    np.testing.assert_allclose(lower, plain, atol=1e-9)
    np.testing.assert_allclose(upper, plain, atol=1e-9)


def test_bca_never_goes_below_the_smallest_count():
    # An outlier this size accelerates beyond the pole of the formula.
    sample = np.append(np.zeros(400), 1.0)
    means, plain = np.linspace(0, 0.01, 999_999), np.arange(1, 1_000_001) / 1_000_000
    for table in _bca_tables(means, sample, plain):
        assert np.all(np.diff(table) >= 0)
        assert plain[0] <= table[0] <= table[-1] == 1.0


def test_how_many_are_drawn():
    assert run_test("bootstrap", D, n_resamples=50).n_resamples == 50
    assert run_test("bootstrap", D).n_resamples == 9_999
    # Of 9,999 none is <= 0 where all differences are above it: the smallest p there is.
    result = run_test("bootstrap", np.abs(D), method="percentile")
    assert result.pvalue[0] == 2 / 10_000


def test_how_many_draws_are_held_at_once_changes_nothing(monkeypatch) -> None:
    d = np.random.default_rng(5).normal(0.1, 1.0, (40, 3))
    whole = run_test("bootstrap", d, n_resamples=999, seed=3)
    monkeypatch.setattr("abrank.inference.bootstrap.DRAWS_AT_ONCE", 40 * 17)
    parts = run_test("bootstrap", d, n_resamples=999, seed=3)
    np.testing.assert_array_equal(whole.pvalue, parts.pvalue)
    np.testing.assert_array_equal(whole.ci_low, parts.ci_low)
