"""What every sample offers: the answers to tests, and the evidence beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from abrank import inference
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import OF_RUNS, Alternative, OtherChoice, RunDetails
from abrank.comparison.groups import ClusterSummary, Segmentation
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import Effect, MeasureResult, Spread, TestRow
from abrank.diagnostics import Note
from abrank.inference.equivalence import RelativeChange
from abrank.inference.families import MaxT
from abrank.rule import Reason
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

Columns: TypeAlias = Sequence[int] | IntArray | slice
ALL = slice(None)


class Units(NamedTuple):
    """A few queries, or clusters of them: sums of B - A and of A's sizes, and how many queries."""

    differences: FloatArray
    scores: FloatArray
    sizes: FloatArray

    def by_cluster(self, labels: Sequence[str]) -> Units:
        """Return the sums over clusters, of the cluster of each query."""
        place = np.unique(labels, return_inverse=True)[1]
        return Units(*(np.bincount(place, item).astype(np.float64) for item in self))


class Sample(ABC):
    """The scores of two systems, and what can answer a test of B against A by each measure."""

    # `columns` are places among `measures`. `wins` are the queries on which B scores higher, the
    # same and lower, int64[n_measures, 3]; `means` those of A and B, float64[2, n_measures].
    # `n_units` counts the clusters, or the queries where these are independent. `by` names the test
    # that decides; `lead` is the place of the measure that decides.

    scores: Scores
    by: str
    seed: int
    n_resamples: int | None
    saved: Comparison | None

    @property
    @abstractmethod
    def means(self) -> FloatArray: ...
    @property
    @abstractmethod
    def wins(self) -> IntArray: ...
    @property
    def saved_alternatives(self) -> Sequence[Alternative]:
        """What a saved comparison has of choices that only the runs tell."""
        saved = () if self.saved is None else self.saved.alternatives
        return [item for item in saved if item.kind in OF_RUNS]

    @property
    def names(self) -> tuple[str, str]:
        a, b = self.scores.systems
        return a, b

    @property
    def measures(self) -> tuple[str, ...]:
        return self.scores.measures

    @property
    def query_ids(self) -> tuple[str, ...]:
        return self.scores.query_ids

    @property
    def n(self) -> int:
        return len(self.scores.query_ids)

    @property
    def n_smallest(self) -> int:
        """The queries of its smallest part whose variance is estimated by itself."""
        return self.n

    @property
    def n_units(self) -> int:
        return self.n

    @property
    def few_clusters(self) -> bool:
        """Whether the clusters are too few for the cluster-robust t."""
        return False

    @abstractmethod
    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        """Test measures, each by itself."""

    @abstractmethod
    def joint(self, confidence: float, columns: Columns) -> MaxT:
        """Test measures together by max-T; samples that cannot refuse it when it is declared."""

    @abstractmethod
    def relative(self, column: int, alpha: float) -> RelativeChange:
        """Return the change of a measure's mean as a share of A's."""

    @abstractmethod
    def units(self, column: int) -> Units:
        """Return what each unit holds, asked only where these are few."""

    @abstractmethod
    def why_identical(self) -> str:
        """Say what two systems share that score the same on every query."""

    @abstractmethod
    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> Sequence[TestRow]:
        """Return every test of the primary measure, the one that decides among them."""

    @abstractmethod
    def effects(self, rule: Rule, row: MeasureResult, lead: int) -> Mapping[str, Effect]: ...
    @abstractmethod
    def spread(self, lead: int) -> Spread: ...
    @abstractmethod
    def deviation(self, lead: int) -> float:
        """Return the standard deviation of the differences that the next test is planned with."""

    def clusters(self, rule: Rule, lead: int) -> tuple[ClusterSummary | None, ClusterSizes] | None:
        return None

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return ()

    @abstractmethod
    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        """Return the fields of a comparison that only this sample knows: scores, audits, texts."""

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        """Return other choices than those declared, and the sample of the primary measure."""
        return ()

    def without_supporting(
        self, rule: Rule, direction: int
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        """Return the sample without those that speak most for a direction: all, one, two, …."""
        return ()

    def cautions(self, result: Comparison) -> list[Note]:
        """Return the cautions that only this sample can give."""
        return []

    def doubts(self) -> Sequence[Reason]:
        """Return why the evidence of a part of it is not sound."""
        return ()
