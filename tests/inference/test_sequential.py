"""Confidence sequences: the identity with the mixture test.

Group-sequential boundaries, against published tables.
"""

import numpy as np
import pytest
from scipy.stats import norm

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.sequential import (
    anytime_result,
    best_rho_squared,
    mixture_half_width,
    mixture_log_ratio,
    stopping_boundaries,
)

ONE = np.ones(1)


def test_acceptance_case(stat_case) -> None:
    arguments, expected = stat_case("seq01")["input"], stat_case("seq01")["expected"]
    n, mean, sd = (arguments[name] * ONE for name in ("n", "mean", "sd"))
    rho_squared = (arguments["tau"] / arguments["sd"]) ** 2
    half = mixture_half_width(n, sd, rho_squared, arguments["alpha"])
    ratio = np.exp(mixture_log_ratio(n, mean, sd, rho_squared))
    assert half[0] == pytest.approx(expected["half_width"], abs=1e-12)
    assert ratio[0] == pytest.approx(expected["lambda_"], rel=1e-12)
    assert 1 / ratio[0] == pytest.approx(expected["p_always_valid"], rel=1e-12)


def test_rho_is_tuned_to_the_plan() -> None:
    for planned in (50, 400):

        def width(rho_squared, planned=planned):
            return mixture_half_width(planned * ONE, ONE, rho_squared, 0.05)[0]

        best = width(best_rho_squared(planned, 0.05))
        around = [width(best_rho_squared(planned, 0.05) * factor) for factor in
                  np.geomspace(0.5, 2, 41)]  # fmt: skip
        assert best <= min(around) * 1.0001


# Five looks, alpha = .05, by WinLD, the program of Reboussin, DeMets, Kim & Lan (2000),
# Controlled Clinical Trials 21, 190-207.
@pytest.mark.parametrize(("spending", "expected"), [
    ("obrien-fleming", [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
    ("pocock", [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
])  # fmt: skip
def test_spending_published(spending, expected) -> None:
    assert stopping_boundaries(5, spending=spending).critical == pytest.approx(expected, abs=1.5e-4)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_all_looks_spend_alpha_and_one_is_the_plain_test(spending) -> None:
    for alpha in (0.05, 0.01):
        for looks in (1, [1.0], 7, [0.1, 0.15, 0.9, 1.0]):
            boundaries = stopping_boundaries(looks, alpha=alpha, spending=spending)
            assert boundaries.spent[-1] == pytest.approx(alpha, abs=1e-10)
            assert np.all(np.diff(boundaries.spent) > 0)
            assert boundaries.level == pytest.approx(2 * norm.sf(boundaries.critical), rel=1e-9)
            # The first look is reached by all, and spends the level of its own test.
            assert boundaries.spent[0] == pytest.approx(boundaries.level[0], rel=1e-9)
            if len(boundaries.critical) == 1:
                assert boundaries.critical == pytest.approx([norm.isf(alpha / 2)])


def test_the_sequence_at_its_last_query() -> None:
    """The interval of the formula, p at its level, and little data."""
    d = np.round(np.random.default_rng(1).normal(0.05, 0.2, (200, 2)), 3)
    settings = {"planned": 200, "alpha": 0.05, "confidence": 0.95}
    result = anytime_result(d, **settings)
    half = mixture_half_width(
        200 * ONE, d[:, 0].std(ddof=1) * ONE, best_rho_squared(200, 0.05), 0.05
    )
    ends, mean = (result.ci_low[0], result.ci_high[0]), d[:, 0].mean()
    assert ends == pytest.approx((mean - half[0], mean + half[0]), abs=1e-9)
    # The price of looking: at the plan about half as wide again as the t interval.
    t = run_test("t", d[:, 0])
    assert 1.4 < 2 * half[0] / (t.ci_high[0] - t.ci_low[0]) < 1.6
    edge = anytime_result(d - d.mean(axis=0) + 1.0001 * half, **settings)
    assert edge.ci_low[0] > 0.0
    assert edge.pvalue[0] < 0.05
    for few in ([[0.1]], [[0.1]] * 60, [[0.1], [0.2]]):
        nothing = anytime_result(np.array(few), **settings)
        assert (nothing.pvalue[0], nothing.ci_low[0]) == (1.0, -np.inf)
    assert anytime_result(np.zeros((60, 1)), **settings).ci_low[0] == 0.0


def test_spending_needs_no_fixed_times() -> None:
    # What was spent by a share does not depend on the looks before it.
    first, second = (
        stopping_boundaries(looks, spending="pocock") for looks in ([0.5, 1.0], [0.2, 0.5, 1.0])
    )
    assert first.spent[-2] == pytest.approx(second.spent[-2], abs=1e-12)


def test_a_look_that_is_too_early_never_stops() -> None:
    boundaries = stopping_boundaries([0.01, 0.5, 1.0])
    assert np.isinf(boundaries.critical[0])
    assert (boundaries.level[0], boundaries.spent[0]) == (0.0, 0.0)


@pytest.mark.every_case
@pytest.mark.parametrize(("call", "said"), [
    (lambda: stopping_boundaries(0), "looks"),
    (lambda: stopping_boundaries([]), "rise within 0 and 1"),
    (lambda: stopping_boundaries([0.5, 0.5]), "rise within 0 and 1"),
    (lambda: stopping_boundaries([0.0, 1.0]), "rise within 0 and 1"),
    (lambda: stopping_boundaries([0.5, np.nan]), "rise within 0 and 1"),
    (lambda: stopping_boundaries([0.5, 1.1]), "rise within 0 and 1"),
    (lambda: stopping_boundaries([0.5, 0.5 + 1e-6]), "1/40000"),
    (lambda: stopping_boundaries(3, alpha=1.0), "alpha"),
])  # fmt: skip
def test_looks_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
