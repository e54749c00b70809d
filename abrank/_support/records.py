"""Results that are compared by value: NaN equals NaN, and an array another of the same values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make a frozen dataclass whose copies equal it, whatever numbers it holds.

    A dataclass alone is unequal to its copy where a number is NaN, as of what was not asked for
    (on Python 3.13 even to itself), and raises an error where it holds arrays.
    """
    made: Any = dataclass(frozen=True, eq=False)(cls)
    made.__eq__, made.__hash__ = _equal, _hash
    return cls


def _equal(self: Any, other: object) -> Any:  # noqa: ANN401 - any record; or NotImplemented
    if other.__class__ is not self.__class__:
        return NotImplemented
    return all(same(*pair) for pair in zip(_values(self), _values(other), strict=True))


def _hash(self: Any) -> int:  # noqa: ANN401 - any record
    return hash(tuple(map(_without_nan, _values(self))))


def _without_nan(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    """Return what a value's hash is taken of: each NaN has its own, and equal records one."""
    if isinstance(value, tuple):
        return tuple(map(_without_nan, value))
    return None if isinstance(value, float) and math.isnan(value) else value


def _values(self: Any) -> list[Any]:  # noqa: ANN401 - any record
    return [getattr(self, each.name) for each in fields(self) if each.compare]


def same(a: Any, b: Any) -> bool:  # noqa: ANN401 - whatever a field holds
    """Say whether two values are equal, NaN to NaN, in arrays, mappings and sequences too."""
    if hasattr(a, "dtype") or hasattr(b, "dtype"):
        import numpy as np

        a, b = np.asarray(a), np.asarray(b)
        numbers = a.dtype.kind in "fc" and b.dtype.kind in "fc"
        return bool(np.array_equal(a, b, equal_nan=numbers))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list) and type(a) is type(b):
        return len(a) == len(b) and all(same(*pair) for pair in zip(a, b, strict=True))
    return bool(a == b)
