"""The parts of a comparison beside its verdict, from merged statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank.comparison.companions import IGNORING, OF_CLUSTERS, row_of
from abrank.comparison.designs import Clusters
from abrank.comparison.effects import Effect, Spread
from abrank.comparison.groups import Segmentation, segment_rows
from abrank.comparison.merged.moments import (
    FlippedClusters,
    Moments,
    cluster_sums,
    moments_of,
    moments_of_segments,
    score_moments,
)
from abrank.comparison.merged.result import Cell, ExtremeQuery, MergedQueries
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.engines.counted import exact_value
from abrank.engines.merge import Extreme, MeasureStatistics, Statistics, statistics_from
from abrank.inference.designs.as_tests import sums_result
from abrank.inference.designs.clusters import deciding_test
from abrank.inference.estimates.effect_size import counted_effects
from abrank.inference.estimates.segments import MIN_QUERIES, heterogeneity
from abrank.inference.paired.counted import Counts, result_of
from abrank.verdict import Rule

LONGEST, MOST_ZEROS = 2000, 4000  # of the text of a sum
SHARES = np.linspace(0.0, 1.0, 201)
MOST_VALUES, MOST_BINS = 25, 80
# The tests of the primary measure that counts of differences allow beside the t test.
_COUNTED: tuple[tuple[str, dict[str, str]], ...] = (
    ("permutation", {}),
    ("wilcoxon", {}),
    ("sign", {}),
)


def counts_of(own: MeasureStatistics) -> Counts:
    """Return the differences of a measure as counts."""
    values, counts = own.counted.values()
    return Counts(values, counts, own.counted.step, exact_value(own.sums[2]))


def rows_of_tests(
    statistics: Statistics, lead: int, moments: Moments | FlippedClusters, rule: Rule, *, seed: int
) -> tuple[TestRow, ...]:
    """Return every test of the primary measure; the first decides."""
    if statistics.clusters:
        return _of_clusters(statistics, lead, rule, seed)
    t = moments.take([lead]).run(np.empty((0, 1)), rule.confidence)
    rows = [row_of(t, inference.TESTS["t"].title, decides=True)]
    counted = counts_of(statistics.of[lead])
    for name, options in _COUNTED:
        answer = counted.run(name, alpha=1.0 - rule.confidence, **options)
        found, title = result_of(name, answer, counted.n_queries, rule.confidence, **options)
        rows.append(row_of(found, title, decides=False))
    return tuple(rows)


def _of_clusters(statistics: Statistics, lead: int, rule: Rule, seed: int) -> tuple[TestRow, ...]:
    sums, sizes = cluster_sums(statistics)
    rows = [
        row_of(
            sums_result(name, sums[:, [lead]], sizes, confidence=rule.confidence, seed=seed),
            title,
            decides=name == deciding_test(rule.test, sizes),
        )
        for name, title in OF_CLUSTERS.items()
    ]
    plain = moments_of(statistics).take([lead]).run(np.empty((0, 1)), rule.confidence)
    return *rows, row_of(plain, IGNORING, decides=False)


def clusters_of(name: str, statistics: Statistics, lead: int, rule: Rule) -> Clusters | None:
    """Count the clusters, and say what they make of the standard error."""
    if not statistics.clusters:
        return None
    sums, sizes = cluster_sums(statistics)
    plain = float(moments_of(statistics).errors[lead])
    squares = exact_value(statistics.of[lead].sums[6])
    return Clusters.of(
        name, sums[:, lead], sizes, test=rule.test, plain_error=plain, squares=squares
    )


def segmentations(statistics: Statistics, lead: int, rule: Rule) -> tuple[Segmentation, ...]:
    """Compare the systems in every segment of every property by t, all adjusted together."""
    names = list(statistics.segments)
    of = {name: moments_of_segments(statistics, name, lead) for name in names}
    if not names:
        return ()
    every = _joined([of[name] for name in names])
    large = every.freedom + 1 >= MIN_QUERIES
    plain = every.run(np.empty((0, 0)), rule.confidence)
    pvalue = np.where(large, plain.pvalue, np.nan)
    adjusted = inference.adjust(pvalue, "holm")
    known = np.isfinite(adjusted)
    # A p of 0 is tested at Bonferroni's level.
    share = np.full(pvalue.shape, 1.0 / max(1, int(known.sum())))
    np.divide(pvalue, adjusted, out=share, where=known & (adjusted > 0.0))
    share[~known] = 1.0
    wide = every.run(np.empty((0, 0)), 1.0 - (1.0 - rule.confidence) * share)
    columns = (pvalue, plain.ci_low, plain.ci_high, adjusted, wide.ci_low, wide.ci_high)
    answers = iter(np.where(large, np.stack(columns), np.nan).T.tolist())
    interactions = np.array([_interaction(of[name]) for name in names])
    together = inference.adjust(interactions, "holm")
    return tuple(
        Segmentation(
            name=name,
            labels=(),
            rows=segment_rows(
                zip(
                    statistics.segments[name],
                    (of[name].freedom + 1.0).astype(int).tolist(),
                    of[name].means.tolist(),
                    strict=True,
                ),
                rule,
                answers,
            ),
            interaction_pvalue=float(interactions[place]),
            reversal=_reversal(of[name], exact_value(statistics.of[lead].sums[2])),
            interaction_pvalue_adj=float(together[place]),
        )
        for place, name in enumerate(names)
    )


def _joined(every: Sequence[Moments]) -> Moments:
    return Moments(
        np.concatenate([each.means for each in every]),
        np.concatenate([each.errors for each in every]),
        np.concatenate([each.freedom for each in every]),
        np.concatenate([each.identical for each in every]),
        every[0].n_queries,
    )


def _interaction(of: Moments) -> float:
    n = of.freedom + 1.0
    large = (n >= MIN_QUERIES) & np.isfinite(of.errors)
    return heterogeneity(n, of.means, np.where(large, of.errors**2 * n, 0.0)).pvalue


def _reversal(of: Moments, total: float) -> bool:
    signs = np.sign(of.means[of.freedom + 1 >= MIN_QUERIES]) * np.sign(total)
    return bool(np.sum(signs < 0) > np.sum(signs > 0))


def effects_of(
    own: MeasureStatistics, row: MeasureResult, moments: Moments, rule: Rule, *, clustered: bool
) -> dict[str, Effect]:
    """Return the effect sizes; d_av and glass_delta without interval, and in clusters all."""
    counted = counts_of(own)
    deviation = float(moments.errors[0]) * math.sqrt(moments.n_queries)
    found = counted_effects(
        counted,
        d_z=0.0 if not row.wins + row.losses else row.diff / deviation,
        alpha=1.0 - rule.confidence,
        higher_is_better=rule.higher_is_better,
    )
    made = {name: Effect.of(each, has_interval=not clustered) for name, each in found.items()}
    # Their limits take the fourth moments of the scores.
    _, (var_a, var_b, _) = score_moments(moments.n_queries, own.sums)
    for name, variance in (("d_av", (var_a + var_b) / 2.0), ("glass_delta", var_a)):
        size = row.diff / math.sqrt(variance) if variance > 0.0 else math.nan
        made[name] = Effect(size, math.nan, math.nan, "none")
    return {name: made[name] for name in inference.EFFECT_SIZES}


def spread_of(own: MeasureStatistics, n: int) -> Spread:
    """Return how the differences are spread, and the correlation of A and B."""
    counted = counts_of(own)
    low, middle, high = counted.quantiles(np.array([0.25, 0.5, 0.75])).tolist()
    _, (var_a, var_b, cov) = score_moments(n, own.sums)
    known = n > 2 and var_a > 0.0 and var_b > 0.0
    correlation = cov / math.sqrt(var_a * var_b) if known else math.nan
    return Spread(low, middle, high, *counted.moments(), correlation)


def queries_of(
    statistics: Statistics,
    lead: int,
    moments: Moments | FlippedClusters,
    *,
    partitions: tuple[int, int] = (0, 0),
    missing: str = "",
) -> MergedQueries:
    """Return what stands in the place of the scores of every query."""
    own = statistics.of[lead]
    counted = counts_of(own)
    return MergedQueries(
        n_queries=statistics.n_queries,
        n_partitions=partitions[0],
        n_skipped=partitions[1],
        step=own.counted.step,
        errors=tuple(moments.errors.tolist()),
        freedom=float(moments.freedom[lead]),
        missing=missing,
        profile=tuple(counted.quantiles(SHARES).tolist()),
        cells=cells_of(counted),
        smallest=tuple(map(_extreme, own.smallest)),
        largest=tuple(map(_extreme, own.largest)),
        statistics=_kept(statistics, lead),
    )


def _kept(statistics: Statistics, lead: int) -> dict[str, Any]:
    """Return what gives the comparison again, as JSON has it; counts of one measure only."""
    found = statistics.to_dict()
    for m, each in enumerate(found["of"]):
        every: dict[str, Any] = {"counted": [None, []], "smallest": [], "largest": []}
        if m == lead:
            every = {key: [list(x) for x in each[key]] for key in ("smallest", "largest")}
            exponent, items = each["counted"]
            every["counted"] = [exponent, [list(x) for x in items]]
        sums = {key: list(map(_text, each[key])) for key in ("sums", "beyond")}
        found["of"][m] = {**each, **sums, **every}
    found["clusters"] = _texts(found["clusters"])
    found["segments"] = {name: _texts(each) for name, each in found["segments"].items()}
    return found


def statistics_again(kept: Mapping[str, Any]) -> Statistics:
    """Return the statistics that a comparison holds.

    Raises
    ------
    ArgumentError
        If they are damaged.
    """
    try:
        of = [
            {**each, **{key: list(map(_number, each[key])) for key in ("sums", "beyond")}}
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
    """Return counts to draw: of each value where they are few, else of some 80 bins and of 0.

    Examples
    --------
    >>> cells_of(Counts(np.array([0.0, 0.5]), np.array([1, 2]), 0.0, 1.0))
    (Cell(value=0.0, width=0.0, n_queries=1), Cell(value=0.5, width=0.0, n_queries=2))
    """
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


def _extreme(one: Extreme) -> ExtremeQuery:
    return ExtremeQuery(one.query_id, one.a, one.b, one.difference)
