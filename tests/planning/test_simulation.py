"""Simulated power: against the closed form of t, and what a pilot without spread gives.

Human queries planned beside a machine's: against simulation, and at its limits.
"""

import math

import numpy as np
import pytest

import abrank
from abrank import ArgumentError, Comparison
from abrank.inference import run_prediction_powered
from abrank.planning.plan import JudgedT, correlation_interval
from abrank.planning.simulation import queries_by_simulation, simulate_power, visible_by_simulation
from abrank.planning.student import (
    expected_width,
    power,
    queries_for_width,
    queries_needed,
    queries_to_show_same,
    smallest_visible,
)

# Close to normal quantiles, so that the closed form of t holds for it.
PILOT = np.sin(np.linspace(-1.5, 1.5, 201)) * 0.2
SD = float(PILOT.std())


def test_power_of_t_against_its_closed_form() -> None:
    for n, difference in ((30, 0.05), (60, 0.04), (120, 0.0)):
        exact = power(n, effect=difference / SD)
        result = simulate_power(
            PILOT, n_queries=n, difference=difference, test="t", n_replications=4000, seed=2
        )
        assert abs(result.power - exact) < 4 * math.sqrt(exact * (1 - exact) / 4000)
        assert result.low < result.power < result.high
        assert result.n_replications == 4000


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "permutation", "sign"])
def test_the_size_found_has_the_power_wanted(test) -> None:
    n = queries_by_simulation(PILOT, difference=0.05, test=test, seed=1)
    power = simulate_power(
        PILOT, n_queries=n, difference=0.05, test=test, n_replications=2000, seed=7
    )
    # 3 % of n are 1.7 % of power; 4 standard errors of the check are 3.6 %.
    assert power.power == pytest.approx(0.8, abs=0.053)


@pytest.mark.slow
def test_the_visible_difference_has_the_power_wanted() -> None:
    visible = visible_by_simulation(PILOT, n_queries=40, test="permutation", seed=1)
    power = simulate_power(
        PILOT, n_queries=40, difference=visible, test="permutation", n_replications=2000, seed=7
    )
    assert power.power == pytest.approx(0.8, abs=0.053)


def test_a_seed_repeats_and_more_replications_begin_with_the_same() -> None:
    ask = {"n_queries": 50, "difference": 0.04, "test": "t"}
    first, again = (simulate_power(PILOT, seed=3, **ask) for _ in range(2))
    assert first == again != simulate_power(PILOT, seed=4, **ask)


def test_no_query_no_answer() -> None:
    assert math.isnan(simulate_power(PILOT, n_queries=0, difference=0.1).power)
    assert math.isnan(visible_by_simulation(PILOT, n_queries=1))


def test_what_cannot_be_found_is_none() -> None:
    assert queries_by_simulation(PILOT, difference=0.0) is None
    assert queries_by_simulation(PILOT, difference=1e-5) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"difference": math.inf}, "difference must be finite"),
        ({"pilot": [0.1, math.nan]}, "finite"),
        ({"alpha": 0.0}, "alpha"),
        ({"n_queries": -1}, "n_queries"),
        ({"n_replications": 0}, "n_replications"),
        ({"test": "z"}, "unknown test"),
    ],
)
def test_arguments_without_meaning(change, said) -> None:
    arguments = {"pilot": PILOT, "n_queries": 20, "difference": 0.1, **change}
    with pytest.raises(ArgumentError, match=said):
        simulate_power(arguments.pop("pilot"), **arguments)


N = 400


@pytest.mark.parametrize(("n", "r"), [(25, 0.6), (40, 0.0), (40, -0.8), (80, 0.95)])
def test_power_and_width_are_those_of_simulated_comparisons(n, r) -> None:
    random, times, effect = np.random.default_rng(1), 1_500, 2.8 / math.sqrt(n)
    f = random.standard_normal((N, times))
    d = effect + r * f[:n] + math.sqrt(1 - r * r) * random.standard_normal((n, times))
    result = run_prediction_powered(d, np.arange(n), f)
    visited = float((result.pvalue < 0.05).mean())
    error = 3.0 * math.sqrt(max(visited * (1.0 - visited), 0.01) / times)
    by = JudgedT(correlation=r, n_queries=N)
    chance = power(n, effect=effect, by=by)
    assert chance == pytest.approx(visited, abs=error + 0.02)
    width = expected_width(1.0, n, by=by)
    assert width == pytest.approx(float(np.mean(result.ci_high - result.ci_low)), rel=0.03)


