"""Simulated power: against the closed form of t, and what a pilot without spread gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from abrank import ArgumentError, planning

# Close to normal quantiles, so that the closed form of t holds for it.
PILOT = np.sin(np.linspace(-1.5, 1.5, 201)) * 0.2
SD = float(PILOT.std())


def test_power_of_t_against_its_closed_form() -> None:
    for n, difference in ((30, 0.05), (60, 0.04), (120, 0.0)):
        exact = planning.power(n, effect=difference / SD)
        found = planning.simulate_power(
            PILOT, n_queries=n, difference=difference, test="t", n_replications=4000, seed=2
        )
        assert abs(found.power - exact) < 4 * math.sqrt(exact * (1 - exact) / 4000)
        assert found.low < found.power < found.high
        assert found.n_replications == 4000


@pytest.mark.parametrize("test", ["t", "permutation", "sign"])
def test_the_size_found_has_the_power_wanted(test) -> None:
    n = planning.queries_by_simulation(PILOT, difference=0.05, test=test, seed=1)
    found = planning.simulate_power(
        PILOT, n_queries=n, difference=0.05, test=test, n_replications=2000, seed=7
    )
    # 3 % of n are 1.7 % of power; 4 standard errors of the check are 3.6 %.
    assert found.power == pytest.approx(0.8, abs=0.053)


def test_the_visible_difference_has_the_power_wanted() -> None:
    visible = planning.visible_by_simulation(PILOT, n_queries=40, test="permutation", seed=1)
    found = planning.simulate_power(
        PILOT, n_queries=40, difference=visible, test="permutation", n_replications=2000, seed=7
    )
    assert found.power == pytest.approx(0.8, abs=0.053)


def test_a_seed_repeats_and_more_replications_begin_with_the_same() -> None:
    ask = {"n_queries": 50, "difference": 0.04, "test": "t"}
    one, again = (planning.simulate_power(PILOT, seed=3, **ask) for _ in range(2))
    assert one == again != planning.simulate_power(PILOT, seed=4, **ask)


@pytest.mark.parametrize("pilot", [[], [0.1], [0.2, 0.2], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
@pytest.mark.parametrize("test", ["t", "permutation"])
def test_degenerate_pilots(pilot, test) -> None:
    found = planning.simulate_power(pilot, n_queries=8, difference=0.1, test=test)
    if not pilot:
        assert math.isnan(found.power)
        assert (found.low, found.high) == (0.0, 1.0)
    elif np.ptp(pilot) == 0:
        # One value only: t is not defined, and eight equal signs have a p of 2 ** -7.
        assert found.power == (0.0 if test == "t" else 1.0)
    needed = planning.queries_by_simulation(pilot, difference=0.1, test=test, n_replications=200)
    if len(pilot) < 2 or (test == "t" and np.ptp(pilot) == 0):
        assert needed is None
    else:
        # Six equal signs have a p of 1/32.
        assert needed == 6 if np.ptp(pilot) == 0 else needed > 6
    visible = planning.visible_by_simulation(pilot, n_queries=8, test=test, n_replications=200)
    if len(pilot) < 2:
        assert math.isnan(visible)
    else:
        assert visible == 0.0 if np.ptp(pilot) == 0 else visible > 0.0


def test_no_query_no_answer() -> None:
    assert math.isnan(planning.simulate_power(PILOT, n_queries=0, difference=0.1).power)
    assert math.isnan(planning.visible_by_simulation(PILOT, n_queries=1))


def test_what_cannot_be_found_is_none() -> None:
    assert planning.queries_by_simulation(PILOT, difference=0.0) is None
    assert planning.queries_by_simulation(PILOT, difference=1e-5) is None


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
    given = {"pilot": PILOT, "n_queries": 20, "difference": 0.1, **change}
    with pytest.raises(ArgumentError, match=said):
        planning.simulate_power(given.pop("pilot"), **given)
