"""Several collections as one sample: the mean over all their queries, drawn within each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inference
from abrank._support.checks import REASONS
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.effects import Effect, Spread, effects, spread
from abrank.comparison.groups import Clusters, Segmentation
from abrank.comparison.power_analysis import ClusterSizes
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.sample import ALL, Columns, Units
from abrank.diagnostics import Note
from abrank.inference import pool_collections
from abrank.inference.registry import as_alpha
from abrank.inference.strata import MetaAnalysis, Summary
from abrank.options import Question
from abrank.soundness import Reason
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.comparison.choice import Directions
    from abrank.inference.equivalence import RelativeChange

TEST = "stratified"
# The summaries of a measure, with what each is the mean of; the first decides.
SUMMARIES = {
    "stratified": "Mean over all queries",
    "equal": "Mean over the collections",
    "random": "Mean over collections like these",
}


@dataclass(frozen=True)
class Stratified:
    """The comparisons of two systems on several collections, by name."""

    parts: Mapping[str, Comparison]
    names: tuple[str, str]
    measures: tuple[str, ...]

    by = TEST
    clustered_by = ""
    n_resamples = None
    few_clusters = False

    @property
    def seed(self) -> int:
        return next(iter(self.parts.values())).seed

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        return tuple(f"{name}/{query}" for name, x in self.parts.items() for query in x.query_ids)

    @property
    def n(self) -> int:
        return len(self.query_ids)

    @property
    def weighted_by(self) -> str:
        return ""

    @property
    def n_units(self) -> int:
        return self.n

    @cached_property
    def pair(self) -> tuple[FloatArray, FloatArray]:
        """The scores of A and of B on all queries: float64[n_queries, n_measures]."""
        order = [[x.measures.index(name) for name in self.measures] for x in self.parts.values()]
        a, b = (
            np.concatenate(
                [getattr(x, side)[:, i] for x, i in zip(self.parts.values(), order, strict=True)]
            )
            for side in "ab"
        )
        return a, b

    def differences(self, column: int) -> list[FloatArray]:
        """Return B - A of one measure, an array a collection."""
        return [each.differences(self.measures[column]) for each in self.parts.values()]

    def pooled(self, column: int, confidence: float) -> MetaAnalysis:
        """Summarise one measure over the collections."""
        return pool_collections(self.differences(column), confidence=confidence)

    @cached_property
    def means(self) -> FloatArray:
        if not self.n:
            return np.full((2, len(self.measures)), np.nan)
        return np.array([scores.mean(axis=0) for scores in self.pair])

    @cached_property
    def wins(self) -> IntArray:
        found = np.zeros((len(self.measures), 3), dtype=np.int64)
        for each in self.parts.values():
            for i, name in enumerate(self.measures):
                row = each[name]
                counts = (row.wins, row.ties, row.losses)
                found[i] += counts[:: 1 if row.higher_is_better else -1]
        return found

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        places = np.arange(len(self.measures))[columns]
        levels = 1.0 - as_alpha(confidence, len(places))
        found = [
            self.pooled(column, level).stratified
            for column, level in zip(places.tolist(), levels.tolist(), strict=True)
        ]
        return _answer(found, confidence, self.n)

    def joint(self, confidence: float, columns: Columns) -> inference.MaxT:
        raise ArgumentError("max-t flips the queries of one collection; use holm or none")

    def relative(self, column: int, alpha: float) -> RelativeChange:
        raise ArgumentError(
            f"a share of A's mean of {self.measures[column]} is another on each collection"
        )

    def units(self, column: int) -> Units:
        differences = np.concatenate(self.differences(column))
        return Units(differences, np.abs(self.pair[0][:, column]), np.ones(self.n))

    def range_of(self, column: int) -> tuple[float, float]:
        seen = np.stack([scores[:, column] for scores in self.pair])
        return float(seen.min(initial=np.inf)), float(seen.max(initial=-np.inf))

    def alike(self) -> str:
        return "tied-scores"

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

    def effects(self, rule: Rule, row: MeasureResult, lead: int) -> Mapping[str, Effect]:
        a, b = (scores[:, lead] for scores in self.pair)
        higher = rule.higher_is_better
        return effects(a, b, confidence=rule.confidence, higher_is_better=higher, independent=False)

    def spread(self, lead: int) -> Spread:
        return spread(*(scores[:, lead] for scores in self.pair))

    def deviation(self, lead: int) -> float:
        return self.pooled(lead, 0.95).stratified.error * math.sqrt(self.n)

    def clusters(self, rule: Rule, lead: int) -> tuple[Clusters, ClusterSizes] | None:
        return None

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return ()

    def held(self) -> dict[str, Any]:
        a, b = self.pair
        said = [remark for each in self.parts.values() for remark in each.remarks]
        return {"a": a, "b": b, "remarks": tuple(dict.fromkeys(said)), "strata": self.parts}

    def found(
        self, rule: Rule, better: Directions, span: float, decision: Decision
    ) -> dict[str, Any]:
        return {}

    def cautions(self, made: Comparison) -> list[Note]:
        return []

    def doubts(self) -> list[Reason]:
        """Return why the evidence of each collection is not sound, and of which.

        How its differences are skewed concerns its own test alone.
        """
        return [
            Reason(each.code, {**each.values, "collection": name})
            for name, part in self.parts.items()
            for each in part.soundness.told
            if each.code != "skewness-decides"
        ]


def _answer(
    found: list[Summary], confidence: float | FloatArray, n: int, test: str = TEST
) -> inference.TestResult:
    """Return summaries in the form of a test's answer."""
    rows = [[x.estimate, x.error, x.pvalue, *x.interval] for x in found]
    estimate, error, *others = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    statistic = np.divide(estimate, error, out=np.zeros_like(estimate), where=error > 0.0)
    statistic = np.where(np.isnan(error), np.nan, statistic)
    return inference.TestResult.of_mean(
        np.stack([estimate, statistic, *others]), test=test, confidence=confidence, n_queries=n
    )


def require_poolable(question: Question) -> None:
    """Refuse what has no answer over several collections."""
    reasons = REASONS["compare_collections"]
    if question.weights is not None:  # a Series has no truth
        raise ArgumentError(f"compare_collections() takes no weights=: {reasons['weights']}")
    for name in ("clusters", "anytime", "planned", "earlier", "bayes"):
        if getattr(question, name):
            raise ArgumentError(f"compare_collections() takes no {name}=: {reasons[name]}")
    guards = [question.guard] if isinstance(question.guard, str) else question.guard
    if any("%" in str(each) for each in (question.margin, *guards)):
        raise ArgumentError(
            "a margin or guard in per cent is a share of A's mean, which is another on each"
            " collection: give it in the unit of the measure"
        )


def require_pooled(name: str, part: Comparison) -> None:
    """Refuse a comparison whose queries are not what the pooled test takes them to be."""
    design = part.rule.design
    whys = {
        "its queries come in clusters": part.clusters is not None,
        "its queries count by weights": part.weights is not None,
        "it was decided by a confidence sequence": design is not None and bool(design.planned),
        "a machine's judgments decide beside those of people": part.with_machine,
        "it is of merged statistics, which hold no query": part.merged is not None,
    }
    for why, holds in whys.items():
        if holds:
            raise ArgumentError(
                f"the collection {name} cannot be pooled with others: {why}, and the mean over all"
                " queries takes single, independent queries, looked at once"
            )
