"""Bounds of the bootstrap distribution of the mean, where the values have no common step."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.remember import remembered
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.exact.bootstrap_distribution import (
    LOG_OUTSIDE,
    BootstrapDistribution,
    law_of_cells,
)
from abrank.inference.rounding import denominators, round_off

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
