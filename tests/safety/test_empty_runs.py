"""A run without rows is an error, at every door: the program that wrote it may have failed."""

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
    "empty.run": "", "comments.run": "# nothing found\n", "blank.run": "\n\n",
    "marked.run": "\ufeff", "empty.json": "{}", "queries.json": '{"q00": {}}',
    "header.csv": "query_id,doc_id,score\n",
}  # fmt: skip
OBJECTS = {
    "dict": {}, "dict of empty": {"q00": {}, "q01": []}, "tuples": [], "frame": B[:0],
    "table": NOTHING,
}  # fmt: skip


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
    pd.DataFrame(grades, columns=["query_id", "doc_id", "relevance"]).to_parquet("q.parquet")
    B.to_parquet("b.parquet")
    return tmp_path


def test_a_run_without_rows_is_an_error_at_every_door(folder, capsys) -> None:
    sources = {**{name: name for name in (*TEXTS, "empty.parquet", "empty.feather")}, **OBJECTS}
    for name, source in sources.items():
        for scoring in (abrank.Scoring(), abrank.Scoring(missing="zero")):
            with pytest.raises(ReadError, match="is an empty run") as caught:
                abrank.evaluate(QRELS, {"A": source, "B": B}, ["AP"], scoring=scoring)
            assert caught.value.exit_code == 3, name
    with pytest.raises(ReadError, match="is an empty run"):
        abrank.evaluate("q.parquet", {"A": "parts"}, ["AP"])
    for command in ("score", "compare", "rank", "check"):
        files = ["empty.run"] if command == "check" else ["q.parquet", "empty.run", "b.parquet"]
        assert run([command, *files]) == 3
        assert "is an empty run" in capsys.readouterr().err
