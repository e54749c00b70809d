from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_test


@pytest.mark.every_case
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
def test_hall_is_the_larger_p_of_t_with_and_without_the_skewness(alternative) -> None:
    random = np.random.default_rng(8)
    corrected = 0
    for n, side in product((6, 25, 80), (1, -1)):
        d = side * np.round(random.exponential(0.2, n) - random.choice([0.1, 0.2, 0.3]), 3)
        test = run_test("hall", d, alternative=alternative)
        plain = stats.ttest_1samp(d, 0.0, alternative=alternative)
        s, g = d.mean() / d.std(ddof=1), stats.skew(d) * (1 + 6 / n)
        h = n**0.5 * (s + g * s**2 / 3 + g**2 * s**3 / 27 + g / (6 * n))
        tails = {"greater": stats.t.sf(h, n - 1), "less": stats.t.cdf(h, n - 1)}
        tail = tails.get(alternative, 2 * min(tails.values()))
        assert test.pvalue[0] == pytest.approx(max(plain.pvalue, tail), rel=1e-9)
        assert test.statistic[0] == pytest.approx(plain.statistic, rel=1e-9)
        corrected += tail > plain.pvalue
    assert corrected


@pytest.mark.every_case
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


def enumerated(d, alternative="two-sided", theta=Fraction(0)):
    """The p-value by going through all signs, in fractions."""
    shifted = [value - theta for value in d]
    observed = sum(shifted)
    count = 0
    for signs in product((1, -1), repeat=len(d)):
        flipped = sum(s * value for s, value in zip(signs, shifted, strict=True))
        count += {
            "two-sided": abs(flipped) >= abs(observed),
            "greater": flipped >= observed,
            "less": flipped <= observed,
        }[alternative]
    return Fraction(count, 2 ** len(d))


@pytest.mark.parametrize("denominator", [10, 3, 12])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_against_enumeration_in_fractions(denominator, alternative):
    random = np.random.default_rng(denominator)
    for _ in range(10):
        n = int(random.integers(1, 9))
        exact = [Fraction(int(k), denominator) for k in random.integers(-3, 5, n)]
        if not any(exact):
            continue
        result = run_test("permutation", np.array(exact, float), alternative=alternative)
        assert result.method == "exact"
        assert Fraction(float(result.pvalue[0])) == enumerated(exact, alternative)


def test_how_many_columns_are_held_at_once_changes_nothing(monkeypatch) -> None:
    d = np.random.default_rng(5).normal(0.1, 1.0, (40, 5))
    whole = run_test("permutation", d, method="monte-carlo", n_resamples=4999, seed=3)
    monkeypatch.setattr("abrank.inference.sign_flips.COLUMNS_AT_ONCE", 2)
    parts = run_test("permutation", d, method="monte-carlo", n_resamples=4999, seed=3)
    np.testing.assert_array_equal(whole.pvalue, parts.pvalue)
    np.testing.assert_array_equal(whole.ci_low, parts.ci_low)
    np.testing.assert_array_equal(whole.ci_high, parts.ci_high)


def test_without_a_narrow_bracket_flips_are_drawn():
    """Sums that one huge difference pushes together cannot be told apart; a column beside can."""
    d = np.random.default_rng(4).normal(0.002, 0.01, (60, 2))
    d[0, 1] = 1e4
    result = run_test("permutation", d)
    assert (result.method, result.n_resamples) == ("Monte Carlo", 99_999)
    assert (result.pvalue_error > 0).tolist() == [False, True]
    assert result.pvalue[0] == run_test("permutation", d[:, 0]).pvalue[0]
    assert (result.pvalue < 0.05).tolist() == result.excludes_zero.tolist()


def test_unknown_choices_are_named():
    with pytest.raises(ArgumentError, match="did you mean exact"):
        run_test("permutation", [0.1, 0.2], method="exakt")
