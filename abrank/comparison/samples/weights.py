"""Queries that count by their weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.comparison.groups import ClusterSummary, QueryWeights, Segmentation, describe_clusters
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.samples.clusters import Clustered
from abrank.comparison.samples.queries import QuerySample
from abrank.comparison.samples.sample import Units
from abrank.inference.clusters import FEWEST_EFFECTIVE, effective_queries, weighted_result
from abrank.verdict import Decision, Rule

WITHOUT_WEIGHTS = "Paired t, weights ignored"


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

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> Sequence[TestRow]:
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
        grouped = describe_clusters(
            self.name, self.labels, self.codes, self.differences[:, lead], self.by
        )
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

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        if self.bayes:
            raise ArgumentError(
                "the Bayesian view takes queries to count alike; leave out bayes (Question(bayes=))"
                " or --weights (Weights(...))"
            )
        return {**super().comparison_fields(plan, decision), "weights": self.weights}

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)
