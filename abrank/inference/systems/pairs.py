"""Which systems are compared, and what a test of many systems answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.registry import as_alpha


class Pairs(NamedTuple):
    """Which systems are compared: columns of the scores, shape (n_pairs,); second minus first."""

    first: IntArray
    second: IntArray

    def of(self, values: FloatArray) -> FloatArray:
        """Return second minus first along the last axis."""
        return np.asarray(values[..., self.second] - values[..., self.first])


@record
class JointAnswer:
    """What a registered joint test returns: arrays of shape (n_pairs,) and how they were found.

    ``estimand`` only where it is not the registered one.
    """

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    pvalue_adj: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    method: str
    n_resamples: int = 0
    estimand: str = ""

    @classmethod
    def from_rows(cls, rows: FloatArray, *how: Any) -> JointAnswer:  # noqa: ANN401 - the last fields
        """Make an answer of an array of shape (6, n_pairs), in the order of the fields."""
        estimate, statistic, pvalue, pvalue_adj, ci_low, ci_high = rows
        return cls(estimate, statistic, pvalue, pvalue_adj, ci_low, ci_high, *how)


@record
class JointResult:
    """Every pair of many systems: estimate, simultaneous interval and adjusted p-value.

    Where a test has intervals, one excludes 0 exactly when ``pvalue_adj < 1 - confidence``.

    Parameters
    ----------
    pairs : Pairs
        Columns of the scores, each pair once; against a baseline, that one is always first.
    estimate, statistic, pvalue, pvalue_adj, ci_low, ci_high : ndarray of shape (n_pairs,)
        Second minus first. ``pvalue`` is not adjusted. Limits are NaN where a test has none.
    identical : bool ndarray of shape (n_pairs,)
        Whether the two have one score on every query, to 10 digits.
    test : str
        The registered name.
    estimand : str
        What ``estimate`` estimates, in words.
    method : str
        "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation".
    n_resamples : int
        What was drawn; 0 where nothing was.
    confidence : float
    baseline : int or None
        Its column.
    n_queries, n_systems : int

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16], [0.70, 0.66, 0.78]]
    >>> result = run_joint_test("tukey", scores)
    >>> result.pairs.second, result.pvalue_adj.round(3)
    (array([1, 2, 2]), array([0.588, 0.032, 0.116]))
    """

    pairs: Pairs
    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    pvalue_adj: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    identical: BoolArray
    test: str
    estimand: str
    method: str
    n_resamples: int
    confidence: float
    baseline: int | None
    n_queries: int
    n_systems: int

    @property
    def distinct(self) -> BoolArray:
        """Whether a pair is told apart: adjusted p < alpha, shape (n_pairs,)."""
        return np.asarray(self.pvalue_adj < as_alpha(self.confidence, 1)[0])

    def matrix(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values of the pairs as a symmetric matrix, zeros (or False) where there is none.

        Examples
        --------
        >>> from abrank.inference import run_joint_test
        >>> result = run_joint_test("tukey", [[0.1, 0.5], [0.2, 0.7], [0.1, 0.6]])
        >>> result.matrix(result.distinct)
        array([[False,  True],
               [ True, False]])
        """
        found = np.zeros((self.n_systems, self.n_systems), values.dtype)
        found[self.pairs.first, self.pairs.second] = values
        found[self.pairs.second, self.pairs.first] = values
        return found
