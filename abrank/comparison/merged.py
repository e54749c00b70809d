"""The merged statistics of partitions as a sample: sums, counts, and no query by itself."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.comparison.designs import IGNORING, OF_CLUSTERS
from abrank.comparison.evidence import Alternative, Choice, RunDetails
from abrank.comparison.groups import Clusters, Segmentation, segment_rows
from abrank.comparison.plans import ClusterSizes
from abrank.comparison.result import Comparison
from abrank.comparison.rows import (
    Cell,
    Effect,
    ExtremeQuery,
    MeasureResult,
    MergedQueries,
    Spread,
    TestRow,
)
from abrank.comparison.sample import ALL, Columns, Sample, Units
from abrank.diagnostics import Note
from abrank.diagnostics.notes import inspect_losses, inspect_skewness
from abrank.diagnostics.runs import inspect_inputs
from abrank.engines.merge import MeasureStatistics, Statistics, exact_value, statistics_from
from abrank.inference.clusters import (
    FEWEST_EFFECTIVE,
    deciding_test,
    effective_clusters,
    freedom_of_clusters,
    run_on_sums,
    standard_error,
)
from abrank.inference.counted import Counts
from abrank.inference.effect_size import counted_effects
from abrank.inference.equivalence import RelativeChange, relative_change_of_moments
from abrank.inference.paired import skewed_t, t_answer
from abrank.inference.registry import as_alpha
from abrank.inference.rounding import TIE, differences_of
from abrank.inference.segments import MIN_QUERIES, heterogeneity, holm_levels
from abrank.inputs import Audit
from abrank.rule import Reason
from abrank.verdict import FEW_QUERIES, Decision, Rule

LONGEST, MOST_ZEROS = 2000, 4000  # of the text of a sum
SHARES = np.linspace(0.0, 1.0, 201)
MOST_VALUES, MOST_BINS = 25, 80
# The tests of the primary measure that counts of differences allow beside the t test.
_COUNTED = ("permutation", "wilcoxon", "sign")
_UNIT = 1 << 1074


@record
class Moments:
    """Means and standard errors, one a column: a measure, or a segment of the queries."""

    # The error is NaN where the differences are all one value, the skewness 0 where it is not
    # known.

    means: FloatArray
    errors: FloatArray
    freedom: FloatArray
    identical: BoolArray
    n_queries: int
    skewness: FloatArray

    def take(self, columns: Columns) -> Moments:
        """Return some of the columns."""
        return Moments(
            self.means[columns], self.errors[columns], self.freedom[columns],
            self.identical[columns], self.n_queries, self.skewness[columns],
        )  # fmt: skip

    def run(self, confidence: float | FloatArray, *, skewed: bool = False) -> inference.TestResult:
        """Test by Student's t, two-sided, as :func:`abrank.inference.run_test` does."""
        alpha = as_alpha(confidence, len(self.means))
        statistic, pvalue, low, high = t_answer(self.means, self.errors, self.freedom, alpha)
        if skewed:
            pvalue, low, high = skewed_t(
                self.means, self.errors, self.skewness, self.freedom + 1.0, alpha
            )
        statistic, low, high = (
            np.where(self.identical, 0.0, each) for each in (statistic, low, high)
        )
        pvalue = np.where(self.identical, 1.0, pvalue)
        rows = np.stack([self.means, statistic, pvalue, low, high])
        return inference.TestResult.of_mean(
            rows, test="t", confidence=confidence, n_queries=self.n_queries
        )


