import math

import pytest

from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import binary_normalized_gain, normalized_gain


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
