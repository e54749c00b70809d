"""The difference in each segment of the queries, and whether segments differ from each other."""

# A segment with fewer than six queries has a count and a mean, but NaN for all else, and is not
# part of the family. The interaction test leaves out segments with constant differences.

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.clusters import (
    cluster_sizes,
    deciding_test,
    numbered,
    run_cluster_test,
    weighted_result,
)
from abrank.inference.families import adjust, share_of_alpha
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.inference.registry import as_alpha, as_column, run_test
from abrank.inference.rounding import has_spread, round_off


@record
class Heterogeneity:
    """The results of :func:`heterogeneity`; NaN with fewer than two usable groups."""

    # `statistic`, `freedom` (numerator, denominator) and `pvalue` are those of Welch's test for
    # equal means. `q` is Cochran's Q, with `q_pvalue` from chi-squared with `n_groups - 1` degrees
    # of freedom. `i_squared` is the share of the variance of the means that is not error.

    n_groups: int
    statistic: float
    freedom: tuple[float, float]
    pvalue: float
    q: float
    q_pvalue: float
    i_squared: float


def heterogeneity(
    counts: FloatArray, means: FloatArray, variances: FloatArray, freedom: FloatArray | None = None
) -> Heterogeneity:
    """Test whether the groups have the same mean, with unequal variances."""
    # `freedom` is the degrees of freedom of the variances; default: n - 1. With w = n / s**2 both
    # statistics use q = sum w (mean - weighted mean)**2. Welch's test keeps its level with few
    # queries per group; Q treats the variances as known and then rejects too often.
    # Source: Welch (1951), Biometrika 38, 330-336; Cochran (1954), Biometrics 10, 101-129; Higgins
    # & Thompson (2002), Statistics in Medicine 21, 1539-1558.
    from scipy.special import chdtrc, fdtrc

    is_usable = (counts >= 2) & (variances > 0.0)
    n, mean, weight = counts[is_usable], means[is_usable], counts[is_usable] / variances[is_usable]
    k, nan = len(n), float("nan")
    if k < 2:
        return Heterogeneity(k, nan, (nan, nan), nan, nan, nan, nan)
    q = float((weight * (mean - np.average(mean, weights=weight)) ** 2).sum())
    freedom_of_groups = n - 1.0 if freedom is None else freedom[is_usable]
    spread = float(((1.0 - weight / weight.sum()) ** 2 / freedom_of_groups).sum())
    statistic = q / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) / (k**2 - 1.0) * spread)
    below = (k**2 - 1.0) / (3.0 * spread)
    return Heterogeneity(
        n_groups=k,
        statistic=statistic,
        freedom=(k - 1.0, below),
        pvalue=float(fdtrc(k - 1.0, below, statistic)),
        q=q,
        q_pvalue=float(chdtrc(k - 1.0, q)),
        i_squared=max(0.0, 1.0 - (k - 1.0) / q) if q > 0.0 else 0.0,
    )


MIN_QUERIES = 6


@record
class Segments:
    """The results of :func:`describe_segments`: arrays of shape (n_segments,), sorted by label."""

    # `rows` are the queries of each segment, `mean` its mean difference. `reversal` says whether
    # most of the large enough segments point against the overall mean (Simpson's reversal).

    labels: tuple[str, ...]
    rows: tuple[IntArray, ...]
    n_queries: IntArray
    mean: FloatArray
    interaction: Heterogeneity
    reversal: bool


def describe_segments(differences: FloatArray, labels: Sequence[str]) -> Segments:
    """Describe the segments, and test whether their mean differences are equal."""
    # A significant and a nonsignificant segment need not differ significantly; the interaction test
    # shows whether they do.
    # Source: Welch (1951), Biometrika 38, 330-336.
    differences = as_column(differences, "segments are of")
    names, place = numbered(labels)
    counts = np.bincount(place, minlength=len(names))
    rows = np.split(np.argsort(place, kind="stable"), np.cumsum(counts)[:-1]) if names else []
    parts = [differences[row] for row in rows]
    means = np.array([part.mean() for part in parts], dtype=np.float64)
    large = counts >= MIN_QUERIES
    # Constant differences have no variance.
    variances = np.array([
        part.var(ddof=1) if is_large and has_spread(part) else 0.0
        for part, is_large in zip(parts, large, strict=True)
    ])  # fmt: skip
    total = differences.mean(keepdims=True) if differences.size else np.full(1, np.nan)
    largest = np.abs(differences).max(initial=0.0)
    of_segments, of_all = (np.sign(round_off(x, scale=largest)) for x in (means[large], total))
    return Segments(
        names, tuple(rows), counts, means,
        heterogeneity(counts.astype(np.float64), means, variances),
        reversal=bool((of_segments * of_all).sum() < 0.0),
    )  # fmt: skip


