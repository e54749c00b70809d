"""Exact sums of floats, and differences counted: merged in any order and by any parts, the same.

Up to ``MOST`` distinct differences are counted each by itself, rounded to 10 decimals as in memory,
so that nothing of P@k or RR@k is lost. More of them are counted in bins of a grid whose step is a
power of 2, the smallest for which the largest difference is within ``BINS`` steps. Which of the two
it is, and the step, follow from the differences alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from abrank._support.typing import BoolArray, FloatArray, IntArray

# --- Sums that do not depend on the order of adding: every float64 is a whole number of units of
# 2**-1074, and Python's integers hold the sum of any number of them exactly

_UNIT = 1074
_HALF = 26  # bits of the lower half of a 53-bit mantissa
_MOST = 1 << 26  # values whose halves, below 2**27 each, add up within 53 bits


def exact_sum(values: FloatArray) -> int:
    """Return the sum of finite values in units of 2**-1074."""
    total = 0
    for start in range(0, len(values), _MOST):
        mantissa, exponent = np.frexp(values[start : start + _MOST])
        whole = np.ldexp(mantissa, 53)
        high = np.floor(np.ldexp(whole, -_HALF))
        low = whole - np.ldexp(high, _HALF)
        least = int(exponent.min(initial=0))
        place = exponent - least
        # Both halves are whole numbers below 2**27: bincount adds so many of them exactly.
        for part, shift in ((high, _HALF), (low, 0)):
            sums = np.bincount(place, weights=part)
            for i in np.flatnonzero(sums).tolist():
                value, places = int(sums[i]), i + least - 53 + shift + _UNIT
                # A value below the unit is a subnormal's, whose lowest bits are 0.
                total += value << places if places >= 0 else value >> -places
    return total


def exact_value(total: int) -> float:
    """Return a sum of :func:`exact_sum` as the nearest float."""
    return float(Fraction(total, 1 << _UNIT))


# --- Differences of one measure, counted: of any part of the queries, merged in any order, the same


MOST = 4096  # distinct differences that are counted each by itself
BINS = 1 << 14  # of differences above 0, and of those below
DECIMALS = 10


@dataclass(frozen=True)
class Counted:
    """Distinct differences, or bins of them, and how many queries are in each.

    exponent : int, optional
        The step of the grid is 2 to this power; None where every difference is there by itself.
    items : tuple of (float or int, int)
        Difference, or signed number of the bin, from 1 and -1 outwards, and 0 for ties; and how
        many queries have it. Ascending.
    """

    exponent: int | None = None
    items: tuple[tuple[float, int], ...] = ()

    @property
    def step(self) -> float:
        """Width of a bin; 0 where every difference is there by itself."""
        return 0.0 if self.exponent is None else math.ldexp(1.0, self.exponent)

    def merged(self, other: Counted) -> Counted:
        """Return the counts of the queries of both."""
        both = [self, other]
        if self.exponent is None and other.exponent is None:
            return _fitted(_added(None, both))
        levels = [each._level() for each in both]
        exponent = max(level for level in levels if level is not None)
        return _added(exponent, [each._on(exponent) for each in both])

    def values(self) -> tuple[FloatArray, IntArray]:
        """Return distinct differences, a bin's by its middle, and how many queries have each."""
        places, counts = self._items()
        if self.exponent is not None:
            places = np.ldexp(places - 0.5 * np.sign(places), self.exponent)
        return places, counts

    def _items(self) -> tuple[FloatArray, IntArray]:
        places, counts = np.array(self.items, dtype=np.float64).reshape(-1, 2).T
        return places, counts.astype(np.int64)

    def _level(self) -> int | None:
        """Return the exponent of the grid that the largest difference asks for."""
        if self.exponent is not None:
            return self.exponent
        largest = max((abs(place) for place, _ in self.items), default=0.0)
        return _exponent_of(largest) if largest else None

    def _on(self, exponent: int) -> Counted:
        """Return the same queries in the bins of a coarser grid.

        Rounding up twice is rounding up once, so the way to a grid changes nothing.
        """
        places, counts = self._items()
        own = self.exponent or 0  # a single difference counts steps of 1
        outwards = np.ceil(np.ldexp(np.abs(places), own - exponent))
        return _counted(exponent, np.copysign(outwards, places), counts)


def count(differences: FloatArray, *, tied: BoolArray | None = None) -> Counted:
    """Count differences."""
    rounded = np.round(differences, DECIMALS)
    # What is smaller than the last decimal is kept as it is: of scores that are as small.
    rounded = np.where(rounded == 0.0, differences, rounded)
    if tied is not None:
        rounded = np.where(tied, 0.0, rounded)
    return _fitted(_counted(None, rounded, np.ones(len(rounded), np.int64)))


def _fitted(alone: Counted) -> Counted:
    """Return counts of single differences as they are, or in bins where they are too many."""
    if len(alone.items) <= MOST:
        return alone
    return alone._on(_exponent_of(max(abs(place) for place, _ in alone.items)))


def _exponent_of(largest: float) -> int:
    share, exponent = math.frexp(largest)
    return exponent - (share == 0.5) - BINS.bit_length() + 1


def _added(exponent: int | None, parts: Sequence[Counted]) -> Counted:
    """Return the queries of all parts, which are on one grid."""
    places, counts = zip(*(part._items() for part in parts), strict=True)
    return _counted(exponent, np.concatenate(places), np.concatenate(counts))


def _counted(exponent: int | None, places: FloatArray, counts: IntArray) -> Counted:
    """Return how many queries are in each place; a place may be there several times."""
    distinct, row = np.unique(places + 0.0, return_inverse=True)
    total = np.bincount(row, weights=counts, minlength=len(distinct)).astype(np.int64)
    kind = np.float64 if exponent is None else np.int64
    items = zip(distinct.astype(kind).tolist(), total.tolist(), strict=True)
    return Counted(exponent, tuple(items))
