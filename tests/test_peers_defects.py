"""Mistakes of other programs, reproduced there or read in their source, and what is right.

The numbers in the comments are what those programs give.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

import abrank

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d4": 0}, "q3": {"d5": 1}}
PERFECT = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}, "q3": {"d5": 1.0}}


def value(qrels, run, measure, **how):
    """Return the score of one query."""
    return abrank.evaluate(qrels, {"run": run}, [measure], **how).values.item()


# ---- runs and judgments


@pytest.mark.parametrize("order", list(itertools.permutations(QRELS)))
def test_queries_are_paired_by_id_whatever_the_order_of_a_dict(order) -> None:
    # ranx pairs them by position: a perfect run in another order scores 0.
    scores = abrank.evaluate(QRELS, {"r": {query: PERFECT[query] for query in order}}, ["AP"])
    assert scores.values.ravel().tolist() == [1.0, 1.0, 1.0]
    second = {query: QRELS[query] for query in order}
    assert abrank.evaluate(second, {"r": PERFECT}, ["AP"]).query_ids == ("q1", "q2", "q3")


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_a_tie_has_one_order_whatever_the_input(order, tmp_path) -> None:
    # ranx: MRR of .33, .5 or 1 by insertion order. By trec_eval's rule b stands second.
    run = {"q": dict.fromkeys(order, 1.0)}
    frame = pd.DataFrame(
        [("q", doc, 1.0) for doc in order], columns=["query_id", "doc_id", "score"]
    )
    path = tmp_path / "run"
    path.write_text("".join(f"q Q0 {doc} {i} 1 t\n" for i, doc in enumerate(order)))
    for source in (run, frame, path, [("q", doc, 1.0) for doc in order]):
        assert value({"q": {"b": 1}}, source, "RR") == 0.5


def test_all_measures_take_the_same_order_of_a_tie() -> None:
    # ir_measures on one tied run: RR .333, RR@10 1, P@1 0; trectools: RR 1, nDCG .63.
    qrels, run = {"q": {"a": 1}}, {"q": dict.fromkeys("abc", 1.0)}
    names = ["RR", "RR@10", "AP", "P@1", "Success@1", "nDCG", "RBP(p=0.5)"]
    values = abrank.evaluate(qrels, {"r": run}, names).values.ravel().tolist()
    assert values == [1 / 3, 1 / 3, 1 / 3, 0.0, 0.0, 0.5, 0.125]


@pytest.mark.parametrize("query", ["q1", "wt-1", "106_1"])
def test_query_ids_of_any_form_reach_graded_measures(query) -> None:
    # ir_measures: an error for q1; wt-1 comes twice, as 1 and with 0, and halves the mean.
    names = ["ERR(max_grade=5)", "ERR(max_grade=5)@10", "nDCG(dcg='exp-log2')@10"]
    scores = abrank.evaluate({query: {"d": 5, "e": 1}}, {"r": {query: {"d": 1.0}}}, names)
    assert scores.query_ids == (query,)
    err, cut, ndcg = scores.means()[0]
    assert err == cut == (2**5 - 1) / 2**5
    assert ndcg == pytest.approx(31 / (31 + 1 / np.log2(3)))


# ---- systems


# ---- measures


def test_gains_by_grade_are_read_and_ordered() -> None:
    # pytrec_eval aborts the interpreter on ndcg.1=3.5. trec_eval compares gains as whole numbers:
    # 1=0.2,2=0.5,3=0.9 gives 0, ten times these .4984.
    grades = {f"d{grade}": grade for grade in (1, 2, 3)}
    run = {"q": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}
    assert value({"q": {"d1": 1}}, {"q": {"d1": 1.0}}, "ndcg.1=3.5") == 1.0
    small, large = (value({"q": grades}, run, f"ndcg.{gains}") for gains in
                    ("1=0.2,2=0.5,3=0.9", "1=2,2=5,3=9"))  # fmt: skip
    result, ideal = (sum(g / np.log2(i + 2) for i, g in enumerate(order)) for order in
                    ((2, 9, 5), (9, 5, 2)))  # fmt: skip
    assert small == pytest.approx(large)
    assert large == pytest.approx(result / ideal)


# ---- tests of significance
