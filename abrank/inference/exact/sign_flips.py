"""The exact sign-flip test of one sample: all subsets or random ones, and its interval."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from itertools import count

import numpy as np

from abrank._support.records import record
from abrank._support.typing import Alternative, BoolArray, FloatArray, IntArray
from abrank.inference.exact.fourier import Bracket
from abrank.inference.exact.inversion import invert
from abrank.inference.exact.signed_sums import all_subsets, lattice_tail, random_subsets, upper_tail
from abrank.inference.rounding import common_step, snap

# --- The sign-flip test by the means of subsets of the differences: all subsets, or random
# ones

COLUMNS_AT_ONCE = 32
# Drawn at first where drawing may stop; then four times as many, and so on.
FIRST_FLIPS = 4096


def flip_all(
    numbers: IntArray, unit: FloatArray, *, alpha: FloatArray, alternative: Alternative
) -> FloatArray:
    """Return p-value and limits of every column under all 2**n flips."""
    found = np.empty((3, numbers.shape[1]))
    for start in range(0, numbers.shape[1], COLUMNS_AT_ONCE):
        sums, sizes = all_subsets(numbers[:, start : start + COLUMNS_AT_ONCE])
        for column, row in enumerate(sums, start):
            found[:, column] = invert_subset_means(
                row, sizes, len(numbers), float(unit[column]),
                alpha=float(alpha[column]), alternative=alternative,
            )  # fmt: skip
    return found


def flip_randomly(
    numbers: IntArray,
    unit: FloatArray,
    *,
    alpha: FloatArray,
    alternative: Alternative,
    n_flips: int,
    seed: int,
    stop_after: int | None = None,
) -> tuple[FloatArray, int]:
    """Return p-value, limits and standard error of every column under random flips."""
    found, drawn = np.empty((4, numbers.shape[1])), 0
    for start in range(0, numbers.shape[1], COLUMNS_AT_ONCE):
        group = numbers[:, start : start + COLUMNS_AT_ONCE]
        sums, sizes = _draw(group, alpha, n_flips, seed, stop_after)
        drawn = max(drawn, sizes.size)
        for column, row in enumerate(sums, start):
            total, level = int(numbers[:, column].sum()), float(alpha[column])
            if stop_after is None or level > 0.5:
                used = row.size
                answer = invert_subset_means(
                    *with_mirrors(row, sizes, total, len(numbers), identity=True), len(numbers),
                    float(unit[column]), alpha=level, alternative=alternative,
                )  # fmt: skip
            else:
                used, answer = _stopped(
                    row, sizes, total, len(numbers), float(unit[column]), n_flips=n_flips,
                    stop_after=stop_after, alpha=level, alternative=alternative,
                )  # fmt: skip
            error = math.sqrt(answer[0] * (1.0 - answer[0]) / used)
            found[:, column] = *answer, error
    return found, drawn


def _draw(
    numbers: IntArray, alpha: FloatArray, n_flips: int, seed: int, stop_after: int | None
) -> tuple[IntArray, IntArray]:
    """Return sums and sizes of the random subsets, as many as it takes."""
    if stop_after is None or alpha.max(initial=0.0) > 0.5:
        return random_subsets(numbers, n_flips, seed=seed)
    total = numbers.sum(axis=0)[:, None]
    # A level of 0 has no limits to find.
    wanted = max([FIRST_FLIPS, *(math.ceil(stop_after / level) for level in alpha[alpha > 0.0])])
    while True:
        sums, sizes = random_subsets(numbers, min(wanted, n_flips), seed=seed)
        hits = _hits(sums, total, len(numbers)).sum(axis=1)
        if wanted >= n_flips or hits.min() >= stop_after:
            return sums, sizes
        wanted *= 4


def _hits(sums: IntArray, total: IntArray | int, n_queries: int) -> BoolArray:
    """Return which flips are as far from 0 as the total, or nearer by rounding only."""
    return np.asarray(np.abs(total - 2 * sums) >= np.abs(total) - 2 * n_queries)


def _stopped(
    sums: IntArray,
    sizes: IntArray,
    total: int,
    n_queries: int,
    unit: float,
    *,
    n_flips: int,
    stop_after: int,
    alpha: float,
    alternative: Alternative,
) -> tuple[int, tuple[float, float, float]]:
    """Return how many flips the p took, and p-value and limits (Besag & Clifford 1991).

    At every shift p = h / l where the h-th hit is the l-th flip. So a shift is accepted where there
    are h hits among the first h / alpha flips.
    """

    def answer(first: int, identity: bool) -> tuple[float, float, float]:
        pairs = with_mirrors(sums[:first], sizes[:first], total, n_queries, identity=identity)
        return invert_subset_means(*pairs, n_queries, unit, alpha=alpha, alternative=alternative)

    reached = np.flatnonzero(np.cumsum(_hits(sums, total, n_queries)) >= stop_after)
    used = int(reached[0]) + 1 if reached.size else n_flips
    pvalue = answer(used, identity=not reached.size)[0]
    if alpha == 0.0:
        return used, (pvalue, -math.inf, math.inf)
    # A p that equals alpha accepts, whatever the last digit of the quotient.
    sides = 1.0 if alternative == "two-sided" else 2.0
    deciding = math.floor(stop_after / alpha / sides * (1.0 + 1e-12))
    _, low, high = answer(min(deciding, n_flips), identity=deciding > n_flips)
    return used, (pvalue, low, high)


def with_mirrors(
    sums: IntArray, sizes: IntArray, total: int, n_queries: int, *, identity: bool
) -> tuple[IntArray, IntArray]:
    """Add the complement of every subset and, with the identity, the empty one and the whole."""
    ends = np.array([0, 1] if identity else [], np.int64)
    return (
        np.concatenate([sums, total - sums, total * ends]),
        np.concatenate([sizes, n_queries - sizes, n_queries * ends]),
    )


def invert_subset_means(
    sums: IntArray,
    sizes: IntArray,
    n_queries: int,
    unit: float,
    *,
    alpha: float,
    alternative: Alternative,
) -> tuple[float, float, float]:
    """Return p-value and limits by the order of the subset means."""
    taken = sizes > 0
    table = np.arange(sizes.size + 1) / sizes.size
    means = snap(sums[taken], n_queries) / sizes[taken] * unit
    return invert(
        means, table, table, alpha=alpha, alternative=alternative,
        n_always_counted=int(np.count_nonzero(~taken)),
    )  # fmt: skip


# --- The distribution of the mean of a random subset of whole numbers

# About 15 ms.
ADDITIONS = 4_000_000


def additions(numbers: IntArray, counts: IntArray) -> int:
    """Return how many additions :func:`subset_mean_distribution` takes, about."""
    n, total = int(counts.sum()), int(counts @ (numbers - numbers.min()))
    return n * (n + 1) * (total + 1) // 3


def subset_mean_distribution(numbers: IntArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of subsets, ascending, and the chance of each or a smaller one.

    Each number is in the subset or not by a fair coin. The empty subset, of chance 2**-n, counts as
    the smallest.
    """
    least, terms = int(numbers.min()), np.repeat(numbers, counts)
    terms = np.sort(terms - least)
    # How many are in the subset, and by how much their sum exceeds that of as many of the least.
    mass = np.zeros((terms.size + 1, int(terms.sum()) + 1))
    mass[0, 0] = 1.0
    top = 0
    for taken, term in enumerate(terms.tolist(), start=1):
        top += term
        before = mass[:taken, : top - term + 1] * 0.5
        mass[:taken, : top - term + 1] = before
        mass[1 : taken + 1, term : top + 1] += before
    size, excess = np.nonzero(mass)
    chance = mass[size, excess]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(size > 0, least + excess / size, -np.inf)
    order = np.argsort(mean, kind="stable")
    chances = np.cumsum(chance[order])
    last = np.append(np.diff(mean[order]) > 0.0, True)
    return mean[order][last], chances[last]


