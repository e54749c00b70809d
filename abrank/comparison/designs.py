"""Samples of queries that are not simply independent: clusters, looks, weights, collections."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inference
from abrank._support.checks import REASONS
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import OtherChoice, RunDetails
from abrank.comparison.groups import (
    ClusterSummary,
    QueryWeights,
    Segmentation,
    describe_clusters,
    segment,
)
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.result import Comparison
from abrank.comparison.rows import (
    MeasureResult,
    TestRow,
)
from abrank.comparison.sample import ALL, COMPANIONS, Columns, QuerySample, ScoredSample, Units
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    cluster_sizes,
    deciding_test,
    effective_clusters,
    effective_queries,
    numbered,
    run_cluster_test,
    weighted_result,
)
from abrank.inference.equivalence import RelativeChange, relative_change_by
from abrank.inference.registry import as_alpha
from abrank.inference.sequential import anytime_result
from abrank.inputs.topics import labels_of
from abrank.options import Question
from abrank.provenance import same_judgments
from abrank.rule import Reason
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.inference.meta_analysis import MetaAnalysis, Summary

# Titles of tests that take clusters, not queries, and of the one that holds at any time.
OF_CLUSTERS = {
    "t": "Cluster-robust t",
    "permutation": "Sign flips of clusters",
    "bootstrap": "Bootstrap of clusters",
}
SEQUENCE = "Confidence sequence"
IGNORING = "Paired t, clusters ignored"
# Notes on single queries, which clusters and looks at any time say nothing of.
_OF_QUERIES = frozenset({"few-signs", "one-query-decides", "skewness-decides"})
WITHOUT_WEIGHTS = "Paired t, weights ignored"


@record
class Clustered(QuerySample):
    """Queries that come in clusters: whole clusters are tested."""

    name: str = "clusters"
    of_query: Mapping[str, str] = field(default_factory=dict)
    _left_out = _OF_QUERIES
    _independent = False

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query."""
        return labels_of((self.name, self.of_query), self.scores.query_ids) or ()

    @cached_property
    def codes(self) -> IntArray:
        """The place of each query's cluster among all, in the order of their names."""
        return numbered(self.labels)[1]

    @cached_property
    def sizes(self) -> IntArray:
        """Queries of each cluster."""
        return np.bincount(self.codes)

    @property
    def n_units(self) -> int:
        return len(self.sizes)

    @property
    def few_clusters(self) -> bool:
        return effective_clusters(self.sizes) < FEWEST_EFFECTIVE[self.by]

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        return run_cluster_test(
            deciding_test(test, self.sizes), differences, self.codes,
            confidence=confidence, seed=self.seed, n_resamples=self.n_resamples,
        )  # fmt: skip

    def relative(self, column: int, alpha: float) -> RelativeChange:
        if self.few_clusters:
            raise ArgumentError(
                "fewer than three effective clusters have no t test, and a margin or guard in per"
                " cent no Fieller's interval; give it in the unit of the measure"
            )
        a, b = (scores[:, column] for scores in self.pair)
        return relative_change_by(partial(self._run, "t"), a, b, alpha=alpha)

    def units(self, column: int) -> Units:
        return super().units(column).by_cluster(self.labels)

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        differences = self.differences[:, lead]
        decides = deciding_test(self.by, self.sizes)
        rows = []
        for name, title in OF_CLUSTERS.items():
            result = run_cluster_test(
                name, differences, self.codes,
                confidence=rule.confidence, seed=self.seed, n_resamples=self.n_resamples,
            )  # fmt: skip
            rows.append(TestRow.of(result, title, decides=name == decides))
        plain = inference.run_test("t", differences, confidence=rule.confidence)
        return *rows, TestRow.of(plain, IGNORING, decides=False)

    def clusters(self, rule: Rule, lead: int) -> tuple[ClusterSummary | None, ClusterSizes] | None:
        if not self.n:
            return None
        clusters = describe_clusters(self.name, self.labels, self.differences[:, lead], self.by)
        return clusters, ClusterSizes(self.sizes, clusters.lasting_share)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return self._segmentations(rule, lead, self.labels)

    def _told(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.title != IGNORING)


@record
class Sequential(QuerySample):
    """Queries at which one may look at any time, tested by a confidence sequence."""

    planned: int = 0
    alpha: float = 0.05
    _left_out = _OF_QUERIES

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        if test == "bounded":  # which holds at any number of looks as it is
            return super()._run(test, differences, confidence)
        return anytime_result(
            differences, planned=self.planned, alpha=self.alpha, confidence=confidence
        )

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        differences = self.differences[:, lead]
        completed = self._run(self.by, differences, rule.confidence)
        first = TestRow.of(completed, SEQUENCE, decides=True)
        return (first, *self._run_later(COMPANIONS, differences, rule))

    def _told(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)


