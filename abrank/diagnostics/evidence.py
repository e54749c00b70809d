"""The cautions that the inputs, the documents and the segments give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from abrank.diagnostics.notes import DECIMALS, Note
from abrank.diagnostics.runs import inspect_run, missing_policy
from abrank.inputs import Audit

JUDGED_GAP = 0.05
# Orders of ties that move the difference by no more of itself change nothing that is said of it.
MOVES = 0.1


def inspect_inputs(audits: Mapping[str, Audit], query_ids: Sequence[str] = ()) -> list[Note]:
    """Return the cautions that the runs give: missing queries, and files not as they should be.

    Parameters
    ----------
    audits : mapping
        Under ``"a"`` and ``"b"``; empty for ready scores.
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
    policy = missing_policy([a, b], query_ids)
    for key, audit in (("a", a), ("b", b)):
        notes += inspect_run(key, audit, policy)
    return notes


class _Evidence(Protocol):
    @property
    def tie_range(self) -> tuple[float, float] | None: ...
    @property
    def unjudged_range(self) -> tuple[float, float] | None: ...
    @property
    def n_unjudged(self) -> tuple[int, int]: ...


def inspect_evidence(
    difference: float, evidence: _Evidence, audits: Mapping[str, Audit]
) -> list[Note]:
    """Return the cautions on what ties and unjudged documents could have made of the difference.

    Parameters
    ----------
    difference : float
        Mean difference B - A of the primary measure.
    evidence
        With the ranges of that difference over the orders of ties and over judgments not made.
    audits : mapping
        Under ``"a"`` and ``"b"``; empty for ready scores.

    Returns
    -------
    list of Note
        Nothing of ties that hardly move the difference, nor of unjudged documents that cannot turn
        it: both are counted beside the inputs.
    """
    notes = []
    if evidence.tie_range is not None and set(audits) == {"a", "b"}:
        low, high = evidence.tie_range
        if round(high - low, DECIMALS) > MOVES * abs(difference):
            values = {"low": low, "high": high}
            values |= {key: audits[key].n_tied_rows for key in "ab"}
            turns = difference != 0.0 and low * high <= 0.0
            notes.append(Note("order-of-ties", 3 if turns else 1, values))
    return [*notes, *_unjudged(difference, evidence, audits)]


def lists_only_relevant(audits: Mapping[str, Audit]) -> bool:
    """Say whether the judgments hold no document that is not relevant.

    Of those that they do not list nobody knows then which were looked at.
    """
    grades = {grade for audit in audits.values() for grade in audit.grades}
    return bool(grades) and min(grades) > 0


def _unjudged(difference: float, evidence: _Evidence, audits: Mapping[str, Audit]) -> list[Note]:
    """Note that judgments could turn the difference, or a gap of which that is not known."""
    if any(audit.document_ids is not None for audit in audits.values()):
        return []  # ids are to blame, and more judgments would help nobody
    gap = audits["b"].judged_at_10 - audits["a"].judged_at_10 if len(audits) == 2 else 0.0
    # The system with more unjudged documents may be better than it looks.
    favours = "" if abs(gap) <= JUDGED_GAP else "a" if gap > 0 else "b"
    if lists_only_relevant(audits):
        favours = ""  # then the better system has more judged documents, whatever was looked at
    shares = {f"{key}_at_10": 1.0 - audit.judged_at_10 for key, audit in audits.items()}
    if evidence.unjudged_range is None:
        gaps = {key: shares[f"{key}_at_10"] for key in "ab" if shares}
        return [Note("judged-gap", 3, gaps)] if favours else []
    low, high = evidence.unjudged_range
    if difference == 0.0 or not low <= 0.0 <= high:
        return []
    a, b = evidence.n_unjudged
    values = {"low": low, "high": high, "a": a, "b": b, "favours": favours} | shares
    return [Note("unjudged-documents", 3 if favours else 2, values)]


class _Segmentation(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def reversal(self) -> bool: ...


def inspect_segments(segmentations: Sequence[_Segmentation], *, shown: bool) -> list[Note]:
    """Return the caution that most segments point against the total (Simpson's reversal).

    Parameters
    ----------
    segmentations : sequence
    shown : bool
        Whether the total is shown to differ from 0; of one that is not, the sign is chance, and
        most of three segments point against it in a seventh of all samples.

    Returns
    -------
    list of Note
    """
    turned = [each.name for each in segmentations if each.reversal and shown]
    return [Note("reversal", 2, {"segment": name}) for name in turned]
