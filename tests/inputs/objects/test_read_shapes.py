"""Rankings and judgments in the shapes of other programs, each as that program writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from abrank import ArgumentError, ReadError, evaluate, read_qrels, read_run

ORDER = ["d2", "d1"]


def ranked(source: Any, query: str = "q1") -> list[str]:
    return [doc for doc, _ in read_run(source).ranking(query)]


# The answer of Elasticsearch's and OpenSearch's _rank_eval, as their documentation shows it.
RANK_EVAL = {
    "metric_score": 0.4,
    "details": {
        "q1": {
            "metric_score": 0.6,
            "unrated_docs": [{"_index": "shop", "_id": "d1"}],
            "hits": [
                {"hit": {"_index": "shop", "_id": "d2", "_score": 0.2}, "rating": 1},
                {"hit": {"_index": "shop", "_id": "d1", "_score": None}, "rating": None},
            ],
            "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}},
        }
    },
    "failures": {},
}
SHAPES: dict[str, Any] = {
    "documents in rank order": {"q1": ORDER},
    "pairs": {"q1": [("d1", 0.5), ("d2", 0.75)]},
    # sentence_transformers.util.semantic_search, by query id
    "hits": {"q1": [{"corpus_id": "d1", "score": 0.5}, {"corpus_id": "d2", "score": 0.75}]},
    "hits without scores": {"q1": [{"id": "d2"}, {"id": "d1"}]},
    # InformationRetrievalEvaluator(write_predictions=True), a line a query
    "predictions of sentence-transformers": [
        {
            "query_id": "q1",
            "query": "red shoes",
            "results": [{"corpus_id": "d2", "score": 0.75}, {"corpus_id": "d1", "score": 0.5}],
        }
    ],
    # mteb.evaluate(..., prediction_folder=...): subset, split, query
    "predictions of mteb": {
        "mteb_model_meta": {"model_name": "m", "revision": "1"},
        "default": {"test": {"q1": {"d1": 0.5, "d2": 0.75}}},
    },
    "records": [
        {"user_id": "q1", "item_id": "d1", "rank": 2},
        {"user_id": "q1", "item_id": "d2", "rank": 1},
    ],
    "_rank_eval": RANK_EVAL,
}


@pytest.mark.parametrize("name", SHAPES)
def test_objects_and_the_files_they_are_saved_in(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    assert ranked(shape) == ORDER
    path = tmp_path / "bm25.json"
    path.write_text(json.dumps(shape))
    assert ranked(path) == ORDER
    assert read_run(path).name == "bm25"
    if isinstance(shape, list):
        path.write_text("\n".join(map(json.dumps, shape)))
        assert ranked(path) == ORDER
    for source in (shape, path):
        scores = evaluate({"q1": {"d1": 1}}, {"B": source}, ["RR"])
        assert scores.values.tolist() == [[[0.5]]]
        assert scores.systems == ("B",)


@pytest.mark.parametrize("relevant", [["d1", "d2"], ("d1", "d2"), {"d1", "d2"}])
def test_relevant_documents_of_each_query_are_judgments(relevant: Any) -> None:
    """sentence-transformers holds them as ``relevant_docs``, a set by query id."""
    assert read_qrels({"q1": relevant}).grades("q1") == {"d1": 1, "d2": 1}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"q1": {"d1", "d2"}}, "dict: query 'q1' has a set, which has no order"),
        ({"q1": [{"title": "x"}]}, "dict: a hit of query 'q1' names no document; it has title"),
        ({"q1": [["d1"], ["d2"]]}, "dict, row 0: doc_id ['d1'] is a list"),
        (
            {"en": {"test": {"q": {"d": 1}}}, "de": {"test": {"q": {"d": 1}}}},
            "dict: holds 2 sets of rankings: en, de\n  give one of them: json.load(open(path))[",
        ),
        ([{"qid": "q1", "docno": "d"}], "tuples: no column score"),
        ([{"qid": "q1", "docno": "d", "score": 1}, {"qid": "q2"}], "tuples, row 1: the record has"),
        (
            [{"qid": "q1", "docno": "d", "score": 1}, ("q2", "d", 1)],
            "tuples, row 1: is a tuple, where the first row is a record",
        ),
    ],
)
def test_what_is_none_of_them(source: Any, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_run(source)
    assert str(caught.value).startswith(words), caught.value


@pytest.mark.parametrize(
    ("module", "method", "held"),
    [
        ("ranx.data_structures.run", "to_dict", {"q1": {"d1": 0.5, "d2": 0.75}}),
        (
            "lenskit.data.collection",
            "to_df",
            pd.DataFrame({"user_id": ["q1"] * 2, "item_id": ["d1", "d2"], "score": [0.5, 0.75]}),
        ),
    ],
)
def test_objects_of_libraries_say_what_they_hold(module: str, method: str, held: Any) -> None:
    stand_in = type("Run", (), {"__module__": module, "name": "x", method: lambda _: held})()
    assert ranked(stand_in) == ORDER


def test_a_grade_that_no_float_holds() -> None:
    with pytest.raises(ReadError, match="dict, row 0: relevance is too large"):
        read_qrels({"q1": {"d1": 10**400}})


def test_lists_hold_no_subtopics() -> None:
    with pytest.raises(ArgumentError, match="has no subtopics"):
        read_qrels({"q1": ["d1"]}, subtopics=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"q1": {"d1": 1', "is no JSON: Expecting"),
        ('{"q1": {"d1": 1, "d1": 2}}', "the key 'd1' stands twice"),
        ('{"q1": {"d1": NaN}}', "row 0: score is missing (nan)"),
        ('{"q1": {"d1": "high"}}', "row 0: score 'high' is a str"),
        ('{"q1": 7}', "query 'q1' has a int, not a dict"),
        ("{" + '"a": {' * 5000, "is no JSON: "),
    ],
)
def test_json_that_cannot_be_used(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ReadError) as caught:
        read_run(tmp_path / "a.json")
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "a.json"))


@pytest.mark.parametrize(
    ("read", "line"),
    [(read_run, "pipeline.transform(topics)"), (read_qrels, "dataset.get_qrels()")],
)
def test_what_pyterrier_retrieves_with_is_told_what_to_call(read, line) -> None:
    stand_in = type("Retriever", (), {"__module__": "pyterrier.terrier.retriever"})()
    with pytest.raises(ArgumentError, match="not Retriever: give") as told:
        read(stand_in)
    assert line in str(told.value)
