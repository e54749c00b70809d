"""The relative change of a mean, and equivalence and superiority by more than a margin.

No spread between the differences leaves the t test no error; of the relative change what must have
none is the candidate less the baseline with the margin taken off. Of one value other than 0 flips
have p 2**-n within the margin, else 1, and an interval of width 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import Alternative, BoolArray, FloatArray
from abrank.inference.bootstrap import bootstrap_distribution
from abrank.inference.clusters import cluster_sizes, deciding_test, run_cluster_test
from abrank.inference.paired import bounded
from abrank.inference.registry import TestResult, as_alpha, as_differences, run_test
from abrank.inference.rounding import has_spread
from abrank.inference.student import find_root, student_quantile

RatioMethod = Literal["fieller", "delta", "bootstrap"]


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
    method: str


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
    # a to be above 0, so that the error of the baseline's mean is taken into account. The narrower
    # one is that of `relative_tost`.
    # Source: Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.
    first, second = paired_scores(a, b)
    if min(first.min(initial=0.0), second.min(initial=0.0)) < 0.0:
        raise ArgumentError("a relative margin needs scores of 0 or more in A and B")
    _require_baseline(bool(np.any(first > 0.0)))
    wide, narrow = (
        ratio_interval(first, second, confidence=1.0 - times * alpha) for times in (1.0, 2.0)
    )
    limits = (wide.change, wide.ci_low, wide.ci_high, narrow.ci_low, narrow.ci_high)
    return RelativeChange(float(first.mean()), *(float(each[0]) for each in limits))


def _require_baseline(is_there: bool) -> None:
    if not is_there:
        raise ArgumentError(
            "a relative margin is a share of the baseline's mean, which is 0 here; give the margin"
            " in the measure's own unit"
        )


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
    first, second = paired_scores(a, b)
    if min(first.min(initial=0.0), second.min(initial=0.0)) < 0.0:
        raise ArgumentError("a relative margin needs scores of 0 or more in A and B")
    _require_baseline(bool(np.any(first > 0.0)))
    columns = np.hstack([first, second, second - first])
    limits: list[float] = []
    for level in (alpha, 2.0 * alpha):
        found = run_t(columns, 1.0 - level)
        squares = np.where(has_spread(columns), ((found.ci_high - found.ci_low) / 2.0) ** 2, 0.0)
        mean_a, mean_b, _ = found.estimate[:, None]
        of_a, of_b, of_d = squares[:, None]
        moments = of_a, of_b, (of_a + of_b - of_d) / 2.0
        if not np.isfinite(squares).all():  # the test bounds nothing
            limits += [-np.inf, np.inf]
            continue
        low, high, _ = _fieller_limits(mean_a, mean_b, moments, np.ones(1))
        limits += [float(low[0]), float(high[0])]
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
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    confidence: float | FloatArray = 0.95,
    method: RatioMethod = "fieller",
) -> RatioInterval:
    """Compute the relative change of the mean with its interval.

    Estimand: mean(b) / mean(a) - 1. The query pairs the scores.

    Parameters
    ----------
    a, b : array_like of shape (n_queries,) or (n_queries, n_comparisons)
    confidence : float or array_like of shape (n_comparisons,)
    method : {"fieller", "delta", "bootstrap"}
        "fieller" holds every theta - 1 for which a paired t test does not reject that b - theta a
        has mean 0 [1]_, so it excludes 0 exactly when the paired t of b - a rejects. "delta" is
        symmetric: the ratio linearised, t quantiles. "bootstrap" is the percentile interval of the
        ratio over all resamples of queries, found without drawing any; for scores of 0 or more.

    Returns
    -------
    RatioInterval
        The limits are (-inf, inf) with one query and where Fieller's g >= 1; NaN where the mean of
        a is 0 or without queries. Where b = theta a for every query they are the change itself.

    Notes
    -----
    For the bootstrap, a resampled ratio is at most theta exactly where the resampled mean of
    b - theta a is at most 0, a chance that
    :func:`~abrank.inference.bootstrap.bootstrap_distribution` gives; the limits
    are the thetas at which it is alpha / 2 and 1 - alpha / 2. No chance is taken to be below
    n**-n, that of a single resample: with two or three queries nothing is bounded at 95 %.

    On real runs "fieller" keeps its level. The bootstrap is too short with few queries: 89 % for
    95 with ten, 93 with 25; "delta" has 93 % with ten (``reports/calibration``).

    References
    ----------
    .. [1] Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.

    Examples
    --------
    >>> interval = ratio_interval([0.2, 0.4, 0.3, 0.5], [0.3, 0.5, 0.3, 0.7])
    >>> interval.change.round(3), interval.ci_low.round(3), interval.ci_high.round(3)
    (array([0.286]), array([-0.144]), array([0.595]))
    """
    checks.one_of("method", method, get_args(RatioMethod))
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
        columns, level = (first[:, defined], second[:, defined]), alpha[defined]
        means = mean_a[defined], mean_b[defined]
        *limits, g[defined] = _fieller_limits(*means, _moments(*columns), _spread(n_queries, level))
        if method == "delta":
            # The error of the linearised ratio is that of the mean of b - ratio a.
            ratio = means[1] / means[0]
            rest = columns[1] - ratio * columns[0]
            error = rest.std(axis=0, ddof=1) / np.sqrt(n_queries) / np.abs(means[0])
            half = student_quantile(n_queries - 1, 1.0 - level / 2.0) * error
            limits = [ratio - half - 1.0, ratio + half - 1.0]
        if method == "bootstrap":
            limits = _bootstrap(*columns, level)
        low[defined], high[defined] = limits
    return RatioInterval(change, low, high, g, method)


def paired_scores(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both score arrays as (n_queries, n_comparisons)."""
    first, second = as_differences(a), as_differences(b)
    if first.shape != second.shape:
        raise ArgumentError(f"a and b differ in shape: {np.shape(a)} and {np.shape(b)}")
    return first, second


