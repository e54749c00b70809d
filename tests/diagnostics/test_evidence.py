"""The cautions on inputs: each comes when its condition holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from abrank.diagnostics import inspect_evidence, inspect_inputs
from abrank.inputs.id_differences import IdDifference


@dataclass(frozen=True)
class FakeAudit:
    """The counts of an unremarkable run."""

    n_queries: int = 50
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    judged_at_10: float = 0.875
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_rank_conflicts: int = 0
    tags: tuple[str, ...] = ("run",)
    n_rows: int = 500
    n_judged_rows: int | None = 400
    document_ids: IdDifference | None = None
    query_ids: IdDifference | None = None
    grades: tuple[int, ...] = (0, 1, 2)
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FakeEvidence:
    """What stands behind scores, with nothing to say."""

    tie_range: tuple[float, float] | None = None
    unjudged_range: tuple[float, float] | None = None
    n_unjudged: tuple[int, int] = (0, 0)


def inputs_notes(a=None, b=None) -> dict[str, dict[str, Any]]:
    audits = {"a": a or FakeAudit(), "b": b or FakeAudit()}
    return {note.code: dict(note.values) for note in inspect_inputs(audits)}


def evidence_notes(difference=0.02, a=None, b=None, **evidence) -> dict[str, Any]:
    audits = {"a": a or FakeAudit(), "b": b or FakeAudit()}
    found = inspect_evidence(difference, FakeEvidence(**evidence), audits)
    return {note.code: (note.severity, dict(note.values)) for note in found}


def test_nothing_to_say() -> None:
    assert inputs_notes() == {}
    assert inspect_inputs({}) == []
    assert evidence_notes() == {}
    assert inspect_evidence(0.02, FakeEvidence(), {}) == []


@pytest.mark.parametrize(
    ("change", "code", "values"),
    [
        (
            {"missing": ("q1",)},
            "missing-queries",
            {"system": "b", "count": 1, "ids": ["q1"], "n_queries": 50, "policy": "drop"},
        ),
        ({"extra": ("x", "y")}, "extra-queries", {"system": "b", "count": 2, "ids": ["x", "y"]}),
        ({"n_rank_conflicts": 4}, "rank-conflicts", {"system": "b", "count": 4}),
        ({"tags": ("x", "y")}, "several-tags", {"system": "b", "tags": ["x", "y"]}),
    ],
)
def test_inputs(change, code, values) -> None:
    assert inputs_notes(b=replace(FakeAudit(), **change)) == {code: values}


@pytest.mark.parametrize(
    "change", [{"n_tied_rows": 8, "n_queries_with_ties": 3}, {"grades": (0, 1)}]
)
def test_what_has_no_consequence_is_not_told(change) -> None:
    """Ties whose orders were not worked out, and binary judgments."""
    b = replace(FakeAudit(), **change)
    assert inputs_notes(b=b) == {}
    assert evidence_notes(b=b) == {}


def test_ties_are_told_once_for_both_runs_with_what_they_could_do() -> None:
    a, b = replace(FakeAudit(), n_tied_rows=2), replace(FakeAudit(), n_tied_rows=8)
    low, high = 0.01, 0.03
    found = evidence_notes(a=a, b=b, tie_range=(low, high))
    assert found == {"order-of-ties": (1, {"low": low, "high": high, "a": 2, "b": 8})}
    assert evidence_notes(a=a, b=b, tie_range=(-0.01, 0.03))["order-of-ties"][0] == 3
    for hardly in ((0.02, 0.02), (0.0195, 0.0205)):
        assert evidence_notes(a=a, b=b, tie_range=hardly) == {}


def test_a_gap_in_the_judgments_is_told_where_it_could_turn_the_difference() -> None:
    b = replace(FakeAudit(), judged_at_10=0.75)
    shares = {"a_at_10": 0.125, "b_at_10": 0.25}
    values = {"low": -0.1, "high": 0.2, "a": 3, "b": 9}
    known = {"unjudged_range": (-0.1, 0.2), "n_unjudged": (3, 9)}
    severe = evidence_notes(b=b, **known)
    assert severe == {"unjudged-documents": (3, values | shares | {"favours": "b"})}
    alike = evidence_notes(**known)["unjudged-documents"]
    assert (alike[0], alike[1]["favours"]) == (2, "")
    # One that no judgment could turn is nothing to warn of, one that was not worked out is.
    assert evidence_notes(b=b, unjudged_range=(0.01, 0.2), n_unjudged=(3, 9)) == {}
    assert evidence_notes(b=b) == {"judged-gap": (3, {"a": 0.125, "b": 0.25})}
    assert evidence_notes(a=b)["judged-gap"][1] == {"a": 0.25, "b": 0.125}


def test_a_run_that_is_mostly_absent_is_severe() -> None:
    ids = tuple(f"q{i}" for i in range(6))
    audits = {"a": FakeAudit(), "b": replace(FakeAudit(), missing=ids)}
    assert [note.severity for note in inspect_inputs(audits)] == [3]
