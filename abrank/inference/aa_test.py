"""The A/A test: how often a test finds a difference where there is none, on one's own data."""

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
from abrank.inference.registry import as_alpha, as_differences, run_test
from abrank.inference.wilcoxon import wilcoxon_pvalues

Way = Literal["flips", "halves", "resampled"]

N_REPLICATIONS = 1_000
# The level of a test that draws is then off by .002, well within the band.
N_RESAMPLES = 9_999
# Fewer resampled queries are too unlike the normal ones of a t test: of 12 it finds 6 to 8 %.
MIN_RESAMPLED = 25
# Part of what a seed means: another value here gives other replications.
VALUES_AT_ONCE = 1_000_000


CLUSTER_ROBUST = "cluster-robust t"


@record
class AARow:
    """How often one test found a difference where there was none."""

    # `rate` is the share of replications with p < alpha, `low` and `high` its 95 % interval.
    # `band_low` and `band_high` enclose 95 % of the shares that tests of exactly the level alpha
    # would give, all checks that are made together within; `too_often` says that the rate is above.
    # A rate below is no fault: exact tests of few distinct values cannot use up their level. `by`
    # says how a difference was ruled out.

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
    """Count the false findings of a two-sided test on differences with nothing to find (A/A)."""
    # "flips" turns the sign of each difference by the toss of a coin, as if the systems' names had
    # been swapped query by query. "halves" splits the queries at random and tests the differences
    # of the one half less those of the other, pair by pair. Both make the differences symmetric
    # about 0. "resampled" takes the mean from every difference and draws as many with replacement:
    # their shape stays, and a test of something else than the mean is seen to find it. Of clusters
    # the signs turn together, or whole ones are drawn; `robust` asks the cluster-robust t test.
    # `n_checks` are made together, all within the band in 95 %. A p that is not defined finds
    # nothing; without a query the rate is NaN, its interval [0, 1].
    # Source: Kohavi, Longbotham, Sommerfield & Henne (2009), Data Mining and Knowledge Discovery
    # 18, 140-181: the A/A test; Clopper & Pearson (1934), Biometrika 26, 404-413: interval of the
    # rate.
    from scipy.stats import binom, binomtest

    values = as_differences(differences)[:, 0]
    checks.one_of("way", by, get_args(Way))
    checks.count("n_replications", n_replications)
    checks.count("seed", seed, at_least=0)
    level = float(as_alpha(1.0 - checks.level("alpha", alpha), 1)[0])
    # The shares between which those of right tests lie, all of them in 95 % of cases.
    tails = [0.025 / n_checks, 1.0 - 0.025 / n_checks]
    low, high = np.asarray(binom.ppf(tails, n_replications, level)) / n_replications
    band = float(low), float(high)
    if name == "bounded" and by != "flips":
        # Two differences in a row, or one less the mean, reach twice as far.
        options = {**options, "span": 2.0 * options.get("span", 1.0)}
    test = CLUSTER_ROBUST if robust else name
    n_queries = len(values) // 2 if by == "halves" else len(values)
    if len(values) < (1 if by == "flips" else 2):
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

    def rejected(block: FloatArray, labels: IntArray | None) -> int:
        if robust and labels is not None:
            pvalue = run_cluster_test("t", block, labels, confidence=0.95, seed=seed).pvalue
            return int(np.count_nonzero(pvalue < level))
        return int(np.count_nonzero(rejections(
            name, block, alpha=level, seed=seed, n_resamples=N_RESAMPLES, **options
        )))  # fmt: skip

    total = 0
    if by == "resampled" and clusters is not None:
        # Clusters differ in size, and so do the samples: they are tested one by one.
        for _ in range(n_replications):
            total += rejected(*_draw_clusters(values, index, random))
    else:
        at_once = max(1, VALUES_AT_ONCE // len(values))
        for first in range(0, n_replications, at_once):
            block = _replicate(values, by, random, at_once, index)[: n_replications - first].T
            total += rejected(block, None if clusters is None else index)
    low, high = map(float, binomtest(total, n_replications).proportion_ci())
    rate = total / n_replications
    return AARow(test, by, n_queries, rate, low, high, *band, too_often=rate > band[1])


def _replicate(
    values: FloatArray, by: Way, random: np.random.Generator, count: int, index: IntArray
) -> FloatArray:
    """Return differences with nothing to find: shape (count, n_queries or half of them)."""
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
    """Return the differences, less their mean, of clusters drawn anew, and their labels."""
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
    """Return whether a two-sided test finds a difference in each of many samples."""
    if name == "wilcoxon":
        return np.asarray(wilcoxon_pvalues(samples, **options) < alpha)
    if name == "permutation":  # the exact one, made for one sample, takes a second for a dozen
        options = {"method": "monte-carlo", **options}
    result = run_test(name, samples, confidence=1.0, seed=seed, n_resamples=n_resamples, **options)
    return np.asarray(result.pvalue < alpha)
