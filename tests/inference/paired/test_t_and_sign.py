from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (0, 4), (7, 0), (5, 5), (29, 21), (900, 800)])
def test_sign_against_scipy(wins, losses, alternative):
    d = [0.1] * wins + [-0.2] * losses + [0.0] * 3
    ours = run_test("sign", d, alternative=alternative, confidence=0.9)
    theirs = stats.binomtest(wins, wins + losses, alternative=alternative)
    assert ours.pvalue[0] == pytest.approx(theirs.pvalue, rel=1e-10)
    assert ours.estimate[0] == pytest.approx((wins - losses) / (wins + losses))
    limits = theirs.proportion_ci(0.9)
    if alternative != "less":
        assert ours.ci_low[0] == pytest.approx(2 * limits.low - 1)
    if alternative != "greater":
        assert ours.ci_high[0] == pytest.approx(2 * limits.high - 1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("n", [2, 10, 400])
def test_t_against_scipy(n, alternative):
    d = np.random.default_rng(n).normal(0.05, 0.3, n)
    ours = run_test("t", d, alternative=alternative, confidence=0.99)
    theirs = stats.ttest_1samp(d, 0.0, alternative=alternative)
    limits = theirs.confidence_interval(0.99)
    assert ours.statistic[0] == pytest.approx(theirs.statistic, rel=1e-10)
    assert ours.pvalue[0] == pytest.approx(theirs.pvalue, rel=1e-10)
    assert [ours.ci_low[0], ours.ci_high[0]] == pytest.approx([limits.low, limits.high])
