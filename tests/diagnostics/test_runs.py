"""What runs tell beside their judgments: of one run, and of many at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from abrank.diagnostics import (
    inspect_inputs,
    inspect_relevance,
    inspect_run,
    inspect_systems,
    missing_policy,
)
from abrank.inputs import read_judged_run, read_qrels
from abrank.options import Scoring
from abrank.scoring.evaluate import evaluate

QRELS = {f"q{i:03}": {f"D{j}": j % 2 for j in range(20)} for i in range(200)}
GOOD = {query: {doc: float(-j) for j, doc in enumerate(docs)} for query, docs in QRELS.items()}
LOWER = {query: {doc.lower(): s for doc, s in docs.items()} for query, docs in GOOD.items()}


def lacking(count: int) -> dict[str, dict[str, float]]:
    return dict(list(GOOD.items())[count:])


@pytest.mark.parametrize(("count", "severity"), [(2, 2), (3, 3)])
def test_more_than_one_in_a_hundred_missing_comes_first(count: int, severity: int) -> None:
    audit = read_judged_run(read_qrels(QRELS), lacking(count)).audit
    (note,) = inspect_run("new", audit, "zero")
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
    codes = [note.code for note in inspect_inputs(audits)]
    assert "document-ids" in codes
    assert "judged-gap" not in codes


def test_documents_of_another_collection() -> None:
    other = {query: {f"x{j}{query}": 1.0 for j in range(5)} for query in QRELS}
    (note, _ties) = inspect_systems(evaluate(QRELS, {"other": other}, ["P@10"]))
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
    found = [note for note in notes if note.code == "none-relevant"]
    assert [note.values["measures"] for note in found] == told
    assert {note.values["highest"] for note in found} <= {max(grades)}


def test_no_relevant_document_is_worst_for_the_measure_that_decides() -> None:
    audits = evaluate(QRELS, {"a": GOOD}, ["AP"]).audits.values()
    means = {"AP(rel=2)": (0.0, 0.0), "nDCG@10": (0.5, 0.5)}
    for primary, severity in (("AP(rel=2)", 3), ("nDCG@10", 2)):
        (note,) = inspect_relevance(means, audits, primary=primary)
        assert note.severity == severity
    assert inspect_relevance(means, [], primary="AP(rel=2)") == []


def test_ties_are_told_once_for_all_runs() -> None:
    tied = {query: dict.fromkeys(docs, 1.0) for query, docs in GOOD.items()}
    (note,) = inspect_systems(evaluate(QRELS, {"a": tied, "b": GOOD, "c": tied}, ["P@10"]))
    assert (note.code, note.values) == ("tied-runs", {"systems": {"a": 4000, "c": 4000}})


def test_one_file_twice_is_told_with_its_hash(tmp_path: Path) -> None:
    text = "".join(f"{q} Q0 D1 1 {i} t\n" for i, q in enumerate(QRELS))
    paths = {name: tmp_path / name for name in ("one", "two")}
    for path in paths.values():
        path.write_text(text)
    scores = evaluate(QRELS, paths, ["P@10"])
    (note,) = inspect_systems(scores)
    assert note.code == "same-file"
    assert note.values["systems"] == ["one", "two"]
    assert note.values["sha256"] == scores.sources["one"].sha256


def test_missing_queries_say_how_their_ids_are_written_otherwise() -> None:
    judged = read_qrels({f"{i:02}": {"d": 1} for i in range(20)})
    audit = read_judged_run(judged, {str(i): {"d": 1.0} for i in range(20)}).audit
    missing, _ = inspect_run("new", audit)
    difference = missing.values["difference"]
    assert (difference["cause"], difference["n_alike"]) == ("leading zeros", 10)
    assert (difference["in_run"], difference["in_qrels"]) == ("0", "00")
    assert "policy" not in missing.values
