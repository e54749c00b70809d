"""Summaries of one comparison over several collections of queries."""

# A collection with a single query (or cluster) is left out of `fixed` and `random`; if such a
# collection has weight, `stratified` and `equal` have p NaN and no bounds. `fixed` and `random` are
# NaN if no collection has variance, `random` also with a single usable collection. If all
# differences are 0, every summary is 0 with p 1.

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.estimate import IntervalRow
from abrank.inference.clusters import cluster_sizes, freedom_of_clusters, numbered, standard_error
from abrank.inference.paired import satterthwaite, skewed_t, t_answer
from abrank.inference.registry import as_alpha, as_column
from abrank.inference.rounding import has_spread
from abrank.inference.segments import Heterogeneity, answer_by_holm, heterogeneity
from abrank.inference.student import find_root, student_quantile


@record
class Summary(IntervalRow):
    """A mean difference over collections with standard error, interval and p-value.

    The interval excludes 0 exactly if p < alpha.
    """

    estimate: float
    error: float
    ci_low: float
    ci_high: float
    pvalue: float


@record
class MetaAnalysis:
    """The results of :func:`pool_collections`; arrays of shape (n_collections,) in input order.

    ``freedom`` is Satterthwaite's degrees of freedom of ``stratified``.
    """

    n_queries: IntArray
    mean: FloatArray
    error: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    weight_fixed: FloatArray
    weight_random: FloatArray
    bounded: BoolArray
    stratified: Summary
    equal: Summary
    fixed: Summary
    random: Summary
    tau: float
    prediction_low: float
    prediction_high: float
    heterogeneity: Heterogeneity
    freedom: float


class Moments(NamedTuple):
    """A collection: variance of one query, its degrees of freedom, and what is independent."""

    variance: float
    freedom: float
    n_units: int

    @classmethod
    def of(cls, values: FloatArray, clusters: Sequence[object] | None) -> Moments:
        """Compute the moments; the variance is per independent query, from the actual error."""
        n = len(values)
        if clusters is None:
            return cls(float(values.var(ddof=1)) if has_spread(values) else 0.0, max(1.0, n - 1), n)
        place, sizes = numbered(clusters)[1], cluster_sizes(clusters)
        sums = np.bincount(place, values, len(sizes)).astype(np.float64)
        error = standard_error(sums, sizes) if n else np.nan
        freedom = max(1.0, freedom_of_clusters(sizes))
        return cls(error**2 * n if error > 0.0 else 0.0, freedom, len(sizes))


