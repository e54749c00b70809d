"""What a notebook asks of a result: single queries, and errors that say which frame is wrong."""

from dataclasses import replace

import pandas as pd
import pytest

import abrank
from abrank import ArgumentError, ReadError
from abrank.workflow import TOP

MADE = abrank.simulate_runs(60, rng=3)
RESULT = abrank.compare(
    MADE.qrels, MADE.baseline, MADE.candidate, measures=["nDCG@10", "AP"], topics=MADE.topics
)


def test_worst_are_lost_by_b_in_the_order_of_the_loss() -> None:
    worst = RESULT.worst(5)
    expected = RESULT.queries.nsmallest(5, "diff")
    assert list(worst["query_id"]) == list(expected["query_id"])
    assert worst["text"][0] == MADE.topics[worst["query_id"][0]]
    assert set(RESULT.worst(60, measure="AP")["outcome"]) == {"A wins"}
    assert RESULT.best(5)["diff"].tolist() == sorted(RESULT.queries["diff"], reverse=True)[:5]
    assert set(RESULT.best(60)["outcome"]) == {"B wins"}


def test_queries_that_moved_have_their_segments_and_a_cost_its_own_order() -> None:
    scores = {f"q{i}": float(i) for i in range(12)}
    kinds = pd.DataFrame({"device": ["a", "b"] * 6, "length": range(12)}, [*scores])
    frame = pd.DataFrame({"A": scores, "B": {q: x + (-1) ** int(x) * x for q, x in scores.items()}})
    table = frame.join(kinds.assign(length=pd.cut(kinds["length"], [-1, 5, 11])))
    columns = {"variants": ["A", "B"], "segments": ["device", "length"]}
    result = abrank.compare_scores(
        table.rename_axis("query_id"), columns=columns, baseline="A",
        segments=["device", "length"], lower_is_better="score",
    )  # fmt: skip
    best, worst = result.best(1), result.worst(1)
    assert (best["query_id"][0], best["device"][0], best["length"][0]) == ("q11", "b", "(5, 11]")
    assert (worst["query_id"][0], worst["device"][0]) == ("q10", "a")


def test_inspect_shows_what_the_result_holds() -> None:
    query = RESULT.worst(1)["query_id"][0]
    inspect = RESULT.inspect(query)
    whole = abrank.inspect_query(
        MADE.qrels, MADE.baseline, MADE.candidate, query, measures=["nDCG@10", "AP"]
    )
    assert (inspect.a, inspect.b, inspect.measures) == (whole.a, whole.b, whole.measures)
    assert inspect.rankings[0][:10] == whole.rankings[0][:10]
    further = {item.doc_id: item for item in whole.relevant}
    assert inspect.relevant
    assert all(further[item.doc_id] == item for item in inspect.relevant)
    assert max(max(item.rank_a, item.rank_b) for item in inspect.relevant) > TOP
    alone = replace(RESULT, evidence=replace(RESULT.evidence, elsewhere={})).inspect(query)
    assert "? further down or not retrieved" in " ".join(str(alone).split())
    assert "further down" not in " ".join(str(inspect).split())
    assert MADE.topics[query] in inspect._repr_html_()
    assert len(repr(inspect)) < 200
    with pytest.raises(ArgumentError, match="did you mean"):
        RESULT.inspect(query + "0")


def test_inspect_takes_a_number_and_ready_scores() -> None:
    text = str(abrank.compare_scores([0.1, 0.2, 0.3], [0.2, 0.2, 0.5]).inspect(2))
    assert "+0.200" in text
    assert "Ranked lists" not in text
    judged, run = {"622": {"d1": 1}}, {"622": {"d1": 1.0}}
    assert abrank.inspect_query(judged, run, run, 622).query_id == "622"


def test_a_note_is_a_sentence() -> None:
    notes = abrank.compare_scores([0.1] * 6, [0.2] * 6).notes
    assert notes
    assert all(str(note).endswith(".") and note.code in repr(note) for note in notes)


def test_reprs_are_short() -> None:
    scores = abrank.evaluate(MADE.qrels, {"a": MADE.baseline})
    for item in (scores, RESULT, RESULT.plot):
        assert len(repr(item)) < 300
    assert "<table" in scores._repr_html_()


FRAME = pd.DataFrame({"query_id": ["q01"], "doc_id": ["d1"], "score": [None]})


def test_an_error_says_which_frame_and_shows_the_row() -> None:
    with pytest.raises(ReadError, match=r"(?s)run \(DataFrame\), row 0: .*q01  d1  None"):
        abrank.compare(MADE.qrels, FRAME, MADE.candidate)
    with pytest.raises(ReadError, match=r"qrels \(DataFrame\)"):
        abrank.compare(FRAME.rename(columns={"score": "grade"}), MADE.baseline, MADE.candidate)
    with pytest.raises(ReadError, match=r"segments \(DataFrame\)"):
        abrank.compare(MADE.qrels, MADE.baseline, MADE.candidate, segments=pd.DataFrame({"x": [1]}))
    with pytest.raises(ArgumentError, match="topics: a path"):
        abrank.compare(MADE.qrels, MADE.baseline, MADE.candidate, topics=3)
    with pytest.raises(ArgumentError, match='unknown test "None"'):
        abrank.compare(MADE.qrels, MADE.baseline, MADE.candidate, test=None)  # type: ignore[arg-type]
