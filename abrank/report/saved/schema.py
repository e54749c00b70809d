"""Values read from JSON checked against the published schema, with messages that name the place."""

# Of JSON Schema (2020-12) exactly the keywords that the schema uses. One rule is added: a number
# must be finite, and not so large that its square is not.

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from importlib import resources
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, TypeAlias

from abrank._support.display import shorten

Schema: TypeAlias = Mapping[str, Any]
# Raises Damaged, with the place below the value that it is given.
Check: TypeAlias = Callable[[Any], None]

# Variances are made of squares: beyond this, they are infinite, and nothing can be compared.
LARGEST = 1e150
# Provenance and the numbers behind a note are free in form, but nothing writes them deeper.
DEEPEST = 8
# Checks of the schemas that were last asked for: a file of results has tens of thousands of values.
_COMPILED: dict[int, tuple[Schema, Check]] = {}
MOST_COMPILED = 8
ASIDE = {"$ref", "anyOf", "title", "description", "deprecated"}
NEWER = "was it written by a newer version of abrank? then render it with that one"


class Damaged(Exception):
    """A saved value that is not what its place asks for; ``hint`` says what to do, if known."""

    def __init__(self, place: str, problem: str, *, hint: str = "") -> None:
        self.place, self.problem, self.hint = place, problem, hint
        super().__init__(place, problem)

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


