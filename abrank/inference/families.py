"""Several comparisons at once: adjusted p-values, and max-T with their joint distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.paired import mean_and_error
from abrank.inference.registry import as_alpha, as_differences
from abrank.inference.rounding import (
    TIE,
    align_interval_with_pvalue,
    beside_zero,
    round_off,
    snap,
    to_lattice,
)
from abrank.inference.sign_flips import all_subsets, composed_flips, random_subsets

# --- Adjusted p-values

ADJUSTMENTS = (
    "none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "hommel", "bh", "by"
)  # fmt: skip
_MULTIPLETESTS = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}


def adjust(pvalues: npt.ArrayLike, method: str) -> FloatArray:
    """Adjust the p-values of a family for multiple comparisons.

    The result has the same shape; reject at level alpha if the adjusted value is below alpha.

    Parameters
    ----------
    pvalues : array_like of any shape
        Between 0 and 1. NaN (an undefined test) stays NaN and does not count in the family.
    method : str
        One of ``ADJUSTMENTS``. "bonferroni", "sidak", "holm", "holm-sidak", "hochberg" and
        "hommel" control the probability of any false positive; "bh" and "by" control the false
        discovery rate. All except "bonferroni", "holm" and "by" need independent or positively
        dependent tests.

    References
    ----------
    .. [1] Holm (1979), Scandinavian Journal of Statistics 6, 65-70; Hochberg (1988), Biometrika 75,
       800-802; Hommel (1988), Biometrika 75, 383-386; Benjamini & Hochberg (1995), Journal of the
       Royal Statistical Society B 57, 289-300; Benjamini & Yekutieli (2001), Annals of Statistics
       29, 1165-1188.

    Examples
    --------
    >>> adjust([0.01, float("nan"), 0.04, 0.03], "holm")
    array([0.03,  nan, 0.06, 0.06])
    """
    checks.one_of("adjustment", method, ADJUSTMENTS)
    adjusted = np.array(pvalues, dtype=np.float64)
    defined = ~np.isnan(adjusted)
    if not np.all((adjusted[defined] >= 0.0) & (adjusted[defined] <= 1.0)):
        raise ArgumentError("p-values must lie between 0 and 1")
    if method == "none" or not defined.any():
        return adjusted
    if method in ("holm", "bh"):
        adjusted[defined] = np.minimum(_stepwise(adjusted[defined], method), 1.0)
    else:
        from statsmodels.stats.multitest import multipletests

        with np.errstate(divide="ignore"):  # p may be 1
            adjusted[defined] = multipletests(
                adjusted[defined], method=_MULTIPLETESTS.get(method, method)
            )[1]
    return adjusted


def _stepwise(pvalues: FloatArray, method: str) -> FloatArray:
    """Return p-values adjusted by Holm or Benjamini-Hochberg, without the cap at 1."""
    # Not from statsmodels, which takes a second to import for every comparison and ranking.
    order, ranks = np.argsort(pvalues, kind="stable"), np.arange(1, pvalues.size + 1)
    result = np.empty_like(pvalues)
    if method == "holm":
        result[order] = np.maximum.accumulate(ranks[::-1] * pvalues[order])
    else:
        steps = pvalues[order] / (ranks / pvalues.size)
        result[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return result


def share_of_alpha(pvalues: FloatArray, method: str, alpha: float) -> FloatArray:
    """Return the share of alpha at which a procedure tests each p-value of a family."""
    # An interval of level 1 - share * alpha excludes 0 exactly if the adjusted p is below alpha.
    # For "bonferroni" and "sidak" the share is constant, and the intervals are simultaneous.
    adjusted = adjust(pvalues, method)
    defined = ~np.isnan(pvalues)
    m = max(1, int(defined.sum()))
    if method == "bonferroni":
        return np.full(pvalues.shape, 1.0 / m)
    if method == "sidak":
        return np.full(pvalues.shape, -math.expm1(math.log1p(-alpha) / m) / alpha)
    if method == "holm":  # without the cap at 1, which would hide the level of the interval
        adjusted[defined] = _stepwise(pvalues[defined], method)
    if method == "by":
        adjusted = adjust(pvalues, "bh") * float((1.0 / np.arange(1, m + 1)).sum())
    share = np.ones_like(adjusted)
    np.divide(pvalues, adjusted, out=share, where=defined & (adjusted > 0.0))
    share[defined & (pvalues == 0.0)] = 1.0 / m
    return share


# --- Max-T: joint tests by the distribution of the largest statistic

N_FLIPS = 19_999
# With more queries, flips are products of a few random ones.
MANY_QUERIES = 10_000
# z-values closer than this are equal.
SAME_Z = 1e-9
# Limits of memory: pairs of systems, their differences on all queries, and sums for all flips.
PAIRS_AT_ONCE, DIFFERENCES_AT_ONCE, SUMS_AT_ONCE = 2**12, 2**23, 2**16
COLUMNS_AT_ONCE = 16
N_TOLD = 20  # number of progress reports


@record
class MaxT:
    """Adjusted p-values and simultaneous intervals, arrays of shape (n_comparisons,)."""

    # `pvalue` is from the single-step procedure and corresponds to the intervals.
    # `pvalue_step_down` is at most `pvalue`. `pvalue_alone` is not adjusted.

    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    pvalue_step_down: FloatArray
    pvalue_alone: FloatArray
    n_resamples: int


def max_t(
    differences: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = N_FLIPS,
    seed: int = 0,
) -> MaxT:
    """Test a family of mean differences jointly, two-sided (Westfall and Young's max-T)."""
    # Hypothesis: all differences of a query change sign together with probability 1/2. Because the
    # flips are shared, the correlation of the comparisons is used, which Bonferroni and Holm
    # ignore. Under the hypothesis all intervals cover their means with probability `confidence`,
    # and an interval excludes 0 exactly if its `pvalue` < 1 - confidence. z = abs(sum d) / sqrt(sum
    # d**2) increases with abs(t), and flips do not change its denominator. p is the share of flips,
    # including the identity, whose largest z is at least the column's z. The critical value c, an
    # order statistic of the largest z, becomes c sqrt((n - 1) / (n - c**2)) on the scale of t. The
    # step-down p compares a column with the largest z of the columns whose z is not larger, and is
    # at least the p of columns with larger z. It is more powerful and also controls the familywise
    # error. But its confidence set does not tell on which side of 0 a mean lies, so intervals are
    # only given for the single step.
    # Source: Westfall & Young (1993), Resampling-Based Multiple Testing, pp. 116-117; Boytsov,
    # Belova & Westfall (2013), SIGIR, 403-412; Stefansson, Kim & Hsu (1988), in Statistical
    # Decision Theory and Related Topics IV, vol. 2, 89-104: the set that inverts a step-down test.
    # All 2**n flips are enumerated if there are at most `n_resamples` + 1. Above 10,000 queries the
    # flips are all products of a few random ones (`composed_flips`).
    data = as_differences(differences)
    live = np.any(data != 0.0, axis=0)
    numbers, _ = to_lattice(data[:, live])

    def flipped(columns: IntArray, n_flips: int, out: FloatArray) -> None:
        out[:] = _flipped_sums(numbers[:, columns], n_flips, seed)

    statistics = _FlipColumns.of(data[:, live], numbers)
    return _jointly(statistics, live, len(data), flipped, confidence, n_resamples, seed)


def pairs_at_once(n_pairs: int, n_queries: int) -> Iterator[slice]:
    """Yield the places of pairs of systems, so few that their differences fit in memory."""
    step = max(1, min(PAIRS_AT_ONCE, DIFFERENCES_AT_ONCE // max(n_queries, 1)))
    yield from (slice(start, start + step) for start in range(0, n_pairs, step))


def max_t_of_systems(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    confidence: float = 0.95,
    n_resamples: int = N_FLIPS,
    seed: int = 0,
    on_part: Callable[[int, int], None] | None = None,
    alone_of_first: bool = False,
) -> MaxT:
    """Compute :func:`max_t` for the differences of many pairs of systems with far fewer sums."""
    # With `alone_of_first`, `pvalue_alone` may be NaN except for pairs with system 0. If all pairs
    # are compared, in the order of triu_indices, this avoids most of the work. The sum of a pair
    # under a flip is the difference of two system sums, which are computed once per system. The
    # differences of all pairs are never held in memory. The intervals are from the single step. If
    # only the step-down p of a pair is significant, the limit next to 0 is moved to 0 (its
    # neighbouring float), so that the interval excludes 0 exactly if `pvalue_step_down` < 1 -
    # confidence. Two guarantees hold separately: the single-step intervals cover all means with at
    # least `confidence`, and the step-down p-values give a false positive with at most 1 -
    # confidence. Both together may hold with less than `confidence`.
    # Source: Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 4.1; Romano &
    # Wolf (2005), Econometrica 73, 1237-1282.
    n_resamples = checks.resamples(n_resamples)
    scale = np.abs(scores).max(initial=0.0)
    above = scores - scores.min(axis=1, keepdims=True, initial=np.inf)
    units = to_lattice(above.reshape(-1, 1))[0].reshape(scores.shape)
    live = np.zeros(len(first), np.bool_)
    parts = []
    for part in pairs_at_once(len(first), len(scores)):
        left, right = first[part], second[part]
        data = scores.take(right, axis=1) - scores.take(left, axis=1)
        # What rounding sets to 0 is at most one step of this size per query.
        near, zero = np.abs(data) <= 2 * len(scores) * TIE * scale, data == 0.0
        rounded = np.flatnonzero((near > zero).any(axis=0))
        data[:, rounded] = round_off(data[:, rounded], scale=scale)
        zero[:, rounded] = data[:, rounded] == 0.0
        differ = ~zero.all(axis=0)
        live[part] = differ
        # Rounding errors of equal scores are no difference.
        numbers = units.take(right, axis=1) - units.take(left, axis=1)
        numbers[zero] = 0
        parts.append(_FlipColumns.of(*(item.compress(differ, axis=1) for item in (data, numbers))))
    statistics = _FlipColumns(*map(np.concatenate, zip(*parts, strict=True)))
    left, right = first[live], second[live]

    @cache
    def sums(n_flips: int) -> FloatArray:
        return _flipped_sums(units, n_flips, seed)

    def flipped(columns: IntArray, n_flips: int, out: FloatArray) -> None:
        table = sums(n_flips)
        for row, i, j in zip(out, right[columns].tolist(), left[columns].tolist(), strict=True):
            np.subtract(table[i], table[j], out=row)

    def may_exceed(largest: FloatArray, n_flips: int) -> BoolArray:
        """Return which pairs may have a larger z under some flip, always including system 0."""
        from scipy.spatial.distance import pdist

        ratio = pdist(sums(n_flips) / largest, "chebyshev")[live]
        return np.asarray((left == 0) | (ratio > (1.0 - SAME_Z) * statistics.size))

    screens = alone_of_first and len(first) == math.comb(scores.shape[1], 2)
    jointly = _jointly(
        statistics, live, len(scores), flipped, confidence, n_resamples, seed, on_part,
        may_exceed if screens else None,
    )  # fmt: skip
    alpha = float(as_alpha(float(confidence), 1)[0])
    low, high = jointly.ci_low.copy(), jointly.ci_high.copy()
    low[live], high[live] = beside_zero(
        jointly.pvalue_step_down[live] < alpha, statistics.total, low[live], high[live]
    )
    return replace(jointly, ci_low=low, ci_high=high)


class _FlipColumns(NamedTuple):
    """The statistics that max-T needs of each column, except columns of zeros."""

    total: IntArray
    size: FloatArray  # root of the sum of squares
    mean: FloatArray
    error: FloatArray

    @classmethod
    def of(cls, data: FloatArray, numbers: IntArray) -> _FlipColumns:
        size = np.sqrt((numbers.astype(np.float64) ** 2).sum(axis=0))
        spread = mean_and_error(data) if len(data) else (size, size)
        return cls(numbers.sum(axis=0), size, *spread)


def _jointly(
    statistics: _FlipColumns,
    live: BoolArray,
    n_queries: int,
    flipped: Callable[[IntArray, int, FloatArray], None],
    confidence: float,
    n_resamples: int,
    seed: int,
    on_part: Callable[[int, int], None] | None = None,
    may_exceed: Callable[[FloatArray, int], BoolArray] | None = None,
) -> MaxT:
    """Compute max-T for all columns; ``flipped`` writes the sums of nonzero ones per flip."""
    n_columns = len(live)
    alpha = float(as_alpha(float(confidence), 1)[0])
    n_flips = checks.resamples(n_resamples)
    checks.count("seed", seed, at_least=0)
    exact = n_queries < 63 and 2**n_queries <= n_flips + 1
    if n_queries > MANY_QUERIES:
        n_flips = 2 ** n_flips.bit_length() - 1
    flips = 0 if exact else n_flips
    if n_queries == 0:
        nothing = np.full(n_columns, np.nan)
        return MaxT(nothing, nothing, nothing, nothing, nothing, 0)
    pvalue, low, high = np.ones((3, n_columns)), np.zeros(n_columns), np.zeros(n_columns)
    if live.any():
        pvalue[:, live], largest = _pvalues(
            statistics, n_queries, flips, flipped, on_part, may_exceed
        )
        # Simultaneous intervals use one critical value.
        table = np.arange(largest.size + 1) / largest.size
        k = int(np.searchsorted(table, alpha, side="left"))
        critical = np.partition(largest, largest.size - k)[largest.size - k]
        room = n_queries - critical**2
        half: FloatArray = np.full(len(statistics.mean), np.inf)
        # z is at most sqrt(n) and here at most the largest observed one. A critical value that
        # large rejects nothing.
        if room > 1e-8 * n_queries and critical < largest.max() - SAME_Z:
            factor = critical * np.sqrt((n_queries - 1) / room)
            half = factor * np.where(np.isnan(statistics.error), 0.0, statistics.error)
        mean, level = statistics.mean, np.full(len(half), alpha)
        low[live], high[live] = align_interval_with_pvalue(
            pvalue[0, live], mean, mean - half, mean + half, level
        )
    if n_queries == 1:
        low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
    return MaxT(pvalue[0], low, high, pvalue[1], pvalue[2], flips)


def _pvalues(
    statistics: _FlipColumns,
    n_queries: int,
    n_flips: int,
    flipped: Callable[[IntArray, int, FloatArray], None],
    on_part: Callable[[int, int], None] | None,
    may_exceed: Callable[[FloatArray, int], BoolArray] | None,
) -> tuple[FloatArray, FloatArray]:
    # The rows of p-values are single step, step-down and not adjusted.
    # Equal z may differ in the last digits, and a sum of two lattices by two units per query.
    reached = np.abs(snap(statistics.total, 2 * n_queries)) / statistics.size - SAME_Z
    # Keeping the sign of the last query covers half of all flips; the others mirror the sums.
    n_sums = n_flips + 1 if n_flips else 2 ** (n_queries - 1)
    largest: FloatArray = np.zeros(n_sums)
    pvalue = np.full((3, len(reached)), np.nan)
    order = np.argsort(reached, kind="stable")
    levels = reached[order]
    # Process a few columns at a time, smallest z first, to limit memory; the flips are the same.
    # The step-down p compares a column with the largest z of the columns so far. A flip with
    # largest z M counts for columns with z up to M, until a later column has a larger z under this
    # flip. So only those columns matter where a flip reaches a new maximum, which are few. The
    # identity counts for every column, and all other flips count for columns with z = 0.
    reaching = np.zeros(len(order) + 1, np.int64)
    reaching[0] = n_sums
    reaching[np.searchsorted(levels, 0.0, side="right")] -= n_sums - 1
    largest[0] = np.inf
    step = max(1, SUMS_AT_ONCE // n_sums)
    # After this number of columns, about as many have a new maximum.
    n_first = math.isqrt(len(order) * n_sums)
    stride = max(1, len(order) // step // N_TOLD)
    block = np.empty((step, n_sums))
    block_reaches = np.empty((step, n_sums), np.bool_)

    def stages() -> Iterator[IntArray]:
        places = np.arange(len(order))
        if may_exceed is None or 4 * n_first > len(order):
            yield places
        else:
            yield places[:n_first]
            yield places[n_first:][may_exceed(largest, n_flips)[order[n_first:]]]

    parts = (part[i : i + step] for part in stages() for i in range(0, len(part), step))
    for turn, places in enumerate(parts):
        columns = order[places]
        # Reuse arrays, because allocating them takes longer than filling them.
        z, reaches = block[: len(columns)], block_reaches[: len(columns)]
        flipped(columns, n_flips, z)
        np.abs(z, out=z)
        np.multiply(z, (1.0 / statistics.size[columns])[:, None], out=z)
        bits = np.packbits(np.greater_equal(z, reached[columns, None], out=reaches), axis=1)
        pvalue[2, columns] = np.bitwise_count(bits).sum(axis=1, dtype=np.int64) / n_sums
        flips = np.flatnonzero(z.max(axis=0) > largest)
        if flips.size:
            so_far = np.maximum.accumulate(np.vstack([largest[flips], z[:, flips]]), axis=0)
            place, flip = np.nonzero(so_far[1:] > so_far[:-1])
            before, after = (
                np.searchsorted(levels, so_far[place + i, flip], side="right") for i in (0, 1)
            )
            begin = np.maximum(before, places[place])
            more = after > begin
            np.add.at(reaching, begin[more], 1)
            np.subtract.at(reaching, after[more], 1)
            largest[flips] = so_far[-1]
        if on_part is not None and turn % stride == 0:
            on_part(int(places[0]), len(order))
    largest[0] = levels[-1] + SAME_Z
    pvalue[0] = (n_sums - np.searchsorted(np.sort(largest), reached)) / n_sums
    step_down = np.cumsum(reaching[:-1]) / n_sums
    pvalue[1, order] = np.maximum.accumulate(step_down[::-1])[::-1]
    return pvalue, largest


def _flipped_sums(numbers: IntArray, n_flips: int, seed: int) -> FloatArray:
    """Return the sums of each column under every flip, identity first: (columns, flips)."""
    # Whole numbers of at most 33 bits: floats represent sums of a million of them exactly.
    n_queries, n_columns = numbers.shape
    if n_queries > MANY_QUERIES:
        n_generators = n_flips.bit_length()
        sums = [composed_flips(column, n_generators, seed=seed) for column in numbers.T]
        return np.array(sums, np.float64)
    subsets = np.zeros((n_columns, n_flips + 1 if n_flips else 2 ** (n_queries - 1)))
    for start in range(0, n_columns, COLUMNS_AT_ONCE):
        part = slice(start, start + COLUMNS_AT_ONCE)
        if n_flips:
            subsets[part, 1:] = random_subsets(numbers[:, part], n_flips, seed=seed)[0]
        else:
            subsets[part] = all_subsets(numbers[:-1, part])[0]
    subsets *= -2.0
    subsets += numbers.sum(axis=0)[:, None]
    return subsets
