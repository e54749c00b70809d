"""The drawing in characters says what the intervals say."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from abrank.report.formats.text import LEAST, Axis, axis, draw, heading, scorecard_lines
from abrank.report.model import Bar, Cell, Column, Role, Scale, Scorecard

number = st.floats(-1, 1, allow_nan=False)


def bar(estimate: float, thick: float, thin: float) -> Bar:
    low, high = estimate - thick, estimate + thick
    return Bar(estimate, low, high, low - thin, high + thin)


@given(
    st.lists(st.builds(bar, number, st.floats(0, 0.5), st.floats(0, 0.5)), min_size=1, max_size=6),
    st.integers(LEAST, 40),
)
def test_zero_is_covered_exactly_when_the_wider_interval_contains_it(
    bars: list[Bar], width: int
) -> None:
    scale = axis(bars, width)
    if scale is None:
        assert all(each.estimate == each.thin_low == 0 for each in bars)
        return
    assert 0 < scale.zero < width - 1
    for each in bars:
        drawn = draw(each, scale)
        assert len(drawn) == width
        assert drawn.count("●") == 1
        assert (drawn[scale.zero] == "┊") == (each.thin_low > 0 or each.thin_high < 0)


def test_dot_lies_on_the_side_of_its_estimate() -> None:
    wide, near = bar(0.5, 0.4, 0.0), bar(0.002, 0.001, 0.0)
    scale = axis([wide, near], 20)
    assert scale is not None
    assert draw(near, scale).index("●") == scale.zero + 1
    assert draw(bar(-0.002, 0.001, 0.0), scale).index("●") == scale.zero - 1


def test_infinite_interval_fills_the_row_and_undefined_draws_nothing() -> None:
    scale = axis([bar(0.1, 0.05, 0.0)], 20)
    assert scale is not None
    assert " " not in draw(bar(0.1, math.inf, 0.0), scale)
    assert set(draw(bar(math.nan, math.nan, math.nan), scale)) == {" ", "┊"}
    assert draw(Bar(0.1, math.nan, math.nan), scale).count("●") == 1


def test_no_axis_without_room_or_differences() -> None:
    assert axis([bar(0.1, 0.05, 0.0)], LEAST - 1) is None
    assert axis([bar(0.0, 0.0, 0.0)], 30) is None


@given(st.floats(-1, -0.001), st.floats(0.001, 1), st.integers(LEAST, 40))
def test_the_heading_is_split_where_zero_stands(low: float, high: float, width: int) -> None:
    scale = Axis(low, high, width)
    shown = heading(scale, "A better", "B better")
    assert len(shown) == width
    assert shown[scale.zero] == "┊"


def test_a_guard_marks_the_loss_it_must_exclude_also_under_its_interval() -> None:
    kept, lost = (bar(x, 0.05, 0.0)._replace(limit=-0.08) for x in (0.0, -0.07))
    scale = axis([kept, lost], 31, reach=(0.2,))
    assert scale is not None
    assert scale.high == 0.2
    for each, inside in ((kept, False), (lost, True)):
        drawn = draw(each, scale)
        assert (drawn.index("╎") > drawn.index("━")) is inside


def test_means_give_way_to_the_drawing_where_no_column_has_its_limits() -> None:
    roles: tuple[Role, ...] = ("name", "mean", "change", "interval", "reading")
    without: tuple[Role, ...] = ("name", "mean", "mean", "change", "reading")
    for shown, drawn in ((without, True), (roles, False)):
        columns = tuple(Column(str(role), role=role) for role in shown)
        cells = tuple(Cell("0.123 to 0.456" if role == "interval" else "0.123") for role in shown)
        card = Scorecard("k", columns, (cells,), bars=(bar(0.1, 0.05, 0.0),), scale=Scale("a", "b"))
        lines = [
            "".join(text for text, _ in each)
            for each in scorecard_lines(card, width=48, plain=False)
        ]
        assert ("●" in lines[1]) is drawn
        assert ("mean" in lines[0]) is not drawn
