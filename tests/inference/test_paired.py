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


@pytest.mark.slow
def test_hall_finds_a_third_of_what_t_and_flips_find_falsely_in_skewed_differences() -> None:
    random = np.random.default_rng(9)
    d = 0.2 - random.exponential(0.2, (50, 4000))  # rare losses are large, and the mean is 0
    rates = {}
    for name in ("t", "permutation", "hall"):
        test = run_test(name, d[:, :1000] if name == "permutation" else d, confidence=1.0)
        rates[name] = np.mean((test.pvalue < 0.005) & (test.estimate > 0)) / 0.0025
    assert 3 * rates["hall"] < 6 < min(rates["t"], rates["permutation"])


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


@pytest.mark.slow
def test_the_interval_is_the_set_of_shifts_not_rejected():
    random = np.random.default_rng(2)
    for _ in range(8):
        exact = [Fraction(int(k), 20) for k in random.integers(-4, 9, 8)]
        result = run_test("permutation", np.array(exact, float), confidence=0.9)
        low, high = result.ci_low[0], result.ci_high[0]
        for end, inwards in ((low, 1), (high, -1)):
            theta = Fraction(float(end)).limit_denominator(1000)
            step = Fraction(inwards, 10**6)
            assert enumerated(exact, theta=theta) >= Fraction(1, 10)
            assert enumerated(exact, theta=theta + step) >= Fraction(1, 10) or low == high
            assert enumerated(exact, theta=theta - step) < Fraction(1, 10)


def test_one_sided_is_half_of_two_sided_when_drawn():
    d = np.round(np.random.default_rng(1).normal(0.05, 0.2, 40), 2)
    arguments = {"method": "monte-carlo", "n_resamples": 999}
    two = run_test("permutation", d, **arguments)
    greater = run_test("permutation", d, alternative="greater", **arguments)
    assert two.method == "Monte Carlo"
    assert two.pvalue[0] == 2 * greater.pvalue[0]


def test_drawn_agrees_with_exact():
    d = np.round(np.random.default_rng(3).normal(0.1, 0.3, 15), 2)
    exact = run_test("permutation", d).pvalue[0]
    test = run_test("permutation", d, method="monte-carlo", n_resamples=20_000)
    assert test.method == "Monte Carlo"
    assert abs(test.pvalue[0] - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000)
    assert test.n_resamples == 20_000
    p = test.pvalue[0]
    assert test.pvalue_error[0] == pytest.approx(np.sqrt(p * (1 - p) / 20_000))
    assert test.pvalue_low[0] == test.pvalue_high[0] == p


def test_many_columns_are_taken_in_groups():
    d = np.round(np.random.default_rng(1).normal(0.1, 0.3, (8, 40)), 1)
    together = run_test("permutation", d)
    assert together.pvalue[39] == run_test("permutation", d[:, 39]).pvalue[0]


def test_how_many_columns_are_held_at_once_changes_nothing(monkeypatch) -> None:
    d = np.random.default_rng(5).normal(0.1, 1.0, (40, 5))
    whole = run_test("permutation", d, method="monte-carlo", n_resamples=4999, seed=3)
    monkeypatch.setattr("abrank.inference.sign_flips.COLUMNS_AT_ONCE", 2)
    parts = run_test("permutation", d, method="monte-carlo", n_resamples=4999, seed=3)
    np.testing.assert_array_equal(whole.pvalue, parts.pvalue)
    np.testing.assert_array_equal(whole.ci_low, parts.ci_low)
    np.testing.assert_array_equal(whole.ci_high, parts.ci_high)


def hard_samples(n_samples):
    """Small samples: heavy ties, zeros, an outlier, one value; and some without a pattern."""
    random = np.random.default_rng(300)
    for i in range(n_samples):
        n = int(random.integers(2, 17))
        yield (
            random.integers(-2, 4, n) / 10,
            random.integers(-3, 4, n) * random.integers(0, 2, n) / 7,
            np.append(np.round(random.normal(0.02, 0.1, n - 1), 3), 50.0),
            np.full(n, random.normal()),
            random.normal(0.1, 0.3, n),
        )[i % 5]


def test_against_brute_force():
    """300 samples of up to 16: every sign in turn, in floats with a tolerance for ties."""
    for d in hard_samples(300):
        sums = np.zeros(1)
        for value in d:
            sums = np.concatenate([sums - value, sums + value])
        truth = np.mean(np.abs(sums) >= abs(d.sum()) - 1e-9)
        result = run_test("permutation", d)
        assert result.pvalue[0] == pytest.approx(truth, rel=1e-12)
        assert result.method == "exact"


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 250, 1000])
@pytest.mark.parametrize("decimals", [1, 4, 17])
def test_exact_agrees_with_a_million_flips(n, decimals):
    random = np.random.default_rng(n)
    d = random.gamma(0.5, 0.15, n) * random.choice([-1, 1], n) + 0.28 / np.sqrt(n)
    d = np.round(d, decimals)
    exact = run_test("permutation", d)
    test = run_test("permutation", d, method="monte-carlo", n_resamples=1_000_000, seed=2)
    assert (exact.method, test.method) == ("exact", "Monte Carlo")
    assert abs(exact.pvalue[0] - test.pvalue[0]) < 4 * test.pvalue_error[0] + 1e-6
    # The bounds of the one and the sampling error of the other tell how far either is to trust.
    assert exact.pvalue_low[0] <= exact.pvalue[0] <= exact.pvalue_high[0]
    unsure = exact.pvalue_high[0] - exact.pvalue_low[0]
    assert unsure <= max(1e-3 * exact.pvalue[0], 1e-6)
    assert exact.pvalue_error[0] == 0.0
    # A limit drawn is off by the error of a .025 quantile of a million means.
    error = 4 * 2.7 * d.std() / np.sqrt(n) / 1000
    assert exact.ci_low[0] == pytest.approx(test.ci_low[0], abs=error)
    assert exact.ci_high[0] == pytest.approx(test.ci_high[0], abs=error)


@pytest.mark.slow
def test_a_million_queries():
    d = np.random.default_rng(1).gamma(0.5, 0.15, 1_000_000) - 0.0752
    result, t = run_test("permutation", d), run_test("t", d)
    assert result.method == "exact"
    assert result.pvalue[0] == pytest.approx(t.pvalue[0], rel=1e-3)
    assert result.ci_low[0] == pytest.approx(t.ci_low[0], rel=1e-3)


def test_without_a_narrow_bracket_flips_are_drawn():
    """Sums that one huge difference pushes together cannot be told apart; a column beside can."""
    random = np.random.default_rng(4)
    d = random.normal(0.002, 0.01, (60, 2))
    d[0, 1] = 1e4
    result = run_test("permutation", d)
    assert result.method == "Monte Carlo"
    assert result.n_resamples == 99_999
    assert (result.pvalue_error > 0).tolist() == [False, True]
    assert result.pvalue[0] == run_test("permutation", d[:, 0]).pvalue[0]
    assert (result.pvalue < 0.05).tolist() == result.excludes_zero.tolist()


def test_unknown_choices_are_named():
    with pytest.raises(ArgumentError, match="did you mean exact"):
        run_test("permutation", [0.1, 0.2], method="exakt")


def test_all_signs_leave_no_doubt_about_the_p_value():
    result = run_test("permutation", np.array([0.3, 0.1, 0.4, -0.2, 0.5]))
    assert result.method == "exact"
    assert result.pvalue_low[0] == result.pvalue[0] == result.pvalue_high[0]
