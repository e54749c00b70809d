"""Frames, dicts, tuples and objects of peers give the columns that a file gives."""

import datetime
import json
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from abrank import ArgumentError, ReadError, compare, compare_scores, evaluate, read_qrels, read_run

EXPECTED = [("d2", 2.0), ("d1", 1.0)]


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(
        {"query_id": ["301", "301"], "doc_id": ["d1", "d2"], "score": [1, 2]} | columns
    )


@pytest.mark.parametrize(
    ("query", "doc"),
    [
        ("query_id", "doc_id"), ("qid", "DOCNO"), ("Q_ID", "docid"), ("query", "pid"),
        ("topic_id", "corpus_id"), ("Topic", "did"), ("query", "doc"), ("query_id", "passage_id"),
        ("user_id:token", "item_id:token"), ("userId", "movieId"),
    ],
)  # fmt: skip
def test_names_that_other_tools_use(query: str, doc: str) -> None:
    rename = frame().rename(columns={"query_id": query, "doc_id": doc})
    assert read_run(rename).ranking("301") == EXPECTED


def test_two_candidates_are_an_error_that_names_the_way_out() -> None:
    with pytest.raises(ReadError, match=r"query_id and qid could both be query_id\n.*columns="):
        read_run(frame(qid=["1", "1"]))
    assert read_run(frame(qid=["1", "1"]), columns={"query_id": "qid"}).query_ids == ("1",)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(
        ReadError, match=r"no column score \(nor prediction, rank.*; it has query_id, doc_id"
    ):
        read_run(frame().drop(columns="score"))
    with pytest.raises(ReadError, match=r"no column query_id \(nor qid, .*; it has none"):
        read_run(pd.DataFrame())


def test_columns_can_be_named() -> None:
    rename = frame().rename(columns={"score": "bm25"})
    assert read_run(rename, columns={"score": "bm25"}).ranking("301") == EXPECTED
    with pytest.raises(ArgumentError, match='no key "scores"; keys: query_id, doc_id, score'):
        read_run(rename, columns={"scores": "bm25"})
    with pytest.raises(
        ArgumentError, match='names "bm52", which is not a column; did you mean bm25'
    ):
        read_run(rename, columns={"score": "bm52"})
    with pytest.raises(
        ArgumentError, match=r'"zzzz", which is not a column; it has query_id, doc_id, bm25$'
    ):
        read_run(rename, columns={"doc_id": "zzzz"})


def test_float_ids_of_a_frame_say_how_to_mend_them() -> None:
    with pytest.raises(
        ReadError, match=r'DataFrame, row 0: query_id 301\.0 (?s:.*)astype\("Int64"\)'
    ):
        read_run(frame(query_id=[301.0, 302.0]))


Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
Swapped = namedtuple("Swapped", "score docno qid")


def test_named_tuples_go_by_name() -> None:
    assert read_qrels([Qrel("1", "d", 2, "0")]).grades("1") == {"d": 2}
    assert read_run([Swapped(0.5, "d", "1")]).ranking("1") == [("d", 0.5)]
    named = [Swapped(0.5, "d", "1")]
    assert read_run(named, columns={"query_id": "docno", "doc_id": "qid"}).query_ids == ("d",)


def test_an_iterator_is_read_once() -> None:
    assert read_run(iter([["1", "d", 1], ["1", "e", 2]])).ranking("1") == [("e", 2.0), ("d", 1.0)]


@pytest.mark.parametrize(
    "source", [{}, [], {"1": {}}, pd.DataFrame({"qid": [], "did": [], "score": []})]
)
def test_no_rows(source) -> None:
    with pytest.raises(ReadError, match="is an empty run"):
        read_run(source)
    judgments = source.assign(label=[]) if hasattr(source, "assign") else source
    with pytest.raises(ReadError, match="no rows"):
        read_qrels(judgments)


@pytest.mark.parametrize("source", [7, None, b"bytes"])
def test_other_things_are_refused(source) -> None:
    with pytest.raises(
        ArgumentError, match="must be a path, a DataFrame, a dict of dicts or tuples"
    ):
        read_run(source)


