"""Queries that count for more than others, by their traffic or by strata."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.comparison.designs import QueryWeights
from abrank.comparison.groups import Segmentation, segment
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.sample import Rows, Units, test_row
from abrank.inference.designs.weights import weighted_result
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.comparison.choice import Directions

IGNORING = "Paired t, weights ignored"


@record
class Weighted(Rows):
    """Independent queries that count by their weights: the mean is the weighted one."""

    weighted_by: str = "weights"
    of_weight: Mapping[str, Any] = field(default_factory=dict)
    _independent = False

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
        return weighted_result(differences, self.values, confidence=confidence)

    def units(self, column: int) -> Units:
        differences, scores, _ = super().units(column)
        return Units(self.values * differences, self.values * scores, self.values)

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        differences = self.differences[:, [lead]]
        own = self._run("t", differences, rule.confidence)
        plain = inference.run_test("t", differences, confidence=rule.confidence)
        return (
            test_row(own, "Weighted t", decides=True),
            test_row(plain, IGNORING, decides=False),
        )

    def deviation(self, lead: int) -> float:
        """Return the deviation of as many equal queries with the error of the weighted mean."""
        found = weighted_result(self.differences[:, [lead]], self.values, confidence=0.95)
        error = float(found.estimate[0] / found.statistic[0]) if found.statistic[0] else math.nan
        spread = super().deviation(lead) * math.sqrt(self.n / self.weights.n_effective)
        return abs(error) * math.sqrt(self.n) if math.isfinite(error) else spread

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return segment(
            self.segments, self.scores.query_ids, self.differences[:, lead], rule,
            seed=self.seed, weights=self.values,
        )  # fmt: skip

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
