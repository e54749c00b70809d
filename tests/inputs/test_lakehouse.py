"""Tables of Delta Lake, Iceberg and Hudi: the current version, or a refusal; never dead files."""

import sys

import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import abrank
from abrank import ReadError, read_qrels, read_run
from abrank.cli import run

QRELS = {"q1": {"d1": 1, "d2": 0}}


def table(first: str) -> pa.Table:
    second = {"d1": "d2", "d2": "d1"}[first]
    return pa.table({"query_id": ["q1"] * 2, "doc_id": [first, second], "score": [2.0, 1.0]})


@pytest.fixture
def delta(tmp_path):
    deltalake = pytest.importorskip("deltalake", reason="deltalake is an optional extra")
    deltalake.write_deltalake(tmp_path / "run", table("d1"))
    deltalake.write_deltalake(tmp_path / "run", table("d2"), mode="overwrite")
    return tmp_path / "run"


def test_a_delta_table_is_read_at_its_current_version(delta, command) -> None:
    deltalake = pytest.importorskip("deltalake", reason="deltalake is an optional extra")
    for source in (delta, deltalake.DeltaTable(delta)):
        assert abrank.evaluate(QRELS, {"B": source}, ["RR"]).means().tolist() == [[0.5]]
    judgments = delta.parent / "judgments"
    grades = table("d1").rename_columns(["query_id", "doc_id", "relevance"])
    deltalake.write_deltalake(judgments, grades)
    assert read_qrels(judgments).grades("q1") == {"d1": 2, "d2": 1}
    assert run(["score", str(judgments), str(delta), "-m", "RR"]) == 0
    assert "qrels" in command(["check", str(judgments), str(delta)]).out


@pytest.mark.parametrize("word", ["compare", "power", "check", "compare --preferences"])
def test_scores_and_votes_in_a_delta_table_are_its_current_ones(word, tmp_path, command) -> None:
    deltalake = pytest.importorskip("deltalake", reason="deltalake is an optional extra")
    queries = [f"q{i}" for i in range(8)]
    tables = [
        pa.table({"query_id": queries, "A": [0.5] * 8, "B": [0.5 + sign * i / 20 for i in range(8)],
                  "winner": [winner] * 8})
        for sign, winner in ((-1, "A"), (1, "B"))
    ]  # fmt: skip
    if "preferences" not in word:
        tables = [table.drop_columns(["winner"]) for table in tables]
    outputs = []
    pa.parquet.write_table(tables[1], tmp_path / "t.parquet")
    for table in tables:
        deltalake.write_deltalake(tmp_path / "t", table, mode="overwrite")
    for name in ("t.parquet", "t"):
        outputs.append(command([*word.split(), str(tmp_path / name)]).out.replace(".parquet", ""))
    assert outputs[0] == outputs[1]


def test_the_files_of_a_delta_table_are_never_read_beside_each_other(delta) -> None:
    for source in (f"{delta}/*.parquet", f"{delta.parent}/*/*.parquet", f"file://{delta}"):
        with pytest.raises(ReadError, match="is a table of Delta, whose folder holds the files of"):
            abrank.evaluate(QRELS, {"B": source}, ["RR"])
    for part in (next(delta.glob("*.parquet")), pyarrow.dataset.dataset(delta)):
        with pytest.raises(ReadError, match="is part of a table of Delta, and may be of an"):
            abrank.evaluate(QRELS, {"B": part}, ["RR"])


def test_a_folder_of_parquet_stands_beside_a_file(tmp_path) -> None:
    rows = table("d2").append_column("year", pa.array([2025, 2026]))
    pa.parquet.write_to_dataset(rows, tmp_path / "run", partition_cols=["year"])
    table("d1").to_pandas().to_csv(tmp_path / "a.csv", index=False)
    pa.parquet.write_table(table("d1"), tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        runs = {"A": tmp_path / name, "B": tmp_path / "run"}
        assert abrank.evaluate(QRELS, runs, ["RR"]).means().tolist() == [[1.0], [0.5]]


@pytest.mark.parametrize(
    ("mark", "words"),
    [("_delta_log/0.json", "pip install deltalake"), (".hoodie/hoodie.properties", "format.*hudi"),
     ("metadata/00001-a.metadata.json", "pip install 'pyiceberg")],
)  # fmt: skip
def test_without_its_library_a_table_is_refused_with_the_way(mark, words, tmp_path, monkeypatch):
    for name in ("deltalake", "pyiceberg", "pyiceberg.table"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / mark).parent.mkdir(parents=True)
    (tmp_path / mark).write_text("{}")
    pa.parquet.write_table(table("d1"), tmp_path / "part-0.parquet")
    with pytest.raises(ReadError, match=f"is a table of .*(?s:.*){words}"):
        abrank.evaluate(QRELS, {"B": tmp_path}, ["RR"])


def test_an_iceberg_table_is_read(tmp_path) -> None:
    catalog = pytest.importorskip("pyiceberg.catalog.sql", reason="pyiceberg is an optional extra")
    settings = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}"}
    sql_catalog = catalog.SqlCatalog("test", **settings)
    sql_catalog.create_namespace("ns")
    iceberg = sql_catalog.create_table("ns.run", schema=table("d1").schema)
    iceberg.append(table("d1"))
    iceberg.overwrite(table("d2"))
    for source in (iceberg, iceberg.location().removeprefix("file://")):
        assert read_run(source).ranking("q1") == [("d2", 2.0), ("d1", 1.0)]


@pytest.mark.slow
def test_datasets_and_dask_frames_are_taken(tmp_path) -> None:
    pa.parquet.write_table(table("d1"), tmp_path / "part.parquet")
    sources = [pyarrow.dataset.dataset(tmp_path), table("d1").to_reader()]
    frames = pytest.importorskip("dask.dataframe", reason="Dask is an optional extra")
    sources.append(frames.from_pandas(table("d1").to_pandas(), npartitions=2))
    for source in sources:
        assert read_run(source).ranking("q1") == [("d1", 2.0), ("d2", 1.0)]
    scores = pd.DataFrame({"query_id": ["q1", "q2"], "AP": [0.5, 0.25]})
    for form in (frames.from_pandas(scores, npartitions=2), scores.to_records(index=False)):
        assert abrank.read_scores(form).values.ravel().tolist() == [0.5, 0.25]