@pytest.mark.parametrize("source", [{"1": {"d": 1}}, [("1", "d", 1)], "a.run"])
def test_columns_are_for_tables(source, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text("1 Q0 d 1 1.0 x")
    for read in (read_run, read_qrels):
        with pytest.raises(ArgumentError, match="columns= is for tables and named tuples"):
            read(source, columns={"query_id": "qid"})


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


ORDER = ["d2", "d1"]


def ranked(source, query="q1") -> list[str]:
    return [doc for doc, _ in read_run(source).ranking(query)]


# The answer of Elasticsearch's and OpenSearch's _rank_eval, as their documentation shows it.
RANK_EVAL = json.loads("""{"metric_score": 0.4, "failures": {}, "details": {"q1": {
    "metric_score": 0.6, "unrated_docs": [{"_index": "shop", "_id": "d1"}],
    "hits": [{"hit": {"_index": "shop", "_id": "d2", "_score": 0.2}, "rating": 1},
             {"hit": {"_index": "shop", "_id": "d1", "_score": null}, "rating": null}],
    "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}}}}}""")
SHAPES = {
    "documents in rank order": {"q1": ORDER},
    "pairs": {"q1": [("d1", 0.5), ("d2", 0.75)]},
    # sentence_transformers.util.semantic_search, by query id
    "hits": {"q1": [{"corpus_id": "d1", "score": 0.5}, {"corpus_id": "d2", "score": 0.75}]},
    "hits without scores": {"q1": [{"id": "d2"}, {"id": "d1"}]},
    "hits with ranks": {"q1": [{"id": "d1", "rank": 2}, {"id": "d2", "rank": 1}]},
    "hits by similarity": {"q1": [{"id": "d1", "similarity": 1}, {"id": "d2", "similarity": 2}]},
    "hits with a Score": {"q1": [{"id": "d1", "Score": 1, "x": 9}, {"id": "d2", "Score": 2}]},
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
    "Solr": {"q1": {"responseHeader": {}, "response": {"docs": [{"id": "d2", "score": 2.0},
                                                                {"id": "d1", "score": 1.0}]}}},
    "Vespa": {"q1": {"root": {"id": "toplevel", "children": [{"id": "d2", "relevance": 0.5},
                                                             {"id": "d1", "relevance": 0.25}]}}},
    "Algolia": {"q0": {"hits": [], "nbHits": 0},
                "q1": {"hits": [{"objectID": "d2"}, {"objectID": "d1"}], "nbHits": 2}},
    "Typesense": {"q1": {"hits": [{"document": {"id": name}, "text_match": 9} for name in ORDER]}},
    "Qdrant": {"q1": {"result": [{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.75}],
                      "status": "ok"}},
    "Pinecone": {"q1": {"matches": [{"id": "d2", "score": 0.75}, {"id": "d1", "score": 0.5}]}},
    "an id beside a text": {"q1": [{"id": name, "document": "a text", "score": 3.0 - place}
                                   for place, name in enumerate(ORDER)]},
    "a shop's log": [
        {"search_term": "q1", "product_id": "d1", "position": 2},
        {"search_term": "q1", "product_id": "d2", "position": 1},
    ],
}  # fmt: skip


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
        assert (scores.values.tolist(), scores.systems) == ([[[0.5]]], ("B",))


@pytest.mark.parametrize("name", ["relevance", "grade", "rating", "Label", "score"])
def test_the_grade_of_a_hit_is_known_by_the_names_of_columns(name: str) -> None:
    hits = [{"doc_id": "d1", name: 2, "title": "x"}, {"doc_id": "d2", name: 0, "_score": 7.5}]
    assert read_qrels({"q1": hits}).grades("q1") == {"d1": 2, "d2": 0}
    with pytest.raises(ReadError, match="names no grade; it has doc_id, relevant"):
        read_qrels({"q1": [{"doc_id": "d1", "relevant": False}]})


def test_an_answer_of_rank_eval_holds_judgments_too() -> None:
    hits = [{"hit": {"_id": f"d{i}"}, "rating": rating} for i, rating in enumerate((0, 3, None))]
    qrels = read_qrels({"metric_score": 0.5, "details": {"q1": {"hits": hits}}})
    assert qrels.grades("q1") == {"d0": 0, "d1": 3}
    assert qrels.source.notes == ("1 row without a grade left out",)


@pytest.mark.parametrize("relevant", [["d1", "d2"], ("d1", "d2"), {"d1", "d2"}])
def test_relevant_documents_of_each_query_are_judgments(relevant) -> None:
    """sentence-transformers holds them as ``relevant_docs``, a set by query id."""
    assert read_qrels({"q1": relevant}).grades("q1") == {"d1": 1, "d2": 1}


BAD_IDS = [
    (301.0, "query_id 301.0 is a float; ids are text"), (np.float32(301.0), "is a float"),
    (float("nan"), "query_id is missing (nan)"), (None, "query_id is missing (None)"),
    (pd.NA, "query_id is missing (<NA>)"), (pd.NaT, "query_id is missing (NaT)"),
    (True, "query_id True is a bool"), (b"301", "is a bytes; ids are text or whole numbers"),
    ("", "query_id is empty"), ("\ud800", "is not valid text"),
]  # fmt: skip
BAD_SCORES = [
    (float("nan"), "is missing (nan)"), (None, "is missing (None)"), (pd.NA, "is missing"),
    (float("inf"), "is infinite"), ("high", '"high" is not a number'),
    (datetime.date(2020, 1, 1), "is a date, not a number"),
]  # fmt: skip
BAD_GRADES = [
    (float("inf"), "is infinite"), ([1], "[1] is a list"), (2**63, "is too large"),
    (10**400, "is too large"),
]  # fmt: skip
RECORD = {"qid": "q1", "docno": "d", "score": 1}


@pytest.mark.every_case
@pytest.mark.parametrize(("read", "source", "start", "words"), [
    *((read_run, [("301", "d1", 1.0), (bad, "d2", 1.0)], "tuples, row 1: ", words)
      for bad, words in BAD_IDS),
    *((read_run, {"1": {"a": 1.0, "d": bad}}, "dict, row 1: score ", words)
      for bad, words in BAD_SCORES),
    *((read_qrels, [("1", "d", bad)], "tuples, row 0: relevance ", words)
      for bad, words in BAD_GRADES),
    *((read_run, [("1", "d", 1.0), bad], "tuples, row 1: ", "is not (query_id, doc_id, score)")
      for bad in (("1", "d"), ("1", "d", 1, 2), "1 d 1", 7)),
    (read_run, {"q1": {"d1", "d2"}}, "dict: query 'q1' has a set, which has no order", ""),
    (read_run, {"q1": [{"title": "x"}]}, "dict: a hit of query 'q1' names no document; it has", ""),
    (read_run, {"q1": [["d1"], ["d2"]]}, "dict, row 0: doc_id ['d1'] is a list", ""),
    (read_run, {"en": {"test": {"q": {"d": 1}}}, "de": {"test": {"q": {"d": 1}}}},
     "dict: holds 2 sets of rankings: en, de\n  give one of them: json.load(open(path))[", ""),
    (read_run, [{"qid": "q1", "docno": "d"}], "tuples: no column score", ""),
    (read_run, [RECORD, {"qid": "q2"}], "tuples, row 1: the record has", ""),
    (read_run, [RECORD, ("q2", "d", 1)],
     "tuples, row 1: is a tuple, where the first row is a record", ""),
])  # fmt: skip
def test_what_cannot_be_used_is_named(read, source, start, words) -> None:
    with pytest.raises(ReadError) as caught:
        read(source)
    assert str(caught.value).startswith(start), caught.value
    assert words in str(caught.value)


@pytest.mark.parametrize(("module", "method", "held"), [
    ("ranx.data_structures.run", "to_dict", {"q1": {"d1": 0.5, "d2": 0.75}}),
    ("lenskit.data.collection",
     "to_df", pd.DataFrame({"user_id": ["q1"] * 2, "item_id": ["d1", "d2"], "score": [0.5, 0.75]})),
])  # fmt: skip
def test_objects_of_libraries_say_what_they_hold(module, method, held) -> None:
    stand_in = type("Run", (), {"__module__": module, "name": "x", method: lambda _: held})()
    assert ranked(stand_in) == ORDER


@pytest.mark.parametrize(
    ("read", "line"),
    [(read_run, "pipeline.transform(topics)"), (read_qrels, "dataset.get_qrels()")],
)
def test_what_pyterrier_retrieves_with_is_told_what_to_call(read, line) -> None:
    stand_in = type("Retriever", (), {"__module__": "pyterrier.terrier.retriever"})()
    with pytest.raises(ArgumentError, match="not Retriever: give") as raises:
        read(stand_in)
    assert line in str(raises.value)


JUDGED = {"1": {"a": 1, "b": 0}, "2": {"b": 2}}
SCORED = {"1": {"a": 0.5, "b": 0.75}, "2": {"b": 1.0}}


def peer(name: str):
    return pytest.importorskip(
        name, reason=f"{name} is in the extra `test` or `peers`", exc_type=ImportError
    )


def same(made, expected) -> None:
    assert made.frame().to_dict("list") == expected.frame().to_dict("list")


def test_ranx(tmp_path: Path) -> None:
    ranx = peer("ranx")
    qrels, run = ranx.Qrels(JUDGED), ranx.Run(SCORED, name="bm25")
    same(read_qrels(qrels), read_qrels(JUDGED))
    same(read_run(run), read_run(SCORED))
    same(read_qrels(qrels.to_dataframe()), read_qrels(JUDGED))
    same(read_run(run.to_dataframe()), read_run(SCORED))
    for ending in ("json", "parquet"):
        qrels.save(str(tmp_path / f"q.{ending}"))
        same(read_qrels(tmp_path / f"q.{ending}"), read_qrels(JUDGED))
    for ending in ("json", "parquet", "lz4"):
        run.save(str(tmp_path / f"r.{ending}"))
        same(read_run(tmp_path / f"r.{ending}"), read_run(SCORED))


def test_ir_measures() -> None:
    ir_measures = peer("ir_measures")
    qrels = [ir_measures.Qrel(q, d, g) for q, row in JUDGED.items() for d, g in row.items()]
    run = [ir_measures.ScoredDoc(q, d, s) for q, row in SCORED.items() for d, s in row.items()]
    same(read_qrels(iter(qrels)), read_qrels(JUDGED))
    same(read_run(iter(run)), read_run(SCORED))
    measures = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P @ 5]
    ours = evaluate(qrels, {"B": run}, measures)
    assert ours.measures == tuple(map(str, measures))
    for item in ir_measures.iter_calc(measures, qrels, run):
        position = ours.query_ids.index(item.query_id), 0, ours.measures.index(str(item.measure))
        assert ours.values[position] == pytest.approx(item.value, abs=1e-9)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # PyTerrier 1.1 on pandas 3.1
