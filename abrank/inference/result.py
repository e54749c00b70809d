"""What a paired test answers: plain arrays, one entry a comparison."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from abrank._support.records import record
from abrank._support.typing import Alternative, BoolArray, FloatArray


@record
class Answer:
    """What a registered test returns: arrays of shape (n_comparisons,) and how they were found.

    ``method`` is "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation";
    ``n_resamples`` is 0 where nothing was drawn. ``pvalue_low`` and ``pvalue_high`` are bounds
    between which a p-value that was computed surely lies, ``pvalue_error`` is the standard error of
    a drawn one; without them the p-value is one number, and nothing was drawn for it.
    """

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    method: str
    n_resamples: int = 0
    pvalue_low: FloatArray | None = None
    pvalue_high: FloatArray | None = None
    pvalue_error: FloatArray | None = None

    @classmethod
    def from_rows(
        cls,
        rows: FloatArray,
        method: str,
        n_resamples: int = 0,
        precision: FloatArray | None = None,
    ) -> Answer:
        """Make an answer of an array of shape (5, n_comparisons), in the order of the fields.

        ``precision`` holds the bounds and the standard error of the p-values, (3, n_comparisons).
        """
        estimate, statistic, pvalue, ci_low, ci_high = rows
        sure = (None, None, None) if precision is None else precision
        return cls(estimate, statistic, pvalue, ci_low, ci_high, method, n_resamples, *sure)

    @property
    def precision(self) -> FloatArray:
        """Lower and upper bound and standard error of the p-values, shape (3, n_comparisons).

        Examples
        --------
        >>> import numpy as np
        >>> Answer.from_rows(np.full((5, 1), 0.5), "closed form").precision.tolist()
        [[0.5], [0.5], [0.0]]
        """
        low = self.pvalue if self.pvalue_low is None else self.pvalue_low
        high = self.pvalue if self.pvalue_high is None else self.pvalue_high
        error = np.zeros_like(self.pvalue) if self.pvalue_error is None else self.pvalue_error
        return np.stack([low, high, error])


@record
class TestResult:
    """Estimate, interval and p-value of one test over all comparisons.

    The interval and the p-value come from one procedure: for every column the interval excludes 0
    exactly when ``pvalue < 1 - confidence``. A one-sided alternative has an infinite end.

    Parameters
    ----------
    estimate, statistic, pvalue, ci_low, ci_high : ndarray of shape (n_comparisons,)
        ``estimate`` and the interval are in the unit of the differences (or of the estimand). NaN
        where the test is not defined for a column.
    test : str
        The registered name.
    estimand : str
        What ``estimate`` estimates, in words.
    method : str
        "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation".
    n_resamples : int
        Sign flips or resamples drawn; 0 where nothing was drawn. An enumeration draws nothing.
    confidence : float or ndarray of shape (n_comparisons,)
        As asked.
    alternative : {"two-sided", "greater", "less"}
        "greater" claims that the candidate is better.
    n_queries : int
    pvalue_low, pvalue_high : ndarray of shape (n_comparisons,)
        Bounds between which the p-value surely lies where it was computed; equal to it where it is
        one number up to rounding, or where it was drawn.
    pvalue_error : ndarray of shape (n_comparisons,)
        Standard error of a p-value that was drawn, else 0.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("sign", [0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.4, 0.2])
    >>> result.pvalue.round(4), result.excludes_zero
    (array([0.0703]), array([False]))
    """

    __test__: ClassVar[bool] = False  # not a test class, whatever its name tells pytest

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    test: str
    estimand: str
    method: str
    n_resamples: int
    confidence: float | FloatArray
    alternative: Alternative
    n_queries: int
    pvalue_low: FloatArray
    pvalue_high: FloatArray
    pvalue_error: FloatArray

    @property
    def excludes_zero(self) -> BoolArray:
        """Whether the interval excludes 0, shape (n_comparisons,); the same as p < alpha.

        Examples
        --------
        >>> from abrank.inference import run_test
        >>> run_test("t", [0.1, 0.2, 0.3]).excludes_zero
        array([False])
        """
        return (self.ci_low > 0.0) | (self.ci_high < 0.0)
