"""Walsh averages (d_i + d_j) / 2 of a sample, counted and ordered."""

from __future__ import annotations

import math
from functools import partial
from itertools import cycle
from typing import NamedTuple

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.exact.roots import find_root
from abrank.inference.rounding import round_off

# Up to so many pairs of values, those of 1500, all are listed; of more, those about what is sought.
MOST_PAIRS = 1500 * 1501 // 2
# Averages are taken to so many digits of the largest.
DIGITS = 13
# As shares of the range: pairs so near to where the search ended are listed too, and how near it
# goes where more pairs have one average than are listed.
BEYOND = 1e-12
SMALLEST_SHARE = 2.0**-42


class _Averages(NamedTuple):
    """Distinct averages, ascending, and twice the weight above each, and from each on."""

    values: FloatArray
    above: IntArray
    reaching: IntArray

    def at(self, place: int) -> float:
        """Return the doubled count at a value: twice the weight above it plus the weight at it."""
        return float(self.above[place] + self.reaching[place]) / 2.0


class Walsh:
    """The averages of all pairs i <= j of a sample, those with i = j of a weight of their own.

    Parameters
    ----------
    sample : ndarray of shape (n,)
        Not empty; no zeros.
    own_weight : int
        Weight of the n averages of a value with itself; the others have weight 1.

    Examples
    --------
    >>> Walsh(np.array([1.0, 2.0, 6.0]), 1).median()
    2.75
    """

    def __init__(self, sample: FloatArray, own_weight: int) -> None:
        # Scores of few decimals have many equal differences: what is counted, is counted by value.
        self._values, self._weight = np.unique(sample, return_counts=True)
        self._up_to = np.concatenate([[0], np.cumsum(self._weight)])
        self._n = sample.size
        self.own_weight = own_weight
        self.total = self._n * (self._n - 1) + 2 * self._n * own_weight
        edge = 2.0 * float(np.abs(self._values[[0, -1]]).max())
        # The doubled counts at every theta that was asked for.
        self._counted = {-edge: self.total, edge: 0}
        self._all: _Averages | None = None
        n_values = self._values.size
        if n_values * (n_values + 1) // 2 <= MOST_PAIRS:
            self._all = self._listed(np.zeros(n_values, np.int64), np.full(n_values, n_values))

    def doubled_count(self, theta: float) -> int:
        """Return twice the weight above ``theta`` plus the weight at it.

        Examples
        --------
        >>> Walsh(np.array([-1.0, 1.0, 2.0]), 1).doubled_count(0.0)
        9
        """
        values = self._values
        reach = 2.0 * theta - values
        place = np.searchsorted(values, reach, "right")
        tied = values[np.maximum(place, 1) - 1] == reach
        up_to = int(self._weight @ self._up_to[place])
        below = int(self._weight @ self._up_to[place - tied])
        above = 2 * self._n**2 - up_to - below
        # ``above`` is twice the count over ordered pairs: each i < j twice, each i = j once.
        first, last = (
            self._up_to[np.searchsorted(values, theta, side)] for side in ("left", "right")
        )
        own = int(2 * (self._n - last) + (last - first))
        return (above - own) // 2 + self.own_weight * own

    def first_below(self, bound: int) -> float:
        """Return the least theta at which the doubled count is below ``bound``.

        Where the count falls below it only just above a value, the next float above that value.

        Examples
        --------
        >>> Walsh(np.array([1.0, 2.0, 6.0]), 1).first_below(12)
        1.0
        """
        found = self._around(bound, bound)
        place = int(np.searchsorted(-found.above, -bound, side="right"))
        value = float(found.values[place])
        return value if found.at(place) < bound else float(np.nextafter(value, np.inf))

    def last_above(self, bound: int) -> float:
        """Return the largest theta at which the doubled count is above ``bound``.

        Examples
        --------
        >>> Walsh(np.array([1.0, 2.0, 6.0]), 1).last_above(0)
        6.0
        """
        found = self._around(bound + 1, bound + 1)
        place = int(np.searchsorted(-found.reaching, -bound, side="left")) - 1
        value = float(found.values[place])
        return value if found.at(place) > bound else float(np.nextafter(value, -np.inf))

    def median(self) -> float:
        """Return the weighted median, the Hodges-Lehmann estimate where all weights are 1.

        Examples
        --------
        >>> Walsh(np.array([1.0, 2.0]), 1).median()
        1.5
        """
        half = self.total // 2
        found = self._around(half + 1, half)
        left, right = (
            found.values[np.searchsorted(-found.above, -half, side=side)]
            for side in ("left", "right")
        )
        return float(left + right) / 2.0

    def _around(self, at_least: int, below: int) -> _Averages:
        """Return all averages, or those between two places that the doubled count tells apart.

        At the first it is at least the one number, at the second below the other.
        """
        if self._all is not None:
            return self._all
        edge = max(self._counted)
        # In turn, because between the two there may be a gap where the count is neither.
        for bound in cycle((below, at_least)):
            low = max(theta for theta, count in self._counted.items() if count >= at_least)
            high = min(theta for theta, count in self._counted.items() if count < below)
            ends = (low - BEYOND * edge, high + BEYOND * edge)
            first, last = (np.searchsorted(self._values, 2.0 * x - self._values) for x in ends)
            n_pairs = int((last - first).sum()) // 2
            if n_pairs <= MOST_PAIRS or high - low <= 2.0 * SMALLEST_SHARE * edge:
                break
            # The count falls in steps, but so many that it is as good as a curve.
            reach = (high - low) * max(MOST_PAIRS / (16.0 * n_pairs), SMALLEST_SHARE)
            find_root(partial(self._count, less=bound - 0.5), low, high, xtol=reach)
        return self._listed(first, last)

    def _count(self, theta: float, *, less: float) -> float:
        """Return the doubled count less a number, and keep the count."""
        if theta not in self._counted:
            self._counted[theta] = self.doubled_count(theta)
        return self._counted[theta] - less

    def _listed(self, first: IntArray, last: IntArray) -> _Averages:
        """Return the averages of each value with those from ``first`` up to before ``last``."""
        own = np.arange(self._values.size)
        start = np.maximum(first, own)
        length = np.maximum(last - start, 0)
        one = np.repeat(own, length)
        other = np.arange(one.size) + np.repeat(start - np.cumsum(length) + length, length)
        sums = self._values[one] + self._values[other]
        if self._all is None and one.size == own.size * (own.size + 1) // 2:
            # Rounded, so that equal averages of different pairs are one value.
            sums = round_off(sums)
        # To the decimal that is nearest: where the sample has few decimals, so have its averages.
        largest = np.abs(self._values[[0, -1]]).max()
        sums = np.round(sums, DIGITS - math.ceil(math.log10(largest))) + 0.0
        values, group = np.unique(sums, return_inverse=True)
        among_equals = self._weight * (self._weight - 1) // 2 + self.own_weight * self._weight
        pairs = self._weight[one] * self._weight[other]
        weight = np.bincount(group, np.where(one == other, among_equals[one], pairs))
        # What lies above all of them: pairs of two values, and of equal ones.
        rest = int(self._weight @ (self._n - self._up_to[np.maximum(last, own + 1)]))
        rest += int(among_equals[last <= own].sum())
        reaching = 2 * (rest + np.cumsum(weight[::-1].astype(np.int64))[::-1])
        return _Averages(values / 2.0, np.append(reaching[1:], 2 * rest), reaching)