@record
class FlippedClusters:
    """Sums over clusters of which t can say nothing, tested by the flips of their signs."""

    sums: FloatArray
    sizes: IntArray
    seed: int

    @property
    def means(self) -> FloatArray:
        """Mean difference of each column."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    @property
    def errors(self) -> FloatArray:
        """NaN: no t is taken of them."""
        return np.full(self.sums.shape[1], np.nan)

    @property
    def freedom(self) -> FloatArray:
        """NaN likewise."""
        return self.errors

    def take(self, columns: Columns) -> FlippedClusters:
        """Return some of the columns."""
        return FlippedClusters(self.sums[:, columns], self.sizes, self.seed)

    def run(self, confidence: float | FloatArray) -> inference.TestResult:
        """Test by the sign flips of clusters."""
        return run_on_sums(
            "permutation", self.sums, self.sizes, confidence=confidence, seed=self.seed
        ).as_test()


def moments_of_clusters(statistics: Statistics, *, seed: int) -> Moments | FlippedClusters:
    """Return mean and cluster-robust error of every measure; the sums where these are flipped."""
    sums, sizes = cluster_sums(statistics)
    if deciding_test("t", sizes) != "t":
        return FlippedClusters(sums, sizes, seed)
    few = effective_clusters(sizes) < FEWEST_EFFECTIVE["t"]
    pairs = [
        (
            exact_value(own.sums[2]) / statistics.n_queries,
            float("nan") if few else standard_error(sums[:, m], sizes),
        )
        for m, own in enumerate(statistics.of)
    ]
    identical = np.array([not own.wins + own.losses for own in statistics.of])
    freedom = np.full(len(pairs), freedom_of_clusters(sizes))
    return _moments(pairs, freedom, identical, statistics.n_queries)


def cluster_sums(statistics: Statistics) -> tuple[FloatArray, IntArray]:
    """Return the sums of every cluster, float64[n_clusters, n_measures], and its queries."""
    every = list(statistics.clusters.values())
    sums = [[exact_value(total) for total in each[1:]] for each in every]
    return np.array(sums), np.array([each[0] for each in every], dtype=np.int64)


def moments_of_segments(statistics: Statistics, name: str, measure: int) -> Moments:
    """Return mean and error of one measure in each segment of a property."""
    every = list(statistics.segments[name].values())
    kept = (len(every[0]) - 1) // len(statistics.measures)
    place = 1 + kept * measure
    pairs = [mean_and_error(each[0], *each[place : place + 2]) for each in every]
    sizes = np.array([each[0] for each in every], dtype=np.float64)
    identical = np.array([each[place + 1] == 0 for each in every])
    found = _moments(pairs, sizes - 1.0, identical, statistics.n_queries)
    if kept < 3:
        return found
    skewness = [
        _skewness(each[0], each[place : place + 3]) if np.isfinite(error) else 0.0
        for each, (_, error) in zip(every, pairs, strict=True)
    ]
    return replace(found, skewness=np.array(skewness))


def _skewness(n: int, sums: tuple[int, ...]) -> float:
    first, second, third = (Fraction(each, _UNIT) / n for each in sums)
    spread = math.sqrt(second - first**2)
    return float(third - 3 * first * second + 2 * first**3) / spread**3


def mean_and_error(n: int, total: int, squares: int) -> tuple[float, float]:
    """Return mean and standard error from exact sums; NaN where there is no spread but rounding."""
    mean = Fraction(total, _UNIT) / n
    if n < 2:
        return float(mean), float("nan")
    variance = (Fraction(squares, _UNIT) - n * mean**2) / (n - 1)
    if variance <= (TIE * mean) ** 2:
        return float(mean), float("nan")
    return float(mean), float(variance / n) ** 0.5


def score_moments(
    n: int, sums: tuple[int, ...]
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Return the means of A and B, their sample variances and their covariance."""
    a, b, _, squares_a, squares_b, crossed, _ = (Fraction(each, _UNIT) for each in sums)
    products = (squares_a, a, a), (squares_b, b, b), (crossed, a, b)
    var_a, var_b, cov = (
        float((total - one * other / n) / max(n - 1, 1)) for total, one, other in products
    )
    return (float(a / n), float(b / n)), (var_a, var_b, cov)


def _moments(
    pairs: list[tuple[float, float]], freedom: FloatArray, identical: BoolArray, n: int
) -> Moments:
    means, errors = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return Moments(means, errors, freedom, identical, n, np.zeros(len(means)))


