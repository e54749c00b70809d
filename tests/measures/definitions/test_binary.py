"""Measures over ranks, over pairs and for incomplete judgments, by hand."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.binary import (
    area_under_roc,
    average_precision,
    binary_preference,
    concordance,
    geometric_average_precision,
    geometric_binary_preference,
    inferred_average_precision,
    kendall_tau,
    pairwise_accuracy,
    r_precision,
    r_precision_multiple,
    reciprocal_rank,
    smoothed_average_precision,
)


def one(ranking, ideal=None, **more):
    """One query, judged as said."""
    more = {name: [value] for name, value in more.items()}
    return JudgedRun.from_grades([ranking], ideal=None if ideal is None else [ideal], **more)


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


def test_r_precision_multiple_cuts_at_a_multiple_of_r():
    # R = 3: half of it is floor(1.5 + 0.9) = rank 2; twice is rank 6, of which four are filled
    judged = one([1, 0, 1, 1])
    assert r_precision_multiple(judged, multiple=0.5).tolist() == [0.5]
    assert r_precision_multiple(judged, multiple=2.0).tolist() == [0.5]


def test_r_precision_multiple_below_rank_1_is_zero():
    # floor(0.05 + 0.9) = 0
    assert r_precision_multiple(one([1]), multiple=0.05).tolist() == [0.0]


@pytest.mark.parametrize("multiple", [0.0, -1.0, math.nan, math.inf])
def test_r_precision_multiple_without_a_meaning(multiple):
    with pytest.raises(ArgumentError, match="multiple must be above 0"):
        r_precision_multiple(one([1]), multiple=multiple)


def test_geometric_average_precision_is_a_logarithm_with_a_floor():
    judged = JudgedRun.from_grades([[0, 1], [0], []], ideal=[[1], [1], [1]])
    expected = [math.log(0.5), math.log(1e-5), math.log(1e-5)]
    assert geometric_average_precision(judged) == pytest.approx(expected)


def test_smoothed_average_precision_by_hand():
    # precisions 1 and 2/3 of three relevant: ln((1 + 5/3) / (1 + 3 - 5/3)) = ln(8/7)
    judged = one([1, 0, 1], [1, 1, 1])
    assert smoothed_average_precision(judged) == pytest.approx([math.log(8 / 7)])


def test_smoothed_average_precision_runs_to_log_r_plus_1_on_both_sides():
    judged = JudgedRun.from_grades([[1, 1, 1], [], [0]], ideal=[[1, 1, 1], [1, 1, 1], [0]])
    assert smoothed_average_precision(judged) == pytest.approx([math.log(4), -math.log(4), 0])


def test_values_are_float64():
    assert reciprocal_rank(one([1])).dtype == np.float64


# (score, grade): few scores, so that many are equal
JUDGED_ALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=15)


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


@pytest.mark.slow
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


@pytest.mark.slow
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
