"""Fourier inversion, roots of monotone functions, Student's t and related distributions."""

# The indicator of "beyond the threshold" lies between two trigonometric polynomials. This gives
# proven bounds for the tail of a sum of randomly signed terms from the characteristic function at
# finitely many frequencies. Terms are not rounded, nothing is truncated, and the cost hardly
# depends on the number of terms. No library provides this.
# Source: Vaaler (1985), Bulletin of the American Mathematical Society 12, 183-216, theorem 18 (the
# polynomials for the sawtooth); Prawitz (1972), Scandinavian Actuarial Journal, 138-154 (their use
# for distribution functions).

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support.typing import FloatArray, IntArray

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
    """Return where a continuous function crosses 0, by Chandrupatla's method."""
    # ``scipy.optimize.elementwise.find_root`` uses the same method, but every comparison needs a
    # root, and importing scipy.optimize takes a third of the time of a comparison. The method is
    # inverse quadratic interpolation where that is reliable, else bisection.
    # Source: Chandrupatla (1997), Advances in Engineering Software 28(3), 145-149.
    a, b = (np.asarray(item, np.float64) + 0.0 for item in (high, low))
    f_a, f_b = (np.asarray(function(item[()]), np.float64) for item in (a, b))
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
        minimum = (xtol + rtol * np.abs(best)) / np.where(width > 0.0, width, np.inf) / 2.0
        minimum = np.minimum(minimum, 0.5)
        if ((minimum == 0.5) | (width == 0.0) | (f_best == 0.0) | np.isnan(f_best)).all():
            return best
        with np.errstate(divide="ignore", invalid="ignore"):
            xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
            trusted = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            step = f_a / (f_b - f_a) * f_c / (f_b - f_c)
            step += (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        share = np.where(trusted & np.isfinite(step), step, 0.5)
        share = np.clip(share, minimum, 1.0 - minimum)
    raise ArithmeticError(f"no root within {MOST_STEPS} steps")


# --- The characteristic function of a sum of randomly signed terms, and its cumulants

# Products of cosines below this count as 0.
NOTHING = 1e-17
# Number of terms multiplied at all frequencies before frequencies with product 0 are dropped.
TERMS_ON_THE_GRID = 96
CELLS_AT_ONCE = 1 << 20


def weighted_sum(counts: IntArray, *factors: FloatArray) -> float:
    """Return the sum of the products of the factors, weighted by counts."""
    # einsum, because vector products start two threads and take six times as long.
    return float(np.einsum(",".join("i" * (1 + len(factors))) + "->", counts, *factors))


def characteristic_function(
    sizes: FloatArray, counts: IntArray, step: float, n_frequencies: int, *, tilt: float = 0.0
) -> npt.NDArray[Any]:
    """Return the characteristic function of the sum at the frequencies step, 2 step, ..."""
    # It is the product of the terms' cosines, each at most 1 in size. Where a partial product is
    # practically 0, the other factors are not needed.
    frequency = step * np.arange(1.0, n_frequencies + 1.0)
    law = np.zeros(n_frequencies, np.complex128 if tilt else np.float64)
    todo = np.ones(n_frequencies, np.bool_)
    if sizes.size > TERMS_ON_THE_GRID:
        # Up to a right angle |cos x| <= exp(-x**2 / 2), and with tilted signs each factor is at
        # most exp(-2 (1 - lean**2) (x / pi)**2) in size. Where the product of these bounds is 0, no
        # factor is computed.
        variance, slope = weighted_sum(counts, sizes, sizes), 0.5
        if tilt:
            slope = 2.0 / math.pi**2
            variance -= weighted_sum(counts, (sizes * np.tanh(tilt * sizes)) ** 2)
        within = frequency * float(sizes.max()) <= math.pi / 2.0
        todo = ~(within & (slope * variance * frequency**2 > -math.log(NOTHING)))
    # Multiply in an order that mixes sizes: large terms reduce the product soonest, but not
    # everywhere.
    stride = max(1, int(0.618 * sizes.size))
    while math.gcd(stride, sizes.size) > 1:
        stride += 1

    def terms(start: int, number: int) -> tuple[FloatArray, IntArray, FloatArray]:
        places = np.arange(start, min(start + number, sizes.size)) * stride % sizes.size
        return sizes[places], counts[places], np.tanh(tilt * sizes[places])

    law[todo] = _on_grid(*terms(0, TERMS_ON_THE_GRID), step, n_frequencies)[todo]
    done = TERMS_ON_THE_GRID
    while done < sizes.size:
        alive = np.flatnonzero(todo & (np.abs(law) > NOTHING))
        if not alive.size:
            break
        number = max(1, CELLS_AT_ONCE // alive.size)
        size, count, lean = terms(done, number)
        angle = np.multiply.outer(size, frequency[alive])
        factor = np.cos(angle)
        if tilt:
            factor = factor + 1j * lean[:, None] * np.sin(angle)
        law[alive] *= np.prod(factor ** count[:, None] if count.max() > 1 else factor, axis=0)
        done += number
    return law


def cumulant(sizes: FloatArray, counts: IntArray, tilt: float) -> float:
    """Return the log of the mean of exp(tilt * sum): the sum of log cosh(tilt * size)."""
    tilted = tilt * sizes
    # A form without cancellation and without overflow.
    small = -0.5 * np.log1p(-(np.tanh(np.minimum(tilted, 1.0)) ** 2))
    large = tilted + np.log1p(np.exp(-2.0 * tilted)) - math.log(2.0)
    return weighted_sum(counts, np.where(tilted < 1.0, small, large))


def best_tilt(sizes: FloatArray, counts: IntArray, threshold: float) -> float:
    """Return the tilt with which the threshold is the mean of the sum (the saddlepoint)."""

    def short(tilt: float) -> float:
        return weighted_sum(counts, sizes, np.tanh(tilt * sizes)) - threshold

    # Starting value from tanh x = x; with many terms the tilt is hardly larger.
    start = threshold / weighted_sum(counts, sizes, sizes)
    low, high = 0.99 * start, 1.01 * start
    while short(high) < 0.0:
        low, high = high, 2.0 * high
    return float(find_root(short, low, high, rtol=1e-4))


def _on_grid(
    sizes: FloatArray, counts: IntArray, lean: FloatArray, step: float, n_frequencies: int
) -> npt.NDArray[Any]:
    # The frequencies form a square grid, where cosines of sums of two angles are a product of two
    # thin matrices of tabulated values.
    side = math.isqrt(n_frequencies) + 1
    places = np.arange(side) * step
    rows, columns = (np.multiply.outer(sizes, item) for item in (places * side, places))
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
    """Return base**exponent by squaring, several times faster than the power function."""
    result = base if exponent % 2 else np.ones_like(base)
    while exponent := exponent // 2:
        base = base * base
        if exponent % 2:
            result = result * base
    return result


# --- Sums of randomly signed terms by their characteristic function, with proven bounds

# The probability beyond this number of standard deviations is below 1e-14 (Hoeffding).
REACH = 8.2
# Log probability that may be lost by wrapping the line onto a circle.
WRAPPED = 37.0


class Bracket(NamedTuple):
    """A probability with lower and upper bound."""

    low: float
    value: float
    high: float


def tail_by_fourier(
    sizes: FloatArray, counts: IntArray, threshold: float, *, n_frequencies: int
) -> Bracket:
    """Return bounds of P(sum of randomly signed terms >= threshold)."""
    # Absolute rounding errors are about 1e-14; use `tail_by_tilting` for smaller probabilities.
    variance, total = weighted_sum(counts, sizes, sizes), weighted_sum(counts, sizes)
    period = threshold + min(REACH * math.sqrt(variance), total * (1.0 + 1e-9))
    return _tail_on_circle(sizes, counts, threshold, period, n_frequencies)


def tail_on_lattice(numbers: IntArray, counts: IntArray, threshold: int) -> Bracket:
    """Return P(sum of randomly signed whole numbers >= threshold), to about 1e-14 in all."""
    # Sums differ by even numbers. With one frequency per sum within reach, the upper polynomial is
    # 0 or 1 at all of them, so it equals the indicator.
    n_frequencies = lattice_frequencies(numbers, counts, threshold)
    sizes, period = numbers.astype(np.float64), 2.0 * (n_frequencies + 1)
    bounds = _tail_on_circle(sizes, counts, float(threshold), period, n_frequencies)
    unsure = _rounding(counts) + _outside(sizes, counts, period - threshold)
    return _not_negative(bounds.high - 2.0 * unsure, bounds.high - unsure, bounds.high)


def lattice_frequencies(numbers: IntArray, counts: IntArray, threshold: int) -> int:
    """Return the number of frequencies that :func:`tail_on_lattice` uses."""
    sizes = numbers.astype(np.float64)
    deviation = math.sqrt(weighted_sum(counts, sizes, sizes))
    beyond = min(REACH * deviation, float(counts @ numbers))
    # The circle holds a whole number of sums, and its opposite side is out of reach.
    return math.floor((threshold + beyond) / 2.0)


def tail_by_tilting(
    sizes: FloatArray, counts: IntArray, threshold: float, *, tilt: float, n_frequencies: int
) -> Bracket:
    """Return bounds of a small P(sum of randomly signed terms >= threshold), relative to itself."""
    # Positive signs are made more likely (exp(tilt * size) to 1), so that the threshold becomes a
    # typical value of the sum, and each sum is weighted by exp(-tilt * sum). The remaining
    # probability is not small.
    # Source: Robinson (1982), Journal of the Royal Statistical Society B 44, 91-101; Graham &
    # Vaaler (1981), Transactions of the American Mathematical Society 265, 283-302.
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
    """Return bounds of the one-sided tail: half of the probability of [threshold, its mirror]."""
    frequency, share = _frequencies(period, n_frequencies)
    law = characteristic_function(sizes, counts, 2.0 * math.pi / period, n_frequencies)
    width = n_frequencies + 1.0
    arc = 0.5 - threshold / period
    # sum() instead of vector products, whose threads cost more than they save.
    value: float = arc + (_edges(share) * law * np.sin(frequency * threshold)).sum() / width
    spread: float = (0.5 + ((1.0 - share) * law * np.cos(frequency * threshold)).sum()) / width
    spread += _rounding(counts)
    outside = _outside(sizes, counts, period - threshold)
    return _not_negative(value - spread, value, value + spread + outside)


def _frequencies(period: float, n_frequencies: int) -> tuple[FloatArray, FloatArray]:
    k = np.arange(1.0, n_frequencies + 1.0)
    return k * (2.0 * math.pi / period), k / (n_frequencies + 1.0)


def _edges(share: FloatArray) -> FloatArray:
    """Return the coefficients of the polynomial closest to the sawtooth (Vaaler, theorem 18)."""
    return -(1.0 - share) / np.tan(math.pi * share) - 1.0 / math.pi


def _not_negative(*numbers: float) -> Bracket:
    return Bracket(*(max(0.0, float(number)) for number in numbers))


def _outside(sizes: FloatArray, counts: IntArray, reach: float) -> float:
    """Return an upper bound of P(sum >= reach) (Hoeffding 1963, theorem 2)."""
    if reach > weighted_sum(counts, sizes):
        return 0.0
    return math.exp(-(reach**2) / (2.0 * weighted_sum(counts, sizes, sizes)))


def _rounding(counts: IntArray) -> float:
    """Return a bound of the rounding error: one ulp per factor, and those of the sum."""
    return 1e-14 + 2.0**-53 * float(counts.sum())


def student_quantile(freedom: npt.ArrayLike, probability: npt.ArrayLike) -> FloatArray:
    """Return the quantile of Student's t; scipy's ``stdtrit`` returns inf, not -inf, at 0."""
    from scipy.special import stdtrit

    freedom, probability = np.asarray(freedom, np.float64), np.asarray(probability, np.float64)
    return np.where(probability == 0.0, -np.inf, stdtrit(freedom, probability))


# --- The noncentral t distribution for any number of queries, and its interval

# Beyond this number of deviations a standard normal, or chi around sqrt(df), has 1e-18.
DEVIATIONS = 9.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(128)


def chance_above(t: npt.ArrayLike, freedom: npt.ArrayLike, center: npt.ArrayLike) -> FloatArray:
    """Return the probability that a noncentral t exceeds ``t``, to 12 decimals."""
    # scipy's `nctdtr` (1.17) has 8 decimals for centres above 500, is NaN in far tails, and above
    # 50,000 returns NaN or does not finish; importing `scipy.stats` takes too long.
    # T = (Z + c) / (chi / sqrt(df)) exceeds t > 0 if chi / sqrt(df) is below (Z + c) / t. This
    # probability is integrated over the normal Z, on the range where it is neither 0 nor 1.
    # Source: Johnson, Kotz & Balakrishnan (1995), Continuous Univariate Distributions 2, ch. 31.
    from scipy.special import gammainc, ndtr

    value, df, c = np.broadcast_arrays(
        *(np.asarray(item, dtype=np.float64)[..., None] for item in (t, freedom, center))
    )
    mirrored = value < 0.0
    size, c = np.abs(value), np.where(mirrored, -c, c)
    spread = DEVIATIONS / np.sqrt(df)
    low = np.maximum(size * np.maximum(1.0 - spread, 0.0) - c, -DEVIATIONS)
    high = np.clip(size * (1.0 + spread) - c, low, np.maximum(low, DEVIATIONS))
    half = (high - low) / 2.0
    z = (low + high) / 2.0 + half * NODES
    # At t = 0 the range is empty, and the probability is that of Z > -c.
    ratio = np.minimum(np.maximum(z + c, 0.0) / np.maximum(size, 1e-300), 1e100)
    inside = _density(z) * gammainc(df / 2.0, df / 2.0 * ratio**2)
    above = np.minimum(ndtr(-high)[..., 0] + (half * inside) @ WEIGHTS, 1.0)
    return np.asarray(np.where(mirrored[..., 0], 1.0 - above, above))


def noncentrality_interval(
    t: FloatArray, freedom: int, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the noncentralities that a two-sided test of the observed t does not reject."""
    from scipy.special import chdtri, ndtri

    # Each limit is the noncentrality with which t, or -t, is exceeded with probability alpha / 2.
    # There Z + c = t chi / sqrt(df), with Z and chi within a tail of 1e-4 of the requested
    # accuracy.
    t, tail = np.stack([t, -t]), alpha / 2.0
    out = -ndtri(tail * 1e-4)
    chi = np.sqrt(chdtri(freedom, np.stack([tail * 1e-4, 1.0 - tail * 1e-4])) / freedom)
    reach = np.stack([t * chi[0], t * chi[1]])
    low, high = reach.min(axis=0) - out, reach.max(axis=0) + out
    root = find_root(lambda center: chance_above(t, freedom, center) - tail, low, high)
    return root[0], -root[1]


# With more degrees of freedom the error counts as known.
LARGEST_FREEDOM = 1_000_000
# Nodes per standard deviation of the log of the estimated error, and of the normal variable.
# Halving either step changes no result by more than 3e-12 of itself.
NODES_A_DEVIATION = 4.0
NORMAL_STEP = 0.1
VALUES_AT_ONCE = 256
# In double precision, no two of any number of normal variables are further apart.
BEYOND = 80.0


def range_tail(q: FloatArray, n_means: int, freedom: float) -> FloatArray:
    """Return the probability that the studentised range of ``n_means`` means is at least ``q``."""
    # ``scipy.stats.studentized_range`` takes 20 ms per value (100 systems have 4,950 pairs), and
    # importing scipy.stats takes too long for a ranking. P = int f(s) R(q s) ds, with f the density
    # of sqrt(chi-square / degrees of freedom) and R the tail of the range of normal variables, R(w)
    # = k int phi(z) Phi(z)**j (1 - (1 - Phi(z - w) / Phi(z))**j) dz, j = k - 1. This form avoids
    # cancellation. Both integrals use the trapezoid rule, over log s on one grid.
    # Source: Hartley (1942), Biometrika 32, 334-348; Copenhaver & Holland (1988), Journal of
    # Statistical Computation and Simulation 30, 1-15.
    return _tail(lambda w: _range_of_normals(w, n_means), q, freedom)


def many_one_tail(t: FloatArray, n_others: int, freedom: float) -> FloatArray:
    """Return the probability that the largest abs(t) of ``n_others`` means against one is >= t."""
    # Two-sided, with equally many queries, so that any two t have correlation 1/2.
    # ``scipy.stats.dunnett`` assumes independent groups and integrates by Monte Carlo.
    # Source: Dunnett (1955), Journal of the American Statistical Association 50, 1096-1121.
    return _tail(lambda w: _many_normals_less_one(w, n_others), t * np.sqrt(2.0), freedom)


@cache
def quantile_of(
    tail: Callable[[FloatArray, int, float], FloatArray], alpha: float, n_means: int, freedom: float
) -> float:
    """Return the upper alpha quantile of a statistic, given its tail function."""

    def above(log_q: float) -> float:
        return float(np.log(tail(np.array([np.exp(log_q)]), n_means, freedom)[0] / alpha))

    high = 1.0
    while above(high) > 0.0:
        high += 1.0
    return float(np.exp(find_root(above, -20.0, high, xtol=1e-13, rtol=1e-14)))


def _tail(
    normal_tail: Callable[[FloatArray], FloatArray], q: FloatArray, freedom: float
) -> FloatArray:
    """Return the tail of a statistic with estimated error from its tail with known error."""
    if freedom > LARGEST_FREEDOM:
        return np.minimum(normal_tail(q), 1.0)
    result = np.ones_like(q)
    order = np.argsort(q)
    order = order[q[order] > 0.0]
    # Values of similar size share their nodes.
    for start in range(0, len(order), VALUES_AT_ONCE):
        chunk = order[start : start + VALUES_AT_ONCE]
        result[chunk] = _averaged(normal_tail, np.log(q[chunk]), freedom)
    return np.minimum(result, 1.0)


def _averaged(
    normal_tail: Callable[[FloatArray], FloatArray], log_q: FloatArray, freedom: float
) -> FloatArray:
    deviation = 1.0 / np.sqrt(2.0 * freedom)
    step = deviation / NODES_A_DEVIATION
    # The last term shifts the range to small s, which are needed to reach a small tail.
    furthest = 0.5 * np.log1p(np.exp(2.0 * log_q[-1]) / freedom)
    below = 40.0 / freedom + 12.0 * deviation + furthest
    above = min(12.0 * deviation, 3.0)
    x = step * np.arange(np.floor((log_q[0] - below) / step), np.ceil((log_q[-1] + above) / step))
    # Nodes beyond the range for the largest q are far beyond it for a small one.
    u = np.minimum(x - log_q[:, None], above + 1.0)
    whole = _density_of_log_error(np.arange(-below, above, step), freedom).sum()
    return np.asarray(_density_of_log_error(u, freedom) @ normal_tail(np.exp(x)) / whole)


def _density_of_log_error(u: FloatArray, freedom: float) -> FloatArray:
    """Return the density of log s up to a constant, whose computation would lose digits."""
    return np.asarray(np.exp(-freedom / 2.0 * (np.expm1(2.0 * u) - 2.0 * u)))


def _range_of_normals(w: FloatArray, n_means: int) -> FloatArray:
    """Return the probability that the range of normal variables is at least w."""
    from scipy.special import log_ndtr, ndtr

    w = w[:, None]
    # The integrand is concentrated near w / 2 and near the largest of the variables.
    z = w / 2.0 + np.arange(-10.0, 10.0, NORMAL_STEP)
    below = np.exp(np.minimum(log_ndtr(z - w) - log_ndtr(z), -1e-16))
    power = n_means - 1
    tail = ndtr(z) ** power * -np.expm1(power * np.log1p(-below))
    return np.asarray(n_means * (_density(z) * tail).sum(axis=1) * NORMAL_STEP)


def _many_normals_less_one(w: FloatArray, n_others: int) -> FloatArray:
    """Return the probability that any of n normal variables is at least w from another one."""
    from scipy.special import ndtr

    w = w[:, None]
    # The integrand is concentrated near 0 and near w / 2, and symmetric about 0.
    z = np.arange(0.0, 10.0 + min(w.max(), BEYOND) / 2.0, NORMAL_STEP)
    outside = np.minimum(ndtr(z - w) + ndtr(-z - w), 1.0 - 1e-16)
    mass = _density(z) * -np.expm1(n_others * np.log1p(-outside))
    mass[:, 0] /= 2.0
    return np.asarray(2.0 * mass.sum(axis=1) * NORMAL_STEP)


def _density(z: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi))