@record
class Weighted(Clustered):
    """Queries that count by their weights: the mean is the weighted one."""

    # They are independent where `name` is empty, and else come in its clusters.

    name: str = ""
    weighted_by: str = "weights"
    of_weight: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query; none of independent ones."""
        return super().labels if self.name else ()

    @property
    def n_units(self) -> int:
        """The clusters, or how many queries of one weight tell as much, rounded down."""
        return len(set(self.labels)) or int(self.weights.n_effective)

    @property
    def few_clusters(self) -> bool:
        return bool(self.labels) and effective_queries(self.parts) < FEWEST_EFFECTIVE["t"]

    @cached_property
    def parts(self) -> FloatArray:
        """The weight of each cluster, n in all."""
        count = np.bincount(self.codes, self.values)
        return np.asarray(count * (self.n / self.values.sum()))

    @cached_property
    def weights(self) -> QueryWeights:
        """The weights of the queries compared."""
        result = QueryWeights.of(self.weighted_by, self.of_weight, self.scores.query_ids)
        saved = None if self.saved is None else self.saved.weights
        if saved is None:
            return result
        return replace(result, n_others=saved.n_others, of_others=saved.of_others)

    @cached_property
    def values(self) -> FloatArray:
        """The weights: float64[n_queries]."""
        return np.array(self.weights.values)

    @cached_property
    def means(self) -> FloatArray:
        if not self.n:
            return super().means
        return np.array([self.values @ scores / self.values.sum() for scores in self.pair])

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        return weighted_result(
            differences, self.values, confidence=confidence, clusters=self.labels or None
        )

    def _contributions(self, column: int) -> FloatArray:
        return np.asarray(self.values * self.differences[:, column])

    def units(self, column: int) -> Units:
        differences, scores, ones = QuerySample.units(self, column)
        units = Units(*(self.values * item for item in (differences, scores, ones)))
        return units.by_cluster(self.labels) if self.labels else units

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        differences = self.differences[:, [lead]]
        completed = self._run("t", differences, rule.confidence)
        plain = inference.run_test("t", differences, confidence=rule.confidence)
        return (
            TestRow.of(
                completed, f"Weighted {'cluster-robust ' if self.name else ''}t", decides=True
            ),
            TestRow.of(plain, WITHOUT_WEIGHTS, decides=False),
        )

    def deviation(self, lead: int) -> float:
        """Return the deviation of as many equal queries with the error of the weighted mean."""
        error = self._error(lead)
        spread = QuerySample.deviation(self, lead) * math.sqrt(self.n / self.weights.n_effective)
        return error * math.sqrt(self.n) if math.isfinite(error) else spread

    def _error(self, lead: int, clusters: Sequence[str] | None = None) -> float:
        """Return the error of the weighted mean; NaN where t is none."""
        result = weighted_result(
            self.differences[:, [lead]], self.values, confidence=0.95, clusters=clusters
        )
        return (
            abs(float(result.estimate[0] / result.statistic[0]))
            if result.statistic[0]
            else math.nan
        )

    def clusters(self, rule: Rule, lead: int) -> tuple[ClusterSummary | None, ClusterSizes] | None:
        if not self.n:
            return None
        if not self.labels:
            shares = self.values * (self.n / self.values.sum())
            return None, ClusterSizes(shares, math.nan, weighted=True)
        grouped = describe_clusters(self.name, self.labels, self.differences[:, lead], self.by)
        n_effective = effective_queries(self.parts)
        weighed = replace(
            grouped, error_ratio=self._error(lead, self.labels) / self._error(lead),
            n_effective=n_effective, freedom=n_effective - 1.0, test="",
        )  # fmt: skip
        return weighed, ClusterSizes(self.parts, grouped.lasting_share, weighted=True)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return self._segmentations(rule, lead, self.labels or None, self.values)

    @property
    def _left_out(self) -> frozenset[str]:  # type: ignore[override]
        # Its skewness is that of the differences without their weights.
        return super()._left_out if self.name else frozenset({"skewness-decides"})

    def found(self, rule: Rule, decision: Decision) -> dict[str, Any]:
        if self.bayes:
            raise ArgumentError(
                "the Bayesian view takes queries to count alike; leave out bayes (Question(bayes=))"
                " or --weights (Weights(...))"
            )
        return {**super().found(rule, decision), "weights": self.weights}

    def _told(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)


TEST = "stratified"
# The summaries of a measure, with what each is the mean of; the first decides.
SUMMARIES = {
    "stratified": "Mean over all queries",
    "equal": "Mean over the collections",
    "random": "Mean over collections like these",
}


@record
class Stratified(QuerySample):
    """All queries of two systems on several collections, and the comparison on each by its name."""

    parts: Mapping[str, Comparison] = field(default_factory=dict)
    _independent = False

    @classmethod
    def of_parts(
        cls, parts: Mapping[str, Comparison], names: tuple[str, str], measures: tuple[str, ...]
    ) -> Stratified:
        """Return the queries of comparisons, each after its collection's name."""
        places = {
            name: [x.measures.index(measure) for measure in measures] for name, x in parts.items()
        }
        sides = [
            np.concatenate([getattr(x, side)[:, places[name]] for name, x in parts.items()])
            for side in "ab"
        ]
        queries = tuple(f"{name}/{query}" for name, x in parts.items() for query in x.query_ids)
        scores = Scores(queries, names, measures, np.stack(sides, axis=1))
        return cls(scores, TEST, next(iter(parts.values())).seed, parts=parts)

    @property
    def clustered_by(self) -> str:
        names = {x.clusters.name for x in self.parts.values() if x.clusters is not None}
        return names.pop() if len(names) == 1 else "clusters" if names else ""

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query, its collection's name before it; none without clusters."""
        if not self.clustered_by:
            return ()
        return tuple(f"{name}/{x}" for name, owner in self.by_cluster.items() for x in owner)

    @cached_property
    def by_cluster(self) -> dict[str, tuple[str, ...]]:
        """The cluster of each query by collection; one with independent queries has one each."""
        return {
            name: x.query_ids if x.clusters is None else x.clusters.labels
            for name, x in self.parts.items()
        }

    @property
    def n_units(self) -> int:
        return len(set(self.labels)) or self.n

    @property
    def n_smallest(self) -> int:
        return min(len(part.query_ids) for part in self.parts.values())

    @property
    def few_clusters(self) -> bool:
        sizes = cluster_sizes(self.labels)
        lone = any(len(set(item)) == 1 for item in self.by_cluster.values())
        return bool(self.labels) and (lone or effective_clusters(sizes) < FEWEST_EFFECTIVE[TEST])

    def by_part(self, column: int) -> list[FloatArray]:
        """Return B - A of one measure, an array a collection."""
        return [part.differences(self.measures[column]) for part in self.parts.values()]

    def pooled(self, column: int, confidence: float) -> MetaAnalysis:
        """Summarise one measure over the collections."""
        clusters = [*self.by_cluster.values()] if self.labels else None
        return inference.pool_collections(
            self.by_part(column), confidence=confidence, clusters=clusters
        )

    @cached_property
    def means(self) -> FloatArray:
        if not self.n:
            return np.full((2, len(self.measures)), np.nan)
        return np.array([scores.mean(axis=0) for scores in self.pair])

    @cached_property
    def wins(self) -> IntArray:
        values = np.zeros((len(self.measures), 3), dtype=np.int64)
        for part in self.parts.values():
            for i, name in enumerate(self.measures):
                row = part[name]
                counts = (row.wins, row.ties, row.losses)
                values[i] += counts[:: 1 if row.higher_is_better else -1]
        return values

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        places = np.arange(len(self.measures))[columns]
        levels = 1.0 - as_alpha(confidence, len(places))
        stratifieds = [
            self.pooled(column, level).stratified
            for column, level in zip(places.tolist(), levels.tolist(), strict=True)
        ]
        return _answer(stratifieds, confidence, self.n)

    def joint(self, confidence: float, columns: Columns) -> inference.MaxT:
        raise ArgumentError("max-t flips the queries of one collection; use holm or none")

    def relative(self, column: int, alpha: float) -> RelativeChange:
        raise ArgumentError(
            f"a share of A's mean of {self.measures[column]} is another on each collection"
        )

    def units(self, column: int) -> Units:
        differences = np.concatenate(self.by_part(column))
        units = Units(differences, np.abs(self.pair[0][:, column]), np.ones(self.n))
        return units.by_cluster(self.labels) if self.labels else units

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        pooled = self.pooled(lead, rule.confidence)
        return tuple(
            TestRow.of(
                _answer([getattr(pooled, kind)], rule.confidence, self.n, kind),
                title,
                decides=kind == TEST,
            )
            for kind, title in SUMMARIES.items()
        )

    def deviation(self, lead: int) -> float:
        alone = inference.pool_collections(self.by_part(lead))  # clusters have their own factor
        return alone.stratified.error * math.sqrt(self.n)

    def clusters(self, rule: Rule, lead: int) -> tuple[ClusterSummary | None, ClusterSizes] | None:
        if not self.labels or not self.n:
            return None
        centred = np.concatenate([item - item.mean() for item in self.by_part(lead) if len(item)])
        plain = self.deviation(lead) / math.sqrt(self.n)
        pooled = self.pooled(lead, rule.confidence)
        clusters = replace(
            describe_clusters(self.clustered_by, self.labels, centred, TEST),
            error_ratio=pooled.stratified.error / plain if plain > 0.0 else math.nan,
            freedom=pooled.freedom,
            test="",  # no flips stand in its place
        )
        return clusters, ClusterSizes(cluster_sizes(self.labels), clusters.lasting_share)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        properties = dict.fromkeys(
            segmentation.name for x in self.parts.values() for segmentation in x.segmentations
        )
        labels = {
            name: {
                f"{collection}/{query}": label
                for collection, x in self.parts.items()
                for segmentation in x.segmentations
                if segmentation.name == name
                for query, label in zip(x.query_ids, segmentation.labels, strict=True)
            }
            for name in properties
        }
        return segment(
            labels, self.query_ids, np.concatenate(self.by_part(lead)), rule,
            seed=self.seed, clusters=self.labels or None,
            strata=[name for name, x in self.parts.items() for _ in x.query_ids],
        )  # fmt: skip

    def found(self, rule: Rule, decision: Decision) -> dict[str, Any]:
        a, b = self.pair
        remarks = [remark for part in self.parts.values() for remark in part.remarks]
        return {"a": a, "b": b, "remarks": tuple(dict.fromkeys(remarks)), "strata": self.parts}

    def others(self, rule: Rule, evidence: RunDetails) -> Iterator[tuple[OtherChoice, Stratified]]:
        # Each collection moves as its own comparison does; the differences keep their variance.
        moved = {
            name: replace(part, b=part.b + alternative.diff - part.primary.diff)
            for name, part in self.parts.items()
            for alternative in part.alternatives
            if alternative.kind == "partly-condensed"
        }
        if moved:
            second = self.of_parts({**self.parts, **moved}, self.names, (rule.primary,))
            yield OtherChoice("partly-condensed", second.scores), second

    # Those of its queries stand with the comparison of each collection.
    without_supporting = ScoredSample.without_supporting
    cautions = ScoredSample.cautions

    def doubts(self) -> list[Reason]:
        """Return why the evidence of each collection is not sound, and of which."""
        # How its differences are skewed concerns its own test alone.
        twice = [
            Reason("same-judgments", {"collections": list(names)})
            for names in same_judgments(self.parts)
        ]
        # A doubt about few of the queries is one of their collection, not of the whole; what
        # unjudged documents do to the whole is asked of all collections together.
        doubted = [part for part in self.parts.values() if part.soundness.level == "doubtful"]
        is_shared = 2 * sum(part.n_queries for part in doubted) >= self.n
        return twice + [
            Reason(item.code, {**item.values, "collection": name})
            for name, part in self.parts.items()
            for item in part.soundness.main
            if item.code not in ("skewness-decides", "unjudged-decide")
            and (part.soundness.level == "unsound" or is_shared)
        ]


