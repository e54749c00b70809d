"""Sums of randomly signed terms by their characteristic function, between proven bounds.

The indicator of "beyond the threshold" lies between two trigonometric polynomials [1]_, whose
expectations need the characteristic function at finitely many frequencies and nothing else: no
rounding of the terms, no truncation, and a cost that hardly grows with their number.

References
----------
.. [1] Vaaler (1985), Bulletin of the American Mathematical Society 12, 183-216, theorem 18 (the
   polynomials of the sawtooth); Prawitz (1972), Scandinavian Actuarial Journal, 138-154 (the same
   use for distribution functions).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.exact.characteristic_function import characteristic_function, cumulant

# A sum lies further out than so many standard deviations with probability < 1e-14 (Hoeffding).
REACH = 8.2
# The chance that is left out by wrapping the line round a circle, on a logarithmic scale.
WRAPPED = 37.0


class Bracket(NamedTuple):
    """A probability and the bounds between which it lies."""

    low: float
    value: float
    high: float


def tail_by_fourier(
    sizes: FloatArray, counts: IntArray, threshold: float, *, n_frequencies: int
) -> Bracket:
    """Return bounds of P(sum of randomly signed terms >= threshold).

    Absolute rounding errors are about 1e-14; :func:`tail_by_tilting` is for smaller probabilities.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Above 0.
    counts : int64 ndarray of shape (n_sizes,)
        How many terms have each size.
    threshold : float
        At least 0.
    n_frequencies : int
        The bounds are apart by about (threshold + 8 standard deviations) / ``n_frequencies`` times
        the density at the threshold.

    Examples
    --------
    >>> sizes, once = np.sqrt(np.arange(1.0, 41.0)), np.ones(40, np.int64)
    >>> bounds = tail_by_fourier(sizes, once, 50.0, n_frequencies=2**14)
    >>> [round(bound, 5) for bound in bounds]
    [0.04036, 0.04038, 0.0404]
    """
    variance, total = float(counts @ sizes**2), float(counts @ sizes)
    period = threshold + min(REACH * math.sqrt(variance), total * (1.0 + 1e-9))
    return _tail_on_circle(sizes, counts, threshold, period, n_frequencies)


def tail_on_lattice(numbers: IntArray, counts: IntArray, threshold: int) -> Bracket:
    """Return P(sum of randomly signed whole numbers >= threshold), to about 1e-14 in all.

    Sums differ by even numbers, so with one frequency for each of the sums within reach the upper
    polynomial takes the values 0 and 1 at all of them: it is the indicator.

    Parameters
    ----------
    numbers, counts : int64 ndarray of shape (n_numbers,)
        Above 0.
    threshold : int
        One of the sums; at least 0.

    Examples
    --------
    >>> bounds = tail_on_lattice(np.array([1, 2]), np.array([4, 1]), 4)
    >>> round(bounds.value * 32, 9), bounds.high - bounds.low < 1e-13
    (5.0, True)
    """
    n_frequencies = lattice_frequencies(numbers, counts, threshold)
    sizes, period = numbers.astype(np.float64), 2.0 * (n_frequencies + 1)
    bounds = _tail_on_circle(sizes, counts, float(threshold), period, n_frequencies)
    unsure = _rounding(counts) + _outside(sizes, counts, period - threshold)
    return _not_negative(bounds.high - 2.0 * unsure, bounds.high - unsure, bounds.high)


def lattice_frequencies(numbers: IntArray, counts: IntArray, threshold: int) -> int:
    """Return how many frequencies :func:`tail_on_lattice` takes.

    Examples
    --------
    >>> lattice_frequencies(np.array([1, 2]), np.array([4, 1]), 4)
    5
    """
    deviation = math.sqrt(float(counts @ numbers.astype(np.float64) ** 2))
    beyond = min(REACH * deviation, float(counts @ numbers))
    # A whole number of sums fits on the circle, whose other side is beyond reach.
    return math.floor((threshold + beyond) / 2.0)


def tail_by_tilting(
    sizes: FloatArray, counts: IntArray, threshold: float, *, tilt: float, n_frequencies: int
) -> Bracket:
    """Return bounds of a small P(sum of randomly signed terms >= threshold), relative to itself.

    The signs are made to prefer plus (exp(tilt * size) to one) so that the threshold is an ordinary
    value of the sum, and each sum is weighed by exp(-tilt * sum): what is left to find is of
    ordinary size [1]_.

    Parameters
    ----------
    sizes, counts, threshold, n_frequencies
        As for :func:`tail_by_fourier`; the threshold is above 0.
    tilt : float
        Above 0; best as :func:`abrank.inference.exact.characteristic_function.best_tilt` has it.

    References
    ----------
    .. [1] Robinson (1982), Journal of the Royal Statistical Society B 44, 91-101; Graham & Vaaler
       (1981), Transactions of the American Mathematical Society 265, 283-302.

    Examples
    --------
    >>> sizes, counts = np.ones(1), np.array([200])
    >>> bounds = tail_by_tilting(sizes, counts, 119.0, tilt=0.7, n_frequencies=2**16)
    >>> from scipy.stats import binom
    >>> bounds.low < binom.sf(159, 200, 0.5) < bounds.high < 1.002 * bounds.low
    True
    """
    once, twice = (cumulant(sizes, counts, times * tilt) for times in (1.0, 2.0))
    lifted = twice - 2.0 * tilt * threshold
    scale = once - tilt * threshold
    period = (WRAPPED + max(-scale, lifted - scale)) / tilt
    turn = tilt * period
    wrapped = (math.exp(-turn) + math.exp(lifted - turn)) / -math.expm1(-turn)
    frequency, share = _frequencies(period, n_frequencies)
    law = characteristic_function(sizes, counts, 2.0 * math.pi / period, n_frequencies, tilt=tilt)
    law = law * np.exp(-1j * frequency * threshold)
    damping = 1.0 / (tilt + 1j * frequency)
    width = n_frequencies + 1.0
    value = 1.0 / turn - (_edges(share) * (1j * frequency * damping * law).imag).sum() / width
    spread = (1.0 + ((1.0 - share) * (law * (1.0 + tilt * damping)).real).sum()) / width
    spread += _rounding(counts) * (1.0 + 1.0 / turn)
    chance = math.exp(scale)
    low, high = chance * (value - spread) - wrapped, chance * (value + spread)
    return _not_negative(low, chance * value, high)


def _tail_on_circle(
    sizes: FloatArray, counts: IntArray, threshold: float, period: float, n_frequencies: int
) -> Bracket:
    """Return bounds of the one-sided tail, as half of that of the arc [threshold, its mirror]."""
    frequency, share = _frequencies(period, n_frequencies)
    law = characteristic_function(sizes, counts, 2.0 * math.pi / period, n_frequencies)
    width = n_frequencies + 1.0
    arc = 0.5 - threshold / period
    # Summed, not multiplied as vectors: the threads of that cost more than they save.
    value: float = arc + (_edges(share) * law * np.sin(frequency * threshold)).sum() / width
    spread: float = (0.5 + ((1.0 - share) * law * np.cos(frequency * threshold)).sum()) / width
    spread += _rounding(counts)
    outside = _outside(sizes, counts, period - threshold)
    return _not_negative(value - spread, value, value + spread + outside)


def _frequencies(period: float, n_frequencies: int) -> tuple[FloatArray, FloatArray]:
    """Return the frequencies of a circle, and their share of the band."""
    k = np.arange(1.0, n_frequencies + 1.0)
    return k * (2.0 * math.pi / period), k / (n_frequencies + 1.0)


def _edges(share: FloatArray) -> FloatArray:
    """Return the coefficients of the polynomial nearest to the sawtooth (Vaaler, theorem 18)."""
    return -(1.0 - share) / np.tan(math.pi * share) - 1.0 / math.pi


def _not_negative(*numbers: float) -> Bracket:
    return Bracket(*(max(0.0, float(number)) for number in numbers))


def _outside(sizes: FloatArray, counts: IntArray, reach: float) -> float:
    """Return a bound of P(sum >= reach) (Hoeffding 1963, theorem 2)."""
    if reach > counts @ sizes:
        return 0.0
    return math.exp(-(reach**2) / (2.0 * float(counts @ sizes**2)))


def _rounding(counts: IntArray) -> float:
    """Return what rounding may add up to: an ulp a factor, and those of the sum."""
    return 1e-14 + 2.0**-53 * float(counts.sum())