@dataclass(frozen=True)
class Merged:
    """Two systems on more queries than one machine holds; the t test decides."""

    # `partitions` are how many were scored and how many could not be, `missing` what became of
    # queries that a run lacks, `same_file` says that both were read from files of one content.

    statistics: Statistics
    names: tuple[str, str] = ("A", "B")
    seed: int = 0
    clustered_by: str = ""
    partitions: tuple[int, int] = (0, 0)
    audits: Mapping[str, Audit] = field(default_factory=dict)
    missing: str = ""
    remarks: tuple[str, ...] = ()
    same_file: bool = False

    by = "t"
    n_resamples = None
    kept: ClassVar[tuple[Alternative, ...]] = ()
    query_ids: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.statistics.n_queries < 2:
            raise ArgumentError("two queries at least are compared")

    @classmethod
    def again(cls, saved: Comparison) -> Merged:
        """Return the sample of a comparison that holds its statistics."""
        merged = saved.merged
        if merged is None or merged.statistics is None:
            raise ArgumentError("the statistics of the partitions are not there")
        statistics = statistics_again(merged.statistics)
        if statistics.measures != saved.measures:
            raise ArgumentError("the statistics of the partitions are of other measures")
        design = saved.rule.design
        told = {saved.decision.reason, *(x.code for x in saved.decision.soundness.reasons)}
        return cls(
            statistics,
            (saved.baseline, saved.candidate),
            seed=saved.seed,
            clustered_by=design.clusters if design is not None and statistics.clusters else "",
            partitions=(merged.n_partitions, merged.n_skipped),
            audits=saved.audits,
            missing=merged.missing,
            remarks=saved.remarks,
            same_file="same-file" in told,
        )

    @property
    def measures(self) -> tuple[str, ...]:
        return self.statistics.measures

    @property
    def n(self) -> int:
        return self.statistics.n_queries

    @property
    def weighted_by(self) -> str:
        return ""

    @property
    def n_units(self) -> int:
        return len(self.statistics.clusters) or self.n

    @property
    def few_clusters(self) -> bool:
        sizes = [each[0] for each in self.statistics.clusters.values()]
        return bool(sizes) and effective_clusters(sizes) < FEWEST_EFFECTIVE["t"]

    @cached_property
    def means(self) -> FloatArray:
        sums = [[exact_value(own.sums[side]) for own in self.statistics.of] for side in (0, 1)]
        return np.array(sums) / self.n

    @property
    def wins(self) -> IntArray:
        return np.array([(own.wins, own.ties, own.losses) for own in self.statistics.of])

    @cached_property
    def _independent(self) -> Moments:
        """Mean and error of every measure, of queries that are independent, rounded once."""
        of, n = self.statistics.of, self.n
        pairs = [mean_and_error(n, own.sums[2], own.sums[6]) for own in of]
        identical = np.array([not own.wins + own.losses for own in of])
        return _moments(pairs, np.full(len(pairs), n - 1.0), identical, n)

    @cached_property
    def _moments(self) -> Moments | FlippedClusters:
        if not self.statistics.clusters:
            return self._independent
        return moments_of_clusters(self.statistics, seed=self.seed)

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        return self._moments.take(columns).run(confidence)

    def joint(self, confidence: float, columns: Columns) -> inference.MaxT:
        raise ArgumentError("max-t needs the scores of every query; use holm, bonferroni or bh")

    def relative(self, column: int, alpha: float) -> RelativeChange:
        if self.statistics.clusters:
            raise ArgumentError(
                "merged statistics hold no scores of A by cluster, which a margin or guard in per"
                " cent needs; give it in the unit of the measure, or leave out --merged"
                " (Engine(merged=))"
            )
        means, moments = score_moments(self.n, self.statistics.of[column].sums)
        return relative_change_of_moments(self.n, means, moments, alpha=alpha)

    def units(self, column: int) -> Units:
        # Of so few the statistics hold each.
        if self.statistics.clusters:
            sums, sizes = cluster_sums(self.statistics)
            return Units(sums[:, column], np.full(len(sizes), np.nan), sizes.astype(np.float64))
        every = self.statistics.of[column].smallest
        a, b = np.array([(each.a, each.b) for each in every]).T
        return Units(differences_of(a, b), np.abs(a), np.ones(len(every)))

    def range_of(self, column: int) -> tuple[float, float]:
        a, b = self.means[:, column].tolist()
        return min(a, b), max(a, b)

    def alike(self) -> str:
        return "same-file" if self.same_file else "tied-scores"

    def tests(self, rule: Rule, row: MeasureResult, lead: int) -> tuple[TestRow, ...]:
        plain = self._independent.take([lead]).run(rule.confidence)
        if self.statistics.clusters:
            sums, sizes = cluster_sums(self.statistics)
            rows = [
                TestRow.of(
                    run_on_sums(
                        name, sums[:, [lead]], sizes, confidence=rule.confidence, seed=self.seed
                    ).as_test(),
                    title,
                    decides=name == deciding_test(rule.test, sizes),
                )
                for name, title in OF_CLUSTERS.items()
            ]
            return *rows, TestRow.of(plain, IGNORING, decides=False)
        rows = [TestRow.of(plain, inference.TESTS["t"].title, decides=True)]
        counted = counts_of(self.statistics.of[lead])
        for name in _COUNTED:
            found = counted.test(name, confidence=rule.confidence)
            rows.append(TestRow.of(found, inference.TESTS[name].title, decides=False))
        return tuple(rows)

    def effects(self, rule: Rule, row: MeasureResult, lead: int) -> Mapping[str, Effect]:
        # d_av and glass_delta are without interval: their limits take the scores' fourth moments.
        own = self.statistics.of[lead]
        sd = float(self._independent.errors[lead]) * math.sqrt(self.n)
        found = counted_effects(
            counts_of(own),
            d_z=0.0 if not row.wins + row.losses else row.diff / sd,
            alpha=1.0 - rule.confidence,
            higher_is_better=rule.higher_is_better,
        )
        clustered = bool(self.statistics.clusters)
        made = {name: Effect.of(each, has_interval=not clustered) for name, each in found.items()}
        _, (var_a, var_b, _) = score_moments(self.n, own.sums)
        for name, variance in (("d_av", (var_a + var_b) / 2.0), ("glass_delta", var_a)):
            size = row.diff / math.sqrt(variance) if variance > 0.0 else math.nan
            made[name] = Effect(size, math.nan, math.nan, "none")
        return {name: made[name] for name in inference.EFFECT_SIZES}

    def spread(self, lead: int) -> Spread:
        own = self.statistics.of[lead]
        counted = counts_of(own)
        low, middle, high = counted.quantiles(np.array([0.25, 0.5, 0.75])).tolist()
        _, (var_a, var_b, cov) = score_moments(self.n, own.sums)
        known = self.n > 2 and var_a > 0.0 and var_b > 0.0
        correlation = cov / math.sqrt(var_a * var_b) if known else math.nan
        return Spread(low, middle, high, *counted.moments(), correlation)

    def deviation(self, lead: int) -> float:
        sd = float(self._independent.errors[lead]) * self.n**0.5
        return sd if math.isfinite(sd) else 0.0

    def clusters(self, rule: Rule, lead: int) -> tuple[Clusters | None, ClusterSizes] | None:
        if not self.statistics.clusters:
            return None
        sums, sizes = cluster_sums(self.statistics)
        found = Clusters.of(
            self.clustered_by, sums[:, lead], sizes, test=rule.test,
            plain_error=float(self._independent.errors[lead]),
            squares=exact_value(self.statistics.of[lead].sums[6]),
        )  # fmt: skip
        return found, ClusterSizes(sizes, found.lasting_share)

    def segmentations(self, rule: Rule, lead: int) -> tuple[Segmentation, ...]:
        """Compare the systems in every segment of every property by t, all adjusted together."""
        of = {
            name: moments_of_segments(self.statistics, name, lead)
            for name in self.statistics.segments
        }
        if not of:
            return ()
        joined = {
            each.name: np.concatenate([getattr(own, each.name) for own in of.values()])
            for each in fields(Moments)
            if each.name != "n_queries"
        }
        every = Moments(**joined, n_queries=self.statistics.n_queries)
        large, alpha = every.freedom + 1 >= MIN_QUERIES, round(1.0 - rule.confidence, 12)
        plain = every.run(rule.confidence)
        pvalue = np.where(large, every.run(rule.confidence, skewed=True).pvalue, np.nan)
        adjusted, levels = (each[:, 0] for each in holm_levels(pvalue[:, None], alpha))
        wide = every.run(levels, skewed=True)
        columns = (plain.pvalue, plain.ci_low, plain.ci_high, adjusted, wide.ci_low, wide.ci_high)
        answers = iter(np.where(large, np.stack(columns), np.nan).T.tolist())
        found, total = [], np.sign(exact_value(self.statistics.of[lead].sums[2]))
        for name, own in of.items():
            n = own.freedom + 1.0
            judged = (n >= MIN_QUERIES) & np.isfinite(own.errors)
            signs = np.sign(own.means[n >= MIN_QUERIES]) * total
            labels = self.statistics.segments[name]
            sizes = zip(labels, n.astype(int).tolist(), own.means.tolist(), strict=True)
            found.append(
                Segmentation(
                    name=name,
                    labels=(),
                    rows=segment_rows(sizes, rule, answers),
                    interaction_pvalue=heterogeneity(
                        n, own.means, np.where(judged, own.errors**2 * n, 0.0)
                    ).pvalue,
                    reversal=bool(np.sum(signs < 0) > np.sum(signs > 0)),
                )
            )
        interactions = np.array([each.interaction_pvalue for each in found])
        together = inference.adjust(interactions, "holm")
        return tuple(
            replace(each, interaction_pvalue_adj=float(adjusted))
            for each, adjusted in zip(found, together, strict=True)
        )

    def others(self, rule: Rule, evidence: RunDetails) -> Sequence[tuple[Choice, Sample]]:
        return ()

    def found(self, rule: Rule, decision: Decision) -> dict[str, Any]:
        lead = self.measures.index(rule.primary)
        own, moments = self.statistics.of[lead], self._moments
        counted = counts_of(own)
        queries = MergedQueries(
            n_queries=self.n,
            n_partitions=self.partitions[0],
            n_skipped=self.partitions[1],
            step=own.counted.step,
            errors=tuple(moments.errors.tolist()),
            freedom=float(moments.freedom[lead]),
            missing=self.missing,
            profile=tuple(counted.quantiles(SHARES).tolist()),
            cells=cells_of(counted),
            smallest=tuple(ExtremeQuery(x.query_id, x.a, x.b, x.difference) for x in own.smallest),
            largest=tuple(ExtremeQuery(x.query_id, x.a, x.b, x.difference) for x in own.largest),
            statistics=_kept(self.statistics, lead, {each.measure for each in rule.guards}),
        )
        none = np.empty((0, len(self.measures)))
        return {
            "a": none,
            "b": none,
            "audits": dict(self.audits),
            "remarks": self.remarks,
            "merged": queries,
        }

    def cautions(self, made: Comparison) -> list[Note]:
        known = {query for audit in self.audits.values() for query in audit.missing}
        seen = () if self.missing == "drop" else tuple(known)
        own = self.statistics.of[self.measures.index(made.rule.primary)]
        notes = _losses(made, own)
        if not self.statistics.clusters:
            found = self._independent
            skewness = np.array([counts_of(each).moments()[0] for each in self.statistics.of])
            notes += inspect_skewness(
                (found.means, found.errors, skewness), self.n, made.rows,
                alpha=made.rule.alpha, primary=made.rule.primary,
            )  # fmt: skip
        return [*notes, *inspect_inputs(self.audits, seen)]

    def doubts(self) -> Sequence[Reason]:
        return ()


