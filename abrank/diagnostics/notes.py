"""A caution, and what the cautions ask of differences and of measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from abrank._support import lazy
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.rounding import signs_of
from abrank.measures import Measure, parse

# Of a score or difference as it is written or held against a bound: .1 + .2 is not .3 in floats.
DECIMALS = 10
# What clicks on interleaved lists are counted by, beside who wins the impression; and what votes
# are counted by: all but the first where all were cast in both orders.
CREDITS = ("credit share", "credits")
SHARES = ("preference", "mean of orders", "A shown first", "B shown first")


@dataclass(frozen=True)
class Note:
    """A caution: a stable code, the numbers behind it, and how severe it is (3 worst, 1 mild).

    Printed it is the sentence that reports have, of systems A and B.
    """

    code: str
    severity: int
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        said: str = lazy.attribute("abrank.report.sections.cautions", "sentence_of")(self)
        return said

    def __repr__(self) -> str:
        return f"<Note {self.code}: {self}>"


def outcomes(differences: FloatArray) -> IntArray:
    """Return +1 where B wins, -1 where A wins, 0 for a tie.

    A tie is a difference of less than 1e-10 of the largest one; what is left of scores that are
    equal is taken away before, by :func:`abrank.inference.rounding.differences_of`.

    Examples
    --------
    >>> outcomes(np.array([0.1 + 0.2 - 0.3, 0.5, -0.1]))
    array([ 0,  1, -1])
    """
    return signs_of(differences)


def higher_is_better(measure: str) -> bool:
    """Whether the higher score is the better one; so it is for names that no measure has.

    Examples
    --------
    >>> higher_is_better("AP"), higher_is_better("RBPResid")
    (True, False)
    """
    entry = _entry(measure)
    return entry is None or bool(entry.higher_is_better)


def bounds(measure: str) -> tuple[float, float]:
    """Return the least and the largest value of a measure, infinite where they are not known.

    Examples
    --------
    >>> bounds("AP"), bounds("clicks")
    ((0.0, 1.0), (-inf, inf))
    """
    if measure in (*SHARES, CREDITS[0]):
        return 0.0, 1.0
    entry = _entry(measure)
    low, high = (-np.inf, np.inf) if entry is None else entry.bounds
    return float(low), float(high)


def on_unit_scale(measure: str) -> bool:
    """Whether the measure is known to run from 0 to 1; of a user's own score nothing is known."""
    return bounds(measure) == (0.0, 1.0)


def is_known(measure: str) -> bool:
    """Whether this is the name of a measure, which declares its direction and range."""
    return _entry(measure) is not None


def lowest_relevant(measure: str) -> int:
    """Return the lowest grade that is relevant to a measure, 1 where it has no other."""
    found = _measure(measure)
    rel = dict(found.parameters).get("rel") if found is not None else None
    return rel if isinstance(rel, int) else 1


def _entry(measure: str) -> Any:  # noqa: ANN401
    found = _measure(measure)
    return None if found is None else found.entry


def _measure(name: str) -> Measure | None:
    try:
        return parse(name)
    except ArgumentError:
        return None
