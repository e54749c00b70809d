"""Frames, dicts and tuples give the columns that a file gives."""

from __future__ import annotations

import datetime
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from abrank import ArgumentError, ReadError, read_qrels, read_run
from abrank.inputs.columns import QRELS, RUN
from abrank.inputs.objects.names import choose_columns

EXPECTED = [("d2", 2.0), ("d1", 1.0)]


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {"query_id": ["301", "301"], "doc_id": ["d1", "d2"], "score": [1, 2]} | columns
    )


@pytest.mark.parametrize("query", ["query_id", "qid", "Q_ID", "query", "topic_id", "Topic"])
@pytest.mark.parametrize("doc", ["doc_id", "DOCNO", "docid", "pid", "corpus_id", "did"])
def test_names_that_other_tools_use(query: str, doc: str) -> None:
    given = frame().rename(columns={"query_id": query, "doc_id": doc})
    assert read_run(given).ranking("301") == EXPECTED


@pytest.mark.parametrize("value", ["relevance", "label", "Rel", "grade"])
def test_names_of_the_grade(value: str) -> None:
    given = frame().rename(columns={"score": value})
    assert read_qrels(given).grades("301") == {"d1": 1, "d2": 2}


def test_pyterrier_frames_are_known() -> None:
    given = frame(docid=[7, 8], query=["what", "what"], rank=[0, 1])
    given = given.rename(columns={"query_id": "qid", "doc_id": "docno"})
    assert read_run(given).ranking("301") == EXPECTED


def test_two_candidates_are_an_error_that_names_the_way_out() -> None:
    with pytest.raises(ReadError, match=r"query_id and qid could both be query_id\n.*columns="):
        read_run(frame(qid=["1", "1"]))
    assert read_run(frame(qid=["1", "1"]), columns={"query_id": "qid"}).query_ids == ("1",)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(ReadError, match=r"no column score \(nor rank.*; it has query_id, doc_id"):
        read_run(frame().drop(columns="score"))
    with pytest.raises(ReadError, match=r"no column query_id \(nor qid, .*; it has none"):
        read_run(pd.DataFrame())


def test_columns_can_be_named() -> None:
    given = frame().rename(columns={"score": "bm25"})
    assert read_run(given, columns={"score": "bm25"}).ranking("301") == EXPECTED
    with pytest.raises(ArgumentError, match='no key "scores"; keys: query_id, doc_id, score'):
        read_run(given, columns={"scores": "bm25"})
    with pytest.raises(
        ArgumentError, match='names "bm52", which is not a column; did you mean bm25'
    ):
        read_run(given, columns={"score": "bm52"})
    with pytest.raises(ArgumentError, match=r'"zzzz", which is not a column$'):
        read_run(given, columns={"doc_id": "zzzz"})


def test_every_override_wins() -> None:
    names = ["a", "b", "c"]
    override = {"query_id": "c", "doc_id": "b", "relevance": "a"}
    assert choose_columns(names, QRELS, override) == ("c", "b", "a")


def test_the_frame_is_left_alone() -> None:
    given = frame(query_id=[301, 302])
    before = given.copy(deep=True)
    made = read_run(given).frame()
    made["score"] = 9.0
    pd.testing.assert_frame_equal(given, before)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "Int64", "category"])
def test_whole_number_ids_become_text(dtype: str) -> None:
    ids = pd.Series([30, 31]).astype(dtype)
    assert read_run(frame(query_id=ids)).query_ids == ("30", "31")


