"""Student's t, noncentral t, studentized range and Dunnett's largest t: tails and quantiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
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


# With more degrees of freedom than this the error counts as known.
LARGEST_FREEDOM = 1_000_000
# Nodes of the trapezoid rule to a standard deviation of the log of the estimated error, and nodes
# of that over the normal distribution. Halving either step moves no result by more than 3e-12 of
# itself.
NODES_A_DEVIATION = 4.0
NORMAL_STEP = 0.1
VALUES_AT_ONCE = 256
# So far from each other no two of any number of normal variables are, in doubles.
BEYOND = 80.0


def range_tail(q: FloatArray, n_means: int, freedom: float) -> FloatArray:
    """Return the chance that the studentised range of ``n_means`` means is at least ``q``.

    Correct in the far tail to nearly all digits, where 1 - cdf has none left, and of the cost of
    one value for thousands.

    ``P = int f(s) R(q s) ds`` with f the density of the root of chi-square over its degrees of
    freedom and R the tail of the range of normal variables, ``R(w) = k int phi(z) Phi(z)**j (1 - (1
    - Phi(z - w) / Phi(z))**j) dz``, j = k - 1, so that nothing small is had by subtraction. Both
    integrals by the trapezoid rule, that over log s on a lattice common to all q.

    Source: Hartley (1942), Biometrika 32, 334-348; Copenhaver & Holland (1988), Journal of
    Statistical Computation and Simulation 30, 1-15.
    """
    return _tail(lambda w: _range_of_normals(w, n_means), q, freedom)


@cache
def range_quantile(alpha: float, n_means: int, freedom: float) -> float:
    """Return the q that the studentised range of ``n_means`` means reaches with chance alpha."""
    return _quantile(lambda q: range_tail(q, n_means, freedom), alpha)


def many_one_tail(t: FloatArray, n_others: int, freedom: float) -> FloatArray:
    """Return the chance that the largest abs(t) of ``n_others`` means against one is at least t.

    Two-sided, as many queries for each: any two of the t are correlated by 1/2.

    Source: Dunnett (1955), Journal of the American Statistical Association 50, 1096-1121.
    """
    return _tail(lambda w: _many_normals_less_one(w, n_others), t * np.sqrt(2.0), freedom)


@cache
def many_one_quantile(alpha: float, n_others: int, freedom: float) -> float:
    """Return the t that the largest of ``n_others`` means against one reaches with chance alpha."""
    return _quantile(lambda t: many_one_tail(t, n_others, freedom), alpha)


def _tail(
    normal_tail: Callable[[FloatArray], FloatArray], q: FloatArray, freedom: float
) -> FloatArray:
    """Return the tail of a statistic over an estimated error, from its tail over a known one."""
    q = np.asarray(q, dtype=np.float64)
    if freedom > LARGEST_FREEDOM:
        return np.minimum(normal_tail(q), 1.0)
    found = np.ones_like(q)
    order = np.argsort(q)
    order = order[q[order] > 0.0]
    # Values of about one size share their nodes.
    for some in np.array_split(order, -(-len(order) // VALUES_AT_ONCE) or 1):
        if some.size:
            found[some] = _averaged(normal_tail, np.log(q[some]), freedom)
    return np.minimum(found, 1.0)


def _averaged(
    normal_tail: Callable[[FloatArray], FloatArray], log_q: FloatArray, freedom: float
) -> FloatArray:
    """Return the mean of the normal tail at q s over the estimated error s."""
    deviation = 1.0 / np.sqrt(2.0 * freedom)
    step = deviation / NODES_A_DEVIATION
    # The last term is how far the mass moves where only a small s reaches q.
    furthest = 0.5 * np.log1p(np.exp(2.0 * log_q[-1]) / freedom)
    below = 40.0 / freedom + 12.0 * deviation + furthest
    above = min(12.0 * deviation, 3.0)
    x = step * np.arange(np.floor((log_q[0] - below) / step), np.ceil((log_q[-1] + above) / step))
    # Nodes that are above for the largest q are far above for a small one.
    u = np.minimum(x - log_q[:, None], above + 1.0)
    whole = _density_of_log_error(np.arange(-below, above, step), freedom).sum()
    return np.asarray(_density_of_log_error(u, freedom) @ normal_tail(np.exp(x)) / whole)


def _density_of_log_error(u: FloatArray, freedom: float) -> FloatArray:
    """Return what is proportional to the density of log s; its constant would cost digits."""
    return np.asarray(np.exp(-freedom / 2.0 * (np.expm1(2.0 * u) - 2.0 * u)))


def _range_of_normals(w: FloatArray, n_means: int) -> FloatArray:
    """Return the chance that the range of normal variables is at least w."""
    from scipy.special import log_ndtr, ndtr

    w = w[:, None]
    # The mass lies about w / 2, and where the largest of the variables does.
    z = w / 2.0 + np.arange(-10.0, 10.0, NORMAL_STEP)
    below = np.exp(np.minimum(log_ndtr(z - w) - log_ndtr(z), -1e-16))
    power = n_means - 1
    other = ndtr(z) ** power * -np.expm1(power * np.log1p(-below))
    return np.asarray(n_means * (_density(z) * other).sum(axis=1) * NORMAL_STEP)


def _many_normals_less_one(w: FloatArray, n_others: int) -> FloatArray:
    """Return the chance that any of the normal variables is at least w away from one more."""
    from scipy.special import ndtr

    w = w[:, None]
    # The mass lies about 0 and about w / 2, the same on either side of 0.
    z = np.arange(0.0, 10.0 + min(w.max(), BEYOND) / 2.0, NORMAL_STEP)
    outside = np.minimum(ndtr(z - w) + ndtr(-z - w), 1.0 - 1e-16)
    mass = _density(z) * -np.expm1(n_others * np.log1p(-outside))
    mass[:, 0] /= 2.0
    return np.asarray(2.0 * mass.sum(axis=1) * NORMAL_STEP)


def _density(z: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi))


def _quantile(tail: Callable[[FloatArray], FloatArray], alpha: float) -> float:
    """Return where a falling tail meets alpha."""

    def above(log_q: float) -> float:
        return float(np.log(tail(np.array([np.exp(log_q)]))[0] / alpha))

    high = 1.0
    while above(high) > 0.0:
        high += 1.0
    return float(np.exp(find_root(above, -20.0, high, xtol=1e-13, rtol=1e-14)))
