"""Two independent groups as a sample: A and B were seen by different users, and share no unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import OtherChoice, RunDetails
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import WHO_WINS, Effect, MeasureResult, Spread, TestRow
from abrank.comparison.samples.sample import ALL, Columns, Sample, Units
from abrank.diagnostics import Note
from abrank.inference.equivalence import RelativeChange, change_of_groups
from abrank.inference.families import MaxT
from abrank.inference.independent import (
    EFFECTS,
    bootstrap_groups,
    deviation_of_groups,
    permute_labels,
    welch,
)
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

TITLES = {
    "t": "Welch's t",
    "permutation": "Permutation of the labels",
    "bootstrap": "Bootstrap of both groups",
}

# Groups nearer to half and half than this share were meant to be equal; their sizes mismatch where
# so unequal ones are rarer than this (Fabijan et al. 2019, KDD, 2156-2164).
SMALLEST_SHARE, MISMATCH = 0.45, 0.001


@record
class IndependentGroups(Sample):
    """The scores of two groups that share no unit; those of the other group are NaN."""

    scores: Scores
    seed: int = 0
    n_resamples: int | None = None
    saved: Comparison | None = None
    # The column of the table that says from which user each unit is, which was not asked for.
    name: str = ""
    of_unit: Mapping[str, str] = field(default_factory=dict)

    by = "t"

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        # Of simulated differences found among sessions of 150 users (0, .2, .35 deviations; 720
        # comparisons) this doubts 3 % where the sessions of a user are independent, and 44 % at an
        # intraclass correlation of .3: 75 % of those where there is no difference.
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
            # What a unit's residuals add to the mean, times the number of clusters: the mean stays
            # that of the units, and the error of the mean of these is the cluster-robust one (CR1).
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
        """The scores of A's units and of B's: float64[n_units, n_measures]."""
        a, b = (self.scores.values[:, side, :] for side in (0, 1))
        return a[np.isfinite(a).all(axis=1)], b[np.isfinite(b).all(axis=1)]

    @cached_property
    def means(self) -> FloatArray:
        return np.array([group.mean(axis=0) for group in self.groups])

    @cached_property
    def wins(self) -> IntArray:
        """Pairs of a unit of A and one of B of which B's is higher, equal and lower."""
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

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        rows = [TestRow.of(self.test(rule.confidence, [lead]), TITLES["t"], decides=True)]
        a, b = (group[:, lead] for group in self.groups)
        if min(len(a), len(b)) < 2 or not math.isfinite(row.pvalue):
            return tuple(rows)
        for test in (permute_labels, bootstrap_groups):
            answer = test(
                a, b, confidence=rule.confidence, seed=self.seed, n_resamples=self.n_resamples
            )
            rows.append(TestRow.of(answer, TITLES[answer.test], decides=False))
        return tuple(rows)

    def effects(self, rule: Rule, row: MeasureResult, lead: int) -> Mapping[str, Effect]:
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
        """Return the deviation whose standard error at n is that of the difference of the means."""
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
