"""Measures of graded relevance by hand: DCG, cascades, compat, normalized gain."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import (
    binary_normalized_gain,
    cascade,
    cascade_measure,
    compatibility,
    dcg_of,
    ndcg,
    ndcg_at_grade_changes,
    ndcg_at_relevant,
    normalized_gain,
    scale_of,
)
from abrank.measures.definitions.user_models import expected_reciprocal_rank

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


def test_dcg_by_hand():
    # 3 / log2(2) + 1 / log2(4); with exponential gains 7 / 1 + 1 / 2
    judged = JudgedRun.from_grades([[3, 0, 1, -2]])
    assert dcg_of(judged).tolist() == [3.5]
    assert dcg_of(judged, dcg="exp-log2").tolist() == [7.5]
    assert dcg_of(judged, cutoff=2).tolist() == [3.0]


def test_dcg_of_a_grade_whose_exponential_is_no_float():
    judged = JudgedRun.from_grades([[1001]])
    assert dcg_of(judged).tolist() == [1001.0]
    with pytest.raises(ArgumentError, match="grade of 1001 has no exponential gain"):
        dcg_of(judged, dcg="exp-log2")


def test_gains_take_the_place_of_the_grades_named():
    # the text of trec_eval's help: 1=3.5,2=9.0,4=7.0 gives 3.5, 9, 3, 7 for the levels 1 to 4
    judged = JudgedRun.from_grades([[1], [2], [3], [4]])
    gains = ((1, 3.5), (2, 9.0), (4, 7.0))
    assert dcg_of(judged, gains=gains).tolist() == [3.5, 9.0, 3.0, 7.0]


def test_gain_of_grade_0_is_not_that_of_unjudged_documents():
    judged = JudgedRun.from_grades([[None, -1, 0]])
    assert dcg_of(judged, gains=((0, 1.0),)).tolist() == [0.5]


def test_negative_gain_takes_away():
    # -1 / log2(2) + 1 / log2(3), over 1
    judged = JudgedRun.from_grades([[0, 1]])
    expected = 1 / math.log2(3) - 1
    assert ndcg(judged, gains=((0, -1.0),)) == pytest.approx([expected])
    assert ndcg_at_relevant(judged, gains=((0, -1.0),)).tolist() == [0.0]


@pytest.mark.slow
@given(
    RANKINGS,
    st.none() | st.integers(1, 12),
    st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0, 2.5]), min_size=1),
)
def test_ndcg_with_fractional_gains_equals_the_definition(rankings, cutoff, gains):
    # trec_eval's comparator of gains returns a whole number, so 0.2, 0.5, 0.9 stay in the order of
    # the grades there (gain_init.c); the ideal ranking is by gain.
    def gain(grade):
        return gains.get(grade, max(grade, 0)) if grade is not None else 0.0

    def dcg(values):
        return sum(value / math.log2(rank + 2) for rank, value in enumerate(values[:cutoff]))

    expected = []
    for ranking in rankings:
        best = dcg(sorted(map(gain, ranking), reverse=True))
        expected.append(dcg([gain(grade) for grade in ranking]) / best if best else 0.0)
    values = ndcg(JudgedRun.from_grades(rankings), cutoff=cutoff, gains=tuple(gains.items()))
    assert values.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        (((-1, 1.0),), "a grade that has a gain must be a whole number of at least 0, not -1"),
        (((1, math.nan),), "the gain of grade 1 must be finite, not nan"),
        (((1, math.inf),), "the gain of grade 1 must be finite, not inf"),
    ],
)
def test_gains_without_a_meaning(gains, message):
    with pytest.raises(ArgumentError, match=message):
        ndcg(JudgedRun.from_grades([[1]]), gains=gains)


def test_gains_and_an_exponential_gain_exclude_each_other():
    with pytest.raises(ArgumentError, match="leave out one"):
        ndcg(JudgedRun.from_grades([[1]]), dcg="exp-log2", gains=((1, 2.0),))


def test_ndcg_at_relevant_documents_by_hand():
    # grades 1, -, 2 of ideal 2, 1, 1: nDCG@1 = 1/2; nDCG@3 = (1 + 2/2) / (2 + 1/log2(3) + 1/2);
    # the one not found counts as at the end, where the ideal has no more: the same
    judged = JudgedRun.from_grades([[1, None, 2]], ideal=[[2, 1, 1]])
    at_3 = 2 / (2.5 + 1 / math.log2(3))
    assert ndcg_at_relevant(judged) == pytest.approx([(0.5 + 2 * at_3) / 3])


def test_ndcg_at_grade_changes_adds_the_whole_ranking_two_ranks_below_the_last():
    # ideal 2, 1: nDCG@1 = 1/2 and nDCG@2 = 1/(2 + 1/log2(3)); then grade 2 at rank 3 or 4
    at_2 = 1 / (2 + 1 / math.log2(3))
    three = JudgedRun.from_grades([[1, 0, 2]])
    assert ndcg_at_grade_changes(three) == pytest.approx([(0.5 + at_2) / 2])
    four = JudgedRun.from_grades([[1, 0, 0, 2]])
    whole = at_2 * (1 + 2 / math.log2(5))
    assert ndcg_at_grade_changes(four) == pytest.approx([(0.5 + at_2 + whole) / 3])


def test_ndcg_at_grade_changes_of_a_ranking_that_ends_before_them():
    # ideal 2, 1, 1: nDCG@1 = 1, nDCG@3 = 2/(2 + 1/log2(3) + 1/2)
    judged = JudgedRun.from_grades([[2]], ideal=[[2, 1, 1]])
    expected = (1 + 2 / (2.5 + 1 / math.log2(3))) / 2
    assert ndcg_at_grade_changes(judged) == pytest.approx([expected])


def test_ndcg_at_grade_changes_joins_grades_of_the_same_gain():
    # both gain 1: one change, at rank 2
    judged = JudgedRun.from_grades([[1, 2]])
    assert ndcg_at_grade_changes(judged, gains=((2, 1.0),)).tolist() == [1.0]


def test_discount_of_dcg_by_hand():
    # scale to 4: s(2) = 3/16 at rank 1; then 13/16 * 15/16 / log2(4) at rank 3
    judged = JudgedRun.from_grades([[2, 0, 4]])
    assert cascade_measure(judged) == pytest.approx([3 / 16 + 13 / 16 * 15 / 16 / 2])
    assert cascade_measure(judged, cutoff=2).tolist() == [3 / 16]


@pytest.mark.slow
@given(RANKINGS, st.none() | st.integers(1, 12))
def test_one_over_the_rank_is_err(rankings, cutoff):
    judged = JudgedRun.from_grades(rankings)
    np.testing.assert_array_equal(
        cascade_measure(judged, phi="1/r", cutoff=cutoff),
        expected_reciprocal_rank(judged, cutoff=cutoff),
    )


@pytest.mark.slow
@given(RANKINGS)
def test_any_position_function_equals_the_loop_of_the_paper(rankings):
    # Chapelle et al., algorithm 2, with phi instead of 1/r
    expected = []
    for ranking in rankings:
        arriving, value = 1.0, 0.0
        for rank, grade in enumerate(ranking, 1):
            stop = (2 ** max(grade or 0, 0) - 1) / 2**4
            value += arriving * stop * math.exp(1 - rank)
            arriving *= 1 - stop
        expected.append(value)
    got = cascade(JudgedRun.from_grades(rankings), lambda r: np.exp(1 - r), max_grade=4)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_unknown_position_and_a_grade_above_the_scale():
    judged = JudgedRun.from_grades([[3]])
    with pytest.raises(ArgumentError, match="choices: 1/r, 1/log2"):
        cascade_measure(judged, phi="1/r**2")
    with pytest.raises(ArgumentError, match="grade of 3, above max_grade=2"):
        scale_of(judged, 2)


GRADES = st.lists(st.none() | st.integers(-2, 3), max_size=8)


def by_the_definition(ranking, missed, p, normalize):
    """Overlap depth by depth, with documents named by their place."""
    documents = [*enumerate(ranking), *enumerate(missed, len(ranking))]
    good = [(doc, grade) for doc, grade in documents if grade is not None and grade > 0]
    ideal = [doc for doc, grade in sorted(good, key=lambda each: -each[1])]
    depth = max(len(ranking), len(ideal))

    def overlap(left, right):
        weights = [p**i for i in range(depth)]
        both = [len(set(left[: i + 1]) & set(right[: i + 1])) / (i + 1) for i in range(depth)]
        return sum(w * b for w, b in zip(weights, both, strict=True)) / sum(weights)

    if not ideal:
        return 0.0
    result = overlap(list(range(len(ranking))), ideal)
    return result / overlap(ideal, ideal) if normalize else result


@pytest.mark.slow
@given(st.lists(st.tuples(GRADES, st.lists(st.integers(-2, 3), max_size=4)), max_size=4))
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_equals_the_definition_depth_by_depth(p, normalize, queries):
    rankings = [ranking for ranking, _ in queries]
    pools = [[g for g in ranking if g is not None] + missed for ranking, missed in queries]
    got = compatibility(JudgedRun.from_grades(rankings, ideal=pools), p=p, normalize=normalize)
    expected = [by_the_definition(*query, p, normalize) for query in queries]
    assert got == pytest.approx(expected, abs=1e-12)


def test_ideal_ranking_shorter_than_the_run_needs_the_normalization():
    judged = JudgedRun.from_grades([[1, 0, 0]])
    assert compatibility(judged).tolist() == [1.0]
    # overlap 1, 1/2, 1/3 with weights 1, 1/2, 1/4
    expected = (1 + 1 / 4 + 1 / 12) / 1.75
    assert compatibility(judged, p=0.5, normalize=False) == pytest.approx([expected])


def test_documents_that_were_not_retrieved_stand_last_whatever_the_scores():
    # both relevant; scores below 0 change nothing, where ir_measures takes 0 for the one missed
    high = JudgedRun.from_grades([[1]], ideal=[[1, 1]], scores=[[2.0]])
    low = JudgedRun.from_grades([[1]], ideal=[[1, 1]], scores=[[-2.0]])
    assert compatibility(high).tolist() == compatibility(low).tolist()


def test_persistence_without_meaning():
    with pytest.raises(ArgumentError, match="p must lie between 0 and 1"):
        compatibility(JudgedRun.from_grades([[1]]), p=1.0)


def test_normalized_gain_by_hand():
    # ideal 2, 1, 1, then cost 1 a rank. Rank 1: 1 / log2(2 + 2 - 1); rank 5: 2 / log2(2 + 6 - 3)
    judged = JudgedRun.from_grades([[1, 0, None, -1, 2]], ideal=[[2, 1, 1]])
    expected = (1 / math.log2(3) + 2 / math.log2(5)) / 4
    assert normalized_gain(judged) == pytest.approx([expected])


def test_normalized_gain_of_the_ideal_ranking_is_1_also_for_large_gains():
    judged = JudgedRun.from_grades([[2, 2, 1, 0]])
    assert normalized_gain(judged, gains=((1, 4.0), (2, 9.0))) == pytest.approx([1.0])


def test_normalized_gain_charges_at_least_1_a_rank():
    # gain 1/2 at rank 1: cost 1, so 0.5 / log2(2 + 1 - 0.5) / 0.5
    judged = JudgedRun.from_grades([[1]])
    assert normalized_gain(judged, gains=((1, 0.5),)) == pytest.approx([1 / math.log2(2.5)])


def test_normalized_gain_without_anything_to_gain():
    judged = JudgedRun.from_grades([[0, 1], []], ideal=[[0, 1], [1]])
    assert normalized_gain(judged, gains=((0, -1.0), (1, 0.0))).tolist() == [0.0, 0.0]


def test_binary_normalized_gain_counts_the_others_above():
    # 1/log2(2 + 0), 1/log2(2 + 2), and one never found
    judged = JudgedRun.from_grades([[1, 0, None, 2]], ideal=[[2, 1, 1, 0]])
    assert binary_normalized_gain(judged) == pytest.approx([1.5 / 3])


def test_binary_normalized_gain_with_a_higher_level():
    judged = JudgedRun.from_grades([[1, 2]])
    assert binary_normalized_gain(judged, rel=2) == pytest.approx([1 / math.log2(3)])
