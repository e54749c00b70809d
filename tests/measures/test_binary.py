import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.binary import (
    average_precision,
    binary_preference,
    r_precision,
    rank_biased_precision,
    reciprocal_rank,
)


def one(ranking, ideal=None):
    return JudgedRun.from_grades([ranking], ideal=None if ideal is None else [ideal])


def test_average_precision_counts_relevant_documents_never_found():
    # relevant at ranks 2 and 5, three relevant in the qrels: (1/2 + 2/5 + 0) / 3 = 0.3
    judged = one([0, 1, None, 0, 2], [1, 2, 1, 0, 0])
    assert average_precision(judged) == pytest.approx([0.3], abs=1e-15)


def test_average_precision_with_a_cutoff_divides_by_all_relevant():
    # three relevant at ranks 1 to 3; at a cut-off of 2: (1 + 1) / 3, not (1 + 1) / 2
    assert average_precision(one([1, 1, 1]), cutoff=2) == pytest.approx([2 / 3])


def test_average_precision_with_a_higher_level():
    # from grade 2 on: one relevant document, at rank 2
    assert average_precision(one([1, 2, 1]), rel=2).tolist() == [0.5]


def test_reciprocal_rank_counts_unjudged_documents_as_ranks():
    assert reciprocal_rank(one([None, None, None, 1])).tolist() == [0.25]


def test_reciprocal_rank_is_zero_beyond_the_cutoff():
    judged = JudgedRun.from_grades([[0, 0, 1], [0, 1, 1]])
    assert reciprocal_rank(judged, cutoff=2).tolist() == [0.0, 0.5]


def test_r_precision_of_a_short_ranking_divides_by_all_relevant():
    # four relevant, two retrieved in all, both relevant: 2 / 4
    assert r_precision(one([1, 1], [1, 1, 1, 1])).tolist() == [0.5]


def test_r_precision_counts_rank_r_itself():
    # two relevant, at ranks 2 and 3: the first of them stands within rank 2
    assert r_precision(one([0, 1, 1])).tolist() == [0.5]


def test_r_precision_ignores_what_stands_below_rank_r():
    # two relevant, at ranks 1 and 3: only the first stands within rank 2
    assert r_precision(one([1, 0, 1])).tolist() == [0.5]


def test_binary_preference_by_the_formula_of_trec_eval():
    # R = 3, N = 2. Non-relevant above the relevant at ranks 1, 3, 5: 0, 1, 2.
    # (1 + (1 - 1/2) + (1 - 2/2)) / 3 = 0.5
    assert binary_preference(one([1, 0, 1, 0, 1])) == pytest.approx([0.5])


def test_binary_preference_counts_at_most_r_documents_above():
    # R = 1, N = 3, all three above: 1 - min(3, 1) / min(3, 1) = 0
    assert binary_preference(one([0, 0, 0, 1])).tolist() == [0.0]


def test_binary_preference_takes_negative_grades_as_unjudged():
    # R = 2, and N = 1: only the 0 at rank 3 is judged non-relevant. (1 + (1 - 1/1)) / 2
    # Were the -1 non-relevant too: ((1 - 1/2) + (1 - 2/2)) / 2 = 1/4.
    assert binary_preference(one([-1, 1, 0, 1])).tolist() == [0.5]


def test_binary_preference_with_a_higher_level_refuses_the_grades_below():
    # rel=2: R = 2, N = 2 (a 1 and a 0); above the relevant: 1 and 1: ((1 - 1/2) + (1 - 1/2)) / 2
    assert binary_preference(one([1, 2, 2, 0]), rel=2).tolist() == [0.5]


def test_binary_preference_counts_within_its_own_query():
    # the non-relevant documents of the first query stand above nothing in the second
    judged = JudgedRun.from_grades([[0, 0, 1], [1, 0]])
    assert binary_preference(judged).tolist() == [0.0, 1.0]


def test_rank_biased_precision_of_the_paper():
    # p = 0.5, relevant at ranks 1, 2, 4: 0.5 * (1 + 0.5 + 0.125) = 0.8125
    assert rank_biased_precision(one([1, 1, 0, 3]), p=0.5).tolist() == [0.8125]


def test_rank_biased_precision_of_the_ideal_ranking_is_below_one():
    # all of n ranks relevant: 1 - p**n
    assert rank_biased_precision(one([1] * 6)) == pytest.approx([1 - 0.8**6])


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, float("nan"), float("inf")])
def test_rank_biased_precision_without_a_meaning(p):
    with pytest.raises(ArgumentError, match="p must lie between 0 and 1"):
        rank_biased_precision(one([1]), p=p)


def test_values_are_float64():
    assert reciprocal_rank(one([1])).dtype == np.float64
