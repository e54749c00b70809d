"""One call for the questions of planning."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import abrank
from abrank import ArgumentError, planning


def test_the_two_questions_of_the_guide() -> None:
    assert abrank.power(sd=0.20, n=250).mde == planning.smallest_visible(0.2, 250)
    assert abrank.power(sd=0.20, effect=0.02).n == planning.queries_needed(0.2, 0.02)
    both = abrank.power(sd=0.20, effect=0.02, n=250)
    assert both.power == planning.power(250, effect=0.02 / 0.2)


def test_a_comparison_brings_spread_queries_level_and_test() -> None:
    random = np.random.default_rng(2)
    a = {f"q{i}": value for i, value in enumerate(random.random(40))}
    b = {query: value + random.normal(0, 0.1) for query, value in a.items()}
    result = abrank.compare_scores(a, b, alpha=0.01)
    plan = abrank.power(result, effect=0.05)
    assert (plan.test, plan.alpha, plan.n_queries) == ("t", 0.01, 40)
    assert plan.sd == result.planning.sd
    assert plan.mde == result.planning.smallest_visible
    assert plan.n == planning.queries_needed(plan.sd, 0.05, alpha=0.01)
    assert abrank.power(result, effect=0.05, alpha=0.05, n=90).n_queries == 90
    ready = abrank.power(result.differences(), effect=0.05, alpha=0.01)
    assert ready == plan


def test_several_effects_are_rows() -> None:
    plan = abrank.power(sd=0.2, n=50, effect=[0.05, 0.1])
    assert [row.difference for row in plan.rows] == [0.05, 0.1]
    with pytest.raises(ArgumentError, match="has 2 differences"):
        plan.n  # noqa: B018


def test_without_an_effect_round_ones_surround_the_visible_one() -> None:
    plan = abrank.power(sd=0.2, n=250)
    differences = [row.difference for row in plan.rows]
    assert differences == [0.005, 0.01, 0.02, 0.05]
    assert differences[0] < plan.mde < differences[-1]


def test_other_tests_are_simulated() -> None:
    pilot = np.sin(np.arange(40)) / 5
    plan = abrank.power(pilot, effect=0.06, test="permutation", n_replications=200, rng=1)
    row = plan.rows[0]
    assert plan.n_replications == 200
    assert row.power_low < row.power < row.power_high
    assert row.n == planning.queries_by_simulation(
        pilot, difference=0.06, n_replications=200, seed=1
    )
    assert plan.mde == planning.visible_by_simulation(
        pilot, n_queries=40, n_replications=200, seed=1
    )


def by_noncentral_t(n, effect):
    # The far tail as the near one of the other sign: scipy's is NaN with few queries.
    center = effect * math.sqrt(n)
    return sum(stats.nct.sf(stats.t.isf(0.025, n - 1), n - 1, (center, -center)))


@pytest.mark.parametrize(
    ("pilot", "sd"),
    [
        ([0.1, 0.3], 0.1 * math.sqrt(2)),
        ([0.0] * 7 + [0.8], 0.2 * math.sqrt(2)),
        ([-0.1] * 4 + [0.3] * 4, 0.4 * math.sqrt(2 / 7)),
    ],
)
def test_small_pilots_against_theory(pilot, sd) -> None:
    plan = abrank.power(pilot, effect=0.1)
    assert plan.sd == pytest.approx(sd)
    assert plan.power == pytest.approx(by_noncentral_t(len(pilot), 0.1 / sd), abs=1e-9)
    assert by_noncentral_t(len(pilot), plan.mde / sd) == pytest.approx(0.8, abs=1e-9)
    assert by_noncentral_t(plan.n - 1, 0.1 / sd) < 0.8 <= by_noncentral_t(plan.n, 0.1 / sd)


@pytest.mark.parametrize(
    ("pilot", "mde", "needed", "power"),
    [
        ([], math.nan, None, math.nan),
        ([0.1], math.nan, None, math.nan),
        ([0.1] * 8, 0.0, 2, 1.0),
        ([0.0] * 8, 0.0, 2, 1.0),
    ],
)
def test_degenerate_pilots(pilot, mde, needed, power) -> None:
    plan = abrank.power(pilot, effect=0.1)
    assert (plan.mde, plan.power) == pytest.approx((mde, power), nan_ok=True)
    assert plan.n == needed
    assert abrank.power(pilot).rows == ()


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_pilots_that_are_not_finite_are_refused(test) -> None:
    for endless in (math.inf, math.nan):
        with pytest.raises(ArgumentError, match="finite"):
            abrank.power([0.1] * 7 + [endless], effect=0.1, test=test)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"effect": 0.1}, "a pilot or sd"),
        ({"pilot": [0.1, 0.2], "sd": 0.1}, "not both"),
        ({"sd": 0.1, "effect": 0.1, "test": "wilcoxon"}, "simulated"),
        ({"sd": 0.1}, "an effect, or n"),
        ({"sd": 0.1, "effect": math.nan}, "effect must be finite"),
        ({"sd": -0.1, "effect": 0.1}, "sd must be"),
        ({"sd": 0.1, "n": -1}, "n must be"),
        ({"pilot": [[0.1, 0.2], [0.1, 0.3]], "effect": 0.1}, "one column"),
    ],
)
def test_arguments_without_meaning(given, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        abrank.power(**given)
