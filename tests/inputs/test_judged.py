"""The join, against a plain loop and against trec_eval; judgments by subtopic."""

from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank import ArgumentError, ReadError, read_qrels, read_run
from abrank.inputs import JudgedRun, ids, join

pytestmark = pytest.mark.usefixtures("small_and_large_columns")

IDS = st.sampled_from(["a", "b", "c", "d", "é", "01", "1", "q" * 9, "q" * 8 + "r", "q" * 17])
QRELS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1), min_size=1)
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1), min_size=1)


@pytest.mark.slow
@pytest.mark.parametrize("alike", [2**63, 7, 1])  # fingerprints that many ids share
@given(QRELS, RUNS)
def test_against_a_plain_loop(alike, table, retrieved) -> None:
    qrels, run, fingerprint = read_qrels(table), read_run(retrieved), ids.fingerprint
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "fingerprint", lambda column: fingerprint(column) % np.uint64(alike))
        judged = join(qrels, run)
    expected = [
        (q, rank, table[query][doc])
        for q, query in enumerate(qrels.query_ids)
        for rank, (doc, _) in enumerate(run.ranking(query), 1)
        if doc in table[query]
    ]
    result = zip(judged.query.tolist(), judged.rank.tolist(), judged.grade.tolist(), strict=True)
    assert list(result) == expected
    assert judged.query_ids == qrels.query_ids
    assert judged.n_retrieved.tolist() == [len(retrieved.get(q, {})) for q in qrels.query_ids]
    ideal = [
        (q, grade)
        for q, query in enumerate(qrels.query_ids)
        for grade in sorted(table[query].values(), reverse=True)
    ]
    assert list(zip(judged.ideal_query.tolist(), judged.ideal_grade.tolist(), strict=True)) == ideal


ROWS = [
    ("2", "b", "d1", 1), ("2", "a", "d1", 0), ("2", "a", "d2", 2), ("1", "a", "d1", -1),
    ("1", "b", "d9", 0),
]  # fmt: skip
NAMES = st.sampled_from(["1", "2", "10", "a", "é"])
JUDGMENTS = st.dictionaries(
    st.tuples(NAMES, NAMES, NAMES), st.integers(-2, 3), min_size=1, max_size=25
).filter(lambda table: len({subtopic for _, subtopic, _ in table}) > 1)


def rows_of(table):
    return [(*key, grade) for key, grade in table.items()]


def test_a_document_has_its_highest_grade() -> None:
    qrels = read_qrels(ROWS, subtopics=True)
    assert (qrels.query_ids, qrels.grades("2")) == (("1", "2"), {"d1": 1, "d2": 2})
    assert (qrels.grades("1"), qrels.source.n_rows) == ({"d1": -1, "d9": 0}, 5)


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "Iteration"])
def test_frame_and_named_tuples(name) -> None:
    frame = pd.DataFrame(ROWS, columns=["qid", name, "docno", "label"])
    Qrel = namedtuple("Qrel", ["doc_id", "relevance", name, "query_id"])
    tuples = [Qrel(doc, grade, subtopic, query) for query, subtopic, doc, grade in ROWS]
    for source in (frame, tuples):
        qrels = read_qrels(source, subtopics=True)
        assert qrels.grades("2") == {"d1": 1, "d2": 2}
        assert qrels.subtopics.grade.tolist() == [-1, 0, 0, 1, 2]


def test_the_column_of_subtopics_can_be_named() -> None:
    frame = pd.DataFrame(ROWS, columns=["query_id", "aspect", "doc_id", "relevance"])
    with pytest.raises(ReadError, match="no column subtopic"):
        read_qrels(frame, subtopics=True)
    qrels = read_qrels(frame, subtopics=True, columns={"subtopic": "aspect"})
    assert qrels.subtopics.ids == ("a", "b", "a", "b")


