"""Texts and segments of queries, in the forms in which they come."""

import pandas as pd
import pyarrow as pa
import pytest

from abrank import ArgumentError, NotFoundError, ReadError
from abrank.inputs.topics import read_segments, read_topics

TREC = """<top>
<num> Number: 301
<title> Topic: international organized
crime &amp; law
<desc> Description: more
</top>
<top><num>302</num><title>polio</title></top>
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TREC, {"301": "international organized crime & law", "302": "polio"}),
        ("q1\twhat is  it\r\nq2\ta\tb\n\n", {"q1": "what is it", "q2": "a b"}),
        ('{"_id": "1", "text": "x y"}\n{"_id": 2, "title": "z"}\n', {"1": "x y", "2": "z"}),
        ('{"id": 7, "query": "why"}\n{"query": "8", "text": "how"}\n', {"7": "why", "8": "how"}),
        ("\ufeffq1\tfirst\n", {"q1": "first"}),
    ],
)
def test_files_of_topics(tmp_path, text, expected):
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    assert read_topics(path) == expected


def test_objects_of_topics():
    frame = pd.DataFrame({"qid": [1, 2], "query": ["a", "b"]})
    assert read_topics(frame) == read_topics({"1": "a", "2": "b"}) == {"1": "a", "2": "b"}
    assert read_topics(pd.Series({"1": "a", "2": "b"})) == {"1": "a", "2": "b"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\ttext\nq2 no tab\n", "line 2: no query id and text"),
        ('{"_id": "1"}\n{"text": "x"}\n{broken\n', "3 bad lines"),
        ("\n", "no lines"),
        ("<top><num>1</num></top>", "without <num> or <title>"),
        (TREC + "<top><num>303<title>cut", "topic 3: no </top> at its end"),
        (TREC + TREC, "topic 3: query 301 stands twice"),
        ("q1\ta\nq1\tb\n", "line 2: query q1 stands twice"),
        ('{"_id": 1, "text": ' + "9" * 5000 + "}", "line 1: no query id and text"),
        ('{"_id": 1, "text": ' + "[" * 5000 + "]" * 5000 + "}", "no query id and text"),
        ('{"_id": 1, "text": null}', "line 1: no query id and text"),
        ("x" * 2_000_000, "byte 0: a line is longer than 1 MB"),
    ],
)
def test_bad_topics(tmp_path, text, message):
    path = tmp_path / "topics"
    path.write_text(text)
    with pytest.raises(ReadError, match=message) as caught:
        read_topics(path)
    assert len(str(caught.value)) < 1000
    with pytest.raises(NotFoundError):
        read_topics(tmp_path / "none")


@pytest.mark.parametrize("text", ["<top>", "<num>" + " " * 50, "<title> Topic:" + " " * 50])
def test_topics_cost_no_more_than_their_length(tmp_path, text):
    # With a square of the length this would not end.
    path = tmp_path / "topics"
    path.write_text("<top>" + "\n".join([text] * 100_000))
    with pytest.raises(ReadError):
        read_topics(path)


def test_segments_are_columns_of_a_table(tmp_path):
    path = tmp_path / "segments.csv"
    path.write_text('query_id,intent,"long, or short"\n1,head,long\n01,tail,\n')
    expected = {"intent": {"1": "head", "01": "tail"}, "long, or short": {"1": "long"}}
    assert read_segments(path) == expected
    frame = pd.DataFrame({"qid": ["1", "01"], "intent": ["head", "tail"], "n": [1.5, None]})
    assert read_segments(frame) == {"intent": expected["intent"], "n": {"1": "1.5"}}
    assert read_segments(expected) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,intent\n1,head\n", "no column of query_id"),
        ("", "no lines"),
        ("query_id,intent\n1,a,b\n2,c\n", "line 2: expected 2 fields, found 3"),
        ("query_id,intent\n1,a\n2\n", "line 3: expected 2 fields, found 1"),
        ("query_id,intent\n1,a\n2,b,c\n", "line 3: expected 2 fields, found 3"),
        ("query_id,a,a\n1,b,c\n", 'the column "a" stands there twice'),
        ("query_id,\n1,b\n", "a column has no name"),
        ("query_id,a\n,b\n", "line 2: the query id is empty"),
        (f"query_id,a\n1,{'x' * 200_000}\n", "line 2: no line of a table: field larger"),
        ('query_id,a\n1,"x\n', "no line of a table: unexpected end of data"),
        ("query_id\n1\n", "no column beside query_id"),
        ("query_id,intent\n1,a\n1,b\n", "query 1 stands twice"),
    ],
)
def test_bad_segments(tmp_path, text, message):
    path = tmp_path / "segments.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=message):
        read_segments(path)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a path, a table or a mapping is wanted, not int"):
        read_segments(7)


def test_tables_of_other_libraries() -> None:
    columns = {"query_id": ["q1", "q2"], "text": ["red shoes", "hat"], "intent": ["buy", None]}
    table = pa.table(columns)
    assert read_topics(table) == {"q1": "red shoes", "q2": "hat"}
    assert read_segments(table.drop_columns("text")) == {"intent": {"q1": "buy"}}
    polars = pytest.importorskip("polars", reason="polars is in the extra `test`")
    frame = polars.from_arrow(table)
    assert read_topics(frame.lazy()) == read_topics(table)
    assert read_segments(frame) == read_segments(table)
