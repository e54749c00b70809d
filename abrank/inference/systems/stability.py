"""How steady an order of systems is under resampling of the queries, and how orders agree.

=====================  ========================================================
scores                 chances of the ranks; Kendall's tau and tau_AP
=====================  ========================================================
no query               NaN
one query              its order, in every resample
systems that tie       share the ranks between them; a tie counts half in tau_AP
all systems tie        every rank is as likely; tau NaN, tau_AP 0
not finite             refused
=====================  ========================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.rounding import round_off
from abrank.inference.systems.registry import as_scores

N_RESAMPLES = 9_999
N_AGREEMENT = 999
# Above so many queries means of resamples are drawn from their normal limit.
MOST_QUERIES = 2_000
_AT_ONCE = 2_000_000  # numbers


@record
class RankStability:
    """Chances of the ranks under resampling of the queries."""

    chances: FloatArray
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    n_resamples: int


def resample_means(scores: FloatArray, *, n_resamples: int, seed: int) -> FloatArray:
    """Return the means of bootstrap samples of the queries: float64[n_resamples, n_columns].

    Above 2,000 queries the means are drawn from their normal limit, with the covariance of the
    scores.
    """
    n_queries, n_columns = scores.shape
    random = stream(seed, "queries")
    if n_queries > MOST_QUERIES:
        covariance = np.atleast_2d(np.cov(scores, rowvar=False, bias=True)) / n_queries
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = random.standard_normal((n_resamples, n_columns))
        return np.asarray(scores.mean(axis=0) + drawn @ root.T)
    means = np.empty((n_resamples, n_columns))
    step = max(1, _AT_ONCE // n_queries)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        rows = random.integers(n_queries, size=(size, n_queries))
        rows += n_queries * np.arange(size)[:, None]
        counts = np.bincount(rows.ravel(), minlength=size * n_queries).reshape(size, n_queries)
        means[start : start + size] = counts @ scores / n_queries
    return means


def rank_stability(
    scores: npt.ArrayLike,
    *,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> RankStability:
    """Return how often each system has each rank when the queries are drawn anew.

    Parameters
    ----------
    scores : array_like of shape (n_queries, n_systems)
        The query is what pairs the systems: they share the resamples.
    higher_is_better : bool
    confidence : float
        Of the intervals of the ranks.
    n_resamples : int
    seed : int

    Returns
    -------
    RankStability
        Systems that tie in a resample are put in a random order.

    Raises
    ------
    ArgumentError
        If a score is not finite, or there are fewer than two systems.

    Notes
    -----
    A percentile bootstrap: it describes how the order depends on which queries were asked, and is
    no test. Xie, Singh & Zhang (2009), Journal of the American Statistical Association 104,
    775-788, show that near ties make such intervals too short.

    Examples
    --------
    >>> found = rank_stability([[0.1, 0.3], [0.2, 0.1], [0.1, 0.4], [0.2, 0.5]])
    >>> bool(found.chances[1, 0] > 0.9), found.low, found.high
    (True, array([1, 1]), array([2, 2]))
    """
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    if n_queries == 0:
        nothing = np.zeros(n_systems, np.int64)
        return RankStability(np.full((n_systems,) * 2, np.nan), nothing, nothing, 0)
    means = resample_means(block, n_resamples=n_resamples, seed=seed)
    scale = float(np.abs(block).max(initial=0.0))
    return chances_of_ranks(
        means if higher_is_better else -means, scale=scale, confidence=confidence, seed=seed
    )


def chances_of_ranks(
    means: FloatArray, *, scale: float, confidence: float, seed: int
) -> RankStability:
    """Return how often each system has each rank in resampled means, the higher the better."""
    n_resamples, n_systems = means.shape
    random = stream(seed, "ties")
    found = np.zeros(n_systems**2, np.int64)
    step = max(1, _AT_ONCE // n_systems)
    for part in (means[start : start + step] for start in range(0, n_resamples, step)):
        noise = random.random(part.shape)
        order = np.lexsort((noise, round_off(-part, scale=scale)), axis=-1)
        places = order * n_systems + np.arange(n_systems)
        found += np.bincount(places.ravel(), minlength=n_systems**2)
    counts = found.reshape(n_systems, n_systems)
    below = np.cumsum(counts, axis=1)
    tail = (1.0 - confidence) / 2.0 * n_resamples
    low = 1 + (below <= tail).sum(axis=1)
    high = 1 + (below < n_resamples - tail).sum(axis=1)
    return RankStability(counts / n_resamples, low, high, n_resamples)


def kendall_tau(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of two orders of the same systems, over leading axes at once.

    Parameters
    ----------
    one, other : float64[..., n_systems]

    Returns
    -------
    float64[...]
        NaN where one of the two ties all systems.

    Examples
    --------
    >>> round(float(kendall_tau(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))), 3)
    0.333
    """
    signs = [np.sign(each[..., :, None] - each[..., None, :]) for each in (one, other)]
    both, own, others = (
        (left * right).sum(axis=(-2, -1))
        for left, right in ((signs[0], signs[1]), (signs[0], signs[0]), (signs[1], signs[1]))
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(both / np.sqrt(own * others))


def tau_ap(truth: FloatArray, order: FloatArray) -> FloatArray:
    """Return tau_AP: Kendall's tau that weighs what stands high in an order the most.

    Parameters
    ----------
    truth, order : float64[..., n_systems]
        Higher is better. The order is held against the truth.

    Returns
    -------
    float64[...]
        1 where both agree, -1 where one is the reverse of the other; not symmetric. Two systems
        that tie count half.

    References
    ----------
    .. [1] Yilmaz, Aslam & Robertson (2008), SIGIR, 587-594, equation 6.

    Examples
    --------
    >>> round(float(tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0]))), 3)
    0.333
    """
    above, better = (
        0.5 + 0.5 * np.sign(each[..., None, :] - each[..., :, None]) for each in (order, truth)
    )
    itself = np.eye(truth.shape[-1], dtype=np.bool_)
    above = np.where(itself, 0.0, above)
    right, seen = (above * better).sum(axis=-1), above.sum(axis=-1)
    counted = seen > 0.0
    share = np.divide(right, seen, out=np.zeros_like(right), where=counted)
    return np.asarray(2.0 * share.sum(axis=-1) / counted.sum(axis=-1) - 1.0)
