"""Plain values converted back to typed ones, by the annotations of the fields.

The values have been checked against the published schema; here they are only turned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import lru_cache, partial
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

INFINITE = {"inf": math.inf, "-inf": -math.inf}


def restore(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, any value
    """Return a value read from JSON as its annotation has it.

    Parameters
    ----------
    kind : type or annotation
        A dataclass, ``tuple``, ``Mapping``, ``Literal``, ``X | None``, a number, text or Any.
    value : object
        As ``json.loads`` returns it; a float may be null (NaN), ``"inf"`` or ``"-inf"``.

    Examples
    --------
    >>> restore(tuple[float, ...], [0.5, None, "-inf"])
    (0.5, nan, -inf)
    """
    found = _reader(kind)
    return value if found is None else found(value)


@lru_cache(maxsize=512)
def _reader(kind: Any) -> Callable[[Any], Any] | None:  # noqa: ANN401
    """Return what turns a value into its kind; None where values are taken as they are."""
    origin, kinds = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (other,) = (_reader(each) for each in kinds if each is not NoneType)
        return None if other is None else lambda value: None if value is None else other(value)
    if origin is tuple:
        return _reader_of_tuple(kinds)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        each = _reader(kinds[1])
        if each is None:
            return dict
        return lambda value: {key: each(item) for key, item in value.items()}
    if is_dataclass(kind):
        return partial(_dataclass, kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    return _float if kind is float else None


def _float(value: float | str | None) -> float:
    if value is None:
        return math.nan
    return INFINITE[value] if isinstance(value, str) else float(value)


def _reader_of_tuple(kinds: tuple[Any, ...]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """Return what makes a tuple of one kind and any length, or of as many as there are kinds."""
    readers = [_reader(each) or _as_it_is for each in kinds if each is not Ellipsis]

    def same(value: list[Any]) -> tuple[Any, ...]:
        if readers[0] is _as_it_is or set(map(type, value)) == {kinds[0]}:
            return tuple(value)  # a million scores, and none to be changed
        return tuple(map(readers[0], value))

    def several(value: list[Any]) -> tuple[Any, ...]:
        return tuple(turn(item) for turn, item in zip(readers, value, strict=True))

    return same if kinds[-1] is Ellipsis else several


def _as_it_is(value: Any) -> Any:  # noqa: ANN401
    return value


def _dataclass(kind: Any, value: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return a dataclass of the fields that are there; those that came later have a default."""
    found = {name: turn(value[name]) for name, turn in _fields(kind) if name in value}
    return kind(**found)


@lru_cache(maxsize=64)
def _fields(kind: Any) -> list[tuple[str, Callable[[Any], Any]]]:  # noqa: ANN401
    hints = get_type_hints(kind)
    return [(each.name, _reader(hints[each.name]) or _as_it_is) for each in fields(kind)]
