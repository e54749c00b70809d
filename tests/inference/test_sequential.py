"""Confidence sequences: the identity with the mixture test, and cover at every look.

Tests at planned looks.

Group-sequential boundaries, against published tables.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.sequential import (
    asymptotic_sequence,
    best_rho_squared,
    betting_sequence,
    mixture_half_width,
    mixture_log_ratio,
    run_at_looks,
    stopping_boundaries,
)

ONE = np.ones(1)


def test_acceptance_case(shared_data) -> None:
    cases = json.loads((shared_data / "stat_cases.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "seq01")
    given, expected = case["input"], case["expected"]
    rho_squared = (given["tau"] / given["sd"]) ** 2
    half = mixture_half_width(given["n"] * ONE, given["sd"] * ONE, rho_squared, given["alpha"])
    ratio = np.exp(
        mixture_log_ratio(given["n"] * ONE, given["mean"] * ONE, given["sd"] * ONE, rho_squared)
    )
    assert half[0] == pytest.approx(expected["half_width"], abs=1e-12)
    assert ratio[0] == pytest.approx(expected["lambda_"], rel=1e-12)
    assert 1 / ratio[0] == pytest.approx(expected["p_always_valid"], rel=1e-12)


def test_the_interval_inverts_the_mixture_test() -> None:
    n, sd = np.array([2.0, 30.0, 1e6]), np.array([0.1, 0.2, 3.0])
    for alpha in (0.05, 0.001):
        half = mixture_half_width(n, sd, 0.07, alpha)
        assert mixture_log_ratio(n, half, sd, 0.07) == pytest.approx(np.full(3, -np.log(alpha)))


def test_the_ratio_is_the_integral_over_the_mixture() -> None:
    from scipy.integrate import quad
    from scipy.stats import norm

    n, mean, sd, tau = 40, 0.06, 0.2, 0.05
    error = sd / np.sqrt(n)
    integral, _ = quad(
        lambda m: norm.pdf(mean, m, error) * norm.pdf(m, 0, tau), -1, 1, points=[mean]
    )
    ratio = np.exp(mixture_log_ratio(n * ONE, mean * ONE, sd * ONE, (tau / sd) ** 2))
    assert ratio[0] == pytest.approx(integral / norm.pdf(mean, 0, error), rel=1e-7)


def test_rho_is_tuned_to_the_plan() -> None:
    for planned in (50, 400):

        def width(rho_squared, planned=planned):
            return mixture_half_width(planned * ONE, ONE, rho_squared, 0.05)[0]

        best = width(best_rho_squared(planned, 0.05))
        around = [width(best_rho_squared(planned, 0.05) * factor) for factor in
                  np.geomspace(0.5, 2, 41)]  # fmt: skip
        assert best <= min(around) * 1.0001


def test_each_look_is_the_formula_and_looks_intersect() -> None:
    d = np.round(np.random.default_rng(1).normal(0.05, 0.2, 300), 3)
    found = asymptotic_sequence(d, planned=200, first=30)
    assert found.n_queries.tolist() == list(range(1, 301))
    rho_squared = best_rho_squared(200, 0.05)
    lows = []
    for n in range(30, 301):
        half = mixture_half_width(n * ONE, d[:n].std(ddof=1) * ONE, rho_squared, 0.05)[0]
        lows.append(d[:n].mean() - half)
        assert found.estimate[n - 1] == pytest.approx(d[:n].mean(), abs=1e-12)
        assert found.ci_low[n - 1] == pytest.approx(max(lows), abs=1e-9)
    assert np.all(found.pvalue[:29] == 1.0)
    assert np.isinf(found.ci_low[:29]).all()
    assert np.all(np.diff(found.pvalue) <= 0)
    # The price of looking: at the plan about half as wide again as the t interval.
    t = run_test("t", d[:200])
    now = mixture_half_width(200 * ONE, d[:200].std(ddof=1) * ONE, rho_squared, 0.05)[0]
    assert 1.4 < 2 * now / (t.ci_high[0] - t.ci_low[0]) < 1.6


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_intervals_exclude_zero_exactly_when_p_is_below_alpha(alpha) -> None:
    random = np.random.default_rng(2)
    seen = set()
    for _ in range(20):
        d = np.clip(np.round(random.normal(random.choice([0, 0.15]), 0.3, 120), 2), -1, 1)
        for found in (
            asymptotic_sequence(d, planned=100, confidence=1 - alpha),
            betting_sequence(d, confidence=1 - alpha, looks=[1, 2, 5, 20, 60, 120]),
        ):
            excludes = (found.ci_low > 0) | (found.ci_high < 0)
            np.testing.assert_array_equal(excludes, found.pvalue < alpha)
            seen |= set(excludes.tolist())
    assert seen == {True, False}


def test_level_of_all_looks_against_itself() -> None:
    random = np.random.default_rng(3)
    missed, naive = 0, 0
    for _ in range(600):
        d = random.normal(0, 0.2, 500)
        missed += asymptotic_sequence(d, planned=200).pvalue[-1] < 0.05
        peeks = [run_test("t", d[:n]).pvalue[0] for n in (50, 100, 200, 300, 400, 500)]
        naive += min(peeks) < 0.05
    assert missed / 600 <= 0.05
    assert naive / 600 > 0.1


def test_betting_holds_for_the_most_skewed_differences() -> None:
    # 3 in 100 differences are 1, the others -.03/.97: mean 0 and a skewness near 6.
    random = np.random.default_rng(4)
    draws = np.where(random.random((300, 300)) < 0.03, 1.0, -0.03 / 0.97)
    missed = sum(betting_sequence(d).pvalue[-1] < 0.05 for d in draws)
    assert missed / 300 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 300)
    powered = sum(betting_sequence(np.clip(d + 0.2, -1, 1)).pvalue[-1] < 0.05 for d in draws[:30])
    assert powered == 30


def test_betting_against_a_loop_over_the_definition() -> None:
    d = np.round(np.random.default_rng(5).uniform(-0.5, 0.9, 60), 2)
    alpha, x = 0.1, (d + 1) / 2

    def capital(m):
        up, down, best = 1.0, 1.0, 0.0
        for t, value in enumerate(x, 1):
            means = (0.5 + np.cumsum(x[: t - 1])) / np.arange(2, t + 1)
            variance = (0.25 + ((x[: t - 1] - means) ** 2).sum()) / t
            bet = np.sqrt(2 * np.log(2 / alpha) / (variance * t * np.log(1 + t)))
            up *= 1 + min(bet, 0.5 / m) * (value - m)
            down *= 1 - min(bet, 0.5 / (1 - m)) * (value - m)
            best = max(best, up / 2, down / 2)
        return best

    found = betting_sequence(d, confidence=0.9)
    assert found.pvalue[0] == pytest.approx(min(1, 1 / capital(0.5)), rel=1e-9)
    for limit, side in ((found.ci_low[0], 1), (found.ci_high[0], -1)):
        m = (limit + 1) / 2
        assert capital(m - side * 1e-6) >= 10 > capital(m + side * 1e-6)


def test_betting_looks_are_the_stream_cut_short() -> None:
    d = np.round(np.random.default_rng(6).uniform(-0.3, 0.6, 80), 2)
    found = betting_sequence(d, looks=[10, 40, 80])
    for i, look in enumerate([10, 40, 80]):
        alone = betting_sequence(d[:look])
        assert found.ci_low[i] == alone.ci_low[0]
        assert found.pvalue[i] == alone.pvalue[0]
    turned = betting_sequence(-d, looks=[10, 40, 80])
    assert turned.ci_low == pytest.approx(-found.ci_high, abs=1e-12)


@pytest.mark.parametrize(
    ("d", "low", "pvalue"),
    [([0.1], -np.inf, 1.0), ([0.1, 0.2], -np.inf, 1.0), ([0.0] * 60, -np.inf, 1.0),
     ([0.1] * 60, -np.inf, 1.0)],
)  # fmt: skip
def test_degenerate_asymptotic(d, low, pvalue) -> None:
    found = asymptotic_sequence(d, planned=50)
    assert (found.ci_low[-1], found.ci_high[-1], found.pvalue[-1]) == (low, -low, pvalue)
    assert found.estimate[-1] == pytest.approx(np.mean(d))


def test_degenerate_betting() -> None:
    zero = betting_sequence([0.0] * 200)
    assert zero.pvalue[0] == 1.0
    assert -0.2 < zero.ci_low[0] < 0 < zero.ci_high[0] < 0.2
    flat = betting_sequence([0.5] * 60)
    assert flat.pvalue[0] < 0.05
    assert flat.ci_low[0] < 0.5 < flat.ci_high[0]
    for d in ([0.3], [0.3, -0.1]):
        few = betting_sequence(d)
        assert -1 <= few.ci_low[0] < 0 < few.ci_high[0] <= 1
        assert few.pvalue[0] > 0.5
    one = betting_sequence([0.0] * 40 + [1.0])
    assert one.ci_low[0] < one.estimate[0] < one.ci_high[0]


def test_one_that_differs_is_as_any_other() -> None:
    found = asymptotic_sequence([0.0] * 40 + [0.4], planned=40)
    assert np.isinf(found.ci_low[39])
    assert found.ci_low[40] < 0.0 < found.ci_high[40]


def test_no_query_no_look() -> None:
    for found in (asymptotic_sequence([], planned=10), betting_sequence([])):
        assert found.n_queries.shape == found.pvalue.shape == found.ci_low.shape == (0,)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: asymptotic_sequence([0.1, np.inf], planned=9), "finite"),
        (lambda: asymptotic_sequence([0.1], planned=0), "planned"),
        (lambda: asymptotic_sequence([0.1], planned=9, first=1), "first"),
        (lambda: asymptotic_sequence([[0.1, 0.2]], planned=9), "one column"),
        (lambda: betting_sequence([0.1, 1.5]), "within -1 and 1"),
        (lambda: betting_sequence([0.1], looks=[2]), "looks must rise"),
        (lambda: betting_sequence([0.1] * 5, looks=[3, 3]), "looks must rise"),
        (lambda: betting_sequence([0.1], looks=[0]), "looks must rise"),
    ],
)
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()


def test_a_boundary_that_is_too_early_never_stops() -> None:
    d = np.linspace(0.5, 0.6, 100)
    tested = run_at_looks(d, [2, 100, 200])
    assert (tested.ci_low[0], tested.ci_high[0]) == (-np.inf, np.inf)
    assert tested.stopped.tolist() == [False, True]
    assert tested.first_stop == 100


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_each_look_is_the_test_at_its_level(test) -> None:
    d = np.round(np.random.default_rng(1).normal(0.08, 0.2, 40), 2)
    found = run_at_looks(d, [12, 24, 36, 48], test=test, kind="pocock")
    assert found.n_queries.tolist() == [12, 24, 36]
    for i, n in enumerate(found.n_queries):
        alone = run_test(test, d[:n], confidence=1 - found.level[i])
        assert found.pvalue[i] == alone.pvalue[0]
        assert (found.ci_low[i], found.ci_high[i]) == (alone.ci_low[0], alone.ci_high[0])
        assert found.stopped[i] == (found.pvalue[i] < found.level[i])
    assert len(found.boundaries.level) == 4


def test_level_against_itself() -> None:
    # Four looks at t; looking without boundaries finds twice too much. 4 standard errors.
    random = np.random.default_rng(5)
    looks, stopped, naive = [50, 100, 150, 200], 0, 0
    for _ in range(400):
        d = random.normal(0, 0.2, 200)
        found = run_at_looks(d, looks, kind="spend-pocock")
        stopped += found.first_stop is not None
        naive += bool((found.pvalue < 0.05).any())
    assert abs(stopped / 400 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400)
    assert naive / 400 > 0.09


@pytest.mark.parametrize(
    ("d", "n_reached", "pvalue", "interval"),
    [
        ([], 0, None, None),
        ([0.1], 0, None, None),
        ([0.0] * 4, 2, 1.0, (0.0, 0.0)),
        ([0.25] * 4, 2, np.nan, (-np.inf, np.inf)),
    ],
)
def test_degenerate(d, n_reached, pvalue, interval) -> None:
    found = run_at_looks(d, [2, 4, 6], kind="pocock")
    assert len(found.n_queries) == n_reached
    assert found.first_stop is None
    if n_reached:
        assert found.pvalue[-1] == pytest.approx(pvalue, nan_ok=True)
        assert (found.ci_low[-1], found.ci_high[-1]) == interval


def test_two_queries_and_one_that_differs_have_an_answer() -> None:
    for d in ([0.1, 0.2], [0.0, 0.0, 0.0, 0.4]):
        found = run_at_looks(d, [2, 4, 6], kind="pocock")
        assert not found.stopped.any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: run_at_looks([0.1], []), "rise"),
        (lambda: run_at_looks([0.1], [5, 3]), "rise"),
        (lambda: run_at_looks([0.1, np.inf], [2]), "finite"),
        (lambda: run_at_looks([[0.1, 0.2]], [1]), "one column"),
    ],
)
def test_plans_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()


# Jennison & Turnbull (2000), tables 2.1 and 2.3, alpha = .05.
@pytest.mark.parametrize(
    ("n_looks", "pocock", "obrien_fleming"),
    [(2, 2.178, 1.977), (3, 2.289, 2.004), (4, 2.361, 2.024), (5, 2.413, 2.040),
     (10, 2.555, 2.087)],
)  # fmt: skip
def test_constants_published(n_looks, pocock, obrien_fleming) -> None:
    flat = stopping_boundaries(n_looks, kind="pocock")
    assert flat.critical == pytest.approx(np.full(n_looks, pocock), abs=5e-4)
    falling = stopping_boundaries(n_looks, kind="obrien-fleming")
    assert falling.critical[-1] == pytest.approx(obrien_fleming, abs=5e-4)
    assert falling.critical * np.sqrt(falling.share) == pytest.approx(
        np.full(n_looks, falling.critical[-1])
    )


# Five looks, alpha = .05, by WinLD, the program of Reboussin, DeMets, Kim & Lan (2000),
# Controlled Clinical Trials 21, 190-207.
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("spend-obrien-fleming", [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
        ("spend-pocock", [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
    ],
)
def test_spending_published(kind, expected) -> None:
    assert stopping_boundaries(5, kind=kind).critical == pytest.approx(expected, abs=1.5e-4)


@pytest.mark.parametrize(
    "kind", ["obrien-fleming", "pocock", "spend-obrien-fleming", "spend-pocock"]
)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_all_looks_spend_alpha(kind, alpha) -> None:
    for looks in (1, 7, [0.1, 0.15, 0.9, 1.0]):
        found = stopping_boundaries(looks, alpha=alpha, kind=kind)
        assert found.spent[-1] == pytest.approx(alpha, abs=1e-10)
        assert np.all(np.diff(found.spent) > 0)
        assert found.level == pytest.approx(2 * norm.sf(found.critical), rel=1e-9)
        # The first look is reached by all, and spends the level of its own test.
        assert found.spent[0] == pytest.approx(found.level[0], rel=1e-9)


def test_two_looks_against_the_bivariate_normal_law() -> None:
    from scipy.stats import multivariate_normal

    found = stopping_boundaries([0.3, 1.0], kind="spend-pocock")
    law = multivariate_normal([0, 0], [[1, np.sqrt(0.3)], [np.sqrt(0.3), 1]], seed=1)
    stays = law.cdf(found.critical, lower_limit=-found.critical)
    assert 1 - stays == pytest.approx(0.05, abs=1e-5)


def test_spent_against_simulation() -> None:
    random = np.random.default_rng(4)
    found = stopping_boundaries(4, kind="obrien-fleming")
    z = np.cumsum(random.normal(size=(200_000, 4)), axis=1) / np.sqrt(np.arange(1, 5))
    stopped = np.logical_or.accumulate(np.abs(z) > found.critical, axis=1).mean(axis=0)
    assert np.all(np.abs(stopped - found.spent) < 4 * np.sqrt(found.spent / 200_000) + 1e-12)


def test_spending_needs_no_fixed_times() -> None:
    # What was spent by a share does not depend on the looks before it.
    one, other = (
        stopping_boundaries(looks, kind="spend-pocock") for looks in ([0.5, 1.0], [0.2, 0.5, 1.0])
    )
    assert one.spent[-2] == pytest.approx(other.spent[-2], abs=1e-12)


def test_a_look_that_is_too_early_never_stops() -> None:
    found = stopping_boundaries([0.01, 0.5, 1.0])
    assert np.isinf(found.critical[0])
    assert (found.level[0], found.spent[0]) == (0.0, 0.0)


@pytest.mark.parametrize(
    "kind", ["obrien-fleming", "pocock", "spend-obrien-fleming", "spend-pocock"]
)
def test_one_look_is_the_plain_test(kind) -> None:
    for looks in (1, [1.0]):
        assert stopping_boundaries(looks, kind=kind).critical == pytest.approx([norm.isf(0.025)])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stopping_boundaries(0), "looks"),
        (lambda: stopping_boundaries([]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 0.5]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.0, 1.0]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, np.nan]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 1.1]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 0.5 + 1e-6]), "1/40000"),
        (lambda: stopping_boundaries(3, alpha=1.0), "alpha"),
        (lambda: stopping_boundaries(3, kind="haybittle"), "unknown kind"),
    ],
)
def test_looks_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
