"""Texts, segments and documents in the forms in which they come; judged answers."""

import csv
import gzip
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.feather import write_feather

from abrank import ArgumentError, NotFoundError, ReadError, read_scores
from abrank.inputs.topics import LONGEST, read_clusters, read_documents, read_segments, read_topics

TREC = """<top>
<num> Number: 301
<title> Topic: international organized
crime &amp; law
<desc> Description: more
</top>
<top><num>302</num><title>polio</title></top>
"""


@pytest.mark.parametrize(("text", "expected"), [
    (TREC, {"301": "international organized crime & law", "302": "polio"}),
    ("q1\twhat is  it\r\nq2\ta\tb\n\n", {"q1": "what is it", "q2": "a b"}),
    ('{"_id": "1", "text": "x y"}\n{"_id": 2, "title": "z"}\n', {"1": "x y", "2": "z"}),
    ('{"id": 7, "query": "why"}\n{"query": "8", "text": "how"}\n', {"7": "why", "8": "how"}),
    ("\ufeffq1\tfirst\n", {"q1": "first"}),
    ('query_id,text\nq1,"a, b"\n', {"q1": "a, b"}),
    ("lang;qid;query\nen;1;why\n", {"1": "why"}),
    ("qid\tquery\n1\twhy\n", {"1": "why"}),
    ('[{"_id": "1", "text": "x"}, {"_id": "2", "text": "y"}]', {"1": "x", "2": "y"}),
    ('{\n "q1": "what",\n "q2": "is"\n}\n', {"q1": "what", "q2": "is"}),
])  # fmt: skip
def test_files_of_topics(tmp_path, text, expected):
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    assert read_topics(path) == expected


def test_objects_of_topics():
    frame = pd.DataFrame({"qid": [1, 2], "query": ["a", "b"]})
    assert read_topics(frame) == read_topics({"1": "a", "2": "b"}) == {"1": "a", "2": "b"}
    assert read_topics(pd.Series({"1": "a", "2": "b"})) == {"1": "a", "2": "b"}


@pytest.mark.every_case
@pytest.mark.parametrize(("text", "message"), [
    ("q1\ttext\nq2 no tab\n", "line 2: no query id and text"),
    ('{"_id": "1"}\n{"text": "x"}\n{broken\n', "3 bad lines"),
    ("\n", "no lines"),
    ("<top><num>1</num></top>", "without <num> or <title>"),
    (TREC + "<top><num>303<title>cut", "topic 3: no </top> at its end"),
    (TREC + TREC, "topic 3: query 301 occurs twice"),
    ("q1\ta\nq1\tb\n", "line 2: query q1 occurs twice"),
    ('{"_id": 1, "text": ' + "9" * 5000 + "}", "line 1: no query id and text"),
    ('{"_id": 1, "text": ' + "[" * 5000 + "]" * 5000 + "}", "no query id and text"),
    ('{"_id": 1, "text": null}', "line 1: no query id and text"),
    ("x" * 2_000_000, "byte 0: a line is longer than 1 MB"),
])  # fmt: skip
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
    tidy = pd.DataFrame({"qid": ["1", "01"], "intent": ["head", "tail"]})
    tidy.to_csv(tmp_path / "s.tsv", sep="\t", index=False)
    tidy.to_csv(tmp_path / "s.txt", sep=";", index=False)
    tidy.to_parquet(tmp_path / "s.parquet")
    tidy.to_json(tmp_path / "s.jsonl", orient="records", lines=True)
    tidy.to_json(tmp_path / "s.json", orient="records")
    (tmp_path / "tree.json").write_text(json.dumps({"intent": expected["intent"]}))
    rows = [tidy.to_records(index=False), [*tidy.itertuples(index=False)], tidy.to_dict("records")]
    for source in (*sorted(tmp_path.glob("*.[tjp]*")), *rows, tidy.to_dict("list")):
        assert read_segments(source) == {"intent": expected["intent"]}, source


