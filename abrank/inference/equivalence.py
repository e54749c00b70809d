"""Fieller's interval of the relative change of a mean, and intervals of one system's mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.inference.clusters import cluster_sizes, deciding_test, run_cluster_test
from abrank.inference.independent import welch
from abrank.inference.paired import bounded
from abrank.inference.registry import TestResult, as_differences, run_test
from abrank.inference.rounding import has_spread


@record
class RelativeChange:
    """The change of the mean as a share of A's mean; a relative margin is compared with it.

    ``baseline`` is A's mean. ``ci_low`` and ``ci_high`` have level ``1 - alpha``; ``tost_low`` and
    ``tost_high`` have level ``1 - 2 alpha``, for the two one-sided tests.
    """

    baseline: float
    estimate: float
    ci_low: float
    ci_high: float
    tost_low: float
    tost_high: float


def _require_shares(a: npt.ArrayLike, b: npt.ArrayLike) -> None:
    if min(np.min(a, initial=0.0), np.min(b, initial=0.0)) < 0.0:
        raise ArgumentError("a relative margin needs scores of 0 or more in A and B")
    if not np.any(a):
        raise ArgumentError(
            "a relative margin is a share of the baseline's mean, which is 0 here; give the margin"
            " in the measure's own unit"
        )


def relative_change(
    run_t: Callable[..., TestResult],
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    alpha: float,
) -> RelativeChange:
    """Return the relative change of the mean, with Fieller's intervals at both levels."""
    # `run_t` is the t test to use: plain, clustered or weighted.
    # Source: Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.
    # Fieller's interval lies above m exactly if the t test shows that the mean of b - (1 + m) a is
    # above 0, so it accounts for the error of the baseline's mean. The squared error of such a test
    # is a quadratic form of the scores. Therefore the squared half-widths of the intervals of a, b
    # and b - a can replace the variances.
    first, second = paired_scores(a, b)
    _require_shares(first, second)
    columns = np.hstack([first, second, second - first])
    limits: list[float] = []
    for level in (alpha, 2.0 * alpha):
        result = run_t(columns, confidence=1.0 - level)
        squares = ((result.ci_high - result.ci_low) / 2.0) ** 2
        if len(columns) > 1:
            squares[~has_spread(columns)] = 0.0
        mean_a, mean_b, _ = result.estimate.tolist()
        of_a, of_b, of_d = squares.tolist()
        # Without a finite error the test gives no bounds.
        ends = -math.inf, math.inf
        if np.isfinite(squares).all():
            ends = _fieller_limits(mean_a, mean_b, of_a, of_b, (of_a + of_b - of_d) / 2.0)
        limits += ends
    return RelativeChange(mean_a, (mean_b - mean_a) / mean_a, *limits)


def change_of_groups(a: FloatArray, b: FloatArray, *, alpha: float) -> RelativeChange:
    """Return the relative change of the means of two independent groups, shape (n_units, 1)."""
    # Source: Fieller (1954), as above; the degrees of freedom are those of Welch's t for `b - a`.
    mean_a, mean_b = a.mean(), b.mean()
    _require_shares(mean_a, mean_b)  # single units may be negative, such as those of a ratio
    limits: list[float] = []
    for level in (alpha, 2.0 * alpha):
        result = welch(a, b, confidence=1.0 - level)
        half_width = float(result.ci_high[0] - result.ci_low[0]) / 2.0
        limits += change_interval(a, b, half_width, independent=True)[1:]
    return RelativeChange(float(mean_a), float((mean_b - mean_a) / mean_a), *limits)


