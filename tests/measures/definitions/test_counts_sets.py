import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.counts import (
    set_average_precision,
    set_f,
    set_precision,
    set_recall,
    utility,
)

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
