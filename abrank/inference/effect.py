"""Effect sizes of paired scores: how large, not how certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.registry import Registry
from abrank._support.typing import FloatArray, Function
from abrank.inference.catalogue import as_alpha, as_differences
from abrank.inference.lattice import round_off
from abrank.inference.ranks import doubled_midranks

EffectSize: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
EFFECT_SIZES: Registry[EffectSize] = Registry("effect size")


@dataclass(frozen=True)
class RatioInterval:
    """Relative change mean(b) / mean(a) - 1 with its interval: arrays of shape (n_comparisons,).

    ``g`` is Fieller's: 1 or more means that the baseline's mean cannot be told from 0 and the
    interval is unbounded; above .5 the relative change is not worth quoting.
    """

    change: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    g: FloatArray


def effect_size(name: str, a: npt.ArrayLike, b: npt.ArrayLike) -> FloatArray:
    """Compute a registered effect size of candidate ``b`` over baseline ``a``.

    Parameters
    ----------
    name : {"d_z", "hedges_g", "d_av", "rank_biserial", "p_better"}
        Mean difference over the differences' standard deviation; the same without its small-sample
        bias; mean difference over the root mean variance of the two; matched rank-biserial
        correlation; share of queries on which b is better, ties counted by half.
    a, b : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Scores, paired by row.

    Returns
    -------
    ndarray of shape (n_comparisons,)
        Unitless. 0 where all differences are 0 (``p_better``: .5); NaN where there is no spread to
        divide by or too few queries.

    Raises
    ------
    UnknownNameError
        If the name is not registered.
    ArgumentError
        If a and b differ in shape, or a score is not finite.

    Examples
    --------
    >>> a = [0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55]
    >>> b = [0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95]
    >>> effect_size("d_z", a, b).round(4), effect_size("p_better", a, b)
    (array([0.8114]), array([0.75]))
    """
    return EFFECT_SIZES[name](*_paired(a, b))


def ratio_interval(
    a: npt.ArrayLike, b: npt.ArrayLike, *, confidence: float | FloatArray = 0.95
) -> RatioInterval:
    """Compute the relative change of the mean with Fieller's interval.

    Estimand: mean(b) / mean(a) - 1. The interval holds every theta - 1 for which a paired t test
    does not reject that b - theta a has mean 0, so it excludes 0 exactly when the paired t of
    b - a rejects. The query pairs the scores.

    Parameters
    ----------
    a, b : array_like of shape (n_queries,) or (n_queries, n_comparisons)
    confidence : float or array_like of shape (n_comparisons,)

    Returns
    -------
    RatioInterval
        (-inf, inf) where g >= 1 or with one query; NaN where the mean of a is 0 or without queries.

    Raises
    ------
    ArgumentError
        If a and b differ in shape, a score is not finite, or a level is out of range.

    References
    ----------
    .. [1] Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.

    Examples
    --------
    >>> interval = ratio_interval([0.2, 0.4, 0.3, 0.5], [0.3, 0.5, 0.3, 0.7])
    >>> interval.change.round(3), interval.ci_low.round(3), interval.ci_high.round(3)
    (array([0.286]), array([-0.144]), array([0.595]))
    """
    from scipy.special import stdtrit

    first, second = _paired(a, b)
    alpha = as_alpha(confidence, first.shape[1])
    n_queries, n_columns = first.shape
    mean_a, mean_b = _mean(first), _mean(second)
    defined = np.abs(mean_a) > 0.0
    change, g = np.full(n_columns, np.nan), np.full(n_columns, np.nan)
    np.divide(mean_b - mean_a, mean_a, out=change, where=defined)
    low = np.where(defined, -np.inf, np.nan)
    high = np.where(defined, np.inf, np.nan)
    if n_queries < 2:
        return RatioInterval(change, low, high, g)
    # The t test's quadratic in theta: squared * theta**2 - 2 mixed * theta + constant <= 0.
    spread = stdtrit(n_queries - 1, 1.0 - alpha / 2.0) ** 2 / n_queries
    var_a, var_b, cov = _moments(first, second)
    np.divide(spread * var_a, mean_a**2, out=g, where=defined)
    squared = mean_a**2 - spread * var_a
    mixed = mean_a * mean_b - spread * cov
    constant = mean_b**2 - spread * var_b
    # Not negative but for rounding: the ratio itself is never rejected.
    root = np.sqrt(np.maximum(mixed**2 - squared * constant, 0.0))
    bounded = defined & (squared > 0.0)
    low[bounded] = (mixed - root)[bounded] / squared[bounded] - 1.0
    high[bounded] = (mixed + root)[bounded] / squared[bounded] - 1.0
    return RatioInterval(change, low, high, g)


def _paired(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both score arrays as (n_queries, n_comparisons)."""
    first, second = as_differences(a), as_differences(b)
    if first.shape != second.shape:
        raise ArgumentError(f"a and b differ in shape: {np.shape(a)} and {np.shape(b)}")
    return first, second


