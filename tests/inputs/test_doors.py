"""One rule for numbers and lists at all doors: files of every form, frames, dicts and tuples."""

import json
from collections import deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from abrank import ArgumentError, ReadError, read_qrels, read_run
from abrank.inputs.topics import read_segments
from abrank.inputs.votes import read_votes

IDS = ["001", "#d2", "d3"]


def doors(values, number, folder):
    """Yield the same three rows as each kind of input."""
    frame = pd.DataFrame({"query_id": ["q"] * 3, "doc_id": IDS, number: values})
    records = dict(zip(IDS, values, strict=True))
    yield "frame", frame
    yield "dict", {"q": records}
    yield "tuples", [("q", doc, value) for doc, value in records.items()]
    yield "table", pa.table(frame)
    yield "polars", pl.from_pandas(frame)
    yield "structured array", frame.to_records(index=False)
    frame.to_csv(folder / "x.csv", index=False)
    frame.to_parquet(folder / "x.parquet")
    frame.to_feather(folder / "x.feather")
    (folder / "x.json").write_text(json.dumps({"q": records}, default=str))
    (folder / "x.jsonl").write_text(frame.to_json(orient="records", lines=True))
    if not any(value is None or value == "" for value in values):
        lines = ("q 0 {} {}", "q Q0 {} 1 {} t")[number == "score"]
        text = "".join(f"{lines.format(doc, value)}\n" for doc, value in records.items())
        (folder / "x.txt").write_text(text)
    yield from ((path.name, path) for path in sorted(folder.iterdir()))


FORMS = {
    "whole numbers": ([1, 0, 2], [1, 0, 2]),
    "whole numbers as floats": ([1.0, 0.0, 2.0], [1, 0, 2]),
    "text": (["1", "0", "2"], [1, 0, 2]),
    "text of floats": (["1.0", "0.0", "2.0"], [1, 0, 2]),
    "decimals": ([Decimal("1"), Decimal("0.0"), Decimal("2")], [1, 0, 2]),
    "booleans": ([True, False, True], [1, 0, 1]),
    "blanks": (["1", None, "2"], [1, None, 2]),
    "empty texts": (["1", "", "2"], [1, None, 2]),
}


@pytest.mark.parametrize("form", FORMS)
def test_grades_of_every_form_are_read_alike_at_every_door(form: str, tmp_path: Path) -> None:
    values, expected = FORMS[form]
    grades = {doc: grade for doc, grade in zip(IDS, expected, strict=True) if grade is not None}
    for door, source in doors(values, "relevance", tmp_path):
        qrels = read_qrels(source)
        assert qrels.grades("q") == grades, door
        noted = ("1 row without a grade left out",) if None in expected else ()
        assert qrels.source.notes == noted, door


@pytest.mark.parametrize("form", FORMS)
def test_scores_of_every_form_are_read_alike_or_refused_alike(form: str, tmp_path: Path) -> None:
    values, expected = FORMS[form]
    for door, source in doors(values, "score", tmp_path):
        if None in expected:
            with pytest.raises(ReadError, match="score"):
                read_run(source)
            continue
        result = dict(read_run(source).ranking("q"))
        assert result == dict(zip(IDS, map(float, expected), strict=True)), door


def test_fractional_grades_are_read_alike_at_every_door(tmp_path: Path) -> None:
    for door, source in doors([0.5, 0.0, 2.0], "relevance", tmp_path):
        qrels = read_qrels(source)
        assert qrels.grades("q") == {"001": 0.5, "#d2": 0.0, "d3": 2.0}, door
        written = read_qrels(qrels.write(tmp_path / "written.qrels"))
        assert written.grades("q") == qrels.grades("q"), door
    (tmp_path / "x.letor").write_text("0.5 qid:q # 001\n2 qid:q # d3\n")
    assert read_qrels(tmp_path / "x.letor").grades("q") == {"001": 0.5, "d3": 2.0}


class Tensor:
    """What torch and its like share: an array by ``__array__``, and no list."""

    def __init__(self, values) -> None:
        self.values = values

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self.values, dtype)


