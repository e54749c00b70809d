import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.binary import (
    area_under_roc,
    concordance,
    kendall_tau,
    pairwise_accuracy,
)

# (score, grade): few scores, so that many are equal
JUDGED_ALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=15)


def one(ranking, **more):
    return JudgedRun.from_grades([ranking], **{name: [value] for name, value in more.items()})


def from_documents(documents):
    falling = sorted(documents, key=lambda each: -each[0])
    return one([grade for _, grade in falling], scores=[float(score) for score, _ in falling])


def test_accuracy_counts_pairs_of_what_was_retrieved():
    # not relevant above the relevant: 1 and 2 of two; so 1 - 3/4
    assert pairwise_accuracy(one([0, 1, None, 1])).tolist() == [0.25]
    assert pairwise_accuracy(one([0, 1, None, 1]), cutoff=3).tolist() == [0.5]
    assert pairwise_accuracy(one([1, 2, 0]), rel=2).tolist() == [0.5]


def test_accuracy_without_a_pair_divides_by_nothing():
    judged = JudgedRun.from_grades([[1, 1], [0, None], []], ideal=[[1, 1], [1, 0], [1]])
    assert pairwise_accuracy(judged).tolist() == [1.0, 0.0, 0.0]


@given(JUDGED_ALL)
def test_auc_against_scipy(documents):
    good = [score for score, grade in documents if grade >= 2]
    bad = [score for score, grade in documents if grade < 2]
    got = area_under_roc(from_documents(documents), rel=2)
    if good and bad:
        wins = scipy.stats.mannwhitneyu(good, bad, method="asymptotic").statistic
        assert got == pytest.approx([wins / (len(good) * len(bad))])
    else:
        assert got.tolist() == [1.0 if good else 0.0]


@given(JUDGED_ALL)
def test_kendall_tau_against_scipy(documents):
    scores, grades = zip(*documents, strict=True)
    got = kendall_tau(from_documents(documents))
    if len(set(scores)) > 1 and len(set(grades)) > 1:
        assert got == pytest.approx([scipy.stats.kendalltau(scores, grades).statistic])
    else:
        assert got.tolist() == [0.0]


def test_documents_that_were_not_retrieved_stand_last_and_tied():
    # relevant retrieved, relevant and refused missed: one pair right, one pair tied
    judged = one([1], ideal=[1, 1, 0])
    assert area_under_roc(judged).tolist() == [0.75]
    assert concordance(judged).tolist() == [0.75]
    # pairs: C = 1, two with different grades, two with different scores
    assert kendall_tau(judged) == pytest.approx([1 / 2])


def test_documents_without_a_grade_or_with_a_negative_one_do_not_count():
    for measure in (area_under_roc, concordance, kendall_tau):
        assert measure(one([-1, 1, None, 0], ideal=[1, 0, -1, -2])).tolist() == [1.0]


def test_concordance_of_two_grades_is_auc():
    judged = JudgedRun.from_grades([[1, 0, 1, 0], [0, 1]])
    assert concordance(judged).tolist() == area_under_roc(judged).tolist() == [0.75, 0.0]


def test_concordance_where_there_is_no_pair():
    judged = JudgedRun.from_grades([[2, 2], [0, 0], []], ideal=[[2, 2], [0, 0], [2, 0]])
    assert concordance(judged).tolist() == [1.0, 0.0, 0.0]
    assert kendall_tau(judged).tolist() == [0.0, 0.0, 0.0]


def test_reversed_ranking():
    judged = one([0, 1, 2])
    assert kendall_tau(judged).tolist() == [-1.0]
    assert concordance(judged).tolist() == [0.0]


def test_auc_of_a_level_without_meaning():
    with pytest.raises(ArgumentError, match="rel must be"):
        area_under_roc(one([1]), rel=0)
