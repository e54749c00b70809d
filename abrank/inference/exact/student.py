"""Student's t and the noncentral t: quantiles to all digits, and the intervals they give."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from abrank._support.typing import FloatArray
from abrank.inference.exact.fourier import find_root

# --- Quantiles of Student's t to all digits, whichever scipy computes them


def student_quantile(freedom: Any, probability: Any) -> FloatArray:  # noqa: ANN401 - numbers or arrays
    """Return the quantile of Student's t.

    Below 1.17 scipy's ``stdtrit`` is off by up to 2.5e-11 of the quantile, while its distribution
    function is not; one Newton step removes that, and leaves a quantile alone that needs none. Its
    median is up to 1e-16 there; it is 0.
    """
    from scipy.special import gammaln, stdtr, stdtrit

    freedom, probability = (np.asarray(each, np.float64) for each in (freedom, probability))
    quantile = np.asarray(stdtrit(freedom, probability), dtype=np.float64)
    with np.errstate(all="ignore"):
        density = np.exp(
            gammaln((freedom + 1.0) / 2.0)
            - gammaln(freedom / 2.0)
            - 0.5 * np.log(freedom * np.pi)
            - (freedom + 1.0) / 2.0 * np.log1p(quantile**2 / freedom)
        )
        step = (stdtr(freedom, quantile) - probability) / density
        # Above rounding, and small: far out in the tail the density is no guide.
        needed = (np.abs(step) > 1e-14 * np.abs(quantile)) & (np.abs(step) < 1e-6)
        found = np.where(needed, quantile - step, quantile)
    # Older versions give NaN at the ends, and not quite 0 in the middle.
    known = [np.broadcast_to(probability == each, found.shape) for each in (0.0, 0.5, 1.0)]
    return np.select(known, [-np.inf, 0.0, np.inf], found)


# --- The noncentral t distribution, for any number of queries, and the interval it gives

# A standard normal lies within it but for 1e-18, and so does chi around sqrt(df).
REACH = 9.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(128)


def chance_above(t: npt.ArrayLike, freedom: npt.ArrayLike, center: npt.ArrayLike) -> FloatArray:
    """Return the chance that a noncentral t exceeds ``t``.

    T = (Z + c) / (chi / sqrt(df)) exceeds t > 0 where chi / sqrt(df) lies below (Z + c) / t. The
    integral of that chance over the normal Z is taken numerically, on the range where it is neither
    0 nor 1. It has 12 right decimals, for any c; scipy's ``nctdtr`` (1.17) has 8 from c = 5000 on,
    and above 50,000 gives NaN or does not end.

    Source: Johnson, Kotz & Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 31.
    """
    from scipy.special import gammainc, ndtr

    value, df, c = np.broadcast_arrays(
        *(np.asarray(one, dtype=np.float64) for one in (t, freedom, center))
    )
    mirrored = value < 0.0
    size, c = np.abs(value), np.where(mirrored, -c, c)
    spread = REACH / np.sqrt(df)
    low = np.maximum(size * np.maximum(1.0 - spread, 0.0) - c, -REACH)
    high = np.clip(size * (1.0 + spread) - c, low, np.maximum(low, REACH))
    half = (high - low)[..., None] / 2.0
    z = (low + high)[..., None] / 2.0 + half * NODES
    # At t = 0 the range is empty, and what is left is the chance of Z > -c.
    ratio = np.maximum(z + c[..., None], 0.0) / np.maximum(size, 1e-300)[..., None]
    freedom_half = df[..., None] / 2.0
    below = gammainc(freedom_half, freedom_half * np.minimum(ratio, 1e100) ** 2)
    density = np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)
    above = np.minimum(ndtr(-high) + (half * density * below) @ WEIGHTS, 1.0)
    return np.asarray(np.where(mirrored, 1.0 - above, above))


def noncentrality_interval(
    t: FloatArray, freedom: int, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the noncentralities that a two-sided test of the observed t does not reject."""
    low = _where_above(t, freedom, alpha / 2.0)
    return low, -_where_above(-t, freedom, alpha / 2.0)


def _where_above(t: FloatArray, freedom: int, tail: FloatArray) -> FloatArray:
    """Return the noncentrality with which t is exceeded with chance ``tail``."""
    from scipy.special import chdtri, ndtri

    # Z + c = t chi / sqrt(df), with Z and chi no further out than a tail of 1e-4 of what is asked.
    out = -ndtri(tail * 1e-4)
    chi = np.sqrt(chdtri(freedom, np.stack([tail * 1e-4, 1.0 - tail * 1e-4])) / freedom)
    reach = np.stack([t * chi[0], t * chi[1]])
    low, high = reach.min(axis=0) - out, reach.max(axis=0) + out
    return find_root(lambda center: chance_above(t, freedom, center) - tail, low, high)
