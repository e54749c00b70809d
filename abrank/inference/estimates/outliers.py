"""Queries that stand apart from the others by more than chance leaves of normal differences.

==================  =====================================================================
differences         answer
==================  =====================================================================
fewer than three    none
all one value       none
one query differs   that query
two values          as any other data
not finite          refused
==================  =====================================================================
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from abrank._support.typing import IntArray
from abrank.inference.registry import as_differences
from abrank.inference.rounding import round_off

# Rosner's percentage points for several outliers are right from so many values on; for one, always.
LEAST_FOR_SEVERAL = 15


def rosner_outliers(differences: npt.ArrayLike, *, most: int = 3, alpha: float = 0.05) -> IntArray:
    """Return the places of up to ``most`` outliers by the generalised extreme studentised deviate.

    Hypothesis: the differences are a sample of one normal distribution. The studentised deviates do
    not depend on the mean and its standard error (Basu's theorem), so of normal differences as many
    samples have an outlier among those with a small p of the t test as among all others.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 decimals.
    most : int
        Outliers that are looked for; one below 15 queries, where the test of several is too free.
    alpha : float
        Share of normal samples in which any is found.

    Returns
    -------
    int64 ndarray
        Furthest first.

    Raises
    ------
    ArgumentError
        If a difference is not finite.

    References
    ----------
    .. [1] Rosner (1983), Percentage points for a generalized ESD many-outlier procedure,
       Technometrics 25(2), 165-172, equation 2.5. One outlier is Grubbs' test (1969).

    Examples
    --------
    >>> rosner_outliers([0.1, 0.0, -0.1, 0.05, 0.9, -0.05, 0.0])
    array([4])
    """
    values = round_off(as_differences(differences)[:, 0])
    left, order, found = np.arange(len(values)), [], 0
    wanted = most if len(values) >= LEAST_FOR_SEVERAL else min(most, 1, max(len(values) - 2, 0))
    for step in range(1, wanted + 1):
        rest = values[left] - values[left].mean()
        spread = rest.std(ddof=1)
        if np.ptp(values[left]) == 0.0:
            break
        far = int(np.argmax(np.abs(rest)))
        order.append(left[far])
        if abs(rest[far]) > _limit(len(values), step, alpha) * spread:
            found = step
        left = np.delete(left, far)
    return np.array(order[:found], np.int64)


@cache
def _limit(n: int, step: int, alpha: float) -> float:
    """Return how many standard deviations the step's largest deviate may be from the mean."""
    from scipy.special import stdtrit

    m = n - step + 1
    t = float(stdtrit(m - 2, 1.0 - alpha / (2.0 * m)))
    return float((m - 1) * t / np.sqrt((m - 2 + t * t) * m))
