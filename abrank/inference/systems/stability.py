"""Stability of a ranking under resampling of the queries, and agreement of rankings."""

# If all systems tie, all ranks are equally likely, tau is NaN and tau_AP 0. Several collections
# have equal weight, and queries are resampled within collections; a collection with a single query
# has no variance and is refused.

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.paired import satterthwaite, t_interval, t_pvalue
from abrank.inference.registry import as_alpha
from abrank.inference.rounding import align_interval_with_pvalue, beside_zero, has_spread, round_off
from abrank.inference.systems.registry import JointResult, SystemPairs, as_scores

N_RESAMPLES = 9_999
N_AGREEMENT = 999
# With more queries, means of resamples are drawn from their normal limit.
MAX_QUERIES = 2_000
NUMBERS_AT_ONCE = 2_000_000  # numbers in memory


@record
class RankStability:
    """Probabilities of ranks under resampling of the queries."""

    chances: FloatArray
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    n_resamples: int


def resample_means(scores: FloatArray, *, n_resamples: int, seed: int) -> FloatArray:
    """Return the means of bootstrap samples of the queries: float64[n_resamples, n_columns]."""
    # Above 2,000 queries the means are drawn from their normal limit with the covariance of the
    # scores.
    n_queries, n_columns = scores.shape
    random = stream(seed, "queries")
    if n_queries > MAX_QUERIES:
        covariance = np.atleast_2d(np.cov(scores, rowvar=False, bias=True)) / n_queries
        # ``multivariate_normal`` uses the absolute value of an eigenvalue that rounding made
        # negative, which would separate two systems with equal scores by 1e-10.
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        standard_normal = random.standard_normal((n_resamples, n_columns))
        return np.asarray(scores.mean(axis=0) + standard_normal @ root.T)
    means = np.empty((n_resamples, n_columns))
    step = max(1, NUMBERS_AT_ONCE // n_queries)
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
    """Return how often each system has each rank if the queries are resampled."""
    # This percentile bootstrap describes how the order depends on the sample of queries; it is no
    # test, and near ties its intervals are too short. Tied systems are ordered at random.
    # Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13; Xie, Singh &
    # Zhang (2009), Journal of the American Statistical Association 104, 775-788: near ties.
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
    """Return how often each system has each rank in resampled means; higher is better."""
    n_resamples, n_systems = means.shape
    random = stream(seed, "ties")
    values = np.zeros(n_systems**2, np.int64)
    step = max(1, NUMBERS_AT_ONCE // n_systems)
    for part in (means[start : start + step] for start in range(0, n_resamples, step)):
        noise = random.random(part.shape)
        order = np.lexsort((noise, round_off(-part, scale=scale)), axis=-1)
        places = order * n_systems + np.arange(n_systems)
        values += np.bincount(places.ravel(), minlength=n_systems**2)
    counts = values.reshape(n_systems, n_systems)
    below = np.cumsum(counts, axis=1)
    tail = (1.0 - confidence) / 2.0 * n_resamples
    low = 1 + (below <= tail).sum(axis=1)
    high = 1 + (below < n_resamples - tail).sum(axis=1)
    return RankStability(counts / n_resamples, low, high, n_resamples)


def kendall_tau(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of two orders of the same systems, over leading axes at once."""
    # :func:`scipy.stats.kendalltau` would handle the thousands of resamples one at a time. NaN if
    # one order ties all systems.
    # Source: Kendall (1945), Biometrika 33, 239-251.
    signs = [np.sign(values[..., :, None] - values[..., None, :]) for values in (first, second)]
    agreement, untied_first, untied_second = (
        (left * right).sum(axis=(-2, -1))
        for left, right in ((signs[0], signs[1]), (signs[0], signs[0]), (signs[1], signs[1]))
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(agreement / np.sqrt(untied_first * untied_second))


def tau_ap(truth: FloatArray, order: FloatArray) -> FloatArray:
    """Return tau_AP of an order against the truth: Kendall's tau with more weight at the top."""
    # 1 for equal orders, -1 for reversed ones; not symmetric. Tied systems count half.
    # Source: Yilmaz, Aslam & Robertson (2008), SIGIR, 587-594, equation 6.
    above, better = (
        0.5 + 0.5 * np.sign(values[..., None, :] - values[..., :, None])
        for values in (order, truth)
    )
    itself = np.eye(truth.shape[-1], dtype=np.bool_)
    above = np.where(itself, 0.0, above)
    right, n_above = (above * better).sum(axis=-1), above.sum(axis=-1)
    is_counted = n_above > 0.0
    share = np.divide(right, n_above, out=np.zeros_like(right), where=is_counted)
    return np.asarray(2.0 * share.sum(axis=-1) / is_counted.sum(axis=-1) - 1.0)


# Limits of memory: resampled means of systems on collections, and of pairs.
MAX_MEANS, MAX_PAIRS, MIN_RESAMPLES = 5_000_000, 100_000_000, 999


@record
class WithinCollections:
    """The results of :func:`compare_within_collections`."""

    # `ci_low` and `ci_high` limit each system's mean over these collections; `compared` is the test
    # of all pairs. `same_collections` and `other_collections` are resampled means,
    # float64[n_resamples, n_systems], of queries within these collections, and of collections drawn
    # with replacement.

    ci_low: FloatArray
    ci_high: FloatArray
    compared: JointResult
    same_collections: FloatArray
    other_collections: FloatArray


def compare_within_collections(
    blocks: Mapping[str, npt.ArrayLike],
    *,
    confidence: float = 0.95,
    n_resamples: int | None = None,
    seed: int = 0,
) -> WithinCollections:
    """Compare all pairs of systems by their means over collections with equal weight."""
    # Estimand: the difference of two means over the collections. Hypothesis: all systems have the
    # same mean. The query pairs the systems; queries are resampled within collections. Each pair
    # has a t with Satterthwaite's degrees of freedom from the variances within collections. Its
    # p-value is compared with the smallest bootstrap p-value among all pairs whose p-value is at
    # least as large (step-down min-P of Westfall and Young). This controls the familywise error for
    # any correlations and variances. The intervals use the smallest of all pairs and are
    # simultaneous, except those that end at 0, where only the step-down p is significant; the two
    # guarantees do not hold jointly. The variance of the resamples is inflated by n / (n - 1).
    # Source: Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 2.5.
    alpha = float(as_alpha(confidence, 1)[0])
    names = sorted(blocks)
    parts = [as_scores(blocks[name]) for name in names]
    for name, part in zip(names, parts, strict=True):
        if len(part) < 2:
            count = "one query" if len(part) else "no query"
            raise ArgumentError(f"the collection {name} has {count}: it takes two to show a spread")
    n_systems, n_collections = parts[0].shape[1], len(parts)
    if n_resamples is None:
        means_at_most = MAX_MEANS // (n_collections * n_systems)
        n_resamples = max(MIN_RESAMPLES, min(N_RESAMPLES, means_at_most, MAX_PAIRS // n_systems**2))
    means = np.mean([part.mean(axis=0) for part in parts], axis=0)
    # Resamples of different collections are independent.
    samples = np.stack([
        resample_means(
            part, n_resamples=n_resamples,
            seed=int(stream(seed, "collection", name).integers(2**63)),
        )
        for part, name in zip(parts, names, strict=True)
    ])  # fmt: skip
    stretch = [(len(part) / (len(part) - 1)) ** 0.5 / n_collections for part in parts]
    centred = (sample - part.mean(axis=0) for sample, part in zip(samples, parts, strict=True))
    shifted = sum(factor * sample for factor, sample in zip(stretch, centred, strict=True))
    error, freedom = _error_of_means([part.var(axis=0, ddof=1) for part in parts], parts)
    low, high = t_interval(means, error, freedom, np.full(n_systems, alpha), "two-sided")
    # Resample collections with replacement, and queries within them.
    random = stream(seed, "collections")
    collections_drawn = random.integers(n_collections, size=(n_collections, n_resamples))
    rows = random.integers(n_resamples, size=(n_collections, n_resamples))
    total = sum(samples[which, row] for which, row in zip(collections_drawn, rows, strict=True))
    compared = _compared(parts, means, np.asarray(shifted), alpha, confidence)
    return WithinCollections(low, high, compared, means + shifted, total / n_collections)


def _error_of_means(
    variances: Sequence[FloatArray], parts: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the standard error of a mean of means (NaN without variance), and its freedom."""
    n = np.array([len(part) for part in parts], np.float64)[:, None]
    return satterthwaite(np.stack(variances) / n / len(parts) ** 2, n - 1.0)


def _compared(
    parts: Sequence[FloatArray], means: FloatArray, shifted: FloatArray, alpha: float, level: float
) -> JointResult:
    from scipy.special import ndtr

    n_systems = len(means)
    pairs = SystemPairs(*np.triu_indices(n_systems, 1))
    scale = max(float(np.abs(part).max()) for part in parts)
    differences = [round_off(pairs.of(part), scale=scale) for part in parts]
    is_identical = ~np.any([difference.any(axis=0) for difference in differences], axis=0)
    # Differences that vary only by rounding are constant.
    variances = [np.where(has_spread(d), d.var(axis=0, ddof=1), 0.0) for d in differences]
    error, freedom = _error_of_means(variances, parts)
    estimate = np.where(is_identical, 0.0, pairs.of(means))
    statistic = np.where(is_identical, 0.0, estimate / error)
    unadjusted = np.where(is_identical, 1.0, t_pvalue(statistic, freedom, "two-sided"))
    adjusted, largest = _step_down(shifted, pairs, error, unadjusted)
    smallest = np.sort(2.0 * ndtr(-largest))
    adjusted[is_identical] = 1.0
    # Significant values are reached by at most this number of resamples, so that p < alpha.
    maximum = int(np.ceil(alpha * (1.0 + len(smallest)) - 1.0)) - 1
    critical = min(alpha, float(smallest[maximum])) if maximum >= 0 else 0.0
    low, high = t_interval(estimate, error, freedom, np.full_like(error, critical), "two-sided")
    # If only the step-down p is significant, the interval shows the side of 0.
    low, high = beside_zero(adjusted < alpha, estimate, low, high)
    low, high = align_interval_with_pvalue(
        adjusted, estimate, low, high, np.full_like(error, alpha)
    )
    return JointResult(
        estimate, statistic, unadjusted, adjusted,
        np.where(is_identical, 0.0, low), np.where(is_identical, 0.0, high),
        "Monte Carlo", len(smallest), "difference of means over these collections", pairs=pairs,
        identical=is_identical, test="within-collections", confidence=level, baseline=None,
        n_queries=sum(map(len, parts)), n_systems=n_systems,
    )  # fmt: skip


def _step_down(
    shifted: FloatArray, pairs: SystemPairs, error: FloatArray, unadjusted: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return adjusted p-values (NaN without a test), and each resample's largest t."""
    from scipy.special import ndtri

    adjusted, largest = np.full(len(error), np.nan), np.zeros(len(shifted))
    varies = np.flatnonzero(np.isfinite(error) & np.isfinite(unadjusted))
    # A pair is compared with the largest t of pairs whose p is at least as large, because pairs
    # with smaller p were rejected before.
    falling = varies[np.argsort(-unadjusted[varies], kind="stable")]
    for pair in falling.tolist():
        difference = shifted[:, pairs.second[pair]] - shifted[:, pairs.first[pair]]
        np.maximum(largest, np.abs(difference) / error[pair], out=largest)
        reached = np.count_nonzero(largest >= -ndtri(unadjusted[pair] / 2.0))
        adjusted[pair] = max(float(unadjusted[pair]), (1.0 + reached) / (1.0 + len(shifted)))
    rising = falling[::-1]
    adjusted[rising] = np.maximum.accumulate(adjusted[rising])
    return adjusted, largest
