"""Midranks as whole numbers."""

from __future__ import annotations

import numpy as np

from abrank._support.remember import remembered
from abrank._support.typing import FloatArray, IntArray


def doubled_midranks(values: FloatArray) -> IntArray:
    """Return twice the rank of every value, ties sharing the mean of their ranks.

    Examples
    --------
    >>> doubled_midranks(np.array([0.3, 0.1, 0.3]))
    array([5, 2, 5])
    """
    return _ranked(np.asarray(values, np.float64)).copy()


# The test and the effect size of one sample, and its interval, ask one after the other.
@remembered(2)
def _ranked(values: FloatArray) -> IntArray:
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (2 * last - count + 1)[group].astype(np.int64)
