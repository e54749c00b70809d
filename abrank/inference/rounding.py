"""Differences as whole numbers, so that ties are ties and sums are exact."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from abrank._support.typing import FloatArray, IntArray

DECIMALS = 10
# Sums, and twice a sum less another, stay below 2**63.
LARGEST_SUM = 18
LARGEST_DENOMINATOR = 5000


def round_off(differences: FloatArray) -> FloatArray:
    """Round to 10 decimals: .0712 - .0548 and .0164 become one value, noise of 1e-17 becomes 0.

    Examples
    --------
    >>> bool(round_off(np.array([0.0712 - 0.0548]))[0] == round_off(np.array([0.0164]))[0])
    True
    """
    # Adding 0.0 turns -0.0 into 0.0.
    return np.round(differences, DECIMALS) + 0.0


def to_lattice(differences: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return whole numbers and the unit of each column: differences = numbers * unit.

    The unit is 1e-10, or larger where the sum of a column would not fit in 64 bits. Each number is
    off by at most half a unit, so sums of n of them that should be equal differ by at most n units:
    that is the tolerance to compare them with.

    Parameters
    ----------
    differences : ndarray of shape (n_queries, n_comparisons)

    Returns
    -------
    numbers : int64 ndarray of shape (n_queries, n_comparisons)
    unit : ndarray of shape (n_comparisons,)

    Examples
    --------
    >>> to_lattice(np.array([[0.25], [-0.5]]))[0].ravel()
    array([ 2500000000, -5000000000])
    """
    total = np.abs(differences).sum(axis=0)
    decimals = np.floor(LARGEST_SUM - np.log10(np.maximum(total, 1.0)))
    scale = 10.0 ** np.minimum(decimals, DECIMALS)
    return np.rint(differences * scale).astype(np.int64), 1.0 / scale


def coarsest(numbers: IntArray, unit: float, *, n_terms: int | None = None) -> IntArray | None:
    """Return the numbers in the largest unit that fits them all, if that is a coarse one.

    Differences of few decimals or small fractions (1/2, 1/3, ... of reciprocal ranks) are multiples
    of one step, and so are their sums: with the step for a unit nothing about them is approximate.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n,)
        The distinct ones of those that :func:`to_lattice` gives; not all 0.
    unit : float
        Theirs.
    n_terms : int, optional
        How many are to be added, each number once if not told: a step within the rounding of their
        sum is none.

    Returns
    -------
    int64 ndarray of shape (n,) or None
        None where a step could not be told from chance or rounding.

    Examples
    --------
    >>> coarsest(to_lattice(np.array([[0.5], [-1 / 3], [0.25]]))[0].ravel(), 1e-10)
    array([ 6, -4,  3])
    """
    step = int(np.gcd.reduce(numbers))
    if step > 2 * (n_terms or numbers.size):
        return np.asarray(numbers // step)
    parts, largest = 1, float(np.abs(numbers).max()) * unit
    for size in numbers.tolist():
        fraction = Fraction(size * unit).limit_denominator(LARGEST_DENOMINATOR)
        if abs(float(fraction) - size * unit) > 0.6 * unit:
            return None
        parts = math.lcm(parts, fraction.denominator)
        if parts * largest > LARGEST_DENOMINATOR**2:
            return None
    return np.asarray(np.rint(numbers * (unit * parts)), np.int64)


def snap(sums: IntArray, tolerance: int) -> IntArray:
    """Return the sums with those that differ from 0 by rounding only set to 0.

    Examples
    --------
    >>> snap(np.array([-3, 2, 40]), tolerance=3)
    array([ 0,  0, 40])
    """
    return np.where(np.abs(sums) <= tolerance, 0, sums)