LISTS = {
    "list": list, "tuple": tuple, "numpy": np.array, "Series": pd.Series, "Index": pd.Index,
    "pyarrow": pa.array, "chunked": lambda ids: pa.chunked_array([ids]), "polars": pl.Series,
    "generator": lambda ids: (doc for doc in ids), "deque": deque,
    "keys": lambda ids: dict.fromkeys(ids).keys(),
    "categories": lambda ids: pd.Series(ids, dtype="category"), "tensor": Tensor,
    "bytes": lambda ids: np.array(ids, dtype="S2"),
}  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize("kind", LISTS)
def test_arrays_and_sequences_are_ranked_lists(kind: str) -> None:
    ranking = {"q": LISTS[kind](["d2", "d9", "d1"])}
    assert [doc for doc, _ in read_run(ranking).ranking("q")] == ["d2", "d9", "d1"]
    assert read_qrels({"q": LISTS[kind](["d1", "d2"])}).grades("q") == {"d1": 1, "d2": 1}


def test_decimal_commas_between_other_separators_are_read(tmp_path: Path) -> None:
    for number, read in (("relevance", read_qrels), ("score", read_run)):
        for separator in ";\t":
            lines = [("query_id", "doc_id", number), ("q", "d1", "0,5"), ("q", "d2", "2")]
            (tmp_path / "x.csv").write_text("".join(f"{separator.join(row)}\n" for row in lines))
            result = read(tmp_path / "x.csv")
            rows = result.grades("q") if number == "relevance" else dict(result.ranking("q"))
            assert rows == {"d1": 0.5, "d2": 2}
        (tmp_path / "x.csv").write_text(f'query_id,doc_id,{number}\nq,d1,"1,234"\n')
        with pytest.raises(ReadError, match="1,234"):
            read(tmp_path / "x.csv")


def test_a_row_of_a_table_may_be_a_query_with_its_list(tmp_path: Path) -> None:
    rows = pd.DataFrame({"qid": ["q", "q", "r"], "docno": ["d1", "d2", "d1"], "score": [1.0, 2, 3]})
    lists = rows.groupby("qid", as_index=False).agg(list)
    lists.to_parquet(tmp_path / "x.parquet")
    lists.to_feather(tmp_path / "x.feather")
    lists.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    by_query = rows.set_index(["qid", "docno"]).score
    tables = (lists, pl.from_pandas(lists), by_query, *tmp_path.iterdir())
    frames = {query: frame[["docno", "score"]] for query, frame in rows.groupby("qid")}
    for source in (*tables, frames):
        assert read_run(source).ranking("q") == [("d2", 2.0), ("d1", 1.0)]
    in_order = lists[["qid", "docno"]].rename(columns={"docno": "doc_ids"})
    in_order.to_json(tmp_path / "x.jsonl", orient="records", lines=True)
    series = rows.groupby("qid").docno.apply(list)
    for source in (in_order, pl.from_pandas(in_order), series, tmp_path / "x.jsonl"):
        assert [doc for doc, _ in read_run(source).ranking("q")] == ["d1", "d2"]
    uneven = lists.assign(score=[[1.0], [2.0]])
    with pytest.raises(ArgumentError, match="the lists in score are not as long"):
        read_run(uneven)


def test_numbers_by_document_are_scores() -> None:
    assert read_qrels({"q": {"d": Fraction(1, 2)}}).grades("q") == {"d": 0.5}
    series = pd.Series({"d1": 0.5, "d2": 0.75})
    pairs = np.array([("d1", 0.5), ("d2", 0.75)], dtype=[("doc", "U2"), ("score", "f8")])
    for documents in (series, pairs, {"d1": np.array(0.5), "d2": np.array(0.75)}):
        assert read_run({"q": documents}).ranking("q") == [("d2", 0.75), ("d1", 0.5)]


def test_whole_numbers_as_ids_in_an_array() -> None:
    assert read_run({"q": np.array([7, 3])}).ranking("q") == [("7", 2.0), ("3", 1.0)]
    with pytest.raises(ReadError, match=r"names no queries\n  give \{query: row for query, row in"):
        read_run(np.array([[7, 3, 5], [1, 2, 3]]))


def test_a_dict_of_columns_is_a_table() -> None:
    columns = {"query_id": ["q", "q"], "doc_id": np.array(["d1", "d2"]), "score": [0.5, 0.75]}
    assert read_run(columns).ranking("q") == [("d2", 0.75), ("d1", 0.5)]
    with pytest.raises(
        ReadError, match="its columns make no table: All arrays must be of the same"
    ):
        read_run({**columns, "score": [0.5]})


