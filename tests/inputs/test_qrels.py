"""Judgments."""

from collections import namedtuple

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abrank
from abrank import ArgumentError, ReadError, read_qrels, read_run

TABLE = {"302": {"b": 1, "a": 0}, "301": {"c": -2}}
IDS = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs"]), min_size=1, max_size=4)
FIELDS = IDS.filter(
    lambda text: text.encode().split() == [text.encode()] and text[0] not in "#\ufeff"
)
TABLES = st.dictionaries(
    FIELDS, st.dictionaries(FIELDS, st.integers(-2, 4), min_size=1, max_size=5), min_size=1,
    max_size=5,
)  # fmt: skip


def as_dict(qrels) -> dict[str, dict[str, int]]:
    return {query_id: qrels.grades(query_id) for query_id in qrels.query_ids}


def test_repr_counts() -> None:
    assert repr(read_qrels(TABLE, name="q")) == "Qrels('q': 2 queries, 3 judgments)"
    assert repr(read_qrels({"1": {"d": 1}})) == "Qrels('qrels': 1 query, 1 judgment)"


def test_the_frame_is_fresh_and_typed() -> None:
    qrels = read_qrels(TABLE)
    frame = qrels.frame()
    assert [*frame.columns] == ["query_id", "doc_id", "relevance"]
    frame["relevance"] = 9
    assert qrels.grade.tolist() == [-2, 0, 1]
    assert qrels.frame().dtypes.astype(str).tolist() == ["object", "object", "int64"]


@pytest.mark.slow
@given(TABLES)
def test_dict_frame_tuples_and_back(table: dict[str, dict[str, int]]) -> None:
    qrels = read_qrels(table)
    assert as_dict(qrels) == table
    assert as_dict(read_qrels(qrels.frame())) == table
    assert as_dict(read_qrels(qrels.frame().itertuples(index=False))) == table
    assert as_dict(read_qrels(qrels.frame().sample(frac=1, random_state=0))) == table


@pytest.mark.slow
@given(TABLES)
def test_file_and_back(tmp_path_factory, table) -> None:
    path = tmp_path_factory.mktemp("qrels") / "q.txt"
    assert as_dict(read_qrels(read_qrels(table).write(path))) == table


def test_name_and_source(tmp_path) -> None:
    (tmp_path / "robust.qrels.txt").write_text("301 0 d 1\n")
    qrels = read_qrels(str(tmp_path / "robust.qrels.txt"))
    assert (qrels.name, qrels.source.n_rows) == ("robust", 1)
    assert read_qrels(qrels) is qrels
    assert read_qrels(qrels, name="other").name == "other"
    assert read_qrels(tmp_path / "robust.qrels.txt", name="other").name == "other"
    assert read_qrels({"1": {"d": 1}}).source.path is None


