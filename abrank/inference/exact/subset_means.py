"""The sign-flip test by the means of subsets of the differences: all subsets, or random ones."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.typing import Alternative, BoolArray, FloatArray, IntArray
from abrank.inference.exact.inversion import invert
from abrank.inference.exact.signed_sums import all_subsets, random_subsets
from abrank.inference.rounding import snap

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