def _losses(made: Comparison, own: MeasureStatistics) -> list[Note]:
    """Return the caution on large losses, where B is shown to be better; see there."""
    sign = 1.0 if made.rule.higher_is_better else -1.0
    if not made.pvalue < made.rule.alpha or sign * made.mean_difference <= 0.0:
        return []
    n_below, below, n_above, above = own.beyond
    lost, n_gained = (n_below, exact_value(below)), n_above
    if sign < 0.0:
        lost, n_gained = (n_above, -exact_value(above)), n_below
    end = (own.smallest if sign > 0.0 else own.largest)[0]
    worst = end.query_id, sign * end.difference
    return inspect_losses(
        made.n_queries, made.rule.primary, lost=lost, n_gained=n_gained, worst=worst
    )


def counts_of(own: MeasureStatistics) -> Counts:
    """Return the differences of a measure as counts."""
    values, counts = own.counted.values()
    return Counts(values, counts, own.counted.step, exact_value(own.sums[2]))


def _kept(statistics: Statistics, lead: int, guards: Collection[str]) -> dict[str, Any]:
    """Return what gives the comparison again, as JSON has it; counts of one measure only."""
    # Of a few queries the guards take each.
    few = statistics.n_queries < FEW_QUERIES
    found = statistics.to_dict()
    for m, each in enumerate(found["of"]):
        every: dict[str, Any] = {"counted": [None, []], "smallest": [], "largest": []}
        if m == lead or (few and statistics.measures[m] in guards):
            every |= {key: [list(x) for x in each[key]] for key in ("smallest", "largest")}
        if m == lead:
            exponent, items = each["counted"]
            every["counted"] = [exponent, [list(x) for x in items]]
        sums = _texts({key: each[key] for key in ("sums", "beyond")})
        found["of"][m] = {**each, **sums, **every}
    found["clusters"] = _texts(found["clusters"])
    found["segments"] = {name: _texts(each) for name, each in found["segments"].items()}
    return found


