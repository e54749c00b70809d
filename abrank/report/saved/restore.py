"""Plain values converted back to typed ones, by the annotations of the fields.

The values have been checked against the published schema; here they are only turned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import lru_cache
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
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        others = [each for each in get_args(kind) if each is not NoneType]
        return None if value is None else restore(others[0], value)
    if origin is tuple:
        return _tuple(get_args(kind), value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: restore(get_args(kind)[1], item) for key, item in value.items()}
    if is_dataclass(kind):
        return _dataclass(kind, value)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(value)
    return _float(value) if kind is float else value


def _float(value: float | str | None) -> float:
    if value is None:
        return math.nan
    return INFINITE[value] if isinstance(value, str) else float(value)


def _tuple(kinds: tuple[Any, ...], value: list[Any]) -> tuple[Any, ...]:
    """Return a tuple of one kind and any length, or of as many as there are kinds."""
    if kinds[-1] is Ellipsis:
        if set(map(type, value)) == {kinds[0]}:
            return tuple(value)  # a million scores, and none to be changed
        kinds = kinds[:1] * len(value)
    return tuple(restore(kind, item) for kind, item in zip(kinds, value, strict=True))


def _dataclass(kind: Any, value: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return a dataclass of the fields that are there; those that came later have a default."""
    found = {
        name: restore(annotation, value[name])
        for name, annotation in _fields(kind)
        if name in value
    }
    return kind(**found)


@lru_cache(maxsize=64)
def _fields(kind: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
    hints = get_type_hints(kind)
    return [(each.name, hints[each.name]) for each in fields(kind)]