@pytest.mark.every_case
@pytest.mark.parametrize(("text", "message"), [
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
    ("query_id,intent\n1,a\n1,b\n", "query 1 occurs twice"),
])  # fmt: skip
def test_bad_segments(tmp_path, text, message):
    path = tmp_path / "segments.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=message):
        read_segments(path)


@pytest.mark.parametrize("reader", [read_segments, read_topics])
def test_a_file_without_columns_is_refused(reader, tmp_path) -> None:
    write_feather(pa.table({}), tmp_path / "a.feather")
    with pytest.raises(ReadError, match="no column of query_id"):
        reader(tmp_path / "a.feather")


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ArgumentError, match="a path, a table or a mapping is wanted, not int"):
        read_segments(7)


def test_tables_of_other_libraries() -> None:
    columns = {"query_id": ["q1", "q2"], "text": ["red shoes", "hat"], "intent": ["buy", None]}
    table = pa.table(columns)
    assert read_topics(table) == {"q1": "red shoes", "q2": "hat"}
    assert read_segments(table.drop_columns("text")) == {"intent": {"q1": "buy"}}
    frame = pytest.importorskip("polars", reason="polars is in the extra `test`").from_arrow(table)
    assert read_topics(frame.lazy()) == read_topics(table)
    assert read_segments(frame) == read_segments(table)


def test_json_lines_and_tabs_give_titles_and_texts_of_what_is_wanted(tmp_path) -> None:
    records = [
        {"_id": "d1", "title": "Tea", "text": "All about\npots"},
        {"docno": "d2", "contents": "x" * 500},
        {"doc_id": "d3", "title": "not wanted"},
    ]
    path = tmp_path / "docs.jsonl.gz"
    path.write_bytes(
        gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode())
    )
    documents = read_documents(path, {"d1", "d2", "d9"})
    assert documents["d1"] == "Tea – All about pots"
    assert len(documents["d2"]) == LONGEST
    assert sorted(documents) == ["d1", "d2"]
    table = tmp_path / "docs.tsv"
    table.write_text("d1\tTea\tAll about pots\n\nd2\tLamps\n")
    assert read_documents(table, {"d1", "d2"}) == {"d1": "Tea – All about pots", "d2": "Lamps"}


def test_a_file_of_something_else_is_refused(tmp_path) -> None:
    path = tmp_path / "docs"
    for text in ("301 0 d1 1\n", '{"_id": "d1", "text": \n'):
        path.write_text(text)
        with pytest.raises(ReadError, match="line 1: no document id and text"):
            read_documents(path, {"d1"})


