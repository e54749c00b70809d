"""What is shown of a comparison beside what its scores give, checked before it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from abrank.comparison import Comparison
from abrank.report.saved.schema import Damaged, shown
from abrank.report.sections.notes.cautions import NO_LONGER_TOLD, WORDS, caution
from abrank.report.sections.notes.names import Names


def require_showable(comparison: Comparison) -> None:
    """Refuse texts and lists of other queries, curves with holes, and notes without words.

    Raises
    ------
    Damaged
        At the first of them.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> require_showable(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}))
    """
    known, evidence = set(comparison.query_ids), comparison.evidence
    parts: Mapping[str, Mapping[str, Any]] = {
        "topics": comparison.topics,
        "evidence.rankings": evidence.rankings,
    }
    for place, part in parts.items():
        for query_id in part:
            if query_id not in known:
                raise Damaged(place, f"{shown(query_id)} is not among the queries")
    for name, curve in (("cutoff", evidence.cutoff_curve), ("recall", evidence.recall_curve)):
        if curve is None:
            continue
        columns = {each.name: getattr(curve, each.name) for each in fields(curve)}
        lengths = {key: len(each) for key, each in columns.items() if isinstance(each, tuple)}
        first = next(iter(lengths))
        for key, length in lengths.items():
            if length != lengths[first]:
                raise Damaged(
                    f"evidence.{name}_curve.{key}",
                    f"has {length} entries, and there are {lengths[first]} {first}",
                )
    names = Names(
        comparison.baseline,
        comparison.candidate,
        digits=3,
        alpha=comparison.rule.alpha,
        topics=comparison.topics,
    )
    for i, note in enumerate(comparison.notes):
        if note.code in NO_LONGER_TOLD:
            continue
        if note.code not in WORDS:
            raise Damaged(f"notes[{i}].code", f"{shown(note.code)} is no note of abrank")
        try:
            caution(note, names)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise Damaged(
                f"notes[{i}].values", f"are not those that the note {note.code} asks for"
            ) from None
