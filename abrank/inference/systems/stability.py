"""How steady an order of systems is under resampling of the queries, and how orders agree."""

# Systems that all tie have every rank as likely, tau NaN and tau_AP 0. Over several collections,
# each with the same weight, queries are drawn within collections; one with a single query shows no
# spread, and is refused.

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
# Above so many queries means of resamples are drawn from their normal limit.
MAX_QUERIES = 2_000
NUMBERS_AT_ONCE = 2_000_000  # numbers


@record
class RankStability:
    """Chances of the ranks under resampling of the queries."""

    chances: FloatArray
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    n_resamples: int


def resample_means(scores: FloatArray, *, n_resamples: int, seed: int) -> FloatArray:
    """Return the means of bootstrap samples of the queries: float64[n_resamples, n_columns]."""
    # Above 2,000 queries the means are drawn from their normal limit, with the covariance of the
    # scores.
    n_queries, n_columns = scores.shape
    random = stream(seed, "queries")
    if n_queries > MAX_QUERIES:
        covariance = np.atleast_2d(np.cov(scores, rowvar=False, bias=True)) / n_queries
        # Own, not ``multivariate_normal``: that takes the absolute value of an eigenvalue that
        # rounding makes negative, and so tells two systems of the same scores apart by 1e-10.
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
    """Return how often each system has each rank when the queries are drawn anew."""
    # A percentile bootstrap: it describes how the order depends on which queries were asked, and is
    # no test; near ties make such intervals too short. Systems that tie come in a random order.
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
    """Return how often each system has each rank in resampled means, the higher the better."""
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
    # As :func:`scipy.stats.kendalltau`, which takes one of the thousands of resamples at a time.
    # NaN where one of the two ties all systems.
    # Source: Kendall (1945), Biometrika 33, 239-251.
    signs = [np.sign(values[..., :, None] - values[..., None, :]) for values in (first, second)]
    agreement, untied_first, untied_second = (
        (left * right).sum(axis=(-2, -1))
        for left, right in ((signs[0], signs[1]), (signs[0], signs[0]), (signs[1], signs[1]))
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(agreement / np.sqrt(untied_first * untied_second))


def tau_ap(truth: FloatArray, order: FloatArray) -> FloatArray:
    """Return tau_AP of an order against the truth: Kendall's tau that weighs the top the most."""
    # 1 where both agree, -1 where one is the reverse of the other; not symmetric. Two systems that
    # tie count half.
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


# Numbers that all resamples together hold, of the systems on the collections and of the pairs.
MAX_MEANS, MAX_PAIRS, MIN_RESAMPLES = 5_000_000, 100_000_000, 999


@record
class WithinCollections:
    """Answers of :func:`compare_within_collections`."""

    # `ci_low` and `ci_high` are limits of each system's mean over these collections, `compared` the
    # test of all pairs. `same_collections` and `other_collections` are resampled means,
    # float64[n_resamples, n_systems]: of queries within these collections, and of collections drawn
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
    """Compare all pairs of systems by their means over these collections, of equal weight."""
    # Estimand: the difference of two means over the collections. Hypothesis: all systems have one.
    # The query pairs the systems; it belongs to one collection, and is drawn within it.
    # Each pair has its t with Satterthwaite's degrees of freedom from the variances within the
    # collections. Its p-value is held against the smallest in each bootstrap sample of the queries
    # of all pairs whose p-value is no smaller (step-down min-P of Westfall and Young), which holds
    # the chance of any false difference whatever the correlations and variances of the pairs. The
    # intervals are of the smallest of all pairs, and hold jointly but for those that end at 0,
    # where the steps alone tell a pair apart: both promises at once are not guaranteed. The samples
    # are stretched by n / (n - 1) in their variance.
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
    # Every collection's resamples are independent of the others'.
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
    # Means over collections that are drawn with replacement, and queries within them.
    random = stream(seed, "collections")
    collections_drawn = random.integers(n_collections, size=(n_collections, n_resamples))
    rows = random.integers(n_resamples, size=(n_collections, n_resamples))
    total = sum(samples[which, row] for which, row in zip(collections_drawn, rows, strict=True))
    compared = _compared(parts, means, np.asarray(shifted), alpha, confidence)
    return WithinCollections(low, high, compared, means + shifted, total / n_collections)


def _error_of_means(
    variances: Sequence[FloatArray], parts: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the standard error of a mean of means, NaN where nothing varies, and its freedom."""
    n = np.array([len(part) for part in parts], np.float64)[:, None]
    return satterthwaite(np.stack(variances) / n / len(parts) ** 2, n - 1.0)


def _compared(
    parts: Sequence[FloatArray], means: FloatArray, shifted: FloatArray, alpha: float, level: float
) -> JointResult:
    """Return all pairs by the smallest p-value of each resample."""
    from scipy.special import ndtr

    n_systems = len(means)
    pairs = SystemPairs(*np.triu_indices(n_systems, 1))
    scale = max(float(np.abs(part).max()) for part in parts)
    differences = [round_off(pairs.of(part), scale=scale) for part in parts]
    is_identical = ~np.any([difference.any(axis=0) for difference in differences], axis=0)
    # What differs by rounding only does not vary.
    variances = [np.where(has_spread(d), d.var(axis=0, ddof=1), 0.0) for d in differences]
    error, freedom = _error_of_means(variances, parts)
    estimate = np.where(is_identical, 0.0, pairs.of(means))
    statistic = np.where(is_identical, 0.0, estimate / error)
    unadjusted = np.where(is_identical, 1.0, t_pvalue(statistic, freedom, "two-sided"))
    adjusted, largest = _step_down(shifted, pairs, error, unadjusted)
    smallest = np.sort(2.0 * ndtr(-largest))
    adjusted[is_identical] = 1.0
    # Told apart is what at most so many of the resamples reach: fewer than that have p < alpha.
    maximum = int(np.ceil(alpha * (1.0 + len(smallest)) - 1.0)) - 1
    critical = min(alpha, float(smallest[maximum])) if maximum >= 0 else 0.0
    low, high = t_interval(estimate, error, freedom, np.full_like(error, critical), "two-sided")
    # What the steps alone tell apart: they say on which side of 0 it is.
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
    """Return adjusted p-values, NaN where there is no test, and each resample's largest t."""
    from scipy.special import ndtri

    adjusted, largest = np.full(len(error), np.nan), np.zeros(len(shifted))
    varies = np.flatnonzero(np.isfinite(error) & np.isfinite(unadjusted))
    # A pair is compared with the largest of those whose p is no smaller: the others, if they
    # differ, have been found before it.
    falling = varies[np.argsort(-unadjusted[varies], kind="stable")]
    for pair in falling.tolist():
        difference = shifted[:, pairs.second[pair]] - shifted[:, pairs.first[pair]]
        np.maximum(largest, np.abs(difference) / error[pair], out=largest)
        reached = np.count_nonzero(largest >= -ndtri(unadjusted[pair] / 2.0))
        adjusted[pair] = max(float(unadjusted[pair]), (1.0 + reached) / (1.0 + len(shifted)))
    rising = falling[::-1]
    adjusted[rising] = np.maximum.accumulate(adjusted[rising])
    return adjusted, largest