def test_pyterrier() -> None:
    terrier = peer("pyterrier")  # an experiment on given results starts no Java
    measures = peer("pyterrier.measures")
    judged = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "b"], "label": [1, 0, 2]})
    first = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["b", "a", "b"], "score": [2.0, 1, 1]})
    second = first.assign(score=[1.0, 2, 1])
    results = [terrier.model.add_ranks(item.assign(query="x")) for item in (first, second)]
    requested = [measures.MAP, measures.nDCG @ 10, measures.RR]
    experiment = terrier.Experiment(
        [terrier.Transformer.from_df(result) for result in results],
        pd.DataFrame({"qid": ["1", "2"], "query": ["x", "x"]}),
        judged, requested, names=["A", "B"], perquery=True,
    )  # fmt: skip
    ours = compare(judged, *results, measures=requested)
    theirs = compare_scores(experiment, baseline="A")
    for measure in map(str, ours.measures):
        assert ours[measure].diff == pytest.approx(theirs[measure].diff, abs=1e-12)
    assert ours["AP"].diff == 0.25
    with pytest.raises(ArgumentError, match=r"pipeline\.transform\(topics\)"):
        read_run(terrier.Transformer.from_df(first))


def test_lenskit(tmp_path: Path) -> None:
    data = peer("lenskit.data")
    frame = pd.DataFrame(
        {"user_id": [1, 1, 2], "item_id": [10, 11, 10], "score": [0.5, 0.25, 0.75]}
    )
    lists = data.ItemListCollection.from_df(frame, ["user_id"])
    same(read_run(lists), read_run({"1": {"10": 0.5, "11": 0.25}, "2": {"10": 0.75}}))
    for layout in ("native", "flat"):
        lists.save_parquet(tmp_path / f"{layout}.parquet", layout=layout)
        same(read_run(tmp_path / f"{layout}.parquet"), read_run(lists))
    rated = pd.DataFrame({"user_id": [1, 2], "item_id": [10, 11], "rating": [4.0, 5.0]})
    assert read_qrels(data.ItemListCollection.from_df(rated, ["user_id"])).grades("2") == {"11": 5}


