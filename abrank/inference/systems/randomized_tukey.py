"""Randomised Tukey HSD: which system got which score of a query is a matter of chance."""

from __future__ import annotations

from itertools import permutations
from math import factorial, log

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.exact.inversion import align_interval_with_pvalue
from abrank.inference.rounding import to_lattice
from abrank.inference.systems.pairs import JointAnswer, Pairs
from abrank.inference.systems.registry import joint_test

N_ORDERS = 19_999
N_ORDERS_OF_MANY_SCORES = 1_999
MANY_SCORES = 50_000
# Part of what a seed means: another value here gives other orders.
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
    pairs: Pairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
) -> JointAnswer:
    """Compare all pairs of systems with the largest difference that chance orders give.

    Estimand: the mean difference. Hypothesis: the systems are one, so the scores of a query could
    stand in any order. The query pairs the scores: orders are drawn within each. It has no
    distribution of the scores to assume, but takes all systems to vary alike under the hypothesis,
    and is the more careful the worse the worst systems are: leave those out that are not in
    question.

    Parameters
    ----------
    scores : ndarray of shape (n_queries, n_systems)
        Taken to 10 digits of the largest.
    n_resamples : int, optional
        Random orders m; 19,999, or 1,999 above 50,000 scores. Where all ``(k!)**n`` orders are no
        more than m + 1 they are enumerated.

    Returns
    -------
    JointAnswer
        ``statistic`` is the mean difference. Method "exact" or "Monte Carlo".

    Notes
    -----
    p is the share of orders, the given one among them, whose largest difference of two means is at
    least the pair's: (b + 1) / (m + 1) [1]_. The intervals are the differences plus and minus the
    critical largest difference, as in [2]_.

    References
    ----------
    .. [1] Carterette (2012), ACM Transactions on Information Systems 30(1), article 4.
    .. [2] Sakai (2018), Laboratory Experiments in Information Retrieval, chapter 4.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.3, 0.4], [0.5, 0.6], [0.1, 0.3], [0.7, 0.8]]
    >>> result = run_joint_test("randomised-tukey", scores)
    >>> result.method, result.pvalue_adj
    ('exact', array([0.125]))
    """
    n_queries, n_systems = scores.shape
    unit, numbers = _common_lattice(scores)
    drawn = n_resamples or (N_ORDERS if scores.size <= MANY_SCORES else N_ORDERS_OF_MANY_SCORES)
    exact = n_queries * log(factorial(min(n_systems, 20))) <= log(drawn + 1) + 1e-9
    sums = _all_orders(numbers) if exact else _random_orders(numbers, drawn, seed)
    largest, two = np.ptp(sums, axis=1), np.abs(sums[:, 1] - sums[:, 0])
    if not exact:
        # The given order is one of those that are counted; whatever is asked of it, it reaches.
        largest = np.append(largest, np.ptp(numbers.sum(axis=0)))
        two = np.append(two, largest.max())
    # Rounding to the lattice can part equal differences of sums by this many units.
    slack = 2 * n_queries
    difference = pairs.of(numbers.sum(axis=0))
    observed = np.abs(difference) - slack
    adjusted, alone = (_share(values, observed) for values in (largest, two))
    mean = difference * (unit / n_queries)
    half = _critical(largest, alpha, slack) * (unit / n_queries)
    low, high = align_interval_with_pvalue(
        adjusted, mean, mean - half, mean + half, np.full_like(mean, alpha)
    )
    method = "exact" if exact else "Monte Carlo"
    return JointAnswer(mean, mean, alone, adjusted, low, high, method, 0 if exact else drawn)


def _common_lattice(scores: FloatArray) -> tuple[float, IntArray]:
    """Return scores as whole numbers of one unit; the query's least score is 0."""
    above = scores - scores.min(axis=1, keepdims=True)
    numbers, unit = to_lattice(above.reshape(-1, 1))
    return float(unit[0]), numbers.reshape(scores.shape)


def _all_orders(numbers: IntArray) -> IntArray:
    """Return the sums over the queries under every order: shape ((k!)**n, n_systems)."""
    sums = np.zeros((1, numbers.shape[1]), np.int64)
    for row in numbers:
        orders = np.array(list(permutations(row.tolist())), np.int64)
        sums = (sums[:, None, :] + orders[None, :, :]).reshape(-1, numbers.shape[1])
    return sums


def _random_orders(numbers: IntArray, n_orders: int, seed: int) -> IntArray:
    """Return the sums under random orders; the first m do not depend on how many are drawn."""
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


def _share(values: IntArray, observed: IntArray) -> FloatArray:
    """Return the share of values that reach what was observed."""
    reached = len(values) - np.searchsorted(np.sort(values), observed, side="left")
    return np.asarray(reached / len(values))


def _critical(largest: IntArray, alpha: float, slack: int) -> float:
    """Return the largest difference that is not told from 0; infinite where none would be."""
    table = np.arange(len(largest) + 1) / len(largest)
    k = int(np.searchsorted(table, alpha, side="left"))
    value = np.partition(largest, len(largest) - k)[len(largest) - k]
    return np.inf if value >= largest.max() - slack else float(value)