def change_interval(
    a: npt.ArrayLike, b: npt.ArrayLike, half_width: float, *, independent: bool = False
) -> tuple[float, float, float]:
    """Return the relative change and Fieller's limits, given the half-width for b - a."""
    # Units of independent groups have NaN for the other group.
    if independent:
        groups = [scores[np.isfinite(scores)] for scores in map(np.asarray, (a, b))]
        mean_a, mean_b = (float(scores.mean()) for scores in groups)
        var_a, var_b = (
            float(scores.var(ddof=1)) / len(scores) if len(scores) > 1 else 0.0 for scores in groups
        )
        cov = 0.0
    else:
        first, second = paired_scores(a, b)
        mean_a, mean_b = float(first.mean()), float(second.mean())
        moments = np.cov(first[:, 0], second[:, 0]) if len(first) > 1 else np.zeros((2, 2))
        (var_a, cov), (_, var_b) = moments.tolist()
    if not mean_a:
        return math.nan, math.nan, math.nan
    change = mean_b / mean_a - 1.0
    var_d = var_a + var_b - 2.0 * cov
    if math.isnan(half_width):
        return change, -math.inf, math.inf
    if not var_d > 0.0:
        return change, change, change
    share = half_width**2 / var_d
    return change, *_fieller_limits(mean_a, mean_b, share * var_a, share * var_b, share * cov)


def paired_scores(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both score arrays as (n_queries, n_comparisons)."""
    first, second = as_differences(a), as_differences(b)
    if first.shape != second.shape:
        raise ArgumentError(f"a and b differ in shape: {np.shape(a)} and {np.shape(b)}")
    return first, second


def _fieller_limits(
    mean_a: float, mean_b: float, square_a: float, square_b: float, product: float
) -> tuple[float, float]:
    # The t test's quadratic in theta: squared * theta**2 - 2 mixed * theta + constant <= 0.
    squared, mixed = mean_a**2 - square_a, mean_a * mean_b - product
    if not squared > 0.0:
        return -math.inf, math.inf
    # Negative only by rounding, because the ratio itself is never rejected.
    root = math.sqrt(max(mixed**2 - squared * (mean_b**2 - square_b), 0.0))
    return (mixed - root) / squared - 1.0, (mixed + root) / squared - 1.0


MEAN_TESTS = ("bootstrap", "t", "permutation", "bounded")


def mean_interval(
    scores: FloatArray,
    test: str = "t",
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    clusters: Sequence[object] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
) -> tuple[float, float]:
    """Return the confidence limits of the mean of one system's scores."""
    # The interval contains the means that the test of the centred scores does not reject: Student's
    # t, sign flips (symmetric scores), the studentised bootstrap, or bets, which assume only
    # `bounds`.
    checks.one_of("test", test, MEAN_TESTS)
    minimum, maximum = bounds
    if test == "bounded":
        if clusters is not None:
            raise ArgumentError("bets are of single queries, which clusters make dependent")
        if not math.isfinite(maximum - minimum) or scores.min() < minimum or scores.max() > maximum:
            raise ArgumentError("bounded needs a known range that holds all scores")
        # Rescale the scores to the range -1 to 1, the range of differences of a bounded measure.
        centre, half = (minimum + maximum) / 2.0, (maximum - minimum) / 2.0
        level = np.array([1.0 - confidence])
        bets = bounded(((scores - centre) / half)[:, None], alternative="two-sided", alpha=level)
        low, high = centre + half * bets.ci_low[0], centre + half * bets.ci_high[0]
        return max(minimum, float(low)), min(maximum, float(high))
    keywords: Any = {"confidence": confidence, "seed": seed, "n_resamples": n_resamples}
    if not has_spread(scores[:, None])[0]:
        return bounds
    if clusters is None:
        result = run_test(test, scores, **keywords)
    else:
        name = deciding_test(test, cluster_sizes(clusters))
        result = run_cluster_test(name, scores, clusters, **keywords)
    return max(minimum, float(result.ci_low[0])), min(maximum, float(result.ci_high[0]))


@record
class Unseen:
    """What cannot be excluded beyond these queries if none of them shows a difference.

    ``share`` is the upper limit of the share of queries on which the systems differ; ``difference``
    is the largest mean difference for this share, NaN if the range of the measure is unknown.
    """

    share: float
    difference: float


def bound_unseen(n_queries: int, *, alpha: float, span: float) -> Unseen:
    """Compute what a number of queries without any difference cannot exclude."""
    # Source: Clopper & Pearson (1934), Biometrika 26, 404-413.
    checks.level("alpha", alpha)
    share = -math.expm1(math.log(alpha) / checks.count("n_queries", n_queries))
    return Unseen(share, share * span if math.isfinite(span) else math.nan)
