"""The relative change of a mean with Fieller's interval, and the interval of one system's mean."""

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
from abrank.inference.paired import bounded
from abrank.inference.registry import TestResult, as_alpha, as_differences, run_test
from abrank.inference.rounding import has_spread
from abrank.inference.student import student_quantile


@record
class RatioInterval:
    """Relative change mean(b) / mean(a) - 1 with its interval: arrays of shape (n_comparisons,).

    ``g`` is Fieller's: 1 or more means that the baseline's mean cannot be told from 0 and Fieller's
    interval is unbounded; above .5 the relative change is not worth quoting.
    """

    change: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    g: FloatArray


@record
class RelativeChange:
    """The change of the mean as a share of A's: what a relative margin is compared with.

    ``baseline`` is A's mean. ``ci_low`` and ``ci_high`` have the level ``1 - alpha``, ``tost_low``
    and ``tost_high`` the level ``1 - 2 alpha`` of the two one-sided tests.
    """

    baseline: float
    estimate: float
    ci_low: float
    ci_high: float
    tost_low: float
    tost_high: float


def relative_change(a: npt.ArrayLike, b: npt.ArrayLike, *, alpha: float) -> RelativeChange:
    """Return the relative change of the mean, Fieller's intervals at both levels of a verdict."""
    # Fieller's interval lies above m exactly where the paired t test shows the mean of b - (1 + m)
    # a to be above 0, so that the error of the baseline's mean is taken into account.
    # Source: Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.
    first, second = _as_shares(a, b)
    wide, narrow = (
        ratio_interval(first, second, confidence=1.0 - times * alpha) for times in (1.0, 2.0)
    )
    limits = (wide.change, wide.ci_low, wide.ci_high, narrow.ci_low, narrow.ci_high)
    return RelativeChange(float(first.mean()), *(float(limit[0]) for limit in limits))