@pytest.mark.parametrize("orient", ["columns", "index", "split", "table", "records"])
@pytest.mark.parametrize("query", ["q", 7])
def test_a_frame_saved_as_json_is_a_table(orient, query, tmp_path) -> None:
    path = tmp_path / "frame.json"
    columns = {"query_id": [query] * 2, "doc_id": ["d1", "d2"], "score": [0.5, 0.75]}
    pd.DataFrame(columns).to_json(path, orient=orient)
    assert read_run(path).ranking(str(query)) == [("d2", 0.75), ("d1", 0.5)]
    pd.DataFrame({"query_id": [query], "winner": ["B"]}).to_json(path, orient=orient)
    assert [(vote.query, vote.value) for vote in read_votes(path).votes] == [(str(query), 1.0)]
    pd.DataFrame({"query_id": [query], "kind": ["x"]}).to_json(path, orient=orient)
    assert read_segments(path) == {"kind": {str(query): "x"}}


def test_answers_of_search_engines_are_runs(tmp_path: Path) -> None:
    hits = [{"_id": "d1", "_score": 0.5}, {"_id": "d2", "_score": 0.75}]
    answers = {"q": {"took": 3, "hits": {"total": 2, "hits": hits}}}
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    # Elasticsearch's client wraps an answer.
    wrapped = {query: SimpleNamespace(body=answer) for query, answer in answers.items()}
    (tmp_path / "answers.jsonl").write_text(json.dumps({"query_id": "q", **answers["q"]}) + "\n")
    paths = (tmp_path / "answers.json", tmp_path / "answers.jsonl")
    for source in (answers, *paths, {"q": hits}, {"q": answers["q"]["hits"]}, wrapped):
        assert read_run(source).ranking("q") == [("d2", 0.75), ("d1", 0.5)]
    # Sorted by a field, hits have no score, and their order counts.
    sorted_hits = {"q": {"hits": {"hits": [{**hit, "_score": None} for hit in hits]}}}
    assert [doc for doc, _ in read_run(sorted_hits).ranking("q")] == ["d1", "d2"]
    with pytest.raises(ReadError, match="query 'r' has no list of hits"):
        read_run({"r": {"error": "timeout"}, **answers})
    with pytest.raises(ReadError, match=r"_msearch names no queries\n  give \{query: answer\}"):
        read_run({"took": 1, "responses": [answers["q"]]})
    for nameless in (answers["q"], {"query_id": [], **answers["q"]}):
        with pytest.raises(ReadError, match="row 0: no query with results"):
            read_run([nameless])


def test_judgment_lists_of_opensearch_are_judgments(tmp_path: Path) -> None:
    ratings = [{"docId": "d1", "rating": "1.0"}, {"docId": "d2", "rating": "0.0"}]
    judged = {"name": "j", "judgmentRatings": [{"query": "q", "ratings": ratings}]}
    (tmp_path / "j.json").write_text(json.dumps(judged))
    for source in (judged, tmp_path / "j.json"):
        assert read_qrels(source).grades("q") == {"d1": 1, "d2": 0}
    answer = {"took": 1, "hits": {"hits": [{"_id": "0c", "_source": judged}]}}
    assert read_qrels(answer).grades("q") == {"d1": 1, "d2": 0}
    for hits in ([], [{"_source": judged}] * 2, [{"_source": {"name": "j"}}]):
        with pytest.raises(ReadError, match="is one answer of _search, with"):
            read_qrels({"hits": {"hits": hits}})
    with pytest.raises(ReadError, match="an entry of judgmentRatings has another form"):
        read_qrels({"judgmentRatings": [{"query": "q"}]})


def test_judgments_by_their_name_in_ir_datasets(monkeypatch, command, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("q Q0 d1 1 1 t\n")
    assert "pip install ir_datasets" in command(["score", "irds:x/dev", "a.run"], 3).err
    library = ModuleType("ir_datasets")
    record = pd.Series({"query_id": "q", "doc_id": "d1", "relevance": 1, "iteration": "0"})
    library.load = lambda name: {"x/dev": pd.Series({"qrels_iter": lambda: [record]})}[name]  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", library)
    assert read_qrels("irds:x/dev").grades("q") == {"d1": 1}
    with pytest.raises(ReadError, match="cannot be read by ir_datasets"):
        read_qrels("irds:y")
