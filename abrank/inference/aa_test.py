"""The A/A test: how often a test rejects on the user's own data if there is no difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.clusters import numbered, run_cluster_test
from abrank.inference.independent import welch
from abrank.inference.registry import as_alpha, as_differences, run_test
from abrank.inference.wilcoxon import wilcoxon_pvalues

Way = Literal["flips", "halves", "resampled"]
WayOfGroups = Literal["relabelled", "resampled"]

N_REPLICATIONS = 1_000
# With this number a Monte Carlo test's level is off by at most .002, well within the band.
N_RESAMPLES = 9_999
# With more queries resamples are a tenth as many: a level of 5 % then is 4.9 %.
MANY_QUERIES = 2_000
# Of more queries, or units of two groups, so many are drawn at random.
MOST_QUERIES = 20_000
# Fewer resampled queries are far from normal: of 12 queries the t test rejects 6 to 8 %.
MIN_RESAMPLED = 25
# Together with the seed this determines the replications; changing it changes results.
VALUES_AT_ONCE = 1_000_000


CLUSTER_ROBUST = "cluster-robust t"


@record
class AARow:
    """How often a test rejected in replications without a difference."""

    # `rate` is the share of replications with p < alpha; `low` and `high` are its 95 % interval. If
    # all tests had exactly level alpha, the rates of all simultaneous checks would lie between
    # `band_low` and `band_high` with probability 95 %. `too_often` says that `rate` is above the
    # band. A rate below it is no error, because exact tests with few distinct p-values cannot use
    # their full level. `by` says how the difference was removed.

    test: str
    by: str
    n_queries: int
    rate: float
    low: float
    high: float
    band_low: float
    band_high: float
    too_often: bool


def check_level(
    name: str,
    differences: npt.ArrayLike,
    *,
    by: Way = "flips",
    alpha: float = 0.05,
    n_replications: int = N_REPLICATIONS,
    seed: int = 0,
    clusters: Sequence[object] | None = None,
    robust: bool = False,
    n_checks: int = 1,
    **options: Any,  # noqa: ANN401 - each test has its own
) -> AARow:
    """Count the false positives of a two-sided test on data without a difference (A/A test)."""
    # "flips" flips the sign of each difference with probability 1/2, as if the systems were
    # swapped. "halves" splits the queries at random and tests the paired differences between the
    # halves. Both make the distribution symmetric about 0. "resampled" subtracts the mean from the
    # differences and draws from them with replacement. This keeps the shape of the distribution, so
    # tests of another parameter than the mean may reject. Clusters are flipped or drawn as a whole;
    # `robust` uses the cluster-robust t test. `n_checks` is the number of simultaneous checks in
    # the 95 % band. An undefined p counts as not rejected; without queries the rate is NaN with
    # interval [0, 1].
    # Source: Kohavi, Longbotham, Sommerfield & Henne (2009), Data Mining and Knowledge Discovery
    # 18, 140-181: the A/A test; Clopper & Pearson (1934), Biometrika 26, 404-413: interval of the
    # rate.
    values = as_differences(differences)[:, 0]
    checks.one_of("way", by, get_args(Way))
    checks.count("n_replications", n_replications)
    checks.count("seed", seed, at_least=0)
    level = float(as_alpha(1.0 - checks.level("alpha", alpha), 1)[0])
    if name == "bounded" and by != "flips":
        # The difference of two differences, or a difference minus the mean, has twice the range.
        options = {**options, "span": 2.0 * options.get("span", 1.0)}
    test = CLUSTER_ROBUST if robust else name
    n_queries = len(values) // 2 if by == "halves" else len(values)
    if len(values) < (1 if by == "flips" else 2):
        band = _band(n_replications, level, n_checks)
        return AARow(test, by, n_queries, np.nan, 0.0, 1.0, *band, too_often=False)
    random = stream(seed, "self-check", by)
    index = np.arange(values.size)
    if clusters is not None:
        if by == "halves" or len(clusters) != len(values):
            raise ArgumentError(
                "clusters are flipped or drawn, one for each query; halves would split them"
            )
        index = numbered(clusters)[1]
    if by == "resampled" and index.max() + 1 < MIN_RESAMPLED:
        raise ArgumentError(
            f"{index.max() + 1} queries or clusters are too few to be resampled:"
            f" {MIN_RESAMPLED} at the least"
        )

    n_resamples = N_RESAMPLES if len(values) <= MANY_QUERIES else N_RESAMPLES // 10

    def rejected(block: FloatArray, labels: IntArray | None) -> int:
        if robust and labels is not None:
            pvalue = run_cluster_test("t", block, labels, confidence=0.95, seed=seed).pvalue
            return int(np.count_nonzero(pvalue < level))
        return int(np.count_nonzero(rejections(
            name, block, alpha=level, seed=seed, n_resamples=n_resamples, **options
        )))  # fmt: skip

    total = 0
    if by == "resampled" and clusters is not None:
        # Clusters differ in size, so samples differ in size and are tested one by one.
        for _ in range(n_replications):
            total += rejected(*_draw_clusters(values, index, random))
    else:
        at_once = max(1, VALUES_AT_ONCE // len(values))
        for first in range(0, n_replications, at_once):
            block = _replicate(values, by, random, at_once, index)[: n_replications - first].T
            total += rejected(block, None if clusters is None else index)
    return _row(test, by, n_queries, total, n_replications, level, n_checks)


def check_groups(
    a: FloatArray,
    b: FloatArray,
    *,
    by: WayOfGroups,
    alpha: float,
    n_replications: int,
    seed: int,
    n_checks: int,
) -> AARow:
    """Count the false positives of Welch's t test on two independent groups made equal."""
    # "relabelled" deals all units to groups of the same sizes at random. "resampled" subtracts from
    # each group its mean and draws from it with replacement, so that variances stay unequal.
    random = stream(seed, "self-check", "groups", by)
    pooled, centred, n_a = np.concatenate([a, b]), (a - a.mean(), b - b.mean()), len(a)
    at_once, total = max(1, VALUES_AT_ONCE // len(pooled)), 0
    for first in range(0, n_replications, at_once):
        count = min(at_once, n_replications - first)
        if by == "relabelled":
            dealt = random.permuted(np.broadcast_to(pooled, (count, len(pooled))), axis=1)
            groups = [dealt[:, :n_a].T, dealt[:, n_a:].T]
        else:
            groups = [random.choice(group, (len(group), count)) for group in centred]
        total += int(np.count_nonzero(welch(*groups, confidence=0.95).pvalue < alpha))
    return _row("t", by, len(pooled), total, n_replications, alpha, n_checks)


def _row(
    test: str, by: str, n: int, total: int, n_replications: int, level: float, n_checks: int
) -> AARow:
    from scipy.stats import binomtest

    low, high = map(float, binomtest(total, n_replications).proportion_ci())
    rate, band = total / n_replications, _band(n_replications, level, n_checks)
    return AARow(test, by, n, rate, low, high, *band, too_often=rate > band[1])


def _band(n_replications: int, level: float, n_checks: int) -> tuple[float, float]:
    """Return the limits that hold the rates of all valid tests together in 95 % of cases."""
    from scipy.stats import binom

    tails = [0.025 / n_checks, 1.0 - 0.025 / n_checks]
    low, high = np.asarray(binom.ppf(tails, n_replications, level)) / n_replications
    return float(low), float(high)


def sample_of(codes: IntArray, seed: int) -> IntArray:
    """Return the places of whole clusters, drawn at random up to the most queries tested."""
    sizes = np.bincount(codes)
    order = stream(seed, "self-check", "sample").permutation(len(sizes))
    number = int(np.searchsorted(np.cumsum(sizes[order]), MOST_QUERIES, side="right"))
    is_chosen = np.zeros(len(sizes), np.bool_)
    is_chosen[order[: max(number, MIN_RESAMPLED)]] = True
    return np.flatnonzero(is_chosen[codes])


def _replicate(
    values: FloatArray, by: Way, random: np.random.Generator, count: int, index: IntArray
) -> FloatArray:
    if by == "flips":
        signs = random.choice([-1.0, 1.0], (count, int(index.max()) + 1))
        return np.asarray(values * signs[:, index])
    if by == "resampled":
        rows = random.integers(0, values.size, (count, values.size))
        return np.asarray((values - values.mean())[rows])
    half = values.size // 2
    shuffled = random.permuted(np.broadcast_to(values, (count, values.size)), axis=1)
    return np.asarray(shuffled[:, :half] - shuffled[:, half : 2 * half])


def _draw_clusters(
    values: FloatArray, index: IntArray, random: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    sizes = np.bincount(index)
    drawn = random.integers(0, len(sizes), len(sizes))
    labels = np.repeat(np.arange(len(sizes)), sizes[drawn])
    # The rows of a cluster stand together in `order`, from its first place on.
    first, first_drawn = (np.cumsum(size) - size for size in (sizes, sizes[drawn]))
    places = np.arange(len(labels)) + (first[drawn] - first_drawn)[labels]
    order = np.argsort(index, kind="stable")
    return (values - values.mean())[order[places]][:, None], labels


def rejections(
    name: str,
    samples: FloatArray,
    *,
    alpha: float,
    seed: int,
    n_resamples: int,
    **options: Any,  # noqa: ANN401 - each test has its own
) -> BoolArray:
    """Return whether a two-sided test rejects, for each of many samples."""
    if name == "wilcoxon":
        return np.asarray(wilcoxon_pvalues(samples, **options) < alpha)
    if name == "permutation":  # the exact algorithm is too slow for thousands of samples
        options = {"method": "monte-carlo", **options}
    result = run_test(name, samples, confidence=1.0, seed=seed, n_resamples=n_resamples, **options)
    return np.asarray(result.pvalue < alpha)