@lru_cache(maxsize=4)
def published(name: str = "abrank-2") -> Schema:
    """Return the schema of ``results.json``, as it is published, or another one by its name."""
    text = resources.files("abrank.report.saved").joinpath(f"{name}.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return MappingProxyType(found)


def validate(value: Any, schema: Schema, *, place: str = "") -> None:  # noqa: ANN401 - as json.loads returns it
    """Check a value against a schema."""
    compiled = _COMPILED.get(id(schema))
    if compiled is None or compiled[0] is not schema:
        compiled = schema, _compile(schema, schema, {})
        _COMPILED[id(schema)] = compiled
        if len(_COMPILED) > MOST_COMPILED:
            del _COMPILED[next(iter(_COMPILED))]
    try:
        compiled[1](value)
    except Damaged as problem:
        problem.place = f"{place}{problem.place}" if place else problem.place.removeprefix(".")
        raise


def shown(value: Any) -> str:  # noqa: ANN401
    """Name a value shortly."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return f'"{shorten(value, width=40)}"'
    return shorten(json.dumps(value), width=40)


def _expect(ok: bool, expected: str, value: Any) -> None:  # noqa: ANN401
    if not ok:
        raise Damaged("", f"expected {expected}, found {shown(value)}")


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


def _type(value: Any, kinds: str | list[str]) -> None:  # noqa: ANN401
    if not _has_type(value, kinds):
        expected = " or ".join(_TYPES[kind][1] for kind in _listed(kinds))
        _expect(False, expected, value)


def _enum(value: Any, choices: list[Any]) -> None:  # noqa: ANN401
    # By type too: in Python 1 is true, and 1.0 is 1.
    same = any(type(value) is type(each) and value == each for each in choices)
    kind = "the whole numbers " if all(type(each) is int for each in choices) else ""
    _expect(same, f"one of {kind}{', '.join(map(_plainly, choices))}", value)


def _plainly(choice: Any) -> str:  # noqa: ANN401
    return choice if isinstance(choice, str) and choice else shown(choice)


def _limit(holds: Callable[[float, float], bool], words: str) -> Callable[[Any, Any], None]:
    def check(value: Any, limit: float) -> None:  # noqa: ANN401
        if _has_type(value, "number"):
            _expect(holds(value, limit), f"a number {words} {limit}", value)

    return check


def _pattern(value: Any, pattern: str) -> None:  # noqa: ANN401
    if isinstance(value, str):
        _expect(re.search(pattern, value) is not None, f"text like {pattern}", value)


def _min_items(value: Any, least: int) -> None:  # noqa: ANN401
    if isinstance(value, list):
        _expect(len(value) >= least, f"a list of {least}", value)


def _min_properties(value: Any, least: int) -> None:  # noqa: ANN401
    if isinstance(value, dict) and len(value) < least:
        raise Damaged("", "is empty")


def _unique(value: Any, asked: bool) -> None:  # noqa: ANN401
    if not asked or not isinstance(value, list):
        return
    seen = set()
    for text in value if set(map(type, value)) <= {str} else map(json.dumps, value):
        if text in seen:
            raise Damaged("", f"{shown(text)} stands twice")
        seen.add(text)


# The order is that in which a reader wants to be told.
_SIMPLE: Mapping[str, Callable[[Any, Any], None]] = {
    "type": _type,
    "const": lambda value, only: _enum(value, [only]),
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


def _compile(schema: Schema, root: Schema, defined: dict[str, Check]) -> Check:
    """Return what checks values against a schema; ``defined`` keeps those of the definitions."""
    checks: list[Check] = []
    if "$ref" in schema:
        checks.append(_reference(schema["$ref"], root, defined))
    if "anyOf" in schema:
        checks.append(_any_of(schema["anyOf"], root, defined))
    checks += [_simple(key, schema[key]) for key in _SIMPLE if key in schema]
    of_object, of_array = _object(schema, root, defined), _array(schema, root, defined)
    # What a reference or a branch has checked is not looked at again, unless more is asked here.
    done = bool(schema.keys() & {"$ref", "anyOf"}) and not schema.keys() - ASIDE

    def check(value: Any) -> None:  # noqa: ANN401
        for each in checks:
            each(value)
        if done:
            return
        if isinstance(value, dict):
            of_object(value)
        elif isinstance(value, list):
            of_array(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            _sized(value)

    return check


def _simple(keyword: str, asked: Any) -> Check:  # noqa: ANN401
    check = _SIMPLE[keyword]
    if keyword != "type":
        return lambda value: check(value, asked)
    types = {each for kind in _listed(asked) for each in _TYPES[kind][0]}
    return lambda value: None if type(value) in types else check(value, asked)


def _reference(name: str, root: Schema, defined: dict[str, Check]) -> Check:
    """Return the check of a definition, which may refer to itself."""
    if name not in defined:
        defined[name] = lambda value: defined[name](value)  # until it is compiled
        defined[name] = _compile(root["$defs"][name.removeprefix("#/$defs/")], root, defined)
    return lambda value: defined[name](value)


def _sized(value: float) -> None:
    """Refuse 1e999, which Python reads as infinite, and what has no square."""
    if not (math.isfinite(value) if isinstance(value, float) else True):
        raise Damaged("", "the number is too large")
    _expect(abs(value) <= LARGEST, f"a number of at most {LARGEST:g}", value)


def _any_of(branches: Iterable[Schema], root: Schema, defined: dict[str, Check]) -> Check:
    """Check that one branch is obeyed, or tell the problem of the one of the value's type."""
    compiled = []
    for each in branches:
        of = root["$defs"][each["$ref"].removeprefix("#/$defs/")] if "$ref" in each else each
        compiled.append((of.get("type", ()), _compile(each, root, defined)))

    def check(value: Any) -> None:  # noqa: ANN401
        expected = []
        for kinds, branch in compiled:
            try:
                branch(value)
            except Damaged as problem:
                if _has_type(value, kinds):
                    raise
                expected.append(problem.problem.removeprefix("expected ").rpartition(", found ")[0])
            else:
                return
        raise Damaged("", f"expected {' or '.join(expected)}, found {shown(value)}")

    return check


def _object(
    schema: Schema, root: Schema, defined: dict[str, Check]
) -> Callable[[Mapping[str, Any]], None]:
    known = {
        key: _compile(each, root, defined) for key, each in schema.get("properties", {}).items()
    }
    required = schema.get("required", ())
    rest = schema.get("additionalProperties", True)
    other: Check = (
        partial(_free, depth=1) if isinstance(rest, bool) else _compile(rest, root, defined)
    )

    def check(value: Mapping[str, Any]) -> None:
        for key in required:
            if key not in value:
                raise Damaged(_at(key), "is not there")
        for key, item in value.items():
            if rest is False and key not in known:
                raise Damaged(_at(key), "is no key of this schema", hint=NEWER)
            try:
                known.get(key, other)(item)
            except Damaged as problem:
                problem.place = f"{_at(key)}{problem.place}"
                raise

    return check


def _array(schema: Schema, root: Schema, defined: dict[str, Check]) -> Callable[[list[Any]], None]:
    first = [_compile(each, root, defined) for each in schema.get("prefixItems", ())]
    rest = schema.get("items", True)
    others = None if isinstance(rest, bool) else _compile(rest, root, defined)

    def check(value: list[Any]) -> None:
        if rest is False and len(value) > len(first):
            _expect(False, f"a list of {len(first)}", value)
        checks: Iterable[Check] = first
        if others is not None and not _plain_column(value, rest):
            checks = chain(first, repeat(others))
        place = 0
        try:
            for place, (item, each) in enumerate(zip(value, checks, strict=False)):  # noqa: B007
                each(item)
        except Damaged as problem:
            problem.place = f"[{place}]{problem.place}"
            raise

    return check


def _plain_column(value: list[Any], schema: Schema) -> bool:
    """Whether all are text, or small floats, as asked: a column may have a million."""
    kinds = set(map(type, value))
    if schema == {"type": "string"}:
        return kinds <= {str}
    return schema == {"type": "number"} and kinds == {float} and max(map(abs, value)) <= LARGEST


def _free(value: Any, *, depth: int) -> None:  # noqa: ANN401
    """Check a value of which the schema says nothing: its numbers, and how deep it is."""
    if depth > DEEPEST:
        raise Damaged("", f"is nested more than {DEEPEST} deep")
    if _has_type(value, "number"):
        _sized(value)
    inside = isinstance(value, (dict, list))
    for key, item in (
        value.items() if isinstance(value, dict) else enumerate(value) if inside else ()
    ):
        try:
            _free(item, depth=depth + 1)
        except Damaged as problem:
            problem.place = f"{_at(key) if isinstance(key, str) else f'[{key}]'}{problem.place}"
            raise


def _at(key: str) -> str:
    return "." + (shorten(key, width=40) or '""')
