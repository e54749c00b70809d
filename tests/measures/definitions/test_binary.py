import math

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.binary import (
    average_precision,
    geometric_average_precision,
    r_precision,
    r_precision_multiple,
    reciprocal_rank,
    smoothed_average_precision,
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
