"""The bootstrap of the mean difference: interval and the p-value that inverts it.

The distribution of the mean over all resamples is computed, by Fourier transform or between bounds;
only the studentised bootstrap draws. Of a column of which one query differs, or all have one of two
values, it is the binomial law of how often each is drawn.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.paired import mean_and_error, t
from abrank.inference.registry import Answer, paired_test
from abrank.inference.rounding import (
    TIE,
    align_interval_with_pvalue,
    common_step,
    denominators,
    round_off,
    snap,
    to_lattice,
)

# Chances below it are not told apart: it is well above the rounding errors of the transform.
SMALLEST = 1e-10
DECIMALS = 12
# The sum is outside the transform, where it would come round again, with a chance of 2 e**-40.
LOG_OUTSIDE = 40.0
MOST_POINTS = 2**18
FINE_POINTS = 2**15
STEPS_PER_DEVIATION = 100.0

Weights: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@record
class Chances:
    """P(X <= x) at ascending points, as steps or (``smooth``) with straight lines between them."""

    # Below the first point lies what is not told apart from 0: a p-value is never below `smallest`.

    points: FloatArray
    chance: FloatArray
    smallest: float
    smooth: bool

    def at(self, x: float | FloatArray) -> FloatArray:
        """Return P(X <= x), 0 below the first point."""
        if self.smooth:
            return np.asarray(np.interp(x, self.points, self.chance, left=0.0))
        place = np.searchsorted(self.points, x, side="right")
        return np.asarray(np.append(0.0, self.chance)[place])

    def pvalue(self, x: float) -> float:
        """Return P(X <= x), or ``smallest`` where it is smaller."""
        return max(float(self.at(x)), self.smallest)

    def reaches(self, level: float) -> float:
        """Return the least x with P(X <= x) >= level; -inf where the level is too small to tell."""
        if self.smallest >= level:
            return -np.inf
        place = int(np.searchsorted(self.chance, level, side="left"))
        right = float(self.points[place])
        if not self.smooth or place == 0:
            return right
        left, under, over = self.points[place - 1], *self.chance[place - 1 : place + 1]
        return float(left + (right - left) * (level - under) / (over - under))


@record
class BootstrapDistribution:
    """The distribution of the mean of n draws with replacement, in whole steps of their sum."""

    # A sum times `unit` is a mean. `below` has P(sum <= x), `above` the same of minus the sum.
    # `total` is the sample's own sum. `on_lattice`: all values are multiples of the step, and the
    # distribution is theirs. Else it is taken as continuous, but for the resamples of zeros only:
    # should other resamples be exactly at a point, half their chance is missing there.

    below: Chances
    above: Chances
    total: float
    unit: float
    on_lattice: bool


def bootstrap_distribution(
    sample: FloatArray, weights: IntArray | None = None
) -> BootstrapDistribution:
    """Return the bootstrap distribution of a sample's mean."""
    # Values with a common step (tenths, four decimals, reciprocal ranks) have their own
    # distribution, to 12 decimals. Others are put on a grid, each split between its two neighbours
    # so that the mean stays what it is. Its step is a 100th of their standard deviation, finer
    # below some 300 values: limits are off by less than 1e-5 of the interval's width.
    # The masses of one draw are Fourier transformed, raised to the power n and transformed back;
    # the transform is as long as Bernstein's inequality asks for, so that a share below 1e-17 of
    # the distribution comes round. Chances below 1e-10, or n**-n, the chance of one resample, are
    # not told apart.
    n = sample.size if weights is None else int(weights.sum())
    numbers, units = to_lattice(sample[:, None], n_terms=n)
    if weights is None:
        distinct, counts = np.unique(numbers[:, 0], return_counts=True)
    else:
        distinct, place = np.unique(numbers[:, 0], return_inverse=True)
        counts = np.bincount(place, weights).astype(np.int64)
    # In units: what is computed does not depend on the unit of the sample.
    values, unit = distinct.astype(np.float64), float(units[0])
    cells = common_step(distinct, n_terms=n)
    if cells is not None:
        low, high = _window(cells, counts, n)
        if high - low < MOST_POINTS:
            largest = np.abs(cells).argmax()
            return _law(cells, counts, n, unit * values[largest] / cells[largest])
    deviation = float(np.sqrt(np.cov(values, fweights=counts, ddof=0)))
    finer = FINE_POINTS / np.sqrt(8.0 * LOG_OUTSIDE * n)
    step = deviation / max(STEPS_PER_DEVIATION, finer)
    cells, shares = on_grid(values, counts, step)
    zeros = (float(counts[values == 0.0].sum()) / n) ** n
    return _law(cells, shares, n, step * unit, zeros)


