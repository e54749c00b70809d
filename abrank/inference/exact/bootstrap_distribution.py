"""The bootstrap distribution of a mean without resampling, by Fourier transform or in bounds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.typing import FloatArray, IntArray
from abrank._support.work import remembered
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


# The methods of the bootstrap ask about one sample after the other.
@remembered(4)
def bootstrap_distribution(
    sample: FloatArray, weights: IntArray | None = None
) -> BootstrapDistribution:
    """Return the bootstrap distribution of a sample's mean.

    Values with a common step (tenths, four decimals, reciprocal ranks) have their own distribution,
    to 12 decimals. Others are put on a grid, each split between its two neighbours so that the mean
    stays what it is. Its step is a 100th of their standard deviation, finer below some 300 values:
    limits are off by less than 1e-5 of the interval's width.

    The masses of one draw are Fourier transformed, raised to the power n and transformed back; the
    transform is as long as Bernstein's inequality asks for, so that a share below 1e-17 of the
    distribution comes round. Chances below 1e-10, or n**-n, the chance of one resample, are not
    told apart.
    """
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


# The methods of the bootstrap ask about one sample after the other.
@remembered(4)
def laws_around(sample: FloatArray) -> tuple[BootstrapDistribution, BootstrapDistribution]:
    """Return two distributions between which the bootstrap distribution of a sample's mean lies.

    Every value is put on the multiple of a step next below it, and next above it. A sum of the
    first is never above the sum of the values themselves, one of the second never below. So the
    chance that the mean is at most some number is no more than that of the first distribution, and
    no less than that of the second; and the chance that it is at least that number the other way
    round.

    The step divides as many of the frequent values as it can (halves, thirds, … of reciprocal
    ranks), which then are where they belong in both distributions: sums that cancel do so.
    """
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
