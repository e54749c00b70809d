"""Sums of floats that do not depend on the order of adding: whole numbers of the least float.

Every float64 is a whole number of units of 2**-1074. Python's integers hold the sum of any number
of them exactly, so partial sums may be merged in any order, and the rounding happens once.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from abrank._support.typing import FloatArray

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
                total += _shifted(int(sums[i]), i + least - 53 + shift + _UNIT)
    return total


def exact_value(total: int) -> float:
    """Return a sum of :func:`exact_sum` as the nearest float."""
    return float(Fraction(total, 1 << _UNIT))


def _shifted(value: int, places: int) -> int:
    # A value below the unit is a subnormal's, whose lowest bits are 0.
    return value << places if places >= 0 else value >> -places