@pytest.mark.slow
@given(JUDGMENTS)
def test_file_and_back(tmp_path_factory, table) -> None:
    path = tmp_path_factory.getbasetemp() / "subtopics.qrels"  # the same for every example
    qrels = read_qrels(rows_of(table), subtopics=True)
    again = read_qrels(qrels.write(path), subtopics=True)
    for name in ("ids", "query", "document", "subtopic", "grade"):
        np.testing.assert_array_equal(
            getattr(again.subtopics, name), getattr(qrels.subtopics, name)
        )
    assert {query: again.grades(query) for query in again.query_ids} == {
        query: qrels.grades(query) for query in qrels.query_ids
    }


@pytest.mark.parametrize("blank", ["", "\n"])  # a blank line takes the careful parser
def test_read_plainly_a_document_stands_there_twice(tmp_path, blank) -> None:
    path = tmp_path / "q"
    path.write_text(f"1 a d1 1\n{blank}1 b d1 0\n")
    with pytest.raises(ReadError, match="with a and b in the second field") as caught:
        read_qrels(path)
    assert "subtopics=True" in str(caught.value)
    assert read_qrels(path, subtopics=True).grades("1") == {"d1": 1}


def test_a_judgment_twice_for_one_subtopic(tmp_path) -> None:
    path = tmp_path / "q"
    path.write_text("1 a d1 1\n1 b d1 0\n1 a d1 1\n")
    with pytest.raises(ReadError, match="lines 1 and 3: document d1 twice in query 1") as caught:
        read_qrels(path, subtopics=True)
    assert "second field" not in str(caught.value)


def test_judgments_without_subtopics_are_refused(tmp_path) -> None:
    path = tmp_path / "q"
    path.write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n")
    with pytest.raises(ReadError, match=r'every row has "0" for its subtopic') as caught:
        read_qrels(path, subtopics=True)
    assert str(caught.value).startswith(str(path))
    with pytest.raises(ArgumentError, match="holds no judgments by subtopic"):
        read_qrels(read_qrels(path), subtopics=True)
    with pytest.raises(ArgumentError, match="a dict of dicts has no subtopics"):
        read_qrels({"1": {"d1": 1}}, subtopics=True)
    with pytest.raises(ReadError, match=r"row 0: .* is not \(query_id, subtopic, doc_id"):
        read_qrels([("1", "d1", 1)], subtopics=True)
    qrels = read_qrels(ROWS, subtopics=True)
    assert read_qrels(qrels, subtopics=True) is read_qrels(qrels) is qrels


def pairs(judged: JudgedRun) -> list[tuple[str, int, str, int]]:
    subtopics = judged.subtopics
    return [
        (
            judged.query_ids[judged.query[row]], int(judged.rank[row]), subtopics.pool.ids[s],
            int(grade),
        )
        for row, s, grade in zip(subtopics.row, subtopics.subtopic, subtopics.grade, strict=True)
    ]  # fmt: skip


@pytest.mark.slow
@given(
    JUDGMENTS,
    st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(0, 2), min_size=1), min_size=1),
)
def test_the_join_against_a_plain_loop(table, retrieved) -> None:
    run = read_run(retrieved)
    judged = join(read_qrels(rows_of(table), subtopics=True), run)
    expected = [
        (query, rank, subtopic, table[query, subtopic, doc])
        for query in judged.query_ids
        for rank, (doc, _) in enumerate(run.ranking(query), 1)
        for subtopic in sorted({key[1] for key in table})
        if (query, subtopic, doc) in table
    ]
    assert pairs(judged) == expected
    assert pairs(judged.top(2)) == [item for item in expected if item[1] <= 2]
    condensed = judged.condensed()
    assert [(query, subtopic) for query, _, subtopic, _ in pairs(condensed)] == [
        (query, subtopic)
        for query, rank, subtopic, _ in expected
        if judged.grade[(judged.query == judged.query_ids.index(query)) & (judged.rank == rank)]
        >= 0
    ]
