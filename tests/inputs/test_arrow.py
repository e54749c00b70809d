"""Tables of every library, Parquet and Feather give what a text file gives."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from pyarrow import feather, parquet

from abrank import ReadError, Scoring, evaluate, read_qrels, read_run
from abrank.cli.judge import check
from abrank.inputs import arrow, looks_like_qrels, storage
from tests.inputs.conftest import ended_with

ROWS = [("302", "é", 0.5), ("302", "d2", 2.0), ("301", "d1", 1.0), ("302", "d1", 2.0)]
QRELS = {"301": {"d1": 1}, "302": {"d1": 2, "d9": 1}}


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=["query_id", "doc_id", "score"]).assign(tag="x", **columns)


def polars_frame():
    return pl.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")


def relation():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is in the extra `test`")
    lines = ", ".join(f"('{query}', '{doc}', {score})" for query, doc, score in ROWS)
    return duckdb.sql(f"select * from (values {lines}) as t(query_id, doc_id, score)")


class OnlyArray:
    """A batch of a library that hands over Arrow data in one piece."""

    def __init__(self, batch) -> None:
        self.batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


TABLES = {
    "pandas": frame,
    "pandas objects": lambda: frame().astype(object),
    "pandas categories": lambda: frame().astype({"query_id": "category", "doc_id": "category"}),
    "pandas whole numbers": lambda: frame(query_id=[302, 302, 301, 302]),
    "pandas nullable": lambda: frame().convert_dtypes(),
    "pandas float32": lambda: frame().astype({"score": "float32"}),
    "polars": polars_frame,
    "polars lazy": lambda: polars_frame().lazy(),
    "polars categories": lambda: polars_frame().cast({"query_id": pl.Categorical}),
    "pyarrow table": lambda: pa.Table.from_pandas(frame()),
    "pyarrow batch": lambda: pa.RecordBatch.from_pandas(frame()),
    "pyarrow reader": lambda: pa.Table.from_pandas(frame()).to_reader(max_chunksize=1),
    "pyarrow decimals": lambda: pa.Table.from_pandas(frame()).set_column(
        2, "score", pa.array([0.5, 2.0, 1.0, 2.0]).cast(pa.decimal128(9, 3))
    ),
    "one array": lambda: OnlyArray(pa.RecordBatch.from_pandas(frame())),
    "DuckDB": relation,
}


@pytest.fixture
def no_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be read cell by cell."""

    def refuse(column):
        raise AssertionError(f"a column of {type(column).__name__} became Python objects")

    monkeypatch.setattr(arrow, "to_objects", refuse)


@pytest.mark.every_case
@pytest.mark.parametrize("name", TABLES)
def test_every_table_gives_the_run_of_its_rows(name: str, no_cells: None) -> None:
    result, expected = read_run(TABLES[name]()), read_run(ROWS)
    assert result.frame().to_dict("list") == expected.frame().to_dict("list")
    assert result.source.unit == "row"
    scores = evaluate(QRELS, {"B": TABLES[name]()}, ["nDCG@10", "AP"])
    assert np.array_equal(scores.values, evaluate(QRELS, {"B": ROWS}, ["nDCG@10", "AP"]).values)
    assert (scores.audits["B"].n_rows, scores.audits["B"].n_tied_rows) == (4, 2)


def test_ranks_beside_ids_that_are_read_cell_by_cell() -> None:
    ranks = pd.DataFrame({"query_id": ["q1"] * 2, "doc_id": ["d1", 2], "rank": [2, 1]})
    assert [doc for doc, _ in read_run(ranks).ranking("q1")] == ["2", "d1"]


def test_a_column_of_lists_that_holds_no_documents(tmp_path) -> None:
    table = pa.table({"query_id": ["q1"], "clicks": [[{"at": 3}]], "score": [1.0]})
    parquet.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(ReadError, match="no column doc_id"):
        read_run(tmp_path / "log.parquet")


def test_scattered_queries_and_duplicates_are_found_in_tables_too() -> None:
    again = pa.Table.from_pandas(frame(doc_id=["d1", "d2", "d1", "d1"]))
    with pytest.raises(ReadError, match=r"B \(Table\), rows 0 and 3: document d1 twice"):
        evaluate(QRELS, {"B": again})
    best = evaluate(QRELS, {"B": again}, ["RR"], scoring=Scoring(duplicates="max"))
    assert best.audits["B"].n_duplicates_dropped == 1


