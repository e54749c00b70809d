"""Measures that count, by hand: in the first ranks, in sets, over all queries."""

import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions import counts
from abrank.measures.definitions.counts import (
    judged_share,
    precision,
    recall,
    relative_precision,
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    success,
    unjudged_share,
    utility,
)


def test_precision_divides_by_the_cutoff_when_fewer_were_retrieved():
    # two retrieved, both relevant: 2 / 10
    assert precision(JudgedRun.from_grades([[1, 1]]), cutoff=10).tolist() == [0.2]


def test_precision_with_a_higher_level():
    assert precision(JudgedRun.from_grades([[1, 2, 3, 0]]), cutoff=4, rel=2).tolist() == [0.5]


def test_recall_is_limited_by_the_cutoff_alone():
    # three relevant, one of them in the first rank
    assert recall(JudgedRun.from_grades([[1, 1, 1]]), cutoff=1) == pytest.approx([1 / 3])


def test_recall_without_relevant_documents_is_zero():
    assert recall(JudgedRun.from_grades([[0, -1]]), cutoff=5).tolist() == [0.0]


def test_success_at_the_cutoff_itself():
    judged = JudgedRun.from_grades([[0, 0, 1], [0, 0, 0, 1]])
    assert success(judged, cutoff=3).tolist() == [1.0, 0.0]


def test_judged_divides_by_what_was_retrieved_or_by_the_cutoff():
    # 1 of 2 retrieved; 2 of the first 4
    judged = JudgedRun.from_grades([[0, None], [1, None, None, 2, 1]])
    assert judged_share(judged, cutoff=4).tolist() == [0.5, 0.5]


def test_judged_counts_negative_grades():
    assert judged_share(JudgedRun.from_grades([[-2, None]])).tolist() == [0.5]


def test_relative_precision_is_precision_down_to_r_and_recall_below():
    # three relevant at ranks 1, 2 and 5
    judged = JudgedRun.from_grades([[1, 1, 0, 0, 1]])
    assert relative_precision(judged, cutoff=2).tolist() == [1.0]
    assert relative_precision(judged, cutoff=4) == pytest.approx([2 / 3])


def test_relative_precision_without_relevant_documents_is_zero():
    assert relative_precision(JudgedRun.from_grades([[0]]), cutoff=5).tolist() == [0.0]


def test_unjudged_counts_negative_grades_and_takes_empty_ranks_as_judged():
    judged = JudgedRun.from_grades([[None, -1, 0, 1, None], [None], []], ideal=[[0, 1], [1], [1]])
    assert unjudged_share(judged, cutoff=4).tolist() == [0.5, 0.25, 0.0]


@pytest.mark.every_case
@pytest.mark.parametrize(
    "function", [precision, recall, relative_precision, success, judged_share, unjudged_share]
)
@pytest.mark.parametrize("cutoff", [0, -1, 2.5, True])
def test_cutoff_without_a_meaning(function, cutoff):
    with pytest.raises(ArgumentError, match="cutoff must be a whole number of at least 1"):
        function(JudgedRun.from_grades([[1]]), cutoff=cutoff)


@pytest.mark.parametrize("function", [precision, recall, relative_precision, success])
def test_level_below_one_is_refused(function):
    with pytest.raises(ArgumentError, match="rel must be a grade above 0"):
        function(JudgedRun.from_grades([[1]]), cutoff=1, rel=0)


# 2 relevant among 4 retrieved, 3 relevant in the qrels: precision 1/2, recall 2/3
JUDGED = JudgedRun.from_grades([[1, None, 0, 2]], ideal=[[2, 1, 1, 0]])


def test_set_precision_counts_unjudged_documents():
    assert set_precision(JUDGED).tolist() == [0.5]


def test_set_recall():
    assert set_recall(JUDGED) == pytest.approx([2 / 3])


def test_set_f_is_the_harmonic_mean():
    # 2 * (1/2) * (2/3) / (1/2 + 2/3) = 4/7
    assert set_f(JUDGED) == pytest.approx([4 / 7])


