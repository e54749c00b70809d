"""What so many queries can see, and how many the next test needs."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from abrank import Clusters, Comparison, Weights, compare_scores
from abrank.comparison.plans import planned_differences
from abrank.planning.student import (
    power,
    queries_needed,
    queries_to_show_same,
    smallest_visible,
    spread_interval,
)


def compared(mean: float, *, n: int = 100, measure: str = "nDCG@10", **how: object) -> Comparison:
    """Compare scores whose differences have this mean, and .1 for their standard deviation."""
    steps = np.arange(n) - (n - 1) / 2
    differences = mean + 0.1 * steps / steps.std(ddof=1)
    a = {f"q{i}": 0.5 for i in range(n)}
    b = {query: 0.5 + float(difference) for query, difference in zip(a, differences, strict=True)}
    frames = (pd.DataFrame({measure: pd.Series(item)}) for item in (a, b))
    return compare_scores(*frames, resamples=99, **how)


def test_rows_are_those_of_the_planning_room() -> None:
    result = compared(0.05, margin=0.015).planning
    assert [row.difference for row in result.differences] == [0.01, 0.015, 0.02, 0.05]
    ends = spread_interval(result.sd, 100)
    assert (result.sd_low, result.sd_high) == ends
    for row in result.differences:
        assert row.queries_needed == queries_needed(result.sd, row.difference)
        assert row.power == power(100, effect=row.difference / result.sd)
        needed = tuple(queries_needed(sd, row.difference) for sd in ends)
        assert (row.queries_low, row.queries_high) == needed
    for limit, sd in zip((result.visible_low, result.visible_high), ends, strict=True):
        assert limit == pytest.approx(smallest_visible(sd, 100))


def test_claims_about_the_margin_take_the_true_difference_for_0() -> None:
    result = compared(0.05, margin=0.015).planning
    assert [claim.claim for claim in result.claims] == ["same", "not-worse"]
    # At no difference: (1.645 + 1.282)² for two one-sided tests, (1.645 + .842)² for one.
    for name, factor in (("same", 2.927), ("not-worse", 2.487)):
        claim = result.claim(name)
        assert claim.queries_needed == pytest.approx((factor * 0.1 / 0.015) ** 2, rel=0.01)
        assert claim.queries_low < claim.queries_needed < claim.queries_high
    assert compared(0.05).planning.claims == ()
    assert compared(0.05).planning.claim("same") is None


def test_the_level_of_the_rule_is_that_of_the_plan() -> None:
    result = compared(0.05, alpha=0.01).planning
    assert (result.sd_low, result.sd_high) == spread_interval(result.sd, 100, confidence=0.99)
    needed = queries_needed(result.sd, 0.02, alpha=0.01)
    assert result.of(0.02).queries_needed == needed
    assert result.of(0.03) is None


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


def test_the_differences_that_are_planned_for_go_by_the_spread() -> None:
    assert planned_differences(0.21, 0.0) == [0.01, 0.02, 0.05]
    assert planned_differences(0.21, 0.015) == [0.01, 0.015, 0.02, 0.05]
    assert planned_differences(30, 0) == [1.0, 2.0, 5.0]


def test_weights_plan_with_the_degrees_of_freedom_of_their_test() -> None:
    """against_itself: at the smallest visible difference the weighted t has the wanted power."""
    n, random = 60, np.random.default_rng(2)
    ids = [f"q{i}" for i in range(n)]
    a = pd.DataFrame({"AP": random.uniform(size=n)}, ids)
    b = a + random.normal(0.02, 0.1, (n, 1))
    weights = pd.Series(random.pareto(1.0, n) + 0.1, ids)
    users = {query: f"u{i // 3}" for i, query in enumerate(ids)}
    for design in (Weights(weights), (Weights(weights), Clusters(users))):
        comparison = compare_scores(a, b, margin=0.05, resamples=99, design=design)
        result = comparison.planning
        n_effective = (comparison.clusters or comparison.weights).n_effective
        assert result.freedom == pytest.approx(n_effective - 1.0)
        assert result.freedom < 20.0
        of_test = lambda queries, each=n_effective: each * queries / n - 1.0  # noqa: E731
        assert result.smallest_visible == pytest.approx(smallest_visible(result.sd, n, df=of_test))
        row = comparison.rows[0]
        quantile = stats.t.ppf(0.975, result.freedom)
        # The error that is planned with is that of the interval.
        assert result.sd / n**0.5 * quantile == pytest.approx(row.interval.width / 2.0)
        claim = result.claim("same")
        assert claim.queries_needed == queries_to_show_same(result.sd, 0.05, df=of_test)
    first = compare_scores(a, b, design=Weights(dict.fromkeys(ids, 1e-9) | {"q0": 1.0}))
    assert math.isnan(first.planning.smallest_visible)