class SegmentTest(NamedTuple):
    """The test of each segment, and its resampling options."""

    name: str
    seed: int = 0
    n_resamples: int | None = None


def answer_by_segment(
    parts: Sequence[FloatArray],
    large: BoolArray,
    alpha: float,
    test: SegmentTest,
    clusters: Sequence[Sequence[str]] | None = None,
    weights: Sequence[FloatArray] | None = None,
    *,
    skewed: bool = False,
) -> FloatArray:
    """Return p-value and limits of segments, plain and adjusted: [6, n_segments, n_samples]."""
    # Holm adjustment: the interval of a segment has the level at which Holm's procedure tested it,
    # so it excludes 0 exactly if the adjusted p < alpha. The intervals are not fully simultaneous
    # if some segments have a difference: with one of three, all three hold in 93 %
    # (`reports/calibration`).
    # Source: Holm (1979), Scandinavian Journal of Statistics 6, 65-70; Hall (1992), Journal of the
    # Royal Statistical Society B 54, 221-228. `skewed` also corrects t for skewness, because
    # segments are small and Holm's procedure uses the far tails.
    ask = partial(_answers, parts, large, test=test, clusters=clusters, weights=weights)
    unadjusted = ask(np.full((len(parts), parts[0].shape[1] if parts else 1), 1.0 - alpha))
    if skewed and test.name == "t" and clusters is None and weights is None:
        ask = partial(_skewed_answers, parts, large)
    return answer_by_holm(unadjusted, ask, alpha)


def answer_by_holm(
    unadjusted: FloatArray, ask: Callable[[FloatArray], FloatArray], alpha: float
) -> FloatArray:
    """Return plain results, and below them results at the levels of Holm's procedure."""
    # The levels are 1 minus the share of alpha at which Holm's procedure tested each hypothesis,
    # one sample per column; a p of 0 is tested at Bonferroni's level.
    pvalue = ask(np.full(unadjusted.shape[1:], 1.0 - alpha))[0]
    adjusted = np.stack([adjust(column, "holm") for column in pvalue.T], axis=1)
    share = np.stack([share_of_alpha(column, "holm", alpha) for column in pvalue.T], axis=1)
    return np.concatenate([unadjusted, adjusted[None], ask(1.0 - alpha * share)[1:]])


def _skewed_answers(
    parts: Sequence[FloatArray], large: BoolArray, levels: FloatArray
) -> FloatArray:
    values = np.full((3, *levels.shape), np.nan)
    for i in np.flatnonzero(large).tolist():
        d, alpha = parts[i], as_alpha(levels[i], levels.shape[1])
        values[:, i] = skewed_t(*mean_and_error(d), skewness_of(d), len(d), alpha)
        values[:, i, ~d.any(axis=0)] = np.array([[1.0], [0.0], [0.0]])
    return values


def _answers(
    parts: Sequence[FloatArray],
    large: BoolArray,
    levels: FloatArray,
    test: SegmentTest,
    clusters: Sequence[Sequence[str]] | None,
    weights: Sequence[FloatArray] | None,
) -> FloatArray:
    values = np.full((3, *levels.shape), np.nan)
    for i in np.flatnonzero(large).tolist():
        if weights is not None:
            result = weighted_result(
                parts[i], weights[i], confidence=levels[i], clusters=clusters and clusters[i]
            )
        elif clusters is None:
            result = run_test(
                test.name, parts[i],
                confidence=levels[i], seed=test.seed, n_resamples=test.n_resamples,
            )  # fmt: skip
        else:
            result = run_cluster_test(
                deciding_test(test.name, cluster_sizes(clusters[i])), parts[i], clusters[i],
                confidence=levels[i], seed=test.seed, n_resamples=test.n_resamples,
            )  # fmt: skip
        values[:, i] = result.pvalue, result.ci_low, result.ci_high
    return values
