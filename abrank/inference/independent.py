"""Two independent groups: Welch's t, permutation of the labels, bootstrap, and effect sizes."""

# A group is an array of shape (n_units, n_comparisons).

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.paired import satterthwaite, t_answer
from abrank.inference.registry import TestResult, as_alpha

N_RESAMPLES = 9999


def welch(a: FloatArray, b: FloatArray, *, confidence: float | FloatArray) -> TestResult:
    """Test whether two independent groups have one mean, without taking their variances as equal.

    Source: Welch (1947), Biometrika 34, 28-35.
    """
    alpha = as_alpha(confidence, a.shape[1])
    rows = np.full((5, a.shape[1]), np.nan)
    rows[0] = estimate = b.mean(axis=0) - a.mean(axis=0)
    if min(len(a), len(b)) > 1:
        # What is left of one value by rounding is no variance.
        squares = [x.var(axis=0, ddof=1) * (np.ptp(x, axis=0) > 0.0) / len(x) for x in (a, b)]
        error, freedom = satterthwaite(np.stack(squares), [[len(a) - 1.0], [len(b) - 1.0]])
        varies = np.isfinite(error)
        rows[1:, varies] = t_answer(estimate[varies], error[varies], freedom[varies], alpha[varies])
        rows[1:, ~varies & (estimate == 0.0)] = [[0.0], [1.0], [0.0], [0.0]]
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=len(a) + len(b))


def deviation_of_groups(a: FloatArray, b: FloatArray) -> float:
    """Return the deviation that a unit has in two groups of half the units with the same error.

    NaN where a group has fewer than two units.
    """
    if min(len(a), len(b)) < 2:
        return math.nan
    square = float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b)
    return math.sqrt(square * (len(a) + len(b))) / 2.0


def permute_labels(
    a: FloatArray, b: FloatArray, *, confidence: float, seed: int, n_resamples: int | None = None
) -> TestResult:
    """Test Welch's statistic of one comparison by permutations of the labels; no interval.

    Source: Janssen (1997), Statistics & Probability Letters 36, 9-21; scipy.stats.ttest_ind.
    """
    from scipy import stats

    resamples = n_resamples or N_RESAMPLES
    method = stats.PermutationMethod(n_resamples=resamples, rng=np.random.default_rng(seed))
    with warnings.catch_warnings():  # of permutations that make a group of one value
        warnings.simplefilter("ignore", RuntimeWarning)
        permuted = stats.ttest_ind(b, a, equal_var=False, method=method)
    exact = math.comb(len(a) + len(b), len(a)) <= resamples
    row = [b.mean() - a.mean(), permuted.statistic, permuted.pvalue, math.nan, math.nan]
    return TestResult.of_mean(
        np.array(row)[:, None], test="permutation", confidence=confidence,
        n_queries=len(a) + len(b), method="exact" if exact else "Monte Carlo",
        n_resamples=0 if exact else resamples,
    )  # fmt: skip


def bootstrap_groups(
    a: FloatArray, b: FloatArray, *, confidence: float, seed: int, n_resamples: int | None = None
) -> TestResult:
    """Bootstrap the difference of two means, each group by itself: percentile interval and p.

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 8;
    scipy.stats.bootstrap.
    """
    from scipy import stats

    resamples = n_resamples or N_RESAMPLES
    resampled = stats.bootstrap(
        (b, a), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=resamples, confidence_level=confidence, method="percentile",
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    means = resampled.bootstrap_distribution
    tail = min(np.sum(means <= 0.0), np.sum(means >= 0.0))
    pvalue = min(1.0, 2.0 * (tail + 1.0) / (resamples + 1.0))
    low, high = resampled.confidence_interval
    row = [b.mean() - a.mean(), math.nan, pvalue, low, high]
    return TestResult.of_mean(
        np.array(row)[:, None], test="bootstrap", confidence=confidence,
        n_queries=len(a) + len(b), method="Monte Carlo", n_resamples=resamples,
    )  # fmt: skip


def _cohens_d(a: FloatArray, b: FloatArray) -> float:
    squares = (len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)
    return _ratio(b.mean() - a.mean(), math.sqrt(squares / (len(a) + len(b) - 2)))


def _p_better(a: FloatArray, b: FloatArray) -> float:
    from scipy import stats

    return float(stats.mannwhitneyu(b, a).statistic) / (len(a) * len(b))


def _ratio(change: float, deviation: float) -> float:
    return change / deviation if deviation > 0.0 else math.nan


# Effect sizes of b over a. Cohen (1988), 2.2; Hedges (1981), Journal of Educational Statistics 6,
# 107-128; Glass (1976); McGraw & Wong (1992), Psychological Bulletin 111, 361-365.
EFFECTS: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "cohens_d": _cohens_d,
    "hedges_g": lambda a, b: _cohens_d(a, b) * (1.0 - 3.0 / (4.0 * (len(a) + len(b) - 2) - 1.0)),
    "glass_delta": lambda a, b: _ratio(b.mean() - a.mean(), float(a.std(ddof=1))),
    "rank_biserial": lambda a, b: 2.0 * _p_better(a, b) - 1.0,
    "p_better": _p_better,
}
