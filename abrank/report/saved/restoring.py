"""Convert values from JSON to the annotated types of the results' classes, or refuse them."""

# The published schemas describe the same classes; a test checks that both agree.

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import lru_cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from abrank._support.display import shorten
from abrank.diagnostics import Note
from abrank.inference.equivalence import RelativeChange, Unseen
from abrank.rule import Reason

# Converts a value, or raises DamagedValue with the place inside the value.
Reader: TypeAlias = Callable[[Any], Any]

# Squares of larger numbers make variances infinite, so nothing could be compared.
LARGEST = 1e150
# Provenance and the numbers of notes have any form, but are never nested deeper than this.
DEEPEST = 8
INFINITE = {"inf": math.inf, "-inf": -math.inf}


class DamagedValue(Exception):
    """A saved value does not have the expected form; ``hint`` says what to do, if known."""

    def __init__(self, place: str, problem: str, *, hint: str = "") -> None:
        self.place, self.problem, self.hint = place, problem, hint
        super().__init__(place, problem)

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


def restore(kind: object, value: object, place: str = "") -> Any:  # noqa: ANN401 - any annotation
    """Convert a value from JSON to its annotated type."""
    try:
        return _reader(kind)(value)
    except DamagedValue as problem:
        problem.place = f"{place}{problem.place}" if place else problem.place.removeprefix(".")
        raise


def restore_part(value: object, path: str, kind: object, default: object = MISSING) -> Any:  # noqa: ANN401
    """Return the converted value at a path of keys, or the default if it is missing."""
    passed = ""
    for key in path.split("."):
        if not isinstance(value, dict):
            raise _unexpected(passed, "an object", value)
        passed = f"{passed}.{key}" if passed else key
        if key not in value:
            if default is MISSING:
                raise DamagedValue(passed, "is not there")
            return default
        value = value[key]
    return restore(kind, value, path)


