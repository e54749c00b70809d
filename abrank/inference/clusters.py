"""Tests of the mean difference for clustered queries (sessions, users), and weighted means."""

# Queries of one cluster are dependent, so clusters are the units that are resampled or flipped. The
# effective number of clusters is n**2 / sum m**2 for sizes m. The t test needs three effective
# clusters. The bootstrap needs seven: below, if one cluster has 40 to 60 % of the queries, it
# rejects 7 to 17 % of true hypotheses. With fewer, p is NaN and the interval unbounded. With fewer
# than 6 clusters the permutation test cannot reach .05. The plain t test, which ignores clusters,
# rejects 17 % of true hypotheses (`reports/calibration`).

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.bootstrap import MANY_QUERIES, invert_t, on_grid, resampled_t
from abrank.inference.paired import N_FLIPS, ROUNDING, t_answer
from abrank.inference.registry import TestResult, as_alpha, as_differences
from abrank.inference.rounding import has_spread, round_off, to_lattice
from abrank.inference.sign_flips import flip_signs

CLUSTER_TESTS = ("t", "permutation", "bootstrap")
N_RESAMPLES = 9_999
# With many clusters, residuals are rounded to a grid with this number of steps per standard
# deviation. The added variance, at most 1/2400, is part of the error of each resample, too.
RESAMPLED_STEPS = 20.0
# Drawing the count of a (size, residual) pair costs as much as drawing this number of clusters.
MEMBERS_OF_A_PAIR = 4
# Minimum number of effective clusters for each test (``stratified``: all collections together), and
# the number of clusters from which all sign flips together can reach p = .05.
FEWEST_EFFECTIVE = {"t": 3.0, "permutation": 0.0, "bootstrap": 7.0, "stratified": 3.0}
FEWEST_TO_FLIP = 6


@record
class ClusterResult(TestResult):
    """The result of :func:`run_cluster_test`."""

    # `n_effective` is the effective number of clusters, n**2 / sum m**2; `freedom` is the degrees
    # of freedom of t. The other fields are those of :class:`~abrank.inference.TestResult`.

    _: KW_ONLY
    n_clusters: int
    n_effective: float
    freedom: float


def run_cluster_test(
    name: str,
    differences: npt.ArrayLike,
    clusters: Sequence[object] | IntArray,
    *,
    confidence: float | FloatArray = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
) -> ClusterResult:
    """Test the mean difference over clustered queries, two-sided."""
    # Hypothesis: the mean difference is 0 in the population that the clusters are a sample of; for
    # the permutation test: all differences of a cluster change sign together with probability 1/2.
    # With S_g the sum of a cluster's differences and m_g its size, the mean is sum S / n. Its
    # standard error is the root of sum (S_g - m_g mean)**2 / (1 - m_g / n) / n**2. This is the
    # cluster-robust error without bias for independent queries (CR2), which multiplies by the
    # inverse root of each block of I - H and has this closed form for a mean [1]; no library
    # provides it. The degrees of freedom match the first two moments of the squared error to a
    # scaled chi-square [1], [2]. With G - 1 degrees and without the factor 1 - m_g / n, t would
    # reject 29 to 47 % of true hypotheses if one of 5 to 20 clusters has most queries. The
    # permutation interval contains the shifts theta for which S_g - m_g theta is not rejected. Its
    # limits are order statistics of means over sets of clusters for up to 16 clusters; for more
    # they are roots of the p from the characteristic function, to 1e-4 of the standard error. The
    # bootstrap resamples clusters; it is the symmetric bootstrap-t with the error of each resample
    # [3]. Above 10,000 clusters with many different sums, these are first rounded to a grid of a
    # twentieth of the standard deviation. If every cluster has one query, t and permutation equal
    # the plain tests.
    # Source: [1] Bell & McCaffrey (2002), Survey Methodology 28, 169-181; Pustejovsky & Tipton
    # (2018), Journal of Business & Economic Statistics 36, 672-683. [2] Imbens & Kolesar (2016),
    # Review of Economics and Statistics 98, 701-712. [3] Cameron, Gelbach & Miller (2008), Review
    # of Economics and Statistics 90, 414-427.
    checks.one_of("cluster test", name, CLUSTER_TESTS)
    data = round_off(as_differences(differences))
    if len(clusters) != len(data):
        raise ArgumentError(f"{len(clusters)} clusters do not fit {len(data)} differences")
    checks.count("seed", seed, at_least=0)
    if n_resamples is not None:
        checks.resamples(n_resamples)
    index = numbered(clusters)[1]
    sizes = np.bincount(index)
    rows = np.full((5, data.shape[1]), np.nan)
    n_drawn = (n_resamples or N_RESAMPLES) if name == "bootstrap" else 0
    for column, alpha in enumerate(as_alpha(confidence, data.shape[1]).tolist()):
        if len(sizes):
            sums = np.bincount(index, data[:, column]).astype(np.float64)
            rows[:, column], n_flips = _answer(name, sums, sizes, alpha, seed, n_resamples)
            n_drawn = max(n_drawn, n_flips)
    result = TestResult.of_mean(
        rows, test=name, confidence=confidence, n_queries=len(data), n_resamples=n_drawn,
        method="Monte Carlo" if n_drawn else "closed form" if name == "t" else "exact",
    )  # fmt: skip
    effective, freedom = effective_clusters(sizes), freedom_of_clusters(sizes)
    return ClusterResult(
        **vars(result), n_clusters=len(sizes), n_effective=effective, freedom=freedom
    )


