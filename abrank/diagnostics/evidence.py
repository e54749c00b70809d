"""The cautions that what stands behind the scores gives: inputs, documents, segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from abrank.diagnostics.notes import Note
from abrank.diagnostics.runs import inspect_run, missing_policy
from abrank.inputs import Audit

JUDGED_GAP = 0.05


def inspect_inputs(
    audits: Mapping[str, Audit], measures: Sequence[str], query_ids: Sequence[str] = ()
) -> list[Note]:
    """Return the cautions that the inputs give: holes in the judgments, missing queries, ties.

    Parameters
    ----------
    audits : mapping
        Under ``"a"`` and ``"b"``; empty for ready scores.
    measures : sequence of str
        Canonical names.
    query_ids : sequence of str
        The queries that were compared.

    Returns
    -------
    list of Note
    """
    if set(audits) != {"a", "b"}:
        return []
    a, b = audits["a"], audits["b"]
    notes = []
    # Where ids are to blame, more judgments would help nobody.
    to_judge = a.document_ids is None and b.document_ids is None
    if to_judge and abs(a.judged_at_10 - b.judged_at_10) > JUDGED_GAP:
        unjudged = {"a": 1.0 - a.judged_at_10, "b": 1.0 - b.judged_at_10}
        notes.append(Note("judged-gap", 3, unjudged))
    policy = missing_policy([a, b], query_ids)
    for key, audit in (("a", a), ("b", b)):
        notes += inspect_run(key, audit, policy)
        if audit.n_tied_rows:
            values = {
                "system": key,
                "count": audit.n_tied_rows,
                "queries": audit.n_queries_with_ties,
            }
            notes.append(Note("tied-scores", 1, values))
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
