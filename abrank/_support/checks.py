"""Argument checks that raise with the argument's name and the value given."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from numbers import Real

from abrank._support.errors import ArgumentError, UnknownNameError

# Shared out over the tests of a family, it still differs from 0 beside 1.
LEAST_LEVEL = 1e-9
MOST_RESAMPLES = 10_000_000  # which take minutes; a p-value of them has seven decimals


def one_of(argument: str, value: str, choices: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    known = list(choices)
    if not isinstance(value, str):
        raise ArgumentError(f"{argument} must be one of {', '.join(known)}, not {value!r}")
    if value not in known:
        error = UnknownNameError(argument, str(value), known)
        error.args = (f"{error}; choices: {', '.join(known)}",)
        raise error
    return value


def fraction(argument: str, value: float) -> float:
    """Return ``value`` if it lies strictly between 0 and 1."""
    if isinstance(value, str) or not 0.0 < value < 1.0:
        raise ArgumentError(f"{argument} must lie between 0 and 1, not {value!r}")
    return float(value)


def level(argument: str, value: float) -> float:
    """Return ``value`` if it is a level of significance that can be told from 0."""
    if fraction(argument, value) < LEAST_LEVEL:
        raise ArgumentError(f"{argument} must be at least {LEAST_LEVEL:g}, not {value!r}")
    return float(value)


def number(argument: str, value: object) -> None:
    """Refuse what is no number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ArgumentError(f"{argument} must be a number, not {value!r}")


def path(argument: str, value: object) -> str:
    """Return a path as text."""
    if not isinstance(value, (str, os.PathLike)):
        raise ArgumentError(f"{argument} must be a path, not {value!r}")
    return os.fspath(value)


def finite(argument: str, value: float) -> float:
    """Return ``value`` if it is a number that is not infinite."""
    number(argument, value)
    if not math.isfinite(value):
        raise ArgumentError(f"{argument} must be finite, not {value!r}")
    return float(value)


def not_negative(argument: str, value: float) -> float:
    """Return ``value`` if it is finite and at least 0."""
    if not finite(argument, value) >= 0.0:
        raise ArgumentError(f"{argument} must be 0 or more, not {value!r}")
    return float(value)


def positive(argument: str, value: float) -> float:
    """Return ``value`` if it is finite and above 0."""
    if not finite(argument, value) > 0.0:
        raise ArgumentError(f"{argument} must be above 0, not {value!r}")
    return float(value)


def count(argument: str, value: int, *, at_least: int = 1) -> int:
    """Return ``value`` if it is a whole number of at least ``at_least``."""
    whole = isinstance(value, Real) and not isinstance(value, bool) and int(value) == value
    if not whole or value < at_least:
        raise ArgumentError(
            f"{argument} must be a whole number of at least {at_least}, not {value!r}"
        )
    return int(value)


def resamples(value: int, *, at_least: int = 1, argument: str = "n_resamples") -> int:
    """Return ``value`` if it is a number of resamples that can be drawn."""
    if count(argument, value, at_least=at_least) > MOST_RESAMPLES:
        raise ArgumentError(f"{argument} must be at most {MOST_RESAMPLES:,}, not {value!r}")
    return int(value)