def numbered(labels: Sequence[object] | IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct labels as sorted text, and the index of each label among them."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
        if labels.size and labels.min() >= 0 and labels.max() < 2 * labels.size:  # small codes
            occurs = np.bincount(labels) > 0
            names = np.flatnonzero(occurs)
            return tuple(map(str, names.tolist())), (np.cumsum(occurs) - 1)[labels]
        names, places = np.unique(labels, return_inverse=True)
        return tuple(map(str, names.tolist())), places
    texts = list(map(str, labels))
    ordered = sorted(set(texts))
    place = {text: i for i, text in enumerate(ordered)}
    return tuple(ordered), np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))


def cluster_sizes(labels: Sequence[object]) -> IntArray:
    """Return the number of queries of each cluster, sorted by cluster name."""
    return np.bincount(numbered(labels)[1])


def effective_clusters(sizes: npt.ArrayLike) -> float:
    """Return the effective number of clusters, n**2 / sum m**2; 0 without clusters."""
    m = np.asarray(sizes, dtype=np.float64)
    return float(m.sum() ** 2 / (m**2).sum()) if m.size else 0.0


def freedom_of_clusters(sizes: npt.ArrayLike, *, times: float = 1.0) -> float:
    """Return Bell and McCaffrey's degrees of freedom of a mean over clusters; 0 for one cluster."""
    m = np.asarray(sizes, dtype=np.float64)
    n = times * m.sum()
    if times * len(m) < 2.0 or m.max() >= n:
        return 0.0
    # The sum over g != h of the products is the squared sum minus the sum of squares.
    share = m**2 / (1.0 - m / n) / n
    crossed = (times * share.sum()) ** 2 - times * (share**2).sum()
    return float(n**2 / (times * (m**2).sum() + crossed))


def lasting_share(sums: FloatArray, sizes: IntArray, squares: float) -> float:
    """Return the share of the squared error that remains if these clusters get more queries."""
    # Source: Searle, Casella & McCulloch (1992), Variance Components, 3.6.
    n_clusters, n = len(sizes), float(sizes.sum())
    if n_clusters < 2 or n == n_clusters:
        return float("nan")
    within = max(0.0, squares - float((sums**2 / sizes).sum())) / (n - n_clusters)
    spread = float((sizes * (sums / sizes - sums.sum() / n) ** 2).sum()) / (n_clusters - 1.0)
    a_cluster = (n - float((sizes**2).sum()) / n) / (n_clusters - 1.0)
    between = max(0.0, spread - within) / a_cluster / effective_clusters(sizes)
    total = between + within / n
    return between / total if total > 0.0 else float("nan")


def deciding_test(name: str, sizes: npt.ArrayLike) -> str:
    """Return the deciding test: the requested one, or sign flips if there are too few clusters."""
    few = effective_clusters(sizes) < FEWEST_EFFECTIVE[name]
    return "permutation" if few and np.size(sizes) >= FEWEST_TO_FLIP else name


def _answer(
    name: str, sums: FloatArray, sizes: IntArray, alpha: float, seed: int, n_resamples: int | None
) -> tuple[tuple[float, ...], int]:
    largest = np.abs(sums).max(initial=0.0)
    total = float(round_off(sums.sum(keepdims=True), scale=largest)[0])
    mean = total / float(sizes.sum())
    if not sums.any():
        limits = (-np.inf, np.inf) if len(sums) == 1 else (0.0, 0.0)
        return (0.0, 0.0, 1.0, *limits), 0
    if name == "permutation":
        values, _, n_flips = flip_signs(
            *to_lattice(sums[:, None]), alpha=np.array([alpha]), alternative="two-sided",
            n_flips=n_resamples or N_FLIPS, seed=seed, weights=sizes,
        )  # fmt: skip
        return (mean, mean, *values[:, 0].tolist()), n_flips
    error = standard_error(sums, sizes, corrected=name == "t")
    if effective_clusters(sizes) < FEWEST_EFFECTIVE[name] or not np.isfinite(error):
        return (mean, np.nan, np.nan, -np.inf, np.inf), 0
    if name == "bootstrap":
        t_star = _t_star(sums - sizes * mean, sizes, seed, n_resamples or N_RESAMPLES)
        return (mean, mean / error, *invert_t(t_star, mean, error, alpha, "two-sided")), 0
    freedom = freedom_of_clusters(sizes)
    columns = t_answer(np.array([mean]), np.array([error]), freedom, np.array([alpha]))
    statistic, pvalue, low, high = (float(column[0]) for column in columns)
    return (mean, statistic, pvalue, low, high), 0


