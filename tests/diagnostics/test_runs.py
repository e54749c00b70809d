"""What runs tell beside their judgments: of one run, and of many at once.

Runs of unequal depth: which measures it touches, and what they score at a common depth.

The cautions on inputs: each comes when its condition holds.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from abrank import Scores, Scoring, evaluate
from abrank.diagnostics import (
    inspect_depth,
    inspect_inputs,
    inspect_relevance,
    inspect_run,
    inspect_systems,
    missing_policy,
    unequal_depth,
)
from abrank.inputs import read_judged_run, read_qrels
from abrank.inputs.join import IdDifference

QRELS = {f"q{i:03}": {f"D{j}": j % 2 for j in range(20)} for i in range(200)}
GOOD = {query: {doc: float(-j) for j, doc in enumerate(docs)} for query, docs in QRELS.items()}
LOWER = {query: {doc.lower(): s for doc, s in docs.items()} for query, docs in GOOD.items()}


def lacking(count: int) -> dict[str, dict[str, float]]:
    return dict(list(GOOD.items())[count:])


@pytest.mark.parametrize(("count", "severity"), [(2, 2), (3, 3)])
def test_more_than_one_in_a_hundred_missing_comes_first(count: int, severity: int) -> None:
    (note,) = inspect_run("new", read_judged_run(read_qrels(QRELS), lacking(count)).audit, "zero")
    assert (note.code, note.severity) == ("missing-queries", severity)
    assert note.values["count"] == count
    assert (note.values["n_queries"], note.values["policy"]) == (200, "zero")


@pytest.mark.parametrize("missing", ["zero", "drop"])
def test_the_policy_follows_from_what_was_scored(missing: str) -> None:
    runs = {"all": GOOD, "some": lacking(5)}
    scores = evaluate(QRELS, runs, ["P@10"], scoring=Scoring(missing=missing))  # type: ignore[arg-type]
    audits = dict(zip("ab", scores.audits.values(), strict=True))
    assert missing_policy([*audits.values()], scores.query_ids) == missing
    notes = inspect_inputs(audits, scores.query_ids)
    assert [n.values["policy"] for n in notes if n.code == "missing-queries"] == [missing]


def test_no_policy_where_nothing_is_missing() -> None:
    scores = evaluate(QRELS, {"all": GOOD}, ["P@10"])
    assert missing_policy([*scores.audits.values()], scores.query_ids) is None


def test_ids_are_to_blame_rather_than_the_judgments() -> None:
    read = read_qrels(QRELS)
    audits = {"a": read_judged_run(read, GOOD).audit, "b": read_judged_run(read, LOWER).audit}
    assert [note.code for note in inspect_inputs(audits)] == ["document-ids"]


def test_documents_of_another_collection() -> None:
    second = {query: {f"x{j}{query}": 1.0 for j in range(5)} for query in QRELS}
    (note,) = inspect_systems(evaluate(QRELS, {"other": second}, ["P@10"]))
    assert note.code == "none-judged"
    assert note.values == {"system": "other", "n_judged": 0, "n_rows": 1000}


@pytest.mark.parametrize(
    ("grades", "rel", "measures", "told"),
    [
        ((0, 1), 2, ["AP", "nDCG@10"], [["AP(rel=2)"]]),
        ((0, 1), 10**9, ["AP", "RR"], [["AP(rel=1000000000)", "RR(rel=1000000000)"]]),
        ((0, 1), 1, ["AP", "nDCG@10"], []),
        # Every document is judged and counted, relevant or not.
        ((0, 0), None, ["nDCG@10", "Judged@10", "NumRet", "RR"], [["nDCG@10", "RR"]]),
        ((0, 0), None, ["AP(rel=3)", "RR"], [["AP(rel=3)"], ["RR"]]),
        ((-1, -2), None, ["AP"], [["AP"]]),
    ],
)
def test_measures_to_which_no_document_is_relevant(grades, rel, measures, told) -> None:
    qrels = {query: {d: grades[j % 2] for j, d in enumerate(docs)} for query, docs in QRELS.items()}
    notes = inspect_systems(
        evaluate(qrels, {"a": GOOD, "b": GOOD}, measures, scoring=Scoring(rel=rel))
    )
    result = [note for note in notes if note.code == "none-relevant"]
    assert [note.values["measures"] for note in result] == told
    assert {note.values["highest"] for note in result} <= {max(grades)}


def test_no_relevant_document_is_worst_for_the_measure_that_decides() -> None:
    audits = evaluate(QRELS, {"a": GOOD}, ["AP"]).audits.values()
    means = {"AP(rel=2)": (0.0, 0.0), "nDCG@10": (0.5, 0.5)}
    for primary, severity in (("AP(rel=2)", 3), ("nDCG@10", 2)):
        (note,) = inspect_relevance(means, audits, primary=primary)
        assert note.severity == severity
    assert inspect_relevance(means, [], primary="AP(rel=2)") == []


def test_one_file_twice_is_told_with_its_hash(tmp_path) -> None:
    text = "".join(f"{q} Q0 D1 1 {i} t\n" for i, q in enumerate(QRELS))
    paths = {name: tmp_path / name for name in ("one", "two")}
    for path in paths.values():
        path.write_text(text)
    scores = evaluate(QRELS, paths, ["P@10"])
    (note,) = inspect_systems(scores)
    assert (note.code, note.values["systems"]) == ("same-file", ["one", "two"])
    assert note.values["sha256"] == scores.sources["one"].sha256


def test_missing_queries_say_how_their_ids_are_written_otherwise() -> None:
    judged = read_qrels({f"{i:02}": {"d": 1} for i in range(20)})
    audit = read_judged_run(judged, {str(i): {"d": 1.0} for i in range(20)}).audit
    (missing,) = inspect_run("new", audit)
    difference = missing.values["difference"]
    assert (difference["cause"], difference["n_alike"]) == ("leading zeros", 10)
    assert (difference["in_run"], difference["in_qrels"]) == ("0", "00")
    assert "policy" not in missing.values


TEN_QUERIES = {f"q{i}": {f"d{j}": int(j % 7 == i % 7) for j in range(60)} for i in range(8)}
DEEP = {query: {f"d{j}": float(-j) for j in range(60)} for query in TEN_QUERIES}
MEASURES = ["AP", "P@5", "R@20", "nDCG@10"]


def cut(depth: int) -> dict[str, dict[str, float]]:
    return {query: dict(list(docs.items())[:depth]) for query, docs in DEEP.items()}


def scored(cut_at: int, measures: list[str] | None = None, *, depth: int | None = None) -> Scores:
    runs = {"deep": DEEP, "cut": cut(cut_at)}
    return evaluate(TEN_QUERIES, runs, measures or MEASURES, scoring=Scoring(depth=depth))


def test_names_the_measures_that_look_further_down() -> None:
    depth = unequal_depth(scored(10))
    assert (depth.medians, depth.depth) == ({"deep": 60, "cut": 10}, 10)
    assert depth.cut.measures == ("AP", "R@20")


def test_scores_at_the_common_depth_are_those_of_the_option() -> None:
    depth = unequal_depth(scored(10))
    np.testing.assert_array_equal(depth.cut.values, scored(10, ["AP", "R@20"], depth=10).values)
    assert (depth.cut.values[:, 0] == depth.cut.values[:, 1]).all()


@pytest.mark.parametrize(("depth", "told"), [(47, True), (48, False), (60, False)])
def test_runs_of_about_one_depth_are_of_one(depth: int, told: bool) -> None:
    assert (unequal_depth(scored(depth, ["AP"])) is not None) is told


def test_a_depth_that_was_asked_for_is_the_depth_of_all() -> None:
    assert unequal_depth(scored(10, depth=10)) is None


def test_nothing_where_no_measure_looks_further_down() -> None:
    assert unequal_depth(scored(10, ["P@5", "nDCG@10"])) is None


def test_queries_without_results_do_not_count_for_the_median() -> None:
    few = {query: docs for query, docs in DEEP.items() if query < "q2"}
    assert unequal_depth(evaluate(TEN_QUERIES, {"deep": DEEP, "few": few}, ["AP"])) is None


def test_ready_scores_and_one_system_have_no_depths() -> None:
    assert unequal_depth(Scores(("q1",), ("a", "b"), ("AP",), np.zeros((1, 2, 1)))) is None
    assert unequal_depth(evaluate(TEN_QUERIES, {"deep": DEEP}, ["AP"])) is None


def test_the_note_has_both_differences_in_a_comparison() -> None:
    scores = scored(10)
    (note,) = inspect_depth(unequal_depth(scores), scores, keys="ab", primary="AP")
    assert (note.severity, note.values["medians"]) == (3, {"a": 60, "b": 10})
    declared, common = note.values["differences"]["AP"]
    means = scores.means()
    assert declared == means[1, 0] - means[0, 0]
    assert declared < common == 0.0


def test_the_note_is_milder_where_the_primary_measure_is_not_touched() -> None:
    scores = scored(10)
    (note,) = inspect_depth(unequal_depth(scores), scores, keys="ab", primary="P@5")
    assert note.severity == 2


def test_of_many_systems_the_note_has_the_names() -> None:
    scores = evaluate(TEN_QUERIES, {"deep": DEEP, "ten": cut(10), "five": cut(5)}, ["AP"])
    (note,) = inspect_depth(unequal_depth(scores), scores)
    assert note.values["medians"] == {"deep": 60, "ten": 10, "five": 5}
    assert (note.values["depth"], note.values["differences"]) == (5, {})


def test_documents_that_change_no_score_are_no_caution() -> None:
    qrels = {query: {f"d{j}": 1 for j in range(3)} for query in TEN_QUERIES}
    assert unequal_depth(evaluate(qrels, {"deep": DEEP, "cut": cut(10)}, ["AP"])) is None


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


def inputs_notes(a=None, b=None) -> dict[str, dict[str, Any]]:
    audits = {"a": a or FakeAudit(), "b": b or FakeAudit()}
    return {note.code: dict(note.values) for note in inspect_inputs(audits)}


def test_nothing_to_say() -> None:
    assert (inputs_notes(), inspect_inputs({})) == ({}, [])


@pytest.mark.parametrize(("change", "code", "values"), [
    ({"missing": ("q1",)}, "missing-queries",
     {"system": "b", "count": 1, "ids": ["q1"], "n_queries": 50, "policy": "drop"}),
    ({"n_rank_conflicts": 4}, "rank-conflicts", {"system": "b", "count": 4}),
    ({"tags": ("x", "y")}, "several-tags", {"system": "b", "tags": ["x", "y"]}),
])  # fmt: skip
def test_inputs(change, code, values) -> None:
    assert inputs_notes(b=replace(FakeAudit(), **change)) == {code: values}


@pytest.mark.parametrize(
    "change",
    [{"n_tied_rows": 8, "n_queries_with_ties": 3}, {"grades": (0, 1)}, {"extra": ("x", "y")}],
)
def test_what_has_no_consequence_is_not_told(change) -> None:
    """Ties, binary judgments and queries that nobody judged."""
    assert inputs_notes(b=replace(FakeAudit(), **change)) == {}


def test_a_run_that_is_mostly_absent_is_severe() -> None:
    ids = tuple(f"q{i}" for i in range(6))
    audits = {"a": FakeAudit(), "b": replace(FakeAudit(), missing=ids)}
    assert [note.severity for note in inspect_inputs(audits)] == [3]
