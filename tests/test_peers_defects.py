"""Mistakes of other programs, reproduced there or read in their source, and what is right.

The numbers in the comments are what those programs give.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank import ArgumentError, ReadError
from abrank.inference import ADJUSTMENTS, adjust, run_joint_test, run_test
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse

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


def test_two_runs_of_one_name_are_two_systems() -> None:
    # ranx: one row.
    result = abrank.compare(QRELS, PERFECT, PERFECT, measures="AP", name_a="bm25", name_b="bm25")
    assert (result.baseline, result.candidate) == ("bm25 (A)", "bm25 (B)")


def test_more_systems_than_letters() -> None:
    # ranx names them by letter, and runs out of them.
    scores = abrank.evaluate(QRELS, {f"run{i}": PERFECT for i in range(30)}, ["AP"])
    assert scores.aggregates().ravel().tolist() == [1.0] * 30


# ---- measures


def test_bpref_without_a_refused_document() -> None:
    # ranx: NaN.
    assert value({"q": {"d": 1, "e": 1}}, {"q": {"d": 2.0, "x": 1.0}}, "Bpref") == 0.5


def test_rank_biased_precision_stays_below_1() -> None:
    # ranx on grades of 3: 1.08.
    docs = [f"d{i}" for i in range(9)]
    run = {"q": {doc: -float(i) for i, doc in enumerate(docs)}}
    assert value({"q": dict.fromkeys(docs, 3)}, run, "rbp.64") == pytest.approx(1 - 0.64**9)


def test_rank_biased_precision_is_that_of_its_query_alone() -> None:
    # trec_eval 10 reads memory that other measures wrote: .1473 alone, .0727 with map and ndcg.
    run = {"q1": {"d2": 2.0, "d1": 1.0}}
    alone = value({"q1": {"d1": 3}}, run, "RBP(p=0.9)")
    names = ["map", "ndcg", "rbp.p=0.9"]
    context = abrank.evaluate({"q1": {"d1": 3}}, {"r": run}, names).values[0, 0, 2]
    assert alone == context == pytest.approx(0.09)


@pytest.mark.every_case
@pytest.mark.parametrize("name", ["Judged@10", "Judged", "Accuracy", "Accuracy@10"])
@pytest.mark.parametrize("ranking", [[], [1], [None]])
def test_nothing_to_divide_by(name, ranking) -> None:
    # ir_measures: ZeroDivisionError of Judged@k on an empty ranking, and of Accuracy where no
    # document is non-relevant.
    assert 0.0 <= parse(name)(JudgedRun.from_grades([ranking]))[0] <= 1.0


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


def test_level_above_all_grades() -> None:
    # trec_eval reads out of bounds in bpref.
    names = ["Bpref(rel=9)", "AP(rel=9)", "infAP(rel=9)"]
    assert abrank.evaluate(QRELS, {"r": PERFECT}, names).means().tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize("level", [0, -2])
def test_level_that_calls_refused_documents_relevant(level) -> None:
    # trec_eval -l -2 gives an AP of 1.17.
    with pytest.raises(ArgumentError, match="rel must be a grade above 0"):
        abrank.evaluate(QRELS, {"r": PERFECT}, ["AP"], scoring=abrank.Scoring(rel=level))


def test_precision_of_a_short_ranking_and_a_query_of_refused_documents() -> None:
    # trec_eval's program stops where all judgments of a query are negative.
    assert value({"q": {"d": -1}}, {"q": {"d": 1.0}}, "AP") == 0.0


# ---- tests of significance


@pytest.mark.parametrize("name", ["permutation", "bootstrap"])
def test_equal_seeds_give_equal_p_values_above_0(name) -> None:
    # ranx with one seed: .110 .116 .101 .106 .107 .125; and a p-value can be 0.
    differences = np.random.default_rng(1).normal(0.03, 0.2, size=(60, 1))
    items = {run_test(name, differences, seed=42, n_resamples=999).pvalue.item() for _ in range(4)}
    assert len(items) == 1
    sure = run_test(name, np.abs(differences) + 5.0, seed=42, n_resamples=999).pvalue.item()
    assert 0.0 < sure < 0.01


def test_tukey_pairs_the_systems_by_query() -> None:
    # ranx and autorank take the queries for independent groups: .74 where the paired t test has
    # 4e-66. Of two systems Tukey's test is the paired t test.
    rng = np.random.default_rng(0)
    hard = rng.uniform(0, 1, size=50)
    scores = np.column_stack([hard, hard + 0.02 + rng.normal(0, 0.005, size=50)])
    paired = stats.ttest_rel(scores[:, 1], scores[:, 0]).pvalue
    assert run_joint_test("tukey", scores).pvalue_adj.item() == pytest.approx(paired, rel=1e-6)
    assert stats.tukey_hsd(*scores.T).pvalue[0, 1] > 0.5


@pytest.mark.every_case
@pytest.mark.parametrize("method", [name for name in ADJUSTMENTS if name != "none"])
def test_a_test_that_is_not_defined_is_no_finding_and_changes_no_other(method) -> None:
    # PyTerrier: an identical system is significant under holm; under hommel, bh, by and hochberg
    # its NaN makes all others NaN.
    adjusted = adjust([0.01, np.nan, 0.04], method)
    assert np.isnan(adjusted[1])
    np.testing.assert_allclose(adjusted[[0, 2]], adjust([0.01, 0.04], method))


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "wilcoxon", "sign"])
def test_an_identical_system_is_never_different(test) -> None:
    collection = abrank.simulate_runs(20, rng=3)
    result = abrank.compare(
        collection.qrels,
        collection.baseline,
        collection.baseline,
        measures=["AP", "P@10"],
        test=test,
    )
    assert str(result.verdict) == "identical"
    assert all(not row.pvalue_adj < 0.05 for row in result.rows if row.pvalue_adj is not None)


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
