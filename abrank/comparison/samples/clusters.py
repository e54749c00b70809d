"""Samples of groups: clusters, weighted queries, and independent groups of users."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import Deferred, record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import OtherChoice, RunDetails
from abrank.comparison.groups import ClusterSummary, QueryWeights, describe_clusters
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import WHO_WINS, Effect, Spread, TestRow
from abrank.comparison.samples.sample import (
    ALL,
    OF_SINGLE_QUERIES,
    Columns,
    QuerySample,
    Sample,
    Units,
)
from abrank.diagnostics import Note
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    deciding_test,
    effective_clusters,
    effective_queries,
    numbered,
    run_cluster_test,
    weighted_result,
)
from abrank.inference.equivalence import RelativeChange, change_of_groups
from abrank.inference.families import MaxT
from abrank.inference.independent import (
    EFFECTS,
    bootstrap_groups,
    deviation_of_groups,
    permute_labels,
    welch,
)
from abrank.inputs.topics import labels_of, lacking_labels
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

# Titles of tests that use clusters instead of queries.
OF_CLUSTERS = {
    "t": "Cluster-robust t",
    "permutation": "Sign flips of clusters",
    "bootstrap": "Bootstrap of clusters",
}
IGNORING = "Paired t, clusters ignored"


@record
class Clustered(QuerySample):
    """Queries in clusters: each cluster is tested as a whole."""

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
        """The index of each query's cluster in the sorted cluster names."""
        return numbered(self.labels)[1]

    @cached_property
    def sizes(self) -> IntArray:
        """Number of queries in each cluster."""
        return np.bincount(self.codes)

    @property
    def n_units(self) -> int:
        return len(self.sizes)

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        fields = super().comparison_fields(plan, decision)
        notes = lacking_labels((self.name, self.of_query), self.scores.query_ids)
        return {**fields, "remarks": (*fields["remarks"], *notes)}

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
        return super().relative(column, alpha)

    def units(self, column: int) -> Units:
        return super().units(column).by_cluster(self.labels)

    def tests(self, rule: Rule, lead: int) -> Sequence[TestRow]:
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

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.title != IGNORING)


@record
class PerhapsClustered(QuerySample):
    """Queries tested one by one, from a table with a column that names their users."""

    name: str = "clusters"
    of_query: Mapping[str, str] = field(default_factory=dict)

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        yield from super().alternative_samples(plan, evidence)
        scores = self.scores.take([plan.rule.primary])
        by = self.by if self.by in OF_CLUSTERS else "t"
        whole = Clustered(
            scores, by, self.seed, self.n_resamples, name=self.name, of_query=self.of_query
        )
        if 1 < whole.n_units < self.n:
            yield OtherChoice("whole-clusters", scores, clusters=self.name), whole


