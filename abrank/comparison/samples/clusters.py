"""Queries that come in clusters, which are tested whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import Deferred, record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import OtherChoice, RunDetails
from abrank.comparison.groups import ClusterSummary, Segmentation, describe_clusters
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.samples.queries import OF_SINGLE_QUERIES, QuerySample
from abrank.comparison.samples.sample import Sample, Units
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    deciding_test,
    effective_clusters,
    numbered,
    run_cluster_test,
)
from abrank.inference.equivalence import RelativeChange, relative_change_by
from abrank.inputs.topics import labels_of
from abrank.verdict import Rule

# Titles of tests that take clusters, not queries.
OF_CLUSTERS = {
    "t": "Cluster-robust t",
    "permutation": "Sign flips of clusters",
    "bootstrap": "Bootstrap of clusters",
}
IGNORING = "Paired t, clusters ignored"


@record
class Clustered(QuerySample):
    """Queries that come in clusters: whole clusters are tested."""

    name: str = "clusters"
    of_query: Mapping[str, str] = field(default_factory=dict)
    _left_out = OF_SINGLE_QUERIES
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

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> Sequence[TestRow]:
        differences = self.differences[:, lead]
        decides = deciding_test(self.by, self.sizes)

        def run(name: str) -> TestRow:
            result = run_cluster_test(
                name, differences, self.codes,
                confidence=rule.confidence, seed=self.seed, n_resamples=self.n_resamples,
            )  # fmt: skip
            return TestRow.of(result, OF_CLUSTERS[name], decides=name == decides)

        def ignoring() -> TestRow:
            plain = inference.run_test("t", differences, confidence=rule.confidence)
            return TestRow.of(plain, IGNORING, decides=False)

        return Deferred(*(partial(run, name) for name in OF_CLUSTERS), ignoring)

    def clusters(self, rule: Rule, lead: int) -> tuple[ClusterSummary | None, ClusterSizes] | None:
        if not self.n:
            return None
        clusters = describe_clusters(
            self.name, self.labels, self.codes, self.differences[:, lead], self.by
        )
        return clusters, ClusterSizes(self.sizes, clusters.lasting_share)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return self._segmentations(rule, lead, self.labels)

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.title != IGNORING)


@record
class PerhapsClustered(QuerySample):
    """Queries tested one by one, of a table with a column that says from which user they are."""

    name: str = "clusters"
    of_query: Mapping[str, str] = field(default_factory=dict)

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        yield from super().alternative_samples(plan, evidence)
        scores = self.scores.take([self.measures.index(plan.rule.primary)])
        by = self.by if self.by in OF_CLUSTERS else "t"
        whole = Clustered(
            scores, by, self.seed, self.n_resamples, name=self.name, of_query=self.of_query
        )
        if 1 < whole.n_units < self.n:
            yield OtherChoice("whole-clusters", scores, clusters=self.name), whole