# Limits are found to within this share of the standard error.
LIMIT_ERROR = 1e-4
# As many secants are tried before halving takes turns with them.
SECANTS = 6
# By how much a secant may be steeper or flatter than the normal distribution has it.
STEEPEST = 4.0


@record
class Sample:
    """The distinct differences of a sample, ascending, and how often each occurs.

    Values are in units, so that what is computed of them does not depend on the unit. ``numbers``
    are the same as multiples of a coarse step, if there is one.
    """

    values: FloatArray
    counts: IntArray
    numbers: IntArray | None
    unit: float

    @property
    def size(self) -> int:
        """The number of differences."""
        return int(self.counts.sum())

    def mirrored(self) -> Sample:
        """Return the sample of the negated differences."""
        numbers = None if self.numbers is None else -self.numbers[::-1]
        return Sample(-self.values[::-1], self.counts[::-1], numbers, self.unit)


def sign_flip_test(
    numbers: IntArray, unit: float, *, alpha: float, alternative: Alternative
) -> tuple[Bracket, float, float]:
    """Return the p-value of "the mean is 0" under all 2**n sign flips, and the interval."""
    distinct, counts = np.unique(numbers, return_counts=True)
    return sign_flip_of_counts(distinct, counts, unit, alpha=alpha, alternative=alternative)


