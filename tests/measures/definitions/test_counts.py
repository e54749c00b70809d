import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.counts import (
    judged_share,
    precision,
    recall,
    relative_precision,
    success,
    unjudged_share,
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


@pytest.mark.parametrize(
    "function", [precision, recall, relative_precision, success, judged_share, unjudged_share]
)
@pytest.mark.parametrize("cutoff", [0, -1, 2.5, True])
def test_cutoff_without_a_meaning(function, cutoff):
    with pytest.raises(ArgumentError, match="cutoff must be a whole number of at least 1"):
        function(JudgedRun.from_grades([[1]]), cutoff=cutoff)


@pytest.mark.parametrize("function", [precision, recall, relative_precision, success])
def test_level_below_one_is_refused(function):
    with pytest.raises(ArgumentError, match="rel must be a whole number of at least 1"):
        function(JudgedRun.from_grades([[1]]), cutoff=1, rel=0)
