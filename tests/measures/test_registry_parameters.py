from types import NoneType
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.measures.registry import Gains, Levels, Parameter, literal, read_literal, read_signature


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", 10),
        (" -1 ", -1),
        ("0.10", 0.1),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("None", None),
        ("True", True),
        ("False", False),
        ("exp-log2", "exp-log2"),
        ("'10'", "10"),
        ('"it\'s"', "it's"),
        ("[.25, .5]", [0.25, 0.5]),
        ("{1: 3.5, 2:9}", {1: 3.5, 2: 9}),
        ("1" * 30, float("1" * 30)),  # no whole number of this size has a meaning
        ("", ""),
    ],
)
def test_read_literal(text, value):
    found = read_literal(text)
    assert found == value
    assert type(found) is type(value)


@given(st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value):
    assert read_literal(literal(value)) == value


@given(st.lists(st.floats(-10, 10), min_size=1))
def test_levels_read_back(values):
    parameter = Parameter("levels", (Levels,), (), None, required=False)
    assert parameter.conform(read_literal(literal(tuple(values)))) == tuple(values)


@given(st.dictionaries(st.integers(-5, 9), st.floats(-10, 10), min_size=1))
def test_gains_read_back_in_the_order_of_grades(values):
    parameter = Parameter("gains", (Gains, NoneType), (), None, required=False)
    gains = tuple(sorted(values.items()))
    assert parameter.conform(read_literal(literal(gains))) == gains
    assert parameter.conform(values) == gains
    assert parameter.conform(None) is None


@pytest.mark.parametrize("value", [{}, {"a": 1}, {1: "x"}, [1], "x", 3, [(1, 2)]])
def test_what_is_no_gain(value):
    parameter = Parameter("gains", (Gains, NoneType), (), None, required=False)
    with pytest.raises(ArgumentError, match="gains must be gains by grade"):
        parameter.conform(value)


@pytest.mark.parametrize("value", [{1: 2}, ["x"], 0.5, "x", [True]])
def test_what_is_no_list_of_levels(value):
    parameter = Parameter("levels", (Levels,), (), None, required=False)
    with pytest.raises(ArgumentError, match="levels must be a list of numbers"):
        parameter.conform(value)


def test_signature_gives_kinds_and_choices():
    def mine(
        judged,
        *,
        cutoff: int,
        gains: Gains | None = None,
        levels: Levels = (0.0, 1.0),
        how: Literal["a", "b"] = "a",
        anything=0,
    ):
        """Mine."""

    cutoff, gains, levels, how, anything = read_signature(mine)
    assert (cutoff.kinds, cutoff.required) == ((int,), True)
    assert gains.kinds == (Gains, NoneType)
    assert (levels.kinds, levels.default) == ((Levels,), (0.0, 1.0))
    assert how.choices == ("a", "b")
    assert {int, float, str, bool, NoneType} <= set(anything.kinds)