def _spread(n_queries: int, alpha: FloatArray) -> FloatArray:
    """Return the square of the critical value of the t test, over the queries."""
    found: FloatArray = student_quantile(n_queries - 1, 1.0 - alpha / 2.0) ** 2 / n_queries
    return found


def _fieller_limits(
    mean_a: FloatArray, mean_b: FloatArray, moments: tuple[FloatArray, ...], spread: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
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
    centred_a, centred_b = a - a.mean(axis=0), b - b.mean(axis=0)
    products = (centred_a**2, centred_b**2, centred_a * centred_b)
    var_a, var_b, cov = (product.sum(axis=0) / (len(a) - 1) for product in products)
    return var_a, var_b, cov


def _bootstrap(a: FloatArray, b: FloatArray, alpha: FloatArray) -> list[FloatArray]:
    """Return the percentile limits of the ratio over all resamples."""
    if min(a.min(), b.min()) < 0.0:
        raise ArgumentError("a bootstrap of the ratio needs scores of 0 or more in a and b")
    limits = np.empty((2, a.shape[1]))
    for column, level in enumerate(alpha):
        scores = a[:, column], b[:, column]
        limits[:, column] = [_percentile(*scores, level / 2.0, side) for side in (1.0, -1.0)]
    return [limits[0] - 1.0, limits[1] - 1.0]


def _percentile(a: FloatArray, b: FloatArray, level: float, side: float) -> float:
    """Return the ratio that a share ``level`` of the resamples is below (side 1) or above (-1)."""

    @cache
    def excess(theta: float) -> float:
        sample = side * (b - theta * a)
        if not has_spread(sample):
            return float(sample[0] <= 0.0) - level
        return float(bootstrap_distribution(sample).below.at(0.0)) - level

    ratio = float(b.mean() / a.mean())
    error = float((b - ratio * a).std() / np.sqrt(a.size) / a.mean())
    if error <= 1e-12 * ratio:
        return ratio
    if level < float(a.size) ** -a.size:
        return -side * np.inf
    for doubling in range(2, 40):
        outer, inner = (ratio + sign * side * error * 2.0**doubling for sign in (-1.0, 1.0))
        if excess(outer) <= 0.0 < excess(inner):
            return float(find_root(excess, outer, inner, xtol=1e-6 * error))
    return -side * np.inf


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
    least, most = bounds
    if test == "bounded":
        if clusters is not None:
            raise ArgumentError("bets are of single queries, which clusters make dependent")
        if not math.isfinite(most - least) or scores.min() < least or scores.max() > most:
            raise ArgumentError("bounded is for scores of a known range, which none leaves")
        # On the range from -1 to 1 a score is what the difference of a bounded measure is.
        centre, half = (least + most) / 2.0, (most - least) / 2.0
        level = np.array([1.0 - confidence])
        bets = bounded(((scores - centre) / half)[:, None], alternative="two-sided", alpha=level)
        low, high = centre + half * bets.ci_low[0], centre + half * bets.ci_high[0]
        return max(least, float(low)), min(most, float(high))
    asked = {"confidence": confidence, "seed": seed, "n_resamples": n_resamples}
    if not has_spread(scores[:, None])[0]:
        return bounds
    found = (
        run_test(test, scores, **asked)  # type: ignore[arg-type]
        if clusters is None
        else run_cluster_test(
            deciding_test(test, cluster_sizes(clusters)), scores, clusters,
            **asked,  # type: ignore[arg-type]
        )
    )  # fmt: skip
    return max(least, float(found.ci_low[0])), min(most, float(found.ci_high[0]))


EquivalenceTest = Literal["t", "permutation"]
_SIDES: tuple[Alternative, ...] = ("greater", "less")


@record
class Equivalence:
    """Answers about a margin: arrays of shape (n_comparisons,).

    ``pvalue`` is for "the difference lies within the margin", ``p_not_worse`` for "it lies above
    minus the margin", ``p_not_better`` for "below plus the margin", ``p_better`` for "above plus
    the margin" and ``p_worse`` for "below minus the margin". The interval is the 1 - 2 alpha one:
    each claim but the first holds at alpha exactly where it lies on that side of the margin, and
    the first where it lies within.
    """

    pvalue: FloatArray
    p_not_worse: FloatArray
    p_not_better: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    margin: FloatArray
    p_better: FloatArray
    p_worse: FloatArray


def tost(
    differences: npt.ArrayLike,
    *,
    margin: float | FloatArray,
    alpha: float = 0.05,
    test: EquivalenceTest = "t",
    seed: int = 0,
) -> Equivalence:
    """Test on which side of a margin around 0 the mean difference lies (two one-sided tests).

    Estimand: the mean difference. Hypothesis to reject for equivalence: it is at least ``margin``
    away from 0. The query pairs the scores. Equivalent at level alpha where ``pvalue < alpha``,
    which is where the 1 - 2 alpha interval lies inside (-margin, margin); not worse where
    ``p_not_worse < alpha``, which is where ``ci_low > -margin``; better by more than the margin
    where ``p_better < alpha``, which is where ``ci_low > margin``.

    Parameters
    ----------
    differences : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Candidate minus baseline.
    margin : float or array_like of shape (n_comparisons,)
        The smallest difference that matters, above 0, in the unit of the differences. For one that
        is a share of the baseline's mean see :func:`relative_tost`.
    alpha : float
        Below one half.
    test : {"t", "permutation"}
        Paired t tests [1]_, or sign-flip tests of the differences moved by the margin: for these
        the hypothesis is that they are symmetric about it.
    seed : int
        For a permutation test that draws.

    Returns
    -------
    Equivalence
        By t, p-values are NaN and the interval is unbounded with fewer than two queries, or where
        all differences are one value: there is no spread to judge them by.

    References
    ----------
    .. [1] Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.

    Examples
    --------
    >>> result = tost([0.01, -0.02, 0.03, 0.0, 0.01, -0.01, 0.02, 0.0], margin=0.05)
    >>> bool(result.pvalue[0] < 0.05), result.ci_low.round(4), result.ci_high.round(4)
    (True, array([-0.0057]), array([0.0157]))
    """
    checks.one_of("test", test, get_args(EquivalenceTest))
    data = as_differences(differences)
    margins = _as_margins(margin, alpha, data.shape[1])
    # Two of the four have a limit of the interval; of the others the p-value is enough.
    with_limit = {(-1.0, "greater"), (1.0, "less")}
    found = {
        (sign, side): run_test(
            test, data - sign * margins, alternative=side, seed=seed,
            confidence=1.0 - alpha if (sign, side) in with_limit else 1.0,
        )
        for sign in (-1.0, 1.0)
        for side in _SIDES
    }  # fmt: skip
    p_not_worse, p_better = (found[sign, "greater"].pvalue for sign in (-1.0, 1.0))
    p_worse, p_not_better = (found[sign, "less"].pvalue for sign in (-1.0, 1.0))
    low = found[-1.0, "greater"].ci_low - margins
    high = found[1.0, "less"].ci_high + margins
    # The limits may have moved by a rounding error; the p-values say on which side they are.
    for bound, pvalue in ((-margins, p_not_worse), (margins, p_better)):
        low = _beyond(low, bound, pvalue < alpha)
    for bound, pvalue in ((margins, p_not_better), (-margins, p_worse)):
        high = -_beyond(-high, -bound, pvalue < alpha)
    return Equivalence(
        pvalue=np.maximum(p_not_worse, p_not_better),
        p_not_worse=p_not_worse,
        p_not_better=p_not_better,
        ci_low=low,
        ci_high=high,
        margin=margins,
        p_better=p_better,
        p_worse=p_worse,
    )


def relative_tost(
    a: npt.ArrayLike, b: npt.ArrayLike, *, margin: float | FloatArray, alpha: float = 0.05
) -> Equivalence:
    """Test on which side of a margin the relative change of the mean lies, by paired t.

    Estimand: mean(b) / mean(a) - 1. That it lies above -margin is the claim that b - (1 - margin) a
    has a mean above 0, and so on: the baseline's mean is estimated too, and a margin of so many per
    cent of the mean that was seen would forget that. The query pairs the scores.

    Parameters
    ----------
    a, b : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Scores, 0 or more.
    margin : float or array_like of shape (n_comparisons,)
        A share of the baseline's mean, above 0: .05 for 5 %.
    alpha : float
        Below one half.

    Returns
    -------
    Equivalence
        The interval is Fieller's [1]_ of the relative change, at 1 - 2 alpha, unbounded where the
        baseline's mean cannot be told from 0 and where p is NaN. All NaN where all of a are 0.

    References
    ----------
    .. [1] Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.

    Examples
    --------
    >>> a = [0.30, 0.45, 0.12, 0.60, 0.25, 0.50, 0.33, 0.41]
    >>> b = [0.31, 0.44, 0.12, 0.62, 0.25, 0.49, 0.35, 0.41]
    >>> result = relative_tost(a, b, margin=0.05)
    >>> result.pvalue.round(3), result.ci_low.round(3), result.ci_high.round(3)
    (array([0.009]), array([-0.012]), array([0.033]))
    """
    first, second = paired_scores(a, b)
    margins = _as_margins(margin, alpha, first.shape[1])
    if min(first.min(initial=0.0), second.min(initial=0.0)) < 0.0:
        raise ArgumentError("a relative margin needs scores of 0 or more in a and b")
    undefined = ~np.any(first > 0.0, axis=0)

    def pvalue(sign: float, side: Alternative) -> FloatArray:
        found = run_test("t", second - (1.0 + sign * margins) * first, alternative=side).pvalue
        return np.where(undefined, np.nan, found)

    p_not_worse, p_not_better = pvalue(-1.0, "greater"), pvalue(1.0, "less")
    change = ratio_interval(first, second, confidence=1.0 - 2.0 * alpha)
    # Scores without any spread have a ratio, and no error to judge it by.
    endless = np.where(np.isnan(p_not_worse) & ~np.isnan(change.ci_low), np.inf, 0.0)
    return Equivalence(
        pvalue=np.maximum(p_not_worse, p_not_better),
        p_not_worse=p_not_worse,
        p_not_better=p_not_better,
        ci_low=change.ci_low - endless,
        ci_high=change.ci_high + endless,
        margin=margins,
        p_better=pvalue(1.0, "greater"),
        p_worse=pvalue(-1.0, "less"),
    )


def _as_margins(margin: float | FloatArray, alpha: float, n_columns: int) -> FloatArray:
    """Return the margin of every comparison, checked; and check alpha, which goes with it."""
    margins = np.asarray(margin, dtype=np.float64)
    if margins.shape not in ((), (n_columns,)):
        raise ArgumentError(
            f"margin must be one number or one for each of {n_columns} comparisons, not of shape"
            f" {margins.shape}"
        )
    if not np.all((margins > 0.0) & np.isfinite(margins)):
        raise ArgumentError(f"margin must be above 0, not {margin!r}")
    if not 0.0 < alpha < 0.5:
        raise ArgumentError(f"alpha must lie between 0 and .5, not {alpha!r}")
    return np.broadcast_to(margins, (n_columns,)).copy()


def _beyond(limit: FloatArray, bound: FloatArray, is_beyond: BoolArray) -> FloatArray:
    """Return lower limits above the bound where they are to be, and at most at it elsewhere."""
    above = np.maximum(limit, np.nextafter(bound, np.inf))
    return np.where(is_beyond, above, np.minimum(limit, bound))


# --- The Clopper-Pearson interval of a binomial proportion


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


def clopper_pearson(count: int, total: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of the chance behind ``count`` in ``total``."""
    # Source: Clopper & Pearson (1934), Biometrika 26, 404-413.
    from scipy.special import betaincinv

    checks.fraction("confidence", confidence)
    if not 0 <= count <= total:
        raise ArgumentError(f"count must lie between 0 and {total}, not {count!r}")
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    rest = total - count
    high = 1.0 - float(betaincinv(rest, count + 1, tail)) if rest else 1.0
    return low, high