@pytest.mark.every_case
@pytest.mark.parametrize(("column", "cells", "words"), [
    ("query_id", ["1", None, "2", "2"], "row 1: query_id is missing"),
    ("query_id", ["1", "", "2", "2"], "row 1: query_id is empty"),
    ("query_id", [1.0, 2.0, 3.0, 4.0], "row 0: query_id 1.0 is a float"),
    ("doc_id", [True, False, True, False], "row 0: doc_id True is a bool"),
    ("score", [1.0, float("nan"), 2.0, 3.0], "row 1: score is missing"),
    ("score", [1.0, float("inf"), 2.0, 3.0], "row 1: score is infinite"),
    ("score", ["high", "2", "3", "4"], 'row 0: score "high" is not a number'),
])  # fmt: skip
def test_what_cannot_be_used_is_named_alike(column, cells, words) -> None:
    pandas = frame(**{column: cells})
    table = pa.table({name: pa.array(list(pandas[name])) for name in pandas if name != column})
    table = table.append_column(column, pa.array(cells))
    for source, label in ((pandas, "DataFrame"), (table, "Table")):
        with pytest.raises(ReadError) as caught:
            read_run(source)
        assert str(caught.value).startswith(f"{label}, {words}"), caught.value


def test_grades_of_every_type_of_number() -> None:
    for numbers in ([2, 0, -1], [2.0, 0.0, -1.0], [np.uint8(2), np.uint8(0), np.uint8(1)]):
        table = pa.table({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "label": pa.array(numbers)})
        assert list(read_qrels(table).grades("1").values()) == [int(number) for number in numbers]
    half = pa.table({"qid": ["1"], "docno": ["a"], "label": pa.array([0.5])})
    assert read_qrels(half).grades("1") == {"a": 0.5}
    large = pa.table({"qid": ["1"], "docno": ["a"], "label": pa.array([2**63], pa.uint64())})
    with pytest.raises(ReadError, match="is too large"):
        read_qrels(large)


def test_documents_in_a_list_are_unfolded(tmp_path) -> None:
    lists = [[{"item_id": "a", "score": 0.5}, {"item_id": "b", "score": 0.75}], [],
             [{"item_id": "a", "score": 1.0}]]  # fmt: skip
    table = pa.table({"user_id": [3, 4, 5], "items": lists})
    expected = read_run({"3": {"a": 0.5, "b": 0.75}, "5": {"a": 1.0}}).frame()
    parquet.write_table(table, tmp_path / "run.parquet")
    feather.write_feather(table, tmp_path / "run.feather")
    for source in (table, tmp_path / "run.parquet", tmp_path / "run.feather"):
        pd.testing.assert_frame_equal(read_run(source).frame(), expected)
    with pytest.raises(ReadError, match=r'save_parquet\(path, layout="flat"\)'):
        evaluate(QRELS, {"a": str(tmp_path / "*.parquet")}, ["AP"])


def test_query_ids_keep_their_dictionary_unless_it_names_one_twice() -> None:
    ids_of = pa.DictionaryArray.from_arrays([1, 0, 1], ["301", "302"])
    assert pa.types.is_dictionary(arrow.to_ids(ids_of, coded=True).type)
    assert not pa.types.is_dictionary(arrow.to_ids(ids_of).type)
    twice = pa.DictionaryArray.from_arrays([0, 1, 2], ["301", "301", "302"])
    assert arrow.to_ids(twice, coded=True).to_pylist() == [b"301", b"301", b"302"]
    run = read_run(pa.table({"query_id": ids_of, "doc_id": list("abc"), "score": [1, 2, 3]}))
    assert (run.query_ids, run.ranking("302")) == (("301", "302"), [("c", 3.0), ("a", 1.0)])


RUN = pa.table({"q_id": ["1"] * 2, "text": ["x", "y"], "doc_id": ["a", "b"], "score": [1, 2.5]})
QRELS_FILE = pa.table({"q_id": ["1"] * 2, "doc_id": ["a", "b"], "relevance": [1, 0]})
WRITERS = {"parquet": parquet.write_table, "feather": feather.write_feather}


@pytest.mark.parametrize("kind", WRITERS)
def test_files_of_frames(kind, tmp_path) -> None:
    WRITERS[kind](RUN, tmp_path / f"b.{kind}")
    WRITERS[kind](QRELS_FILE, tmp_path / "judged")
    run = read_run(tmp_path / f"b.{kind}")
    assert (run.name, run.ranking("1")) == ("b", [("b", 2.5), ("a", 1.0)])
    assert read_qrels(tmp_path / "judged").grades("1") == {"a": 1, "b": 0}
    scores = evaluate(tmp_path / "judged", {"B": tmp_path / f"b.{kind}"}, ["RR"])
    assert (scores.values.tolist(), scores.sources["B"].n_rows) == ([[[0.5]]], 2)
    assert [looks_like_qrels(tmp_path / name) for name in ("judged", f"b.{kind}")] == [True, False]
    files = [str(tmp_path / "judged"), str(tmp_path / f"b.{kind}")]
    completed = CliRunner().invoke(check, files, standalone_mode=False)
    assert (completed.return_value, completed.exit_code) == (0, 0)
    assert "2 judgments, 1 query, grades 0, 1" in completed.output
    assert "2 documents, 1 query\n" in completed.output