@pytest.mark.parametrize(
    ("grade", "words"), [(1, "both graded 1"), (0, "graded 1 and 0: they contr")]
)
def test_a_document_judged_twice(tmp_path, grade, words) -> None:
    path = tmp_path / "q.txt"
    path.write_text(f"301 0 a 1\n302 0 a 0\n\n301 0 a {grade}\n301 0 a 1\n")
    with pytest.raises(ReadError) as caught:
        read_qrels(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, lines 1 and 4: document a twice in query 301, {words}")
    assert "(2 duplicates in all)" in message
    assert "--duplicates max" in message
    first, highest = (read_qrels(path, duplicates=rule) for rule in ("first", "max"))
    assert first.grades("301") == highest.grades("301") == {"a": 1}
    assert (len(first), first.query_ids) == (2, ("301", "302"))
    assert first.source.notes[0].startswith("2 judgments of a document that was judged before")


def test_judgments_twice_keep_the_first_or_the_highest_grade_at_every_door(tmp_path) -> None:
    rows = [("q", "a", 0), ("q", "b", 1), ("q", "a", 2), ("q", "a", 1)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    frame.to_csv(tmp_path / "q.csv", index=False)
    frame.to_parquet(tmp_path / "q.parquet")
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
    for source in (rows, frame, *tmp_path.iterdir()):
        for rule, grade in (("first", 0), ("max", 2)):
            assert read_qrels(source, duplicates=rule).grades("q") == {"a": grade, "b": 1}
    by_subtopic = [(q, s, d, g) for s in "xy" for q, d, g in rows]
    qrels = read_qrels(by_subtopic, subtopics=True, duplicates="max")
    assert qrels.grades("q") == {"a": 2, "b": 1}
    assert qrels.subtopics.grade.tolist() == [2, 2, 1, 1]


def test_users_and_items_without_a_rating_are_feedback_of_grade_1(tmp_path) -> None:
    polars = pytest.importorskip("polars")
    rows = {"user_id": ["u1", "u1", "u2"], "item_id": ["i1", "i2", "i1"], "timestamp": [1, 2, 3]}
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "plain.csv", index=False)
    (tmp_path / "quoted.csv").write_text('user,item\nu1,"i1"\nu1,i2\nu2, i1\n')
    frame.to_parquet(tmp_path / "f.parquet")
    named = namedtuple("named", ["user", "item"])
    sources = [
        *(tmp_path / name for name in ("plain.csv", "quoted.csv", "f.parquet")), frame,
        frame.to_dict("records"), polars.DataFrame(rows), polars.LazyFrame(rows),
        [named("u1", "i1"), named("u1", "i2"), named("u2", "i1")],
    ]  # fmt: skip
    for source in sources:
        read = read_qrels(source)
        assert read.source.ungraded
        assert (read.grades("u1"), read.grades("u2")) == ({"i1": 1, "i2": 1}, {"i1": 1}), source
    scores = abrank.evaluate(frame, {"a": {"u1": {"i1": 1.0}, "u2": {"i2": 1.0}}}, measures=["P@1"])
    assert any("no grade: each pair of user and item counts as grade 1" in n for n in scores.notes)
    for second in (frame.assign(clicks=2), frame.rename(columns={"user_id": "qid"})):
        with pytest.raises(ReadError, match="no column relevance"):
            read_qrels(second)


def test_objects_of_trectools_are_read_by_their_frames() -> None:

    class Held:
        __module__ = "trectools.trec_qrel"
        qrels_data = pd.DataFrame([("q1", 0, "d1", 2)], columns=["query", "q0", "docid", "rel"])

    assert read_qrels(Held()).grades("q1") == {"d1": 2}


def test_ids_with_blanks_are_written_with_what_stands_for_them(tmp_path) -> None:
    # Queries of Quepid are texts.
    (tmp_path / "export.csv").write_text(
        "query,docid,rating\nstar wars,11,3\nstar wars,12,0\ntoy story,862,2\nalien,5,\n"
    )
    qrels = read_qrels(tmp_path / "export.csv")
    with pytest.raises(
        ArgumentError, match=r"'star wars' .* holds a blank; blanks=\"_\" writes it"
    ):
        qrels.write(tmp_path / "qrels.txt")
    written = qrels.write(tmp_path / "qrels.txt", blanks="_")
    lines = ["star_wars 0 11 3", "star_wars 0 12 0", "toy_story 0 862 2"]
    assert sorted(written.read_text().splitlines()) == lines
    run = read_run({"star wars": ["12", "11"], "toy story": ["862"]})
    run.write(tmp_path / "a.run", blanks="_")
    assert read_run(tmp_path / "a.run").query_ids == ("star_wars", "toy_story")
    with pytest.raises(ArgumentError, match="two ids become the same with '_'"):
        read_qrels({"a b": {"d": 1}, "a_b": {"d": 1}}).write(tmp_path / "x", blanks="_")


def test_judgments_of_letor_have_no_subtopics(tmp_path) -> None:
    (tmp_path / "l.txt").write_text("1 qid:1 1:0.5 # docid = a\n0 qid:1 1:0.5 # docid = b\n")
    with pytest.raises(ReadError, match="these are judgments without subtopics"):
        read_qrels(tmp_path / "l.txt", subtopics=True)
