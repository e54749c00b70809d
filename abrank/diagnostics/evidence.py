"""The cautions that what stands behind the scores gives: inputs, documents, segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from abrank.diagnostics.notes import Note
from abrank.inputs import Audit

JUDGED_GAP = 0.05


def inspect_inputs(audits: Mapping[str, Audit], measures: Sequence[str]) -> list[Note]:
    """Return the cautions that the inputs give: holes in the judgments, missing queries, ties.

    Parameters
    ----------
    audits : mapping
        Under ``"a"`` and ``"b"``; empty for ready scores.
    measures : sequence of str
        Canonical names.

    Returns
    -------
    list of Note
    """
    if set(audits) != {"a", "b"}:
        return []
    a, b = audits["a"], audits["b"]
    notes = []
    if abs(a.judged_at_10 - b.judged_at_10) > JUDGED_GAP:
        unjudged = {"a": 1.0 - a.judged_at_10, "b": 1.0 - b.judged_at_10}
        notes.append(Note("judged-gap", 3, unjudged))
    for key, audit in (("a", a), ("b", b)):
        if audit.missing:
            many = len(audit.missing) > 0.1 * audit.n_queries
            values = {"system": key, "count": len(audit.missing), "ids": list(audit.missing[:3])}
            notes.append(Note("missing-queries", 3 if many else 2, values))
        if audit.extra:
            values = {"system": key, "count": len(audit.extra), "ids": list(audit.extra[:3])}
            notes.append(Note("extra-queries", 1, values))
        if audit.n_tied_rows:
            values = {
                "system": key,
                "count": audit.n_tied_rows,
                "queries": audit.n_queries_with_ties,
            }
            notes.append(Note("tied-scores", 1, values))
        if audit.n_rank_conflicts:
            notes.append(
                Note("rank-conflicts", 1, {"system": key, "count": audit.n_rank_conflicts})
            )
        if len(audit.tags) > 1:
            notes.append(Note("several-tags", 1, {"system": key, "tags": list(audit.tags[:3])}))
    graded = [name for name in measures if name.startswith("nDCG")]
    if graded and len([grade for grade in a.grades if grade > 0]) == 1:
        notes.append(Note("one-grade", 1, {"measure": graded[0]}))
    return notes


class _Evidence(Protocol):
    @property
    def tie_range(self) -> tuple[float, float] | None: ...
    @property
    def unjudged_range(self) -> tuple[float, float] | None: ...
    @property
    def n_unjudged(self) -> tuple[int, int]: ...


def inspect_evidence(difference: float, evidence: _Evidence) -> list[Note]:
    """Return the cautions on what ties and unjudged documents could have made of the difference.

    Parameters
    ----------
    difference : float
        Mean difference B - A of the primary measure.
    evidence
        With the ranges of that difference over the orders of ties and over judgments not made.

    Returns
    -------
    list of Note
    """
    notes = []
    if evidence.tie_range is not None:
        low, high = evidence.tie_range
        if high - low >= abs(difference) > 0:
            notes.append(Note("tie-noise", 2, {"low": low, "high": high}))
    if evidence.unjudged_range is not None:
        low, high = evidence.unjudged_range
        a, b = evidence.n_unjudged
        if difference and low <= 0 <= high:
            values = {"low": low, "high": high, "a": a, "b": b}
            notes.append(Note("unjudged-documents", 2, values))
    return notes


class _Segmentation(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def reversal(self) -> bool: ...


def inspect_segments(segmentations: Sequence[_Segmentation]) -> list[Note]:
    """Return the caution that most segments point against the total (Simpson's reversal)."""
    return [Note("reversal", 2, {"segment": each.name}) for each in segmentations if each.reversal]
