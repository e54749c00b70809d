"""Several comparisons at once: adjusted p-values, and max-T by their joint distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.paired import mean_and_error
from abrank.inference.registry import as_alpha, as_differences
from abrank.inference.rounding import align_interval_with_pvalue, round_off, snap, to_lattice
from abrank.inference.sign_flips import all_subsets, composed_flips, random_subsets

# --- Adjusted p-values of a family

ADJUSTMENTS = (
    "none", "bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "hommel", "bh", "by"
)  # fmt: skip
_MULTIPLETESTS = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}


def adjust(pvalues: npt.ArrayLike, method: str) -> FloatArray:
    """Adjust the p-values of a family for their number.

    Parameters
    ----------
    pvalues : array_like of any shape
        Between 0 and 1. NaN (a test that is not defined) stays NaN and is no member of the family.
    method : str
        One of ``ADJUSTMENTS``. "bonferroni", "sidak", "holm", "holm-sidak", "hochberg" and
        "hommel" bound the chance of any false finding, "bh" and "by" the expected share of false
        ones. All but "bonferroni", "holm" and "by" ask for independent or positively dependent
        tests.

    Returns
    -------
    ndarray of the shape of ``pvalues``
        Reject at level alpha where the adjusted value is below alpha.

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
    names = ~np.isnan(adjusted)
    if not np.all((adjusted[names] >= 0.0) & (adjusted[names] <= 1.0)):
        raise ArgumentError("p-values must lie between 0 and 1")
    if method == "none" or not names.any():
        return adjusted
    if method == "holm":  # own: most cold comparisons ask for it, and statsmodels takes a second
        members = adjusted[names]
        order = np.argsort(members, kind="stable")
        steps = np.arange(members.size, 0, -1) * members[order]
        members[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
        adjusted[names] = members
    else:
        from statsmodels.stats.multitest import multipletests

        with np.errstate(divide="ignore"):  # p may be 1
            adjusted[names] = multipletests(
                adjusted[names], method=_MULTIPLETESTS.get(method, method)
            )[1]
    return adjusted


# --- Max-T: several comparisons at once by the joint distribution of the largest statistic

N_FLIPS = 19_999
# Above it the flips are the products of a few.
MANY_QUERIES = 10_000
# Two z nearer to each other than this are one.
SAME_Z = 1e-9
# What is held at once: pairs of systems, sums under flips of pairs, and of systems.
PAIRS_AT_ONCE, SUMS_AT_ONCE, MOST_SUMS = 2**14, 2**17, 2**26
N_TOLD = 20  # times that are told how far it is


@record
class MaxT:
    """Adjusted p-values and simultaneous intervals: arrays of shape (n_comparisons,).

    ``pvalue`` is that of the single step, and the intervals belong to it. ``pvalue_step_down`` is
    never above it. ``pvalue_alone`` is not adjusted.
    """

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
    """Test a family of mean differences jointly, two-sided (Westfall and Young's max-T).

    Estimand: the mean differences. Hypothesis: all differences of a query change sign together by
    the toss of one coin. The query pairs the scores, and the shared flips keep the correlation of
    the comparisons, which Bonferroni and Holm give away. The chance that any interval misses its
    mean is 1 - confidence under the hypothesis.

    Parameters
    ----------
    differences : array_like of shape (n_queries, n_comparisons)
        Candidate minus baseline; taken to 10 digits of the largest.
    confidence : float
        Joint level of the intervals.
    n_resamples : int
        Random flips m; where all 2**n flips are no more than m + 1 they are enumerated. Above
        10,000 queries m + 1 becomes the next power of 2, and the flips with the identity are all
        products of log2(m + 1) random ones
        (:func:`~abrank.inference.sign_flips.composed_flips`).

    Returns
    -------
    MaxT
        An interval excludes 0 exactly when its ``pvalue`` < 1 - confidence. A column of zeros has
        p 1 and [0, 0]; with one query p is 1 and the interval unbounded; with none all is NaN.
        ``n_resamples`` is 0 where the flips were enumerated.

    Notes
    -----
    z = abs(sum d) / sqrt(sum d**2), which grows with abs(t) and whose denominator no flip changes
    [1]_. p = share of flips, the identity among them, whose largest z reaches the column's. The
    critical c, an order statistic of the largest z, becomes c sqrt((n - 1) / (n - c**2)) on the
    scale of t.

    The step-down p compares a column with the largest z of the columns whose z is no larger, and is
    never below the p of a column with a larger z. It finds more, and bounds the chance of any false
    finding all the same [1]_. But the two-sided confidence set that belongs to it says of a column
    it rejects only that its mean is not 0, neither on which side nor how far [2]_. So the single
    step is what has intervals, and what stands in a table beside them.

    References
    ----------
    .. [1] Westfall & Young (1993), Resampling-Based Multiple Testing, pp. 116-117;
       Boytsov, Belova & Westfall (2013), SIGIR, 403-412.
    .. [2] Stefansson, Kim & Hsu (1988), in Statistical Decision Theory and Related Topics IV,
       vol. 2, 89-104: the set that inverts a step-down test.

    Examples
    --------
    >>> d = np.array([[0.1, 0.1], [0.2, -0.1], [0.15, 0.1], [0.3, 0.2], [0.1, -0.2], [0.2, 0.1]])
    >>> found = max_t(d)
    >>> found.pvalue * 64, found.pvalue_step_down * 64
    (array([ 4., 56.]), array([ 4., 50.]))
    """
    data = as_differences(differences)
    live = np.any(data != 0.0, axis=0)
    numbers, _ = to_lattice(data[:, live])

    def flipped(columns: IntArray, n_flips: int) -> IntArray:
        return np.stack([_flipped_sums(numbers[:, [column]], n_flips, seed) for column in columns])

    visited = _Columns.of(data[:, live], numbers)
    return _jointly(visited, live, len(data), flipped, confidence, n_resamples, seed)


def max_t_of_systems(
    scores: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    confidence: float = 0.95,
    n_resamples: int = N_FLIPS,
    seed: int = 0,
    on_part: Callable[[int, int], None] | None = None,
) -> MaxT:
    """Return :func:`max_t` of the differences of many pairs of systems, by far fewer sums."""
    # The flips of a query are those of its scores, so the sum of a pair under a flip is the
    # difference of the sums of its systems: these are found once a system, not once a pair. The
    # differences of a query are never held for all pairs.
    # The intervals are those of the single step, but for pairs that the steps alone tell apart:
    # there the limit next to 0 is put at 0 (the float beside it). So they exclude 0 exactly where
    # `pvalue_step_down` < 1 - confidence. What is promised, each by itself: the single-step
    # intervals hold all means with at least `confidence`, and the chance that any pair without a
    # difference is found, by the steps, is at most 1 - confidence. Both at once are not guaranteed:
    # a limit put at 0 is a finding of the steps, not a limit of the single step, and with it the
    # chance that all that is shown is right (each interval, and each finding with its side of 0)
    # may fall below `confidence`.
    # Source: Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 4.1; Romano &
    # Wolf (2005), Econometrica 73, 1237-1282.
    n_resamples = checks.resamples(n_resamples)
    scale = np.abs(scores).max(initial=0.0)
    above = scores - scores.min(axis=1, keepdims=True, initial=np.inf)
    units = to_lattice(above.reshape(-1, 1))[0].reshape(scores.shape)
    live = np.zeros(len(first), np.bool_)
    parts = []
    for start in range(0, len(first), PAIRS_AT_ONCE):
        left, two = first[start : start + PAIRS_AT_ONCE], second[start : start + PAIRS_AT_ONCE]
        data = round_off(scores[:, two] - scores[:, left], scale=scale)
        differ = np.any(data != 0.0, axis=0)
        live[start : start + PAIRS_AT_ONCE] = differ
        # What rounding leaves of equal scores is no difference.
        numbers = np.where(data == 0.0, 0, units[:, two] - units[:, left])
        parts.append(_Columns.of(data[:, differ], numbers[:, differ]))
    visited = _Columns(*map(np.concatenate, zip(*parts, strict=True)))
    left, two = first[live], second[live]

    @lru_cache(MOST_SUMS // max(n_resamples, 1))
    def sums(system: int, n_flips: int) -> IntArray:
        return _flipped_sums(units[:, [system]], n_flips, seed)

    def flipped(columns: IntArray, n_flips: int) -> IntArray:
        # Into one array: to stack the sums of both sides first would take twice as long.
        values = np.empty((len(columns), sums(int(left[columns[0]]), n_flips).size), np.int64)
        for row, i, j in zip(values, left[columns].tolist(), two[columns].tolist(), strict=True):
            np.subtract(sums(j, n_flips), sums(i, n_flips), out=row)
        return values

    jointly = _jointly(visited, live, len(scores), flipped, confidence, n_resamples, seed, on_part)
    alpha = float(as_alpha(float(confidence), 1)[0])
    sign = np.sign(visited.total)
    gained = jointly.pvalue_step_down[live] < alpha
    low, high = jointly.ci_low.copy(), jointly.ci_high.copy()
    tiny = np.nextafter(0.0, 1.0)
    low[live] = np.where(gained & (sign > 0), np.maximum(low[live], tiny), low[live])
    high[live] = np.where(gained & (sign < 0), np.minimum(high[live], -tiny), high[live])
    return replace(jointly, ci_low=low, ci_high=high)


class _Columns(NamedTuple):
    """What max-T asks of each column of differences that are not all 0."""

    total: IntArray
    size: FloatArray  # root of the sum of squares
    mean: FloatArray
    error: FloatArray

    @classmethod
    def of(cls, data: FloatArray, numbers: IntArray) -> _Columns:
        size = np.sqrt((numbers.astype(np.float64) ** 2).sum(axis=0))
        spread = mean_and_error(data) if len(data) else (size, size)
        return cls(numbers.sum(axis=0), size, *spread)


def _jointly(
    visited: _Columns,
    live: BoolArray,
    n_queries: int,
    flipped: Callable[[IntArray, int], IntArray],
    confidence: float,
    n_resamples: int,
    seed: int,
    on_part: Callable[[int, int], None] | None = None,
) -> MaxT:
    """Return max-T of all columns; ``flipped`` gives the sums of live ones under every flip."""
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
            visited, n_queries, flips, lambda columns: flipped(columns, flips), on_part
        )
        # The simultaneous intervals of one critical value.
        table = np.arange(largest.size + 1) / largest.size
        k = int(np.searchsorted(table, alpha, side="left"))
        critical = np.partition(largest, largest.size - k)[largest.size - k]
        room = n_queries - critical**2
        half: FloatArray = np.full(len(visited.mean), np.inf)
        # No z exceeds sqrt(n), nor here the largest of all: a critical value of that size rejects
        # nothing.
        if room > 1e-8 * n_queries and critical < largest.max() - SAME_Z:
            factor = critical * np.sqrt((n_queries - 1) / room)
            half = factor * np.where(np.isnan(visited.error), 0.0, visited.error)
        mean, level = visited.mean, np.full(len(half), alpha)
        low[live], high[live] = align_interval_with_pvalue(
            pvalue[0, live], mean, mean - half, mean + half, level
        )
    if n_queries == 1:
        low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
    return MaxT(pvalue[0], low, high, pvalue[1], pvalue[2], flips)


def _pvalues(
    visited: _Columns,
    n_queries: int,
    n_flips: int,
    flipped: Callable[[IntArray], IntArray],
    on_part: Callable[[int, int], None] | None,
) -> tuple[FloatArray, FloatArray]:
    """Return the p-values of every column, and the largest z of every flip."""
    # The rows of the p-values are single step, step down and alone; the identity is among the
    # flips.
    # Equal z may differ in their last digits, and a sum of two lattices by two units a query.
    reached = np.abs(snap(visited.total, 2 * n_queries)) / visited.size - SAME_Z
    largest: FloatArray = np.zeros(2**n_queries if n_flips == 0 else n_flips + 1)
    pvalue = np.empty((3, len(reached)))
    order = np.argsort(reached, kind="stable")
    # A few columns at a time, smallest z first: the flips are the same, and the sums of all need
    # not be held. What has been the largest so far is what the step down compares a column with.
    step = max(1, SUMS_AT_ONCE // largest.size)
    message = max(1, len(order) // step // N_TOLD)
    for turn, start in enumerate(range(0, len(order), step)):
        columns = order[start : start + step]
        sums = flipped(columns)
        z = np.abs(sums, out=sums) / visited.size[columns, None]
        for column, row in zip(columns.tolist(), z, strict=True):
            pvalue[2, column] = np.count_nonzero(row >= reached[column]) / largest.size
            np.maximum(largest, row, out=largest)
            pvalue[1, column] = np.count_nonzero(largest >= reached[column]) / largest.size
        if on_part is not None and turn % message == 0:
            on_part(start, len(order))
    pvalue[0] = (largest.size - np.searchsorted(np.sort(largest), reached)) / largest.size
    falling = order[::-1]
    pvalue[1, falling] = np.maximum.accumulate(pvalue[1, falling])
    return pvalue, largest


def _flipped_sums(numbers: IntArray, n_flips: int, seed: int) -> IntArray:
    """Return the sums of one column under every flip, the identity among them."""
    if len(numbers) > MANY_QUERIES:
        return composed_flips(numbers[:, 0], n_flips.bit_length(), seed=seed)
    if n_flips == 0:
        sums = all_subsets(numbers)[0][0]
    else:
        sums = np.append(random_subsets(numbers, n_flips, seed=seed)[0][0], 0)
    return np.asarray(numbers.sum() - 2 * sums)
