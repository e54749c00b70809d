"""Means of differences with their standard errors: all that a t test needs."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from abrank import inference
from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.comparison.sample import Columns
from abrank.engines.counted import exact_value
from abrank.engines.merge import Statistics
from abrank.inference.designs.as_tests import sums_result
from abrank.inference.designs.clusters import (
    FEWEST_EFFECTIVE,
    deciding_test,
    effective_clusters,
    freedom_of_clusters,
    standard_error,
)
from abrank.inference.paired.t_and_sign import skewed_t, t_answer
from abrank.inference.registry import as_alpha
from abrank.inference.rounding import TIE

_UNIT = 1 << 1074


@record
class Moments:
    """Means and standard errors, one a column: a measure, or a segment of the queries.

    Attributes
    ----------
    means, errors : float64[n_columns]
        The error is NaN where the differences are all one value.
    freedom : float64[n_columns]
        Degrees of freedom.
    identical : bool[n_columns]
        Where all differences are 0.
    n_queries : int
    skewness : float64[n_columns]
        Where it is not known, 0.
    """

    means: FloatArray
    errors: FloatArray
    freedom: FloatArray
    identical: BoolArray
    n_queries: int
    skewness: FloatArray

    def take(self, columns: Columns) -> Moments:
        """Return some of the columns."""
        return Moments(
            self.means[columns], self.errors[columns], self.freedom[columns],
            self.identical[columns], self.n_queries, self.skewness[columns],
        )  # fmt: skip

    def run(self, confidence: float | FloatArray, *, skewed: bool = False) -> inference.TestResult:
        """Test by Student's t, two-sided, as :func:`abrank.inference.run_test` does."""
        alpha = as_alpha(confidence, len(self.means))
        statistic, pvalue, low, high = t_answer(self.means, self.errors, self.freedom, alpha)
        if skewed:
            pvalue, low, high = skewed_t(
                self.means, self.errors, self.skewness, self.freedom + 1.0, alpha
            )
        statistic, low, high = (
            np.where(self.identical, 0.0, each) for each in (statistic, low, high)
        )
        pvalue = np.where(self.identical, 1.0, pvalue)
        return inference.TestResult(
            estimate=self.means,
            statistic=statistic,
            pvalue=pvalue,
            ci_low=low,
            ci_high=high,
            test="t",
            estimand="mean difference",
            method="closed form",
            n_resamples=0,
            confidence=confidence,
            alternative="two-sided",
            n_queries=self.n_queries,
            pvalue_low=pvalue,
            pvalue_high=pvalue,
            pvalue_error=np.zeros_like(pvalue),
        )


def moments_of(statistics: Statistics) -> Moments:
    """Return mean and error of every measure, of queries that are independent, rounded once."""
    n = statistics.n_queries
    pairs = [mean_and_error(n, own.sums[2], own.sums[6]) for own in statistics.of]
    identical = np.array([not own.wins + own.losses for own in statistics.of])
    return _moments(pairs, np.full(len(pairs), n - 1.0), identical, n)


@record
class FlippedClusters:
    """Means over clusters of which t can say nothing, tested by the flips of their signs.

    Attributes
    ----------
    sums : float64[n_clusters, n_columns]
        Of the differences of each cluster.
    sizes : int64[n_clusters]
    seed : int
    """

    sums: FloatArray
    sizes: IntArray
    seed: int

    @property
    def means(self) -> FloatArray:
        """Mean difference of each column."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    @property
    def errors(self) -> FloatArray:
        """NaN: no t is taken of them."""
        return np.full(self.sums.shape[1], np.nan)

    @property
    def freedom(self) -> FloatArray:
        """NaN likewise."""
        return self.errors

    def take(self, columns: Columns) -> FlippedClusters:
        """Return some of the columns."""
        return FlippedClusters(self.sums[:, columns], self.sizes, self.seed)

    def run(self, confidence: float | FloatArray) -> inference.TestResult:
        """Test by the sign flips of clusters."""
        return sums_result(
            "permutation", self.sums, self.sizes, confidence=confidence, seed=self.seed
        )


def moments_of_clusters(statistics: Statistics, *, seed: int) -> Moments | FlippedClusters:
    """Return mean and cluster-robust error of every measure; the sums where these are flipped."""
    sums, sizes = cluster_sums(statistics)
    if deciding_test("t", sizes) != "t":
        return FlippedClusters(sums, sizes, seed)
    few = effective_clusters(sizes) < FEWEST_EFFECTIVE["t"]
    pairs = [
        (
            exact_value(own.sums[2]) / statistics.n_queries,
            float("nan") if few else standard_error(sums[:, m], sizes),
        )
        for m, own in enumerate(statistics.of)
    ]
    identical = np.array([not own.wins + own.losses for own in statistics.of])
    freedom = np.full(len(pairs), freedom_of_clusters(sizes))
    return _moments(pairs, freedom, identical, statistics.n_queries)


def cluster_sums(statistics: Statistics) -> tuple[FloatArray, IntArray]:
    """Return the sums of every cluster, float64[n_clusters, n_measures], and its queries."""
    every = list(statistics.clusters.values())
    sums = [[exact_value(total) for total in each[1:]] for each in every]
    return np.array(sums), np.array([each[0] for each in every], dtype=np.int64)


def moments_of_segments(statistics: Statistics, name: str, measure: int) -> Moments:
    """Return mean and error of one measure in each segment of a property."""
    every = list(statistics.segments[name].values())
    kept = (len(every[0]) - 1) // len(statistics.measures)
    place = 1 + kept * measure
    pairs = [mean_and_error(each[0], *each[place : place + 2]) for each in every]
    sizes = np.array([each[0] for each in every], dtype=np.float64)
    identical = np.array([each[place + 1] == 0 for each in every])
    found = _moments(pairs, sizes - 1.0, identical, statistics.n_queries)
    if kept < 3:
        return found
    skewness = [
        _skewness(each[0], each[place : place + 3]) if np.isfinite(error) else 0.0
        for each, (_, error) in zip(every, pairs, strict=True)
    ]
    return replace(found, skewness=np.array(skewness))


def _skewness(n: int, sums: tuple[int, ...]) -> float:
    first, second, third = (Fraction(each, _UNIT) / n for each in sums)
    spread = math.sqrt(second - first**2)
    return float(third - 3 * first * second + 2 * first**3) / spread**3


def mean_and_error(n: int, total: int, squares: int) -> tuple[float, float]:
    """Return mean and standard error from exact sums; NaN where there is no spread but rounding."""
    mean = Fraction(total, _UNIT) / n
    if n < 2:
        return float(mean), float("nan")
    variance = (Fraction(squares, _UNIT) - n * mean**2) / (n - 1)
    if variance <= (TIE * mean) ** 2:
        return float(mean), float("nan")
    return float(mean), float(variance / n) ** 0.5


def score_moments(
    n: int, sums: tuple[int, ...]
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Return the means of A and B, their sample variances and their covariance."""
    a, b, _, squares_a, squares_b, crossed, _ = (Fraction(each, _UNIT) for each in sums)
    products = (squares_a, a, a), (squares_b, b, b), (crossed, a, b)
    var_a, var_b, cov = (
        float((total - one * other / n) / max(n - 1, 1)) for total, one, other in products
    )
    return (float(a / n), float(b / n)), (var_a, var_b, cov)


def _moments(
    pairs: list[tuple[float, float]], freedom: FloatArray, identical: BoolArray, n: int
) -> Moments:
    means, errors = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return Moments(means, errors, freedom, identical, n, np.zeros(len(means)))
