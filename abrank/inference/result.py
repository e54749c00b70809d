"""What a paired test answers: plain arrays, one entry a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from abrank._support.typing import Alternative, BoolArray, FloatArray


@dataclass(frozen=True)
class Answer:
    """What a registered test returns: arrays of shape (n_comparisons,) and how they were found.

    ``method`` is "closed form", "exact", "Monte Carlo" or "normal approximation"; ``n_resamples``
    is 0 where nothing was drawn.
    """

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    method: str
    n_resamples: int = 0

    @classmethod
    def of(cls, rows: FloatArray, method: str, n_resamples: int = 0) -> Answer:
        """Make an answer of an array of shape (5, n_comparisons), in the order of the fields."""
        estimate, statistic, pvalue, ci_low, ci_high = rows
        return cls(estimate, statistic, pvalue, ci_low, ci_high, method, n_resamples)


@dataclass(frozen=True)
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
        "closed form", "exact", "Monte Carlo" or "normal approximation".
    n_resamples : int
        Sign flips or resamples drawn; 0 where nothing was drawn. An enumeration draws nothing.
    confidence : float or ndarray of shape (n_comparisons,)
        As asked.
    alternative : {"two-sided", "greater", "less"}
        "greater" claims that the candidate is better.
    n_queries : int

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
