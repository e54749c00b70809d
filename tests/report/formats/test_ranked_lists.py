"""One query's two lists: the sentence is right about every document, singular and plural too."""

import pytest

from abrank.measures.names import ANY_GRADE
from abrank.report.formats import queries


def ranking(text: str):
    """Read a ranking of one-letter documents with grades: ``a1 b0 c?``."""
    return tuple((part[0], None if part[1:] == "?" else int(part[1:])) for part in text.split())


@pytest.mark.parametrize(("a", "b", "sentence"), [
    ("a1 b0", "a1 b0", "Both have the same top 3, in the same order."),
    ("a2 b1 c1 d0", "e? f0 a2",
     "B lost 2 and gained 0 relevant documents in the top 3; 1 of B's top 3 is not judged."),
    ("a1 b0", "c1 b0", "B lost 1 and gained 1 relevant document in the top 3."),
    ("b0 c0 d0 a1", "a1 b0 c0", "B lost 0 and gained 1 relevant documents in the top 3."),
    ("a0 b?", "b? c?", "Neither has a relevant document in the top 3; 1 of A's and 2 of B's top"
     " 3 are not judged."),
    ("a1 b0", "b0 a1", "The one relevant document in the top 3 is the same, in B lower."),
    ("b0 a1", "a1 b0", "The one relevant document in the top 3 is the same, in B higher."),
    ("a1 b0 c0", "a1 c0 b0",
     "The one relevant document in the top 3 is the same, in B at the same rank."),
    ("a1 b2 c1", "b2 a1 c1",
     "The 3 relevant documents in the top 3 are the same, in B 1 higher and 1 lower."),
    ("a1 b2 c0", "a1 b2 d-1",
     "The 2 relevant documents in the top 3 are the same, in B all at the same rank."),
    ("a1", "", "B returned no document for this query."),
    ("", "a1", "A returned no document for this query."),
    ("", "", "Neither returned a document for this query."),
])  # fmt: skip
def test_sentence(a: str, b: str, sentence: str) -> None:
    assert queries.why(ranking(a), ranking(b), depth=3) == sentence


def test_grades_below_the_relevant_one_do_not_count() -> None:
    a, b = ranking("a2 b1"), ranking("c1 b1")
    assert queries.why(a, b, depth=2).startswith("B lost 1 and gained 1 relevant document in")
    assert queries.why(a, b, depth=2, rel=2).startswith("B lost 1 and gained 0")


def test_long_and_hostile_ids_are_cut_and_cleaned() -> None:
    a = (("x" * 10_000, 1), ("\u202eback", 0))
    docs = queries.QueryLists.of(a, a, depth=2).compact[1::4]
    assert max(map(len, docs)) == queries.LONGEST_DOC
    assert "\u202e" not in docs[1]


@pytest.mark.parametrize(("measure", "expected"), [
    ("nDCG@10", (10, ANY_GRADE)),
    ("nDCG@5", (5, ANY_GRADE)),
    ("P@100", (20, ANY_GRADE)),
    ("AP", (queries.DEPTH, ANY_GRADE)),
    ("P(rel=2)@10", (10, 2)),
    ("my own", (queries.DEPTH, ANY_GRADE)),
])  # fmt: skip
def test_as_many_documents_as_the_measure_looks_at(measure: str, expected: tuple[int, int]) -> None:
    assert queries.cutoff(measure) == expected


def test_relevant_documents_in_one_top_only_say_where_the_other_has_them() -> None:
    a, b = ranking("a2 b1 c1 d0 e1"), ranking("d0 e1 f1 a2")
    lists = queries.QueryLists.of(a, b, depth=3, elsewhere={"b": 57, "c": 0, "f": 31})
    assert [(item.doc_id, item.grade, ranks) for item, ranks in lists.went] == [
        ("a", 2, ("1", "4")), ("b", 1, ("2", "57")), ("c", 1, ("3", "not retrieved")),
        ("e", 1, ("5", "2")), ("f", 1, ("31", "3")),
    ]  # fmt: skip
    assert queries.QueryLists.of(a, b, depth=3).went[1][1] == ("2", "further down or not retrieved")
    assert queries.QueryLists.of(a, b, depth=3, rel=3).went == []


def test_documents_of_both_lists_are_listed_once() -> None:
    lists = queries.QueryLists.of((("d1", 1), ("d2", None)), (("d3", 0), ("d1", 1)), depth=1)
    assert lists.documents == (
        queries.ListedDocument("d1", grade=1, ranks=(1, 2), elsewhere=2),
        queries.ListedDocument("d3", grade=0, ranks=(0, 1)),
    )


def test_documents_in_one_top_only_have_their_rank_in_the_other_list() -> None:
    a, b = (("d1", 1), ("d2", 1)), (("d3", 0), ("d4", 2))
    lists = queries.QueryLists.of(a, b, depth=2, elsewhere={"d1": 57, "d4": 0})
    assert lists.compact_went == [0, 57, 1, -1, 3, 0]


def test_lists_are_read_with_their_moves() -> None:
    lists = queries.QueryLists.of((("d1", 1), ("d2", 0)), (("d2", 0),), depth=10)
    first, second = lists.documents
    assert lists.sides[0] == [(1, "dropped", first), (2, "→ 1", second)]
