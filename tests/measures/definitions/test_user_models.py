"""Measures of a reader who stops somewhere, by hand: RBP, ERR and C/W/L."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.user_models import (
    bejeweled_player_model,
    expected_reciprocal_rank,
    insq,
    inst,
    nearly_err_8,
    nearly_err_9,
    nearly_err_10,
    nearly_err_11,
    rank_biased_precision,
    resolved,
    scaled_discounted_cumulative_gain,
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


@pytest.mark.slow
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
    result = resolved(parse("ERR@10"), judged)
    assert result.name == "ERR(max_grade=3)@10"
    assert result(judged).tolist() == parse("ERR@10")(judged).tolist()


def test_resolved_leaves_a_scale_that_was_given_and_measures_without_one():
    judged = JudgedRun.from_grades([[1, 3]])
    for name in ("ERR(max_grade=4)@10", "nDCG@10"):
        assert resolved(parse(name), judged) == parse(name)


def test_resolved_where_nothing_is_relevant():
    judged = JudgedRun.from_grades([[0, -1]])
    assert resolved(parse("ERR"), judged)(judged).tolist() == [0.0]


def row(*ranking):
    return JudgedRun.from_grades([list(ranking)])


def test_sdcg_by_hand():
    # gains 1, 0, 1/2 of 2; DCG = 1 + 1/4; three documents of the highest grade: 1 + .6309 + .5
    expected = (1 + 0.5 / 2) / (1 + 1 / math.log2(3) + 1 / 2)
    assert scaled_discounted_cumulative_gain(row(2, 0, 1), cutoff=3, max_rel=2) == pytest.approx(
        [expected]
    )


def test_sdcg_knows_one_discount():
    with pytest.raises(ArgumentError, match="choices: log2"):
        scaled_discounted_cumulative_gain(row(1), cutoff=1, max_rel=1, dcg="exp-log2")


def test_bpm_stops_with_enough_gain_or_at_the_cutoff():
    # T = 1: content at rank 3 (1/2 + 1/2), and not before rank 2 when cut there
    assert bejeweled_player_model(row(1, 0, 1, 2), cutoff=10, max_rel=2) == pytest.approx([1 / 3])
    assert bejeweled_player_model(row(1, 0, 1, 2), cutoff=2, max_rel=2) == pytest.approx([1 / 4])


def test_bpm_adds_grades_and_so_misses_no_hope_by_rounding():
    # ten gains of 0.1 are 1, though 0.1 + ... + 0.1 is 0.9999999999999999 in binary numbers
    ranking = [1] * 10 + [0] * 10
    assert bejeweled_player_model(row(*ranking), cutoff=20, max_rel=10) == pytest.approx([0.1])


def test_bpm_may_fall_when_a_better_document_rises():
    # the docstring's example: 1.9 / 3, and content after two looks 1 / 2
    assert bejeweled_player_model(row(0, 9, 10), cutoff=5, max_rel=10) == pytest.approx([1.9 / 3])
    assert bejeweled_player_model(row(0, 10, 9), cutoff=5, max_rel=10) == pytest.approx([0.5])


def test_insq_weights_are_those_of_the_paper():
    # W(i) is in proportion to 1 / (i + 2T - 1)**2
    weights = [1 / (i + 1) ** 2 for i in range(1, 1001)]
    assert insq(row(0, 0, 1), max_rel=1) == pytest.approx([weights[2] / sum(weights)], rel=1e-13)


def test_inst_without_gain_above_goes_on_as_insq_does():
    # a gain changes only what comes behind it: one document, the same weights down to it
    ranking = row(*[0] * 999, 1)
    assert inst(ranking, T=2.0, max_rel=1) == pytest.approx(insq(ranking, T=2.0, max_rel=1))


def test_inst_reader_who_is_content_stops():
    # T = 1/2 and full gain everywhere: 1 + 1 - 1 - 1 = 0 times goes on after rank 1
    assert inst(row(1, 0, 0), T=0.5, max_rel=1).tolist() == [1.0]


@pytest.mark.parametrize(
    ("function", "hope", "message"),
    [
        (insq, 0.0, "T must be above 0"),
        (inst, 0.4, "T must be at least 0.5"),
        (inst, math.nan, "T must be finite"),
        (bejeweled_player_model, 0.0, "T must be above 0"),
    ],
)
def test_hopes_without_meaning(function, hope, message):
    cutoff = {"cutoff": 3} if function is bejeweled_player_model else {}
    with pytest.raises(ArgumentError, match=message):
        function(row(1), T=hope, max_rel=1, **cutoff)


# gains 1/2, 0, 1: half of the readers stop at rank 1, all others at rank 3
JUDGED = JudgedRun.from_grades([[1, 0, 2, 2]])


def test_equation_8_by_hand():
    # looks at the ranks: 1, 1/2, 1/2, none; cut at 2 they are 1, 1/2
    assert nearly_err_8(JUDGED, cutoff=4, max_rel=2) == pytest.approx([(0.5 + 0.5) / 2])
    assert nearly_err_8(JUDGED, cutoff=2, max_rel=2) == pytest.approx([0.5 / 1.5])


def test_equation_9_by_hand():
    # looks at the ranks: 1, half of 1/2, half of 1/3, none
    assert nearly_err_9(JUDGED, cutoff=4, max_rel=2) == pytest.approx(
        [(0.5 + 1 / 6) / (1 + 1 / 4 + 1 / 6)]
    )


def test_equation_10_by_hand():
    # looks at the ranks: 1, half of p, half of p squared, none
    assert nearly_err_10(JUDGED, p=0.8, max_rel=2) == pytest.approx(
        [(0.5 + 0.64 / 2) / (1 + 0.8 / 2 + 0.64 / 2)]
    )


def test_equation_11_by_hand():
    # T = 1: C without gain is (2/3)**2, (3/4)**2, so W = 1, 4/9 / 2, 1/4 / 2, 0
    assert nearly_err_11(JUDGED, max_rel=2) == pytest.approx([(0.5 + 1 / 8) / (1 + 2 / 9 + 1 / 8)])


def test_persistence_and_hope_without_meaning():
    with pytest.raises(ArgumentError, match="p must lie between 0 and 1"):
        nearly_err_10(JUDGED, p=1.0, max_rel=2)
    with pytest.raises(ArgumentError, match="T must be above 0"):
        nearly_err_11(JUDGED, T=-1.0, max_rel=2)


def test_an_open_highest_grade_is_that_of_the_judgments() -> None:
    assert (
        str(resolved(parse("ERR@10"), JudgedRun.from_grades([[1, 4, 0]]))) == "ERR(max_grade=4)@10"
    )
