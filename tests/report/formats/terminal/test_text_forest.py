"""The forest in characters says what the intervals say."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from abrank.comparison import MeasureResult
from abrank.report.formats.terminal import text_forest

number = st.floats(-1, 1, allow_nan=False)


def result(estimate: float, thick: float, thin: float) -> MeasureResult:
    low, high = estimate - thick, estimate + thick
    return MeasureResult(
        "AP",
        0.3,
        0.4,
        estimate,
        low,
        high,
        low - thin,
        high + thin,
        0.1,
        1,
        0,
        1,
        1.0,
        0.5,
        0.5,
        "unclear",
        estimate,
    )


@given(
    st.lists(
        st.builds(result, number, st.floats(0, 0.5), st.floats(0, 0.5)), min_size=1, max_size=6
    ),
    st.integers(text_forest.LEAST, 40),
)
def test_zero_is_covered_exactly_when_the_adjusted_interval_contains_it(
    rows: list[MeasureResult], width: int
) -> None:
    axis = text_forest.axis(rows, width)
    if axis is None:
        assert all(row.estimate == row.ci_low_adj == 0 for row in rows)
        return
    assert 0 < axis.zero < width - 1
    for row in rows:
        drawn = text_forest.draw(row, axis)
        assert len(drawn) == width
        assert drawn.count("●") == 1
        assert (drawn[axis.zero] == "┊") == (row.ci_low_adj > 0 or row.ci_high_adj < 0)


def test_dot_lies_on_the_side_of_its_estimate() -> None:
    wide, near = result(0.5, 0.4, 0.0), result(0.002, 0.001, 0.0)
    axis = text_forest.axis([wide, near], 20)
    assert axis is not None
    assert text_forest.draw(near, axis).index("●") == axis.zero + 1
    below = result(-0.002, 0.001, 0.0)
    assert text_forest.draw(below, axis).index("●") == axis.zero - 1


def test_infinite_interval_fills_the_row_and_undefined_draws_nothing() -> None:
    axis = text_forest.axis([result(0.1, 0.05, 0.0)], 20)
    assert axis is not None
    endless = text_forest.draw(result(0.1, math.inf, 0.0), axis)
    assert " " not in endless
    nothing = text_forest.draw(result(math.nan, math.nan, math.nan), axis)
    assert set(nothing) == {" ", "┊"}
    dot = MeasureResult(
        **{**vars(result(0.1, 0.0, 0.0)), "ci_low": math.nan, "ci_low_adj": math.nan}
    )
    assert text_forest.draw(dot, axis).count("●") == 1


def test_no_axis_without_room_or_differences() -> None:
    assert text_forest.axis([result(0.1, 0.05, 0.0)], text_forest.LEAST - 1) is None
    assert text_forest.axis([result(0.0, 0.0, 0.0)], 30) is None
    assert text_forest.title(None) == ""
