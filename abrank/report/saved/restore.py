"""From plain values back to typed ones: what a field's annotation says, a saved value becomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

INFINITE = {"inf": math.inf, "-inf": -math.inf}


class Damaged(Exception):
    """A saved value that is not what its place asks for."""

    def __init__(self, place: str, problem: str) -> None:
        self.place, self.problem = place, problem
        super().__init__(f"{place}: {problem}")


def restore(kind: Any, value: Any, place: str) -> Any:  # noqa: ANN401 - any annotation, any value
    """Return a value read from JSON as its annotation has it.

    Parameters
    ----------
    kind : type or annotation
        A dataclass, ``tuple``, ``Mapping``, ``Literal``, ``X | None``, a number, text or Any.
    value : object
        As ``json.loads`` returns it; a float may be null (NaN), ``"inf"`` or ``"-inf"``.
    place : str
        Where the value stands, for the message.

    Returns
    -------
    object

    Raises
    ------
    Damaged
        Where value and annotation do not agree.

    Examples
    --------
    >>> restore(tuple[float, ...], [0.5, None, "-inf"], "limits")
    (0.5, nan, -inf)
    >>> restore(int, "3", "n_queries")
    Traceback (most recent call last):
    abrank.report.saved.restore.Damaged: n_queries: expected a whole number, found "3"
    """
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin in (Union, UnionType):
        others = [each for each in get_args(kind) if each is not NoneType]
        return None if value is None else restore(others[0], value, place)
    if origin is Literal:
        return _checked(value, value in get_args(kind), _listed(get_args(kind)), place)
    if origin is tuple:
        return _tuple(get_args(kind), value, place)
    if origin is not None and issubclass(origin, Mapping):
        return {
            key: restore(get_args(kind)[1], item, f"{place}.{key}")
            for key, item in _mapping(value, place).items()
        }
    if is_dataclass(kind):
        return _dataclass(kind, _mapping(value, place), place)
    return _SCALARS[kind](value, place)


def _mapping(value: Any, place: str) -> Mapping[str, Any]:  # noqa: ANN401
    found: Mapping[str, Any] = _checked(value, isinstance(value, Mapping), "an object", place)
    return found


def _number(value: Any, place: str) -> float:  # noqa: ANN401
    if value is None:
        return math.nan
    if isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    ok = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(_checked(value, ok, "a number", place))


def _whole(value: Any, place: str) -> int:  # noqa: ANN401
    ok = isinstance(value, int) and not isinstance(value, bool)
    return int(_checked(value, ok, "a whole number", place))


def _text(value: Any, place: str) -> str:  # noqa: ANN401
    return str(_checked(value, isinstance(value, str), "text", place))


def _truth(value: Any, place: str) -> bool:  # noqa: ANN401
    return bool(_checked(value, isinstance(value, bool), "true or false", place))


_SCALARS: Mapping[Any, Callable[[Any, str], Any]] = {
    float: _number,
    int: _whole,
    str: _text,
    bool: _truth,
}


def _tuple(kinds: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:  # noqa: ANN401
    """Return a tuple of one kind and any length, or of as many as there are kinds."""
    items = _checked(value, isinstance(value, list), "a list", place)
    if kinds[-1] is Ellipsis:
        if set(map(type, items)) == {kinds[0]} <= set(_SCALARS):
            return tuple(items)  # a million scores, and none to be changed
        kinds = kinds[:1] * len(items)
    _checked(value, len(items) == len(kinds), f"a list of {len(kinds)}", place)
    return tuple(
        restore(kind, item, f"{place}[{i}]")
        for i, (kind, item) in enumerate(zip(kinds, items, strict=True))
    )


def _dataclass(kind: Any, value: Mapping[str, Any], place: str) -> Any:  # noqa: ANN401
    """Return a dataclass of the fields that are there; those with a default may be absent."""
    given = {}
    for name, annotation, required in _fields(kind):
        if name in value:
            given[name] = restore(annotation, value[name], f"{place}.{name}")
        elif required:
            raise Damaged(f"{place}.{name}", "is not there")
    return kind(**given)


@lru_cache(maxsize=64)
def _fields(kind: Any) -> list[tuple[str, Any, bool]]:  # noqa: ANN401
    hints = get_type_hints(kind)
    return [
        (each.name, hints[each.name], each.default is MISSING and each.default_factory is MISSING)
        for each in fields(kind)
    ]


def _checked(value: Any, ok: bool, expected: str, place: str) -> Any:  # noqa: ANN401
    if not ok:
        raise Damaged(place, f"expected {expected}, found {_shown(value)}")
    return value


def _shown(value: Any) -> str:  # noqa: ANN401
    """Name a value shortly."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f'"{value[:30]}"' if isinstance(value, str) else repr(value)


def _listed(choices: tuple[Any, ...]) -> str:
    return "one of " + ", ".join(map(str, choices))