def test_needed_is_the_fewest_and_a_better_machine_needs_fewer() -> None:
    by = JudgedT(correlation=0.8, n_queries=2000)
    n = queries_needed(0.2, 0.05, by=by)
    powers = [power(item, effect=0.25, by=by) for item in (n - 1, n)]
    assert powers[0] < 0.8 <= powers[1]
    needed = [
        queries_needed(0.2, 0.05, by=JudgedT(correlation=r, n_queries=2000))
        for r in (0.0, 0.3, 0.6, 0.9)
    ]
    assert needed == sorted(needed, reverse=True)
    assert queries_needed(0.2, 0.05) < needed[0] < queries_needed(0.2, 0.05) + 3
    judged_t = JudgedT(correlation=-0.8, n_queries=2000)
    assert queries_needed(0.2, 0.05, by=judged_t) == n
    visible = smallest_visible(0.2, n, by=by)
    assert visible <= 0.05 < smallest_visible(0.2, n - 1, by=by)
    width = expected_width(0.2, 50, by=by)
    assert queries_for_width(0.2, width, by=by) == 50
    assert queries_to_show_same(0.2, 0.05, by=by) == 55


def test_the_break_even_correlation() -> None:
    n = 102
    for r, narrower in ((0.09, False), (0.11, True)):
        error = JudgedT(correlation=r, n_queries=10**7).error(n)
        assert (error < n**-0.5) == narrower


def test_limits() -> None:
    by = JudgedT(correlation=0.9, n_queries=2000)
    assert queries_needed(0.2, 5.0, by=by) == 25
    assert queries_needed(0.0, 0.1, by=by) == 25
    assert queries_needed(0.2, 0.0, by=by) is None
    for queries, difference in ((100, 0.01), (20, 5.0)):
        few = JudgedT(correlation=0.9, n_queries=queries)
        assert queries_needed(0.2, difference, by=few) is None
    assert queries_needed(0.0, 0.1, by=few) is None
    assert math.isnan(smallest_visible(0.2, 24, by=by))
    # Where all queries are judged the machine adds nothing.
    alone = JudgedT(correlation=0.7, n_queries=50)
    assert alone.error(50) == pytest.approx(50**-0.5)
    assert correlation_interval(1.0, 50) == (1.0, 1.0)
    assert math.isnan(correlation_interval(0.5, 3)[0])
    for arguments, text in (
        ({"correlation": 1.5, "n_queries": 99}, "correlation must be"),
        ({"correlation": 0.5, "n_queries": 9}, "cannot judge 10 of 9"),
    ):
        with pytest.raises(ArgumentError, match=text):
            JudgedT(**arguments).error(10)
    with pytest.raises(ArgumentError, match="finite effect"):
        power(25, effect=math.inf, by=JudgedT(correlation=0.5, n_queries=99))
    with pytest.raises(ArgumentError, match="needs the number of queries"):
        abrank.power(sd=0.2, effect=0.1, correlation=0.5)


def beside_a_machine(n: int) -> Comparison:
    """Compare the scores of 40 queries by people, and of n queries by a machine."""
    random = np.random.default_rng(4)
    names = [f"q{i}" for i in range(n)]
    machine = [{q: float(s) for q, s in zip(names, random.random(n), strict=True)} for _ in "ab"]
    people = [{q: first[q] + random.normal(0, 0.1) for q in names[:40]} for first in machine]
    return abrank.compare_scores(*people, machine=abrank.Machine(scores=machine))


def test_a_comparison_with_a_machine_brings_its_correlation_and_queries() -> None:
    result = beside_a_machine(300)
    plan = abrank.power(result, effect=0.1, width=0.2)
    low, r, high = (first.correlation for first in plan.judged)
    assert (plan.test, r) == ("t", result.machine.correlation)
    assert low < r < high
    assert {first.n_queries for first in plan.judged} == {300}
    assert plan.judged[1].needed[0] < plan.n
    assert plan.judged[1].width < plan.width.n


def test_another_correlation_than_that_of_the_comparison_is_planned_with() -> None:
    result = beside_a_machine(99)
    plan = abrank.power(result, effect=0.1, correlation=0.5)
    assert [(first.correlation, first.n_queries) for first in plan.judged] == [(0.5, 99)]


@pytest.mark.slow
@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_queries_without_a_difference_stay_so_for_ranks_and_signs(test: str) -> None:
    # Moved by the mean, all ties would be wins: a power of 1. Of the others as many win as lose.
    pilot = np.r_[np.zeros(300), PILOT[PILOT != 0.0]]
    by_chance = simulate_power(pilot, n_queries=100, difference=1e-4, test=test)
    assert 0.02 < by_chance.power < 0.08
    assert simulate_power(pilot, n_queries=100, difference=0.1, test=test).power > 0.9
