"""Effect sizes, as in :mod:`effect_size`, of differences that come as counts."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.estimates.effect_formulas import d_z_limits, hedges_bias, score_limits
from abrank.inference.estimates.effect_size import EffectInterval
from abrank.inference.paired.counted import Counts


def counted_effects(
    counted: Counts, *, d_z: float, alpha: float, higher_is_better: bool
) -> dict[str, EffectInterval]:
    """Return the effect sizes of which counts of differences are enough.

    Parameters
    ----------
    counted : Counts
        Of two queries or more.
    d_z : float
        Mean difference over the differences' standard deviation; NaN without spread.
    higher_is_better : bool
        Where it is not, those that say which system wins are of A - B.

    Returns
    -------
    dict of str to EffectInterval
        d_z, hedges_g, rank_biserial and p_better.

    Examples
    --------
    >>> values, counts = np.unique([0.1, 0.2, -0.05, 0.3, 0.0, 0.15], return_counts=True)
    >>> of = Counts(values, counts, 0.0, 0.7)
    >>> found = counted_effects(of, d_z=0.92, alpha=0.05, higher_is_better=True)
    >>> [round(float(each.estimate[0]), 3) for each in found.values()]
    [0.92, 0.773, 0.867, 0.75]
    """
    n, one, level = counted.n_queries, np.array([d_z]), np.array([alpha])
    identical = not np.any(counted.values)
    limits = _limits_of_d_z(one, n, level, identical=identical)
    bias = 1.0 if identical else hedges_bias(n)
    sign = 1.0 if higher_is_better else -1.0
    return {
        "d_z": EffectInterval(one, *limits, "noncentral t"),
        "hedges_g": EffectInterval(one * bias, limits[0] * bias, limits[1] * bias, "noncentral t"),
        "rank_biserial": _rank_biserial(counted, sign, level),
        "p_better": _p_better(counted, sign, level),
    }


def _limits_of_d_z(
    d_z: FloatArray, n: int, alpha: FloatArray, *, identical: bool
) -> tuple[FloatArray, FloatArray]:
    if identical:
        return d_z, d_z
    if np.isnan(d_z).any():
        return np.array([-np.inf]), np.array([np.inf])
    return d_z_limits(d_z, n, alpha)


def _rank_biserial(counted: Counts, sign: float, alpha: FloatArray) -> EffectInterval:
    """(W+ - W-) / (W+ + W-), zeros dropped; Wilson's interval."""
    some = counted.values != 0.0
    if not some.any():
        zero = np.zeros(1)
        return EffectInterval(zero, zero, zero, "Wilson score")
    values, counts = sign * counted.values[some], counted.counts[some]
    size, place = np.unique(np.abs(values), return_inverse=True)
    count = np.bincount(place, counts, len(size))
    midrank = np.cumsum(count) - (count - 1.0) / 2.0
    total = float(count @ midrank)
    estimate = np.array([float((counts * np.sign(values)) @ midrank[place]) / total])
    share = np.array([float(count @ midrank**2) / total**2])
    return EffectInterval(estimate, *score_limits(estimate, share, alpha), "Wilson score")


def _p_better(counted: Counts, sign: float, alpha: FloatArray) -> EffectInterval:
    """P(b > a) + P(b = a) / 2 over the queries; Wilson's interval."""
    share = counted.counts / counted.n_queries
    signs = sign * np.sign(counted.values)
    net = np.array([float(share @ signs)])
    estimate = (1.0 + net) / 2.0
    if not np.any(signs):
        return EffectInterval(estimate, estimate, estimate, "Wilson score")
    one_sided = np.abs(net) == 1.0
    spread = share @ signs**2 - net**2
    ties = np.divide(spread, 1.0 - net**2, out=np.ones_like(net), where=~one_sided)
    low, high = score_limits(net, ties / counted.n_queries, alpha)
    return EffectInterval(estimate, (1.0 + low) / 2.0, (1.0 + high) / 2.0, "Wilson score")