def _as_shares(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = paired_scores(a, b)
    if min(first.min(initial=0.0), second.min(initial=0.0)) < 0.0:
        raise ArgumentError("a relative margin needs scores of 0 or more in A and B")
    if not np.any(first > 0.0):
        raise ArgumentError(
            "a relative margin is a share of the baseline's mean, which is 0 here; give the margin"
            " in the measure's own unit"
        )
    return first, second


def relative_change_by(
    run_t: Callable[[FloatArray, float], TestResult],
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    alpha: float,
) -> RelativeChange:
    """Return :func:`relative_change` by another t test of means: of clusters, or with weights."""
    # `run_t` tests columns of scores at a level. Its squared error has to be a quadratic form of
    # the scores, and its degrees of freedom the same for all, so that squared half-widths of the
    # intervals of a, b and b - a stand in the quadratic of Fieller in the place of the variances.
    first, second = _as_shares(a, b)
    columns = np.hstack([first, second, second - first])
    limits: list[float] = []
    for level in (alpha, 2.0 * alpha):
        result = run_t(columns, 1.0 - level)
        squares = np.where(has_spread(columns), ((result.ci_high - result.ci_low) / 2.0) ** 2, 0.0)
        mean_a, mean_b, _ = result.estimate[:, None]
        of_a, of_b, of_d = squares[:, None]
        ends: tuple[FloatArray, ...] = np.array([-np.inf]), np.array([np.inf])
        if np.isfinite(squares).all():  # else the test bounds nothing
            moments = of_a, of_b, (of_a + of_b - of_d) / 2.0
            ends = _fieller_limits(mean_a, mean_b, moments, np.ones(1))[:2]
        limits += [float(end[0]) for end in ends]
    return RelativeChange(float(mean_a[0]), float(mean_b[0] / mean_a[0]) - 1.0, *limits)


def change_interval(
    a: npt.ArrayLike, b: npt.ArrayLike, half_width: float
) -> tuple[float, float, float]:
    """Return the relative change of the mean, and Fieller's limits as wide as those of b - a."""
    first, second = paired_scores(a, b)
    means, moments = (first.mean(axis=0), second.mean(axis=0)), _moments(first, second)
    if not means[0][0]:
        return np.nan, np.nan, np.nan
    change = float(means[1][0] / means[0][0] - 1.0)
    var_d = moments[0] + moments[1] - 2.0 * moments[2]
    if not var_d > 0.0:
        return change, change, change
    low, high, _ = _fieller_limits(*means, moments, half_width**2 / var_d)
    return change, float(low[0]), float(high[0])


def ratio_interval(
    a: npt.ArrayLike, b: npt.ArrayLike, *, confidence: float | FloatArray = 0.95
) -> RatioInterval:
    """Return the relative change mean(b) / mean(a) - 1 with Fieller's interval.

    It holds every theta - 1 for which a paired t test does not reject that b - theta a has mean 0,
    so it excludes 0 exactly when the paired t of b - a rejects. The limits are (-inf, inf) with one
    query and where Fieller's g >= 1; NaN where the mean of a is 0 or without queries.
    Source: Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.

    Examples
    --------
    >>> interval = ratio_interval([0.2, 0.4, 0.3, 0.5], [0.3, 0.5, 0.3, 0.7])
    >>> interval.change.round(3), interval.ci_low.round(3), interval.ci_high.round(3)
    (array([0.286]), array([-0.144]), array([0.595]))
    """
    first, second = paired_scores(a, b)
    alpha = as_alpha(confidence, first.shape[1])
    n_queries, n_columns = first.shape
    change, g, low, high = np.full((4, n_columns), np.nan)
    if n_queries:
        mean_a, mean_b = first.mean(axis=0), second.mean(axis=0)
        defined = np.abs(mean_a) > 0.0
        np.divide(mean_b - mean_a, mean_a, out=change, where=defined)
        low[defined], high[defined] = -np.inf, np.inf
    if n_queries > 1 and defined.any():
        moments = _moments(first[:, defined], second[:, defined])
        spread = student_quantile(n_queries - 1, 1.0 - alpha[defined] / 2.0) ** 2 / n_queries
        low[defined], high[defined], g[defined] = _fieller_limits(
            mean_a[defined], mean_b[defined], moments, spread
        )
    return RatioInterval(change, low, high, g)


def paired_scores(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both score arrays as (n_queries, n_comparisons)."""
    first, second = as_differences(a), as_differences(b)
    if first.shape != second.shape:
        raise ArgumentError(f"a and b differ in shape: {np.shape(a)} and {np.shape(b)}")
    return first, second


def _fieller_limits(
    mean_a: FloatArray, mean_b: FloatArray, moments: tuple[FloatArray, ...], spread: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Fieller's limits and g; ``spread`` is the square of t's critical value, over n."""
    # The t test's quadratic in theta: squared * theta**2 - 2 mixed * theta + constant <= 0.
    var_a, var_b, cov = moments
    g = spread * var_a / mean_a**2
    squared = mean_a**2 - spread * var_a
    mixed = mean_a * mean_b - spread * cov
    constant = mean_b**2 - spread * var_b
    # Not negative but for rounding: the ratio itself is never rejected.
    root = np.sqrt(np.maximum(mixed**2 - squared * constant, 0.0))
    low, high = np.full_like(g, -np.inf), np.full_like(g, np.inf)
    bounded = squared > 0.0
    low[bounded] = (mixed - root)[bounded] / squared[bounded] - 1.0
    high[bounded] = (mixed + root)[bounded] / squared[bounded] - 1.0
    return low, high, g


def _moments(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the variances of a and of b and their covariance, by column."""
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    var_a, var_b, cov = ((x * y).sum(axis=0) / (len(a) - 1) for x, y in ((a, a), (b, b), (a, b)))
    return var_a, var_b, cov


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
    """Return the limits between which the mean of one system's scores lies."""
    # They are the means that the test of the centred scores does not reject: Student's t, sign
    # flips (each score as far above the mean as below it by the toss of a coin), the studentised
    # bootstrap, or bets, which ask for nothing but `bounds`.
    checks.one_of("test", test, MEAN_TESTS)
    minimum, maximum = bounds
    if test == "bounded":
        if clusters is not None:
            raise ArgumentError("bets are of single queries, which clusters make dependent")
        if not math.isfinite(maximum - minimum) or scores.min() < minimum or scores.max() > maximum:
            raise ArgumentError("bounded needs a known range that holds all scores")
        # On the range from -1 to 1 a score is what the difference of a bounded measure is.
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
    """What may hold beyond the queries compared, where none of them shows a difference.

    ``share`` is the upper limit of the share of queries on which the systems differ; ``difference``
    the mean difference that this share bounds, NaN where the range of the measure is not known.
    """

    share: float
    difference: float


def bound_unseen(n_queries: int, *, alpha: float, span: float) -> Unseen:
    """Bound what so many queries without any difference leave open."""
    # Source: Clopper & Pearson (1934), Biometrika 26, 404-413.
    checks.level("alpha", alpha)
    share = -math.expm1(math.log(alpha) / checks.count("n_queries", n_queries))
    return Unseen(share, share * span if math.isfinite(span) else math.nan)
