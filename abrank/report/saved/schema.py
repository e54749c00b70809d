"""Values read from JSON checked against the published schema, with messages that name the place.

Of JSON Schema (2020-12) exactly the keywords that the schema uses. One rule is added: a number must
be finite, and not so large that its square is not.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any, TypeAlias

from abrank._support.display import shorten

Schema: TypeAlias = Mapping[str, Any]

# Variances are made of squares: beyond this, they are infinite, and nothing can be compared.
LARGEST = 1e150
# Provenance and the numbers behind a note are free in form, but nothing writes them deeper.
DEEPEST = 8
NEWER = "was it written by a newer version of abrank? then render it with that one"


class Damaged(Exception):
    """A saved value that is not what its place asks for; ``hint`` says what to do, if known."""

    def __init__(self, place: str, problem: str, *, hint: str = "") -> None:
        self.place, self.problem, self.hint = place, problem, hint
        super().__init__(f"{place}: {problem}")


@lru_cache(maxsize=4)
def published(name: str = "abrank-2") -> Schema:
    """Return the schema of ``results.json``, as it is published, or another one by its name."""
    text = resources.files("abrank.report.saved").joinpath(f"{name}.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return MappingProxyType(found)


def validate(value: Any, schema: Schema, *, root: Schema | None = None, place: str = "") -> None:  # noqa: ANN401 - as json.loads returns it
    """Check a value against a schema.

    Parameters
    ----------
    value : object
        As ``json.loads`` returns it.
    root : mapping, optional
        Where ``#/$defs/…`` are looked up; ``schema`` without it.
    place : str
        Where the value stands, for the message.

    Raises
    ------
    Damaged
        At the first value that does not obey.

    Examples
    --------
    >>> counts = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    >>> validate([3, 0], counts, place="counts")
    >>> validate([3, "x"], counts, place="counts")
    Traceback (most recent call last):
    abrank.report.saved.schema.Damaged: counts[1]: expected a whole number, found "x"
    """
    root = schema if root is None else root
    if "$ref" in schema:
        validate(value, _defined(schema["$ref"], root), root=root, place=place)
    if "anyOf" in schema:
        _any_of(value, schema["anyOf"], root, place)
    for keyword, check in _SIMPLE.items():
        if keyword in schema:
            check(value, schema[keyword], place)
    if isinstance(value, dict):
        _object(value, schema, root, place)
    elif isinstance(value, list):
        _array(value, schema, root, place)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _sized(value, place)


def shown(value: Any) -> str:  # noqa: ANN401
    """Name a value shortly.

    Examples
    --------
    >>> shown([1, 2]), shown(None), shown("much")
    ('a list of 2', 'null', '"much"')
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return f'"{shorten(value, width=40)}"'
    return shorten(json.dumps(value), width=40)


def _expect(ok: bool, expected: str, value: Any, place: str) -> None:  # noqa: ANN401
    if not ok:
        raise Damaged(place, f"expected {expected}, found {shown(value)}")


_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "object": ((dict,), "an object"),
    "array": ((list,), "a list"),
    "string": ((str,), "text"),
    "number": ((int, float), "a number"),
    "integer": ((int,), "a whole number"),
    "boolean": ((bool,), "true or false"),
    "null": ((type(None),), "null"),
}


def _has_type(value: Any, kinds: str | Iterable[str]) -> bool:  # noqa: ANN401
    # Not isinstance: true is no number here.
    if isinstance(kinds, str):
        return type(value) in _TYPES[kinds][0]
    return any(type(value) in _TYPES[kind][0] for kind in kinds)