def _answer(
    result: list[Summary], confidence: float | FloatArray, n: int, test: str = TEST
) -> inference.TestResult:
    """Return summaries in the form of a test's answer."""
    rows = [[x.estimate, x.error, x.pvalue, *x.interval] for x in result]
    estimate, error, *rest = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    statistic = np.divide(estimate, error, out=np.zeros_like(estimate), where=error > 0.0)
    statistic = np.where(np.isnan(error), np.nan, statistic)
    return inference.TestResult.of_mean(
        np.stack([estimate, statistic, *rest]), test=test, confidence=confidence, n_queries=n
    )


def require_poolable(question: Question) -> None:
    """Refuse what has no answer over several collections."""
    reasons = REASONS["compare_collections"]
    if question.weights is not None:  # a Series has no truth
        raise ArgumentError(f"compare_collections() takes no weights=: {reasons['weights']}")
    for name in ("anytime", "planned", "earlier", "bayes"):
        if getattr(question, name):
            raise ArgumentError(f"compare_collections() takes no {name}=: {reasons[name]}")
    guards = [question.guard] if isinstance(question.guard, str) else question.guard
    if any("%" in str(item) for item in (question.margin, *guards)):
        raise ArgumentError(
            "a margin or guard in per cent is a share of A's mean, which is another on each"
            " collection: give it in the unit of the measure"
        )


def require_pooled(name: str, part: Comparison) -> None:
    """Refuse a comparison whose queries are not what the pooled test takes them to be."""
    design = part.rule.design
    whys = {
        "its queries count by weights": part.weights is not None,
        "it was decided by a confidence sequence": design is not None and bool(design.planned),
        "a machine's judgments decide beside those of people": part.with_machine,
    }
    for why, holds in whys.items():
        if holds:
            raise ArgumentError(
                f"the collection {name} cannot be pooled with others: {why}, and the mean over all"
                " queries takes queries that count alike, judged by people and looked at once"
            )
