"""The bootstrap distribution of a mean without resampling, by Fourier transform or in bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.remember import remembered
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.rounding import common_step, denominators, round_off, to_lattice

# --- The bootstrap distribution of a mean without resampling, by one Fourier transform

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
    """P(X <= x) at ascending points, as steps or (``smooth``) with straight lines between them.

    Below the first point lies what is not told apart from 0: a p-value is never below ``smallest``.
    """

    points: FloatArray
    chance: FloatArray
    smallest: float
    smooth: bool

    def at(self, x: float | FloatArray) -> FloatArray:
        """Return P(X <= x), 0 below the first point.

        Examples
        --------
        >>> chances = Chances(np.array([0.0, 1.0]), np.array([0.25, 1.0]), 0.25, False)
        >>> chances.at(np.array([-1, 0.5, 2]))
        array([0.  , 0.25, 1.  ])
        """
        if self.smooth:
            return np.asarray(np.interp(x, self.points, self.chance, left=0.0))
        place = np.searchsorted(self.points, x, side="right")
        return np.asarray(np.append(0.0, self.chance)[place])

    def pvalue(self, x: float) -> float:
        """Return P(X <= x), or ``smallest`` where it is smaller.

        Examples
        --------
        >>> Chances(np.array([0.0, 1.0]), np.array([0.25, 1.0]), 0.25, False).pvalue(-1.0)
        0.25
        """
        return max(float(self.at(x)), self.smallest)

    def reaches(self, level: float) -> float:
        """Return the least x with P(X <= x) >= level; -inf where no level so small is told apart.

        Examples
        --------
        >>> chances = Chances(np.array([0.0, 1.0]), np.array([0.25, 1.0]), 0.25, False)
        >>> chances.reaches(0.1), chances.reaches(0.25), chances.reaches(0.3)
        (-inf, -inf, 1.0)
        """
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
    """The distribution of the mean of n draws with replacement, in whole steps of their sum.

    A sum times ``unit`` is a mean. ``below`` has P(sum <= x), ``above`` the same of minus the sum.
    ``total`` is the sample's own sum. ``on_lattice``: all values are multiples of the step, and the
    distribution is theirs. Else it is taken as continuous, but for the resamples of zeros only:
    should other resamples be exactly at a point, half their chance is missing there.
    """

    below: Chances
    above: Chances
    total: float
    unit: float
    on_lattice: bool


def bootstrap_distribution(
    sample: FloatArray, counts: IntArray | None = None
) -> BootstrapDistribution:
    """Return the bootstrap distribution of a sample's mean.

    Values with a common step (tenths, four decimals, reciprocal ranks) have their own distribution,
    to 12 decimals. Others are put on a grid, each split between its two neighbours so that the mean
    stays what it is. Its step is a 100th of their standard deviation, finer below some 300 values:
    limits are off by less than 1e-5 of the interval's width.

    Parameters
    ----------
    sample : ndarray of shape (n,)
        At least two values, not all alike; taken to 10 digits of the largest.
    counts : ndarray of shape (n,), optional
        How often each is in the sample; once without it.

    Notes
    -----
    The masses of one draw are Fourier transformed, raised to the power n and transformed back. The
    transform is as long as Bernstein's inequality asks for, so that a share below 1e-17 of the
    distribution comes round. Chances below 1e-10, or n**-n, the chance of one resample, are not
    told apart.

    Examples
    --------
    Of the four samples of two from 0 and 1, two have the mean 1/2:

    >>> law = bootstrap_distribution(np.array([0.0, 1.0]))
    >>> law.below.points * law.unit, law.below.chance
    (array([0. , 0.5, 1. ]), array([0.25, 0.75, 1.  ]))
    """
    return _distribution(np.asarray(sample, np.float64), counts)


# The methods of the bootstrap ask about one sample after the other.
@remembered(4)
def _distribution(sample: FloatArray, weights: IntArray | None) -> BootstrapDistribution:
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
        window = _window(cells, counts, n)
        if window[1] - window[0] < MOST_POINTS:
            largest = np.abs(cells).argmax()
            step = unit * values[largest] / cells[largest]
            return _law(cells, counts, n, window, step, None)
    deviation = float(np.sqrt(np.cov(values, fweights=counts, ddof=0)))
    finer = FINE_POINTS / np.sqrt(8.0 * LOG_OUTSIDE * n)
    step = deviation / max(STEPS_PER_DEVIATION, finer)
    cells, shares = on_grid(values, counts, step)
    zeros = (float(counts[values == 0.0].sum()) / n) ** n
    return _law(cells, shares, n, _window(cells, shares, n), step * unit, zeros)


def on_grid(values: FloatArray, counts: IntArray, step: float) -> tuple[IntArray, FloatArray]:
    """Split each value between the two multiples of ``step`` next to it, so that sums stay.

    Returns
    -------
    cells : int64 ndarray
        Multiples that got a share, ascending.
    weights : ndarray of the same shape
        Their shares of the counts.

    Examples
    --------
    >>> on_grid(np.array([0.25, 1.0]), np.array([1, 2]), 1.0)
    (array([0, 1]), array([0.75, 2.25]))
    """
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


def law_of_cells(
    cells: IntArray, counts: IntArray, n: int, *, unit: float, total: float
) -> BootstrapDistribution:
    """Return the distribution of n draws of whole numbers, steps of ``unit`` in their sum.

    Parameters
    ----------
    cells, counts : int64 ndarray of shape (n_cells,)
        Ascending; not all alike. The same number may stand there twice.
    n : int
        The sum of the counts.
    unit : float
        Of one step of the sum.
    total : float
        What the distribution says that the sample's own sum is, in steps.

    Examples
    --------
    >>> law = law_of_cells(np.array([0, 1]), np.array([1, 1]), 2, unit=1.0, total=1.0)
    >>> law.below.chance
    array([0.25, 0.75, 1.  ])
    """
    law = _law(cells, counts, n, _window(cells, counts, n), unit, None)
    return replace(law, total=total)


def _law(
    cells: IntArray,
    weights: Weights,
    n: int,
    window: tuple[int, int],
    step: float,
    zeros: float | None,
) -> BootstrapDistribution:
    """Return the law of the sum of n draws; if it is smooth, ``zeros`` is the mass of all zeros."""
    middle = _middle(cells, weights, n)
    offsets = np.arange(window[0], window[1] + 1)
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
    """Return the smallest product of 2, 3 and 5 from ``least`` up: transforms of it are fast.

    Examples
    --------
    >>> next_fast_length(7), next_fast_length(1000), next_fast_length(1001)
    (8, 1000, 1024)
    """
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
    """Return two distributions between which the bootstrap distribution of a sample's mean lies.

    Every value is put on the multiple of a step next below it, and next above it. A sum of the
    first is never above the sum of the values themselves, one of the second never below. So the
    chance that the mean is at most some number is no more than that of the first distribution, and
    no less than that of the second; and the chance that it is at least that number the other way
    round.

    The step divides as many of the frequent values as it can (halves, thirds, … of reciprocal
    ranks), which then are where they belong in both distributions: sums that cancel do so.

    Parameters
    ----------
    sample : ndarray of shape (n,)
        At least two values, not all alike; taken to 10 digits of the largest.

    Returns
    -------
    below, above : MeanLaw
        With ``total`` the sample's own sum, in steps.

    Examples
    --------
    >>> low, high = laws_around(np.sqrt([0.2, 0.3, 0.5, 0.7]) - 0.6)
    >>> chances = [float(law.below.at(0.0)) for law in (high, low)]
    >>> chances[0] <= chances[1] < chances[0] + 0.01
    True
    """
    return _laws_around(np.asarray(sample, np.float64))


# The methods of the bootstrap ask about one sample after the other.
@remembered(4)
def _laws_around(values: FloatArray) -> tuple[BootstrapDistribution, BootstrapDistribution]:
    sample = round_off(values)
    largest = float(np.abs(sample).max())
    values, counts = np.unique(sample / largest, return_counts=True)
    deviation = float(np.sqrt(np.cov(values, fweights=counts, ddof=0)))
    step = _step(values, counts, deviation * math.sqrt(8.0 * LOG_OUTSIDE * sample.size) / POINTS)
    total, unit = float(counts @ values) / step, step * largest / sample.size
    total = round(total) if abs(total - round(total)) <= ON_THE_GRID else total
    shares = values / step
    near = np.abs(shares - np.rint(shares)) <= ON_THE_GRID
    low, high = (
        law_of_cells(
            np.where(near, np.rint(shares), side(shares)).astype(np.int64),
            counts,
            sample.size,
            unit=unit,
            total=total,
        )
        for side in (np.floor, np.ceil)
    )
    return low, high


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
