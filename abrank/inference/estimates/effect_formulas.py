"""The effect sizes of paired scores, and the formulas of their intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from abrank._support.records import record
from abrank._support.registry import Registry
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.exact.inversion import align_interval_with_pvalue
from abrank.inference.exact.noncentral_t import noncentrality_interval
from abrank.inference.exact.student_quantile import student_quantile
from abrank.inference.paired.ranks import doubled_midranks
from abrank.inference.paired.t_test import t_pvalue
from abrank.inference.rounding import differences_of, has_spread

Estimate: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
Interval: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


@record
class EffectSize:
    """A registered effect size: ``estimate(a, b)``, ``interval(a, b, alpha)``, how that is made.

    ``lowest`` and ``highest`` bound what it can be.
    """

    estimate: Estimate
    interval: Interval
    method: str
    lowest: float = -np.inf
    highest: float = np.inf


EFFECT_SIZES: Registry[EffectSize] = Registry("effect size")


def _mean(scores: FloatArray) -> FloatArray:
    """Return column means; NaN without rows."""
    return scores.mean(axis=0) if len(scores) else np.full(scores.shape[1], np.nan)


def _deviation(scores: FloatArray) -> FloatArray:
    """Return the standard deviation of each column, 0 where there is no spread but rounding."""
    if len(scores) < 2:
        return np.zeros(scores.shape[1])
    return np.where(has_spread(scores), scores.std(axis=0, ddof=1), 0.0)


def _standardised(difference: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return mean difference over deviation: 0 for no difference at all, NaN for no spread."""
    nothing = ~np.any(difference, axis=0)
    size = np.where(nothing & (len(difference) > 0), 0.0, np.nan)
    usable = ~nothing & (deviation > 0.0)
    return np.divide(_mean(difference), deviation, out=size, where=usable)


