import math

import pytest

from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.incomplete import (
    binary_preference,
    geometric_binary_preference,
    inferred_average_precision,
)


def one(ranking, ideal=None):
    return JudgedRun.from_grades([ranking], ideal=None if ideal is None else [ideal])


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


def test_geometric_binary_preference_is_a_logarithm_with_a_floor():
    # Bpref 1/2 (the last case but two above); nothing found; nothing to find
    judged = JudgedRun.from_grades([[-1, 1, 0, 1], [], [0]], ideal=[[1, 1, 0, -1], [1], [0]])
    assert geometric_binary_preference(judged) == pytest.approx(
        [math.log(0.5), math.log(1e-5), math.log(1e-5)]
    )


def test_inferred_average_precision_by_hand():
    # Relevant at rank 5; above it 3 of the pool: one relevant (rank 1), one refused, one unsampled.
    # First: 1. Second: 1/5 + (3/5) * (1 + e) / (2 + 2e) = 1/5 + 3/10. Two relevant in all.
    assert inferred_average_precision(one([1, None, 0, -1, 1])) == pytest.approx([(1 + 0.5) / 2])


def test_inferred_average_precision_of_a_pool_judged_whole_is_average_precision_but_for_epsilon():
    # precision 1/2 and 2/3
    value = inferred_average_precision(one([0, 1, 1]))
    assert value == pytest.approx([(1 / 2 + 2 / 3) / 2], abs=1e-5)
    assert value != pytest.approx([(1 / 2 + 2 / 3) / 2], abs=1e-7)


def test_inferred_average_precision_with_a_higher_level_refuses_the_grades_below():
    # from grade 2: one relevant, at rank 2, a refused one above: 1/2 + (1/2) * e / (1 + 2e)
    assert inferred_average_precision(one([1, 2]), rel=2) == pytest.approx([0.5 + 0.5e-5], rel=1e-6)
