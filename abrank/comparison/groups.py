"""Groups of queries: clusters and weights that the design uses, and segments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import Any, SupportsFloat

import numpy as np

from abrank import inference
from abrank._support import display
from abrank._support.errors import AlignmentError
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.diagnostics import Note, bounds, inspect_clusters
from abrank.estimate import AdjustedRow, Interval
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    deciding_test,
    effective_clusters,
    effective_queries,
    freedom_of_clusters,
    lasting_share,
    standard_error,
)
from abrank.inference.rounding import has_spread
from abrank.inference.segments import (
    MIN_QUERIES,
    Segments,
    SegmentTest,
    answer_by_segment,
    describe_segments,
    heterogeneity,
)
from abrank.inference.sequential import MIN_QUERIES_ANYTIME, best_rho_squared, mixture_half_width
from abrank.inference.student import student_quantile
from abrank.verdict import Rule


@record
class ClusterSummary:
    """The clusters of the compared queries."""

    # Name of the property, for example `conversation`.
    name: str
    # tuple of str, length n_queries.
    labels: tuple[str, ...] = field(repr=False)
    n_clusters: int
    # Number of queries in the largest cluster.
    largest: int
    # Cluster-robust standard error of the mean difference, divided by that of the same number of
    # independent queries; NaN if undefined.
    error_ratio: float
    # Effective number of clusters, n**2 / sum m**2 of their sizes m.
    n_effective: float = math.nan
    # Degrees of freedom of the cluster-robust t.
    freedom: float = math.nan
    # Share of the squared error that remains if the same clusters get more queries.
    lasting_share: float = math.nan
    # The deciding test if the requested one cannot handle so few clusters: `permutation`.
    test: str = ""

    def untestable(self, test: str) -> bool:
        """Whether there are too few clusters for the test and for sign flips in its place."""
        return not self.test and self.n_effective < FEWEST_EFFECTIVE[test]

    def notes(self, test: str) -> list[Note]:
        """Return the cautions on the number of clusters."""
        decides = self.test or test
        return inspect_clusters(self.n_clusters, self.n_effective, requested=test, decides=decides)


MOST_APART = 1e12  # ratio of weights above which the smaller one is lost in rounding


@record
class QueryWeights:
    """The weights of the queries."""

    # Name of the property, for example `traffic`.
    name: str
    # tuple of float, length n_queries.
    values: tuple[float, ...]
    # Number of equally weighted queries with the same information.
    n_effective: float
    # Share of the heaviest query.
    largest: float
    # Number of heaviest queries that have half of the total weight: the head. The others are the
    # tail.
    n_head: int
    # Weighted queries that are not compared, and their share of the total weight.
    n_others: int = 0
    of_others: float = 0.0

    @classmethod
    def of(cls, name: str, of_query: Mapping[str, Any], query_ids: Sequence[str]) -> QueryWeights:
        """Take the weights of the compared queries; missing and zero weights are refused."""
        values = np.array([_number(of_query.get(query)) for query in query_ids])
        bad = np.flatnonzero(~((values > 0.0) & (values < 1e300)))  # their sum must stay finite
        if bad.size:
            some = ", ".join(display.shorten(query_ids[i], width=40) for i in bad[:3])
            raise AlignmentError(
                f"weights by {name}: {display.plural(bad.size, 'query', 'queries')} of"
                f" {display.count(len(query_ids))} without a weight above 0 ({some}); give"
                " every query a weight, or leave it out of the scores"
            )
        if values.size and values.max() > MOST_APART * values.min():
            minimum, maximum = (query_ids[i] for i in (int(values.argmin()), int(values.argmax())))
            raise AlignmentError(
                f"weights by {name}: that of {display.shorten(maximum, width=40)},"
                f" {values.max():.3g}, is more than {MOST_APART:.0e} times that of"
                f" {display.shorten(minimum, width=40)}, {values.min():.3g}, which then counts"
                " nothing; give weights of one kind"
            )
        heaviest = np.sort(values)[::-1].cumsum() / values.sum() if values.size else values
        compared = set(query_ids)
        numbers = [_number(item) for query, item in of_query.items() if query not in compared]
        numbers = [item for item in numbers if 0.0 < item < 1e300]
        return cls(
            name, tuple(values.tolist()), effective_queries(values),
            float(values.max(initial=0.0) / values.sum()) if values.size else math.nan,
            int(np.searchsorted(heaviest, 0.5 - 1e-12)) + 1 if values.size else 0,
            len(numbers), sum(numbers) / (sum(numbers) + float(values.sum())) if numbers else 0.0,
        )  # fmt: skip

    def head_and_tail(self, query_ids: Sequence[str]) -> dict[str, str]:
        """Return "head" or "tail" for each query."""
        order = np.argsort(-np.array(self.values), kind="stable")
        head = set(order[: self.n_head].tolist())
        return {query: "head" if i in head else "tail" for i, query in enumerate(query_ids)}


def _number(value: object) -> float:
    try:
        return float(value) if isinstance(value, (str, SupportsFloat)) else math.nan
    except ValueError:
        return math.nan


def describe_clusters(
    name: str, labels: tuple[str, ...], index: IntArray, differences: FloatArray, test: str
) -> ClusterSummary:
    """Summarise the clusters and their effect on the standard error of the mean difference."""
    sizes = np.bincount(index)
    sums = np.asarray(np.bincount(index, differences, len(sizes)), dtype=np.float64)
    n, ratio = len(differences), math.nan
    if has_spread(differences):
        plain_error = float(np.std(differences, ddof=1)) / n**0.5
        ratio = standard_error(sums, sizes) / plain_error
    decides = deciding_test(test, sizes)
    return ClusterSummary(
        name,
        labels,
        len(sizes),
        int(sizes.max(initial=0)),
        ratio,
        effective_clusters(sizes),
        freedom_of_clusters(sizes) if len(sizes) else math.nan,
        lasting_share(sums, sizes, float(differences @ differences)),
        decides if decides != test else "",
    )


def error_inflation(rule: Rule, clusters: ClusterSummary | None, n_queries: int) -> float:
    """Return by which factor the design widens the interval of one look at independent queries."""
    if clusters is not None:
        return clusters.error_ratio if math.isfinite(clusters.error_ratio) else 1.0
    planned = rule.design.planned if rule.design is not None else 0
    if not planned or n_queries < MIN_QUERIES_ANYTIME:
        return 1.0
    rho = best_rho_squared(planned, rule.alpha)
    size, unit = np.array([float(n_queries)]), np.ones(1)
    half = float(mixture_half_width(size, unit, rho, rule.alpha)[0]) * n_queries**0.5
    return float(half / student_quantile(n_queries - 1, 1.0 - rule.alpha / 2.0))


UNNAMED = "(none)"


@record
class SegmentRow(AdjustedRow):
    """One segment: number of queries, mean difference, plain and adjusted interval."""

    # `reading` uses the adjusted interval: better, worse, unclear, or `too few`.

    label: str
    n_queries: int
    mean: float
    ci_low: float
    ci_high: float
    ci_low_adj: float
    ci_high_adj: float
    pvalue: float
    pvalue_adj: float
    reading: str


@record
class Segmentation:
    """The primary measure by a property of the queries; exploratory, not part of the verdict."""

    # Name of the property, for example `intent`.
    name: str
    # tuple of str, length n_queries: the segment of each query, in the order of `query_ids`.
    labels: tuple[str, ...] = field(repr=False)
    # Largest segment first.
    rows: tuple[SegmentRow, ...]
    # p-value of Welch's test that all segments have the same mean; NaN with fewer than two.
    interaction_pvalue: float
    # Whether most segments point against the overall difference (Simpson's reversal).
    reversal: bool
    # The same p-value adjusted over all properties; reports show this one.
    interaction_pvalue_adj: float


def segment(
    segments: Mapping[str, Mapping[str, str]],
    query_ids: Sequence[str],
    differences: FloatArray,
    rule: Rule,
    *,
    seed: int,
    clusters: Sequence[str] | None = None,
    weights: FloatArray | None = None,
    strata: Sequence[str] | None = None,
) -> tuple[Segmentation, ...]:
    """Compare the systems in every segment of every property, all adjusted together."""
    # `strata` is the collection of each query, if queries are resampled within collections.
    if not segments:
        return ()
    for name, of_query in segments.items():
        if set(of_query).isdisjoint(query_ids):
            raise AlignmentError(
                f"segments by {name}: none of their {len(of_query)} query ids was compared; they"
                f" begin with {', '.join(map(str, islice(of_query, 3)))}, those compared with"
                f" {', '.join(query_ids[:3])}"
            )
    labels = {
        name: tuple(str(source.get(query_id, UNNAMED)) for query_id in query_ids)
        for name, source in segments.items()
    }
    result = {name: describe_segments(differences, label) for name, label in labels.items()}
    answers, interactions = _adjusted(result, differences, rule, seed, clusters, weights, strata)
    # No difference exceeds the range of a measure. Scores outside this range use another scale.
    low, high = bounds(rule.primary)
    if not np.any(np.abs(differences) > high - low + 1e-9):
        limits = [1, 2, 4, 5]  # low and high, plain and adjusted
        answers[limits] = np.clip(answers[limits], low - high, high - low)
    rows = iter(answers.T.tolist())
    if clusters is not None or weights is not None:
        interactions = np.full(len(result), np.nan)
    together = inference.adjust(interactions, "holm")
    segmentations = []
    for place, (name, item) in enumerate(result.items()):
        means: Sequence[float] | FloatArray = item.mean
        if weights is not None:
            means = [np.average(differences[row], weights=weights[row]) for row in item.rows]
        sizes = zip(item.labels, item.n_queries.tolist(), map(float, means), strict=True)
        segmentations.append(
            Segmentation(
                name=name,
                labels=labels[name],
                rows=segment_rows(sizes, rule, rows),
                interaction_pvalue=float(interactions[place]),
                reversal=item.reversal,
                interaction_pvalue_adj=float(together[place]),
            )
        )
    return tuple(segmentations)


def _adjusted(
    result: Mapping[str, Segments],
    differences: FloatArray,
    rule: Rule,
    seed: int,
    clusters: Sequence[str] | None,
    weights: FloatArray | None,
    strata: Sequence[str] | None,
) -> tuple[FloatArray, FloatArray]:
    # They are followed by the interaction p-values, one per property.
    places = [row for item in result.values() for row in item.rows]
    large = np.array([len(place) >= MIN_QUERIES for place in places], dtype=bool)
    of_clusters = None if clusters is None else [[clusters[i] for i in place] for place in places]
    alpha = round(1.0 - rule.confidence, 12)
    if strata is not None:
        from abrank.inference.meta_analysis import segments_within

        of_strata = [[strata[i] for i in place] for place in places]
        within = segments_within(
            [differences[place] for place in places], of_strata, large, alpha, of_clusters
        )
        ends = np.cumsum([len(item.labels) for item in result.values()])[:-1]
        by_property = zip(
            result.values(), np.split(within.variance, ends), np.split(within.freedom, ends),
            strict=True,
        )  # fmt: skip
        return within.answers, np.array([
            heterogeneity(item.n_queries.astype(np.float64), item.mean, variance, freedom).pvalue
            for item, variance, freedom in by_property
        ])  # fmt: skip
    parts = [differences[place][:, None] for place in places]
    weighted = None if weights is None else [weights[place] for place in places]
    test = SegmentTest(rule.test, seed)
    answers = answer_by_segment(
        parts, large, alpha, test, of_clusters, weighted, skewed=weights is None
    )
    return answers[..., 0], np.array([item.interaction.pvalue for item in result.values()])


def segment_rows(
    sizes: Iterable[tuple[str, int, float]], rule: Rule, answers: Iterator[Sequence[float]]
) -> tuple[SegmentRow, ...]:
    """Return the rows of a property, the largest segment first."""
    rows = []
    for label, n_queries, mean in sizes:
        pvalue, low, high, pvalue_adj, low_adj, high_adj = next(answers)
        reading = Interval(low_adj, high_adj).read(
            higher=rule.higher_is_better, declared=rule.direction_declared
        )
        rows.append(
            SegmentRow(
                label=label,
                n_queries=n_queries,
                mean=mean,
                ci_low=low,
                ci_high=high,
                ci_low_adj=low_adj,
                ci_high_adj=high_adj,
                pvalue=pvalue,
                pvalue_adj=pvalue_adj,
                reading="too few" if np.isnan(low_adj) else reading,
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.n_queries, row.label)))