def test_frames_by_their_index() -> None:
    frame = pd.DataFrame({"query_id": ["1", "1"], "docno": ["a", "b"], "score": [0.5, 0.75]})
    same(read_run(frame.set_index("query_id")), read_run({"1": SCORED["1"]}))
    same(read_run(frame.set_index(["query_id", "docno"])), read_run({"1": SCORED["1"]}))


def test_per_query_results_of_peers() -> None:
    ir_measures, pytrec_eval = peer("ir_measures"), peer("pytrec_eval")
    judged = {"1": {"a": 1}, "2": {"b": 1}}
    runs = [{"1": {"a": 1.0}, "2": {"b": 1.0}}, {"1": {"b": 0.5, "a": 0.25}, "2": {"a": 1.0}}]
    expected = (0.5 + 0.0) / 2 - 1.0
    metrics = [list(ir_measures.iter_calc([ir_measures.AP], judged, run)) for run in runs]
    assert compare_scores(*metrics).mean_difference == expected
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
    dicts = [evaluator.evaluate(run) for run in runs]
    result = compare_scores(*dicts)
    assert (result.measures, result.mean_difference) == (("AP",), expected)
    turned = [{"map": {query: row["map"] for query, row in item.items()}} for item in dicts]
    assert compare_scores(*turned).mean_difference == expected  # the shape of ranx' run.scores


@pytest.mark.slow  # numba compiles for half a minute
@pytest.mark.filterwarnings("ignore:.*unsafe cast")
def test_the_scores_of_ranx() -> None:
    ranx = peer("ranx")
    run = ranx.Run(SCORED, name="bm25")
    ranx.evaluate(ranx.Qrels(JUDGED), run, ["mrr", "precision@1"], make_comparable=True)
    assert compare_scores(run.scores, run.scores).measures == ("RR", "P@1")
