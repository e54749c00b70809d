import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.sets import set_f, set_precision, set_recall

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


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan"), float("inf")])
def test_beta_without_a_meaning(beta):
    with pytest.raises(ArgumentError, match="beta must be"):
        set_f(JUDGED, beta=beta)
