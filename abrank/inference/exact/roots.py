"""Roots of monotone functions between known limits, many at once.

scipy.optimize has the like, and takes longer to import than an everyday comparison to compute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from abrank._support.typing import FloatArray

MOST_STEPS = 1000
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)


def find_root(
    function: Callable[[Any], Any],
    low: FloatArray | float,
    high: FloatArray | float,
    *,
    xtol: float = 0.0,
    rtol: float = ROUNDING,
) -> FloatArray:
    """Return where a continuous function crosses 0, by Chandrupatla's method.

    Inverse quadratic interpolation where it can be trusted, else bisection: the root always stays
    between the two last points of different sign.

    Parameters
    ----------
    function : callable
        Of an array of the shape of ``low``, or of a number where ``low`` is one; any monotone
        function, or one with a single crossing between the limits.
    low, high : float or float64[...]
        Its values there differ in sign, or one of them is 0.
    xtol, rtol : float
        The root is within ``xtol + rtol * abs(root)``.

    Returns
    -------
    float64[...]
        NaN where the function is NaN.

    Raises
    ------
    ValueError
        If the function has one sign at both limits.
    ArithmeticError
        If no root is found in 1,000 steps, as where the function is not continuous nor monotone.

    References
    ----------
    .. [1] Chandrupatla (1997), A new hybrid quadratic/bisection algorithm for finding the zero of a
       nonlinear function without using derivatives, Advances in Engineering Software 28(3).

    Examples
    --------
    >>> find_root(lambda x: x**3 - np.array([8.0, 27.0]), np.zeros(2), np.full(2, 9.0)).round(12)
    array([2., 3.])
    """
    a, b = (np.asarray(each, np.float64) + 0.0 for each in (high, low))
    f_a, f_b = (np.asarray(function(each[()]), np.float64) for each in (a, b))
    if (f_a * f_b > 0.0).any():
        raise ValueError("the function has one sign at both limits")
    share = np.full(a.shape, 0.5)
    for _ in range(MOST_STEPS):
        x = a + share * (b - a)
        f_x = np.asarray(function(x[()]), np.float64)
        same = np.sign(f_x) == np.sign(f_a)
        c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
        b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
        a, f_a = x, f_x
        nearer = np.abs(f_a) < np.abs(f_b)
        best, f_best = np.where(nearer, a, b), np.where(nearer, f_a, f_b)
        width = np.abs(b - a)
        least = (xtol + rtol * np.abs(best)) / np.where(width > 0.0, width, np.inf) / 2.0
        least = np.minimum(least, 0.5)
        if ((least == 0.5) | (width == 0.0) | (f_best == 0.0) | np.isnan(f_best)).all():
            return best
        share = np.clip(_share(a, b, c, f_a, f_b, f_c), least, 1.0 - least)
    raise ArithmeticError(f"no root within {MOST_STEPS} steps")


def _share(
    a: FloatArray, b: FloatArray, c: FloatArray, f_a: FloatArray, f_b: FloatArray, f_c: FloatArray
) -> FloatArray:
    """Return how far from a to b the next point lies: interpolated, or half of the way."""
    with np.errstate(divide="ignore", invalid="ignore"):
        xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        trusted = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
        step = f_a / (f_b - f_a) * f_c / (f_b - f_c)
        step += (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    return np.where(trusted & np.isfinite(step), step, 0.5)
