"""Measures of the textbooks by hand, and the interpolated curve."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.counts import precision, set_f
from abrank.measures.definitions.textbook import (
    classification_accuracy,
    cumulated_gain,
    eleven_point_average,
    f_measure,
    false_positive_rate,
    hits_of,
    interpolated_precision,
    mean_precision,
    positive_predictive_value,
    precision_recall_curve,
    true_positive_rate,
)

# --- The sums and averages of the textbooks, and the worked examples that these texts print

RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 3), max_size=8), min_size=1, max_size=5)
# The text's six documents, and two more of grades 3 and 0 retrieved behind them.
GRADED = JudgedRun.from_grades([[3, 2, 3, 0, 1, 2, 3, 0]])


def relevant_at(*ranks):
    return [1 if rank in ranks else 0 for rank in range(1, max(ranks, default=1) + 1)]


def test_average_precision_of_two_queries_and_their_mean():
    judged = JudgedRun.from_grades([relevant_at(1, 3), relevant_at(2, 5)])
    values = parse("MAP")(judged)
    assert values.round(2).tolist() == [0.83, 0.45]
    assert values.mean().round(2) == 0.64


def test_average_precision_of_three_relevant_documents():
    values = parse("AP")(JudgedRun.from_grades([relevant_at(1, 3, 5)]))
    assert values == pytest.approx([(1 / 1 + 2 / 3 + 3 / 5) / 3])
    assert values.round(2).tolist() == [0.76]


def test_mean_reciprocal_rank():
    judged = JudgedRun.from_grades([relevant_at(3), relevant_at(2), relevant_at(1)])
    assert parse("MRR")(judged).mean() == pytest.approx(11 / 18)
    # first relevant documents at ranks 1, 3 and 5, and a query without one
    judged = JudgedRun.from_grades([relevant_at(1), relevant_at(3), relevant_at(5), [0, 0]])
    assert parse("MRR")(judged).mean().round(3) == 0.383


def test_discounted_cumulative_gain_of_six_documents():
    assert parse("DCG@6")(GRADED).round(2).tolist() == [6.86]
    assert parse("CG@6")(GRADED).tolist() == [11.0]


def test_ideal_gain_of_six_documents():
    # The text prints an IDCG@6 of 8.37 and an nDCG of 0.8196 for the ideal order 3, 3, 3, 2, 2, 1.
    # Its arithmetic is off: the terms 3, 1.893, 1.5, 0.861, 0.774, 0.356 add up to 8.384, which
    # makes 0.8184; 8.37 is the sum of the terms cut, not rounded, to two digits.
    ideal = parse("IDCG@6")(GRADED)
    assert ideal.round(3).tolist() == [8.384]
    terms = [grade / math.log2(rank + 1) for rank, grade in enumerate([3, 3, 3, 2, 2, 1], 1)]
    assert ideal == pytest.approx([sum(terms)])
    assert round(sum(math.floor(term * 100) / 100 for term in terms), 2) == 8.37
    assert parse("nDCG@6")(GRADED).round(4).tolist() == [0.8184]
    assert (parse("DCG@6")(GRADED).round(2) / 8.37).round(4).tolist() == [0.8196]


def test_gain_of_a_negative_grade_is_none():
    assert cumulated_gain(JudgedRun.from_grades([[-2, 1, None]])).tolist() == [1.0]


@pytest.mark.slow
@given(RANKINGS, st.integers(1, 9))
def test_mean_precision_is_the_mean_of_the_precisions(rankings, cutoff):
    judged = JudgedRun.from_grades(rankings)
    mean = np.mean([precision(judged, cutoff=k) for k in range(1, cutoff + 1)], axis=0)
    assert mean_precision(judged, cutoff=cutoff) == pytest.approx(mean)


def test_hits_are_averaged_over_the_queries():
    assert parse("Hits").entry.aggregate == "mean"
    judged = JudgedRun.from_grades([[1, 2, None, 1], []])
    assert hits_of(judged).tolist() == [3.0, 0.0]
    assert hits_of(judged, cutoff=2, rel=2).tolist() == [1.0, 0.0]


def test_f_at_a_cutoff_divides_by_the_cutoff():
    # P@4 = 1/4, though two were retrieved, R@4 = 1/3
    judged = JudgedRun.from_grades([[1, 0]], ideal=[[1, 1, 1, 0]])
    assert f_measure(judged, cutoff=4) == pytest.approx([2 * (1 / 4) * (1 / 3) / (1 / 4 + 1 / 3)])


def test_f_above_a_threshold_divides_by_what_is_there():
    # P = 1/2 and R = 1/3; beta of 2: 5PR / (4P + R)
    judged = JudgedRun.from_grades([[1, 0, 1]], ideal=[[1, 1, 1, 0]], scores=[[0.9, 0.8, 0.1]])
    expected = 5 * (1 / 2) * (1 / 3) / (4 * (1 / 2) + 1 / 3)
    assert f_measure(judged, threshold=0.5, beta=2.0) == pytest.approx([expected])


@pytest.mark.slow
@given(RANKINGS, st.floats(0.1, 10.0))
def test_f_of_all_retrieved_is_set_f(rankings, beta):
    judged = JudgedRun.from_grades(rankings)
    assert f_measure(judged, beta=beta) == pytest.approx(set_f(judged, beta=beta))


def test_parameters_without_meaning():
    judged = JudgedRun.from_grades([[1]])
    with pytest.raises(ArgumentError, match="beta must be above 0"):
        f_measure(judged, cutoff=1, beta=0.0)
    with pytest.raises(ArgumentError, match="cutoff must be"):
        mean_precision(judged, cutoff=0)


# relevant, unjudged, refused, relevant, refused; and one of each that was not retrieved
JUDGED = JudgedRun.from_grades(
    [[1, None, 0, 2, 0]],
    ideal=[[2, 1, 1, 0, 0, 0]],
    scores=[[0.9, 0.8, 0.7, 0.7, 0.1]],
)


def test_rates_above_a_threshold():
    # 0.7 itself is enough: two of four relevant, two of three found, one of three refused
    assert positive_predictive_value(JUDGED, threshold=0.7).tolist() == [2 / 4]
    assert true_positive_rate(JUDGED, threshold=0.7).tolist() == [2 / 3]
    assert false_positive_rate(JUDGED, threshold=0.7).tolist() == [1 / 3]
    assert classification_accuracy(JUDGED, threshold=0.7).tolist() == [(2 + 2) / 6]


def test_rates_at_a_cutoff():
    assert false_positive_rate(JUDGED, cutoff=2).tolist() == [0.0]
    assert classification_accuracy(JUDGED, cutoff=2).tolist() == [(1 + 3) / 6]


def test_cutoff_and_threshold_together_keep_what_passes_both():
    assert false_positive_rate(JUDGED, cutoff=3, threshold=0.7).tolist() == [1 / 3]
    assert false_positive_rate(JUDGED, cutoff=5, threshold=0.7).tolist() == [1 / 3]
    assert false_positive_rate(JUDGED, cutoff=3, threshold=0.75).tolist() == [0.0]


def test_no_document_scores_enough():
    assert positive_predictive_value(JUDGED, threshold=5.0).tolist() == [0.0]
    assert true_positive_rate(JUDGED, threshold=5.0).tolist() == [0.0]
    # all are called refused, which is right for three of six
    assert classification_accuracy(JUDGED, threshold=5.0).tolist() == [0.5]


def test_levels_and_negative_grades():
    judged = JudgedRun.from_grades([[2, 1, -1, 0]])
    assert false_positive_rate(judged, cutoff=2, rel=2).tolist() == [0.5]
    assert classification_accuracy(judged, cutoff=3).tolist() == [1.0]


def test_nothing_retrieved_or_nothing_refused():
    judged = JudgedRun.from_grades([[], [1]], ideal=[[1, 0], [1]])
    assert false_positive_rate(judged).tolist() == [0.0, 0.0]
    assert classification_accuracy(judged).tolist() == [0.0, 1.0]


def test_thresholds_need_numbers_and_scores():
    with pytest.raises(ArgumentError, match="threshold must be a number"):
        positive_predictive_value(JUDGED, threshold=math.nan)
    with pytest.raises(ArgumentError, match="needs the scores"):
        true_positive_rate(replace(JUDGED, retrieved_scores=None), threshold=0.5)
    without = replace(JUDGED, retrieved_scores=None)
    assert false_positive_rate(without, cutoff=3).tolist() == [1 / 3]


# five relevant documents, found at ranks 2, 3 and 6: precision 1/2, 2/3, 1/2
JUDGED_INTERPOLATED = JudgedRun.from_grades([[0, 1, 1, 0, 0, 1]], ideal=[[1, 1, 1, 1, 1]])


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("recall", "value"),
    [
        (0.0, 2 / 3),
        (0.2, 2 / 3),  # the best precision from the first document on is that at the second
        (0.4, 2 / 3),
        (0.49, 2 / 3),  # 2.45, rounded to 2
        (0.5, 0.5),  # 2.5, rounded to 3
        (0.6, 0.5),
        (0.7, 0.0),  # 3.5, rounded to 4, and three were found
        (1.0, 0.0),
    ],
)
def test_interpolated_precision_rounds_the_number_of_documents(recall, value):
    assert interpolated_precision(JUDGED_INTERPOLATED, recall=recall) == pytest.approx([value])


@pytest.mark.parametrize(
    ("recall", "value"),
    [
        (0.4, 2 / 3),  # floor(2 + 0.9)
        (0.42, 0.5),  # floor(2.1 + 0.9) = 3
        (0.65, 0.0),  # floor(3.25 + 0.9) = 4
    ],
)
def test_interpolated_precision_of_version_9_adds_nine_tenths(recall, value):
    values = interpolated_precision(JUDGED_INTERPOLATED, recall=recall, interpolation="9")
    assert values == pytest.approx([value])


def test_interpolated_precision_at_0_of_nothing_is_0():
    # trec_eval 9 divides 0 by 0 here
    judged = JudgedRun.from_grades([[], [0], [None]], ideal=[[1], [0], [1]])
    assert interpolated_precision(judged, recall=0.0, interpolation="9").tolist() == [0, 0, 0]


def test_eleven_point_average_by_hand():
    # asked 0, 1 (0.5), 1, 2 (1.5), 2 of five: 2/3 at five levels; 3 (2.5), 3: 1/2 at two; then 0
    assert eleven_point_average(JUDGED_INTERPOLATED) == pytest.approx([(5 * 2 / 3 + 2 / 2) / 11])


def test_eleven_point_average_of_other_levels():
    assert eleven_point_average(JUDGED_INTERPOLATED, levels=(1.0, 0.0)) == pytest.approx([1 / 3])


def test_eleven_point_average_of_version_9():
    # Of three: 1 up to 0.3 (floor(0.9 + 0.9)), 2 up to 0.6, and at 0.7, where 0.7 * 3 + 0.9 falls
    # short of 3 in floating point, there and here; then 3, which are not found.
    judged = JudgedRun.from_grades([[1, 0, 1]], ideal=[[1, 1, 1]])
    assert eleven_point_average(judged, interpolation="9") == pytest.approx(
        [(4 * 1 + 4 * 2 / 3) / 11]
    )


@pytest.mark.parametrize("level", [-0.1, 1.1, math.nan])
def test_level_of_recall_without_a_meaning(level):
    with pytest.raises(ArgumentError, match="a level of recall must lie between 0 and 1, not"):
        interpolated_precision(JUDGED_INTERPOLATED, recall=level)


def test_no_levels_at_all():
    with pytest.raises(ArgumentError, match="there is none"):
        eleven_point_average(JUDGED_INTERPOLATED, levels=())


def test_interpolation_without_a_meaning():
    with pytest.raises(ArgumentError, match="choices: 10, 9"):
        interpolated_precision(JUDGED_INTERPOLATED, recall=0.5, interpolation="8")


def test_eleven_points_and_their_mean():
    judged = JudgedRun.from_grades([[1, 0, 1], [0, 1], []], ideal=[[1, 1, 1, 0], [1, 0], [1]])
    curve = precision_recall_curve(judged)
    assert curve.shape == (3, 11)
    # precision 1 at 1/3 of the recall, 2/3 at 2/3; a level asks for the nearest whole number
    assert curve[0] == pytest.approx([1] * 5 + [2 / 3] * 4 + [0] * 2)
    assert (np.diff(curve, axis=1) <= 0).all()
    assert curve.mean(axis=1) == pytest.approx(eleven_point_average(judged))


def test_levels_without_meaning():
    with pytest.raises(ArgumentError, match="must lie between 0 and 1, not"):
        precision_recall_curve(JudgedRun.from_grades([[1]]), levels=(0.0, 1.5))
    with pytest.raises(ArgumentError, match="there is none"):
        precision_recall_curve(JudgedRun.from_grades([[1]]), levels=())
