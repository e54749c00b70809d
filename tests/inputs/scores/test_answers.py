"""Answers judged by nuggets and by support, against the stored scores of TREC RAG 2024."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from abrank import compare_scores, rank_scores, read_scores
from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank.cli import run

DATA = Path(__file__).parents[4] / "shared" / "data" / "votes" / "nuggets_rag24"
OFFICIAL = {
    "NuggetRecall": "all_score",
    "NuggetRecall(strict)": "strict_all_score",
    "NuggetRecall(vital)": "vital_score",
    "NuggetRecall(vital,strict)": "strict_vital_score",
    "WeightedNuggetRecall": "weighted_score",
    "WeightedNuggetRecall(strict)": "strict_weighted_score",
}
SYSTEMS = ("command-r-plus", "gpt-4o")
with_data = pytest.mark.skipif(not DATA.exists(), reason="no ../shared/data beside the clone")


def answer(query: str, *pairs: tuple[str, str], **rest: object) -> dict[str, object]:
    nuggets = [{"text": "t", "importance": i, "assignment": a} for i, a in pairs]
    return {"qid": query, "nuggets": nuggets, **rest}


def rows_of(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@with_data
@pytest.mark.parametrize("system", SYSTEMS)
def test_all_301_topics_equal_the_official_scores(system: str) -> None:
    official = {row["qid"]: row for row in rows_of(f"official.{system}.tsv")}
    kinds = {"support": "support", "partial": "partial_support", "not": "not_support"}
    answers = []
    for row in rows_of("counts.all301.tsv"):
        if row["system"] == system:
            pairs = [
                (importance, kinds.get(kind, kind))
                for importance in ("vital", "okay", "other")
                for kind in (*kinds, "other")
                for _ in range(int(row[f"{importance}_{kind}"]))
            ]
            answers.append(answer(row["qid"], *pairs))
    scores = read_scores(answers)
    assert (len(scores.query_ids), set(scores.measures)) == (301, set(OFFICIAL))
    for q, query in enumerate(scores.query_ids):
        for m, measure in enumerate(scores.measures):
            assert scores.values[q, 0, m] == float(official[query][OFFICIAL[measure]])


@with_data
def test_the_assignments_as_they_are_written() -> None:
    gold = json.loads((DATA / "gold.json").read_text())["systems"]
    for system in SYSTEMS:
        scores = read_scores(DATA / f"assignments.{system}.jsonl")
        assert scores.systems == (f"baseline_rag24.test_{system}_top20",)
        for q, query in enumerate(scores.query_ids):
            want = gold[system]["scores_cut"][query]
            got = dict(zip(scores.measures, scores.values[q, 0].tolist(), strict=True))
            assert got == {measure: want[OFFICIAL[measure]] for measure in got}
        odd = gold[system]["nuggets_with_unknown_labels_in_cut"]
        assert f"{odd} unknown labels among 708 parts" in scores.notes[0]


def test_by_hand() -> None:
    pairs = [("vital", "support"), ("vital", "partial_support"), ("okay", "support"), ("x", "y")]
    scores = read_scores([answer("q1", *pairs), answer("q2", ("okay", "support"))])
    got = dict(zip(scores.measures, scores.values[0, 0].tolist(), strict=True))
    assert got == {
        "NuggetRecall": 2.5 / 4,
        "NuggetRecall(strict)": 2 / 4,
        "NuggetRecall(vital)": 1.5 / 2,
        "NuggetRecall(vital,strict)": 1 / 2,
        "WeightedNuggetRecall": 2 / 2.5,
        "WeightedNuggetRecall(strict)": 1.5 / 2.5,
    }
    assert scores.values[1, 0, scores.measures.index("NuggetRecall(vital)")] == 0.0
    assert "2 unknown labels among 5 parts, taken for none: x (1), y (1)" in scores.notes[0]


def test_support_by_hand() -> None:
    sentences = [
        {"text": "a", "citations": [1], "support": "full_support"},
        {"text": "b", "citations": [2], "support": "PS"},
        {"text": "c", "citations": [3], "support": "?"},
        {"text": "d", "citations": [], "support": None},
    ]
    none = [{"text": "e", "citations": [], "support": None}]
    scores = read_scores([{"topic_id": 7, "answer": sentences}, {"topic_id": 8, "answer": none}])
    assert (scores.query_ids, scores.measures) == (
        ("7", "8"),
        ("SupportPrecision", "SupportRecall"),
    )
    assert scores.values[:, 0].tolist() == [[1.5 / 3, 1.5 / 4], [0.0, 0.0]]
    assert "1 unknown label among 5 parts" in scores.notes[0]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"nuggets": []}], "answer 1: an answer has no query id"),
        ([{"qid": "1", "nuggets": [{"text": "t"}]}], "nuggets without 'assignment': were they"),
        ([{"qid": "1", "nuggets": ["t"]}], "nuggets without 'assignment'"),
        ([answer("1", ("vital", "support"))] * 2, "twice|two scores"),
    ],
)
def test_what_was_not_judged_is_said(rows, said) -> None:
    with pytest.raises(ReadError, match=said):
        read_scores(rows)


def test_rows_with_a_text_as_answer_are_no_judgments() -> None:
    rows = [{"query_id": str(i), "answer": "text", "AP": 0.5} for i in range(2)]
    scores = read_scores(rows)
    assert scores.measures == ("AP",)
    assert "answer (2 of text)" in scores.notes[0]


def test_retrieval_and_answers_in_one_table(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    queries = [f"q{i}" for i in range(12)]
    for system, gain in (("a", 0), ("b", 1)):
        values = {q: 0.3 + gain * (0.3 + 0.01 * (i % 3)) for i, q in enumerate(queries)}
        lines = [f"ndcg_cut_10\t{q}\t{value}" for q, value in values.items()]
        Path(f"{system}.eval").write_text("\n".join(lines) + "\n")
        kinds = ("support", "not_support")
        rows = [answer(q, ("vital", kinds[(i + gain) % 2])) for i, q in enumerate(queries)]
        Path(f"{system}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    flags = ["-m", "nDCG@10", "-m", "NuggetRecall(vital)", "--report", "r.html", "-q"]
    assert run(["compare", "--scores", "a.eval,a.jsonl", "b.eval,b.jsonl", *flags]) == 0
    out = capsys.readouterr().out
    assert "▲ BETTER  b is better than a on nDCG@10" in out
    assert "? unclear" in out  # the vital nuggets
    assert "NuggetRecall(vital)" in Path("r.html").read_text()
    found = compare_scores(["a.eval", "a.jsonl"], ["b.eval", "b.jsonl"], measures="nDCG@10")
    assert (found.baseline, found.mean_difference) == ("a", pytest.approx(0.31))
    read = found.provenance["inputs"]["a"]
    hashes = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("a.eval", "a.jsonl")]
    assert read["path"] == "a.eval,a.jsonl"
    assert read["sha256"] == hashlib.sha256("".join(hashes).encode()).hexdigest()
    assert rank_scores(
        {name: read_scores(f"{name}.jsonl") for name in "ab"}, measures=["NuggetRecall"]
    ).systems == ("a", "b")
    Path("few.jsonl").write_text(Path("a.jsonl").read_text().split("\n")[0])
    with pytest.raises(AlignmentError, match="11 queries of a stand in one source only"):
        read_scores(["a.eval", "few.jsonl"])
    with pytest.raises(ArgumentError, match="stands in two of the sources"):
        read_scores(["a.eval", "b.eval"])
