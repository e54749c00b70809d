"""Values become what their annotation says, or are refused by their place."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from abrank.report.saved.restoring import DamagedValue, brief, restore
from abrank.verdict import Verdict


@dataclass(frozen=True)
class Part:
    name: str
    limits: tuple[float, float] = (0.0, 0.0)


@pytest.mark.parametrize(("kind", "value", "problem"), [
    (int, "x", 'at: expected a whole number, found "x"'),
    (int, True, "at: expected a whole number, found true"),
    (int, 1.0, "at: expected a whole number, found 1.0"),
    (int, 10**400, "at: expected a number of at most 1e+150, found 1000000"),
    (bool, None, "at: expected true or false, found null"),
    (str, 3, "at: expected text, found 3"),
    (float, "much", 'at: expected a number or one of null, inf, -inf, found "much"'),
    (float, False, "at: expected a number or one of null, inf, -inf, found false"),
    (float, 1e200, "at: expected a number of at most 1e+150"),
    (float, math.inf, "at: expected a number of at most 1e+150"),
    (Literal["a", "b"], "c", 'at: expected one of a, b, found "c"'),
    (Literal["a", "b"], ["a"], "at: expected one of a, b, found a list of 1"),
    (Verdict, "splendid", "at: expected one of better, "),
    (tuple[str, ...], "ab", "at: expected a list, found"),
    (tuple[str, ...], ["a", 1], "at[1]: expected text, found 1"),
    (tuple[str, int | None], ["a"], "at: expected a list of 2, found a list of 1"),
    (tuple[str, float], ["a", []], "at[1]: expected a number or one of"),
    (Mapping[str, tuple[int, ...]], {"p": {}}, "at.p: expected a list, found an object"),
    (Part, [], "at: expected an object, found a list of 0"),
    (Part, {}, "at.name: is not there"),
    (Part, {"name": "x", "limits": [1, "x"]}, "at.limits[1]: expected a number"),
    (Any, {"p": [10**400]}, "at.p[0]: expected a number of at most"),
    (Any, {"p": [[[[[[[[1]]]]]]]]}, "is nested more than 8 deep"),
])  # fmt: skip
def test_what_does_not_obey_is_named_with_its_place(kind: Any, value: Any, problem: str) -> None:
    with pytest.raises(DamagedValue) as caught:
        restore(kind, value, "at")
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 170


def test_long_and_hostile_values_are_shown_shortly() -> None:
    assert brief("a\x1b[31m" + "x" * 500).startswith('"a\\x1b[31mx')
    assert len(brief("x" * 500)) < 50
    assert len(brief(10**4000)) < 50
    assert (brief([1, 2]), brief(None), brief("much")) == ("a list of 2", "null", '"much"')
    with pytest.raises(DamagedValue) as caught:
        restore(Mapping[str, str], {"k\n" * 300: 1})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 100
