"""Planning with the spread of a finished comparison, by the closed forms of the planning room."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from abrank import compare_scores, planning
from abrank.comparison import Comparison
from abrank.comparison.outlook import look_ahead, planned_differences
from abrank.verdict import Verdict


def compared(mean: float, *, n: int = 100, measure: str = "nDCG@10", **how: object) -> Comparison:
    """Compare scores whose differences have this mean, and .1 for their standard deviation."""
    steps = np.arange(n) - (n - 1) / 2
    differences = mean + 0.1 * steps / steps.std(ddof=1)
    a = {f"q{i}": 0.5 for i in range(n)}
    b = {query: 0.5 + float(each) for query, each in zip(a, differences, strict=True)}
    import pandas as pd

    frames = (pd.DataFrame({measure: pd.Series(each)}) for each in (a, b))
    return compare_scores(*frames, n_resamples=99, **how)


@pytest.mark.parametrize("visible", [1e-4, 0.036, 0.5, 12.0, 3e4])
def test_planned_differences_surround_the_visible_one(visible: float) -> None:
    steps = planned_differences(visible, 0.0)
    assert steps == sorted(steps)
    assert 3 <= len(steps) <= 5
    assert steps[0] < visible
    assert steps[-1] <= 2 * visible


def test_rows_are_those_of_the_planning_room() -> None:
    found = compared(0.05, margin=0.015).planning
    assert 0.015 in [row.difference for row in found.differences]
    for row in found.differences:
        assert row.queries_needed == planning.queries_needed(found.sd, row.difference)
        assert row.power == planning.power(100, effect=row.difference / found.sd)


def test_without_spread_nothing_is_planned() -> None:
    for pair in ({"q": 0.2}, {"q": 0.5}), ({"p": 0.1, "q": 0.2}, {"p": 0.3, "q": 0.4}), ({}, {}):
        found = compare_scores(*pair, require="better").planning
        assert found.differences == ()
        assert (found.queries_to_settle, found.queries_to_pass) == (None, None)


def test_only_an_open_size_is_settled() -> None:
    unclear = compared(0.05, margin=0.04)
    assert unclear.verdict is Verdict.BETTER_SIZE_UNCLEAR
    settled = planning.queries_needed(unclear.planning.sd, unclear.effect - 0.04)
    assert unclear.planning.queries_to_settle == settled
    worse = compared(-0.05, margin=0.04)
    assert worse.planning.queries_to_settle == pytest.approx(settled, rel=1e-3)
    assert compared(0.03, margin=0.04).planning.queries_to_settle is None  # below the margin
    assert compared(0.05, margin=0.01).planning.queries_to_settle is None  # nothing is open


def test_gates_not_passed_say_what_they_need() -> None:
    needed = compared(0.005, require="better").planning.queries_to_pass
    assert needed == pytest.approx((1.960 + 0.842) ** 2 * (0.1 / 0.005) ** 2, rel=0.01)
    # At no difference: (1.645 + .842)² for one one-sided test, (1.645 + 1.282)² for two.
    one = compared(0.0001, margin=0.01, require="non-inferior").planning.queries_to_pass
    two = compared(0.0001, margin=0.01, require="equivalent").planning.queries_to_pass
    assert one == pytest.approx(618, rel=0.05)
    assert two == pytest.approx(857, rel=0.05)
    assert compared(0.05, require="better").planning.queries_to_pass is None
    assert compared(-0.05, require="better").planning.queries_to_pass is None
    assert compared(-0.05, require="not-worse-shown").planning.queries_to_pass is None


def test_where_lower_is_better_a_gain_is_a_difference_below_0() -> None:
    up = compared(0.005, require="better").planning.queries_to_pass
    down = compared(-0.005, measure="Judged@10", require="better")
    assert down.planning.queries_to_pass is None  # the judged share is better when higher
    rule = replace(down.rule, higher_is_better=False)
    found = look_ahead(down.differences(), rule, down.decision)
    assert found.queries_to_pass == pytest.approx(up, rel=1e-3)


def test_no_query_has_no_spread() -> None:
    found = compare_scores({}, {}).planning
    assert math.isnan(found.sd)
    assert found.queries_needed is None