def test_damage_is_a_sentence(tmp_path) -> None:
    for kind, write in WRITERS.items():
        path = tmp_path / f"b.{kind}"
        write(RUN, path)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ReadError, match=r"file is cut short or damaged"):
            read_run(path)


ROWS_SIZES = 20_000
MUCH = "the (Parquet|Feather) file holds more than 64M bytes, the most that is read"
LONG = "the Parquet file holds a text longer than 64 kB"


def run(query: pa.Array) -> pa.Table:
    documents = pa.array([f"d{i}" for i in range(len(query))])
    return pa.table({"query_id": query, "doc_id": documents, "score": np.ones(len(query))})


def references(text: str) -> pa.Array:
    """One text and another, and references to both: the long one last."""
    return pa.DictionaryArray.from_arrays(np.arange(ROWS_SIZES) // (ROWS_SIZES // 2), ["q", text])


def write_parquet(table, path, **options) -> None:
    settings = {"compression": "zstd", "store_schema": False, "use_dictionary": True, **options}
    pa.parquet.write_table(table, path, **settings)


def parquet_untold(table, path) -> None:
    """Write a footer without the sizes of texts, as polars and older programs do."""
    pl.from_arrow(table).write_parquet(path)


def parquet_pages(table, path) -> None:
    write_parquet(table, path, use_dictionary=False)


def parquet_prefixes(table, path) -> None:
    options = {"column_encoding": {"query_id": "DELTA_BYTE_ARRAY"}, "use_dictionary": False}
    write_parquet(table, path, **options)


def write_feather(table, path) -> None:
    pa.feather.write_feather(table, path, compression="zstd", chunksize=10_000_000)


def nested(text: str) -> pa.Table:
    items = [{"item_id": text, "score": 1.0}] * 500
    return pa.table({"user_id": ["1", "2"], "items": [items, items]})


BOMBS = {
    "told references to a text": (write_parquet, lambda: run(references("q" * 70_000)), MUCH),
    "references to a text of 70 kB": (parquet_untold, lambda: run(references("q" * 70_000)), LONG),
    "references to a text of 60 kB": (parquet_untold, lambda: run(references("q" * 60_000)), MUCH),
    "prefixes": (parquet_prefixes, lambda: run(pa.array(["q" * 60_000] * 10_000)), MUCH),
    "a text in lists": (write_parquet, lambda: nested("q" * 10**5), MUCH),
    "pages": (parquet_pages, lambda: run(pa.array(["q" * 50_000] * 4_000)), MUCH),
    "buffers": (write_feather, lambda: run(pa.array(["q" * 50_000] * 8_000)), MUCH),
    "rows without cells": (
        write_feather,
        lambda: pa.table(dict.fromkeys(["query_id", "doc_id", "score"], pa.nulls(10**8))),
        MUCH,
    ),
    "references in buffers": (write_feather, lambda: run(references("q" * 10**6)), MUCH),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOMBS)
def test_a_table_that_fills_memory_is_refused_before_it_does(tmp_path, kind) -> None:
    write, table, problem = BOMBS[kind]
    write(table(), tmp_path / "bomb")
    assert (tmp_path / "bomb").stat().st_size < 200_000
    with pytest.raises(ReadError, match=problem):
        read_run(tmp_path / "bomb", max_input_size=64 << 20)
    code = (
        "import contextlib, abrank\n"
        "with contextlib.suppress(abrank.ReadError):\n"
        "    abrank.read_run('bomb', max_input_size=64 << 20)"
    )
    ended, kilobytes = ended_with(["-c", code], folder=tmp_path)
    assert ended == 0
    assert kilobytes < 600_000  # a batch of Feather is unpacked whole


def test_documents_in_a_list_are_rows(tmp_path, monkeypatch) -> None:
    hits = [{"doc_id": f"d{i}", "score": 1.0} for i in range(1000)]
    table = pa.table({"query_id": ["q1", "q2"], "hits": [hits, hits]})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert len(read_run(tmp_path / "a.parquet")) == 2000
    monkeypatch.setattr(storage, "MOST_ROWS", 1000)
    monkeypatch.setattr(storage, "MOST_GROWTH", 1)
    with pytest.raises(ReadError, match="holds more than 1,000 rows"):
        read_run(tmp_path / "a.parquet")
