"""The one record of an estimate, and what is asked of every interval."""

import math

import numpy as np
import pytest

from abrank import compare_scores
from abrank.estimate import Estimate, Interval
from abrank.inference import run_test


def test_one_reading_of_every_interval() -> None:
    assert Interval(0.1, 0.2).read() == "better"
    assert Interval(0.1, 0.2).read(higher=False) == "worse"
    assert Interval(-0.2, -0.1).read(higher=False) == "better"
    assert Interval(-0.2, 0.0).read() == Interval(0.0, 0.2).read() == "unclear"
    assert Interval(math.nan, math.nan).read() == "unclear"
    assert Interval(0.1, 0.2).read(declared=False) == "differs"
    assert Interval(0.0, 0.0).read(moved=False) == "identical"
    assert Interval(0.1, 0.2).read(tested=False, moved=False) == "untested"


@pytest.mark.parametrize(
    ("limits", "side"),
    [((0.1, 0.2), 1), ((-0.2, -0.1), -1), ((0.0, 0.2), 0), ((-0.2, 0.0), 0), ((math.nan,) * 2, 0)],
)
def test_the_side_of_an_interval_and_of_its_mirror(limits: tuple[float, float], side: int) -> None:
    interval = Interval(*limits)
    assert (interval.side, interval.excludes_zero) == (side, side != 0)
    assert interval.gain(higher=False).side == -side
    assert interval.gain(higher=True) is interval


def test_limits_in_another_unit_and_how_far_they_are_apart() -> None:
    assert (Interval(-1.0, 2.0).times(0.5), Interval(-1.0, 2.0).width) == ((-0.5, 1.0), 3.0)
    assert -Interval(-1.0, 2.0) == (-2.0, 1.0)
    ends = [(-1.0, 2.0), (-math.inf, 2.0), (-1.0, math.inf), (math.nan, 1.0)]
    assert [Interval(*end).is_finite for end in ends] == [True, False, False, False]


def test_an_estimate_is_the_first_column_of_a_test() -> None:
    test = run_test("t", np.array([[0.1, 9.0], [0.2, 9.5], [0.4, 7.0]]))
    first = Estimate.of(test)
    assert (first.estimate, first.pvalue) == (test.estimate[0], test.pvalue[0])
    assert first.interval == (test.ci_low[0], test.ci_high[0])
    assert (-first).interval == (-test.ci_high[0], -test.ci_low[0])
    assert (-first).estimate == -first.estimate


def test_rows_say_their_intervals() -> None:
    row = compare_scores(
        {"q1": 0.2, "q2": 0.4, "q3": 0.1}, {"q1": 0.3, "q2": 0.6, "q3": 0.5}
    ).primary
    assert row.interval == (row.ci_low, row.ci_high)
    assert row.adjusted == (row.ci_low_adj, row.ci_high_adj)
