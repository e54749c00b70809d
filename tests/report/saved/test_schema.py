"""The validator knows every keyword of the published schema, and says where and what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from abrank import rule
from abrank.report.saved.schema import KEYWORDS, LARGEST, Damaged, published, shown, validate
from abrank.verdict import Action, Condition, Verdict


def keywords(schema: Any) -> Iterator[str]:
    """Yield the keywords of a schema and of those within it; names of keys are no keywords."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        yield key
        if key in ("properties", "$defs"):
            for part in value.values():
                yield from keywords(part)
        elif key in ("anyOf", "prefixItems"):
            for part in value:
                yield from keywords(part)
        else:
            yield from keywords(value)


def test_every_keyword_of_the_published_schema_is_known() -> None:
    assert set(keywords(dict(published()))) <= KEYWORDS


@pytest.mark.parametrize(
    ("place", "codes"),
    [
        (("$defs", "reason", "properties", "code"), rule.LEVELS),
        (("$defs", "verdict", "properties", "state"), Verdict),
        (("$defs", "alternative", "properties", "verdict"), Verdict),
        (("properties", "next_step"), get_args(Action)),
        (("properties", "next_step_condition"), [each for each in get_args(Condition) if each]),
    ],
)
def test_a_code_that_a_result_can_have_is_in_the_schema(place: Any, codes: Any) -> None:
    found: Any = published()
    for key in place:
        found = found[key]
    assert {*codes} <= {*found["enum"]}  # those of older results stay


PAIR = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "items": False}


@pytest.mark.parametrize(
    ("value", "schema", "said"),
    [
        ("x", {"type": "integer"}, 'at: expected a whole number, found "x"'),
        (True, {"type": "integer"}, "at: expected a whole number, found true"),
        (1.0, {"type": "integer"}, "at: expected a whole number, found 1.0"),
        (None, {"type": ["string", "integer"]}, "at: expected text or a whole number, found null"),
        (1, {"enum": [True, "x"]}, "at: expected one of true, x, found 1"),
        (2, {"const": "abrank/1"}, "at: expected one of abrank/1, found 2"),
        (0.0, {"enum": [-1, 0, 1]}, "at: expected one of the whole numbers -1, 0, 1, found 0.0"),
        (-1, {"minimum": 0}, "at: expected a number of at least 0, found -1"),
        (2, {"maximum": 1}, "at: expected a number of at most 1, found 2"),
        (0, {"exclusiveMinimum": 0}, "at: expected a number above 0, found 0"),
        (1, {"exclusiveMaximum": 1}, "at: expected a number below 1, found 1"),
        ("Ab", {"pattern": "^[a-z]+$"}, 'at: expected text like ^[a-z]+$, found "Ab"'),
        ([], {"minItems": 2}, "at: expected a list of 2, found a list of 0"),
        ({}, {"minProperties": 1}, "at: is empty"),
        (["a", "b", "a"], {"uniqueItems": True}, 'at: "a" stands twice'),
        ({}, {"required": ["p"]}, "at.p: is not there"),
        ({"q": 1}, {"additionalProperties": False}, "at.q: is no key of this schema"),
        ({"q": 1}, {"additionalProperties": {"type": "string"}}, "at.q: expected text, found 1"),
        ({"p": {"q": []}}, {"properties": {"p": {"type": "array"}}}, "at.p: expected a list"),
        (["a", 1], PAIR, "at[1]: expected null, found 1"),
        (["a", None, 1], PAIR, "at: expected a list of 2, found a list of 3"),
        ([0.5, None], {"items": {"type": "number"}}, "at[1]: expected a number, found null"),
        ([0.5, 1e200], {"items": {"type": "number"}}, "at[1]: expected a number of at most 1e+150"),
        (float("inf"), {"type": "number"}, "at: the number is too large"),
        (10**400, {}, "at: expected a number of at most 1e+150, found 1000000"),
        ({"p": [[[[[[[[1]]]]]]]]}, {"type": "object"}, "is nested more than 8 deep"),
        ({"p": [10**400]}, {"type": "object"}, "at.p[0]: expected a number of at most"),
        (
            "y",
            {"anyOf": [{"type": "number"}, {"enum": ["x"]}]},
            "expected a number or one of x, fo",
        ),
        (
            2,
            {"anyOf": [{"type": "number", "maximum": 1}, {"type": "null"}]},
            "a number of at most 1",
        ),
        (["a", "b", 3], {"type": "array", "items": {"type": "string"}}, "[2]: expected"),
    ],
)
def test_what_does_not_obey_is_named_with_its_place(value: Any, schema: Any, said: str) -> None:
    with pytest.raises(Damaged) as caught:
        validate(value, schema, place="at")
    assert said in str(caught.value)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (None, {"anyOf": [{"type": "number"}, {"enum": [None, "inf"]}]}),
        ([1, 0.5], {"type": "array", "items": {"type": "number"}}),
        (["a", None], PAIR),
        (LARGEST, {"type": "number"}),
        ({"q": "x"}, {"required": ["q"], "additionalProperties": {"type": "string"}}),
        ({"free": {"in": ["form", 1, None, True]}}, {"type": "object"}),
        (["a", "b"], {"uniqueItems": True, "items": {"type": "string"}}),
        ("x", {"minimum": 3}),
        ("x", {"minItems": 2}),
        ("xx", {"uniqueItems": True}),
        (["a", "a"], {"uniqueItems": False}),
    ],
)
def test_what_obeys_passes(value: Any, schema: Any) -> None:
    assert problem_of(value, schema) == ""


def problem_of(value: Any, schema: Any) -> str:
    """Return what is wrong with a value, empty where nothing is."""
    try:
        validate(value, schema, place="at")
    except Damaged as error:
        return str(error)
    return ""


def test_a_definition_is_looked_up_at_the_root() -> None:
    schema = {"items": {"$ref": "#/$defs/count"}, "$defs": {"count": {"minimum": 0}}}
    validate([0, 1], schema)
    with pytest.raises(Damaged, match=r"\[1\]: expected a number of at least 0"):
        validate([0, -1], schema)


def test_long_and_hostile_values_are_shown_shortly() -> None:
    assert shown("a\x1b[31m" + "x" * 500).startswith('"a\\x1b[31mx')
    assert len(shown("x" * 500)) < 50
    assert len(shown(10**4000)) < 50
    with pytest.raises(Damaged) as caught:
        validate({"k\n" * 300: 1}, {"additionalProperties": False})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 100


def test_a_value_that_does_not_obey_the_schema_is_named_by_its_place() -> None:
    counts = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    validate([3, 0], counts, place="counts")
    with pytest.raises(Damaged, match=re.escape('counts[1]: expected a whole number, found "x"')):
        validate([3, "x"], counts, place="counts")


def test_a_value_is_named_shortly() -> None:
    assert (shown([1, 2]), shown(None), shown("much")) == ("a list of 2", "null", '"much"')
