"""Segments of the queries: what the primary measure says in each, and whether they differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from abrank import inference
from abrank._support.errors import AlignmentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.estimate import AdjustedRow, Interval
from abrank.inference.estimates.segments import (
    MIN_QUERIES,
    Segments,
    answer_by_segment,
    compare_segments,
    rows_by_label,
)
from abrank.verdict import Rule

UNNAMED = "(none)"


@record
class SegmentRow(AdjustedRow):
    """One segment: its queries, its mean difference, its interval alone and among all segments.

    ``reading`` is better, worse or unclear by the adjusted interval, or ``too few``.
    """

    label: str
    n_queries: int
    mean: float
    ci_low: float
    ci_high: float
    ci_low_adj: float
    ci_high_adj: float
    pvalue: float
    pvalue_adj: float
    reading: str


@record
class Segmentation:
    """The primary measure by one property of the queries; exploratory, never part of the verdict.

    Attributes
    ----------
    name : str
        Of the property: ``intent``.
    labels : tuple of str, length n_queries
        The segment of each query, in the order of the comparison's ``query_ids``.
    rows : tuple of SegmentRow
        The largest first.
    interaction_pvalue : float
        Of Welch's test that all segments have one mean; NaN where fewer than two can be judged.
    reversal : bool
        Whether most segments point against the total (Simpson's reversal).
    interaction_pvalue_adj : float
        The same test adjusted over all properties; NaN in files of earlier versions.
    """

    name: str
    labels: tuple[str, ...] = field(repr=False)
    rows: tuple[SegmentRow, ...]
    interaction_pvalue: float
    reversal: bool
    interaction_pvalue_adj: float = math.nan

    @property
    def interaction(self) -> float:
        """The p-value that reports tell: the adjusted one, of earlier versions the plain one."""
        adjusted = self.interaction_pvalue_adj
        return self.interaction_pvalue if math.isnan(adjusted) else adjusted


def segment(
    segments: Mapping[str, Mapping[str, str]],
    query_ids: Sequence[str],
    differences: FloatArray,
    rule: Rule,
    *,
    seed: int,
    clusters: Sequence[str] | None = None,
    weights: FloatArray | None = None,
) -> tuple[Segmentation, ...]:
    """Compare the systems in every segment of every property, all of them adjusted together."""
    labels = {name: _labels(name, of, query_ids) for name, of in segments.items()}
    found = {
        name: compare_segments(differences, each, confidence=rule.confidence, tested=False)
        for name, each in labels.items()
    }
    rows = iter(_adjusted(found, labels, differences, rule, seed, clusters, weights).T.tolist())
    interactions = np.array([each.interaction.pvalue for each in found.values()])
    if clusters is not None or weights is not None:
        interactions = np.full(len(found), np.nan)
    together = inference.adjust(interactions, "holm") if len(found) else interactions
    return tuple(
        Segmentation(
            name=name,
            labels=labels[name],
            rows=segment_rows(
                zip(
                    each.labels,
                    each.n_queries.tolist(),
                    _means(each, labels[name], differences, weights),
                    strict=True,
                ),
                rule,
                rows,
            ),
            interaction_pvalue=float(interactions[place]),
            reversal=each.reversal,
            interaction_pvalue_adj=float(together[place]),
        )
        for place, (name, each) in enumerate(found.items())
    )


def _means(
    found: Segments,
    labels: Sequence[str],
    differences: FloatArray,
    weights: FloatArray | None,
) -> list[float]:
    """Return the mean difference of each segment, weighted where queries are."""
    if weights is None:
        return list(map(float, found.mean))
    places = rows_by_label(labels)[1]
    return [float(np.average(differences[each], weights=weights[each])) for each in places]


def _labels(name: str, of_query: Mapping[str, str], query_ids: Sequence[str]) -> tuple[str, ...]:
    if set(of_query).isdisjoint(query_ids):
        raise AlignmentError(
            f"segments by {name}: none of their {len(of_query)} query ids was compared"
        )
    return tuple(str(of_query.get(query_id, UNNAMED)) for query_id in query_ids)


def _adjusted(
    found: Mapping[str, Segments],
    labels: Mapping[str, Sequence[str]],
    differences: FloatArray,
    rule: Rule,
    seed: int,
    clusters: Sequence[str] | None,
    weights: FloatArray | None,
) -> FloatArray:
    """Return p-values and limits of the segments of all properties, and the same adjusted."""
    places = [rows for name in found for rows in rows_by_label(labels[name])[1]]
    large = np.array([len(each) >= MIN_QUERIES for each in places], dtype=bool)
    parts = [differences[each][:, None] for each in places]
    of = None if clusters is None else [[clusters[i] for i in each] for each in places]
    weighted = None if weights is None else [weights[each] for each in places]
    asked = {"name": rule.test, "seed": seed, "n_resamples": None}
    alpha = round(1.0 - rule.confidence, 12)
    return answer_by_segment(parts, large, alpha, asked, of, weighted, skewed=weights is None)[
        ..., 0
    ]


def segment_rows(
    sizes: Iterable[tuple[str, int, float]], rule: Rule, answers: Iterator[Sequence[float]]
) -> tuple[SegmentRow, ...]:
    """Return the rows of a property, the largest segment first."""
    rows = []
    for label, n_queries, mean in sizes:
        pvalue, low, high, pvalue_adj, low_adj, high_adj = next(answers)
        rows.append(
            SegmentRow(
                label=label,
                n_queries=n_queries,
                mean=mean,
                ci_low=low,
                ci_high=high,
                ci_low_adj=low_adj,
                ci_high_adj=high_adj,
                pvalue=pvalue,
                pvalue_adj=pvalue_adj,
                reading="too few"
                if np.isnan(low_adj)
                else Interval(low_adj, high_adj).read(
                    higher=rule.higher_is_better, declared=rule.direction_declared
                ),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.n_queries, row.label)))
