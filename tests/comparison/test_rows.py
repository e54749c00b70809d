"""Effect sizes and spread of a comparison: those of the inference room, and of numpy and scipy.

Planning with the spread of a finished comparison, by the closed forms of the planning room.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from abrank import compare_scores, inference, planning
from abrank.comparison import Comparison
from abrank.comparison.rows import beliefs, effects, plan_from_spread, planned_differences, spread
from abrank.verdict import Rule


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    a = rng.random(n)
    return a, np.clip(a + rng.normal(0.05, 0.1, n), 0.0, 1.0)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_effects_are_those_of_the_inference_room_at_the_level_of_the_rule(alpha: float) -> None:
    a, b = scores(40)
    ids = [f"q{i:02}" for i in range(40)]
    pairs = (dict(zip(ids, each.tolist(), strict=True)) for each in (a, b))
    found = compare_scores(*pairs, alpha=alpha, resamples=99)
    assert list(found.effects) == list(inference.EFFECT_SIZES)
    for name, effect in found.effects.items():
        wanted = inference.effect_interval(name, a, b, confidence=1.0 - alpha)
        assert effect.estimate == wanted.estimate[0] == found.effect_size(name)
        assert (effect.ci_low, effect.ci_high) == (wanted.ci_low[0], wanted.ci_high[0])
        assert effect.method == wanted.method


def test_the_interval_of_d_z_excludes_0_exactly_when_the_t_test_rejects() -> None:
    rejected = []
    for n in (3, 5, 8, 13, 21, 34):
        a, b = scores(n)
        found = effects(a, b, confidence=0.95)["d_z"]
        rejected.append(stats.ttest_rel(b, a).pvalue < 0.05)
        assert (found.ci_low > 0 or found.ci_high < 0) == rejected[-1]
    assert {*rejected} == {True, False}


def test_spread_against_scipy() -> None:
    a, b = scores(60)
    found = spread(a, b)
    low, middle, high = np.quantile(b - a, [0.25, 0.5, 0.75])
    assert (found.lower_quartile, found.median, found.upper_quartile) == (low, middle, high)
    assert found.skew == pytest.approx(stats.skew(b - a), rel=1e-8)
    assert found.excess == pytest.approx(stats.kurtosis(b - a), rel=1e-8)
    assert found.correlation == pytest.approx(stats.pearsonr(a, b).statistic)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_queries_have_little_spread(n: int) -> None:
    a, b = scores(n)
    found = spread(a, b)
    assert math.isnan(found.correlation)
    assert math.isnan(found.median) == (n == 0)
    assert math.isnan(found.skew) == (n < 2)


def test_scores_all_alike_have_no_correlation() -> None:
    found = spread(np.full(5, 0.5), np.linspace(0.0, 1.0, 5))
    assert math.isnan(found.correlation)
    flat = spread(np.full(5, 0.5), np.full(5, 0.6))
    assert math.isnan(flat.skew)
    assert flat.median == pytest.approx(0.1)


def compared(mean: float, *, n: int = 100, measure: str = "nDCG@10", **how: object) -> Comparison:
    """Compare scores whose differences have this mean, and .1 for their standard deviation."""
    steps = np.arange(n) - (n - 1) / 2
    differences = mean + 0.1 * steps / steps.std(ddof=1)
    a = {f"q{i}": 0.5 for i in range(n)}
    b = {query: 0.5 + float(each) for query, each in zip(a, differences, strict=True)}
    import pandas as pd

    frames = (pd.DataFrame({measure: pd.Series(each)}) for each in (a, b))
    return compare_scores(*frames, resamples=99, **how)


@pytest.mark.parametrize("sd", [1e-4, 0.05, 0.21, 0.49, 0.5, 12.0, 3e4])
def test_planned_differences_suit_the_spread(sd: float) -> None:
    steps = planned_differences(sd, 0.0)
    assert steps == sorted(steps)
    assert len(steps) == 3
    # From 7 to 20,000 queries, whatever the unit.
    assert 0.01 <= steps[0] / sd <= 0.21
    assert 0.1 <= steps[-1] / sd <= 1.01


def test_rows_are_those_of_the_planning_room() -> None:
    found = compared(0.05, margin=0.015).planning
    assert [row.difference for row in found.differences] == [0.01, 0.015, 0.02, 0.05]
    ends = planning.spread_interval(found.sd, 100)
    assert (found.sd_low, found.sd_high) == ends
    for row in found.differences:
        assert row.queries_needed == planning.queries_needed(found.sd, row.difference)
        assert row.power == planning.power(100, effect=row.difference / found.sd)
        needed = tuple(planning.queries_needed(sd, row.difference) for sd in ends)
        assert (row.queries_low, row.queries_high) == needed
    for limit, sd in zip((found.visible_low, found.visible_high), ends, strict=True):
        assert limit == pytest.approx(planning.smallest_visible(sd, 100))


def test_claims_about_the_margin_take_the_true_difference_for_0() -> None:
    found = compared(0.05, margin=0.015).planning
    assert [each.claim for each in found.claims] == ["same", "not-worse"]
    # At no difference: (1.645 + 1.282)² for two one-sided tests, (1.645 + .842)² for one.
    for name, factor in (("same", 2.927), ("not-worse", 2.487)):
        claim = found.claim(name)
        assert claim is not None
        assert claim.queries_needed == pytest.approx((factor * 0.1 / 0.015) ** 2, rel=0.01)
        assert claim.queries_low < claim.queries_needed < claim.queries_high
    assert compared(0.05).planning.claims == ()
    assert compared(0.05).planning.claim("same") is None


def test_the_level_of_the_rule_is_that_of_the_plan() -> None:
    found = compared(0.05, alpha=0.01).planning
    assert (found.sd_low, found.sd_high) == planning.spread_interval(found.sd, 100, confidence=0.99)
    needed = planning.queries_needed(found.sd, 0.02, alpha=0.01)
    row = found.of(0.02)
    assert row is not None
    assert row.queries_needed == needed
    assert found.of(0.03) is None


def test_the_observed_difference_plays_no_part() -> None:
    # The numbers of a plan were once those of the difference observed: 16, 11, 20, 210,000, 250.
    plans = [
        compared(mean, margin=0.02, require="better").planning for mean in (0.0, 0.001, 0.05, -0.4)
    ]
    for plan in plans:
        assert [row.queries_needed for row in plan.differences] == [
            row.queries_needed for row in plans[0].differences
        ]
        assert plan.claims == plans[0].claims


def test_without_spread_nothing_is_planned() -> None:
    for pair in ({"q": 0.2}, {"q": 0.5}), ({"p": 0.1, "q": 0.2}, {"p": 0.3, "q": 0.4}), ({}, {}):
        found = compare_scores(*pair, require="better").planning
        assert (found.differences, found.claims) == ((), ())


def test_no_query_has_no_spread() -> None:
    found = compare_scores({}, {}).planning
    assert math.isnan(found.sd)
    assert math.isnan(found.smallest_visible)


def test_plans() -> None:
    differences = np.array([0.0, 0.1, 0.3, 0.12])
    found = plan_from_spread(float(differences.std(ddof=1)), 4, Rule("AP", margin=0.1), 0.1)
    needed = {row.difference: row.queries_needed for row in found.differences}
    assert needed == {0.01: 1227, 0.02: 309, 0.05: 51, 0.1: 15}
    assert [(x.claim, x.queries_needed) for x in found.claims] == [("same", 15), ("not-worse", 12)]
    plain = plan_from_spread(0.2, 50, Rule("AP"), 0.0)
    assert plain.smallest_visible == pytest.approx(0.081, abs=5e-4)
    assert planned_differences(0.21, 0.0) == [0.01, 0.02, 0.05]
    assert planned_differences(0.21, 0.015) == [0.01, 0.015, 0.02, 0.05]
    assert planned_differences(30, 0) == [1.0, 2.0, 5.0]


def test_effects_spread_and_beliefs() -> None:
    found = effects(np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.3, 0.8]), confidence=0.95)
    assert found["d_z"].estimate == pytest.approx(1.528, abs=5e-4)
    assert (found["d_z"].method, found["p_better"].estimate) == ("noncentral t", 1.0)
    shape = spread(np.array([0.1, 0.2, 0.4, 0.4]), np.array([0.3, 0.3, 0.4, 0.8]))
    told = shape.median, shape.skew, shape.correlation
    assert told == pytest.approx((0.15, 0.435, 0.7), abs=5e-4)
    d = np.array([0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    belief = beliefs(d, Rule("AP", margin=0.02), margin=0.02, seed=0)[0]
    shares = belief.ahead, belief.within, belief.better
    assert shares == pytest.approx((0.985, 0.021, 0.971), abs=5e-4)