def on_grid(values: FloatArray, counts: IntArray, step: float) -> tuple[IntArray, FloatArray]:
    """Split each value between the two multiples of ``step`` next to it, so that sums stay."""
    left = np.floor(values / step)
    share = values / step - left
    # No value is further from the mean than sqrt(n) standard deviations: this array stays short.
    place = (left - left.min()).astype(np.int64)
    weights = np.bincount(place, (1.0 - share) * counts, place.max() + 2)
    weights += np.bincount(place + 1, share * counts)
    used = np.flatnonzero(weights)
    return used + int(left.min()), np.asarray(weights[used])


def _window(cells: IntArray, weights: Weights, n: int) -> tuple[int, int]:
    """Return the least and largest sum to keep, less n times the middle cell."""
    middle = _middle(cells, weights, n)
    offsets = (cells - middle).astype(np.float64)
    share = weights / n
    mean = float(offsets @ share)
    variance = float((offsets - mean) ** 2 @ share)
    largest = float(np.abs(offsets[[0, -1]] - mean).max())
    # Bernstein: P(sum - mean >= u) <= exp(-u**2 / (2 (n variance + largest u / 3))).
    reach = LOG_OUTSIDE * largest / 3.0
    reach += float(np.sqrt(reach**2 + 2.0 * LOG_OUTSIDE * n * variance))
    low = max(n * int(offsets[0]), int(np.floor(n * mean - reach)))
    return low, min(n * int(offsets[-1]), int(np.ceil(n * mean + reach)))


def _middle(cells: IntArray, weights: Weights, n: int) -> int:
    """Return the cell next to the mean: sums less n of it stay small, and phases exact."""
    return int(np.rint((cells - cells[0]) @ weights / n)) + int(cells[0])


def _law(
    cells: IntArray, weights: Weights, n: int, step: float, zeros: float | None = None
) -> BootstrapDistribution:
    """Return the law of the sum of n draws; if it is smooth, ``zeros`` is the mass of all zeros."""
    middle = _middle(cells, weights, n)
    low, high = _window(cells, weights, n)
    offsets = np.arange(low, high + 1)
    size = next_fast_length(offsets.size)
    one = np.zeros(size)
    np.add.at(one, (cells - middle) % size, weights / n)
    spectrum = np.fft.rfft(one)
    # The rest would come to less than e**-80, and takes nearly all the time.
    heard = np.abs(spectrum) > np.exp(-2.0 * LOG_OUTSIDE / n)
    spectrum = np.where(heard, spectrum, 0.0)
    spectrum[heard] **= n
    mass = np.fft.irfft(spectrum, size)[offsets % size]
    sums = offsets.astype(np.float64) + n * middle
    atoms = None if zeros is None else np.where(sums == 0.0, zeros, 0.0)
    return BootstrapDistribution(
        below=_chances(sums, mass, atoms, n),
        above=_chances(-sums[::-1], mass[::-1], None if atoms is None else atoms[::-1], n),
        total=float((cells - middle) @ weights) + n * middle,
        unit=step / n,
        on_lattice=zeros is None,
    )


