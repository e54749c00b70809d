"""The p-value and the interval of one set of replicates, which therefore agree."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import Alternative, FloatArray


def invert(
    values: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    alpha: float,
    alternative: Alternative,
    n_always_counted: int = 0,
) -> tuple[float, float, float]:
    """Return the p-value of "the parameter is 0" and the interval of all values not rejected.

    A parameter value theta is tested by how many replicates are <= theta (against "greater") or >=
    theta (against "less"); a table turns the count into a p-value. The accepted thetas then lie
    between two order statistics of the replicates, which are the limits, ends included.
    """
    against_greater = lower[n_always_counted + np.count_nonzero(values <= 0.0)]
    against_less = upper[n_always_counted + np.count_nonzero(values >= 0.0)]
    if alternative == "greater":
        return float(against_greater), _limit(values, lower, alpha, n_always_counted), np.inf
    if alternative == "less":
        return float(against_less), -np.inf, -_limit(-values, upper, alpha, n_always_counted)
    pvalue = min(1.0, 2.0 * min(against_greater, against_less))
    low = _limit(values, 2.0 * lower, alpha, n_always_counted)
    return float(pvalue), low, -_limit(-values, 2.0 * upper, alpha, n_always_counted)


def _limit(values: FloatArray, table: FloatArray, alpha: float, n_always_counted: int) -> float:
    """Return the smallest theta that is not rejected: the k-th smallest replicate."""
    k = int(np.searchsorted(table, alpha, side="left")) - n_always_counted
    if k <= 0:
        return -np.inf
    return float(np.partition(values, k - 1)[k - 1]) + 0.0


def align_interval_with_pvalue(
    pvalue: FloatArray,
    estimate: FloatArray,
    low: FloatArray,
    high: FloatArray,
    alpha: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Let a closed-form interval exclude 0 exactly when p < alpha.

    The two are equal in real numbers; in floats they can part by a rounding error when p is all but
    alpha. The p-value decides, and a limit that is 0 but for rounding is put on the right side.
    """
    rejected = pvalue < alpha
    # A mean that is 0 but for rounding is so to far more than this share of its interval.
    bounded = np.isfinite(low) & np.isfinite(high)
    width = np.subtract(high, low, out=np.zeros_like(low), where=bounded)
    rounding = 1e-6 * np.abs(estimate) + 1e-12 * width
    at_low, at_high = np.abs(low) <= rounding, np.abs(high) <= rounding
    low = np.where(at_low & ~rejected, np.minimum(low, 0.0), low)
    high = np.where(at_high & ~rejected, np.maximum(high, 0.0), high)
    tiny = np.nextafter(0.0, 1.0)
    low = np.where(at_low & rejected & (estimate > 0.0), np.maximum(low, tiny), low)
    high = np.where(at_high & rejected & (estimate < 0.0), np.minimum(high, -tiny), high)
    return low, high
