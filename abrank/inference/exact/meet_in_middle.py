"""Sums of randomly signed terms by meeting in the middle: exact for few terms or few sizes."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.typing import FloatArray, IntArray

# Above so many distinct sizes enumeration is infeasible; skip the estimate.
MANY_SIZES = 100


def n_meet_in_middle_sums(counts: IntArray) -> int:
    """Return how many sums the larger half has to list; 2**50 for more than 100 sizes.

    Examples
    --------
    >>> n_meet_in_middle_sums(np.ones(20, np.int64)), n_meet_in_middle_sums(np.array([1000, 50]))
    (1024, 1001)
    """
    if counts.size > MANY_SIZES:
        return 1 << MANY_SIZES // 2
    logarithms = [float(np.log1p(counts[half]).sum()) for half in _halves(counts)]
    return round(math.exp(min(max(logarithms), 60.0)))


def tail_by_meet_in_middle(sizes: FloatArray, counts: IntArray, threshold: float) -> float:
    """Return P(sum of randomly signed terms >= threshold), exact but for float rounding.

    The terms are split in two; each half lists its sums, and every sum of the one is looked up
    among those of the other [1]_. Terms of one size count as one: their sum is binomial.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Above 0.
    counts : int64 ndarray of shape (n_sizes,)
        How many terms have each size.
    threshold : float
        Below the sums that are to count, by more than rounding.

    References
    ----------
    .. [1] Horowitz & Sahni (1974), Journal of the ACM 21, 277-292.

    Examples
    --------
    >>> tail_by_meet_in_middle(np.array([1.0, 2.0, 4.0]), np.ones(3, np.int64), 2.5) * 8
    3.0
    """
    (sums, chances), (others, their_chances) = (
        _signed_sums(sizes[half], counts[half]) for half in _halves(counts)
    )
    order = np.argsort(others)
    # Summed from the far end: the small ones first. One more for "none reaches it".
    above = np.append(np.cumsum(their_chances[order][::-1])[::-1], 0.0)
    first = np.searchsorted(others[order], threshold - np.sort(sums), side="left")
    return float(np.dot(chances[np.argsort(sums)], above[first]))


def _halves(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the places of either half, so that both have about as many sums."""
    order = np.argsort(-counts, kind="stable")
    halves: tuple[list[int], list[int]] = ([], [])
    weights = [0.0, 0.0]
    for place, weight in zip(order.tolist(), np.log1p(counts[order]).tolist(), strict=True):
        lighter = int(weights[1] < weights[0])
        halves[lighter].append(place)
        weights[lighter] += weight
    return np.array(halves[0], np.int64), np.array(halves[1], np.int64)


def _signed_sums(sizes: FloatArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return all sums of the terms under all signs, and their probabilities."""
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        steps = np.arange(-count, count + 1, 2)
        coins = [math.comb(count, heads) / 2**count for heads in range(count + 1)]
        sums = np.add.outer(sums, size * steps).ravel()
        chances = np.multiply.outer(chances, coins).ravel()
    return sums, chances
