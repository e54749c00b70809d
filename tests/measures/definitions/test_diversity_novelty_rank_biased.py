import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.diversity import (
    normalized_novelty_rank_biased_precision,
    novelty_rank_biased_precision,
)

README = JudgedRun.from_subtopics([[{"a": 1}, {"b": 1}, None, {"b": 1}]], missed=[[{"c": 1}]])


def test_values_by_hand() -> None:
    # gains 1, 1 and 1/2 at ranks 1, 2 and 4; the ideal has 1, 1, 1, 1/2
    found = 1 + 1 / 2 + 1 / 2 / 8
    assert novelty_rank_biased_precision(README) == pytest.approx([3 / 4 / 3 * found])
    ideal = 1 + 1 / 2 + 1 / 4 + 1 / 2 / 8
    assert normalized_novelty_rank_biased_precision(README) == pytest.approx([found / ideal])


def test_a_reader_of_the_first_rank_only() -> None:
    assert novelty_rank_biased_precision(README, beta=0.0) == pytest.approx([1 / 3])


def test_a_chance_beyond_one_is_refused() -> None:
    with pytest.raises(ArgumentError, match="beta must be from 0 to 1"):
        novelty_rank_biased_precision(README, beta=1.1)