@record
class Weighted(Clustered):
    """Weighted queries: every mean is a weighted mean."""

    # The queries are independent if `name` is empty; else `name` is the property of the clusters.

    name: str = ""
    weighted_by: str = "weights"
    of_weight: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query; empty if queries are independent."""
        return super().labels if self.name else ()

    @property
    def n_units(self) -> int:
        """Number of clusters, or the effective number of queries, rounded down."""
        return len(set(self.labels)) or int(self.weights.n_effective)

    @property
    def few_clusters(self) -> bool:
        return bool(self.labels) and effective_queries(self.parts) < FEWEST_EFFECTIVE["t"]

    @cached_property
    def parts(self) -> FloatArray:
        """The total weight of each cluster; the sum is n."""
        count = np.bincount(self.codes, self.values)
        return np.asarray(count * (self.n / self.values.sum()))

    @cached_property
    def weights(self) -> QueryWeights:
        """The weights of the compared queries."""
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

    def tests(self, rule: Rule, lead: int) -> Sequence[TestRow]:
        differences = self.differences[:, [lead]]
        weighted = self._run("t", differences, rule.confidence)
        plain = inference.run_test("t", differences, confidence=rule.confidence)
        title = "Weighted cluster-robust t" if self.name else "Weighted t"
        return (
            TestRow.of(weighted, title, decides=True),
            TestRow.of(plain, "Paired t, weights ignored", decides=False),
        )

    def deviation(self, lead: int) -> float:
        """Return the standard deviation that gives equal weights the same standard error."""
        error = self._error(lead)
        spread = QuerySample.deviation(self, lead) * math.sqrt(self.n / self.weights.n_effective)
        return error * math.sqrt(self.n) if math.isfinite(error) else spread

    def _error(self, lead: int, clusters: Sequence[str] | None = None) -> float:
        """Return the standard error of the weighted mean; NaN if undefined."""
        result = weighted_result(
            self.differences[:, [lead]], self.values, confidence=0.95, clusters=clusters
        )
        statistic = result.statistic[0]
        return abs(float(result.estimate[0] / statistic)) if statistic else math.nan

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

    @property
    def _left_out(self) -> frozenset[str]:  # type: ignore[override]
        # Skewness would be computed from the differences without their weights.
        return super()._left_out if self.name else frozenset({"skewness-decides"})

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        return {**super().comparison_fields(plan, decision), "weights": self.weights}

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)


# --- Two independent groups: A and B were shown to different users and share no unit

TITLES = {
    "t": "Welch's t",
    "permutation": "Permutation of the labels",
    "bootstrap": "Bootstrap of both groups",
}

# If the smaller group has at least this share, equal groups were probably intended. Their sizes
# mismatch if the observed ratio has a lower probability than MISMATCH (Fabijan et al. 2019, KDD,
# 2156-2164).
SMALLEST_SHARE, MISMATCH = 0.45, 0.001


@record
class IndependentGroups(Sample):
    """Scores of two groups that share no unit; a unit has NaN in the other group."""

    scores: Scores
    seed: int = 0
    n_resamples: int | None = None
    saved: Comparison | None = None
    # A column that names the user of each unit, if the user did not declare it as clusters.
    name: str = ""
    of_unit: Mapping[str, str] = field(default_factory=dict)

    by = "t"

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        # In 720 simulated comparisons of sessions of 150 users (effects 0, .2 and .35 standard
        # deviations) this doubts 3 % of the significant differences if the sessions of a user are
        # independent. At an intraclass correlation of .3 it doubts 44 %, and 75 % of those without
        # a true difference.
        names, codes = np.unique(
            [self.of_unit.get(unit, unit) for unit in self.query_ids], return_inverse=True
        )
        if not 1 < len(names) < self.n:
            return
        column = self.measures.index(plan.rule.primary)
        values = np.full((len(names), 2, 1), np.nan)
        for side, scores in enumerate(self.scores.values[:, :, column].T):
            rows = np.flatnonzero(np.isfinite(scores))
            present, places = np.unique(codes[rows], return_inverse=True)
            # Each cluster's contribution to the mean, scaled so that the mean stays that of the
            # units and its standard error is the cluster-robust one (CR1).
            residuals = np.bincount(places, scores[rows] - scores[rows].mean())
            share = len(present) / max(len(rows), 1)
            values[present, side, 0] = scores[rows].mean() + share * residuals
        scores = replace(
            self.scores, query_ids=tuple(map(str, names)), measures=(plan.rule.primary,),
            values=values,
        )  # fmt: skip
        whole = replace(self, scores=scores, name="", of_unit={})
        yield OtherChoice("whole-clusters", scores, clusters=self.name), whole

    @cached_property
    def groups(self) -> tuple[FloatArray, FloatArray]:
        """The scores of A's units and of B's units: float64[n_units, n_measures]."""
        a, b = (self.scores.values[:, side, :] for side in (0, 1))
        return a[np.isfinite(a).all(axis=1)], b[np.isfinite(b).all(axis=1)]

    @cached_property
    def means(self) -> FloatArray:
        return np.array([group.mean(axis=0) for group in self.groups])

    @cached_property
    def wins(self) -> IntArray:
        """Pairs of one unit of A and one of B where B's score is higher, equal, lower."""
        counts = []
        for a, b in zip(*(group.T for group in self.groups), strict=True):
            below, up_to = (np.searchsorted(np.sort(a), b, side=side) for side in ("left", "right"))
            higher, ties = int(below.sum()), int((up_to - below).sum())
            counts.append((higher, ties, len(a) * len(b) - higher - ties))
        return np.array(counts, dtype=np.int64)

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        a, b = self.groups
        return welch(a[:, columns], b[:, columns], confidence=confidence)

    def joint(self, confidence: float, columns: Columns) -> MaxT:
        raise ArgumentError("max-t flips the signs of pairs; for independent groups use holm")

    def relative(self, column: int, alpha: float) -> RelativeChange:
        return change_of_groups(*(group[:, [column]] for group in self.groups), alpha=alpha)

    def units(self, column: int) -> Units:
        raise ArgumentError("independent groups have no differences of units")

    def why_identical(self) -> str:
        return "tied-scores"

    def tests(self, rule: Rule, lead: int) -> tuple[TestRow, ...]:
        rows = [TestRow.of(self.test(rule.confidence, [lead]), TITLES["t"], decides=True)]
        a, b = (group[:, lead] for group in self.groups)
        if min(len(a), len(b)) < 2 or not math.isfinite(rows[0].pvalue):
            return tuple(rows)
        for test in (permute_labels, bootstrap_groups):
            answer = test(
                a, b, confidence=rule.confidence, seed=self.seed, n_resamples=self.n_resamples
            )
            rows.append(TestRow.of(answer, TITLES[answer.test], decides=False))
        return tuple(rows)

    def effects(self, rule: Rule, lead: int) -> Mapping[str, Effect]:
        a, b = (group[:, lead] for group in self.groups)
        sizes = {}
        for name, size in EFFECTS.items():
            swap = name in WHO_WINS and not rule.higher_is_better
            has_two = min(len(a), len(b)) > 1
            value = size(*((b, a) if swap else (a, b))) if has_two else math.nan
            sizes[name] = Effect(float(value), math.nan, math.nan, "none")
        return sizes

    def spread(self, lead: int) -> Spread:
        return Spread(*[math.nan] * 6)

    def deviation(self, lead: int) -> float:
        """Return the standard deviation that gives the standard error of the difference at n."""
        return 2.0 * deviation_of_groups(*(group[:, lead] for group in self.groups))

    def cautions(self, result: Comparison) -> list[Note]:
        column = self.measures.index(result.rule.primary)
        units = np.array([self.of_unit.get(unit, unit) for unit in self.query_ids])
        present = np.isfinite(self.scores.values[:, :, column])
        n_a, n_b = (len(np.unique(units[has_score])) for has_score in present.T)
        n = max(n_a + n_b, 1)
        pvalue = math.erfc(abs(n_a - n_b) / math.sqrt(2.0 * n))
        if min(n_a, n_b) < SMALLEST_SHARE * n or not pvalue < MISMATCH:
            return []
        return [Note("unequal-groups", 2, {"a": n_a, "b": n_b, "pvalue": pvalue})]

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        a, b = (self.scores.values[:, side, :] for side in (0, 1))
        return {"a": a, "b": b, "remarks": self.scores.notes}
