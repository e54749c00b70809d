"""Designs asked as a paired test is: clustered queries, and looks at any time."""

# They answer with a `TestResult`, so that whoever asks a test can ask a design in its place.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.clusters import ClusterResult, run_cluster_test, run_on_sums
from abrank.inference.registry import TestResult, as_alpha, as_differences
from abrank.inference.rounding import align_interval_with_pvalue, has_spread, round_off
from abrank.inference.sequential import (
    FIRST,
    NOTHING,
    Kind,
    best_rho_squared,
    mixture_half_width,
    mixture_log_ratio,
    stopping_boundaries,
)


def cluster_result(
    name: str,
    differences: FloatArray,
    clusters: Sequence[object],
    *,
    confidence: float | FloatArray,
    seed: int,
    n_resamples: int | None = None,
) -> TestResult:
    """Return :func:`run_cluster_test` as a paired test answers."""
    asked = {"confidence": confidence, "seed": seed, "n_resamples": n_resamples}
    return _as_test(run_cluster_test(name, differences, clusters, **asked))  # type: ignore[arg-type]


def sums_result(
    name: str,
    sums: FloatArray,
    sizes: IntArray,
    *,
    confidence: float | FloatArray,
    seed: int,
    n_resamples: int | None = None,
) -> TestResult:
    """Return :func:`run_on_sums` as a paired test answers."""
    asked = {"confidence": confidence, "seed": seed, "n_resamples": n_resamples}
    return _as_test(run_on_sums(name, sums, sizes, **asked))  # type: ignore[arg-type]


def _as_test(a: ClusterResult) -> TestResult:
    return TestResult.of_mean(
        [a.estimate, a.statistic, a.pvalue, a.ci_low, a.ci_high], test=a.test,
        confidence=a.confidence, n_queries=a.n_queries, method=a.method, n_resamples=a.n_resamples,
    )  # fmt: skip


def anytime_result(
    differences: FloatArray, *, planned: int, alpha: float, confidence: float | FloatArray
) -> TestResult:
    """Return the confidence sequence at the last query, which holds whenever one looks."""
    # The interval and p of `asymptotic_sequence` without the intersection over earlier looks, whose
    # order would have to be known.
    data = round_off(as_differences(differences))
    level, n = as_alpha(confidence, data.shape[1]), len(data)
    rows = np.full((5, data.shape[1]), np.nan)
    if n:
        rows[0], rows[1], rows[2] = data.mean(axis=0), 0.0, 1.0
        rows[3], rows[4] = -np.inf, np.inf
        same = np.all(data == 0.0, axis=0) & (n > 1)
        rows[3:, same] = 0.0
    live = has_spread(data) if n >= FIRST else np.zeros(data.shape[1], bool)
    if live.any():
        mean, sd = rows[0, live], data[:, live].std(axis=0, ddof=1)
        rho, size = best_rho_squared(planned, alpha), np.full(len(mean), float(n))
        log_ratio = mixture_log_ratio(size, mean, sd, rho)
        half = mixture_half_width(size, sd, rho, level[live])
        pvalue = np.exp(-np.maximum(log_ratio, 0.0))
        low, high = align_interval_with_pvalue(pvalue, mean, mean - half, mean + half, level[live])
        rows[1:, live] = mean / (sd / np.sqrt(n)), pvalue, low, high
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=n)


def level_of_seen(seen: Sequence[int], n_planned: int, *, spending: str, alpha: float) -> float:
    """Return the two-sided level of the last of some looks, by the queries seen at each."""
    # The last look, at the queries planned or more, spends what is left. 0 where it comes too
    # early.
    # Source: Lan & DeMets (1983), Biometrika 70, 659-663.
    return _level([min(1.0, n / n_planned) for n in seen], -1, spending, alpha)


def level_of_look(look: int, n_looks: int, *, spending: str, alpha: float) -> float:
    """Return the two-sided level of a look among evenly spaced ones; 0 where it comes too early."""
    return _level(n_looks, look - 1, spending, alpha)


def _level(looks: int | Sequence[float], place: int, spending: str, alpha: float) -> float:
    kind: Kind = "spend-pocock" if spending == "pocock" else "spend-obrien-fleming"
    level = float(stopping_boundaries(looks, alpha=alpha, kind=kind).level[place])
    return level if level > NOTHING else 0.0