def test_a_later_line_that_is_no_json_is_passed_over(tmp_path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"_id": "d1", "text": "pots"}\n{"_id": "d2"\n{"_id": "d3", "text": "tea"}\n')
    assert read_documents(path, {"d1", "d2", "d3"}) == {"d1": "pots", "d3": "tea"}


DATA = Path(__file__).parents[3] / "shared" / "data" / "votes" / "nuggets_rag24"
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
    pairs = [("Vital", "Support"), ("vital", "Partial support"), ("OKAY", "SUPPORT"), ("x", "y")]
    is_many = [("okay", "support")] * 60
    scores = read_scores([answer("q1", *pairs), answer("q2", *is_many)])
    got = dict(zip(scores.measures, scores.values[0, 0].tolist(), strict=True))
    assert got == {
        "NuggetRecall": 2.5 / 4, "NuggetRecall(strict)": 2 / 4, "NuggetRecall(vital)": 1.5 / 2,
        "NuggetRecall(vital,strict)": 1 / 2, "WeightedNuggetRecall": 2 / 2.5,
        "WeightedNuggetRecall(strict)": 1.5 / 2.5,
    }  # fmt: skip
    assert scores.values[1, 0, scores.measures.index("NuggetRecall(vital)")] == 0.0
    assert "2 unknown labels among 64 parts, counted as no support: x (1), y (1)" in scores.notes[0]


def test_support_by_hand() -> None:
    sentences = [
        {"text": "a", "citations": [1], "support": "full_support"},
        {"text": "b", "citations": [2], "support": "PS"},
        {"text": "c", "citations": [3], "support": "no support"},
        {"text": "d", "citations": [], "support": None},
    ]
    none = [{"text": "e", "citations": [], "support": None}]
    scores = read_scores([{"topic_id": 7, "answer": sentences}, {"topic_id": 8, "answer": none}])
    assert (scores.query_ids, scores.measures) == (
        ("7", "8"),
        ("SupportPrecision", "SupportRecall"),
    )
    assert scores.values[:, 0].tolist() == [[1.5 / 3, 1.5 / 4], [0.0, 0.0]]


@pytest.mark.every_case
@pytest.mark.parametrize(("rows", "said"), [
    ([{"nuggets": []}], "answer 1: an answer has no query id"),
    ([{"qid": "1", "nuggets": [{"text": "t"}]}], "nuggets without 'assignment': were they"),
    ([{"qid": "1", "nuggets": ["t"]}], "nuggets without 'assignment'"),
    ([answer("1", ("vital", "support"))] * 2, "has several scores of NuggetRecall"),
    ([answer("1", ("vital", "suport"), *[("vital", "support")] * 99)],
     "1 unknown label among 100 parts: suport\n  write one of support, partial_support,"),
    ([answer("1", ("vital", "x"), ("vital", "support"))], "1 unknown label among 2 parts: x"),
    ([answer("1"), answer("2")], "no answer.* has any nuggets"),
    ([answer("1", ("vital", None))], "nuggets without 'assignment': were they"),
    ([answer("1", ("vital", "support")), {"qid": "2", "nuggets": None}],
     "answer 2: an answer has no list of nuggets"),
])  # fmt: skip
def test_what_was_not_judged_is_said(rows, said) -> None:
    with pytest.raises(ReadError, match=said):
        read_scores(rows)


def test_empty_answers_beside_judged_ones_are_counted(tmp_path, command) -> None:
    rows = [answer("1", ("vital", "support")), answer("2")]
    assert "1 of 2 answers empty, which score 0" in read_scores(rows).notes[0]
    lines = [json.dumps(answer(query, ("vital", "x"))) for query in "12"]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert "2 unknown labels among 2 parts" in command(["check", str(tmp_path / "a.jsonl")], 3).err


def test_rows_with_a_text_as_answer_are_no_judgments() -> None:
    scores = read_scores([{"query_id": str(i), "answer": "text", "AP": 0.5} for i in range(2)])
    assert scores.measures == ("AP",)
    assert "not compared: answer" in scores.notes[0]


def test_segments_of_another_depth_are_refused_and_two_levels_are_columns() -> None:
    with pytest.raises(ReadError, match="'kind' holds no dict"):
        read_segments({"intent": {"q1": "a"}, "kind": 2})
    index = pd.MultiIndex.from_tuples([("q1", "x"), ("q2", "y")], names=["query_id", "kind"])
    frame = pd.DataFrame({"intent": ["a", "b"]}, index=index)
    assert read_segments(frame) == {
        "kind": {"q1": "x", "q2": "y"},
        "intent": {"q1": "a", "q2": "b"},
    }


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, ""])
def test_what_is_empty_is_no_label_of_a_dict_or_series_either(nothing) -> None:
    of_query = {"q1": "a", "q2": nothing}
    for read in (read_topics, lambda source: read_clusters(source)[1]):
        assert read(of_query) == read(pd.Series(of_query, dtype=object)) == {"q1": "a"}
    assert read_segments({"intent": of_query}) == {"intent": {"q1": "a"}}


def test_properties_with_the_name_of_a_column_of_query_ids_are_properties() -> None:
    # Query ids that number rows, below names such as pandas writes for the columns of a frame.
    properties = {"topic": {"0": "sport", "1": "news"}, "user": {"0": "a", "1": "b"}}
    assert read_segments(properties) == properties


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