def standard_error(sums: FloatArray, sizes: IntArray, *, corrected: bool = True) -> float:
    """Return the cluster-robust standard error of the mean; NaN without variance."""
    n_clusters, n = len(sums), sizes.sum()
    largest = np.abs(sums).max(initial=0.0)
    residual = round_off(sums - sizes * (sums.sum() / n), scale=largest)
    if n_clusters < 2 or not residual.any():
        return float("nan")
    if corrected:
        return float(np.sqrt((residual**2 / (1.0 - sizes / n)).sum()) / n)
    return float(np.sqrt(n_clusters / (n_clusters - 1.0) * (residual**2).sum()) / n)


def _t_star(residual: FloatArray, sizes: IntArray, seed: int, n_draws: int) -> FloatArray:
    n_clusters = len(residual)
    shares: FloatArray | None = None
    (distinct, of_size), counts = np.unique(np.stack([residual, sizes]), axis=1, return_counts=True)
    # If there are few distinct pairs of size and residual, draw the count of each pair.
    if MEMBERS_OF_A_PAIR * len(counts) <= min(n_clusters, MANY_QUERIES):
        residual, sizes, shares = distinct, of_size, counts / n_clusters
    elif n_clusters > MANY_QUERIES:
        step = float(residual.std()) / RESAMPLED_STEPS
        cells = []
        for size in np.unique(sizes):
            is_of_size = of_size == size
            multiples, weights = on_grid(distinct[is_of_size], counts[is_of_size], step)
            cells.append(np.stack([multiples * step, np.full(len(weights), size), weights]))
        residual, sizes, shares = np.concatenate(cells, axis=1)
        shares /= n_clusters
    random = stream(seed, "clusters")
    return resampled_t(residual[:, None], sizes, n_clusters, n_draws, random, shares)[:, 0]


def effective_queries(weights: FloatArray) -> float:
    """Return Kish's effective sample size: equally weighted queries with the same information."""
    # Scaled first, because squares of very large or very small weights overflow or vanish.
    return effective_clusters(weights / weights.max(initial=0.0))


def weighted_result(
    differences: FloatArray,
    weights: FloatArray,
    *,
    confidence: float | FloatArray,
    clusters: Sequence[object] | None = None,
) -> TestResult:
    """Test the weighted mean of each column, two-sided; dependent queries by their clusters."""
    # With p the shares of the weights, P and S the sums of p and p**2 in a cluster, s the total sum
    # of p**2, and T the sum of p r in a cluster, where r are residuals about the weighted mean, the
    # squared error is the sum of T**2 / (1 - 2 P + s P**2 / S). It is robust to unequal variances
    # and to dependence within clusters, and unbiased if all differences are independent with equal
    # variance (CR2 with one factor per cluster). t has 1 / sum P**2 - 1 degrees of freedom, Kish's
    # effective number minus one. It rejects 5 to 6 % of true hypotheses; the HC1 error with n - 1
    # degrees rejects 6 to 11 % (`reports/calibration/weights.md`). At least three effective
    # clusters are required.
    # Source: Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics 36, 672-683;
    # Kish (1965), Survey Sampling, 11.7.
    data = as_differences(differences)
    n, columns = data.shape
    alpha = as_alpha(confidence, columns)
    share = weights / weights.sum()
    s = float((share**2).sum())
    index = np.arange(n) if clusters is None else numbered(clusters)[1]
    part, squares = (np.bincount(index, column).astype(np.float64) for column in (share, share**2))
    mean = share @ data
    largest = np.abs(data).max(axis=0, initial=0.0)
    mean[np.abs(mean) <= ROUNDING * largest] = 0.0
    has_enough = len(part) > 1 and (
        clusters is None or effective_queries(part) >= FEWEST_EFFECTIVE["t"]
    )
    scale = 1.0 / (1.0 - 2.0 * part + s * part**2 / squares) if has_enough else np.zeros(len(part))
    sums = share[:, None] * (data - mean)
    if clusters is not None:
        sums = np.stack([np.bincount(index, column, len(part)) for column in sums.T], axis=1)
    error = np.where(has_spread(data) & has_enough, np.sqrt(scale @ sums**2), np.nan)
    freedom = max(1.0 / float((part**2).sum()) - 1.0, 1e-3) if has_enough else 1.0
    rows = np.stack([mean, *t_answer(mean, error, freedom, alpha)])
    if n > 1:
        rows[1:, largest == 0.0] = np.array([[0.0], [1.0], [0.0], [0.0]])
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=n)
