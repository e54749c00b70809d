import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import dcg_of, ndcg, ndcg_at_grade_changes, ndcg_at_relevant

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
