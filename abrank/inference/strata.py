"""Segments of the queries, and one comparison over several collections.

The difference in each segment of the queries, and whether the segments differ:

==========================  ======================================================================
differences of a segment    what is said of it
==========================  ======================================================================
no query                    it is no segment; without any the total is NaN
one query                   as of all with fewer than ``min_queries``: count and mean; p, adjusted p
                            and both intervals NaN; no family member
two queries                 the same
all 0                       p 1, intervals [0, 0]; not judged in the test of interaction
one value, not 0            what the test says of it (for t: p NaN, interval unbounded); not judged
                            in the test of interaction
one query differs           as any other data
two values                  as any other data
not finite                  refused
==========================  ======================================================================

With fewer than two segments that can be judged there is no test of interaction: NaN.

Whether the means of several groups of queries differ by more than their errors:

=====================  ========================================================
groups                 answer
=====================  ========================================================
none, or one           NaN
of no or one query     left out
of one value           left out: it would weigh endlessly
all of one mean        statistic and q 0, p 1, i_squared 0
with a variance NaN    left out
=====================  ========================================================

One comparison over several collections:

=========================  ====================================================================
differences of a           what is said
collection
=========================  ====================================================================
no query                   it weighs nothing; every summary NaN where no collection has one
one query                  shown alone, and left out of ``fixed`` and ``random``; weighs by its
                           queries in ``stratified`` and ``equal``, whose p is then NaN, interval
                           unbounded
two queries                as any other data
all 0                      its variance is bounded by that of the others (``bounded``); where
                           all collections are 0 every summary is 0, p 1, interval [0, 0]
one value, not 0           its variance is bounded likewise; where no collection has spread there
                           is no ``fixed`` nor ``random``, and the others have p NaN
one query differs          as any other data
two values                 as any other data
not finite                 refused
=========================  ====================================================================

With one collection that can be judged ``fixed`` is its own and ``random`` NaN, as both are with
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.estimate import IntervalRow
from abrank.inference.clusters import cluster_sizes, deciding_test, weighted_result
from abrank.inference.designs import cluster_result
from abrank.inference.families import adjust
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of, t_answer
from abrank.inference.registry import as_alpha, as_column, run_test
from abrank.inference.rounding import has_spread, round_off
from abrank.inference.student import find_root, student_quantile


@record
class Heterogeneity:
    """Answers of :func:`heterogeneity`; NaN where fewer than two groups can be judged.

    ``statistic``, ``freedom`` (above, below) and ``pvalue`` are of Welch's test that all means are
    equal. ``q`` is Cochran's, with ``q_pvalue`` from chi-squared with ``n_groups - 1`` degrees of
    freedom, and ``i_squared`` the share of the spread of the means that is not error.
    """

    n_groups: int
    statistic: float
    freedom: tuple[float, float]
    pvalue: float
    q: float
    q_pvalue: float
    i_squared: float


def heterogeneity(counts: FloatArray, means: FloatArray, variances: FloatArray) -> Heterogeneity:
    """Test whether the groups have one mean, without taking their variances for equal.

    With w = n / s**2 both statistics rest on q = sum w (mean - weighted mean)**2. Welch's keeps its
    level with few queries a group; q takes the variances for known and rejects too often there.

    Source: Welch (1951), Biometrika 38, 330-336; Cochran (1954), Biometrics 10, 101-129; Higgins &
    Thompson (2002), Statistics in Medicine 21, 1539-1558.
    """
    from scipy.special import chdtrc, fdtrc

    judged = (counts >= 2) & (variances > 0.0)
    n, mean, weight = counts[judged], means[judged], counts[judged] / variances[judged]
    k = len(n)
    if k < 2:
        nothing = float("nan")
        return Heterogeneity(k, nothing, (nothing, nothing), nothing, nothing, nothing, nothing)
    q = float((weight * (mean - np.average(mean, weights=weight)) ** 2).sum())
    spread = float(((1.0 - weight / weight.sum()) ** 2 / (n - 1.0)).sum())
    statistic = q / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) / (k**2 - 1.0) * spread)
    below = (k**2 - 1.0) / (3.0 * spread)
    return Heterogeneity(
        n_groups=k,
        statistic=statistic,
        freedom=(k - 1.0, below),
        pvalue=float(fdtrc(k - 1.0, below, statistic)),
        q=q,
        q_pvalue=float(chdtrc(k - 1.0, q)),
        i_squared=max(0.0, 1.0 - (k - 1.0) / q) if q > 0.0 else 0.0,
    )


# --- The difference in each segment of the queries, and whether the segments differ

MIN_QUERIES = 6


@record
class Segments:
    """Answers of :func:`compare_segments`: arrays of shape (n_segments,), sorted by label.

    ``mean`` is the mean difference. ``pvalue``, ``ci_low`` and ``ci_high`` are each segment's own;
    the names that end in ``_adj`` are adjusted for the number of segments. ``total`` is the mean
    over all queries. ``n_against`` counts the large enough segments whose mean has the other sign
    than the total, ``n_along`` those that have the same.
    """

    labels: tuple[str, ...]
    n_queries: IntArray
    mean: FloatArray
    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    pvalue_adj: FloatArray
    ci_low_adj: FloatArray
    ci_high_adj: FloatArray
    total: float
    interaction: Heterogeneity
    n_along: int
    n_against: int

    @property
    def reversal(self) -> bool:
        """Whether most segments point against the total (Simpson's reversal).

        The segments share out the queries, so the total is a weighted mean of theirs and all of
        them cannot point against it; but one large segment can outweigh the others.
        """
        return self.n_against > self.n_along


def compare_segments(
    differences: npt.ArrayLike,
    labels: Sequence[str],
    *,
    test: str = "t",
    confidence: float = 0.95,
    min_queries: int = MIN_QUERIES,
    seed: int = 0,
    n_resamples: int | None = None,
    tested: bool = True,
) -> Segments:
    """Test the difference in each segment of the queries, and whether the segments differ.

    Estimand: the mean difference in each segment (or what else ``test`` estimates). Hypotheses: it
    is 0 in a segment; it is one and the same in all. The query pairs the scores. That one segment
    shows a difference and another does not is no sign that they differ: the interaction is.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline.
    labels : sequence of str of length n_queries
        The segment of each query.
    test : str
        A name in ``TESTS``.
    confidence : float
        Of each interval alone; and of the adjusted ones where no segment has a difference.
    min_queries : int
        Segments of fewer queries are counted only.
    seed, n_resamples
        As for :func:`run_test`.
    tested : bool
        False where the segments are tested elsewhere, as among those of other properties: p-values
        and limits are NaN then.

    Returns
    -------
    Segments
        Holm's adjustment of p-values that, with ``test="t"``, are adjusted for skewness, too [2]_:
        of few skewed differences t alone finds too much. The interval of a segment has the level at
        which Holm's procedure tested it, alpha p / p_adj, so that it excludes 0 exactly when the
        adjusted p < alpha. These intervals hold together less often where some segments do have a
        difference: all three of three in 93 % where one has (``reports/calibration``).

    Raises
    ------
    ArgumentError
        If a difference is not finite, the labels are not as many, or an argument is out of range.

    References
    ----------
    .. [1] Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    .. [2] Hall (1992), Journal of the Royal Statistical Society B 54, 221-228.

    Examples
    --------
    >>> d = [0.1, 0.2, 0.15, 0.3, 0.1, 0.2, -0.2, 0.0, -0.1, -0.3, 0.1, -0.2, 0.5]
    >>> found = compare_segments(d, ["head"] * 6 + ["tail"] * 6 + ["new"])
    >>> found.labels, found.n_queries
    (('head', 'new', 'tail'), array([6, 1, 6]))
    >>> found.pvalue_adj.round(3), round(found.interaction.pvalue, 3)
    (array([0.005,   nan, 0.17 ]), 0.003)
    """
    values = as_column(differences, "segments are of")
    if len(labels) != len(values):
        raise ArgumentError(f"{len(labels)} labels do not fit {len(values)} differences")
    checks.count("min_queries", min_queries)
    alpha = float(as_alpha(confidence, 1)[0])
    names, rows = rows_by_label(labels)
    parts = [values[each] for each in rows]
    counts = np.array([len(part) for part in parts], dtype=np.int64)
    means = np.array([part.mean() for part in parts], dtype=np.float64)
    large = counts >= min_queries
    answers = np.full((6, len(names)), np.nan)
    if tested:
        asked = {"name": test, "seed": seed, "n_resamples": n_resamples}
        every = [part[:, None] for part in parts]
        answers = answer_by_segment(every, large, alpha, asked, skewed=True)[..., 0]
    pvalue, low, high, adjusted, low_adj, high_adj = answers
    total = float(values.mean()) if values.size else float("nan")
    largest = np.abs(values).max(initial=0.0)
    agreement = np.sign(round_off(means[large], scale=largest))
    agreement *= np.sign(round_off(np.array([total]), scale=largest))
    # Differences of one value have no variance.
    variances = np.array([
        part.var(ddof=1) if many and has_spread(part) else 0.0
        for part, many in zip(parts, large, strict=True)
    ])  # fmt: skip
    return Segments(
        labels=names,
        n_queries=counts,
        mean=means,
        pvalue=pvalue,
        ci_low=low,
        ci_high=high,
        pvalue_adj=adjusted,
        ci_low_adj=low_adj,
        ci_high_adj=high_adj,
        total=total,
        interaction=heterogeneity(counts.astype(np.float64), means, variances),
        n_along=int((agreement > 0).sum()),
        n_against=int((agreement < 0).sum()),
    )


def rows_by_label(labels: Sequence[str]) -> tuple[tuple[str, ...], list[IntArray]]:
    """Return the labels in order, and the rows that have each."""
    names, place = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place, minlength=len(names)))
    return tuple(names.tolist()), np.split(order, ends[:-1]) if len(names) else []


def answer_by_segment(
    parts: Sequence[FloatArray],
    large: BoolArray,
    alpha: float,
    asked: dict[str, Any],
    clusters: Sequence[Sequence[str]] | None = None,
    weights: Sequence[FloatArray] | None = None,
    *,
    skewed: bool = False,
) -> FloatArray:
    """Return what :func:`compare_segments` says of each segment, many samples at once.

    With ``skewed`` what t finds is adjusted for skewness, too: segments are small, and Holm's
    procedure looks far into the tails. It is left to the deciding test of a collection.
    """
    columns = parts[0].shape[1] if parts else 1
    levels = np.full((len(parts), columns), 1.0 - alpha)
    alone = _answers(parts, large, levels, asked, clusters, weights)
    skewed = skewed and asked["name"] == "t" and clusters is None and weights is None
    pvalue = _skewed_answers(parts, large, levels)[0] if skewed else alone[0]
    adjusted, levels = holm_levels(pvalue, alpha)
    wide = (
        _skewed_answers(parts, large, levels)
        if skewed
        else _answers(parts, large, levels, asked, clusters, weights)
    )
    return np.concatenate([alone, adjusted[None], wide[1:]])


def holm_levels(pvalue: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return p-values adjusted by Holm, one sample a column, and the levels of their intervals.

    Those are 1 less the share of alpha at which Holm's procedure tested each; a p of 0 is tested at
    Bonferroni's level.
    """
    adjusted = np.stack([adjust(column, "holm") for column in pvalue.T], axis=1)
    known = np.isfinite(adjusted)
    share: FloatArray = np.ones(pvalue.shape) / np.maximum(1, known.sum(axis=0))
    np.divide(pvalue, adjusted, out=share, where=known & (adjusted > 0.0))
    return adjusted, 1.0 - alpha * share


def _skewed_answers(
    parts: Sequence[FloatArray], large: BoolArray, levels: FloatArray
) -> FloatArray:
    found = np.full((3, *levels.shape), np.nan)
    for i in np.flatnonzero(large).tolist():
        d, alpha = parts[i], as_alpha(levels[i], levels.shape[1])
        found[:, i] = skewed_t(*mean_and_error(d), skewness_of(d), len(d), alpha)
        found[:, i, ~d.any(axis=0)] = np.array([[1.0], [0.0], [0.0]])
    return found


def _answers(
    parts: Sequence[FloatArray],
    large: BoolArray,
    levels: FloatArray,
    asked: dict[str, Any],
    clusters: Sequence[Sequence[str]] | None,
    weights: Sequence[FloatArray] | None,
) -> FloatArray:
    """Return p-values and limits of large segments at their own levels, one a sample."""
    found = np.full((3, *levels.shape), np.nan)
    for i in np.flatnonzero(large).tolist():
        if weights is not None:
            one = weighted_result(
                parts[i], weights[i], confidence=levels[i], clusters=clusters and clusters[i]
            )
        elif clusters is None:
            one = run_test(differences=parts[i], confidence=levels[i], **asked)
        else:
            name = deciding_test(asked["name"], cluster_sizes(clusters[i]))
            one = cluster_result(
                differences=parts[i], clusters=clusters[i], confidence=levels[i],
                **asked | {"name": name},
            )  # fmt: skip
        found[:, i] = one.pvalue, one.ci_low, one.ci_high
    return found


@record
class Summary(IntervalRow):
    """A mean difference over collections, its standard error, interval and p-value.

    The interval excludes 0 exactly when p < alpha.
    """

    estimate: float
    error: float
    ci_low: float
    ci_high: float
    pvalue: float


@record
class MetaAnalysis:
    """Answers of :func:`pool_collections`; arrays of shape (n_collections,) in the order given."""

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


def pool_collections(
    differences: Sequence[npt.ArrayLike], *, confidence: float = 0.95
) -> MetaAnalysis:
    """Summarise the mean difference over several collections of queries.

    Estimand and hypothesis: the mean difference, and that it is 0, over all queries of these
    collections (``stratified``), over the collections (``equal``), as one effect common to all
    (``fixed``), or in the population of collections (``random``). The query pairs the scores;
    collections share no query.

    Parameters
    ----------
    differences : sequence of array_like of shape (n_queries,)
        Candidate minus baseline, an array a collection.
    confidence : float

    Returns
    -------
    MetaAnalysis

    Raises
    ------
    ArgumentError
        If a difference is not finite, an array is not one column, or the level not in (0, 1).

    Notes
    -----
    ``stratified`` and ``equal`` have Satterthwaite's degrees of freedom. ``fixed`` weighs by 1 /
    error**2 and takes the errors for known, which asks for a hundred queries each. ``random``
    weighs by 1 / (error**2 + tau**2), tau such that the weighted squares about the mean are k - 1
    [1]_, and uses t with k - 1 degrees of freedom. That is the interval of Hartung, Knapp, Sidik
    and Jonkman where tau > 0, whose factor is 1 by the choice of tau, and theirs with the factor
    kept from falling below 1 where tau = 0 [2]_.

    n queries of one value (all tied, say) do not say that no query has another: their share is at
    most 1 - alpha**(1 / n), at the level of the intervals [3]_. The summaries ``fixed`` and
    ``random`` take the variance of such a collection to be that share of the mean square of the
    differences other than 0 of the collections that vary. So it counts for more than one that
    varies, but not endlessly; leaving it out would leave out what speaks against a difference.

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

    A collection of ties counts:

    >>> found = pool_collections([[0.1, 0.3, 0.2], [0.0, 0.2, 0.1, 0.3], [0.0] * 20])
    >>> found.bounded, found.weight_random.round(2), round(found.random.estimate, 3)
    (array([False, False,  True]), array([0.31, 0.29, 0.4 ]), 0.105)
    """
    alpha = float(as_alpha(confidence, 1)[0])
    parts = [as_column(each, "a collection is") for each in differences]
    n = np.array([len(part) for part in parts], dtype=np.int64)
    mean = np.array([part.mean() if len(part) else np.nan for part in parts])
    spread = np.array([bool(has_spread(part)) for part in parts], dtype=np.bool_)
    variance = np.array([
        part.var(ddof=1) if has else 0.0 for part, has in zip(parts, spread, strict=True)
    ])  # fmt: skip
    at_least_one = np.maximum(1, n)
    error = np.where(spread, np.sqrt(variance / at_least_one), np.nan)
    freedom = np.maximum(1.0, n - 1.0)
    _, _, ci_low, ci_high = t_answer(mean, error, freedom, np.full_like(mean, alpha))
    nothing_moved = bool(n.sum()) and not any(part.any() for part in parts)
    # How large the variance may be where all queries are of one value: of n queries none differs,
    # so of all a share of 1 - alpha**(1 / n) may. One that does is taken to differ as those of the
    # collections that vary.
    bounded = (n > 1) & ~spread & spread.any()
    varied = [part[part != 0.0] for part, has in zip(parts, spread, strict=True) if has]
    square = float(np.mean(np.concatenate(varied) ** 2)) if varied else 0.0
    bound = square * (1.0 - alpha ** (1.0 / at_least_one)) / at_least_one
    squared = np.where(bounded, bound, error**2)
    judged = spread | bounded
    tau_squared = _paule_mandel(mean[judged], squared[judged])
    by_precision = _weights(judged, squared)
    by_both = _weights(judged, squared + tau_squared)
    k = int(judged.sum())
    if nothing_moved:
        stratified = equal = fixed = random = Summary(0.0, 0.0, 0.0, 0.0, 1.0)
    else:
        stratified = _within(n, n, mean, variance, alpha)
        equal = _within((n > 0).astype(np.int64), n, mean, variance, alpha)
        fixed = _weighted(mean, squared, by_precision, alpha, freedom=np.inf)
        random = _weighted(mean, squared + tau_squared, by_both, alpha, freedom=k - 1)
    # The limits for the effect in a collection to come.
    low, high = (0.0, 0.0) if random.error == 0.0 else (-np.inf, np.inf)
    if random.error != 0.0 and k >= 3:
        half = -student_quantile(k - 2, alpha / 2.0) * np.sqrt(tau_squared + random.error**2)
        low, high = random.estimate - float(half), random.estimate + float(half)
    return MetaAnalysis(
        n_queries=n,
        mean=mean,
        error=error,
        ci_low=ci_low,
        ci_high=ci_high,
        weight_fixed=by_precision,
        weight_random=by_both,
        bounded=bounded,
        stratified=stratified,
        equal=equal,
        fixed=fixed,
        random=random,
        tau=float(np.sqrt(tau_squared)),
        prediction_low=low,
        prediction_high=high,
        heterogeneity=heterogeneity(n.astype(np.float64), mean, variance),
    )


def _paule_mandel(mean: FloatArray, variance: FloatArray) -> float:
    """Return the variance between collections that leaves k - 1 weighted squares; at least 0."""
    k = len(mean)

    def excess(tau_squared: float) -> float:
        weight = 1.0 / (variance + tau_squared)
        return float((weight * (mean - np.average(mean, weights=weight)) ** 2).sum()) - (k - 1)

    if k < 2 or excess(0.0) <= 0.0:
        return 0.0
    # With errors of 0 the squares would be k - 1 at the plain variance; errors only lower them.
    return float(find_root(excess, 0.0, float(mean.var(ddof=1)), rtol=1e-14))


def _weights(judged: BoolArray, variance: FloatArray) -> FloatArray:
    """Return shares in proportion to 1 / variance; 0 for collections that cannot be judged."""
    weight = np.zeros(len(judged))
    weight[judged] = 1.0 / variance[judged]
    return weight / weight.sum() if judged.any() else weight


def _weighted(
    mean: FloatArray, variance: FloatArray, weight: FloatArray, alpha: float, *, freedom: float
) -> Summary:
    """Return the weighted mean of the collections that have a weight."""
    used = weight > 0.0
    if not used.any():
        return _summary(np.nan, np.nan, alpha, freedom=1)
    estimate = float(mean[used] @ weight[used])
    error = float(1.0 / np.sqrt((1.0 / variance[used]).sum()))
    if freedom < 1:
        estimate = error = np.nan
    return _summary(estimate, error, alpha, freedom=freedom)


def _within(
    weight: IntArray, n: IntArray, mean: FloatArray, variance: FloatArray, alpha: float
) -> Summary:
    """Return a weighted mean of these collections, its error from within them."""
    there = n > 0
    if not there.any():
        return _summary(np.nan, np.nan, alpha, freedom=1)
    share = weight[there] / weight.sum()
    estimate = float(share @ mean[there])
    parts = share**2 * variance[there] / n[there]
    if (n == 1).any() or not parts.any():
        return _summary(estimate, np.nan, alpha, freedom=1)
    freedom = parts.sum() ** 2 / (parts**2 / np.maximum(n[there] - 1, 1)).sum()
    return _summary(estimate, float(np.sqrt(parts.sum())), alpha, freedom=float(freedom))


def _summary(estimate: float, error: float, alpha: float, *, freedom: float) -> Summary:
    """Return estimate, p-value and interval by t, or by the normal law if freedom is infinite."""
    one, its_error, level = np.array([estimate]), np.array([error]), np.array([alpha])
    _, pvalue, low, high = t_answer(one, its_error, freedom, level)
    return Summary(estimate, error, float(low[0]), float(high[0]), float(pvalue[0]))
