"""Effect sizes of paired scores with intervals; shape of the differences; outliers."""

# A single query without a difference has the effect size of no difference and an unbounded
# interval. If the scores (for glass_delta: the baseline's) have no variance, the result is NaN and
# unbounded.

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.registry import Registry
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.equivalence import paired_scores
from abrank.inference.paired import t_pvalue
from abrank.inference.registry import as_alpha, as_differences
from abrank.inference.rounding import (
    align_interval_with_pvalue,
    differences_of,
    has_spread,
    round_off,
)
from abrank.inference.student import noncentrality_interval, student_quantile
from abrank.inference.wilcoxon import signed_ranks

Scores: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
Limits: TypeAlias = tuple[FloatArray, FloatArray]


@record
class EffectSize:
    """A registered effect size: its estimate, its interval and the interval's method."""

    # `estimate` is a function of a, b and their rounded differences; the interval is a function of
    # the estimate, of these and of alpha.

    estimate: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    interval: Callable[..., Limits]
    method: str
    lowest: float = -np.inf
    highest: float = np.inf


EFFECT_SIZES: Registry[EffectSize] = Registry("effect size")


def _mean(scores: FloatArray) -> FloatArray:
    return scores.mean(axis=0) if len(scores) else np.full(scores.shape[1], np.nan)


def _deviation(scores: FloatArray) -> FloatArray:
    """Return the standard deviation of each column, 0 if there is only rounding error."""
    if len(scores) < 2:
        return np.zeros(scores.shape[1])
    return np.where(has_spread(scores), scores.std(axis=0, ddof=1), 0.0)