@pytest.mark.parametrize("dtype", ["object", "str", "category"])
def test_text_ids_of_any_dtype(dtype: str) -> None:
    given = frame(query_id=pd.Series(["01", "1"]).astype(dtype))
    assert read_run(given).query_ids == ("01", "1")


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (301.0, "row 1: query_id 301.0 is a float; ids are text"),
        (np.float32(301.0), "is a float"),
        (float("nan"), "query_id is missing (nan)"),
        (None, "query_id is missing (None)"),
        (pd.NA, "query_id is missing (<NA>)"),
        (pd.NaT, "query_id is missing (NaT)"),
        (True, "query_id True is a bool"),
        (b"301", "is a bytes; ids are text or whole numbers"),
        ("", "row 1: query_id is empty"),
        ("\ud800", "is not valid text"),
    ],
)
def test_ids_that_are_no_ids(bad: Any, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_run([("301", "d1", 1.0), (bad, "d2", 1.0)])
    assert str(caught.value).startswith("tuples, row 1: ")
    assert words in str(caught.value)


def test_float_ids_of_a_frame_say_how_to_mend_them() -> None:
    with pytest.raises(
        ReadError, match=r'DataFrame, row 0: query_id 301\.0 (?s:.*)astype\("Int64"\)'
    ):
        read_run(frame(query_id=[301.0, 302.0]))


@pytest.mark.parametrize("score", [1, 1.5, np.float32(0.1), np.float16(2), np.int8(-3), -0.0])
def test_numbers_that_are_scores(score: Any) -> None:
    assert read_run({"1": {"d": score}}).score.tolist() == [float(score)]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (float("nan"), "score is missing (nan)"),
        (None, "score is missing (None)"),
        (pd.NA, "score is missing"),
        (float("inf"), "score is infinite"),
        ("1.5", "score '1.5' is a str, not a number"),
        (True, "score True is a bool, not a number"),
        (datetime.date(2020, 1, 1), "is a date, not a number"),
    ],
)
def test_numbers_that_are_no_scores(score: Any, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_run({"1": {"a": 1.0, "d": score}})
    assert str(caught.value).startswith("dict, row 1: score ")
    assert words in str(caught.value)


@pytest.mark.parametrize("grade", [2, 2.0, np.float32(2), np.int64(2), np.uint8(2)])
def test_numbers_that_are_grades(grade: Any) -> None:
    assert read_qrels({"1": {"d": grade}}).grade.tolist() == [2]


@pytest.mark.parametrize(
    ("grade", "words"),
    [
        (0.5, "relevance 0.5 is not a whole number"),
        (float("inf"), "is not a whole number"),
        (float("nan"), "relevance is missing (nan)"),
        (None, "relevance is missing"),
        ("1", "relevance '1' is a str, not a whole number"),
        (2**63, "is too large"),
    ],
)
def test_numbers_that_are_no_grades(grade: Any, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_qrels([("1", "d", grade)])
    assert str(caught.value).startswith("tuples, row 0: relevance ")
    assert words in str(caught.value)


Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
Swapped = namedtuple("Swapped", "score docno qid")


def test_named_tuples_go_by_name() -> None:
    assert read_qrels([Qrel("1", "d", 2, "0")]).grades("1") == {"d": 2}
    assert read_run([Swapped(0.5, "d", "1")]).ranking("1") == [("d", 0.5)]
    named = [Swapped(0.5, "d", "1")]
    assert read_run(named, columns={"query_id": "docno", "doc_id": "qid"}).query_ids == ("d",)


def test_an_iterator_is_read_once() -> None:
    assert read_run(iter([["1", "d", 1], ["1", "e", 2]])).ranking("1") == [("e", 2.0), ("d", 1.0)]


@pytest.mark.parametrize("row", [("1", "d"), ("1", "d", 1, 2), "1 d 1", 7])
def test_rows_of_another_shape(row: Any) -> None:
    with pytest.raises(ReadError, match=r"tuples, row 1: .* is not \(query_id, doc_id, score\)"):
        read_run([("1", "d", 1.0), row])


@pytest.mark.parametrize(
    "source", [{}, [], {"1": {}}, pd.DataFrame({"qid": [], "did": [], "score": []})]
)
def test_no_rows(source: Any) -> None:
    assert len(read_run(source).query_ids) == 0  # a system that found nothing
    judgments = source.assign(label=[]) if hasattr(source, "assign") else source
    with pytest.raises(ReadError, match="no rows"):
        read_qrels(judgments)


def test_a_query_without_documents_is_no_row() -> None:
    assert read_run({"1": {}, "2": {"d": 1}}).query_ids == ("2",)


def test_a_dict_of_anything_else() -> None:
    with pytest.raises(ReadError, match="query '1' has a str, not a dict"):
        read_run({"1": "d"})


@pytest.mark.parametrize("source", [7, None, b"bytes"])
def test_other_things_are_refused(source: Any) -> None:
    with pytest.raises(
        ArgumentError, match="must be a path, a DataFrame, a dict of dicts or tuples"
    ):
        read_run(source)


@pytest.mark.parametrize("source", [{"1": {"d": 1}}, [("1", "d", 1)], "a.run"])
def test_columns_are_for_tables(source: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("1 Q0 d 1 1.0 x")
    for read in (read_run, read_qrels):
        with pytest.raises(ArgumentError, match="columns= is for tables and named tuples"):
            read(source, columns={"query_id": "qid"})


def test_duplicates_in_a_frame_are_found() -> None:
    with pytest.raises(ReadError, match="DataFrame, rows 0 and 1: document d twice in query 301"):
        read_run(frame(doc_id=["d", "d"]))


def test_choosing_knows_no_case() -> None:
    assert choose_columns(["QID", "DocNo", "SCORE"], RUN, None) == ("QID", "DocNo", "SCORE")


def test_an_id_that_is_too_long_is_refused() -> None:
    for length, fits in ((65_536, True), (65_537, False)):
        docs = ["d", "d" * length]
        table = pd.DataFrame({"query_id": "q", "doc_id": docs, "score": [2.0, 1.0]})
        for source in (table, {"q": dict(zip(docs, [2.0, 1.0], strict=True))}):
            if fits:
                assert len(read_run(source)) == 2
                continue
            with pytest.raises(ReadError, match="row 1: doc_id is longer than 64 kB"):
                read_run(source)
