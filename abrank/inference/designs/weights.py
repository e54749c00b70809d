"""The t test of a weighted mean, where some queries count for more: traffic, or strata."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.designs.clusters import FEWEST_EFFECTIVE
from abrank.inference.paired.t_and_sign import ROUNDING, t_answer
from abrank.inference.registry import TestResult, as_alpha, as_differences
from abrank.inference.rounding import has_spread


def effective_queries(weights: FloatArray) -> float:
    """Return Kish's effective number: so many queries of one weight tell as much."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.size else 0.0


def weighted_result(
    differences: FloatArray,
    weights: FloatArray,
    *,
    confidence: float | FloatArray,
    clusters: Sequence[object] | None = None,
) -> TestResult:
    """Test the weighted mean of each column, two-sided; of dependent queries by their clusters.

    With p the shares of the weights, P and S the sums of p and of p**2 in a cluster, s the sum of
    p**2 in all, and T a cluster's sum of p r, r the residuals about the weighted mean, the squared
    error is the sum of T**2 / (1 - 2 P + s P**2 / S): robust to other variances and to dependence
    within clusters, and without bias where all differences are independent and have one variance
    (CR2; HC2 without clusters [1]_). Its t has 1 / sum P**2 - 1 degrees of freedom, Kish's
    effective number less one [2]_. Of equal weights it is the paired t test, or has the
    cluster-robust error. In samples without a difference it finds one in 5 to 6 %
    (``reports/calibration/weights.md``); with the error of HC1 and n - 1 degrees it is 6 to 11 %,
    and 0 to 5 % with the degrees of Bell and McCaffrey, which take mean and error to be
    independent. Fewer than three effective clusters are not tested.

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
    index = np.arange(n)
    if clusters is not None:
        index = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)[1]
    part, squares = (np.bincount(index, each).astype(np.float64) for each in (share, share**2))
    mean = share @ data
    largest = np.abs(data).max(axis=0, initial=0.0)
    mean[np.abs(mean) <= ROUNDING * largest] = 0.0
    enough = len(part) > 1 and (
        clusters is None or effective_queries(part) >= FEWEST_EFFECTIVE["t"]
    )
    scale = 1.0 / (1.0 - 2.0 * part + s * part**2 / squares) if enough else np.zeros(len(part))
    sums = share[:, None] * (data - mean)
    if clusters is not None:
        sums = np.stack([np.bincount(index, each, len(part)) for each in sums.T], axis=1)
    error = np.where(has_spread(data) & enough, np.sqrt(scale @ sums**2), np.nan)
    freedom = max(1.0 / float((part**2).sum()) - 1.0, 1e-3) if enough else 1.0
    statistic, pvalue, low, high = t_answer(mean, error, freedom, alpha)
    same = largest == 0.0
    if n > 1:
        statistic, pvalue = np.where(same, 0.0, statistic), np.where(same, 1.0, pvalue)
        low, high = np.where(same, 0.0, low), np.where(same, 0.0, high)
    rows = np.stack([mean, statistic, pvalue, low, high])
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=n)
