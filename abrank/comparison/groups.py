"""Segments of the queries: what the primary measure says in each, and whether they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from abrank._support.errors import AlignmentError
from abrank._support.typing import FloatArray
from abrank.inference.estimates.segments import compare_segments
from abrank.verdict import Rule

UNNAMED = "(none)"


@dataclass(frozen=True)
class SegmentRow:
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


@dataclass(frozen=True)
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
    """

    name: str
    labels: tuple[str, ...]
    rows: tuple[SegmentRow, ...]
    interaction_pvalue: float
    reversal: bool


def segment(
    segments: Mapping[str, Mapping[str, str]],
    query_ids: Sequence[str],
    differences: FloatArray,
    rule: Rule,
    *,
    seed: int,
) -> tuple[Segmentation, ...]:
    """Compare the systems in every segment of every property.

    Parameters
    ----------
    segments : mapping of str to mapping of str to str
        For each property the segment of each query id; a query it lacks is in ``(none)``.
    query_ids : sequence of str
    differences : float64[n_queries]
        B - A of the primary measure.
    rule : Rule
    seed : int

    Returns
    -------
    tuple of Segmentation

    Raises
    ------
    AlignmentError
        If a property names none of the queries.
    """
    return tuple(
        _segmentation(name, of_query, query_ids, differences, rule, seed)
        for name, of_query in segments.items()
    )


def _segmentation(
    name: str,
    of_query: Mapping[str, str],
    query_ids: Sequence[str],
    differences: FloatArray,
    rule: Rule,
    seed: int,
) -> Segmentation:
    if set(of_query).isdisjoint(query_ids):
        raise AlignmentError(
            f"segments by {name}: none of their {len(of_query)} query ids was compared"
        )
    labels = tuple(str(of_query.get(query_id, UNNAMED)) for query_id in query_ids)
    found = compare_segments(
        differences, labels, test=rule.test, confidence=rule.confidence, seed=seed
    )
    rows = [
        SegmentRow(
            label=label,
            n_queries=int(found.n_queries[i]),
            mean=float(found.mean[i]),
            ci_low=float(found.ci_low[i]),
            ci_high=float(found.ci_high[i]),
            ci_low_adj=float(found.ci_low_adj[i]),
            ci_high_adj=float(found.ci_high_adj[i]),
            pvalue=float(found.pvalue[i]),
            pvalue_adj=float(found.pvalue_adj[i]),
            reading=segment_reading(rule, float(found.ci_low_adj[i]), float(found.ci_high_adj[i])),
        )
        for i, label in enumerate(found.labels)
    ]
    return Segmentation(
        name=name,
        labels=labels,
        rows=tuple(sorted(rows, key=lambda row: (-row.n_queries, row.label))),
        interaction_pvalue=float(found.interaction.pvalue),
        reversal=found.reversal,
    )


def segment_reading(rule: Rule, low: float, high: float) -> str:
    """Say what the adjusted interval of a segment says."""
    if np.isnan(low):
        return "too few"
    low, high = rule.gain(low, high)
    return "better" if low > 0 else "worse" if high < 0 else "unclear"
