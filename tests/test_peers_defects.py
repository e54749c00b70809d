"""Mistakes of other programs, reproduced there or read in their source, and what is right.

The numbers in the comments are what those programs give.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import ReadError
from abrank.inference import run_test

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
    rows = [("q", doc, 1.0) for doc in order]
    for source in (run, frame, path, rows):
        assert value({"q": {"b": 1}}, source, "RR") == 0.5


def test_all_measures_take_the_same_order_of_a_tie() -> None:
    # ir_measures on one tied run: RR .333, RR@10 1, P@1 0; trectools: RR 1, nDCG .63.
    qrels, run = {"q": {"a": 1}}, {"q": dict.fromkeys("abc", 1.0)}
    names = ["RR", "RR@10", "AP", "P@1", "Success@1", "nDCG", "RBP(p=0.5)"]
    values = abrank.evaluate(qrels, {"r": run}, names).values.ravel().tolist()
    assert values == [1 / 3, 1 / 3, 1 / 3, 0.0, 0.0, 0.5, 0.125]


def test_ids_stay_text(tmp_path) -> None:
    # trectools reads 007 as 7 and NA as a missing value.
    (tmp_path / "qrels").write_text("007 0 NA 1\n7 0 1e5 1\nnull 0 True 1\n")
    lines = ["007 Q0 NA 1 1 t\n", "7 Q0 100000 1 1 t\n", "null Q0 True 1 1 t\n"]
    (tmp_path / "run").write_text("".join(lines))
    scores = abrank.evaluate(tmp_path / "qrels", {"r": tmp_path / "run"}, ["RR"])
    assert scores.query_ids == ("007", "7", "null")
    assert scores.values.ravel().tolist() == [1.0, 0.0, 1.0]
    assert scores.tidy()["query_id"].tolist() == ["007", "7", "null"]


def test_queries_without_a_hit_keep_their_rows() -> None:
    # trectools leaves them out of its table of scores: the pairs of a test are lost.
    run = {"q1": {"x": 1.0}, "q2": {"d3": 1.0}}
    tidy = abrank.evaluate(QRELS, {"r": run}, ["AP"]).tidy()
    assert tidy["query_id"].tolist() == ["q1", "q2", "q3"]
    assert tidy["score"].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("query", ["q1", "wt-1", "106_1"])
def test_query_ids_of_any_form_reach_graded_measures(query) -> None:
    # ir_measures: an error for q1; wt-1 comes twice, as 1 and with 0, and halves the mean.
    names = ["ERR(max_grade=5)", "ERR(max_grade=5)@10", "nDCG(dcg='exp-log2')@10"]
    scores = abrank.evaluate({query: {"d": 5, "e": 1}}, {"r": {query: {"d": 1.0}}}, names)
    assert scores.query_ids == (query,)
    err, cut, ndcg = scores.means()[0]
    assert err == cut == (2**5 - 1) / 2**5
    assert ndcg == pytest.approx(31 / (31 + 1 / np.log2(3)))


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_frames_of_every_type_of_text(dtype) -> None:
    # ranx refuses the text columns of pandas 3.
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    text = {"query_id": dtype, "doc_id": dtype}
    assert value(qrels.astype(text), run.astype(text), "nDCG(dcg='exp-log2')@10") == 1.0


def test_a_document_twice_never_counts_twice(tmp_path) -> None:
    # Counted twice elsewhere: a recall of 2.
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
    with pytest.raises(ReadError, match="lines 1 and 2"):
        value({"q1": {"d1": 1}}, tmp_path / "run", "R@10")
    assert (
        value({"q1": {"d1": 1}}, tmp_path / "run", "R@10", scoring=abrank.Scoring(duplicates="max"))
        == 1.0
    )


def test_comments_may_follow_one_another(tmp_path) -> None:
    # trec_eval 10 skips one line in the qrels, and calls the second malformed.
    (tmp_path / "qrels").write_text("# one\n# two\nq 0 d 1\n# three\n# four\n")
    assert value(tmp_path / "qrels", {"q": {"d": 1.0}}, "RR") == 1.0


def test_a_query_that_a_run_lacks_is_no_accident() -> None:
    # trec_eval 10 stops there without -c; version 9 leaves it out.
    run = {query: PERFECT[query] for query in ("q1", "q2")}
    zero, drop = (
        abrank.evaluate(QRELS, {"r": run}, ["AP"], scoring=abrank.Scoring(missing=name))
        .means()
        .item()
        for name in ("zero", "drop")
    )
    assert (zero, drop) == (2 / 3, 1.0)
    with pytest.raises(abrank.AlignmentError, match="q3"):
        abrank.evaluate(QRELS, {"r": run}, ["AP"], scoring=abrank.Scoring(missing="error"))


# ---- systems


# ---- measures


def test_rank_biased_precision_is_that_of_its_query_alone() -> None:
    # trec_eval 10 reads memory that other measures wrote: .1473 alone, .0727 with map and ndcg.
    run = {"q1": {"d2": 2.0, "d1": 1.0}}
    alone = value({"q1": {"d1": 3}}, run, "RBP(p=0.9)")
    names = ["map", "ndcg", "rbp.p=0.9"]
    context = abrank.evaluate({"q1": {"d1": 3}}, {"r": run}, names).values[0, 0, 2]
    assert alone == context == pytest.approx(0.09)


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


@pytest.mark.parametrize("name", ["permutation", "bootstrap"])
def test_equal_seeds_give_equal_p_values_above_0(name) -> None:
    # ranx with one seed: .110 .116 .101 .106 .107 .125; and a p-value can be 0.
    differences = np.random.default_rng(1).normal(0.03, 0.2, size=(60, 1))
    items = {run_test(name, differences, seed=42, n_resamples=999).pvalue.item() for _ in range(4)}
    assert len(items) == 1
    sure = run_test(name, np.abs(differences) + 5.0, seed=42, n_resamples=999).pvalue.item()
    assert 0.0 < sure < 0.01


@pytest.mark.slow
def test_the_direction_is_not_taken_from_the_data() -> None:
    # autorank takes the one-sided Wilcoxon test towards the better system: 7.2 % false findings at
    # 5 %. Two sides ask for twice that p-value.
    noise = np.random.default_rng(11).laplace(size=(40, 100))
    both, greater, less = (
        run_test("wilcoxon", noise, alternative=name).pvalue
        for name in ("two-sided", "greater", "less")
    )
    np.testing.assert_allclose(both, np.minimum(1.0, 2.0 * np.minimum(greater, less)))
    np.testing.assert_allclose(both, run_test("wilcoxon", -noise).pvalue)
