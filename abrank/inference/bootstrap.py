"""The studentised bootstrap of the mean difference, and parts shared by other resampling tests."""

from __future__ import annotations

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.paired import mean_and_error, t
from abrank.inference.registry import Answer, paired_test
from abrank.inference.rounding import TIE, align_interval_with_pvalue, round_off, to_lattice

N_RESAMPLES = 9_999
# Together with the seed this determines the resamples; changing it changes results.
DRAWS_AT_ONCE = 2_000_000
# With more queries, the counts of values on a grid are drawn instead of single queries. The grid
# has this number of steps per standard deviation.
MANY_QUERIES = 10_000
RESAMPLED_STEPS = 10.0
# With a larger share of resamples without variance, their infinite t make the interval useless.
MOST_WITHOUT_SPREAD = 0.01


def on_grid(values: FloatArray, counts: IntArray, step: float) -> tuple[IntArray, FloatArray]:
    """Distribute each value to the two nearest multiples of ``step`` without changing the sum."""
    multiple = np.floor(values / step)
    share = values / step - multiple
    # Values lie within sqrt(n) standard deviations of the mean, so this array is short.
    cell = (multiple - multiple.min()).astype(np.int64)
    weights = np.bincount(cell, (1.0 - share) * counts, cell.max() + 2)
    weights += np.bincount(cell + 1, share * counts)
    used = np.flatnonzero(weights)
    return used + int(multiple.min()), np.asarray(weights[used])


@paired_test(
    "bootstrap",
    title="Bootstrap, studentised",
    phrase="bootstrap test",
    estimand="mean difference",
    source="Efron & Tibshirani 1993; Hall 1988",
)
def bootstrap(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
) -> Answer:
    """Estimate the mean difference by the t statistics of resampled queries (bootstrap-t).

    Estimand: the mean difference. Hypothesis: it is 0 in the population that the queries are a
    sample of. A query is drawn with both its scores, which pairs them.

    Parameters
    ----------
    seed : int
        Seed of the resamples; they also depend on the number of queries.
    n_resamples : int, optional
        Number B of resamples. Default: 9,999.

    Notes
    -----
    ``statistic`` is t. If more than 1 % of the resamples would have no variance (up to four
    queries, or most differences 0), the paired t test is used instead. p is (b + 1) / (B + 1),
    where b counts the resamples whose abs(t) about the sample mean is at least the observed one.
    The interval is symmetric, from an order statistic of the same resamples. The test keeps its
    level and is conservative with few queries; percentile, BCa and basic intervals
    (``scipy.stats.bootstrap``) reject too often with up to about 100 queries. With up to 10,000
    queries all columns share the resamples; with more, the differences are first rounded to a grid
    of a tenth of their standard deviation.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> d = [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4]
    >>> result = run_test("bootstrap", d)
    >>> bool(0 < result.ci_low[0] < 0.04), bool(result.pvalue[0] < 0.05), result.method
    (True, True, 'Monte Carlo')
    """
    differences = round_off(differences)
    n_draws = n_resamples or N_RESAMPLES
    instead = t(differences, alternative=alternative, alpha=alpha)
    rows = np.stack(
        [instead.estimate, instead.statistic, instead.pvalue, instead.ci_low, instead.ci_high]
    )
    # The probability that a resample consists of a single value, by column.
    shares = [np.unique(column, return_counts=True)[1] / len(column) for column in differences.T]
    one_value = np.array([(share ** len(differences)).sum() for share in shares])
    columns = np.flatnonzero(one_value <= MOST_WITHOUT_SPREAD)
    mean, error = mean_and_error(differences)
    if not len(columns):
        return Answer.from_rows(rows, "closed form")
    if len(differences) <= MANY_QUERIES:
        numbers = to_lattice(differences[:, columns])[0].astype(np.float64)
        random, n = stream(seed, "resamples"), len(numbers)
        replicates = [*resampled_t(numbers - numbers.mean(axis=0), None, n, n_draws, random).T]
    else:
        replicates = [_by_value(differences[:, column], n_draws, seed) for column in columns]
    for column, t_star in zip(columns, replicates, strict=True):
        rows[2:, column] = invert_t(t_star, mean[column], error[column], alpha[column], alternative)
    precision = np.stack([rows[2], rows[2], np.zeros_like(mean)])
    precision[2, columns] = np.sqrt(rows[2, columns] * (1.0 - rows[2, columns]) / n_draws)
    return Answer.from_rows(rows, "Monte Carlo", n_draws, precision)


