"""Objects of other libraries, made by the libraries themselves where they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from abrank import ArgumentError, compare, compare_scores, evaluate, read_qrels, read_run

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"b": 2}}
RUN = {"1": {"a": 0.5, "b": 0.75}, "2": {"b": 1.0}}


def peer(name: str) -> Any:
    return pytest.importorskip(
        name, reason=f"{name} is in the extra `test` or `peers`", exc_type=ImportError
    )


def same(made: Any, expected: Any) -> None:
    assert made.frame().to_dict("list") == expected.frame().to_dict("list")


def test_ranx(tmp_path: Path) -> None:
    ranx = peer("ranx")
    qrels, run = ranx.Qrels(JUDGED), ranx.Run(RUN, name="bm25")
    same(read_qrels(qrels), read_qrels(JUDGED))
    same(read_run(run), read_run(RUN))
    same(read_qrels(qrels.to_dataframe()), read_qrels(JUDGED))
    same(read_run(run.to_dataframe()), read_run(RUN))
    for ending in ("json", "parquet"):
        qrels.save(str(tmp_path / f"q.{ending}"))
        same(read_qrels(tmp_path / f"q.{ending}"), read_qrels(JUDGED))
    for ending in ("json", "parquet", "lz4"):
        run.save(str(tmp_path / f"r.{ending}"))
        same(read_run(tmp_path / f"r.{ending}"), read_run(RUN))


def test_ir_measures() -> None:
    ir_measures = peer("ir_measures")
    qrels = [ir_measures.Qrel(q, d, g) for q, row in JUDGED.items() for d, g in row.items()]
    run = [ir_measures.ScoredDoc(q, d, s) for q, row in RUN.items() for d, s in row.items()]
    same(read_qrels(iter(qrels)), read_qrels(JUDGED))
    same(read_run(iter(run)), read_run(RUN))
    measures = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P @ 5]
    ours = evaluate(qrels, {"B": run}, measures)
    assert ours.measures == tuple(map(str, measures))
    for each in ir_measures.iter_calc(measures, qrels, run):
        at = ours.query_ids.index(each.query_id), 0, ours.measures.index(str(each.measure))
        assert ours.values[at] == pytest.approx(each.value, abs=1e-9)


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # PyTerrier 1.1 on pandas 3.1
def test_pyterrier() -> None:
    terrier = peer("pyterrier")  # an experiment on given results starts no Java
    measures = peer("pyterrier.measures")
    judged = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "b"], "label": [1, 0, 2]})
    first = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["b", "a", "b"], "score": [2.0, 1, 1]})
    second = first.assign(score=[1.0, 2, 1])
    results = [terrier.model.add_ranks(each.assign(query="x")) for each in (first, second)]
    asked = [measures.MAP, measures.nDCG @ 10, measures.RR]
    experiment = terrier.Experiment(
        [terrier.Transformer.from_df(each) for each in results],
        pd.DataFrame({"qid": ["1", "2"], "query": ["x", "x"]}),
        judged, asked, names=["A", "B"], perquery=True,
    )  # fmt: skip
    ours = compare(judged, *results, measures=asked)
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
    test = data.ItemListCollection.from_df(rated, ["user_id"])
    assert read_qrels(test).grades("2") == {"11": 5}


def test_frames_by_their_index() -> None:
    frame = pd.DataFrame({"query_id": ["1", "1"], "docno": ["a", "b"], "score": [0.5, 0.75]})
    same(read_run(frame.set_index("query_id")), read_run({"1": RUN["1"]}))
    same(read_run(frame.set_index(["query_id", "docno"])), read_run({"1": RUN["1"]}))


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
    turned = [{"map": {query: row["map"] for query, row in each.items()}} for each in dicts]
    assert compare_scores(*turned).mean_difference == expected  # the shape of ranx' run.scores


@pytest.mark.slow  # numba compiles for half a minute
@pytest.mark.filterwarnings("ignore:.*unsafe cast")
def test_the_scores_of_ranx() -> None:
    ranx = peer("ranx")
    run = ranx.Run(RUN, name="bm25")
    ranx.evaluate(ranx.Qrels(JUDGED), run, ["mrr", "precision@1"], make_comparable=True)
    assert compare_scores(run.scores, run.scores).measures == ("RR", "P@1")
