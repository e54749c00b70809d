"""Walsh averages (d_i + d_j) / 2 of a sample, counted and ordered."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.exact.roots import find_root
from abrank.inference.rounding import round_off

# Above it the averages (over a million) are counted, not listed.
LISTED_UP_TO = 1500
# How near to where the count falls below a bound, as a share of the range, and of the float itself.
SMALLEST_SHARE = 2.0**-42
RELATIVE_ROUNDING = 4.0 * np.finfo(np.float64).eps
# Averages are taken to so many digits of the largest.
DIGITS = 13


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
        self.sample = np.sort(sample)
        # Scores of few decimals have many equal differences: what is counted, is counted by value.
        self._distinct, self._weight = np.unique(self.sample, return_counts=True)
        self._up_to = np.concatenate([[0], np.cumsum(self._weight)])
        self.own_weight = own_weight
        n = self.sample.size
        self.total = n * (n - 1) + 2 * n * own_weight
        self._values: FloatArray | None = None
        self._above: FloatArray | None = None
        if n <= LISTED_UP_TO:
            self._values, self._above = self._listed()

    def mirrored(self) -> Walsh:
        """Return the averages of the negated sample.

        Examples
        --------
        >>> Walsh(np.array([1.0, 2.0]), 1).mirrored().median()
        -1.5
        """
        return Walsh(-self.sample, self.own_weight)

    def doubled_count(self, theta: float) -> int:
        """Return twice the weight above ``theta`` plus the weight at it.

        Examples
        --------
        >>> Walsh(np.array([-1.0, 1.0, 2.0]), 1).doubled_count(0.0)
        9
        """
        values, weight = self._distinct, self._weight
        reach = 2.0 * theta - values
        place = np.searchsorted(values, reach, "right")
        tied = values[np.maximum(place, 1) - 1] == reach
        up_to = int(weight @ self._up_to[place])
        below = int(weight @ self._up_to[place - tied])
        above = 2 * self.sample.size**2 - up_to - below
        # ``above`` is twice the count over ordered pairs: each i < j twice, each i = j once.
        first, last = (
            self._up_to[np.searchsorted(values, theta, side)] for side in ("left", "right")
        )
        own = int(2 * (self.sample.size - last) + (last - first))
        return (above - own) // 2 + self.own_weight * own

    def first_below(self, bound: int) -> float:
        """Return the least theta at which the doubled count is below ``bound``.

        Where the count falls below it only just above a value, the next float above that value.
        Above 1500 values it is searched for, to within 1e-12 of the range and on the side
        where the count is below ``bound``; on which side of 0 it lies is exact.

        Examples
        --------
        >>> Walsh(np.array([1.0, 2.0, 6.0]), 1).first_below(12)
        1.0
        """
        if self._values is None or self._above is None:
            return self._crossing(bound)
        # Above a value its whole group has gone from the count; at it, half of the group.
        place = int(np.searchsorted(-self._above, -bound, side="right"))
        value = float(self._values[place])
        before = self._above[place - 1] if place else self.total
        at_value = (before + self._above[place]) / 2.0
        return value if at_value < bound else float(np.nextafter(value, np.inf))

    def median(self) -> float:
        """Return the weighted median, the Hodges-Lehmann estimate where all weights are 1.

        Examples
        --------
        >>> Walsh(np.array([1.0, 2.0]), 1).median()
        1.5
        """
        if self._values is None or self._above is None:
            return self._crossing(self.total // 2)
        left, right = (
            self._values[np.searchsorted(-self._above, -(self.total / 2.0), side=side)]
            for side in ("left", "right")
        )
        return float(left + right) / 2.0

    def _listed(self) -> tuple[FloatArray, FloatArray]:
        """Return the distinct averages, ascending, and twice the weight above each."""
        first, second = np.triu_indices(self.sample.size)
        # Rounded, so that equal averages of different pairs are one value.
        sums = round_off(self.sample[first] + self.sample[second])
        # To the decimal that is nearest: where the sample has few decimals, so have its averages.
        sums = np.round(sums, DIGITS - math.ceil(math.log10(np.abs(self.sample).max()))) + 0.0
        values, group = np.unique(sums, return_inverse=True)
        weight = np.bincount(group, np.where(first == second, self.own_weight, 1))
        return values / 2.0, np.asarray(self.total - 2.0 * np.cumsum(weight), np.float64)

    def _crossing(self, bound: int) -> float:
        """Return the least theta with a doubled count below ``bound``, from above."""
        beyond = float(np.abs(self.sample[[0, -1]]).max())
        over, under = float(self.sample[0] - beyond), float(self.sample[-1] + beyond)
        # Zero first: it decides what the interval says.
        if self.doubled_count(0.0) < bound:
            under = min(under, 0.0)
        else:
            over = max(over, 0.0)
        # The count falls in steps, but so many that it is as good as a curve.
        narrow = (under - over) * SMALLEST_SHARE
        root = float(
            find_root(
                lambda x: self.doubled_count(x) - bound + 0.5,
                over,
                under,
                xtol=narrow,
                rtol=RELATIVE_ROUNDING,
            )
        )
        if self.doubled_count(root) < bound:
            return root
        # The other end of the last bracket is no further away.
        return min(root + narrow + RELATIVE_ROUNDING * abs(root), under)
