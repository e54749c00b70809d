"""The bootstrap of the mean difference, as an interval and the p-value that inverts it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from abrank._support import checks
from abrank._support.rng import stream
from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.catalogue import paired_test
from abrank.inference.inversion import invert, settle
from abrank.inference.lattice import snap, to_lattice
from abrank.inference.result import Answer
from abrank.inference.student import mean_and_error

Method = Literal["studentised", "percentile", "BCa", "basic"]

N_RESAMPLES = 9_999
N_RESAMPLES_OF_MANY_QUERIES = 999
MANY_QUERIES = 100_000
# Part of what a seed means: another value here gives other resamples.
DRAWS_AT_ONCE = 2_000_000


@paired_test(
    "bootstrap",
    title="Bootstrap",
    estimand="mean difference",
    source="Efron & Tibshirani 1993; Hall 1988; DiCiccio & Efron 1996",
)
def bootstrap(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
    method: Method = "studentised",
) -> Answer:
    """Estimate the mean difference by resampling queries with replacement.

    Estimand: the mean difference. Hypothesis: it is 0 in the population the queries are a sample
    of. A query is drawn with both its scores, which pairs them.

    Parameters
    ----------
    differences : ndarray of shape (n_queries, n_comparisons)
        Candidate minus baseline; taken to 10 decimals.
    alternative : {"two-sided", "greater", "less"}
    alpha : ndarray of shape (n_comparisons,)
    seed : int
        The resamples depend on it and on the number of queries, and are shared by all columns.
    n_resamples : int, optional
        Resamples B; 9,999, or 999 above 100,000 queries.
    method : {"studentised", "percentile", "BCa", "basic"}
        "studentised" is the symmetric bootstrap-t [1]_, which keeps its level from 25 queries up;
        "percentile" and "BCa" reject too often below 100 queries.

    Returns
    -------
    Answer
        ``statistic`` is t for "studentised", else the mean. Method "Monte Carlo". p is NaN and the
        interval unbounded with one query, and where all differences are one value other than 0.

    Notes
    -----
    The p-value is defined by the interval: the smallest alpha at which it excludes 0, counted as
    (b + 1) / (B + 1), so that it is never 0; the limits are order statistics of the resamples. A
    resample without spread has t* = +-inf (or 0, if its mean is the sample's). For BCa the count's
    share is carried through z0 and a [2]_ backwards.

    References
    ----------
    .. [1] Hall (1988), Journal of the Royal Statistical Society B 50, 35-45.
    .. [2] DiCiccio & Efron (1996), Statistical Science 11, 189-228, equation 2.3.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("bootstrap", [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    >>> bool(0 < result.ci_low[0] < 0.13 < result.ci_high[0]), bool(result.pvalue[0] < 0.05)
    (True, True)
    """
    checks.one_of("method", method, get_args(Method))
    n_queries = len(differences)
    many = n_queries > MANY_QUERIES
    n_draws = n_resamples or (N_RESAMPLES_OF_MANY_QUERIES if many else N_RESAMPLES)
    numbers, unit = to_lattice(differences)
    rounded = numbers * unit
    mean, error = mean_and_error(rounded)
    spread = np.isfinite(error)
    sums, squares = _resample(numbers[:, spread], unit[spread], n_draws, seed)
    means = snap(sums, n_queries) * (unit[spread] / n_queries)[:, None]
    found = np.full((5, len(mean)), np.nan)
    found[0] = mean
    found[1, spread] = mean[spread]
    found[3], found[4] = -np.inf, np.inf
    for column, one in enumerate(np.flatnonzero(spread)):
        if method == "studentised":
            t_star = _t_star(means[column], squares[column], mean[one], n_queries)
            found[1, one] = mean[one] / error[one]
            answer = _bootstrap_t(t_star, mean[one], error[one], alpha[one], alternative)
        else:
            answer = _quantiles(means[column], rounded[:, one], method, alpha[one], alternative)
        found[2:, one] = answer
    return Answer.of(found, "Monte Carlo", n_draws)


def _resample(
    numbers: IntArray, unit: FloatArray, n_draws: int, seed: int
) -> tuple[IntArray, FloatArray]:
    """Return sum and sum of squares about the mean of resamples: shape (n_columns, n_draws)."""
    n_queries, n_columns = numbers.shape
    sums = np.empty((n_columns, n_draws), np.int64)
    squares = np.empty((n_columns, n_draws))
    centred = (numbers - numbers.mean(axis=0)) * unit
    centred_squares = np.ascontiguousarray((centred**2).T)
    values = np.ascontiguousarray(numbers.T)
    random = stream(seed, "resamples")
    at_once = max(1, DRAWS_AT_ONCE // n_queries)
    for first in range(0, n_draws, at_once):
        index = random.integers(0, n_queries, (at_once, n_queries), np.int64)[: n_draws - first]
        part = slice(first, first + len(index))
        for column in range(n_columns):
            sums[column, part] = values[column].take(index).sum(axis=1)
            squares[column, part] = centred_squares[column].take(index).sum(axis=1)
    return sums, squares


def _t_star(means: FloatArray, squares: FloatArray, mean: float, n_queries: int) -> FloatArray:
    """Return the t statistic of every resample about the sample's mean."""
    shift = means - mean
    variance = squares / n_queries - shift**2
    # What is left of a resample of one value only is rounding.
    without_spread = variance <= 1e-9 * squares / n_queries
    error = np.sqrt(np.where(without_spread, 1.0, variance) / (n_queries - 1))
    moved = np.abs(shift) > 1e-10
    endless = np.where(moved, np.copysign(np.inf, shift), 0.0)
    return np.where(without_spread, endless, shift / error)


def _bootstrap_t(
    t_star: FloatArray, mean: float, error: float, alpha: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return p-value and limits of the bootstrap-t, symmetric if two-sided."""
    direction = -1.0 if alternative == "less" else 1.0
    observed = direction * mean / error
    replicates = direction * t_star
    if alternative == "two-sided":
        observed, replicates = abs(observed), np.abs(replicates)
    # A resample with the observed t is a tie, whatever its last digits.
    close = np.isclose(replicates, observed, rtol=1e-9, atol=0.0)
    replicates = np.where(close, observed, replicates)
    n = replicates.size
    pvalue = (np.count_nonzero(replicates >= observed) + 1) / (n + 1)
    table = np.arange(1, n + 2) / (n + 1)
    k = int(np.searchsorted(table, alpha, side="left"))
    quantile = np.inf if k == 0 else -np.partition(-replicates, k - 1)[k - 1]
    low = np.array([-np.inf if alternative == "less" else mean - quantile * error])
    high = np.array([np.inf if alternative == "greater" else mean + quantile * error])
    low, high = settle(np.array([pvalue]), np.array([mean]), low, high, np.array([alpha]))
    return pvalue, float(low[0]), float(high[0])


def _quantiles(
    means: FloatArray, sample: FloatArray, method: Method, alpha: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return p-value and limits of the intervals that are quantiles of the resampled means."""
    plain = np.arange(1, means.size + 2) / (means.size + 1)
    lower = upper = plain
    if method == "basic":
        reflected = 2.0 * sample.mean() - means
        means = np.where(np.abs(reflected) <= 1e-10, 0.0, reflected)
    if method == "BCa":
        lower, upper = _bca_tables(means, sample, plain)
    return invert(means, lower, upper, alpha=alpha, alternative=alternative)


def _bca_tables(
    means: FloatArray, sample: FloatArray, plain: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the one-sided p-value at every count, bias-corrected and accelerated."""
    from scipy.special import ndtr, ndtri

    centred = sample - sample.mean()
    acceleration = (centred**3).sum() / (6.0 * (centred**2).sum() ** 1.5)
    ties = np.abs(means - sample.mean()) <= 1e-10
    below = np.count_nonzero(means[~ties] < sample.mean()) + ties.sum() / 2.0
    bias = float(ndtri((below + 0.5) / (means.size + 1.0)))

    def table(z0: float, a: float) -> FloatArray:
        w = ndtri(plain[:-1]) - z0
        # Beyond the pole no level is left; the smallest p-value is that of a count of 0.
        y = np.copysign(np.inf, w)
        np.divide(w, 1.0 + a * w, out=y, where=1.0 + a * w > 0.0)
        pvalue = np.clip(ndtr(y - z0), plain[0], 1.0)
        return np.append(np.maximum.accumulate(pvalue), 1.0)

    return table(bias, acceleration), table(-bias, -acceleration)
