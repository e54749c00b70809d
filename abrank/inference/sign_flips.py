"""Sums under random signs: the exact sign-flip test, its tail, random flips and its interval."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from itertools import count

import numpy as np

from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.rounding import common_step, snap
from abrank.inference.student import (
    REACH,
    TERMS_ON_THE_GRID,
    WRAPPED,
    Bracket,
    best_tilt,
    lattice_frequencies,
    tail_by_fourier,
    tail_by_tilting,
    tail_on_lattice,
    weighted_sum,
)

# Together with the seed this determines the flips; changing it changes results.
QUERIES_AT_ONCE = 8192
FLIPS_AT_ONCE = 4096


def all_subsets(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return sum and size of every subset of the rows."""
    return _subset_sums(numbers.T), _subset_sums(np.ones((1, len(numbers)), np.int64))[0]


def random_subsets(numbers: IntArray, n_flips: int, *, seed: int) -> tuple[IntArray, IntArray]:
    """Return sum and size of random subsets of the rows, each row included with probability 1/2."""
    # The subsets depend only on `seed` and the number of rows and are the same for every column.
    # The first m of them do not depend on `n_flips`. Sums are looked up by byte, from 256 partial
    # sums for each 8 rows.
    # Source: Arlazarov, Dinic, Kronrod & Faradzhev (1970), the "four Russians" method.
    n_queries, n_columns = numbers.shape
    sums = np.zeros((n_columns, n_flips), np.int64)
    sizes = np.zeros(n_flips, np.int64)
    for start in range(0, n_queries, QUERIES_AT_ONCE):
        rows = numbers[start : start + QUERIES_AT_ONCE]
        n_bytes = -(-len(rows) // 8)
        # The 256 subset sums of each 8 rows: shape (n_bytes, 256, n_columns).
        padded = np.zeros((n_columns, n_bytes * 8), np.int64)
        padded[:, : len(rows)] = rows.T
        by_column = _subset_sums(padded.reshape(n_columns, n_bytes, 8))
        tables = np.ascontiguousarray(by_column.transpose(1, 2, 0))
        random = stream(seed, "sign flips", str(start))
        for first in range(0, n_flips, FLIPS_AT_ONCE):
            # One bit per row and flip.
            random_bytes = np.frombuffer(random.bytes(n_bytes * FLIPS_AT_ONCE), np.uint8)
            flips = random_bytes.reshape(n_bytes, FLIPS_AT_ONCE).copy()
            if len(rows) % 8:
                flips[-1] &= (1 << len(rows) % 8) - 1
            flips = flips[:, : n_flips - first]
            part = slice(first, first + flips.shape[1])
            sizes[part] += np.bitwise_count(flips).sum(axis=0, dtype=np.int64)
            # A table row holds the sums of all columns, so each byte needs one look-up.
            partial_sums = np.zeros((flips.shape[1], n_columns), np.int64)
            for table, byte in zip(tables, flips, strict=True):
                partial_sums += table.take(byte, axis=0)
            sums[:, part] += partial_sums.T
    return sums, sizes


def composed_flips(numbers: IntArray, n_generators: int, *, seed: int) -> IntArray:
    """Return the sums under all ``2**n_generators`` products of a few random sign flips."""
    # Each product has the distribution of a random flip, and any two except the identity are
    # independent. So a share of them is as precise as that of as many independent flips. Because
    # they form a group, the test by the share that reaches the observed sum is exact. The sums are
    # a Walsh transform of the sums over rows that all generators treat the same.
    # Source: Hemerik & Goeman (2018), TEST 27, 811-825: transformations must form a group.
    random = stream(seed, "composed sign flips")
    generators_of_row = random.integers(0, 2**n_generators, len(numbers))
    sums = np.zeros(2**n_generators, np.int64)
    np.add.at(sums, generators_of_row, numbers)
    for bit in range(n_generators):
        pairs = sums.reshape(-1, 2, 2**bit)
        sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
    return sums.ravel()


def _subset_sums(numbers: IntArray) -> IntArray:
    """Return all subset sums along the last axis; bit j of the index says whether j is in it."""
    sums = np.zeros((*numbers.shape[:-1], 1), np.int64)
    for j in range(numbers.shape[-1]):
        sums = np.concatenate([sums, sums + numbers[..., j : j + 1]], axis=-1)
    return sums


# --- Meeting in the middle: exact sums of randomly signed terms with few terms or few sizes

# With more distinct sizes enumeration is infeasible, so the count is skipped.
MANY_SIZES = 100


def n_meet_in_middle_sums(counts: IntArray) -> int:
    """Return how many sums the larger half lists; 2**50 for more than 100 sizes."""
    if counts.size > MANY_SIZES:
        return 1 << MANY_SIZES // 2
    logarithms = [float(np.log1p(counts[half]).sum()) for half in _halves(counts)]
    return round(math.exp(min(max(logarithms), 60.0)))


def tail_by_meet_in_middle(sizes: FloatArray, counts: IntArray, threshold: float) -> float:
    """Return P(sum of randomly signed terms >= threshold), exact up to float rounding."""
    # The terms are split into two halves. Each half lists its sums, and every sum of one half is
    # looked up in the other. Terms of equal size form one term with a binomial sum.
    # Source: Horowitz & Sahni (1974), Journal of the ACM 21, 277-292.
    (sums, chances), (rest, their_chances) = (
        _signed_sums(sizes[half], counts[half]) for half in _halves(counts)
    )
    order = np.argsort(rest)
    # Add up from the far end, small numbers first. The last element is for "none reaches it".
    above = np.append(np.cumsum(their_chances[order][::-1])[::-1], 0.0)
    first = np.searchsorted(rest[order], threshold - np.sort(sums), side="left")
    return float(np.dot(chances[np.argsort(sums)], above[first]))


def _halves(counts: IntArray) -> tuple[IntArray, IntArray]:
    order = np.argsort(-counts, kind="stable")
    halves: tuple[list[int], list[int]] = ([], [])
    weights = [0.0, 0.0]
    for place, weight in zip(order.tolist(), np.log1p(counts[order]).tolist(), strict=True):
        lighter = int(weights[1] < weights[0])
        halves[lighter].append(place)
        weights[lighter] += weight
    return np.array(halves[0], np.int64), np.array(halves[1], np.int64)


def _signed_sums(sizes: FloatArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    sums, chances = np.zeros(1), np.ones(1)
    for size, n_terms in zip(sizes.tolist(), counts.tolist(), strict=True):
        steps = np.arange(-n_terms, n_terms + 1, 2)
        coins = [math.comb(n_terms, heads) / 2**n_terms for heads in range(n_terms + 1)]
        sums = np.add.outer(sums, size * steps).ravel()
        chances = np.multiply.outer(chances, coins).ravel()
    return sums, chances


# --- The distribution of the sum of a random subset of whole numbers, by convolution

# Halvings are collected and applied at once; powers of two are exact.
NUMBERS_BETWEEN_SCALINGS = 512


def subset_sum_distribution(numbers: IntArray, reach: int) -> FloatArray:
    """Return the probabilities of the sums 0, 1, ..., reach of a random subset."""
    # Each number is included with probability 1/2. Only nonnegative numbers are added, so even tiny
    # probabilities have a relative error of at most `numbers.size` roundings. The cost is
    # `numbers.size * reach` additions.
    # Source: Pagano & Tritchler (1983), Journal of the American Statistical Association 78,
    # 435-440.
    mass = np.zeros(min(reach, int(numbers.sum())) + 1)
    mass[0] = 1.0
    # Add the sums with and without a number from one array into the other.
    after, top = np.zeros_like(mass), 0
    for done, number in enumerate(np.sort(numbers).tolist(), start=1):
        top = min(top + number, mass.size - 1)
        if number <= top:
            after[:number] = mass[:number]
            np.add(mass[number : top + 1], mass[: top + 1 - number], out=after[number : top + 1])
            mass, after = after, mass
        if done % NUMBERS_BETWEEN_SCALINGS == 0:
            mass *= 2.0**-NUMBERS_BETWEEN_SCALINGS
    return np.ldexp(mass, -(numbers.size % NUMBERS_BETWEEN_SCALINGS))


# --- The tail of a sum under random signs, by the fastest exact method

# Maximum width of the bounds of a p-value, relative and absolute.
RELATIVE_WIDTH = 1e-3
ABSOLUTE_WIDTH = 1e-6
# Maximum number of queries for which the exact test enumerates all flips.
ENUMERATED_UP_TO = 16
# Work that takes about 50 ms: additions of a convolution, cells of a characteristic function.
MAX_ADDITIONS = 50_000_000
CELLS = 10_000_000
SUMS_OF_A_HALF = 1 << 16
QUICKER = 20
MIN_FREQUENCIES, MAX_FREQUENCIES = 256, 1 << 17
# For smaller probabilities, rounding errors of a Fourier sum would matter.
SMALL = 1e-6


def lattice_tail(
    numbers: IntArray, counts: IntArray, threshold: int, *, strict: bool = False
) -> Bracket:
    """Return P(sum of randomly signed whole numbers >= threshold), or > threshold."""
    # The parity of the sum does not depend on the signs, so the next sum is larger by two.
    threshold += 2 * strict
    lost = (int(counts @ numbers) - threshold) // 2
    if lost < 0:
        return Bracket(0.0, 0.0, 0.0)
    if int(counts.sum()) * (lost + 1) <= MAX_ADDITIONS:
        # The negative terms may add up to at most this.
        chance = float(subset_sum_distribution(np.repeat(numbers, counts), lost).sum())
        return Bracket(chance, chance, chance)
    sizes = numbers.astype(np.float64)
    cells = lattice_frequencies(numbers, counts, threshold) * min(sizes.size, TERMS_ON_THE_GRID)
    if cells <= CELLS and _normal_tail(sizes, counts, threshold) > SMALL:
        return tail_on_lattice(numbers, counts, threshold)
    # Halfway between two possible sums, so that rounding has no effect.
    return upper_tail(sizes, counts, max(threshold - 1.0, 0.0), slack=0.0)


def upper_tail(
    sizes: FloatArray,
    counts: IntArray,
    threshold: float,
    *,
    slack: float,
    strict: bool = False,
    quick: bool = False,
) -> Bracket:
    """Return bounds of P(sum of randomly signed terms >= threshold), or > threshold."""
    edge = threshold + slack if strict else threshold - slack
    n_terms, total = int(counts.sum()), weighted_sum(counts, sizes)
    if edge > total:
        return Bracket(0.0, 0.0, 0.0)
    chance_of_one_flip = math.ldexp(1.0, -n_terms)
    if edge + 2.0 * float(sizes.min()) > total + slack:
        # Only the sum with all signs positive reaches it.
        return Bracket(chance_of_one_flip, chance_of_one_flip, chance_of_one_flip)
    if n_meet_in_middle_sums(counts) <= SUMS_OF_A_HALF / (QUICKER if quick else 1):
        chance = tail_by_meet_in_middle(sizes, counts, edge)
        return Bracket(chance, chance, chance)
    bounds = _bounds(sizes, counts, max(edge, 0.0), quick)
    return Bracket(*(max(bound, chance_of_one_flip) for bound in bounds))


def _bounds(sizes: FloatArray, counts: IntArray, threshold: float, quick: bool) -> Bracket:
    """Return bounds by Fourier inversion, tilted if the probability is small."""
    cells = CELLS / min(sizes.size, TERMS_ON_THE_GRID) / (QUICKER if quick else 1)
    chance = _normal_tail(sizes, counts, threshold)
    if chance >= SMALL:
        deviation = math.sqrt(weighted_sum(counts, sizes, sizes))
        density = math.exp(-0.5 * (threshold / deviation) ** 2) / deviation / math.sqrt(math.tau)
        # The relative width of the bounds is about turn / n_frequencies.
        turn = (threshold + REACH * deviation) * density / chance
        width = max(RELATIVE_WIDTH, ABSOLUTE_WIDTH / 2.0 / chance)
        bounds_for = partial(tail_by_fourier, sizes, counts, threshold)
        narrow = _narrow(bounds_for, turn / width, cells, quick, enough=ABSOLUTE_WIDTH / 2.0)
        if narrow.high >= SMALL:
            return narrow
    tilt = best_tilt(sizes, counts, threshold)
    turn = 2.0 * (WRAPPED + tilt * threshold)
    tilted_bounds_for = partial(tail_by_tilting, sizes, counts, threshold, tilt=tilt)
    # Complex arithmetic is slower.
    return _narrow(
        tilted_bounds_for, turn / RELATIVE_WIDTH, cells / 4.0, quick, enough=sys.float_info.min
    )


def _narrow(
    bounds_for: Callable[..., Bracket], wanted: float, cells: float, quick: bool, *, enough: float
) -> Bracket:
    """Use as many frequencies as needed, up to the time limit."""
    maximum = int(min(MAX_FREQUENCIES, cells))
    wanted *= 0.2 if quick else 1.3
    while True:
        n_frequencies = int(min(max(wanted, MIN_FREQUENCIES), maximum))
        result = bounds_for(n_frequencies=n_frequencies)
        excess = (result.high - result.low) / max(RELATIVE_WIDTH * result.value, enough)
        if quick or excess <= 1.0 or n_frequencies == maximum:
            return result
        wanted = n_frequencies * min(1.2 * excess, 100.0)


def _normal_tail(sizes: FloatArray, counts: IntArray, threshold: float) -> float:
    """Return the normal approximation of the tail, used to choose the method."""
    variance = weighted_sum(counts, sizes, sizes)
    return 0.5 * math.erfc(threshold / math.sqrt(2.0 * variance))


COLUMNS_AT_ONCE = 32


def flip_signs(
    numbers: IntArray,
    unit: FloatArray,
    *,
    alpha: FloatArray,
    alternative: Alternative,
    n_flips: int,
    seed: int,
    exact: bool = True,
    weights: IntArray | None = None,
) -> tuple[FloatArray, FloatArray, int]:
    """Return p-values and limits, their bounds and errors, and the number of random flips."""
    # Random flips are used for all columns, or for columns whose exact p would be uncertain; if
    # they are at least as many as all flips, these are enumerated. `weights` are the numbers of
    # queries in each row.
    n_rows, n_columns = numbers.shape
    values, precision = np.empty((3, n_columns)), np.zeros((3, n_columns))
    drawn = np.ones(n_columns, np.bool_)
    if n_rows <= (ENUMERATED_UP_TO if exact else np.log2(n_flips + 1)):
        values = _by_subsets(numbers, unit, alpha, alternative, weights)
        precision[:2], drawn[:] = values[0], False
    elif exact:
        for column, level in enumerate(alpha.tolist()):
            bounds, *limits = sign_flip_test(
                numbers[:, column], float(unit[column]),
                alpha=level, alternative=alternative, weights=weights,
            )  # fmt: skip
            values[:, column] = bounds.value, *limits
            precision[:2, column] = bounds.low, bounds.high
            unsure = bounds.high - bounds.low
            drawn[column] = unsure > max(RELATIVE_WIDTH * bounds.value, ABSOLUTE_WIDTH)
    if not drawn.any():
        return values, precision, 0
    values[:, drawn] = _by_subsets(
        numbers[:, drawn], unit[drawn], alpha[drawn], alternative, weights, n_flips, seed
    )
    share = values[0, drawn]
    precision[:, drawn] = share, share, np.sqrt(share * (1.0 - share) / n_flips)
    return values, precision, n_flips


def _by_subsets(
    numbers: IntArray,
    unit: FloatArray,
    alpha: FloatArray,
    alternative: Alternative,
    weights: IntArray | None,
    n_flips: int = 0,
    seed: int = 0,
) -> FloatArray:
    """Return p-value and limits of every column, by random flips or, with none, by all flips."""
    values = np.empty((3, numbers.shape[1]))
    n_rows, n_queries = len(numbers), len(numbers) if weights is None else int(weights.sum())
    for start in range(0, numbers.shape[1], COLUMNS_AT_ONCE):
        table = numbers[:, start : start + COLUMNS_AT_ONCE]
        if weights is not None:
            table = np.column_stack([table, weights])
        sums, sizes = random_subsets(table, n_flips, seed=seed) if n_flips else all_subsets(table)
        if weights is not None:
            sums, sizes = sums[:-1], sums[-1]
        if n_flips:  # add the complements, the empty subset and the whole set
            total, ends = table.sum(axis=0)[: len(sums), None], np.array([0, 1])
            sums = np.concatenate([sums, total - sums, total * ends], axis=1)
            sizes = np.concatenate([sizes, n_queries - sizes, n_queries * ends])
        used = sizes > 0
        for column, row in enumerate(sums, start):
            means = snap(row[used], n_rows) / sizes[used] * unit[column]
            values[:, column] = invert_means(
                means, sizes.size, alpha=float(alpha[column]), alternative=alternative
            )
    return values


def invert_means(
    means: FloatArray, n_subsets: int, *, alpha: float, alternative: Alternative
) -> tuple[float, float, float]:
    """Return the p-value of "the mean is 0", and the interval of all means not rejected."""
    # A mean theta is tested by the number of subset means <= theta (against "greater") or >= theta
    # (against "less"). The accepted values lie between two subset means, inclusive. The empty
    # subset has no mean and always counts.
    n_empty = n_subsets - means.size
    greater = float((n_empty + np.count_nonzero(means <= 0.0)) / n_subsets)
    less = float((n_empty + np.count_nonzero(means >= 0.0)) / n_subsets)
    sides = 2.0 if alternative == "two-sided" else 1.0
    table = sides * (np.arange(n_subsets + 1) / n_subsets)
    place = int(np.searchsorted(table, alpha, side="left")) - n_empty - 1

    def lower_limit(means: FloatArray) -> float:
        return float(np.partition(means, place)[place]) + 0.0 if place >= 0 else -np.inf

    if alternative == "greater":
        return greater, lower_limit(means), np.inf
    if alternative == "less":
        return less, -np.inf, -lower_limit(-means)
    return min(1.0, 2.0 * min(greater, less)), lower_limit(means), -lower_limit(-means)


# --- The distribution of the mean of a random subset of whole numbers

# Work that takes about 15 ms.
MEAN_ADDITIONS = 4_000_000


def additions(numbers: IntArray, counts: IntArray) -> int:
    """Return the approximate number of additions of :func:`subset_mean_distribution`."""
    n, total = int(counts.sum()), int(counts @ (numbers - numbers.min()))
    return n * (n + 1) * (total + 1) // 3


def subset_mean_distribution(numbers: IntArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of subsets, ascending, and the cumulative probability of each."""
    # Each number is included with probability 1/2. The empty subset, with probability 2**-n, counts
    # as the smallest.
    minimum, terms = int(numbers.min()), np.repeat(numbers, counts)
    terms = np.sort(terms - minimum)
    # Rows: size of the subset. Columns: excess of its sum over size times the minimum.
    mass = np.zeros((terms.size + 1, int(terms.sum()) + 1))
    mass[0, 0] = 1.0
    top = 0
    for index, term in enumerate(terms.tolist(), start=1):
        top += term
        before = mass[:index, : top - term + 1] * 0.5
        mass[:index, : top - term + 1] = before
        mass[1 : index + 1, term : top + 1] += before
    size, excess = np.nonzero(mass)
    chance = mass[size, excess]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(size > 0, minimum + excess / size, -np.inf)
    order = np.argsort(mean, kind="stable")
    chances = np.cumsum(chance[order])
    last = np.append(np.diff(mean[order]) > 0.0, True)
    return mean[order][last], chances[last]


# Accuracy of limits, as a share of the standard error.
LIMIT_ERROR = 1e-4
# Number of secant steps before bisection steps alternate with them.
SECANTS = 6
# Maximum ratio of a secant's slope to the normal distribution's, or its inverse.
STEEPEST = 4.0


@record
class DistinctDifferences:
    """The distinct differences of a sample, ascending, and their counts."""

    # Values are in units, so that results do not depend on the unit. `numbers` are the values as
    # multiples of a coarse step, if there is one. `weights` is the number of queries summed in each
    # value; None if each is a single query.

    values: FloatArray
    counts: IntArray
    numbers: IntArray | None
    unit: float
    weights: IntArray | None = None

    @property
    def size(self) -> int:
        """The number of differences."""
        return int(self.counts.sum())

    def mirrored(self) -> DistinctDifferences:
        """Return the sample with all differences negated."""
        numbers = None if self.numbers is None else -self.numbers[::-1]
        weights = None if self.weights is None else self.weights[::-1]
        return DistinctDifferences(
            -self.values[::-1], self.counts[::-1], numbers, self.unit, weights
        )


def sign_flip_test(
    numbers: IntArray,
    unit: float,
    *,
    alpha: float,
    alternative: Alternative,
    weights: IntArray | None = None,
) -> tuple[Bracket, float, float]:
    """Return the p-value of "the mean is 0" under all 2**n sign flips, and the interval."""
    if weights is None:
        distinct, counts = np.unique(numbers, return_counts=True)
    else:
        pairs, counts = np.unique(np.stack([numbers, weights]), axis=1, return_counts=True)
        distinct, weights = pairs
    n = int(counts.sum())
    coarse = common_step(distinct, n_terms=n)
    sample = DistinctDifferences(distinct.astype(np.float64), counts, coarse, unit, weights)
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
    # On the side of the mean, 0 is never rejected.
    accepted = pvalue.value >= alpha
    low = _lower_limit(sample, alpha / 2.0, accepted or total <= 0)
    high = -_lower_limit(sample.mirrored(), alpha / 2.0, accepted or total >= 0)
    return pvalue, low, high


def _at_zero(sample: DistinctDifferences, total: int, slack: float) -> Bracket:
    """Return P(sum of flipped differences >= their sum); ``total`` has the sum's sign."""
    is_not_zero, strict = sample.values != 0.0, total <= 0
    counts = sample.counts[is_not_zero]
    if sample.numbers is None:
        sizes = np.abs(sample.values[is_not_zero])
        threshold = abs(weighted_sum(sample.counts, sample.values)) if total else 0.0
        tail = upper_tail(sizes, counts, threshold, slack=slack, strict=strict)
    else:
        threshold = abs(int(sample.counts @ sample.numbers)) if total else 0
        tail = lattice_tail(np.abs(sample.numbers[is_not_zero]), counts, threshold, strict=strict)
    return _complement(tail) if strict else tail


def _complement(result: Bracket) -> Bracket:
    return Bracket(1.0 - result.high, 1.0 - result.value, 1.0 - result.low)


def _lower_limit(sample: DistinctDifferences, alpha: float, zero_is_accepted: bool) -> float:
    """Return the smallest shift with a one-sided p of at least alpha."""
    # It is the mean of some of the differences, unless no p can be as small as alpha.
    if math.ldexp(1.0, -sample.size) >= alpha:
        return -math.inf
    if (
        sample.numbers is None
        or sample.weights is not None
        or additions(sample.numbers, sample.counts) > MEAN_ADDITIONS
    ):
        limit = _searched(sample, alpha)
    else:
        means, chances = subset_mean_distribution(sample.numbers, sample.counts)
        step = float(np.abs(sample.values).max()) / float(np.abs(sample.numbers).max())
        limit = float(means[np.searchsorted(chances, alpha)]) * step
    limit *= sample.unit
    # Rounding near 0 must not make the limit contradict the p-value.
    return min(limit, 0.0) if zero_is_accepted else max(limit, sys.float_info.min)


def _searched(sample: DistinctDifferences, alpha: float) -> float:
    """Find the shift where the one-sided p crosses alpha, starting at the normal quantile."""
    from scipy.special import ndtri

    weights = np.ones(sample.values.size) if sample.weights is None else sample.weights

    def normal(shift: float) -> float:
        """Return the normal quantile of P(sum of flipped differences >= their sum) at a shift."""
        shifted = sample.values - shift * weights
        some = shifted != 0.0
        sizes, counts = np.abs(shifted[some]), sample.counts[some]
        total, slack = weighted_sum(sample.counts, shifted), 1e-12 * weighted_sum(counts, sizes)
        strict = total <= slack
        tail = upper_tail(sizes, counts, abs(total), slack=slack, strict=strict, quick=True)
        pvalue = (_complement(tail) if strict else tail).value
        return float(ndtri(min(max(pvalue, 1e-300), 1.0 - 1e-15)))

    n, level = sample.size, float(ndtri(alpha))
    n_queries = float(sample.counts @ weights)
    mean = float(sample.counts @ sample.values) / n_queries
    spread = float(sample.counts @ (sample.values - mean * weights) ** 2)
    guess = mean + level * math.sqrt(spread * n / max(n - level**2, 0.5)) / n_queries
    means = sample.values / weights
    ends = float(np.nextafter(means.min(), -np.inf)), float(means.max())
    return _crossing(normal, level, ends, start=guess, unit=math.sqrt(spread) / n_queries)


def _crossing(
    rising: Callable[[float], float],
    level: float,
    between: tuple[float, float],
    *,
    start: float,
    unit: float,
) -> float:
    """Return where a function that rises by about 1 per ``unit`` reaches a level."""
    # The left end is taken as below the level and the right end as not below, without evaluation.
    # Secant steps are used, and bisection if they leave the bracket or converge slowly at jumps.
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
