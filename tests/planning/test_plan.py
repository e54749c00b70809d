"""One call for the questions of planning."""

import math

import numpy as np
import pytest

import abrank
from abrank import ArgumentError
from abrank.planning import plan as plan_room
from abrank.planning.student import (
    power,
    queries_needed,
    queries_to_show_same,
    smallest_visible,
    spread_interval,
)


def test_the_two_questions_of_the_guide() -> None:
    assert abrank.power(sd=0.20, queries=250).mde == smallest_visible(0.2, 250)
    assert abrank.power(sd=0.20, effect=0.02).n == queries_needed(0.2, 0.02)
    assert abrank.power(sd=0.20, effect=0.02, queries=250).power == power(250, effect=0.02 / 0.2)


def test_a_comparison_brings_spread_queries_level_and_test() -> None:
    random = np.random.default_rng(2)
    a = {f"q{i}": value for i, value in enumerate(random.random(40))}
    b = {query: value + random.normal(0, 0.1) for query, value in a.items()}
    result = abrank.compare_scores(a, b, alpha=0.01)
    plan = abrank.power(result, effect=0.05)
    assert (plan.alpha, plan.n_queries) == (0.01, 40)
    assert plan.sd == result.planning.sd
    assert plan.mde == result.planning.smallest_visible
    assert plan.n == queries_needed(plan.sd, 0.05, alpha=0.01)
    assert abrank.power(result, effect=0.05, alpha=0.05, queries=90).n_queries == 90
    ready = abrank.power(result.differences(), effect=0.05, alpha=0.01)
    assert repr(ready) == repr(plan)  # NaN is not NaN, and from Python 3.13 not within equality


def test_several_effects_are_rows() -> None:
    plan = abrank.power(sd=0.2, queries=50, effect=[0.05, 0.1])
    assert [row.difference for row in plan.rows] == [0.05, 0.1]
    with pytest.raises(ArgumentError, match="has 2 differences"):
        plan.n  # noqa: B018


@pytest.mark.parametrize(
    ("pilot", "mde", "needed", "power"),
    [
        ([], math.nan, None, math.nan), ([0.1], math.nan, None, math.nan),
        ([0.1] * 8, 0.0, 2, 1.0), ([0.0] * 8, 0.0, 2, 1.0),
    ],
)  # fmt: skip
def test_degenerate_pilots(pilot, mde, needed, power) -> None:
    plan = abrank.power(pilot, effect=0.1)
    assert (plan.mde, plan.power) == pytest.approx((mde, power), nan_ok=True)
    assert plan.n == needed
    assert abrank.power(pilot).rows == ()


def test_pilots_that_are_not_finite_are_refused() -> None:
    for endless in (math.inf, math.nan):
        with pytest.raises(ArgumentError, match="finite"):
            abrank.power([0.1] * 7 + [endless], effect=0.1)


@pytest.mark.every_case
@pytest.mark.parametrize(("given", "said"), [
    ({"effect": 0.1}, "a pilot or sd"),
    ({"pilot": [0.1, 0.2], "sd": 0.1}, "not both"),
    ({"sd": 0.1}, "an effect, a margin or a width, or the queries"),
    ({"sd": 0.1, "effect": math.nan}, "effect must be finite"),
    ({"sd": 0.1, "margin": math.nan}, "margin must be finite, not nan"),
    ({"sd": 0.1, "width": math.inf}, "width must be finite, not inf"),
    ({"sd": -0.1, "effect": 0.1}, "sd must be"),
    ({"sd": 0.1, "queries": -1}, "queries must be"),
    ({"pilot": [[0.1, 0.2], [0.1, 0.3]], "effect": 0.1}, "one column"),
])  # fmt: skip
def test_arguments_without_meaning(given, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        abrank.power(**given)


def test_a_pilot_leaves_a_range() -> None:
    pilot = np.sin(np.arange(40)) / 5
    plan = abrank.power(pilot, effect=0.06)
    assert plan.sd == pytest.approx(pilot.std(ddof=1))
    assert (plan.sd_low, plan.sd_high) == spread_interval(plan.sd, 40)
    row = plan.rows[0]
    assert row.n_low == queries_needed(plan.sd_low, 0.06)
    assert row.n_high == queries_needed(plan.sd_high, 0.06)
    assert plan.mde_high == pytest.approx(smallest_visible(plan.sd_high, 40))
    arguments = abrank.power(sd=0.2, effect=0.06)
    assert (arguments.rows[0].n_low, arguments.rows[0].n_high) == (None, None)
    assert math.isnan(arguments.sd_low)


def test_a_margin_is_planned_for_both_ways() -> None:
    plan = abrank.power(sd=0.2, margin=0.03)
    assert [row.difference for row in plan.rows] == [0.03]
    assert plan.same == plan_room.SameRow(0.03, queries_to_show_same(0.2, 0.03))
    among = abrank.power(sd=0.2, queries=250, margin=0.03)
    assert [row.difference for row in among.rows] == [0.005, 0.01, 0.02, 0.03, 0.05]
    power = abrank.power(sd=0.2, effect=[0.1, 0.03], margin=0.03)
    assert [row.difference for row in power.rows] == [0.1, 0.03]
    with pytest.raises(ArgumentError, match="margin must be above 0"):
        abrank.power(sd=0.2, margin=0.0)


def test_a_comparison_brings_its_margin() -> None:
    random = np.random.default_rng(2)
    a = {f"q{i}": value for i, value in enumerate(random.random(40))}
    b = {query: value + random.normal(0, 0.1) for query, value in a.items()}
    plan = abrank.power(abrank.compare_scores(a, b, margin=0.02))
    assert plan.same.margin == 0.02
    assert plan.same.n_low < plan.same.n < plan.same.n_high
    assert abrank.power(abrank.compare_scores(a, b)).same is None
    # A relative margin is planned for in the measure's own unit.
    b = {query: max(value, 0.0) for query, value in b.items()}
    relative = abrank.compare_scores(a, b, margin="5%")
    share = 0.05 * np.mean(list(a.values()))
    assert abrank.power(relative).same.margin == pytest.approx(share)


def test_differences_that_only_rounding_keeps_apart_have_no_spread() -> None:
    power = abrank.power([i * 0.1 + 0.3 - i * 0.1 for i in range(20)], margin=0.01)
    assert power.sd == power.mde == 0.0


def test_a_percentage_is_a_share_of_the_mean_of_a() -> None:
    collection = abrank.simulate_runs(60, rng=2)
    result = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, measures="AP"
    )
    mean = result.primary.mean_a
    plan = abrank.power(result, effect=["2%", 0.05], margin="1%")
    assert [row.difference for row in plan.rows] == pytest.approx([0.02 * mean, 0.05, 0.01 * mean])
    assert abrank.power(sd=0.2, effect="5%", mean=0.4).n == abrank.power(sd=0.2, effect=0.02).n
    assert abrank.power(sd=0.2, margin="0.05").same == abrank.power(sd=0.2, margin=0.05).same
    with pytest.raises(ArgumentError, match="2% is a share of A's mean, which is not known"):
        abrank.power(sd=0.2, effect="2%")
    with pytest.raises(ArgumentError, match="as large as the effect 5; 5% of A's mean is --effe"):
        abrank.power(result, effect=5)
    with pytest.raises(ArgumentError, match="a percentage of A's mean such as 2%, not 'two'"):
        abrank.power(sd=0.2, margin="two")