def sign_flip_of_counts(
    distinct: IntArray, counts: IntArray, unit: float, *, alpha: float, alternative: Alternative
) -> tuple[Bracket, float, float]:
    """Return :func:`sign_flip_test` of ascending distinct differences and their counts."""
    n = int(counts.sum())
    coarse = common_step(distinct, n_terms=n)
    sample = Sample(distinct.astype(np.float64), counts, coarse, unit)
    total = int(counts @ distinct)
    total = 0 if abs(total) <= n else total
    slack = float(n)
    if alternative == "greater":
        greater = _at_zero(sample, total, slack)
        return greater, _lower_limit(sample, alpha, greater.value >= alpha), math.inf
    if alternative == "less":
        less = _at_zero(sample, -total, slack)
        return less, -math.inf, -_lower_limit(sample.mirrored(), alpha, less.value >= alpha)
    pvalue = Bracket(*(min(1.0, 2.0 * bound) for bound in _at_zero(sample, abs(total), slack)))
    # On the side of the mean 0 is never rejected.
    accepted = pvalue.value >= alpha
    low = _lower_limit(sample, alpha / 2.0, accepted or total <= 0)
    high = -_lower_limit(sample.mirrored(), alpha / 2.0, accepted or total >= 0)
    return pvalue, low, high


def _at_zero(sample: Sample, total: int, slack: float) -> Bracket:
    """Return P(sum of flipped differences >= their sum), which has the sign of ``total``."""
    some, strict = sample.values != 0.0, total <= 0
    counts = sample.counts[some]
    if sample.numbers is None:
        sizes = np.abs(sample.values[some])
        threshold = abs(float(sample.counts @ sample.values)) if total else 0.0
        found = upper_tail(sizes, counts, threshold, slack=slack, strict=strict)
    else:
        threshold = abs(int(sample.counts @ sample.numbers)) if total else 0
        found = lattice_tail(np.abs(sample.numbers[some]), counts, threshold, strict=strict)
    return _complement(found) if strict else found


def _complement(found: Bracket) -> Bracket:
    return Bracket(1.0 - found.high, 1.0 - found.value, 1.0 - found.low)


def _lower_limit(sample: Sample, alpha: float, zero_is_accepted: bool) -> float:
    """Return the least shift with a one-sided p of at least alpha.

    It is the mean of some of the differences, unless no p is as small as alpha.
    """
    if math.ldexp(1.0, -sample.size) >= alpha:
        return -math.inf
    if sample.numbers is None or additions(sample.numbers, sample.counts) > ADDITIONS:
        limit = _searched(sample, alpha)
    else:
        means, chances = subset_mean_distribution(sample.numbers, sample.counts)
        step = float(np.abs(sample.values).max()) / float(np.abs(sample.numbers).max())
        limit = float(means[np.searchsorted(chances, alpha)]) * step
    limit *= sample.unit
    # What rounding may do to a limit near 0 must not contradict the p-value.
    return min(limit, 0.0) if zero_is_accepted else max(limit, sys.float_info.min)


def _searched(sample: Sample, alpha: float) -> float:
    """Return the shift where the one-sided p crosses alpha, from where the normal law has it."""
    from scipy.special import ndtri

    def normal(shift: float) -> float:
        """Return the normal quantile of P(sum of flipped differences >= their sum), shifted."""
        shifted = sample.values - shift
        some = shifted != 0.0
        sizes, counts = np.abs(shifted[some]), sample.counts[some]
        total, slack = float(sample.counts @ shifted), 1e-12 * float(counts @ sizes)
        strict = total <= slack
        tail = upper_tail(sizes, counts, abs(total), slack=slack, strict=strict, quick=True)
        pvalue = (_complement(tail) if strict else tail).value
        return float(ndtri(min(max(pvalue, 1e-300), 1.0 - 1e-15)))

    n, level = sample.size, float(ndtri(alpha))
    mean = float(sample.counts @ sample.values) / n
    spread = float(sample.counts @ (sample.values - mean) ** 2)
    guess = mean + level * math.sqrt(spread / (n * max(n - level**2, 0.5)))
    ends = float(np.nextafter(sample.values[0], -np.inf)), float(sample.values[-1])
    return _crossing(normal, level, ends, start=guess, unit=math.sqrt(spread) / n)


def _crossing(
    rising: Callable[[float], float],
    level: float,
    between: tuple[float, float],
    *,
    start: float,
    unit: float,
) -> float:
    """Return where a function that rises by about 1 a ``unit`` reaches a level.

    The left end is below the level and the right one is not, whatever the function says. Secants,
    and halvings where they leave the bracket or take long because the function jumps.
    """
    left, right = between
    point, slope, last = start, 1.0 / unit if unit > 0.0 else 0.0, None
    for step in count():
        if not left < point < right or (step >= SECANTS and step % 2):
            point = left + (right - left) / 2.0
        if right - left <= LIMIT_ERROR * unit or not left < point < right:
            return right
        value = rising(point)
        left, right = (point, right) if value < level else (left, point)
        if last is not None:
            secant = (value - last[1]) / (point - last[0])
            slope = min(max(secant, 1.0 / STEEPEST / unit), STEEPEST / unit)
        last = (point, value)
        jump = (level - value) / slope
        point += jump
        if abs(jump) <= LIMIT_ERROR * unit:
            break
    return min(max(point, math.nextafter(left, math.inf)), right)