def test_set_f_with_beta_leans_to_recall():
    # beta = 2: 5 * (1/2) * (2/3) / (4 * 1/2 + 2/3) = (5/3) / (8/3) = 5/8
    assert set_f(JUDGED, beta=2.0) == pytest.approx([0.625])


def test_set_f_with_a_higher_level():
    # one relevant, found among 4: precision 1/4, recall 1: 2 * 1/4 / (5/4) = 2/5
    assert set_f(JUDGED, rel=2) == pytest.approx([0.4])


def test_set_f_of_nothing_relevant_is_zero():
    assert set_f(JudgedRun.from_grades([[0], []])).tolist() == [0.0, 0.0]


def test_relative_set_precision_divides_by_what_was_possible():
    # 2 relevant retrieved of min(4 retrieved, 3 relevant); 1 of min(1, 3)
    assert set_precision(JUDGED, relative=True) == pytest.approx([2 / 3])
    assert set_precision(JUDGED.top(1), relative=True).tolist() == [1.0]


def test_set_average_precision_is_precision_times_recall():
    assert set_average_precision(JUDGED) == pytest.approx([1 / 3])


def test_utility_adds_up_the_four_cells():
    # 2 relevant and 2 others retrieved, 1 relevant missed, 10 - 5 others missed
    assert utility(JUDGED).tolist() == [0.0]
    worth = {"relevant_retrieved": 3.0, "others_retrieved": -2.0, "relevant_missed": -1.0}
    assert utility(JUDGED, **worth).tolist() == [3 * 2 - 2 * 2 - 1]
    everything = utility(JUDGED, **worth, others_missed=0.5, n_documents=10)
    assert everything.tolist() == [3 * 2 - 2 * 2 - 1 + 2.5]


def test_utility_of_nothing_retrieved_is_zero():
    judged = JudgedRun.from_grades([[]], ideal=[[1]])
    assert utility(judged, relevant_missed=-1.0).tolist() == [0.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"others_missed": 1.0}, "others_missed needs n_documents"),
        ({"others_missed": 1.0, "n_documents": 4}, "n_documents=4 is less than"),
        ({"relevant_missed": float("nan")}, "every worth must be finite"),
    ],
)
def test_utility_without_a_meaning(options, message):
    with pytest.raises(ArgumentError, match=message):
        utility(JUDGED, **options)


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan"), float("inf")])
def test_beta_without_a_meaning(beta):
    with pytest.raises(ArgumentError, match="beta must be"):
        set_f(JUDGED, beta=beta)


JUDGED_TOTALS = JudgedRun.from_grades(
    [[1, None, 0, -1, 2], [], [0]], ideal=[[2, 2, 1, 0, -1], [1], [0, 0]]
)


def test_numbers_by_hand():
    assert counts.number_of_queries(JUDGED_TOTALS).tolist() == [1, 1, 1]
    assert counts.number_retrieved(JUDGED_TOTALS).tolist() == [5, 0, 1]
    assert counts.number_relevant(JUDGED_TOTALS).tolist() == [3, 1, 0]
    assert counts.number_relevant_retrieved(JUDGED_TOTALS).tolist() == [2, 0, 0]
    assert counts.number_refused_retrieved(JUDGED_TOTALS).tolist() == [1, 0, 1]


def test_numbers_from_grade_2():
    assert counts.number_retrieved(JUDGED_TOTALS, rel=2).tolist() == [1, 0, 0]
    assert counts.number_relevant(JUDGED_TOTALS, rel=2).tolist() == [2, 0, 0]
    assert counts.number_relevant_retrieved(JUDGED_TOTALS, rel=2).tolist() == [1, 0, 0]
    assert counts.number_refused_retrieved(JUDGED_TOTALS, rel=2).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "function",
    [
        counts.number_retrieved,
        counts.number_relevant,
        counts.number_relevant_retrieved,
        counts.number_refused_retrieved,
    ],
)
def test_level_below_one_is_refused_totals(function):
    with pytest.raises(ArgumentError, match="rel must be a grade above 0"):
        function(JUDGED_TOTALS, rel=0)
