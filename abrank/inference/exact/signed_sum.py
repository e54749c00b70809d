"""The tail of a sum under random signs, by the exact method that is quickest."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.exact.characteristic_function import TERMS_ON_THE_GRID, best_tilt
from abrank.inference.exact.convolution import subset_sum_distribution
from abrank.inference.exact.fourier import (
    REACH,
    WRAPPED,
    Bracket,
    lattice_frequencies,
    tail_by_fourier,
    tail_by_tilting,
    tail_on_lattice,
)
from abrank.inference.exact.meet_in_middle import n_meet_in_middle_sums, tail_by_meet_in_middle

# How far apart the bounds of a p-value may be: of it, or in all.
RELATIVE_WIDTH = 1e-3
ABSOLUTE_WIDTH = 1e-6
# What takes about 50 ms: additions of a convolution, cells of a characteristic function.
ADDITIONS = 50_000_000
CELLS = 10_000_000
SUMS_OF_A_HALF = 1 << 16
QUICKER = 20
FEWEST_FREQUENCIES, MOST_FREQUENCIES = 256, 1 << 17
# Below it, rounding errors of a Fourier sum would be seen.
SMALL = 1e-6


def lattice_tail(
    numbers: IntArray, counts: IntArray, threshold: int, *, strict: bool = False
) -> Bracket:
    """Return P(sum of randomly signed whole numbers >= threshold), or > threshold.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n_numbers,)
        Above 0.
    counts : int64 ndarray of shape (n_numbers,)
        How often each is a term.
    threshold : int
        The sum under some signs; at least 0.
    strict : bool
        The sums that equal the threshold do not count.

    Returns
    -------
    Bracket
        The bounds are one where the convolution is short enough: right to 13 digits however small.

    Examples
    --------
    >>> once = np.ones(3, np.int64)
    >>> lattice_tail(np.array([1, 2, 4]), once, 3)
    Bracket(low=0.375, value=0.375, high=0.375)
    >>> lattice_tail(np.array([1, 2, 4]), once, 3, strict=True).value
    0.25
    """
    # The parity of the sum does not depend on the signs: the next sum is two further.
    threshold += 2 * strict
    lost = (int(counts @ numbers) - threshold) // 2
    if lost < 0:
        return Bracket(0.0, 0.0, 0.0)
    if int(counts.sum()) * (lost + 1) <= ADDITIONS:
        # The numbers with a minus add up to no more than may be lost.
        chance = float(subset_sum_distribution(np.repeat(numbers, counts), lost).sum())
        return Bracket(chance, chance, chance)
    sizes = numbers.astype(np.float64)
    cells = lattice_frequencies(numbers, counts, threshold) * min(sizes.size, TERMS_ON_THE_GRID)
    if cells <= CELLS and _normal_tail(sizes, counts, threshold) > SMALL:
        return tail_on_lattice(numbers, counts, threshold)
    # Between two sums, no sum is near.
    return upper_tail(sizes, counts, max(threshold - 1.0, 0.0), slack=0.0)


def upper_tail(
    sizes: FloatArray,
    counts: IntArray,
    threshold: float,
    *,
    slack: float,
    strict: bool = False,
    quick: bool = False,
) -> Bracket:
    """Return bounds of P(sum of randomly signed terms >= threshold), or > threshold.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Above 0.
    counts : int64 ndarray of shape (n_sizes,)
        How many terms have each size.
    threshold : float
        At least 0.
    slack : float
        Sums that differ from the threshold by no more than this equal it.
    strict : bool
        The sums that equal the threshold do not count.
    quick : bool
        Take a twentieth of the time at most, for wider bounds.

    Examples
    --------
    >>> upper_tail(np.array([0.1, 0.2]), np.array([1, 1]), 0.3, slack=1e-9)
    Bracket(low=0.25, value=0.25, high=0.25)
    """
    edge = threshold + slack if strict else threshold - slack
    n_terms, total = int(counts.sum()), float(counts @ sizes)
    if edge > total:
        return Bracket(0.0, 0.0, 0.0)
    least = math.ldexp(1.0, -n_terms)
    if edge + 2.0 * float(sizes.min()) > total + slack:
        # Only the sum of all terms reaches it.
        return Bracket(least, least, least)
    if n_meet_in_middle_sums(counts) <= SUMS_OF_A_HALF / (QUICKER if quick else 1):
        chance = tail_by_meet_in_middle(sizes, counts, edge)
        return Bracket(chance, chance, chance)
    found = _bounds(sizes, counts, max(edge, 0.0), quick)
    return Bracket(max(found.low, least), max(found.value, least), max(found.high, least))


def _bounds(sizes: FloatArray, counts: IntArray, threshold: float, quick: bool) -> Bracket:
    """Return bounds by Fourier, tilted where the probability is small."""
    cells = CELLS / min(sizes.size, TERMS_ON_THE_GRID) / (QUICKER if quick else 1)
    chance = _normal_tail(sizes, counts, threshold)
    if chance >= SMALL:
        deviation = math.sqrt(float(counts @ sizes**2))
        density = math.exp(-0.5 * (threshold / deviation) ** 2) / deviation / math.sqrt(math.tau)
        # The bounds are apart by about turn / n_frequencies of the probability.
        turn = (threshold + REACH * deviation) * density / chance
        width = max(RELATIVE_WIDTH, ABSOLUTE_WIDTH / 2.0 / chance)
        how = partial(tail_by_fourier, sizes, counts, threshold)
        found = _narrow(how, turn / width, cells, quick, enough=ABSOLUTE_WIDTH / 2.0)
        if found.high >= SMALL:
            return found
    tilt = best_tilt(sizes, counts, threshold)
    turn = 2.0 * (WRAPPED + tilt * threshold)
    tilted = partial(tail_by_tilting, sizes, counts, threshold, tilt=tilt)
    # Complex numbers take their time.
    return _narrow(tilted, turn / RELATIVE_WIDTH, cells / 4.0, quick, enough=sys.float_info.min)


def _narrow(
    how: Callable[..., Bracket], wanted: float, cells: float, quick: bool, *, enough: float
) -> Bracket:
    """Take as many frequencies as it needs, or as many as the time allows."""
    most = int(min(MOST_FREQUENCIES, cells))
    wanted *= 0.2 if quick else 1.3
    while True:
        n_frequencies = int(min(max(wanted, FEWEST_FREQUENCIES), most))
        found = how(n_frequencies=n_frequencies)
        excess = (found.high - found.low) / max(RELATIVE_WIDTH * found.value, enough)
        if quick or excess <= 1.0 or n_frequencies == most:
            return found
        wanted = n_frequencies * min(1.2 * excess, 100.0)


def _normal_tail(sizes: FloatArray, counts: IntArray, threshold: float) -> float:
    """Return the normal approximation of the tail, to choose the way by."""
    variance = float(counts @ sizes**2)
    return 0.5 * math.erfc(threshold / math.sqrt(2.0 * variance))
