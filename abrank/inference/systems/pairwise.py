"""Compare pairs of systems: paired tests, Tukey's range, Dunnett and randomised Tukey."""

# The error is that of the two-way analysis of variance, so the query pairs the systems. Functions
# with these names elsewhere (`scipy.stats.tukey_hsd`, `statsmodels` `pairwise_tukeyhsd`) treat the
# systems as independent groups and include the variance between queries in the error.

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations
from string import ascii_lowercase
from typing import Any

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.families import N_FLIPS, max_t_of_systems, share_of_alpha
from abrank.inference.families import adjust as adjust_pvalues
from abrank.inference.paired import mean_and_error, t_interval, t_pvalue
from abrank.inference.registry import as_alpha, run_test
from abrank.inference.rounding import align_interval_with_pvalue, round_off, to_lattice
from abrank.inference.student import many_one_tail, quantile_of, range_tail
from abrank.inference.systems.friedman import two_way_anova
from abrank.inference.systems.registry import JointAnswer, SystemPairs, as_scores, joint_test

MANY_PAIRS, N_FLIPS_OF_MANY_PAIRS = 50_000, 1_999

# --- A paired test for every pair, with adjusted p-values


@joint_test(
    "pairwise",
    title="Paired tests",
    estimand="mean difference",
    source="Holm 1979; the paired test's own",
    family="either",
)
def pairwise(
    scores: FloatArray,
    *,
    pairs: SystemPairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
    test: str = "t",
    adjust: str = "holm",
    span: float | None = None,
) -> JointAnswer:
    """Run a paired test on every pair, and adjust the p-values for the number of pairs.

    Estimand: that of the paired test; the mean difference for ``t`` and ``permutation``.
    Hypothesis: that of the paired test, for each pair. The query pairs the scores. The result of a
    pair depends on other systems only by the number of pairs.

    Parameters
    ----------
    test : str
        A name in ``TESTS``.
    adjust : str
        A name in ``ADJUSTMENTS``. Pairs with an undefined test are not part of the family.
    span : float, optional
        For ``bounded``: the largest possible difference of a query.

    Notes
    -----
    The interval of a pair has the level at which the procedure tested it, so it excludes 0 exactly
    if the adjusted p < alpha. The intervals are simultaneous only for "bonferroni" and "sidak".

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16], [0.70, 0.66, 0.78]]
    >>> run_joint_test("pairwise", scores).pvalue_adj.round(3)
    array([0.377, 0.024, 0.329])
    """
    options: dict[str, Any] = {"seed": seed, "n_resamples": n_resamples}
    options |= {} if span is None else {"span": span}
    differences = pairs.of(scores)
    plain = run_test(test, differences, confidence=1.0, **options)
    adjusted = adjust_pvalues(plain.pvalue, adjust)
    share = share_of_alpha(plain.pvalue, adjust, alpha)
    wide = run_test(test, differences, confidence=1.0 - alpha * share, **options)
    return JointAnswer(
        plain.estimate, plain.statistic, plain.pvalue, adjusted, wide.ci_low, wide.ci_high,
        plain.method, plain.n_resamples, plain.estimand,
    )  # fmt: skip


