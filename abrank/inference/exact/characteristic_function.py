"""The characteristic function of a sum of randomly signed terms, and its cumulants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Polynomial

from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.exact.roots import find_root

# Products of cosines below it are nothing.
NOTHING = 1e-17
# So many terms are multiplied on the whole grid of frequencies before the dead ones are dropped.
TERMS_ON_THE_GRID = 96
CELLS_AT_ONCE = 1 << 20
# Coefficients of -log(cos x) in x**2, x**4, ...; up to the angle they are good to 1e-16.
LOG_COSINE = (1 / 2, 1 / 12, 1 / 45, 17 / 2520, 31 / 14175, 691 / 935550)
SMALL_ANGLE = 0.125
TILTED_ORDERS = 14


def characteristic_function(
    sizes: FloatArray, counts: IntArray, step: float, n_frequencies: int, *, tilt: float = 0.0
) -> npt.NDArray[Any]:
    """Return the characteristic function of the sum at the frequencies step, 2 step, ...

    It is the product of the terms' cosines, each at most 1 in size: where a product of some has
    come to nothing, the others need not be known.

    Parameters
    ----------
    sizes, counts
        As for :func:`abrank.inference.exact.fourier.tail_by_fourier`.
    tilt : float
        Of the signs, see :func:`abrank.inference.exact.fourier.tail_by_tilting`; the values are
        complex unless it is 0.

    Returns
    -------
    ndarray of shape (n_frequencies,)

    Examples
    --------
    >>> characteristic_function(np.array([1.0, 2.0]), np.ones(2, np.int64), 0.5, 2).round(4)
    array([ 0.4742, -0.2248])
    """
    # In an order that mixes the sizes: the largest turn the product soonest, but not everywhere.
    order = _mixed(sizes.size)
    sizes, counts, lean = sizes[order], counts[order], np.tanh(tilt * sizes[order])
    frequency = step * np.arange(1.0, n_frequencies + 1.0)
    law = _on_grid(sizes, counts, lean, step, n_frequencies)
    if sizes.size <= TERMS_ON_THE_GRID:
        return law
    todo = ~_dead(sizes, counts, lean, frequency)
    law[~todo] = 0.0
    small = todo & (frequency * sizes.max() <= SMALL_ANGLE)
    if tilt and small.any():
        law[small] = _of_small_tilted(sizes, counts, lean, frequency[small])
    elif not tilt:
        law[small] = _of_small_angles(sizes, counts, frequency[small])
    todo &= ~small
    done = TERMS_ON_THE_GRID
    while done < sizes.size:
        alive = np.flatnonzero(todo & (np.abs(law) > NOTHING))
        if not alive.size:
            break
        part = slice(done, done + max(1, CELLS_AT_ONCE // alive.size))
        angle = np.multiply.outer(sizes[part], frequency[alive])
        factor = np.cos(angle)
        if tilt:
            factor = factor + 1j * lean[part, None] * np.sin(angle)
        law[alive] *= np.prod(factor ** counts[part, None] if counts.max() > 1 else factor, axis=0)
        done = part.stop
    return law


def cumulant(sizes: FloatArray, counts: IntArray, tilt: float) -> float:
    """Return the logarithm of the mean of exp(tilt * sum), without overflow.

    Examples
    --------
    >>> round(cumulant(np.ones(2), np.ones(2, np.int64), 1.0) / math.log(math.cosh(1.0)), 9)
    2.0
    """
    tilted = tilt * sizes
    return float(counts @ (tilted + np.log1p(np.exp(-2.0 * tilted)) - math.log(2.0)))


def best_tilt(sizes: FloatArray, counts: IntArray, threshold: float) -> float:
    """Return the tilt that makes the threshold the mean of the sum (the saddlepoint).

    Parameters
    ----------
    sizes, counts, threshold
        As for :func:`abrank.inference.exact.fourier.tail_by_fourier`; the threshold lies between 0
        and the sum of all terms.

    Examples
    --------
    >>> round(math.tanh(best_tilt(np.ones(10), np.ones(10, np.int64), 5.0)), 3)
    0.5
    """

    def short(tilt: float) -> float:
        return float(counts @ (sizes * np.tanh(tilt * sizes))) - threshold

    high = threshold / float(counts @ sizes**2)
    while short(high) < 0.0:
        high *= 2.0
    return float(find_root(short, 0.0, high, rtol=1e-4))


def _mixed(n: int) -> IntArray:
    """Return the numbers below n, far ones after each other."""
    step = max(1, int(0.618 * n))
    while math.gcd(step, n) > 1:
        step += 1
    return np.arange(n) * step % n


def _of_small_angles(sizes: FloatArray, counts: IntArray, frequency: FloatArray) -> FloatArray:
    """Return the characteristic function by the series of log cos."""
    squares, power = sizes**2, counts.astype(np.float64)
    logarithm = np.zeros_like(frequency)
    for j, coefficient in enumerate(LOG_COSINE, start=1):
        power = power * squares
        logarithm -= coefficient * power.sum() * frequency ** (2 * j)
    return np.exp(logarithm)


def _of_small_tilted(
    sizes: FloatArray, counts: IntArray, lean: FloatArray, frequency: FloatArray
) -> npt.NDArray[Any]:
    """Return the same for leaning signs: the series of log cosh about the tilt, where tanh is lean.

    Its singularities are half a circle's arc, pi / 2, away or further: what is left out of each
    term's logarithm is below 1e-17.
    """
    derivative, slope = Polynomial([0.0, 1.0]), Polynomial([1.0, 0.0, -1.0])
    power, turned = counts.astype(np.float64), 1j * frequency
    logarithm = np.zeros(frequency.size, np.complex128)
    for order in range(1, TILTED_ORDERS + 1):
        power = power * sizes
        cumulants = float((power * derivative(lean)).sum())
        logarithm += cumulants / math.factorial(order) * turned**order
        derivative = derivative.deriv() * slope
    return np.exp(logarithm)


def _on_grid(
    sizes: FloatArray, counts: IntArray, lean: FloatArray, step: float, n_frequencies: int
) -> npt.NDArray[Any]:
    """Return the product of the first terms at all frequencies.

    The frequencies are laid out as a square, where the cosines of sums of two angles are a product
    of two thin matrices of tabled ones.
    """
    first = slice(TERMS_ON_THE_GRID)
    sizes, counts, lean = sizes[first], counts[first], lean[first]
    side = math.isqrt(n_frequencies) + 1
    places = np.arange(side) * step
    rows, columns = (np.multiply.outer(sizes, each) for each in (places * side, places))
    row_cos, row_sin, col_cos, col_sin = (
        np.cos(rows), np.sin(rows), np.cos(columns), np.sin(columns)
    )  # fmt: skip
    left, right = np.stack([row_cos, -row_sin], axis=2), np.stack([col_cos, col_sin], axis=1)
    turned = np.stack([row_sin, row_cos], axis=2)
    tilted = bool(lean.any())
    law = np.ones((side, side), np.complex128 if tilted else np.float64)
    factor = np.empty_like(law)
    for term, count in enumerate(counts.tolist()):
        np.matmul(left[term], right[term], out=factor.real)
        if tilted:
            np.matmul(lean[term] * turned[term], right[term], out=factor.imag)
        law *= _power(factor, count)
    return law.ravel()[1 : n_frequencies + 1]


def _power(base: npt.NDArray[Any], exponent: int) -> npt.NDArray[Any]:
    """Return base**exponent by squaring, several times faster than the power of floats."""
    result = base if exponent % 2 else np.ones_like(base)
    while exponent := exponent // 2:
        base = base * base
        if exponent % 2:
            result = result * base
    return result


def _dead(
    sizes: FloatArray, counts: IntArray, lean: FloatArray, frequency: FloatArray
) -> BoolArray:
    """Return where the product of all terms is nothing without looking at them.

    Up to a right angle, |cos x| <= exp(-x**2 / 2) and, with leaning signs, each factor is at most
    exp(-2 (1 - lean**2) (x / pi)**2) in size.
    """
    variance = float(counts @ (sizes**2 * (1.0 - lean**2)))
    slope = 2.0 / math.pi**2 if lean.any() else 0.5
    within = frequency * sizes.max() <= math.pi / 2.0
    nothing = slope * variance * frequency**2 > -math.log(NOTHING)
    return np.asarray(within & nothing)