def resampled_t(
    residual: FloatArray,
    sizes: FloatArray | IntArray | None,
    n_units: int,
    n_draws: int,
    random: np.random.Generator,
    shares: FloatArray | None = None,
) -> FloatArray:
    """Return t of resampled units about the mean, float64[n_draws, n_columns]."""
    # `residual` are the sums of the units (or of grid cells, with their `shares`) minus the mean
    # times `sizes`, the numbers of queries in the units; without `sizes` they are 1.
    k, columns = residual.shape[1], [residual, residual**2]
    if sizes is not None:
        size = np.asarray(sizes, np.float64)[:, None]
        columns += [residual * size, size, size**2]
    table = np.hstack(columns).T.copy()
    at_once = max(1, DRAWS_AT_ONCE // len(residual))
    parts = []
    for first in range(0, n_draws, at_once):
        count = min(at_once, n_draws - first)
        if shares is None:
            index = random.integers(0, n_units, (count, n_units))
            parts.append(np.stack([column.take(index).sum(axis=1) for column in table]))
        else:
            parts.append(table @ random.multinomial(n_units, shares, count).T)
    sums = np.concatenate(parts, axis=1).T
    total, squares, crossed, n, squared_sizes = np.split(sums, [k, 2 * k, 3 * k, 3 * k + 1], axis=1)
    if sizes is None:
        crossed, n, squared_sizes = total, np.full(1, n_units), np.full(1, n_units)
    shift = total / n
    spread = squares - 2.0 * shift * crossed + shift**2 * squared_sizes
    # If all drawn values have the same mean, the rest is rounding error.
    constant = spread <= 1e-9 * squares
    error = np.sqrt(n_units / (n_units - 1.0) * np.where(constant, 1.0, spread)) / n
    moved = np.abs(shift) > TIE * np.abs(residual).max(axis=0, initial=0.0)
    endless = np.where(moved, np.copysign(np.inf, shift), 0.0)
    return np.where(constant, endless, shift / error)


def _by_value(differences: FloatArray, n_draws: int, seed: int) -> FloatArray:
    """Return t of resamples that are drawn as counts of values on a grid, shape (n_draws,)."""
    n_queries = differences.size
    # Use the same order of cells after swapping the systems, so that the result is mirrored.
    sign = -1.0 if differences.sum() < 0.0 else 1.0
    step = float(differences.std()) / RESAMPLED_STEPS
    cells, weights = on_grid(*np.unique(sign * differences, return_counts=True), step)
    residual = np.asarray((cells - float(cells @ weights) / n_queries) * step)[:, None]
    random, shares = stream(seed, "resamples"), weights / n_queries
    return sign * resampled_t(residual, None, n_queries, n_draws, random, shares)[:, 0]


def invert_t(
    t_star: FloatArray, mean: float, error: float, alpha: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return the p-value and limits of the bootstrap-t; symmetric if two-sided."""
    direction = -1.0 if alternative == "less" else 1.0
    observed = direction * mean / error
    replicates = direction * t_star
    if alternative == "two-sided":
        observed, replicates = abs(observed), np.abs(replicates)
    # A resample with the observed t counts as a tie despite rounding errors.
    close = np.isclose(replicates, observed, rtol=1e-9, atol=0.0)
    replicates = np.where(close, observed, replicates)
    n = replicates.size
    pvalue = (np.count_nonzero(replicates >= observed) + 1) / (n + 1)
    table = np.arange(1, n + 2) / (n + 1)
    k = int(np.searchsorted(table, alpha, side="left"))
    quantile = np.inf if k == 0 else -np.partition(-replicates, k - 1)[k - 1]
    low = np.array([-np.inf if alternative == "less" else mean - quantile * error])
    high = np.array([np.inf if alternative == "greater" else mean + quantile * error])
    low, high = align_interval_with_pvalue(
        np.array([pvalue]), np.array([mean]), low, high, np.array([alpha])
    )
    return pvalue, float(low[0]), float(high[0])
