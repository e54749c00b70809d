import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.user_models import (
    expected_reciprocal_rank,
    rank_biased_precision,
    resolved,
)

RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=12), min_size=1, max_size=6)


def one(ranking, ideal=None):
    return JudgedRun.from_grades([ranking], ideal=None if ideal is None else [ideal])


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


def test_expected_reciprocal_rank_by_hand():
    # scale to 4: s(4) = 15/16, s(2) = 3/16. Rank 1: 3/16; rank 3: (1/3) * (13/16) * (15/16)
    judged = JudgedRun.from_grades([[2, 0, 4]])
    expected = 3 / 16 + 13 / 16 * 15 / 16 / 3
    assert expected_reciprocal_rank(judged) == pytest.approx([expected])
    assert expected_reciprocal_rank(judged, cutoff=2).tolist() == [3 / 16]


def test_expected_reciprocal_rank_takes_the_scale_from_all_queries():
    # the grade of 3 in the second query's judgments makes s(1) = 1/8 in the first
    judged = JudgedRun.from_grades([[1], [None]], ideal=[[1], [3]])
    assert expected_reciprocal_rank(judged).tolist() == [1 / 8, 0.0]


def test_expected_reciprocal_rank_of_a_grade_above_the_scale():
    with pytest.raises(ArgumentError, match="grade of 5, above max_grade=4"):
        expected_reciprocal_rank(JudgedRun.from_grades([[1]], ideal=[[5, 1]]), max_grade=4)


@given(RANKINGS, st.none() | st.integers(1, 12))
def test_expected_reciprocal_rank_equals_the_loop_of_the_paper(rankings, cutoff):
    # Chapelle et al., algorithm 2, query by query, rank by rank
    expected = []
    for ranking in rankings:
        p, value = 1.0, 0.0
        for rank, grade in enumerate(ranking[:cutoff], 1):
            satisfied = (2 ** max(grade or 0, 0) - 1) / 2**4
            value += p * satisfied / rank
            p *= 1 - satisfied
        expected.append(value)
    judged = JudgedRun.from_grades(rankings)
    np.testing.assert_allclose(
        expected_reciprocal_rank(judged, cutoff=cutoff, max_grade=4), expected, rtol=1e-14
    )


def test_resolved_states_the_scale_that_is_taken():
    judged = JudgedRun.from_grades([[1, 3], [2]])
    made = resolved(parse("ERR@10"), judged)
    assert made.name == "ERR(max_grade=3)@10"
    assert made(judged).tolist() == parse("ERR@10")(judged).tolist()


def test_resolved_leaves_a_scale_that_was_given_and_measures_without_one():
    judged = JudgedRun.from_grades([[1, 3]])
    for name in ("ERR(max_grade=4)@10", "nDCG@10"):
        assert resolved(parse(name), judged) == parse(name)


def test_resolved_where_nothing_is_relevant():
    judged = JudgedRun.from_grades([[0, -1]])
    assert resolved(parse("ERR"), judged)(judged).tolist() == [0.0]
