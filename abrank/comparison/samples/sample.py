"""The interface of samples, and the basic one: two systems on independent queries."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from abrank import inference
from abrank._support.result import Deferred, record
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import (
    OF_RUNS,
    Alternative,
    OtherChoice,
    RunDetails,
    collect_details,
    other_choices,
    without_supporting,
)
from abrank.comparison.groups import ClusterSummary, Segmentation, segment
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import (
    WHO_WINS,
    Effect,
    Preferences,
    Spread,
    TestRow,
    attainable_level,
    share_of_net,
    spread,
)
from abrank.diagnostics import (
    Note,
    UnequalDepth,
    inspect_depth,
    inspect_differences,
    inspect_inputs,
    inspect_skewness,
    outcomes,
    unequal_depth,
)
from abrank.inference.effect_size import effect_interval
from abrank.inference.equivalence import RelativeChange, relative_change
from abrank.inference.families import MaxT, max_t
from abrank.inference.paired import mean_and_error, skewness_of
from abrank.inference.rounding import differences_of, has_spread
from abrank.inference.sequential import anytime_result
from abrank.rule import Reason
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

Columns: TypeAlias = Sequence[int] | IntArray | slice
ALL = slice(None)


class Units(NamedTuple):
    """Sums over queries or clusters: of B - A, of A's scores, and the number of queries."""

    differences: FloatArray
    scores: FloatArray
    sizes: FloatArray

    def by_cluster(self, labels: Sequence[str]) -> Units:
        """Sum over clusters; ``labels`` is the cluster of each unit."""
        place = np.unique(labels, return_inverse=True)[1]
        return Units(*(np.bincount(place, item).astype(np.float64) for item in self))