def _listed(kinds: str | Iterable[str]) -> Iterable[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _type(value: Any, kinds: str | list[str], place: str) -> None:  # noqa: ANN401
    if not _has_type(value, kinds):
        expected = " or ".join(_TYPES[kind][1] for kind in _listed(kinds))
        _expect(False, expected, value, place)


def _enum(value: Any, choices: list[Any], place: str) -> None:  # noqa: ANN401
    # By type too: in Python 1 is true, and 1.0 is 1.
    same = any(type(value) is type(each) and value == each for each in choices)
    kind = "the whole numbers " if all(type(each) is int for each in choices) else ""
    _expect(same, f"one of {kind}{', '.join(map(_plainly, choices))}", value, place)


def _plainly(choice: Any) -> str:  # noqa: ANN401
    return choice if isinstance(choice, str) and choice else shown(choice)


def _limit(holds: Callable[[float, float], bool], words: str) -> Callable[[Any, Any, str], None]:
    def check(value: Any, limit: float, place: str) -> None:  # noqa: ANN401
        if _has_type(value, "number"):
            _expect(holds(value, limit), f"a number {words} {limit}", value, place)

    return check


def _pattern(value: Any, pattern: str, place: str) -> None:  # noqa: ANN401
    if isinstance(value, str):
        _expect(re.search(pattern, value) is not None, f"text like {pattern}", value, place)


def _min_items(value: Any, least: int, place: str) -> None:  # noqa: ANN401
    if isinstance(value, list):
        _expect(len(value) >= least, f"a list of {least}", value, place)


def _min_properties(value: Any, least: int, place: str) -> None:  # noqa: ANN401
    if isinstance(value, dict) and len(value) < least:
        raise Damaged(place, "is empty")


def _unique(value: Any, asked: bool, place: str) -> None:  # noqa: ANN401
    if not asked or not isinstance(value, list):
        return
    seen = set()
    for text in value if set(map(type, value)) <= {str} else map(json.dumps, value):
        if text in seen:
            raise Damaged(place, f"{shown(text)} stands twice")
        seen.add(text)


# The order is that in which a reader wants to be told.
_SIMPLE: Mapping[str, Callable[[Any, Any, str], None]] = {
    "type": _type,
    "const": lambda value, only, place: _enum(value, [only], place),
    "enum": _enum,
    "minimum": _limit(lambda value, limit: value >= limit, "of at least"),
    "maximum": _limit(lambda value, limit: value <= limit, "of at most"),
    "exclusiveMinimum": _limit(lambda value, limit: value > limit, "above"),
    "exclusiveMaximum": _limit(lambda value, limit: value < limit, "below"),
    "pattern": _pattern,
    "minItems": _min_items,
    "minProperties": _min_properties,
    "uniqueItems": _unique,
}
KEYWORDS = {
    *_SIMPLE, "$ref", "$defs", "$schema", "$id", "title", "description", "deprecated", "anyOf",
    "properties", "required", "additionalProperties", "items", "prefixItems",
}  # fmt: skip


def _sized(value: float, place: str) -> None:
    """Refuse 1e999, which Python reads as infinite, and what has no square."""
    if not (math.isfinite(value) if isinstance(value, float) else True):
        raise Damaged(place, "the number is too large")
    _expect(abs(value) <= LARGEST, f"a number of at most {LARGEST:g}", value, place)


def _defined(reference: str, root: Schema) -> Schema:
    found: Schema = root["$defs"][reference.removeprefix("#/$defs/")]
    return found


def _any_of(value: Any, branches: Iterable[Schema], root: Schema, place: str) -> None:  # noqa: ANN401
    """Check that one branch is obeyed, or tell the problem of the one of the value's type."""
    expected = []
    for each in branches:
        branch = _defined(each["$ref"], root) if "$ref" in each else each
        try:
            validate(value, branch, root=root, place=place)
        except Damaged as problem:
            if _has_type(value, branch.get("type", ())):
                raise
            expected.append(problem.problem.removeprefix("expected ").rpartition(", found ")[0])
        else:
            return
    raise Damaged(place, f"expected {' or '.join(expected)}, found {shown(value)}")


def _object(value: Mapping[str, Any], schema: Schema, root: Schema, place: str) -> None:
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            raise Damaged(_at(place, key), "is not there")
    rest = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in known:
            validate(item, known[key], root=root, place=_at(place, key))
        elif rest is False:
            raise Damaged(_at(place, key), "is no key of this schema", hint=NEWER)
        elif rest is True:
            _free(item, _at(place, key), depth=1)
        else:
            validate(item, rest, root=root, place=_at(place, key))


def _array(value: list[Any], schema: Schema, root: Schema, place: str) -> None:
    first = schema.get("prefixItems", ())
    rest = schema.get("items", True)
    if rest is False and len(value) > len(first):
        _expect(False, f"a list of {len(first)}", value, place)
    for i, (item, each) in enumerate(zip(value, first, strict=False)):
        validate(item, each, root=root, place=f"{place}[{i}]")
    if not isinstance(rest, bool) and not _plain_column(value, rest):
        for i, item in enumerate(value[len(first) :], len(first)):
            validate(item, rest, root=root, place=f"{place}[{i}]")


def _plain_column(value: list[Any], schema: Schema) -> bool:
    """Whether all are text where text is asked, or small floats where numbers are.

    A column may hold a number for each of a million queries.
    """
    kinds = set(map(type, value))
    if schema == {"type": "string"}:
        return kinds <= {str}
    return schema == {"type": "number"} and kinds == {float} and max(map(abs, value)) <= LARGEST


def _free(value: Any, place: str, *, depth: int) -> None:  # noqa: ANN401
    """Check a value of which the schema says nothing: its numbers, and how deep it is."""
    if depth > DEEPEST:
        raise Damaged(place, f"is nested more than {DEEPEST} deep")
    if isinstance(value, dict):
        for key, item in value.items():
            _free(item, _at(place, key), depth=depth + 1)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            _free(item, f"{place}[{i}]", depth=depth + 1)
    elif _has_type(value, "number"):
        _sized(value, place)


def _at(place: str, key: str) -> str:
    shortened = shorten(key, width=40) or '""'
    return f"{place}.{shortened}" if place else shortened