def _d_z(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cohen's d_z; Cohen 1988, section 2.3.5."""
    difference = differences_of(a, b)
    return _standardised(difference, _deviation(difference))


def _d_z_interval(a: FloatArray, b: FloatArray, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    return d_z_limits(_d_z(a, b), len(a), alpha)


def d_z_limits(d_z: FloatArray, n_queries: int, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the interval of Cohen's d_z.

    Examples
    --------
    >>> low, high = d_z_limits(np.array([0.5]), 20, np.array([0.05]))
    >>> low.round(3), high.round(3)
    (array([0.028]), array([0.96]))
    """
    root = np.sqrt(n_queries)
    t = d_z * root
    low, high = noncentrality_interval(t, n_queries - 1, alpha)
    low, high = align_interval_with_pvalue(
        t_pvalue(t, n_queries - 1, "two-sided"), t, low, high, alpha
    )
    return low / root, high / root


def hedges_bias(n_queries: int) -> float:
    """Return J(n - 1); Hedges 1981, equation 6e. It is not defined for two queries.

    Examples
    --------
    >>> round(hedges_bias(10), 3)
    0.914
    """
    from scipy.special import gammaln

    freedom = n_queries - 1
    if freedom < 2:
        return np.nan
    log_j = gammaln(freedom / 2.0) - gammaln((freedom - 1) / 2.0) - np.log(freedom / 2.0) / 2.0
    return float(np.exp(log_j))


def _hedges_g(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return d_z times J(n - 1)."""
    d_z = _d_z(a, b)
    return np.where(d_z == 0.0, 0.0, d_z * hedges_bias(len(a)))


def _hedges_g_interval(
    a: FloatArray, b: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    low, high = _d_z_interval(a, b, alpha)
    return low * hedges_bias(len(a)), high * hedges_bias(len(a))


def _pooled(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt((_deviation(a) ** 2 + _deviation(b) ** 2) / 2.0))


def _d_av(a: FloatArray, b: FloatArray) -> FloatArray:
    """Mean difference over the root mean variance of both; Cumming 2012, equation 11.10."""
    return _standardised(differences_of(a, b), _pooled(a, b))


def _d_av_interval(
    a: FloatArray, b: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    squares = (_centred(a) ** 2 + _centred(b) ** 2) / 2.0
    return _linearised(_d_av(a, b), b - a, squares, _pooled(a, b), alpha)


def _glass_delta(a: FloatArray, b: FloatArray) -> FloatArray:
    """Mean difference over the baseline's standard deviation; Glass 1976, Sakai 2014."""
    return _standardised(differences_of(a, b), _deviation(a))


def _glass_delta_interval(
    a: FloatArray, b: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    return _linearised(_glass_delta(a, b), b - a, _centred(a) ** 2, _deviation(a), alpha)


def _centred(scores: FloatArray) -> FloatArray:
    return np.asarray(scores - scores.mean(axis=0))


def _linearised(
    size: FloatArray, difference: FloatArray, squares: FloatArray, scale: FloatArray,
    alpha: FloatArray,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Return the delta-method limits of mean(difference) / scale, scale**2 a mean of squares."""
    n_queries = len(difference)
    # How much one query moves the effect size: through the mean, and through the variance.
    influence = _centred(difference) / scale - size / 2.0 * _centred(squares) / scale**2
    error = np.sqrt((influence**2).sum(axis=0) / (n_queries * (n_queries - 1)))
    half = student_quantile(n_queries - 1, 1.0 - alpha / 2.0) * error
    return size - half, size + half


def _signed_ranks(values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return doubled midranks of the sizes of the differences other than 0, and their signs."""
    decided = values[values != 0.0]
    return doubled_midranks(np.abs(decided)), np.sign(decided)


def _rank_biserial(a: FloatArray, b: FloatArray) -> FloatArray:
    """(W+ - W-) / (W+ + W-), zeros dropped; Kerby 2014."""
    d = differences_of(a, b)
    size = np.full(d.shape[1], 0.0 if len(d) else np.nan)
    for column in np.flatnonzero(np.any(d != 0.0, axis=0)):
        ranks, signs = _signed_ranks(d[:, column])
        size[column] = (ranks * signs).sum() / ranks.sum()
    return size


def _rank_biserial_interval(
    a: FloatArray, b: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    d = differences_of(a, b)
    size, share = np.empty((2, d.shape[1]))
    for column, values in enumerate(d.T):
        ranks, signs = _signed_ranks(values)
        total = float(ranks.sum())
        size[column] = (ranks * signs).sum() / total
        share[column] = (ranks.astype(np.float64) ** 2).sum() / total**2
    return score_limits(size, share, alpha)


def score_limits(
    size: FloatArray, share: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the rho with (size - rho)**2 <= z**2 (1 - rho**2) share.

    Examples
    --------
    >>> low, high = score_limits(np.array([0.5]), np.array([0.1]), np.array([0.05]))
    >>> low.round(2), high.round(2)
    (array([-0.12]), array([0.84]))
    """
    from scipy.special import ndtri

    reach = ndtri(alpha / 2.0) ** 2 * share
    half = np.sqrt(reach * (1.0 - size**2 + reach))
    return (size - half) / (1.0 + reach), (size + half) / (1.0 + reach)


def _p_better(a: FloatArray, b: FloatArray) -> FloatArray:
    """P(b > a) + P(b = a) / 2 over the queries; Vargha & Delaney 2000, paired."""
    return _mean((np.sign(differences_of(a, b)) + 1.0) / 2.0)


def _p_better_interval(
    a: FloatArray, b: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    signs = np.sign(differences_of(a, b))
    net = signs.mean(axis=0)
    unanimous = np.abs(net) == 1.0
    ties = np.divide(signs.var(axis=0), 1.0 - net**2, out=np.ones_like(net), where=~unanimous)
    low, high = score_limits(net, ties / len(a), alpha)
    return (1.0 + low) / 2.0, (1.0 + high) / 2.0


EFFECT_SIZES.add("d_z", EffectSize(_d_z, _d_z_interval, "noncentral t"))
EFFECT_SIZES.add("hedges_g", EffectSize(_hedges_g, _hedges_g_interval, "noncentral t"))
EFFECT_SIZES.add("d_av", EffectSize(_d_av, _d_av_interval, "delta method"))
EFFECT_SIZES.add("glass_delta", EffectSize(_glass_delta, _glass_delta_interval, "delta method"))
EFFECT_SIZES.add(
    "rank_biserial", EffectSize(_rank_biserial, _rank_biserial_interval, "Wilson score", -1.0, 1.0)
)
EFFECT_SIZES.add("p_better", EffectSize(_p_better, _p_better_interval, "Wilson score", 0.0, 1.0))
