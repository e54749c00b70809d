"""The cautions on inputs: each comes when its condition holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from abrank.diagnostics import inspect_inputs
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


def inputs_notes(a=None, b=None, measures=("AP",)) -> dict[str, dict[str, Any]]:
    audits = {"a": a or FakeAudit(), "b": b or FakeAudit()}
    return {note.code: dict(note.values) for note in inspect_inputs(audits, measures)}


def test_inputs_nothing_to_say() -> None:
    assert inputs_notes() == {}
    assert inspect_inputs({}, ["AP"]) == []


@pytest.mark.parametrize(
    ("change", "code", "values"),
    [
        ({"judged_at_10": 0.75}, "judged-gap", {"a": 0.125, "b": 0.25}),
        (
            {"missing": ("q1",)},
            "missing-queries",
            {"system": "b", "count": 1, "ids": ["q1"], "n_queries": 50, "policy": "drop"},
        ),
        ({"extra": ("x", "y")}, "extra-queries", {"system": "b", "count": 2, "ids": ["x", "y"]}),
        (
            {"n_tied_rows": 8, "n_queries_with_ties": 3},
            "tied-scores",
            {"system": "b", "count": 8, "queries": 3},
        ),
        ({"n_rank_conflicts": 4}, "rank-conflicts", {"system": "b", "count": 4}),
        ({"tags": ("x", "y")}, "several-tags", {"system": "b", "tags": ["x", "y"]}),
    ],
)
def test_inputs(change, code, values) -> None:
    assert inputs_notes(b=replace(FakeAudit(), **change)) == {code: values}


def test_one_grade_matters_to_ndcg_only() -> None:
    binary = replace(FakeAudit(), grades=(0, 1))
    assert inputs_notes(a=binary, measures=("AP", "nDCG@10")) == {
        "one-grade": {"measure": "nDCG@10"}
    }
    assert inputs_notes(a=binary, measures=("AP",)) == {}


def test_a_run_that_is_mostly_absent_is_severe() -> None:
    ids = tuple(f"q{i}" for i in range(6))
    audits = {"a": FakeAudit(), "b": replace(FakeAudit(), missing=ids)}
    assert [note.severity for note in inspect_inputs(audits, ["AP"])] == [3]
