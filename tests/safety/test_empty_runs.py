"""A run without rows is of a system that found nothing: it scores 0, and no gate passes by it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import abrank
from abrank import ReadError
from abrank.cli import run
from tests.safety.damaged_parquet import QRELS, run_of

B = run_of(1)
NOTHING = pa.table(
    {
        "query_id": pa.array([], pa.string()),
        "doc_id": pa.array([], pa.string()),
        "score": pa.array([], pa.float64()),
    }
)
TEXTS = {
    "empty.run": "",
    "comments.run": "# nothing found\n",
    "blank.run": "\n\n",
    "marked.run": "\ufeff",
    "empty.json": "{}",
    "queries.json": '{"q00": {}}',
    "header.csv": "query_id,doc_id,score\n",
}
OBJECTS = {
    "dict": {},
    "dict of empty": {"q00": {}, "q01": []},
    "tuples": [],
    "frame": B[:0],
    "table": NOTHING,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        Path(name).write_text(text, encoding="utf-8")
    pa.parquet.write_table(NOTHING, "empty.parquet")
    pa.feather.write_feather(NOTHING, "empty.feather")
    Path("parts").mkdir()
    pa.parquet.write_table(NOTHING, "parts/part-0.parquet")
    grades = [(q, d, g) for q, by_document in QRELS.items() for d, g in by_document.items()]
    frame = pd.DataFrame(grades, columns=["query_id", "doc_id", "relevance"])
    frame.to_parquet("q.parquet")
    B.to_parquet("b.parquet")
    return tmp_path


@pytest.mark.parametrize("name", [*TEXTS, "empty.parquet", "empty.feather", "parts"])
def test_a_file_without_rows(folder: Path, name: str) -> None:
    scores = abrank.evaluate(QRELS, {"A": name}, ["AP", "P@10", "nDCG@10"])
    assert scores.query_ids == tuple(sorted(QRELS))
    assert not scores.values.any()
    assert scores.audits["A"].n_rows == 0
    assert len(scores.audits["A"].missing) == len(QRELS)


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_without_rows(kind: str) -> None:
    scores = abrank.evaluate(QRELS, {"A": OBJECTS[kind], "B": B}, ["AP"])
    assert scores.values.shape == (len(QRELS), 2, 1)
    assert not scores.of("A").any()
    assert scores.of("B").any()


@pytest.mark.parametrize("sides", [("empty.run", "b.parquet"), ("b.parquet", "empty.run")])
@pytest.mark.parametrize("gate", ["--require=better", "--require=non-inferior", "--fail-on=worse"])
def test_no_gate_passes_or_fails_by_a_run_without_rows(
    folder: Path, capsys: pytest.CaptureFixture[str], sides: tuple[str, str], gate: str
) -> None:
    margin = ["--margin", "0.01"] if "non" in gate else []
    asked = ["compare", "q.parquet", *sides, "-m", "nDCG@10", gate, *margin]
    assert run([*asked, "--report", "out.json"]) == 3
    said = capsys.readouterr().out
    assert "empty returned nothing" in said
    assert "CANNOT TEST" in said
    saved = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert saved["verdict"]["state"] == "cannot-test"


def test_a_ranking_has_a_system_without_rows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rank", "q.parquet", "empty.run", "b.parquet", "-m", "AP"]) == 0
    said = capsys.readouterr().out
    assert "empty returned nothing" in said.replace("\n", " ")
    assert "0.000" in said


def test_other_queries_are_not_nothing() -> None:
    with pytest.raises(abrank.AlignmentError, match="no query is in both"):
        abrank.evaluate(QRELS, {"A": {"other": {"d1": 1.0}}}, ["AP"])


@pytest.mark.parametrize("name", ["empty.run", "empty.json", "header.csv", "empty.parquet"])
def test_judgments_without_rows_are_an_error(folder: Path, name: str) -> None:
    with pytest.raises(ReadError):
        abrank.read_qrels(name)


def test_dropping_the_queries_of_a_run_without_rows_leaves_none(folder: Path) -> None:
    dropped = abrank.compare(QRELS, {}, B, measures=["AP"], scoring=abrank.Scoring(missing="drop"))
    assert (dropped.verdict.value, dropped.soundness.level) == ("cannot-test", "unsound")
    with pytest.raises(abrank.AlignmentError, match="missing from A"):
        abrank.evaluate(QRELS, {"A": {}}, ["AP"], scoring=abrank.Scoring(missing="error"))


def test_both_without_rows() -> None:
    found = abrank.compare(QRELS, {}, [], measures=["AP"])
    assert found.soundness.level == "unsound"
    assert found.verdict.value == "cannot-test"