def _standardised(d: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return mean difference / deviation: 0 if there is no difference, NaN without deviation."""
    is_zero = ~np.any(d, axis=0)
    size = np.where(is_zero & (len(d) > 0), 0.0, np.nan)
    return np.divide(_mean(d), deviation, out=size, where=~is_zero & (deviation > 0.0))


def _by_differences(factor: Callable[[int], float]) -> EffectSize:
    """Define mean difference / standard deviation of the differences * a factor of n."""

    def estimate(_a: FloatArray, _b: FloatArray, d: FloatArray) -> FloatArray:
        d_z = _standardised(d, _deviation(d))
        return np.where(d_z == 0.0, 0.0, d_z * factor(len(d)))

    def interval(
        size: FloatArray, _a: FloatArray, _b: FloatArray, d: FloatArray, alpha: FloatArray
    ) -> Limits:
        n, scale = len(d), factor(len(d)) / np.sqrt(len(d))
        t = size / scale
        limits = noncentrality_interval(t, n - 1, alpha)
        pvalue = t_pvalue(t, n - 1, "two-sided")
        low, high = align_interval_with_pvalue(pvalue, t, *limits, alpha)
        return low * scale, high * scale

    return EffectSize(estimate, interval, "noncentral t")


def _hedges_bias(n_queries: int) -> float:
    """Return J(n - 1); Hedges 1981, equation 6e. It is undefined for two queries."""
    from scipy.special import poch

    half = (n_queries - 1) / 2.0
    return float(poch(half - 0.5, 0.5) / np.sqrt(half)) if n_queries > 2 else np.nan


def _over(scale: Scores, squares: Scores) -> EffectSize:
    """Define mean difference / a deviation of the scores, whose square is a mean of squares."""

    def interval(
        size: FloatArray, a: FloatArray, b: FloatArray, _d: FloatArray, alpha: FloatArray
    ) -> Limits:
        n, unit = len(a), scale(a, b)
        # The influence of one query on the effect size, through the mean and through the variance.
        influence = _centred(b - a) / unit - size / 2.0 * _centred(squares(a, b)) / unit**2
        error = np.sqrt((influence**2).sum(axis=0) / (n * (n - 1)))
        half = student_quantile(n - 1, 1.0 - alpha / 2.0) * error
        return size - half, size + half

    return EffectSize(lambda a, b, d: _standardised(d, scale(a, b)), interval, "delta method")


def _centred(scores: FloatArray) -> FloatArray:
    return np.asarray(scores - scores.mean(axis=0))


def _wilson_limits(size: FloatArray, share: FloatArray, alpha: FloatArray) -> Limits:
    """Return the rho with (size - rho)**2 <= z**2 (1 - rho**2) share."""
    from scipy.special import ndtri

    reach = ndtri(alpha / 2.0) ** 2 * share
    half = np.sqrt(reach * (1.0 - size**2 + reach))
    return (size - half) / (1.0 + reach), (size + half) / (1.0 + reach)


def _rank_biserial(_a: FloatArray, _b: FloatArray, d: FloatArray) -> FloatArray:
    """Return (W+ - W-) / (W+ + W-) without zeros; Kerby 2014."""
    ranks, doubled_w = signed_ranks(d)
    total = ranks.sum(axis=0)
    net = 2.0 * doubled_w / np.maximum(total, 1) - (total > 0)
    return net if len(d) else np.full(d.shape[1], np.nan)


def _rank_biserial_interval(
    size: FloatArray, _a: FloatArray, _b: FloatArray, d: FloatArray, alpha: FloatArray
) -> Limits:
    ranks = signed_ranks(d)[0].astype(np.float64)
    share = (ranks**2).sum(axis=0) / np.maximum(ranks.sum(axis=0), 1.0) ** 2
    return _wilson_limits(size, share, alpha)


def _p_better_interval(
    size: FloatArray, _a: FloatArray, _b: FloatArray, d: FloatArray, alpha: FloatArray
) -> Limits:
    """Return Wilson's limits of a share, with the variance of wins, ties and losses."""
    net = 2.0 * size - 1.0
    ties = np.divide(
        np.sign(d).var(axis=0), 1.0 - net**2, out=np.ones_like(net), where=np.abs(net) < 1.0
    )
    low, high = _wilson_limits(net, ties / len(d), alpha)
    return (1.0 + low) / 2.0, (1.0 + high) / 2.0


EFFECT_SIZES.add("d_z", _by_differences(lambda _: 1.0))  # Cohen 1988, section 2.3.5
EFFECT_SIZES.add("hedges_g", _by_differences(_hedges_bias))
# Cumming 2012, equation 11.10: the root of the mean of both variances.
EFFECT_SIZES.add(
    "d_av",
    _over(
        lambda a, b: np.asarray(np.sqrt((_deviation(a) ** 2 + _deviation(b) ** 2) / 2.0)),
        lambda a, b: (_centred(a) ** 2 + _centred(b) ** 2) / 2.0,
    ),
)
# Glass 1976, Sakai 2014: the baseline's standard deviation.
EFFECT_SIZES.add("glass_delta", _over(lambda a, _: _deviation(a), lambda a, _: _centred(a) ** 2))
EFFECT_SIZES.add(
    "rank_biserial", EffectSize(_rank_biserial, _rank_biserial_interval, "Wilson score", -1.0, 1.0)
)
# Vargha & Delaney 2000, paired: P(b > a) + P(b = a) / 2 over the queries.
EFFECT_SIZES.add(
    "p_better",
    EffectSize(
        lambda _a, _b, d: _mean((np.sign(d) + 1.0) / 2.0), _p_better_interval, "Wilson score", 0, 1
    ),
)


# --- Effect sizes of paired scores, each with an interval


@record
class EffectInterval:
    """An effect size with its interval, arrays of shape (n_comparisons,), and its method."""

    estimate: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    method: str


def effect_size(name: str, a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Compute a registered effect size of candidate ``b`` over baseline ``a``.

    Source: Cohen (1988), Statistical Power Analysis, 2.3: d_z; Hedges (1981), Journal of
    Educational Statistics 6, 107-128; Bonett (2008), Psychological Methods 13, 99-109: d_av; Glass
    (1976), Educational Researcher 5(10), 3-8; Kerby (2014), Comprehensive Psychology 3(1):
    rank-biserial; Grissom & Kim (2012), Effect Sizes for Research: the probability of superiority.

    Parameters
    ----------
    name : {"d_z", "hedges_g", "d_av", "glass_delta", "rank_biserial", "p_better"}
        Mean difference divided by the standard deviation of the differences; the same with
        Hedges' bias correction; mean difference divided by the root mean variance of both systems;
        divided by the standard deviation of the baseline; matched rank-biserial correlation; share
        of queries on which b is better, ties counted as half.
    a, b : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Scores, paired by row.

    Returns
    -------
    ndarray of shape (n_comparisons,)
        Unitless. 0 if all differences are 0 (``p_better``: .5); NaN if the divisor is 0 or there
        are too few queries.

    Examples
    --------
    >>> effect_size("d_z", [0.3, 0.4, 0.1, 0.6], [0.4, 0.6, 0.1, 0.9]).round(4)
    array([1.1619])
    """
    pair = paired_scores(a, b)
    return EFFECT_SIZES[name].estimate(*pair, differences_of(*pair))


def effect_interval(
    name: str,
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    confidence: float | FloatArray = 0.95,
    differences: FloatArray | None = None,
) -> EffectInterval:
    """Compute a registered effect size with its interval."""
    # d_z and hedges_g: the noncentralities that the observed t does not reject, divided by sqrt(n).
    # The interval excludes 0 exactly if the paired t test rejects; it is exact for normal
    # differences. d_av and glass_delta: delta method with the moments of the scores (t quantiles),
    # which for normal scores equals Bonett's interval. rank_biserial and p_better: Wilson's score
    # interval. Its variance for rank_biserial is that of W+ if the sign of a difference does not
    # depend on its size; for p_better that of wins, ties and losses. On real runs they cover the
    # population value at the nominal rate, but p_better with ten queries only 92 to 93 %
    # (`reports/calibration`).
    # Source: Cumming & Finch (2001), Educational and Psychological Measurement 61, 532-574; Bonett
    # (2008), Psychological Methods 13, 99-109; Wilson (1927), Journal of the American Statistical
    # Association 22, 209-212.
    entry = EFFECT_SIZES[name]
    first, second = paired_scores(a, b)
    alpha = as_alpha(confidence, first.shape[1])
    d = differences_of(first, second) if differences is None else differences
    estimate = entry.estimate(first, second, d)
    low, high = np.full((2, *estimate.shape), np.nan)
    if len(first):
        low[:], high[:] = entry.lowest, entry.highest
    if len(first) > 1:
        is_identical = ~d.any(axis=0)
        low[is_identical], high[is_identical] = estimate[is_identical], estimate[is_identical]
        is_defined = np.isfinite(estimate) & ~is_identical
        columns = (scores[:, is_defined] for scores in (first, second, d))
        low[is_defined], high[is_defined] = entry.interval(
            estimate[is_defined], *columns, alpha[is_defined]
        )
    return EffectInterval(estimate, low, high, entry.method)


# --- Shape of the distribution of differences, and outliers

# A density of few values, or of values with one very frequent value, would be misleading.
MIN_FOR_DENSITY, FEW_VALUES, HEAP = 10, 25, 0.2

Form: TypeAlias = Literal["dots", "values", "bins", "density"]


def spread_form(differences: FloatArray) -> Form:
    """Choose the plot that shows the differences without inventing detail."""
    # Dots below 10 queries; one bar per value if there are few values; a histogram if more than a
    # fifth of the queries have the same value; otherwise a density.
    n = len(differences)
    counts = np.unique(differences, return_counts=True)[1]
    if n < MIN_FOR_DENSITY:
        return "dots"
    if len(counts) <= min(FEW_VALUES, n // 2):
        return "values"
    return "bins" if counts.max() > HEAP * n else "density"


def moments(differences: npt.ArrayLike) -> tuple[float, float]:
    """Return skewness g1 and excess kurtosis g2; NaN for fewer than two distinct values."""
    values = round_off(as_differences(differences)[:, 0])
    if len(values) < 2 or np.ptp(values) == 0.0:
        return np.nan, np.nan
    centred = (values - values.mean()) / values.std()
    squares = centred * centred  # a power takes 7 times as long
    return float(np.mean(squares * centred)), float(np.mean(squares * squares)) - 3.0


# --- Queries that are further from the others than expected for normal differences

# Rosner's critical values for several outliers are valid from this size on; for one outlier,
# always.
MIN_FOR_SEVERAL = 15


def rosner_outliers(
    differences: npt.ArrayLike, *, maximum: int = 3, alpha: float = 0.05
) -> IntArray:
    """Return the positions of outliers, furthest first, by the generalised extreme deviate."""
    # Hypothesis: the differences are a sample from one normal distribution; `alpha` is the
    # probability of finding any outlier in such a sample. At most `maximum` outliers are sought,
    # only one below 15 queries, where the test for several is anti-conservative. Studentised
    # deviates are independent of the mean and its standard error (Basu's theorem). So for normal
    # differences, samples with a small p of the t test have outliers as often as all others.
    # Source: Rosner (1983), Technometrics 25(2), 165-172, equation 2.5; of one outlier Grubbs
    # (1969).
    from scipy.special import stdtrit

    values = round_off(as_differences(differences)[:, 0])
    remaining, order, n_outliers = np.arange(len(values)), [], 0
    n_steps = (
        maximum if len(values) >= MIN_FOR_SEVERAL else min(maximum, 1, max(len(values) - 2, 0))
    )
    for step in range(1, n_steps + 1):
        deviates = values[remaining] - values[remaining].mean()
        spread = deviates.std(ddof=1)
        if np.ptp(values[remaining]) == 0.0:
            break
        furthest = int(np.argmax(np.abs(deviates)))
        order.append(remaining[furthest])
        # The largest deviate, in standard deviations, that is not an outlier at this step.
        m = len(remaining)
        t = float(stdtrit(m - 2, 1.0 - alpha / (2.0 * m)))
        if abs(deviates[furthest]) > (m - 1) * t / np.sqrt((m - 2 + t * t) * m) * spread:
            n_outliers = step
        remaining = np.delete(remaining, furthest)
    return np.array(order[:n_outliers], np.int64)
