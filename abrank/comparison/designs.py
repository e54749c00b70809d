"""Queries that are not simply independent: in clusters, looked at any time, or with weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.groups import (
    Clusters,
    QueryWeights,
    Segmentation,
    describe_clusters,
)
from abrank.comparison.power_analysis import ClusterSizes
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.sample import Rows, Units
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    cluster_sizes,
    deciding_test,
    effective_clusters,
    effective_queries,
    weighted_result,
)
from abrank.inference.designs import anytime_result, cluster_result
from abrank.inputs.topics import labels_of
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.comparison.choice import Directions

# Titles of tests that take clusters, not queries, and of the one that holds at any time.
OF_CLUSTERS = {
    "t": "Cluster-robust t",
    "permutation": "Sign flips of clusters",
    "bootstrap": "Bootstrap of clusters",
}
SEQUENCE = "Confidence sequence"
IGNORING = "Paired t, clusters ignored"
# Notes on single queries, which clusters and looks at any time say nothing of; and notes that say
# which of the two gains.
_OF_QUERIES = frozenset({"few-signs", "one-query-decides", "skewness-decides"})
WITHOUT_WEIGHTS = "Paired t, weights ignored"


@record
class Clustered(Rows):
    """Queries that come in clusters: whole clusters are tested."""

    name: str = "clusters"
    of_query: Mapping[str, str] = field(default_factory=dict)
    _left_out = _OF_QUERIES
    _independent = False

    @property
    def clustered_by(self) -> str:
        return self.name

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query."""
        return labels_of((self.name, self.of_query), self.scores.query_ids) or ()

    @cached_property
    def sizes(self) -> IntArray:
        """Queries of each cluster."""
        return cluster_sizes(self.labels)

    @property
    def n_units(self) -> int:
        return len(set(self.labels))

    @property
    def few_clusters(self) -> bool:
        return effective_clusters(self.sizes) < FEWEST_EFFECTIVE[self.by]

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        return cluster_result(
            deciding_test(test, self.sizes), differences, self.labels,
            confidence=confidence, seed=self.seed, n_resamples=self.n_resamples,
        )  # fmt: skip

    def units(self, column: int) -> Units:
        return self._by_cluster(super().units(column))

    def _by_cluster(self, every: Units) -> Units:
        place = np.unique(self.labels, return_inverse=True)[1]
        return Units(*(np.bincount(place, each).astype(np.float64) for each in every))

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        differences = self.differences[:, lead]
        decides = deciding_test(self.by, self.sizes)
        rows = []
        for name, title in OF_CLUSTERS.items():
            found = cluster_result(
                name, differences, self.labels,
                confidence=rule.confidence, seed=self.seed, n_resamples=self.n_resamples,
            )  # fmt: skip
            rows.append(TestRow.of(found, title, decides=name == decides))
        plain = inference.run_test("t", differences, confidence=rule.confidence)
        return *rows, TestRow.of(plain, IGNORING, decides=False)

    def clusters(self, rule: Rule, lead: int) -> tuple[Clusters, ClusterSizes] | None:
        if not self.n:
            return None
        found = describe_clusters(self.name, self.labels, self.differences[:, lead], self.by)
        return found, ClusterSizes(self.sizes, found.lasting_share)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return self._segmentations(rule, lead, self.labels)

    def _told(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.title != IGNORING)


@record
class Sequential(Rows):
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
        found = self._run(self.by, differences, rule.confidence)
        first = TestRow.of(found, SEQUENCE, decides=True)
        return (first, *self._companions(differences, rule, decides=""))

    def _told(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)


@record
class Weighted(Clustered):
    """Queries that count by their weights: the mean is the weighted one.

    They are independent where ``name`` is empty, and else come in its clusters.
    """

    name: str = ""
    weighted_by: str = "weights"
    of_weight: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query; none of independent ones."""
        return super().labels if self.name else ()

    @property
    def n_units(self) -> int:
        return len(set(self.labels)) or self.n

    @property
    def few_clusters(self) -> bool:
        return bool(self.labels) and effective_queries(self.parts) < FEWEST_EFFECTIVE["t"]

    @cached_property
    def parts(self) -> FloatArray:
        """The weight of each cluster, n in all."""
        found = np.bincount(np.unique(self.labels, return_inverse=True)[1], self.values)
        return np.asarray(found * (self.n / self.values.sum()))

    @cached_property
    def weights(self) -> QueryWeights:
        """The weights of the queries compared."""
        return QueryWeights.of(self.weighted_by, self.of_weight, self.scores.query_ids)

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

    def units(self, column: int) -> Units:
        differences, scores, ones = Rows.units(self, column)
        every = Units(*(self.values * each for each in (differences, scores, ones)))
        return self._by_cluster(every) if self.labels else every

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        differences = self.differences[:, [lead]]
        own = self._run("t", differences, rule.confidence)
        plain = inference.run_test("t", differences, confidence=rule.confidence)
        return (
            TestRow.of(own, f"Weighted {'cluster-robust ' if self.name else ''}t", decides=True),
            TestRow.of(plain, WITHOUT_WEIGHTS, decides=False),
        )

    def deviation(self, lead: int) -> float:
        """Return the deviation of as many equal queries with the error of the weighted mean."""
        error = self._error(lead)
        spread = Rows.deviation(self, lead) * math.sqrt(self.n / self.weights.n_effective)
        return error * math.sqrt(self.n) if math.isfinite(error) else spread

    def _error(self, lead: int, clusters: Sequence[str] | None = None) -> float:
        """Return the error of the weighted mean; NaN where t is none."""
        found = weighted_result(
            self.differences[:, [lead]], self.values, confidence=0.95, clusters=clusters
        )
        return (
            abs(float(found.estimate[0] / found.statistic[0])) if found.statistic[0] else math.nan
        )

    def clusters(self, rule: Rule, lead: int) -> tuple[Clusters, ClusterSizes] | None:
        found = super().clusters(rule, lead) if self.labels else None
        if found is None:
            return None
        grouped, sizes = found
        n_effective = effective_queries(self.parts)
        weighed = replace(
            grouped, error_ratio=self._error(lead, self.labels) / self._error(lead),
            n_effective=n_effective, freedom=n_effective - 1.0, test="",
        )  # fmt: skip
        return weighed, sizes._replace(sizes=self.parts)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return self._segmentations(rule, lead, self.labels or None, self.values)

    @property
    def _left_out(self) -> frozenset[str]:  # type: ignore[override]
        # Its skewness is that of the differences without their weights.
        return super()._left_out if self.name else frozenset({"skewness-decides"})

    def found(
        self, rule: Rule, better: Directions, span: float, decision: Decision
    ) -> dict[str, Any]:
        if self.bayes:
            raise ArgumentError(
                "the Bayesian view takes queries to count alike; leave out bayes (Question(bayes=))"
                " or --weights (Weights(...))"
            )
        return {**super().found(rule, better, span, decision), "weights": self.weights}

    def _told(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)
