"""Several comparisons at once: adjusted p-values, and max-T by their joint distribution."""

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

# --- Adjusted p-values of a family

ADJUSTMENTS = (
    "none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "hommel", "bh", "by"
)  # fmt: skip
_MULTIPLETESTS = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}


def adjust(pvalues: npt.ArrayLike, method: str) -> FloatArray:
    """Adjust the p-values of a family for their number.

    Returned is an array of the same shape: reject at level alpha where the value is below alpha.

    Parameters
    ----------
    pvalues : array_like of any shape
        Between 0 and 1. NaN (a test that is not defined) stays NaN and is no member of the family.
    method : str
        One of ``ADJUSTMENTS``. "bonferroni", "sidak", "holm", "holm-sidak", "hochberg" and
        "hommel" bound the chance of any false finding, "bh" and "by" the expected share of false
        ones. All but "bonferroni", "holm" and "by" ask for independent or positively dependent
        tests.

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
    """Return p-values adjusted by Holm or by Benjamini and Hochberg, not cut at 1."""
    # Own: cold comparisons and rankings ask for them, and statsmodels takes a second to load.
    order, ranks = np.argsort(pvalues, kind="stable"), np.arange(1, pvalues.size + 1)
    result = np.empty_like(pvalues)
    if method == "holm":
        result[order] = np.maximum.accumulate(ranks[::-1] * pvalues[order])
    else:
        steps = pvalues[order] / (ranks / pvalues.size)
        result[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return result


def share_of_alpha(pvalues: FloatArray, method: str, alpha: float) -> FloatArray:
    """Return at which share of alpha a procedure tests each p-value of a family."""
    # An interval of the level 1 - share x alpha excludes 0 exactly where the adjusted p is below
    # alpha. Of "bonferroni" and "sidak" it is one for all, and the intervals hold jointly.
    adjusted = adjust(pvalues, method)
    defined = ~np.isnan(pvalues)
    m = max(1, int(defined.sum()))
    if method == "bonferroni":
        return np.full(pvalues.shape, 1.0 / m)
    if method == "sidak":
        return np.full(pvalues.shape, -math.expm1(math.log1p(-alpha) / m) / alpha)
    if method == "holm":  # not cut at 1, which would make an interval of no level of its own
        adjusted[defined] = _stepwise(pvalues[defined], method)
    if method == "by":
        adjusted = adjust(pvalues, "bh") * float((1.0 / np.arange(1, m + 1)).sum())
    share = np.ones_like(adjusted)
    np.divide(pvalues, adjusted, out=share, where=defined & (adjusted > 0.0))
    share[defined & (pvalues == 0.0)] = 1.0 / m
    return share


# --- Max-T: several comparisons at once by the joint distribution of the largest statistic

N_FLIPS = 19_999
# Above it the flips are the products of a few.
MANY_QUERIES = 10_000
# Two z nearer to each other than this are one.
SAME_Z = 1e-9
# What is held at once: pairs of systems, their differences on all queries, and sums under flips.
PAIRS_AT_ONCE, DIFFERENCES_AT_ONCE, SUMS_AT_ONCE = 2**12, 2**23, 2**16
COLUMNS_AT_ONCE = 16
N_TOLD = 20  # times that are told how far it is


@record
class MaxT:
    """Adjusted p-values and simultaneous intervals: arrays of shape (n_comparisons,)."""

    # `pvalue` is that of the single step, and the intervals belong to it. `pvalue_step_down` is
    # never above it. `pvalue_alone` is not adjusted.

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
    # Hypothesis: all differences of a query change sign together by the toss of one coin. The
    # shared flips keep the correlation of the comparisons, which Bonferroni and Holm give away: the
    # chance that any interval misses its mean is 1 - confidence under the hypothesis. An interval
    # excludes 0 exactly when its `pvalue` < 1 - confidence.
    # With z = abs(sum d) / sqrt(sum d**2), which grows with abs(t) and whose denominator no flip
    # changes, p is the share of flips, the identity among them, whose largest z reaches the
    # column's. The critical c, an order statistic of the largest z, becomes c sqrt((n - 1) / (n -
    # c**2)) on the scale of t. The step-down p compares a column with the largest z of the columns
    # whose z is no larger, and is never below the p of a column with a larger z. It finds more, and
    # bounds the chance of any false finding all the same; but the confidence set that belongs to it
    # does not say on which side of 0 a mean lies, so that the single step is what has intervals.
    # Source: Westfall & Young (1993), Resampling-Based Multiple Testing, pp. 116-117; Boytsov,
    # Belova & Westfall (2013), SIGIR, 403-412; Stefansson, Kim & Hsu (1988), in Statistical
    # Decision Theory and Related Topics IV, vol. 2, 89-104: the set that inverts a step-down test.
    # Where all 2**n flips are no more than `n_resamples` + 1 they are enumerated. Above 10,000
    # queries the flips are all products of a few random ones (`composed_flips`).
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
    """Return :func:`max_t` of the differences of many pairs of systems, by far fewer sums."""
    # With `alone_of_first`, `pvalue_alone` may be NaN but for the pairs of system 0: of all pairs,
    # in the order of triu_indices, most are then left out of most of the work.
    # The sum of a pair under a flip is the difference of the sums of its systems, which are found
    # once a system; the differences of a query are never held for all pairs.
    # The intervals are those of the single step, but for pairs that the steps alone tell apart:
    # there the limit next to 0 is put at 0 (the float beside it), so that they exclude 0 exactly
    # where `pvalue_step_down` < 1 - confidence. Promised is each by itself: the single-step
    # intervals hold all means with at least `confidence`, and the chance that the steps find any
    # pair without a difference is at most 1 - confidence. The chance that all that is shown is
    # right may fall below `confidence`.
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
        # What rounding takes to 0 is no more than a step of so much a query.
        near, zero = np.abs(data) <= 2 * len(scores) * TIE * scale, data == 0.0
        rounded = np.flatnonzero((near > zero).any(axis=0))
        data[:, rounded] = round_off(data[:, rounded], scale=scale)
        zero[:, rounded] = data[:, rounded] == 0.0
        differ = ~zero.all(axis=0)
        live[part] = differ
        # What rounding leaves of equal scores is no difference.
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
        """Say which pairs may have a larger z under some flip, and those of system 0."""
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
    """What max-T asks of each column of differences that are not all 0."""

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
    """Return max-T of all columns; ``flipped`` writes the sums of live ones under every flip."""
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
        # The simultaneous intervals of one critical value.
        table = np.arange(largest.size + 1) / largest.size
        k = int(np.searchsorted(table, alpha, side="left"))
        critical = np.partition(largest, largest.size - k)[largest.size - k]
        room = n_queries - critical**2
        half: FloatArray = np.full(len(statistics.mean), np.inf)
        # No z exceeds sqrt(n), nor here the largest of all: a critical value of that size rejects
        # nothing.
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
    """Return the p-values of every column, and the largest z of every flip, the identity first."""
    # The rows of the p-values are single step, step down and alone.
    # Equal z may differ in their last digits, and a sum of two lattices by two units a query.
    reached = np.abs(snap(statistics.total, 2 * n_queries)) / statistics.size - SAME_Z
    # Of all flips those that leave the last query do: the others only turn the sign of their sums.
    n_sums = n_flips + 1 if n_flips else 2 ** (n_queries - 1)
    largest: FloatArray = np.zeros(n_sums)
    pvalue = np.full((3, len(reached)), np.nan)
    order = np.argsort(reached, kind="stable")
    levels = reached[order]
    # A few columns at a time, smallest z first: the flips are the same, and the sums of all need
    # not be held. The step down compares a column with the largest z of the columns so far. A flip
    # whose largest z is M reaches the columns of a level up to M, until a column has a larger z: so
    # only the columns where a flip has a new largest z are looked at, which are few. The identity
    # reaches every level, and the others those of 0.
    reaching = np.zeros(len(order) + 1, np.int64)
    reaching[0] = n_sums
    reaching[np.searchsorted(levels, 0.0, side="right")] -= n_sums - 1
    largest[0] = np.inf
    step = max(1, SUMS_AT_ONCE // n_sums)
    # About as many columns have a new largest z after so many.
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
        # Into arrays that are there: to make them takes longer than to fill them.
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
    """Return the sums of each column under every flip, the identity first: (columns, flips)."""
    # Whole numbers of up to 33 bits: floats hold the sums of a million of them exactly.
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
