"""Two independent groups: Welch's t, permutation, bootstrap, effect sizes; and repeated runs."""

# A group is an array of shape (n_units, n_comparisons).

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.inference.bootstrap import DRAWS_AT_ONCE, N_RESAMPLES, on_grid
from abrank.inference.paired import satterthwaite, t_answer
from abrank.inference.registry import TestResult, as_alpha, finite

# If both groups have more units, counts of values are drawn instead of units. Up to this number of
# distinct values they are used as they are; else they are rounded to a grid with the given number
# of steps per standard deviation.
MANY_UNITS = 2_000
MOST_VALUES = 500
STEPS = 50.0


def welch(a: FloatArray, b: FloatArray, *, confidence: float | FloatArray) -> TestResult:
    """Test whether two independent groups have the same mean, with unequal variances."""
    # Source: Welch (1947), Biometrika 34, 28-35.
    alpha = as_alpha(confidence, a.shape[1])
    rows = np.full((5, a.shape[1]), np.nan)
    rows[0] = estimate = b.mean(axis=0) - a.mean(axis=0)
    if min(len(a), len(b)) > 1:
        # If a group has one value, its computed variance is only rounding error.
        squares = [x.var(axis=0, ddof=1) * (np.ptp(x, axis=0) > 0.0) / len(x) for x in (a, b)]
        error, freedom = satterthwaite(np.stack(squares), [[len(a) - 1.0], [len(b) - 1.0]])
        varies = np.isfinite(error)
        rows[1:, varies] = t_answer(estimate[varies], error[varies], freedom[varies], alpha[varies])
        rows[1:, ~varies & (estimate == 0.0)] = [[0.0], [1.0], [0.0], [0.0]]
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=len(a) + len(b))


def deviation_of_groups(a: FloatArray, b: FloatArray) -> float:
    """Return the standard deviation with the same error for two groups of half the units each."""
    # NaN if a group has fewer than two units.
    if min(len(a), len(b)) < 2:
        return math.nan
    square = float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b)
    return math.sqrt(square * (len(a) + len(b))) / 2.0


