"""Queries at which one may look at any time, tested by a confidence sequence."""

from __future__ import annotations

from collections.abc import Sequence

from abrank import inference
from abrank._support.result import Deferred, record
from abrank._support.typing import FloatArray
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.samples.queries import COMPANIONS, OF_SINGLE_QUERIES, QuerySample
from abrank.inference.sequential import anytime_result
from abrank.verdict import Rule

SEQUENCE = "Confidence sequence"


@record
class Sequential(QuerySample):
    """Queries at which one may look at any time, tested by a confidence sequence."""

    planned: int = 0
    alpha: float = 0.05
    _left_out = OF_SINGLE_QUERIES

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        if test == "bounded":  # which holds at any number of looks as it is
            return super()._run(test, differences, confidence)
        return anytime_result(
            differences, planned=self.planned, alpha=self.alpha, confidence=confidence
        )

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> Sequence[TestRow]:
        differences = self.differences[:, lead]
        completed = self._run(self.by, differences, rule.confidence)
        first = TestRow.of(completed, SEQUENCE, decides=True)
        return Deferred(lambda: first, *self._runs(COMPANIONS, differences, rule))

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)
