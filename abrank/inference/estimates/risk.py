"""Risk against a baseline: what is lost on a query weighs more than what is won.

===================  ==========================================================
differences          answer
===================  ==========================================================
no query             NaN
one query            URisk its weighted difference, unbounded; TRisk NaN
two queries          as any other data
all 0                URisk 0, [0, 0]; TRisk 0, [0, 0]
one value, not 0     URisk that value weighted, by t; TRisk NaN, unbounded
one query differs    as any other data
two values           as any other data
not finite           refused
===================  ==========================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.estimates.effect_size import effect_interval
from abrank.inference.registry import as_differences, run_test


@record
class Risk:
    """URisk and TRisk of a candidate against a baseline, each with its interval."""

    urisk: float
    urisk_low: float
    urisk_high: float
    trisk: float
    trisk_low: float
    trisk_high: float


def risk(differences: npt.ArrayLike, *, weight: float = 1.0, confidence: float = 0.95) -> Risk:
    """Return URisk and TRisk of what a candidate gains over a baseline, query by query.

    Estimand: the mean gain over queries, a loss counted 1 + ``weight`` times (URisk), and that mean
    over its standard error (TRisk). The query pairs the scores.

    Source: Wang, Bennett & Collins-Thompson (2012), SIGIR, 761-770: URisk; Dincer, Macdonald &
    Ounis (2014), SIGIR, 23-32: TRisk.
    """
    data = as_differences(differences)
    if data.shape[1] != 1:
        raise ArgumentError(f"risk is of one column of differences, not {data.shape[1]}")
    weighted = _weighted(data, weight)
    tested = run_test("t", weighted, confidence=confidence)
    size = effect_interval("d_z", np.zeros_like(weighted), weighted, confidence=confidence)
    root = np.sqrt(len(data))
    found = (tested.estimate, tested.ci_low, tested.ci_high)
    of_size = (size.estimate * root, size.ci_low * root, size.ci_high * root)
    return Risk(*(float(each[0]) for each in (*found, *of_size)))


def _weighted(differences: FloatArray, weight: float) -> FloatArray:
    if not (np.isfinite(weight) and weight >= 0.0):
        raise ArgumentError(f"the weight of losses is 0 or more, not {weight}")
    return np.where(differences < 0.0, (1.0 + weight) * differences, differences)


def geo_risk(
    scores: npt.ArrayLike,
    *,
    weight: float = 1.0,
    confidence: float = 0.95,
    n_resamples: int = 2_000,
    seed: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return GeoRisk of every system, with limits by resampling of the queries.

    GeoRisk is the geometric mean of a system's mean score and of the chance that a standard normal
    lies below its mean ZRisk: how far its scores lie from those that the means of systems and
    queries give, losses weighted as in :func:`risk`. All systems together are the baseline.

    Source: Dincer, Macdonald & Ounis (2016), SIGIR, 483-492.
    """
    block = np.asarray(scores, dtype=np.float64)
    if not (np.isfinite(block).all() and (block >= 0.0).all()):
        raise ArgumentError("GeoRisk is of finite scores that are not negative")
    checks.fraction("confidence", confidence)
    n = len(block)
    estimate = _geo_risk(block, weight)
    if np.isnan(estimate).all():
        return estimate, estimate, estimate
    random = stream(seed, "geo-risk")
    drawn = np.stack(
        [_geo_risk(block[random.integers(n, size=n)], weight) for _ in range(n_resamples)]
    )
    tail = (1.0 - confidence) / 2.0
    low, high = np.nanquantile(drawn, [tail, 1.0 - tail], axis=0)
    return estimate, low, high


def _geo_risk(block: FloatArray, weight: float) -> FloatArray:
    from scipy.special import ndtr

    n = len(block)
    total = block.sum()
    if n == 0 or total == 0.0:
        return np.full(block.shape[1], np.nan)
    expected = np.outer(block.sum(axis=1), block.sum(axis=0)) / total
    z = np.divide(
        block - expected, np.sqrt(expected), out=np.zeros_like(block), where=expected > 0.0
    )
    found: FloatArray = np.sqrt(block.mean(axis=0) * ndtr(_weighted(z, weight).mean(axis=0)))
    return found