def permute_labels(
    a: FloatArray, b: FloatArray, *, confidence: float, seed: int, n_resamples: int | None = None
) -> TestResult:
    """Test Welch's statistic of one comparison by permuting labels; there is no interval."""
    # Source: Janssen (1997), Statistics & Probability Letters 36, 9-21; scipy.stats.ttest_ind.
    from scipy import stats

    resamples, n, random = n_resamples or N_RESAMPLES, len(a) + len(b), np.random.default_rng(seed)
    exact = n <= MANY_UNITS and math.comb(n, len(a)) <= resamples
    if n > MANY_UNITS:
        pvalue = _permute_counts(a, b, resamples, random)
    else:
        batch = max(1, DRAWS_AT_ONCE // n)
        method = stats.PermutationMethod(n_resamples=resamples, batch=batch, rng=random)
        with warnings.catch_warnings():  # from permutations with a constant group
            warnings.simplefilter("ignore", RuntimeWarning)
            pvalue = float(stats.ttest_ind(b, a, equal_var=False, method=method).pvalue)
    statistic = float(welch(a[:, None], b[:, None], confidence=confidence).statistic[0])
    row = [b.mean() - a.mean(), statistic, pvalue, math.nan, math.nan]
    return TestResult.of_mean(
        np.array(row)[:, None], test="permutation", confidence=confidence, n_queries=n,
        method="exact" if exact else "Monte Carlo", n_resamples=0 if exact else resamples,
    )  # fmt: skip


def _permute_counts(
    a: FloatArray, b: FloatArray, n_resamples: int, random: np.random.Generator
) -> float:
    """Return the p-value, drawing how often each value is in the group of B."""
    pooled = np.concatenate([a, b])
    if len(np.unique(pooled)) > MOST_VALUES:
        # Rounded up or down at random, so that means stay: a step may be wider than most values
        # are apart if a few are very large.
        step = float(pooled.std()) / STEPS
        pooled = np.floor(pooled / step + random.random(len(pooled))) * step
    values, cells, counts = np.unique(
        pooled - pooled.mean(), return_inverse=True, return_counts=True
    )
    observed = np.bincount(cells[len(a) :], minlength=len(values))
    drawn = random.multivariate_hypergeometric(counts, len(b), n_resamples, method="marginals")
    of_b = np.vstack([observed, drawn])
    powers = np.stack([values, values**2], axis=1)
    sums = [(counts - of_b) @ powers, of_b @ powers]
    means, squares = np.zeros(n_resamples + 1), np.zeros(n_resamples + 1)
    for sign, n, total in zip((-1.0, 1.0), (len(a), len(b)), sums, strict=True):
        means += sign * total[:, 0] / n
        squares += (total[:, 1] - total[:, 0] ** 2 / n) / (n - 1.0) / n
    with np.errstate(divide="ignore"):  # if both groups are constant
        statistics = means / np.sqrt(np.maximum(squares, 0.0))
    permuted = statistics[1:]
    ties = np.isclose(permuted, statistics[0], rtol=1e-9, atol=0.0)
    larger, smaller = permuted > statistics[0], permuted < statistics[0]
    tail = min(np.sum(ties | larger), np.sum(ties | smaller))
    return min(1.0, 2.0 * (float(tail) + 1.0) / (n_resamples + 1.0))


def bootstrap_groups(
    a: FloatArray, b: FloatArray, *, confidence: float, seed: int, n_resamples: int | None = None
) -> TestResult:
    """Bootstrap the difference of two means, groups resampled separately: percentile method."""
    # Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 8;
    # scipy.stats.bootstrap.
    from scipy import stats

    resamples, n, random = n_resamples or N_RESAMPLES, len(a) + len(b), np.random.default_rng(seed)
    if n > MANY_UNITS:
        means = _resampled_means(b, resamples, random) - _resampled_means(a, resamples, random)
        low, high = map(float, np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2]))
    else:
        resampled = stats.bootstrap(
            (b, a), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
            n_resamples=resamples, batch=max(1, DRAWS_AT_ONCE // n), confidence_level=confidence,
            method="percentile", rng=random,
        )  # fmt: skip
        means = resampled.bootstrap_distribution
        low, high = map(float, resampled.confidence_interval)
    tail = min(np.sum(means <= 0.0), np.sum(means >= 0.0))
    pvalue = min(1.0, 2.0 * (tail + 1.0) / (resamples + 1.0))
    row = [b.mean() - a.mean(), math.nan, pvalue, low, high]
    return TestResult.of_mean(
        np.array(row)[:, None], test="bootstrap", confidence=confidence, n_queries=n,
        method="Monte Carlo", n_resamples=resamples,
    )  # fmt: skip


def _resampled_means(
    group: FloatArray, n_resamples: int, random: np.random.Generator
) -> FloatArray:
    values, counts = np.unique(group, return_counts=True)
    weights = counts.astype(np.float64)
    if len(values) > MOST_VALUES:
        step = float(group.std()) / STEPS
        cells, weights = on_grid(values, counts, step)
        values = np.asarray(cells * step, np.float64)
    drawn = random.multinomial(len(group), weights / weights.sum(), n_resamples)
    return np.asarray(drawn @ values / len(group))


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


# --- Two systems that were each run several times (seeds, index refreshes, folds)

# Averages over repeated runs only allow conclusions about these runs. Here runs are treated as
# random, too, so that the result applies to further training runs.

SMALL_SHARE = 0.1  # share of the variance below which further runs hardly help


@record
class RepeatsResult:
    """The mean difference over queries and runs, and how much of its error is due to the runs.

    ``share_of_runs`` is the share of the squared error that infinitely many runs would remove.
    ``runs_needed`` is the number of runs per system that reduces it to a tenth (None if all of
    the error is due to the runs).
    """

    estimate: float
    error: float
    ci_low: float
    ci_high: float
    pvalue: float
    freedom: float
    share_of_runs: float
    runs_needed: int | None


def compare_repeats(
    a: npt.ArrayLike, b: npt.ArrayLike, *, confidence: float = 0.95
) -> RepeatsResult:
    """Test the mean difference of two systems over queries and runs (a mixed model).

    Estimand: the mean difference over the populations of queries and of runs. Hypothesis: it is 0.
    The query pairs the scores; runs of one system are not paired with those of the other.

    Parameters
    ----------
    a, b : array_like of shape (n_queries, n_runs)
        Scores of baseline and candidate, one column per run. The numbers of runs may differ.
    confidence : float

    Raises
    ------
    ArgumentError
        If there are fewer than two queries, or fewer than two runs of a system.

    Notes
    -----
    Score = system + query + system x query + run of the system + residual. The system effect is
    fixed and all others are random; runs of both systems have the same variance. Let D be the
    variance of the differences of per-query means, V the pooled variance of the means of runs, E
    the mean square of query x run within systems, and k = 1 / n_runs(a) + 1 / n_runs(b). The
    squared error is D / n + k (V - E / n), the last term at least 0, with Satterthwaite's degrees
    of freedom. If no component is 0 this equals the REML estimate of ``statsmodels``
    ``MixedLM`` (scores of all runs on all queries are balanced), which takes minutes for 200
    queries because query and run effects are crossed. In simulations it rejects 4.5 to 5.6 % of
    true hypotheses with at least three runs of each system, and 4.5 to 7 % with two.

    References
    ----------
    .. [1] Searle, Casella & McCulloch (1992), Variance Components, chapter 4; Satterthwaite (1946),
       Biometrics Bulletin 2, 110-114.

    Examples
    --------
    >>> a = [[0.2, 0.3], [0.4, 0.5], [0.1, 0.2], [0.5, 0.6], [0.3, 0.3]]
    >>> b = [[0.4, 0.3], [0.4, 0.5], [0.4, 0.3], [0.7, 0.6], [0.7, 0.5]]
    >>> result = compare_repeats(a, b)
    >>> round(result.estimate, 3), round(result.pvalue, 3), round(result.share_of_runs, 2)
    (0.14, 0.126, 0.63)
    """
    blocks = [np.asarray(block, dtype=np.float64) for block in (a, b)]
    if any(block.ndim != 2 or min(block.shape) < 2 for block in blocks):
        raise ArgumentError("it takes two queries and two runs of each system at least")
    if len(blocks[0]) != len(blocks[1]):
        raise ArgumentError(f"A has {len(blocks[0])} queries and B {len(blocks[1])}")
    for block in blocks:
        finite("scores", block, "query", "run")
    n, alpha = len(blocks[0]), as_alpha(confidence, 1)
    difference = blocks[1].mean(axis=1) - blocks[0].mean(axis=1)
    run_freedom = sum(block.shape[1] - 1 for block in blocks)
    inverse_runs = sum(1.0 / block.shape[1] for block in blocks)
    variance_of_runs = sum(_squares(block.mean(axis=0)) for block in blocks) / run_freedom
    centred = [block - block.mean(axis=1, keepdims=True) for block in blocks]
    residuals = [np.sum((block - block.mean(axis=0)) ** 2) for block in centred]
    residual = float(sum(residuals)) / (run_freedom * (n - 1))
    parts = np.array([
        _squares(difference) / (n - 1) / n,
        inverse_runs * variance_of_runs,
        -inverse_runs * residual / n,
    ])  # fmt: skip
    freedoms = np.array([n - 1, run_freedom, run_freedom * (n - 1)], np.float64)
    if parts[1] + parts[2] <= 0.0:  # runs differ no more than expected from their queries
        parts, freedoms = parts[:1], freedoms[:1]
    squared, mean = float(parts.sum()), difference.mean(keepdims=True)
    error, freedom = satterthwaite(parts, freedoms)
    _, pvalue, low, high = t_answer(mean, error[None], freedom, alpha)
    of_runs = min(inverse_runs * variance_of_runs, squared)
    of_queries = squared - of_runs
    needed = None
    if of_queries > 0.0:
        minimum = 2.0 * variance_of_runs * (1.0 - SMALL_SHARE) / (SMALL_SHARE * of_queries)
        needed = max(1, math.ceil(minimum))
    return RepeatsResult(
        float(mean[0]), float(error), float(low[0]), float(high[0]), float(pvalue[0]),
        float(freedom),
        of_runs / squared if squared > 0.0 else math.nan, needed,
    )  # fmt: skip


def _squares(values: FloatArray) -> float:
    return float(((values - values.mean()) ** 2).sum())