def _mean(scores: FloatArray) -> FloatArray:
    """Return column means; NaN without rows."""
    return scores.mean(axis=0) if len(scores) else np.full(scores.shape[1], np.nan)


def _moments(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the variances of a and of b and their covariance, by column."""
    centred_a, centred_b = a - a.mean(axis=0), b - b.mean(axis=0)
    products = (centred_a**2, centred_b**2, centred_a * centred_b)
    var_a, var_b, cov = (product.sum(axis=0) / (len(a) - 1) for product in products)
    return var_a, var_b, cov


def _register(name: str) -> Callable[[Function], Function]:
    """Register an effect size: ``function(a, b)`` of two (n_queries, n_comparisons) arrays."""

    def register(function: Function) -> Function:
        EFFECT_SIZES.add(name, function)
        return function

    return register


def _standardised(difference: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return mean difference over deviation: 0 for no difference at all, NaN for no spread."""
    nothing = np.all(round_off(difference) == 0.0, axis=0)
    size = np.where(nothing & (len(difference) > 0), 0.0, np.nan)
    usable = ~nothing & (deviation > 0.0)
    return np.divide(_mean(difference), deviation, out=size, where=usable)


@_register("d_z")
def _d_z(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cohen's d_z; Cohen 1988, section 2.3.5."""
    d = b - a
    flat = np.ptp(round_off(d), axis=0) == 0.0 if len(d) else np.ones(d.shape[1], bool)
    deviation = d.std(axis=0, ddof=1) if len(d) > 1 else np.zeros(d.shape[1])
    return _standardised(d, np.where(flat, 0.0, deviation))


@_register("hedges_g")
def _hedges_g(a: FloatArray, b: FloatArray) -> FloatArray:
    """d_z times J(n - 1); Hedges 1981, equation 6e. It is not defined for two queries."""
    from scipy.special import gammaln

    freedom = len(a) - 1
    if freedom < 2:
        return np.where(_d_z(a, b) == 0.0, 0.0, np.nan)
    log_j = gammaln(freedom / 2.0) - gammaln((freedom - 1) / 2.0) - np.log(freedom / 2.0) / 2.0
    return _d_z(a, b) * float(np.exp(log_j))


@_register("d_av")
def _d_av(a: FloatArray, b: FloatArray) -> FloatArray:
    """Mean difference over the root mean variance of both; Cumming 2012, equation 11.10."""
    if len(a) < 2:
        return _standardised(b - a, np.zeros(a.shape[1]))
    flat = (np.ptp(round_off(a), axis=0) == 0.0) & (np.ptp(round_off(b), axis=0) == 0.0)
    pooled = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / 2.0)
    return _standardised(b - a, np.where(flat, 0.0, pooled))


@_register("rank_biserial")
def _rank_biserial(a: FloatArray, b: FloatArray) -> FloatArray:
    """(W+ - W-) / (W+ + W-), zeros dropped; Kerby 2014."""
    d = round_off(b - a)
    size = np.full(d.shape[1], 0.0 if len(d) else np.nan)
    for column, values in enumerate(d.T):
        decided = values[values != 0.0]
        if decided.size:
            ranks = doubled_midranks(np.abs(decided))
            size[column] = (ranks * np.sign(decided)).sum() / ranks.sum()
    return size


@_register("p_better")
def _p_better(a: FloatArray, b: FloatArray) -> FloatArray:
    """P(b > a) + P(b = a) / 2 over the queries; Vargha & Delaney 2000, paired."""
    return _mean((np.sign(round_off(b - a)) + 1.0) / 2.0)
