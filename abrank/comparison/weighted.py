"""Queries that count for more than others, by their traffic or by strata."""

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
from abrank._support.typing import FloatArray
from abrank.comparison.designs import Clusters, QueryWeights
from abrank.comparison.groups import Segmentation
from abrank.comparison.power_analysis import ClusterSizes
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.sample import Clustered, Rows, Units, test_row
from abrank.inference.designs.clusters import FEWEST_EFFECTIVE
from abrank.inference.designs.weights import effective_queries, weighted_result
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.comparison.choice import Directions

IGNORING = "Paired t, weights ignored"


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
            test_row(own, f"Weighted {'cluster-robust ' if self.name else ''}t", decides=True),
            test_row(plain, IGNORING, decides=False),
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
        return super()._left_out if self.name else frozenset()

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
