"""The distribution of the sum of a random subset of whole numbers, by convolution."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray, IntArray

# Halving is put off so long and then done at once: a power of two costs no digit.
NUMBERS_BETWEEN_SCALINGS = 512


def subset_sum_distribution(numbers: IntArray, reach: int) -> FloatArray:
    """Return the probabilities of the sums 0, 1, ..., reach of a random subset.

    Each number is in the subset or not by a fair coin. Only numbers that are not negative are
    added, so every probability, however small, is right to ``numbers.size`` roundings [1]_. The
    cost is that of ``numbers.size * reach`` additions.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n,)
        Not negative.
    reach : int
        At least 0; sums above that of all numbers are left out.

    Returns
    -------
    ndarray of shape (min(reach, numbers.sum()) + 1,)

    References
    ----------
    .. [1] Pagano & Tritchler (1983), Journal of the American Statistical Association 78, 435-440.

    Examples
    --------
    >>> subset_sum_distribution(np.array([1, 1, 2]), 9) * 8
    array([1., 2., 2., 2., 1.])
    """
    mass = np.zeros(min(reach, int(numbers.sum())) + 1)
    mass[0] = 1.0
    # The sums without a number and with it are added from one array into the other.
    after, top = np.zeros_like(mass), 0
    for done, number in enumerate(np.sort(numbers).tolist(), start=1):
        top = min(top + number, mass.size - 1)
        if number <= top:
            after[:number] = mass[:number]
            np.add(mass[number : top + 1], mass[: top + 1 - number], out=after[number : top + 1])
            mass, after = after, mass
        if done % NUMBERS_BETWEEN_SCALINGS == 0:
            mass *= 2.0**-NUMBERS_BETWEEN_SCALINGS
    return np.ldexp(mass, -(numbers.size % NUMBERS_BETWEEN_SCALINGS))