@joint_test(
    "max-t",
    title="Max-T sign flips",
    estimand="mean difference",
    source="Westfall & Young 1993; Romano & Wolf 2005",
    family="either",
)
def max_t_of_pairs(
    scores: FloatArray,
    *,
    pairs: SystemPairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
    on_part: Callable[[int, int], None] | None = None,
    alone_of_first: bool = False,
) -> JointAnswer:
    """Compare pairs of systems with the largest studentised difference under sign flips.

    Estimand: the mean difference. Hypothesis: all differences of a query change sign together with
    probability 1/2. The query pairs the scores. Each pair has its own error, so similar variants of
    a system do not make the errors of other pairs look small. Against a baseline this is Dunnett's
    test without the normal distribution. The p-values are step-down and control the familywise
    error at alpha; the intervals are single-step and simultaneous. If only the step-down p is
    significant, the limit next to 0 is moved to 0. The two guarantees do not hold jointly.

    Parameters
    ----------
    n_resamples : int, optional
        Number of random flips. Default: 19,999, or 1,999 above 50,000 pairs.
    on_part : callable, optional
        Called with the number of tested pairs and the number of all pairs, to report progress.
    alone_of_first : bool
        If all pairs are compared, compute ``pvalue`` only for pairs with system 0, which is faster;
        the others are NaN.

    Notes
    -----
    ``statistic`` is the mean difference. Method "exact" if all flips were enumerated. z = abs(sum
    d) / sqrt(sum d**2) for the differences d of a pair. Its p is the share of flips whose largest
    z, among the pairs with no larger z, reaches it, and at least the p of every pair with a larger
    z.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.3, 0.4, 0.2], [0.5, 0.6, 0.5], [0.1, 0.3, 0.2], [0.7, 0.8, 0.7]]
    >>> run_joint_test("max-t", scores, baseline=0).pvalue_adj
    array([0.125, 1.   ])
    """
    default = N_FLIPS_OF_MANY_PAIRS if len(pairs.first) > MANY_PAIRS else N_FLIPS
    jointly = max_t_of_systems(
        scores, *pairs, confidence=1.0 - alpha, seed=seed, on_part=on_part,
        n_resamples=n_resamples or default, alone_of_first=alone_of_first,
    )  # fmt: skip
    mean = pairs.means(scores)
    return JointAnswer(
        mean, mean, jointly.pvalue_alone, jointly.pvalue_step_down, jointly.ci_low, jointly.ci_high,
        "Monte Carlo" if jointly.n_resamples else "exact", jointly.n_resamples,
    )  # fmt: skip


# --- Intervals of several means without the variance between queries