def pool_collections(
    differences: Sequence[npt.ArrayLike],
    *,
    confidence: float = 0.95,
    clusters: Sequence[Sequence[object] | None] | None = None,
) -> MetaAnalysis:
    """Summarise the mean difference over several collections of queries.

    Estimand and hypothesis: the mean difference, and that it is 0, over all queries of these
    collections (``stratified``), over the collections with equal weight (``equal``), as one effect
    common to all (``fixed``), or in the population of collections (``random``). The query pairs the
    scores; collections share no query.

    Parameters
    ----------
    differences : sequence of array_like of shape (n_queries,)
        Candidate minus baseline, one array per collection.
    clusters : sequence of (sequence of length n_queries, or None), optional
        The cluster of each query, for each collection; None if its queries are independent.
        Collections share no cluster.

    Notes
    -----
    ``stratified`` and ``equal`` use Satterthwaite's degrees of freedom. With clusters, the error of
    a collection and its degrees of freedom are those of :func:`run_cluster_test` (CR2).

    ``fixed`` weights by 1 / error**2 and treats the errors as known, which needs about a hundred
    queries per collection. ``random`` weights by 1 / (error**2 + tau**2), with tau such that the
    weighted sum of squares about the mean is k - 1 [1]_, and uses t with k - 1 degrees of freedom.
    If tau > 0 this is the Hartung-Knapp-Sidik-Jonkman interval (its factor is then 1); if tau = 0,
    it is that interval with the factor kept at 1 or above [2]_.

    If all n queries of a collection have the same value, other queries may still differ: their
    share is at most 1 - alpha**(1 / n), at the level of the intervals [3]_. ``fixed`` and
    ``random`` assume for such a collection this share of the mean square of the nonzero differences
    in the other collections. It then has more weight than a collection with variance, but not
    unlimited weight. Leaving it out would ignore evidence against a difference.

    References
    ----------
    .. [1] Paule & Mandel (1982), Journal of Research of the National Bureau of Standards 87,
       377-385.
    .. [2] Hartung & Knapp (2001), Statistics in Medicine 20, 3875-3889; Röver, Knapp & Friede
       (2015), BMC Medical Research Methodology 15, 99; prediction: Higgins, Thompson &
       Spiegelhalter (2009), Journal of the Royal Statistical Society A 172, 137-159.
    .. [3] Louis (1981), The American Statistician 35, 154: after observing no successes; Clopper &
       Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> found = pool_collections([[0.1, 0.3, 0.2], [0.0, 0.2, 0.1, 0.3], [0.4, 0.1, 0.2]])
    >>> round(found.stratified.estimate, 3), round(found.random.estimate, 3), found.tau
    (0.19, 0.188, 0.0)
    """
    alpha = float(as_alpha(confidence, 1)[0])
    parts = [as_column(difference, "a collection is") for difference in differences]
    n = np.array([len(part) for part in parts], dtype=np.int64)
    mean = np.array([part.mean() if len(part) else np.nan for part in parts])
    labels = [None] * len(parts) if clusters is None else list(clusters)
    moments = [Moments.of(part, label) for part, label in zip(parts, labels, strict=True)]
    variance, freedom, n_units = np.array(moments, dtype=np.float64).reshape(-1, 3).T
    spread = variance > 0.0
    error = np.where(spread, np.sqrt(variance / np.maximum(1, n)), np.nan)
    _, _, ci_low, ci_high = t_answer(mean, error, freedom, np.full_like(mean, alpha))
    # The largest plausible variance if all n queries have the same value: a share of 1 - alpha**(1
    # / n) of all queries may differ. Those are assumed to differ as in the collections with
    # variance.
    bounded = (n_units > 1) & ~spread & spread.any()
    varied = [part[part != 0.0] for part, has in zip(parts, spread, strict=True) if has]
    square = float(np.mean(np.concatenate(varied) ** 2)) if varied else 0.0
    units = np.maximum(1, n_units)
    squared = np.where(bounded, square * (1.0 - alpha ** (1.0 / units)) / units, error**2)
    judged = spread | bounded
    tau_squared = _paule_mandel(mean[judged], squared[judged])
    k = int(judged.sum())
    by_precision, fixed = _by_variance(judged, mean, squared, alpha, freedom=np.inf)
    by_both, random = _by_variance(judged, mean, squared + tau_squared, alpha, freedom=k - 1)
    stratified, pooled = _within(n, n, mean, moments, alpha)
    equal, _ = _within((n > 0).astype(np.int64), n, mean, moments, alpha)
    if n.sum() and not any(part.any() for part in parts):
        stratified = equal = fixed = random = Summary(0.0, 0.0, 0.0, 0.0, 1.0)
        pooled = np.nan
    # Prediction limits for the effect in a new collection.
    low, high = (0.0, 0.0) if random.error == 0.0 else (-np.inf, np.inf)
    if random.error != 0.0 and k >= 3:
        half = -student_quantile(k - 2, alpha / 2.0) * np.sqrt(tau_squared + random.error**2)
        low, high = random.estimate - float(half), random.estimate + float(half)
    tau = float(np.sqrt(tau_squared))
    differ = heterogeneity(n.astype(np.float64), mean, variance, freedom)
    return MetaAnalysis(
        n, mean, error, ci_low, ci_high, by_precision, by_both, bounded,
        stratified, equal, fixed, random, tau, low, high, differ, pooled,
    )  # fmt: skip


def _paule_mandel(mean: FloatArray, variance: FloatArray) -> float:
    """Return the variance between collections with k - 1 weighted squares; at least 0."""
    # Like `statsmodels` ``combine_effects`` with ``method_re="iterated"``, which stops 1e-5 from
    # it.
    k = len(mean)

    def excess(tau_squared: float) -> float:
        weight = 1.0 / (variance + tau_squared)
        return float((weight * (mean - np.average(mean, weights=weight)) ** 2).sum()) - (k - 1)

    if k < 2 or excess(0.0) <= 0.0:
        return 0.0
    # Upper end: without errors, the plain variance gives k - 1 squares; errors only reduce them.
    return float(find_root(excess, 0.0, float(mean.var(ddof=1)), rtol=1e-14))


def _by_variance(
    judged: BoolArray, mean: FloatArray, variance: FloatArray, alpha: float, *, freedom: float
) -> tuple[FloatArray, Summary]:
    """Return weights proportional to 1 / variance (0 if unusable), and the weighted mean."""
    weight = np.divide(1.0, variance, out=np.zeros(len(judged)), where=judged)
    total = float(weight.sum())
    if not total:
        return weight, _summary(np.nan, np.nan, alpha, freedom=1)
    estimate = float(mean[judged] @ (weight / total)[judged])
    error = 1.0 / total**0.5 if freedom >= 1 else np.nan
    answer = _summary(estimate if freedom >= 1 else np.nan, error, alpha, freedom=max(freedom, 1))
    return weight / total, answer


def _within(
    weight: IntArray, n: IntArray, mean: FloatArray, moments: Sequence[Moments], alpha: float
) -> tuple[Summary, float]:
    """Return a weighted mean of collections with its within-collection error and freedom."""
    with_queries = np.flatnonzero(n)
    if not with_queries.size:
        return _summary(np.nan, np.nan, alpha, freedom=1), np.nan
    share = weight[with_queries] / weight.sum()
    estimate = float(share @ mean[with_queries])
    error, freedom = _error_within(
        share, n[with_queries], [moments[i] for i in with_queries.tolist()]
    )
    return _summary(estimate, error, alpha, freedom=freedom), freedom


