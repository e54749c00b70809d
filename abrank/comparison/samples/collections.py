"""The queries of two systems on several collections, as one sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import OtherChoice, RunDetails
from abrank.comparison.groups import ClusterSummary, Segmentation, describe_clusters, segment
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import TestRow
from abrank.comparison.samples.sample import ALL, Columns, QuerySample, Sample, Units
from abrank.inference.clusters import FEWEST_EFFECTIVE, cluster_sizes, effective_clusters, numbered
from abrank.inference.equivalence import RelativeChange
from abrank.inference.families import MaxT
from abrank.inference.registry import as_alpha
from abrank.provenance import same_judgments
from abrank.rule import Reason
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.inference.meta_analysis import MetaAnalysis, Summary

TEST = "stratified"
# The ways to summarise a measure, and what each is the mean of; the first decides.
SUMMARIES = {
    "stratified": "Mean over all queries",
    "equal": "Mean over the collections",
    "random": "Mean over collections like these",
}


@record
class Stratified(QuerySample):
    """The queries of two systems on several collections, with the comparison on each one."""

    parts: Mapping[str, Comparison] = field(default_factory=dict)
    _independent = False

    @classmethod
    def of_parts(
        cls, parts: Mapping[str, Comparison], names: tuple[str, str], measures: tuple[str, ...]
    ) -> Stratified:
        """Combine the queries of comparisons; each query id is prefixed by its collection."""
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
        """The cluster of each query, prefixed by its collection; empty without clusters."""
        if not self.clustered_by:
            return ()
        return tuple(f"{name}/{x}" for name, labels in self.by_cluster.items() for x in labels)

    @cached_property
    def by_cluster(self) -> dict[str, tuple[str, ...]]:
        """The cluster of each query by collection; independent queries are clusters of one."""
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
        """Return B - A of one measure as one array per collection."""
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
        totals = np.zeros((len(self.measures), 3), dtype=np.int64)
        for part in self.parts.values():
            for i, name in enumerate(self.measures):
                row = part[name]
                counts = (row.wins, row.ties, row.losses)
                totals[i] += counts[:: 1 if row.higher_is_better else -1]
        return totals

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        places = np.arange(len(self.measures))[columns]
        levels = 1.0 - as_alpha(confidence, len(places))
        summaries = [
            self.pooled(column, level).stratified
            for column, level in zip(places.tolist(), levels.tolist(), strict=True)
        ]
        return _answer(summaries, confidence, self.n)

    def joint(self, confidence: float, columns: Columns) -> MaxT:
        raise ArgumentError("max-t flips the queries of one collection; use holm or none")

    def relative(self, column: int, alpha: float) -> RelativeChange:
        raise ArgumentError(
            f"a share of A's mean of {self.measures[column]} is another on each collection"
        )

    def units(self, column: int) -> Units:
        differences = np.concatenate(self.by_part(column))
        units = Units(differences, np.abs(self.pair[0][:, column]), np.ones(self.n))
        return units.by_cluster(self.labels) if self.labels else units

    def tests(self, rule: Rule, lead: int) -> tuple[TestRow, ...]:
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
        alone = inference.pool_collections(self.by_part(lead))  # error_ratio is relative to this
        return alone.stratified.error * math.sqrt(self.n)

    def clusters(self, rule: Rule, lead: int) -> tuple[ClusterSummary | None, ClusterSizes] | None:
        if not self.labels or not self.n:
            return None
        centred = np.concatenate([item - item.mean() for item in self.by_part(lead) if len(item)])
        plain = self.deviation(lead) / math.sqrt(self.n)
        pooled = self.pooled(lead, rule.confidence)
        clusters = replace(
            describe_clusters(
                self.clustered_by, self.labels, numbered(self.labels)[1], centred, TEST
            ),
            error_ratio=pooled.stratified.error / plain if plain > 0.0 else math.nan,
            freedom=pooled.freedom,
            test="",  # sign flips are not available instead
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

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        a, b = self.pair
        remarks = [remark for part in self.parts.values() for remark in part.remarks]
        return {"a": a, "b": b, "remarks": tuple(dict.fromkeys(remarks)), "strata": self.parts}

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterator[tuple[OtherChoice, Stratified]]:
        # Each collection is shifted by its own analysis; the differences keep their variance.
        moved = {
            name: replace(part, b=part.b + alternative.diff - part.primary.diff)
            for name, part in self.parts.items()
            for alternative in part.alternatives
            if alternative.kind == "partly-condensed"
        }
        if moved:
            second = self.of_parts({**self.parts, **moved}, self.names, (plan.rule.primary,))
            yield OtherChoice("partly-condensed", second.scores), second

    # The comparison on each collection reports its own influential queries.
    without_supporting = Sample.without_supporting
    cautions = Sample.cautions

    def doubts(self) -> list[Reason]:
        """Return why the evidence of collections is not sound, and of which collections."""
        # Skewed differences matter only for a collection's own test.
        twice = [
            Reason("same-judgments", {"collections": list(names)})
            for names in same_judgments(self.parts)
        ]
        # A doubt about few queries concerns their collection, not the whole. The effect of unjudged
        # documents on the whole is tested with all collections together.
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
    """Convert summaries to the form of a test result."""
    rows = [[x.estimate, x.error, x.pvalue, *x.interval] for x in result]
    estimate, error, *rest = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    statistic = np.divide(estimate, error, out=np.zeros_like(estimate), where=error > 0.0)
    statistic = np.where(np.isnan(error), np.nan, statistic)
    return inference.TestResult.of_mean(
        np.stack([estimate, statistic, *rest]), test=test, confidence=confidence, n_queries=n
    )