def statistics_again(kept: Mapping[str, Any]) -> Statistics:
    """Return the statistics that a comparison holds."""
    try:
        of = [
            {**each, **_numbers({key: each[key] for key in ("sums", "beyond")})}
            for each in kept["of"]
        ]
        return statistics_from(
            {
                **kept,
                "of": of,
                "clusters": _numbers(kept["clusters"]),
                "segments": {name: _numbers(each) for name, each in kept["segments"].items()},
            }
        )
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise ArgumentError(f"the statistics of the partitions are damaged: {problem}") from None


def _texts(sums: Mapping[str, Sequence[int]]) -> dict[str, list[str]]:
    return {label: list(map(_text, each)) for label, each in sums.items()}


def _numbers(sums: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    return {label: list(map(_number, each)) for label, each in sums.items()}


def _text(total: int) -> str:
    """Return a number of units of 2**-1074, most of whose bits are 0, shortly and exactly."""
    zeros = (total & -total).bit_length() - 1 if total else 0
    return f"{total >> zeros:x}p{zeros}"


def _number(text: str) -> int:
    digits, _, zeros = text.partition("p")
    if len(text) > LONGEST or not 0 <= int(zeros) <= MOST_ZEROS:
        raise ValueError(f"{text[:20]!r} is no sum")
    return int(digits, 16) << int(zeros)


def cells_of(counted: Counts) -> tuple[Cell, ...]:
    """Return counts to draw: of each value where they are few, else of some 80 bins and of 0."""
    values, counts = counted.values, counted.counts
    if len(values) <= MOST_VALUES:
        pairs = zip(values.tolist(), counts.tolist(), strict=True)
        return tuple(Cell(value, 0.0, n) for value, n in pairs)
    width = float(np.abs(values).max()) / (MOST_BINS / 2)
    place = np.sign(values) * np.ceil(np.abs(values) / width * (1.0 - 1e-12))
    bins, which = np.unique(place, return_inverse=True)
    n = np.bincount(which, counts).astype(int).tolist()
    return tuple(
        Cell(width * (each - 0.5 * math.copysign(1.0, each)) if each else 0.0,
             width if each else 0.0, number)
        for each, number in zip(bins.tolist(), n, strict=True)
    )  # fmt: skip