def next_fast_length(least: int) -> int:
    """Return the smallest product of 2, 3 and 5 from ``least`` up: transforms of it are fast."""
    found = 1 << max(least - 1, 0).bit_length()
    power_5 = 1
    while power_5 < found:
        product = power_5
        while product < found:
            rest = -(-least // product)
            found = min(found, product << max(rest - 1, 0).bit_length())
            product *= 3
        power_5 *= 5
    return found


def _chances(points: FloatArray, mass: FloatArray, atoms: FloatArray | None, n: int) -> Chances:
    """Return the chances of ascending points; where smooth, all mass but the atoms by half."""
    chance = np.cumsum(mass)
    chance /= chance[-1]
    if atoms is not None:
        chance -= (mass - atoms) / 2.0
    chance = np.maximum.accumulate(np.clip(np.round(chance, DECIMALS), 0.0, 1.0))
    chance[-1] = 1.0
    return Chances(points, chance, max(float(n) ** -n, SMALLEST), atoms is not None)


# --- Bounds of the bootstrap distribution of the mean, where the values have no common step

# The distribution has about so many points: the bounds are apart by the number of values over it,
# times twenty standard deviations of the sum, times its density.
POINTS = 2**17
# As a share of a step: a value so near to a multiple is one.
ON_THE_GRID = 1e-7


def laws_around(sample: FloatArray) -> tuple[BootstrapDistribution, BootstrapDistribution]:
    """Return two distributions between which the bootstrap distribution of a sample's mean lies."""
    # Every value is put on the multiple of a step next below it, and next above it. A sum of the
    # first is never above the sum of the values themselves, one of the second never below. So the
    # chance that the mean is at most some number is no more than that of the first distribution,
    # and no less than that of the second; and the chance that it is at least that number the other
    # way round.
    # The step divides as many of the frequent values as it can (halves, thirds, … of reciprocal
    # ranks), which then are where they belong in both distributions: sums that cancel do so.
    sample = round_off(sample)
    largest = float(np.abs(sample).max())
    values, counts = np.unique(sample / largest, return_counts=True)
    deviation = float(np.sqrt(np.cov(values, fweights=counts, ddof=0)))
    step = _step(values, counts, deviation * math.sqrt(8.0 * LOG_OUTSIDE * sample.size) / POINTS)
    total = float(counts @ values) / step
    total = round(total) if abs(total - round(total)) <= ON_THE_GRID else total
    shares = values / step
    near = np.abs(shares - np.rint(shares)) <= ON_THE_GRID
    low, high = (
        np.where(near, np.rint(shares), side(shares)).astype(np.int64)
        for side in (np.floor, np.ceil)
    )
    unit = step * largest
    return (
        replace(_law(low, counts, sample.size, unit), total=total),
        replace(_law(high, counts, sample.size, unit), total=total),
    )


def _step(values: FloatArray, counts: IntArray, least: float) -> float:
    """Return a step of at least about ``least`` that divides the most frequent values."""
    order = np.argsort(-counts, kind="stable")
    ordered = np.abs(values[order])
    ordered = ordered[ordered > 0.0]
    ratios = ordered / ordered[0]
    parts, most = 1, ordered[0] / least
    left = denominators((ratios - np.floor(ratios))[:, None])[:, 0]
    left = left[left > 0]
    while left.size:
        # The next that adds to the parts and leaves them few enough.
        both = np.lcm(parts, left)
        adds = np.flatnonzero((both > parts) & (both <= most))
        if not adds.size:
            break
        parts, left = int(both[adds[0]]), left[adds[0] + 1 :]
    fine = parts * max(1, math.floor(float(most) / parts))
    return float(ordered[0]) / fine


N_RESAMPLES = 9_999
# Part of what a seed means: another value here gives other resamples.
DRAWS_AT_ONCE = 2_000_000
# Above it, how often each value is drawn is itself drawn, on a grid of so many steps a deviation.
MANY_QUERIES = 10_000
RESAMPLED_STEPS = 50.0
# With more resamples without spread than this, their endless t blow up the interval.
MOST_WITHOUT_SPREAD = 0.01


def bootstrap_t(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
) -> Answer:
    """Estimate the mean by the t statistics of resamples about the sample's mean."""
    # p is (b + 1) / (B + 1), so that it is never 0; the limits come from order statistics of the
    # resamples. A resample without spread has t* = +-inf (or 0, if its mean is the sample's). Where
    # more than one resample in a hundred would have none (up to four queries; most differences 0)
    # the answer is that of the paired t test. Up to 10,000 queries, all columns share the
    # resamples; with more, the differences are first put on a grid of a fiftieth of their standard
    # deviation.
    n_draws = n_resamples or N_RESAMPLES
    instead = t(differences, alternative=alternative, alpha=alpha)
    found = np.stack(
        [instead.estimate, instead.statistic, instead.pvalue, instead.ci_low, instead.ci_high]
    )
    # The chance that all draws of a resample are one value, by column.
    shares = [np.unique(column, return_counts=True)[1] / len(column) for column in differences.T]
    one_value = np.array([(share ** len(differences)).sum() for share in shares])
    drawn = np.flatnonzero(one_value <= MOST_WITHOUT_SPREAD)
    mean, error = mean_and_error(differences)
    if len(differences) <= MANY_QUERIES:
        replicates = _by_query(differences[:, drawn], n_draws, seed)
    else:
        replicates = [_by_value(differences[:, one], n_draws, seed) for one in drawn]
    for one, t_star in zip(drawn, replicates, strict=True):
        found[2:, one] = invert_t(t_star, mean[one], error[one], alpha[one], alternative)
    if not len(drawn):
        return Answer.from_rows(found, "closed form")
    precision = np.stack([found[2], found[2], np.zeros_like(mean)])
    precision[2, drawn] = np.sqrt(found[2, drawn] * (1.0 - found[2, drawn]) / n_draws)
    return Answer.from_rows(found, "Monte Carlo", n_draws, precision)


def _by_query(differences: FloatArray, n_draws: int, seed: int) -> list[FloatArray]:
    """Return the t* of resampled queries, an array of shape (n_draws,) a column."""
    n_queries, n_columns = differences.shape
    if not n_columns:
        return []
    numbers, _ = to_lattice(differences)
    sums = np.empty((n_columns, n_draws), np.int64)
    squares = np.empty((n_columns, n_draws))
    centred_squares = np.ascontiguousarray(((numbers - numbers.mean(axis=0)) ** 2).T)
    values = np.ascontiguousarray(numbers.T)
    random = stream(seed, "resamples")
    at_once = max(1, DRAWS_AT_ONCE // n_queries)
    for first in range(0, n_draws, at_once):
        index = random.integers(0, n_queries, (at_once, n_queries), np.int64)[: n_draws - first]
        part = slice(first, first + len(index))
        for column in range(n_columns):
            sums[column, part] = values[column].take(index).sum(axis=1)
            squares[column, part] = centred_squares[column].take(index).sum(axis=1)
    means = snap(sums, n_queries) / n_queries
    centre = numbers.mean(axis=0)
    # Means are in units: what is within one of the centre is there.
    return [_t_star(*one, n_queries, 1.0) for one in zip(means, squares, centre, strict=True)]


def _by_value(differences: FloatArray, n_draws: int, seed: int) -> FloatArray:
    """Return the t* of resamples drawn as counts of values on a grid, shape (n_draws,)."""
    n_queries = differences.size
    # Swapping the systems then swaps the answer: the cells are drawn in the same order.
    sign = -1.0 if differences.sum() < 0.0 else 1.0
    step = float(differences.std()) / RESAMPLED_STEPS
    cells, weights = on_grid(*np.unique(sign * differences, return_counts=True), step)
    values = cells * step
    centre = float(values @ weights) / n_queries
    random = stream(seed, "resamples")
    at_once = max(1, DRAWS_AT_ONCE // cells.size)
    means, squares = np.empty(n_draws), np.empty(n_draws)
    for first in range(0, n_draws, at_once):
        part = slice(first, min(first + at_once, n_draws))
        counts = random.multinomial(n_queries, weights / n_queries, part.stop - first)
        means[part] = counts @ values / n_queries
        squares[part] = counts @ (values - centre) ** 2
    return sign * _t_star(means, squares, centre, n_queries, TIE * np.abs(values).max())


def _t_star(
    means: FloatArray, squares: FloatArray, mean: float, n_queries: int, tie: float
) -> FloatArray:
    """Return the t statistic of every resample about the sample's mean."""
    # Means no further from it than `tie` equal it.
    shift = means - mean
    variance = squares / n_queries - shift**2
    # What is left of a resample of one value only is rounding.
    without_spread = variance <= 1e-9 * squares / n_queries
    error = np.sqrt(np.where(without_spread, 1.0, variance) / (n_queries - 1))
    moved = np.abs(shift) > tie
    endless = np.where(moved, np.copysign(np.inf, shift), 0.0)
    return np.where(without_spread, endless, shift / error)


def invert_t(
    t_star: FloatArray, mean: float, error: float, alpha: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return p-value and limits of the bootstrap-t, symmetric if two-sided."""
    direction = -1.0 if alternative == "less" else 1.0
    observed = direction * mean / error
    replicates = direction * t_star
    if alternative == "two-sided":
        observed, replicates = abs(observed), np.abs(replicates)
    # A resample with the observed t is a tie, whatever its last digits.
    close = np.isclose(replicates, observed, rtol=1e-9, atol=0.0)
    replicates = np.where(close, observed, replicates)
    n = replicates.size
    pvalue = (np.count_nonzero(replicates >= observed) + 1) / (n + 1)
    table = np.arange(1, n + 2) / (n + 1)
    k = int(np.searchsorted(table, alpha, side="left"))
    quantile = np.inf if k == 0 else -np.partition(-replicates, k - 1)[k - 1]
    low = np.array([-np.inf if alternative == "less" else mean - quantile * error])
    high = np.array([np.inf if alternative == "greater" else mean + quantile * error])
    low, high = align_interval_with_pvalue(
        np.array([pvalue]), np.array([mean]), low, high, np.array([alpha])
    )
    return pvalue, float(low[0]), float(high[0])


# Chances are rounded to 12 decimals.
ROUNDING = 1e-11

Method = Literal["studentised", "percentile", "BCa", "basic", "shift"]


@paired_test(
    "bootstrap",
    title="Bootstrap",
    estimand="mean difference",
    source="Efron & Tibshirani 1993; Hall 1988; DiCiccio & Efron 1996; Sakai 2006",
)
def bootstrap(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
    method: Method = "studentised",
    bounded: bool = True,
) -> Answer:
    """Estimate the mean difference by what resampling queries with replacement would give.

    Estimand: the mean difference. Hypothesis: it is 0 in the population the queries are a sample
    of. A query is drawn with both its scores, which pairs them.

    Parameters
    ----------
    seed : int
        The resamples depend on it and on the number of queries.
    n_resamples : int, optional
        Resamples B of "studentised"; 9,999. The other methods draw nothing.
    method : {"studentised", "percentile", "BCa", "basic", "shift"}
        "studentised" is the symmetric bootstrap-t [1]_, which keeps its level, with few queries
        with room to spare; the others reject too often up to some 100 queries, see
        ``reports/calibration``. "shift" is the test of [3]_: how often is a
        resampled mean as far from the sample's as that is from 0; its interval is symmetric.
    bounded : bool
        Whether a p-value "on a grid" is bounded; who wants limits alone saves half of the time.

    Returns
    -------
    Answer
        ``statistic`` is t for "studentised", else the mean. Method "exact": the distribution of the
        mean of all resamples, see
        :mod:`~abrank.inference.bootstrap`; or "on a grid" where the differences
        of any column have no common step, with bounds of its p-value
        (:func:`~abrank.inference.bootstrap.laws_around`). For "studentised" it
        is "Monte Carlo", and "closed form" if the paired t test stands in for it in every column.

    Notes
    -----
    The p-value is defined by the interval: the smallest alpha at which it excludes 0. No chance is
    taken to be below 1e-10, nor below n**-n, that of a single resample, so that p is never 0; an
    interval of so small an alpha is unbounded. One-sided, "shift" is "basic". For BCa the chances
    are carried through z0 and a [2]_ backwards.

    References
    ----------
    .. [1] Hall (1988), Journal of the Royal Statistical Society B 50, 35-45.
    .. [2] DiCiccio & Efron (1996), Statistical Science 11, 189-228, equation 2.3.
    .. [3] Sakai (2006), SIGIR, 525-532.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> d = [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4]
    >>> result = run_test("bootstrap", d, method="percentile")
    >>> result.pvalue.round(6), result.ci_low.round(3), result.ci_high.round(3), result.method
    (array([0.005489]), array([0.035]), array([0.225]), 'exact')
    >>> result = run_test("bootstrap", d)
    >>> bool(0 < result.ci_low[0] < 0.04), bool(result.pvalue[0] < 0.05), result.method
    (True, True, 'Monte Carlo')
    """
    checks.one_of("method", method, get_args(Method))
    rounded = round_off(differences)
    if method == "studentised":
        return bootstrap_t(
            rounded, alternative=alternative, alpha=alpha, seed=seed, n_resamples=n_resamples
        )
    mean, error = mean_and_error(rounded)
    found = np.full((5, len(mean)), np.nan)
    found[0], found[3], found[4] = mean, -np.inf, np.inf
    bounds, exact = np.full((3, len(mean)), np.nan), True
    bounds[2] = 0.0
    for one in np.flatnonzero(np.isfinite(error)):
        sample = rounded[:, one]
        law = bootstrap_distribution(sample)
        pvalue, low, high = answer_by_law(law, sample, method, alpha[one], alternative)
        bounds[:2, one] = pvalue
        if not law.on_lattice:
            exact = False
            if bounded:
                bounds[:2, one] = _bounds(sample, method, alternative)
                pvalue = float(np.clip(pvalue, *bounds[:2, one]))
            else:
                bounds[2, one] = np.nan
        found[1:, one] = mean[one], pvalue, low, high
    return Answer.from_rows(found, "exact" if exact else "on a grid", 0, bounds)


def answer_by_law(
    law: BootstrapDistribution,
    sample: FloatArray,
    method: Method,
    alpha: float,
    alternative: Alternative,
    counts: IntArray | None = None,
) -> tuple[float, float, float]:
    """Return p-value and limits of a bootstrap that draws nothing, from the law of the mean."""
    if method == "shift" and alternative == "two-sided":
        # From how far the resampled means are from the sample's.
        furthest = max(law.above.points[-1] + law.total, law.below.points[-1] - law.total)
        sizes = np.arange(np.floor(furthest) + 1.0)
        chance = law.below.at(law.total - sizes) + law.above.at(-law.total - sizes)
        # Of minus the size, so that it is a chance of "at most".
        far = replace(law.below, points=-sizes[::-1], chance=np.minimum(chance, 1.0)[::-1])
        reach = -far.reaches(alpha)
        pvalue = far.pvalue(-abs(law.total))
        return pvalue, (law.total - reach) * law.unit, (law.total + reach) * law.unit
    below, above = _tails(law, np.asarray(sample, np.float64), method, counts=counts)
    sides = 2.0 if alternative == "two-sided" else 1.0
    low, high = below.reaches(alpha / sides), -above.reaches(alpha / sides)
    pvalue = _pvalue(below, above, alternative)
    if alternative == "greater":
        return pvalue, low * law.unit, np.inf
    if alternative == "less":
        return pvalue, -np.inf, high * law.unit
    return pvalue, low * law.unit, high * law.unit


def _tails(
    law: BootstrapDistribution,
    sample: FloatArray,
    method: Method,
    *,
    bias: float | None = None,
    counts: IntArray | None = None,
) -> tuple[Chances, Chances]:
    """Return the chances by which a method rejects means: that are too small, and too large."""
    if method in ("basic", "shift"):
        # 2 total - sum is at most x where minus the sum is at most x - 2 total.
        return (
            replace(law.above, points=law.above.points + 2.0 * law.total),
            replace(law.below, points=law.below.points - 2.0 * law.total),
        )
    if method == "percentile":
        return law.below, law.above
    # The acceleration is a sixth of the skewness over the root of n.
    weights = np.ones(sample.size) if counts is None else counts.astype(np.int64)
    centred = sample - np.average(sample, weights=weights)
    acceleration = float(weights @ centred**3 / (6.0 * (weights @ centred**2) ** 1.5))
    bias = _bias(law.below, law.above, law.total) if bias is None else bias
    return _carried(law.below, bias, acceleration), _carried(law.above, -bias, -acceleration)


def _pvalue(below: Chances, above: Chances, alternative: Alternative) -> float:
    """Return the p-value of a mean of 0."""
    greater, less = below.pvalue(0.0), above.pvalue(0.0)
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(greater, less))
    return greater if alternative == "greater" else less


def _bounds(sample: FloatArray, method: Method, alternative: Alternative) -> tuple[float, float]:
    """Return two numbers between which the p-value of the distribution of all resamples lies."""
    under, over = laws_around(sample)
    # Chances of both tails that are too small, and too large.
    small = replace(over, above=under.above)
    large = replace(under, above=over.above)
    if method == "shift" and alternative == "two-sided":
        low, high = [_both_ends(small)], [_both_ends(large)]
        return max(low[0] - ROUNDING, 0.0), min(high[0] + ROUNDING, 1.0)
    # The larger the bias, the smaller the chance of a mean below 0 and the larger that above.
    biases = [_bias(each.below, each.above, each.total) for each in (over, under)]
    if method == "BCa" and not np.isfinite(biases).all():
        # So many queries that the two are apart: which bias the sample has is not known.
        return 0.0, 1.0
    if method in ("percentile", "BCa"):
        small, large = _at_zero(small), _at_zero(large)
    low, high = (
        [_pvalue(*_tails(law, sample, method, bias=bias), alternative) for bias in biases]
        for law in (small, large)
    )
    return max(min(low) - ROUNDING, 0.0), min(max(high) + ROUNDING, 1.0)


def _at_zero(law: BootstrapDistribution) -> BootstrapDistribution:
    """Return a law of steps with the one that a p-value of a mean of 0 is read from."""
    tails = []
    for chances in (law.below, law.above):
        place = int(np.searchsorted(chances.points, 0.0, side="right"))
        step = slice(max(place - 1, 0), place)
        tails.append(replace(chances, points=chances.points[step], chance=chances.chance[step]))
    return replace(law, below=tails[0], above=tails[1])


def _both_ends(law: BootstrapDistribution) -> float:
    """Return the chance of a mean as far from the sample's as that is from 0."""
    far = abs(law.total)
    chance = float(law.below.at(law.total - far) + law.above.at(-law.total - far))
    return min(1.0, max(chance, law.below.smallest))


def _bias(below: Chances, above: Chances, total: float) -> float:
    """Return the normal quantile of the chance of a mean below the sample's, z0 of BCa."""
    from scipy.special import ndtri

    # Resamples with the sample's mean count by half.
    return float(ndtri((below.at(total) + 1.0 - above.at(-total)) / 2.0))


def _carried(chances: Chances, z0: float, a: float) -> Chances:
    """Return the levels of percentile limits that BCa moves to where the chances are."""
    from scipy.special import ndtr, ndtri

    chance = np.append(chances.smallest, chances.chance)
    inside = (chance > 0.0) & (chance < 1.0)
    w = ndtri(np.where(inside, chance, 0.5)) - z0
    # Beyond the pole no level is left.
    y = np.copysign(np.inf, w)
    np.divide(w, 1.0 + a * w, out=y, where=1.0 + a * w > 0.0)
    carried = np.where(inside, ndtr(y - z0), chance)
    carried[1:] = np.maximum.accumulate(carried[1:])
    return replace(chances, chance=carried[1:], smallest=max(float(carried[0]), SMALLEST))