def within_query_interval(
    scores: npt.ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return limits of each system's mean without the variance between queries."""
    # They are t intervals of score minus query mean plus overall mean, and their width is
    # multiplied by `sqrt(k / (k - 1))` to correct for the subtraction. They show how constant a
    # system's distance to the overall mean is. Overlapping intervals can still differ
    # significantly: with two systems, a difference of means is significant by the paired t test
    # exactly if it exceeds sqrt(2) times half a width. They are unbounded with one query, and for a
    # system with constant distance.
    # Source: Cousineau (2005), Tutorials in Quantitative Methods for Psychology 1, 42-45; Morey
    # (2008), the same 4, 61-64.
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    alpha = np.full(n_systems, as_alpha(float(confidence), 1)[0])
    if n_queries == 0:
        nothing = np.full(n_systems, np.nan)
        return nothing, nothing
    mean = block.mean(axis=0)
    if n_queries > 1 and not np.any(round_off(block - block[:, :1], scale=np.abs(block).max())):
        return mean, mean
    _, error = mean_and_error(block - block.mean(axis=1, keepdims=True))
    error *= np.sqrt(n_systems / (n_systems - 1))
    return t_interval(mean, error, n_queries - 1, alpha, "two-sided")


@joint_test(
    "tukey",
    title="Tukey HSD",
    estimand="mean difference",
    source="Tukey 1953; paired by query: Carterette 2012",
    family="all",
)
def tukey(scores: FloatArray, *, pairs: SystemPairs, alpha: float) -> JointAnswer:
    """Compare all pairs of systems by the studentised range, paired by query.

    Estimand: the mean difference. Hypothesis: all systems have the same mean. The query pairs the
    scores. One error variance is assumed for all pairs; if some systems vary much more than others,
    prefer ``max-t`` or ``pairwise``. On real systems with equal means it finds a difference among
    five systems in 7 % of samples instead of 5 % (``reports/calibration``).

    Notes
    -----
    ``statistic`` is q = abs(difference) / sqrt(error / n_queries), with (n - 1)(k - 1) degrees of
    freedom. All intervals have the same width, twice the honestly significant difference. With two
    systems it is the paired t test.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16], [0.70, 0.66, 0.78]]
    >>> result = run_joint_test("tukey", scores)
    >>> result.estimate.round(4), result.ci_low.round(4)
    (array([0.0225, 0.075 , 0.0525]), array([-0.0447,  0.0078, -0.0147]))
    """
    return _compared(scores, pairs, alpha, "tukey")


@joint_test(
    "dunnett",
    title="Dunnett",
    estimand="mean difference",
    source="Dunnett 1955; paired by query",
    family="baseline",
)
def dunnett(scores: FloatArray, *, pairs: SystemPairs, alpha: float) -> JointAnswer:
    """Compare every system with one baseline by the largest t, paired by query.

    Estimand: the mean difference. Hypothesis: no system's mean differs from the baseline's. The
    query pairs the scores. One error variance is assumed for all comparisons: on real systems with
    equal means the error rate is 7 % instead of 5 % (``reports/calibration``); ``max-t`` uses one
    variance per comparison.

    Notes
    -----
    ``statistic`` is abs(t) = abs(difference) / sqrt(2 e / n), where e is the mean square error of
    the two-way analysis of variance. p is the probability that the largest abs(t) of k - 1 means
    against one, with correlation 1/2, is at least as large.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16], [0.70, 0.66, 0.78]]
    >>> result = run_joint_test("dunnett", scores, baseline=0)
    >>> result.estimate.round(4), result.ci_low.round(4)
    (array([0.0225, 0.075 ]), array([-0.0402,  0.0123]))
    """
    return _compared(scores, pairs, alpha, "dunnett")


# For each test: tail of the largest difference, its unit in standard errors, number of baselines.
_LARGEST = {"tukey": (range_tail, 1.0, 0), "dunnett": (many_one_tail, math.sqrt(2.0), 1)}


def least_difference(scores: FloatArray, alpha: float, test: str) -> float:
    """Return the smallest significant difference of two means; NaN without an error."""
    error, freedom = _error(scores)
    tail, scale, n_baselines = _LARGEST[test]
    if np.isnan(error):
        return error
    return quantile_of(tail, alpha, scores.shape[1] - n_baselines, freedom) * scale * error


def _error(scores: FloatArray) -> tuple[float, int]:
    """Return the standard error of a mean without query effects, and its degrees of freedom."""
    table = two_way_anova(scores)
    square = table.mean_square_error
    return (math.sqrt(square / len(scores)) if square > 0.0 else math.nan), table.df_error


def _compared(scores: FloatArray, pairs: SystemPairs, alpha: float, test: str) -> JointAnswer:
    difference = pairs.means(scores)
    error, freedom = _error(scores)
    if np.isnan(error):
        nothing, endless = np.full_like(difference, np.nan), np.full_like(difference, np.inf)
        return JointAnswer(difference, nothing, nothing, nothing, -endless, endless, "closed form")
    tail, scale, n_baselines = _LARGEST[test]
    half = least_difference(scores, alpha, test)
    statistic = np.abs(difference) / (scale * error)
    adjusted = tail(statistic, scores.shape[1] - n_baselines, freedom)
    alone = t_pvalue(difference / (np.sqrt(2.0) * error), freedom, "two-sided")
    low, high = align_interval_with_pvalue(
        adjusted, difference, difference - half, difference + half, np.full_like(difference, alpha)
    )
    return JointAnswer(difference, statistic, alone, adjusted, low, high, "closed form")


# --- Randomised Tukey HSD: scores within a query are permuted between systems

N_ORDERS = 19_999
N_ORDERS_OF_MANY_SCORES = 1_999
MANY_SCORES = 50_000
# Together with the seed this determines the permutations; changing it changes results.
ORDERS_AT_ONCE = 64
QUERIES_AT_ONCE = 1024


@joint_test(
    "randomised-tukey",
    title="Randomised Tukey HSD",
    estimand="mean difference",
    source="Carterette 2012; Sakai 2018",
    family="all",
)
def randomised_tukey(
    scores: FloatArray,
    *,
    pairs: SystemPairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
) -> JointAnswer:
    """Compare all pairs of systems with the largest difference under random permutations.

    Estimand: the mean difference. Hypothesis: all systems are equal, so the scores within a query
    are exchangeable. The query pairs the scores: they are permuted within each query. The test
    assumes no distribution of the scores, but assumes that all systems vary alike. It is
    conservative if some systems are much worse than the others: leave out systems that are not of
    interest.

    Parameters
    ----------
    n_resamples : int, optional
        Number m of random permutations. Default: 19,999, or 1,999 above 50,000 scores. If there are
        at most m + 1 permutations in all, ``(k!)**n``, they are enumerated.

    Notes
    -----
    ``statistic`` is the mean difference. Method "exact" or "Monte Carlo". p is the share of
    permutations, including the identity, whose largest difference of two means is at least that of
    the pair: (b + 1) / (m + 1). The intervals are the differences plus and minus the critical
    largest difference.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.3, 0.4], [0.5, 0.6], [0.1, 0.3], [0.7, 0.8]]
    >>> result = run_joint_test("randomised-tukey", scores)
    >>> result.method, result.pvalue_adj
    ('exact', array([0.125]))
    """
    n_queries, n_systems = scores.shape
    # Whole numbers in one unit; the lowest score of each query is 0.
    above = scores - scores.min(axis=1, keepdims=True)
    flat, units = to_lattice(above.reshape(-1, 1))
    numbers, unit = flat.reshape(scores.shape), float(units[0]) / n_queries
    resamples = n_resamples or (N_ORDERS if scores.size <= MANY_SCORES else N_ORDERS_OF_MANY_SCORES)
    n_orders = math.factorial(min(n_systems, 20))
    exact = n_queries * math.log(n_orders) <= math.log(resamples + 1) + 1e-9
    sums = _all_orders(numbers) if exact else _random_orders(numbers, resamples, seed)
    largest, of_pair = np.ptp(sums, axis=1), np.abs(sums[:, 1] - sums[:, 0])
    if not exact:
        # Include the identity, which reaches every observed difference.
        largest = np.append(largest, np.ptp(numbers.sum(axis=0)))
        of_pair = np.append(of_pair, largest.max())
    # Rounding to whole numbers can separate equal differences of sums by up to this many units.
    slack = 2 * n_queries
    difference = pairs.of(numbers.sum(axis=0))
    adjusted, alone = (
        (len(values) - np.searchsorted(np.sort(values), np.abs(difference) - slack)) / len(values)
        for values in (largest, of_pair)
    )
    mean = difference * unit
    # The largest difference that is not significant; infinite if none would be.
    table = np.arange(len(largest) + 1) / len(largest)
    k = int(np.searchsorted(table, alpha, side="left"))
    critical = float(np.partition(largest, len(largest) - k)[len(largest) - k])
    half = (np.inf if critical >= largest.max() - slack else critical) * unit
    low, high = align_interval_with_pvalue(
        adjusted, mean, mean - half, mean + half, np.full_like(mean, alpha)
    )
    method = "exact" if exact else "Monte Carlo"
    return JointAnswer(mean, mean, alone, adjusted, low, high, method, 0 if exact else resamples)


def _all_orders(numbers: IntArray) -> IntArray:
    """Return the sums over the queries under every permutation: shape ((k!)**n, n_systems)."""
    sums = np.zeros((1, numbers.shape[1]), np.int64)
    for row in numbers:
        orders = np.array(list(permutations(row.tolist())), np.int64)
        sums = (sums[:, None, :] + orders[None, :, :]).reshape(-1, numbers.shape[1])
    return sums


def _random_orders(numbers: IntArray, n_orders: int, seed: int) -> IntArray:
    """Return the sums under random permutations; the first m do not depend on ``n_orders``."""
    n_queries, n_systems = numbers.shape
    sums = np.zeros((n_orders, n_systems), np.int64)
    for start in range(0, n_queries, QUERIES_AT_ONCE):
        rows = numbers[start : start + QUERIES_AT_ONCE]
        random = stream(seed, "orders", str(start))
        for first in range(0, n_orders, ORDERS_AT_ONCE):
            block = np.repeat(rows[None], ORDERS_AT_ONCE, axis=0)
            random.permuted(block, axis=2, out=block)
            part = slice(first, first + ORDERS_AT_ONCE)
            sums[part] += block.sum(axis=1)[: n_orders - first]
    return sums


# --- Groups of systems that do not differ significantly, their letters, bars of rank diagrams


def find_groups(distinct: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Return groups of systems; two share a group exactly if they do not differ significantly."""
    # The smallest number of groups is a minimum clique cover of the pairs that do not differ, which
    # is hard to find. This is a greedy method: each group starts with the first uncovered pair and
    # then adds, among the systems that differ from none of its members, the one that covers most
    # new pairs. At the end groups are dropped whose pairs are all covered by others. On 600 random
    # boards of 3 to 40 systems the result equals that of insert-and-absorb, whose intermediate
    # groups can grow exponentially.
    # Source: Gramm, Guo, Hueffner, Niedermeier, Piepho & Schmid (2007), Computational Statistics &
    # Data Analysis 52, 725-736; Piepho (2004), Journal of Computational and Graphical Statistics
    # 13, 456-466.
    square = distinct.ndim == 2 and distinct.shape[0] == distinct.shape[1]
    if not square or np.any(distinct != distinct.T) or np.any(np.diagonal(distinct)):
        raise ArgumentError("distinct must be a symmetric matrix with nothing on its diagonal")
    tied = ~distinct
    held = distinct.copy()  # pairs that are covered
    result = []
    for first in range(len(distinct)):
        while not held[first, first:].all():
            group, fits, gain = [], tied[first].copy(), np.zeros(len(distinct), np.int64)
            joins = first
            while True:
                group.append(joins)
                fits &= tied[joins]
                fits[joins] = False
                gain += ~held[joins]
                if not fits.any():
                    break
                # The first uncovered pair starts; of equal gains, the better system is added.
                begins = len(group) == 1
                joins = int(np.argmax(fits & ~held[first] if begins else np.where(fits, gain, -1)))
            members = np.sort(group)
            held[np.ix_(members, members)] = True
            result.append(members)
    return tuple(sorted(tuple(group.tolist()) for group in _needed(result, len(distinct))))


def _needed(result: list[IntArray], n_systems: int) -> list[IntArray]:
    """Drop groups, small ones first, whose pairs and members are all covered by others."""
    holders = np.zeros((n_systems, n_systems), np.int64)
    for group in result:
        holders[np.ix_(group, group)] += 1
    selected = []
    for group in sorted(result, key=lambda group: (len(group), group.tolist())):
        ix = np.ix_(group, group)
        if (holders[ix] > 1).all():
            holders[ix] -= 1
        else:
            selected.append(group)
    return selected


def group_letters(distinct: BoolArray) -> tuple[str, ...]:
    """Return the letters of each system, best first; systems that share one do not differ."""
    # After z come a2 to z2, a3 and so on, which stay readable when written without separators.
    # Source: Piepho (2004), Journal of Computational and Graphical Statistics 13, 456-466.
    result = [""] * len(distinct)
    for number, group in enumerate(find_groups(distinct)):
        rounds, place = divmod(number, len(ascii_lowercase))
        for system in group:
            result[system] += ascii_lowercase[place] + (str(rounds + 1) if rounds else "")
    return tuple(result)


def find_cliques(order: Sequence[int], distinct: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Return the bars of a critical difference diagram: runs of systems without distinct pairs."""
    result: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not distinct[order[stop], list(order[start:stop])].any():
            stop += 1
        if stop - start > 1 and stop > reached:
            result.append(tuple(order[start:stop]))
            reached = stop
    return tuple(result)
