"""The t test of a weighted mean, where some queries count for more: traffic, or strata."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.paired.t_and_sign import ROUNDING, t_answer
from abrank.inference.registry import TestResult, as_alpha, as_differences
from abrank.inference.rounding import has_spread


def effective_queries(weights: FloatArray) -> float:
    """Return Kish's effective number: so many queries of one weight tell as much."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.size else 0.0


def weighted_result(
    differences: FloatArray, weights: FloatArray, *, confidence: float | FloatArray
) -> TestResult:
    """Test the weighted mean of each column, two-sided.

    With shares p of the weights, s the sum of p**2 and r the residuals about the weighted mean, the
    squared error is the sum of p**2 r**2 / (1 - 2 p + s): robust to other variances, and without
    bias where all differences have one [1]_. Its t has 1 / s - 1 degrees of freedom, Kish's
    effective number of queries less one [2]_. Of equal weights it is the paired t test. In samples
    without a difference it finds one in 5 to 6 % (``reports/calibration/weights.md``); with the
    error of HC1 and n - 1 degrees it is 6 to 11 %.

    References
    ----------
    .. [1] MacKinnon & White (1985), Journal of Econometrics 29, 305-325.
    .. [2] Kish (1965), Survey Sampling, 11.7.
    """
    data = as_differences(differences)
    n, columns = data.shape
    alpha = as_alpha(confidence, columns)
    share = weights / weights.sum()
    s = float((share**2).sum())
    mean = share @ data
    largest = np.abs(data).max(axis=0, initial=0.0)
    mean[np.abs(mean) <= ROUNDING * largest] = 0.0
    scale = share**2 / (1.0 - 2.0 * share + s) if n > 1 else np.zeros(n)
    error = np.where(has_spread(data), np.sqrt(scale @ (data - mean) ** 2), np.nan)
    freedom = max(1.0 / s - 1.0, 1e-3) if n > 1 else 1.0
    statistic, pvalue, low, high = t_answer(mean, error, freedom, alpha)
    same = largest == 0.0
    if n > 1:
        statistic, pvalue = np.where(same, 0.0, statistic), np.where(same, 1.0, pvalue)
        low, high = np.where(same, 0.0, low), np.where(same, 0.0, high)
    nothing = np.zeros(columns)
    return TestResult(
        mean, statistic, pvalue, low, high, "t", "mean difference", "closed form", 0,
        confidence, "two-sided", n, pvalue, pvalue, nothing,
    )  # fmt: skip