def brief(value: object) -> str:
    """Return a short name for a value, for messages."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return f'"{shorten(value, width=40)}"'
    return shorten(json.dumps(value), width=40)


def _require(ok: bool, expected: str, value: object) -> None:
    if not ok:
        raise _unexpected("", expected, value)


def _unexpected(place: str, expected: str, value: object) -> DamagedValue:
    return DamagedValue(place, f"expected {expected}, found {brief(value)}")


# --- One reader per kind of annotation


@lru_cache(maxsize=512)
def _reader(kind: object) -> Reader:
    """Return the function that reads values of an annotation."""
    if kind in _READERS:
        return _READERS[kind]
    origin, kinds = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        kinds = tuple(kind for kind in kinds if kind is not NoneType)
        reader = _number if set(kinds) == {int, float} else _reader(*kinds)
        return lambda value: None if value is None else reader(value)
    if origin is Literal:
        return partial(_choice, kinds)
    if origin is tuple and kinds[-1] is not Ellipsis:
        return partial(_positions, kinds)
    if origin in (tuple, Sequence):
        return partial(_items, kinds)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return partial(_mapping, _reader(kinds[1]))
    if isinstance(kind, type) and is_dataclass(kind):
        return partial(_dataclass, kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return lambda value: kind(str(_choice([*kind], value)))
    raise TypeError(f"no reader for {kind}")


def _plain(kind: type, expected: str, value: object) -> object:
    # By exact type, because True is not a number here.
    _require(type(value) is kind, expected, value)
    if isinstance(value, int) and kind is int:
        _require(abs(value) <= LARGEST, f"a number of at most {LARGEST:g}", value)
    return value


def _float(value: float | str | None) -> float:
    if type(value) is float and abs(value) <= LARGEST:
        return value
    if value is None:
        return math.nan
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    _require(type(value) in (int, float), "a number or one of null, inf, -inf", value)
    _require(abs(value) <= LARGEST, f"a number of at most {LARGEST:g}", value)  # type: ignore[arg-type]
    return float(value)


def _number(value: int | float | str | None) -> int | float:
    # Whole grades are stored without a decimal point and stay integers.
    return value if type(value) is int and abs(value) <= LARGEST else _float(value)


def _choice(choices: Sequence[str], value: object) -> object:
    names = ", ".join(str(choice) or '""' for choice in choices)
    _require(isinstance(value, str) and value in choices, f"one of {names}", value)
    return value


def _items(kinds: tuple[Any, ...], value: object) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _unexpected("", "a list", value)
    if kinds[0] is str and set(map(type, value)) == {str}:
        return tuple(value)  # perhaps a million ids, which need no conversion
    return _positions([kinds[0]] * len(value), value)


def _positions(kinds: Sequence[Any], value: object) -> tuple[Any, ...]:
    """Read a list with one value for each of ``kinds``."""
    if not isinstance(value, list) or len(value) != len(kinds):
        raise _unexpected("", f"a list of {len(kinds)}", value)
    items = []
    for i, (kind, item) in enumerate(zip(kinds, value, strict=True)):
        try:
            items.append(_reader(kind)(item))
        except DamagedValue as problem:
            problem.place = f"[{i}]{problem.place}"
            raise
    return tuple(items)


def _mapping(reader: Reader, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _unexpected("", "an object", value)
    return {key: _read_below(f".{shorten(key, width=40)}", reader, value[key]) for key in value}


def _dataclass(kind: Callable[..., Any], value: object) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        raise _unexpected("", "an object", value)
    arguments = {}
    for name, reader, required in _fields(kind):
        if name in value:
            arguments[name] = _read_below(f".{name}", reader, value[name])
        elif required:
            raise DamagedValue(f".{name}", "is not there")
    return kind(**arguments)


def _read_below(place: str, reader: Reader, value: object) -> object:
    try:
        return reader(value)
    except DamagedValue as problem:
        problem.place = f"{place}{problem.place}"
        raise


def annotations_of(kind: type) -> dict[str, Any]:
    """Return the annotations of a class, resolving names imported only for type checkers."""
    return get_type_hints(kind, localns={item.__name__: item for item in (RelativeChange, Unseen)})


@lru_cache(maxsize=128)
def _fields(kind: Callable[..., object]) -> list[tuple[str, Reader, bool]]:
    hints = annotations_of(kind)  # type: ignore[arg-type]
    return [
        (field.name, _reader(hints[field.name]), field.default is field.default_factory is MISSING)
        for field in fields(kind)  # type: ignore[arg-type] # a dataclass
    ]


def _free(value: object, depth: int = 1) -> object:
    """Read a value of any form, but limited size and depth."""
    if depth > DEEPEST:
        raise DamagedValue("", f"is nested more than {DEEPEST} deep")
    below = partial(_free, depth=depth + 1)
    if isinstance(value, dict):
        return _mapping(below, value)
    if isinstance(value, list):
        return [_read_below(f"[{i}]", below, item) for i, item in enumerate(value)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _require(abs(value) <= LARGEST, f"a number of at most {LARGEST:g}", value)
    return value


def _coded(kind: type[Note | Reason], value: object) -> Note | Reason:
    """Read a code with its numbers; undefined numbers become NaN."""
    coded: Note | Reason = _dataclass(kind, value)
    numbers = {key: math.nan if value is None else value for key, value in coded.values.items()}
    return (
        Note(coded.code, coded.severity, numbers)
        if isinstance(coded, Note)
        else Reason(coded.code, numbers)
    )


_READERS: Mapping[Any, Reader] = {
    str: partial(_plain, str, "text"),
    bool: partial(_plain, bool, "true or false"),
    int: partial(_plain, int, "a whole number"),
    dict[str, Any]: partial(_plain, dict, "an object"),  # its parts are read separately
    float: _float,
    Any: _free,
    Note: partial(_coded, Note),
    Reason: partial(_coded, Reason),
}
