import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.graded import expected_reciprocal_rank, ndcg

RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=12), min_size=1, max_size=6)


def test_ndcg_by_hand():
    # DCG = 3/log2(2) + 1/log2(4) = 3.5; ideal 3, 2, 1: 3 + 2/log2(3) + 1/2
    judged = JudgedRun.from_grades([[3, 0, 1]], ideal=[[3, 2, 1, 0]])
    assert ndcg(judged) == pytest.approx([3.5 / (3.5 + 2 / math.log2(3))])


def test_ndcg_with_a_cutoff_cuts_the_ideal_ranking_too():
    # at 1: 1 / 2; the second grade-2 document of the ideal ranking counts only from cut-off 2 on
    judged = JudgedRun.from_grades([[1, 2]], ideal=[[2, 2, 1]])
    assert ndcg(judged, cutoff=1).tolist() == [0.5]
    assert ndcg(judged, cutoff=2) == pytest.approx(
        [(1 + 2 / math.log2(3)) / (2 + 2 / math.log2(3))]
    )


def test_ndcg_without_a_cutoff_compares_with_all_judged_documents():
    # one retrieved, of grade 1; two judged so: 1 / (1 + 1/log2(3))
    judged = JudgedRun.from_grades([[1]], ideal=[[1, 1]])
    assert ndcg(judged) == pytest.approx([1 / (1 + 1 / math.log2(3))])


def test_ndcg_with_exponential_gain():
    # gains 2**g - 1: DCG = 1 + 7/log2(3), ideal 7 + 1/log2(3)
    judged = JudgedRun.from_grades([[1, 3]])
    expected = (1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3))
    assert ndcg(judged, dcg="exp-log2") == pytest.approx([expected])


def test_ndcg_gives_nothing_for_negative_grades():
    judged = JudgedRun.from_grades([[-1, 1], [-2, -1]])
    for dcg in ("log2", "exp-log2"):
        assert ndcg(judged, dcg=dcg) == pytest.approx([1 / math.log2(3), 0])


def test_ndcg_of_huge_grades_does_not_overflow():
    # 2**5000 is no float; the grade of 4999 is worth half of it, that of 1 in another query all
    judged = JudgedRun.from_grades([[4999], [1]], ideal=[[5000, 4999], [1]])
    assert ndcg(judged, cutoff=1, dcg="exp-log2").tolist() == [0.5, 1.0]


def test_ndcg_with_an_unknown_gain_names_the_choices():
    with pytest.raises(ArgumentError, match="choices: log2, exp-log2"):
        ndcg(JudgedRun.from_grades([[1]]), dcg="exp")


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