class Sample(ABC):
    """The scores of two systems, and the tests of B against A by each measure."""

    # `columns` are positions in `measures`. `wins`, int64[n_measures, 3], counts the queries on
    # which B scores higher, equal and lower. `means`, float64[2, n_measures], are those of A and B.
    # `n_units` counts clusters, or queries if they are independent. `by` is the name of the
    # deciding test, and `lead` the position of the primary measure.

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
        """The alternatives in a saved comparison that need the runs."""
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
        """Number of queries in the smallest part whose variance is estimated separately."""
        return self.n

    @property
    def n_units(self) -> int:
        return self.n

    @property
    def few_clusters(self) -> bool:
        """Whether there are too few clusters for the cluster-robust t test."""
        return False

    @abstractmethod
    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        """Test the measures separately."""

    @abstractmethod
    def joint(self, confidence: float, columns: Columns) -> MaxT:
        """Test the measures jointly by max-T; samples that do not support it refuse it early."""

    @abstractmethod
    def relative(self, column: int, alpha: float) -> RelativeChange:
        """Return the relative change of the mean and its interval."""

    @abstractmethod
    def units(self, column: int) -> Units:
        """Return the sums per unit; only called if there are few units."""

    @abstractmethod
    def why_identical(self) -> str:
        """Return the reason code for two systems with equal scores on every query."""

    @abstractmethod
    def tests(self, rule: Rule, lead: int) -> Sequence[TestRow]:
        """Return every test of the primary measure, including the one that decides."""

    @abstractmethod
    def effects(self, rule: Rule, lead: int) -> Mapping[str, Effect]: ...
    @abstractmethod
    def spread(self, lead: int) -> Spread: ...
    @abstractmethod
    def deviation(self, lead: int) -> float:
        """Return the standard deviation of the differences for planning the next test."""

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
        """Yield alternative choices, each with its sample of the primary measure."""
        return ()

    def without_supporting(
        self, rule: Rule, direction: int
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        """Yield the sample without its strongest supporters: all of them, one, two, …."""
        return ()

    def cautions(self, result: Comparison) -> list[Note]:
        """Return the cautions that only this kind of sample can give."""
        return []

    def doubts(self) -> Sequence[Reason]:
        """Return why the evidence of a part of the sample is not sound."""
        return ()


# --- Independent queries, with one look or a confidence sequence

# The tests shown next to the one that decides.
COMPANIONS = ("t", "permutation", "bootstrap", "wilcoxon", "sign")
# Tests that divide the mean by its standard error. They are undefined if all differences are equal;
# then sign flips decide.
MEAN_AND_ERROR = frozenset({"t", "bootstrap", "hall"})
# Notes on single queries; they do not apply to clusters, confidence sequences and machines.
OF_SINGLE_QUERIES = frozenset({"few-signs", "one-query-decides", "skewness-decides"})


@record
class QuerySample(Sample):
    """The scores of two systems on independent queries."""

    # `saved` is the comparison that the scores were read from, if the runs are not available. It
    # provides what only the runs can tell.

    scores: Scores
    by: str = "t"
    seed: int = 0
    n_resamples: int | None = None
    segments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    saved: Comparison | None = None
    votes: Preferences | None = None

    @cached_property
    def pair(self) -> tuple[FloatArray, FloatArray]:
        """The scores of A and of B: float64[n_queries, n_measures]."""
        a, b = self.scores.values.swapaxes(0, 1)
        return a, b

    @cached_property
    def differences(self) -> FloatArray:
        """B - A: float64[n_queries, n_measures]."""
        return differences_of(*self.pair)

    @cached_property
    def means(self) -> FloatArray:
        if not self.n:
            return np.full((2, len(self.measures)), np.nan)
        return np.array([[column.mean() for column in scores.T] for scores in self.pair])

    @cached_property
    def wins(self) -> IntArray:
        signs = outcomes(self.differences)
        return np.stack([np.sum(signs == sign, axis=0) for sign in (1, 0, -1)], axis=1)

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        differences = self.differences[:, columns]
        answer = self._run(self.by, differences, confidence)
        constant = differences.any(axis=0) & ~has_spread(differences)
        if self.by not in MEAN_AND_ERROR or self.n < 2 or not constant.any():
            return answer
        level = confidence if np.ndim(confidence) == 0 else np.asarray(confidence)[constant]
        flips = self._run("permutation", differences[:, constant], level)
        for values, replaced in zip(answer.arrays, flips.arrays, strict=True):
            values[constant] = replaced
        return answer

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        return inference.run_test(
            test, differences, confidence=confidence, seed=self.seed, n_resamples=self.n_resamples
        )

    def joint(self, confidence: float, columns: Columns) -> MaxT:
        return max_t(self.differences[:, columns], confidence=confidence, seed=self.seed)

    def relative(self, column: int, alpha: float) -> RelativeChange:
        a, b = (scores[:, column] for scores in self.pair)
        return relative_change(partial(self._run, "t"), a, b, alpha=alpha)

    def units(self, column: int) -> Units:
        return Units(self.differences[:, column], np.abs(self.pair[0][:, column]), np.ones(self.n))

    def why_identical(self) -> str:
        if self.saved is not None:  # known from the ranked lists at that time
            return self.saved.decision.reason
        first, second = (self.scores.judged_runs.get(system) for system in self.scores.systems)
        if first is not None and second is not None:
            # Equal lists have equal grades by rank.
            fields = attrgetter("query", "rank", "grade", "n_retrieved")
            if all(map(np.array_equal, fields(first.judged), fields(second.judged))):
                return "same-rankings"
        return "tied-scores"

    def tests(self, rule: Rule, lead: int) -> Sequence[TestRow]:
        differences = self.differences[:, lead]
        # A user-defined test comes first.
        names = (*([] if self.by in COMPANIONS else [self.by]), *COMPANIONS)
        return Deferred(*self._runs(names, differences, rule, decides=self.by))

    def _runs(
        self, names: Sequence[str], differences: FloatArray, rule: Rule, *, decides: str = ""
    ) -> list[Callable[[], TestRow]]:
        """Return one function per test that runs it; ``decides`` names the deciding test."""

        def run(name: str) -> TestRow:
            result = inference.run_test(
                name, differences, confidence=rule.confidence, seed=self.seed,
                n_resamples=self.n_resamples,
            )  # fmt: skip
            return TestRow.of(result, inference.TESTS[name].title, decides=name == decides)

        return [partial(run, name) for name in names]

    def effects(self, rule: Rule, lead: int) -> Mapping[str, Effect]:
        a, b, differences = (columns[:, lead] for columns in (*self.pair, self.differences))
        result = {}
        for name in inference.EFFECT_SIZES:
            swap = name in WHO_WINS and not rule.higher_is_better
            pair, sign = ((b, a), -1.0) if swap else ((a, b), 1.0)
            size = effect_interval(
                name, *pair, confidence=rule.confidence, differences=sign * differences[:, None]
            )
            low, high = (
                float(end[0]) if self._independent else math.nan
                for end in (size.ci_low, size.ci_high)
            )
            result[name] = Effect(float(size.estimate[0]), low, high, size.method)
        return result

    def spread(self, lead: int) -> Spread:
        return spread(*(columns[:, lead] for columns in (*self.pair, self.differences)))

    def deviation(self, lead: int) -> float:
        return float(np.std(self.differences[:, lead], ddof=1)) if self.n > 1 else math.nan

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        return segment(
            self.segments, self.scores.query_ids, self.differences[:, lead], rule,
            seed=self.seed, clusters=self.labels or None, weights=self.values,
        )  # fmt: skip

    @property
    def labels(self) -> tuple[str, ...]:
        """The cluster of each query; empty if queries are independent."""
        return ()

    @property
    def values(self) -> FloatArray | None:
        """The weight of each query; None if all count the same."""
        return None

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        scores, (a, b), rule = self.scores, self.pair, plan.rule
        query_ids = set(scores.query_ids) if self.topics else set()
        differences = self.differences[:, self.measures.index(rule.primary)]
        if self.saved is None:
            evidence = collect_details(scores, plan.definition, differences)
        else:
            evidence = self.saved.evidence
        return {
            "a": a,
            "b": b,
            "remarks": scores.notes,
            "audits": {
                key: scores.audits[system]
                for key, system in zip("ab", scores.systems, strict=True)
                if system in scores.audits
            },
            "topics": {query: text for query, text in self.topics.items() if query in query_ids},
            "evidence": evidence,
            "preferences": self._preferences(rule, differences),
        }

    def _preferences(self, rule: Rule, differences: FloatArray) -> Preferences | None:
        """Return the statistics of the votes, with the share of queries without tie that B wins."""
        if self.votes is None or not (self._independent and differences.any()):
            return self.votes
        sign_test = inference.run_test("sign", differences, confidence=rule.confidence)
        by_flips = rule.test == "permutation" and rule.design is None
        attainable = attainable_level(differences, rule.alpha) if by_flips else None
        return replace(self.votes, decided=share_of_net(sign_test), attainable=attainable)

    def alternative_samples(
        self, plan: AnalysisPlan, evidence: RunDetails
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        unjudged = any(evidence.n_unjudged)
        for choice in other_choices(
            self.scores, plan.rule, plan.definition, self.deep, unjudged=unjudged
        ):
            yield choice, self.of(choice.scores)

    def without_supporting(
        self, rule: Rule, direction: int
    ) -> Iterable[tuple[OtherChoice, Sample]]:
        gains = self._contributions(self.measures.index(rule.primary))
        gains *= direction if rule.higher_is_better else -direction
        for choice in without_supporting(self.scores, rule.primary, gains):
            yield choice, self.of(choice.scores)

    def _contributions(self, column: int) -> FloatArray:
        """Return the contribution of each query to the mean difference, up to a factor."""
        return self.differences[:, column].copy()

    def of(self, scores: Scores) -> QuerySample:
        """Return the same kind of sample for other scores of the same systems."""
        return replace(self, scores=scores, saved=None)

    @cached_property
    def deep(self) -> UnequalDepth | None:
        """The scores at a common depth, if the runs differ in depth."""
        return unequal_depth(self.scores)

    def cautions(self, result: Comparison) -> list[Note]:
        rule = result.rule
        if self.saved is None:
            depths = inspect_depth(self.deep, self.scores, keys="ab", primary=rule.primary)
        else:
            guards = ("guard-turned", "guard-scores")
            depths = [
                note
                for note in self.saved.notes
                if note.code == "unequal-depth"
                or (note.code in guards and note.values["kind"] in OF_RUNS)
            ]
        notes = inspect_differences(
            self.differences[:, self.measures.index(rule.primary)],
            self._rows_for_cautions(result.test_rows),
            alpha=rule.alpha,
            query_ids=self.scores.query_ids,
        )
        if self.by in ("t", "permutation") and self.n > 1:
            moments = *mean_and_error(self.differences), skewness_of(self.differences)
            notes += inspect_skewness(
                moments, self.n, result.rows, alpha=rule.alpha, primary=rule.primary,
                margin=result.decision.margin,
            )  # fmt: skip
        notes = [note for note in notes if note.code not in self._left_out]
        vote_notes = self.votes.notes() if self.votes is not None else []
        return [*notes, *vote_notes, *inspect_inputs(result.audits, self.scores.query_ids), *depths]

    _left_out = frozenset[str]()
    _independent = True

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return rows


SEQUENCE = "Confidence sequence"


@record
class Sequential(QuerySample):
    """Queries that may be analysed at any time, tested by a confidence sequence."""

    planned: int = 0
    alpha: float = 0.05
    _left_out = OF_SINGLE_QUERIES

    def _run(
        self, test: str, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult:
        if test == "bounded":  # it is valid at any number of looks
            return super()._run(test, differences, confidence)
        return anytime_result(
            differences, planned=self.planned, alpha=self.alpha, confidence=confidence
        )

    def tests(self, rule: Rule, lead: int) -> Sequence[TestRow]:
        differences = self.differences[:, lead]
        completed = self._run(self.by, differences, rule.confidence)
        first = TestRow.of(completed, SEQUENCE, decides=True)
        return Deferred(lambda: first, *self._runs(COMPANIONS, differences, rule))

    def _rows_for_cautions(self, rows: Sequence[TestRow]) -> Sequence[TestRow]:
        return tuple(row for row in rows if row.decides)