def _error_within(
    share: FloatArray, n: IntArray, moments: Sequence[Moments]
) -> tuple[float, float]:
    variance, freedom = np.array([moment[:2] for moment in moments]).T
    if any(moment.n_units == 1 for moment in moments):
        return np.nan, 1.0
    error, freedom = satterthwaite(share**2 * variance / n, freedom)
    return float(error), float(freedom)


def _summary(estimate: float, error: float, alpha: float, *, freedom: float) -> Summary:
    values, its_error, level = np.array([estimate]), np.array([error]), np.array([alpha])
    _, pvalue, low, high = t_answer(values, its_error, freedom, level)
    return Summary(estimate, error, float(low[0]), float(high[0]), float(pvalue[0]))


# --- Segments of the queries of several collections


class Segmented(NamedTuple):
    """The results of :func:`segments_within`, one per segment."""

    # `answers`, float64[6, n_segments]: p-value and limits, plain and adjusted. `variance` is per
    # independent query, derived from the error of the mean.

    answers: FloatArray
    variance: FloatArray
    freedom: FloatArray


def segments_within(
    parts: Sequence[FloatArray],
    strata: Sequence[Sequence[str]],
    large: BoolArray,
    alpha: float,
    clusters: Sequence[Sequence[str]] | None = None,
) -> Segmented:
    """Test the mean difference in segments whose queries are sampled within collections."""
    # The error is computed within collections, like that of `stratified`. p-values are adjusted by
    # Holm and, for independent queries, for skewness, as by :func:`answer_by_segment`. Collections
    # with a single query (or cluster) in a segment have unknown variance. They are merged with each
    # other; if there is only one, with the smallest other collection [1].
    # Source: [1] Collapsed strata: Cochran (1977), Sampling Techniques, section 5A.12.
    values = np.full((4, len(parts)), np.nan)
    for i in np.flatnonzero(large).tolist():
        values[:, i] = _within_segment(
            parts[i], strata[i], None if clusters is None else clusters[i]
        )
    mean, error, freedom, skewness = values
    is_zero = np.array(
        [large[i] and not part.any() for i, part in enumerate(parts)], dtype=np.bool_
    )

    def ask(levels: FloatArray, skewness: FloatArray = skewness) -> FloatArray:
        moments = mean, error, skewness, freedom + 1.0, 1.0 - levels[:, 0]
        answers = np.full((3, *levels.shape), np.nan)
        answers[:, large, 0] = skewed_t(*(moment[large] for moment in moments))
        answers[:, is_zero, 0] = np.array([[1.0], [0.0], [0.0]])
        return answers

    unadjusted = ask(np.full((len(parts), 1), 1.0 - alpha), np.zeros(len(parts)))
    sizes = np.array([len(part) for part in parts])
    return Segmented(answer_by_holm(unadjusted, ask, alpha)[..., 0], error**2 * sizes, freedom)


def _within_segment(
    values: FloatArray, strata: Sequence[str], clusters: Sequence[str] | None
) -> tuple[float, float, float, float]:
    """Return mean, standard error, degrees of freedom, and the skewness to correct t for."""
    place = numbered(strata)[1]
    # Clusters of different collections differ even if they have the same name.
    units = [f"{i}/{unit}" for i, unit in zip(place, clusters or range(len(values)), strict=True)]
    n_units = np.bincount(place[np.unique(units, return_index=True)[1]])
    single_unit = np.flatnonzero(n_units == 1)
    if single_unit.size == 1 and len(n_units) > 1:
        size_of_others = np.where(n_units == 1, len(units) + 1, n_units)
        single_unit = np.array([single_unit[0], np.argmin(size_of_others)])
    if single_unit.size > 1:
        place[np.isin(place, single_unit)] = single_unit[0]
    rows = [np.flatnonzero(place == stratum) for stratum in np.unique(place)]
    n = np.array([len(row) for row in rows])
    share = n / n.sum()
    moments = [
        Moments.of(values[row], None if clusters is None else [units[i] for i in row])
        for row in rows
    ]
    error, freedom = _error_within(share, n, moments)
    if clusters is not None or not error > 0.0:
        return float(values.mean()), error, freedom, 0.0
    centred = [values[row] - values[row].mean() for row in rows]
    squares, cubes = (np.array([np.mean(item**k) for item in centred]) for k in (2, 3))
    third, second = (share**3 * cubes / n**2).sum(), (share**2 * squares / n).sum()
    skewness = float(third / second**1.5 * np.sqrt(freedom + 1.0))
    return float(values.mean()), error, freedom, skewness
