import math
from dataclasses import replace

import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.thresholds import (
    classification_accuracy,
    false_positive_rate,
    positive_predictive_value,
    true_positive_rate,
)

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
