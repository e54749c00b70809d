"""Measures of diversity by hand and against the papers."""

import math

import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.diversity import (
    alpha_dcg,
    alpha_ndcg,
    intent_aware_average_precision,
    intent_aware_err,
    intent_aware_precision,
    normalized_intent_aware_err,
    normalized_novelty_rank_biased_precision,
    novelty_rank_biased_precision,
    subtopic_recall,
)

# The example of pyndeval's README: A, D, E (unjudged), B; C is not retrieved.
README = JudgedRun.from_subtopics([[{"a": 1}, {"b": 1}, None, {"b": 1}]], missed=[[{"c": 1}]])


def test_values_that_pyndeval_prints() -> None:
    # against_ndeval: the numbers of pyndeval's own test, which stop after four digits
    assert intent_aware_err(README, cutoff=20) == pytest.approx([0.3907], abs=1e-4)
    assert normalized_intent_aware_err(README, cutoff=20) == pytest.approx([0.8297], abs=1e-4)
    assert alpha_dcg(README, cutoff=10) == pytest.approx([0.3998], abs=1e-4)
    assert alpha_ndcg(README, cutoff=10) == pytest.approx([0.7868], abs=1e-4)


def test_without_novelty_gain_does_not_fade() -> None:
    # alpha = 0: both documents serve the one subtopic, each with gain 1
    judged = JudgedRun.from_subtopics([[None, {"a": 1}, {"a": 1}]])
    expected = (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3))
    assert alpha_ndcg(judged, alpha=0.0) == pytest.approx([expected])


def test_cutoff_beyond_what_was_retrieved_divides_by_all_its_ranks() -> None:
    judged = JudgedRun.from_subtopics([[{"a": 1}]])
    assert intent_aware_err(judged, cutoff=2) == pytest.approx([1 / (1 + 1 / 4)])


def test_names_of_other_programs() -> None:
    assert parse("α_nDCG@10") == parse("alpha_nDCG@10") == parse("alpha_nDCG(alpha=0.5)@10")
    assert parse("α_DCG@10") == parse("alpha_DCG@10") == parse("alpha-DCG@10")
    assert parse("alpha-nDCG@20") == parse("alpha_nDCG@20")
    assert parse("ERR-IA@20") == parse("ERR_IA@20")
    assert parse("nERR-IA@20") == parse("nERR_IA@20")


# a: ranks 1 and 3 of its three documents; b: rank 3 of one; c: never found; d: nobody is relevant
JUDGED = JudgedRun.from_subtopics(
    [[{"a": 1, "d": 0}, None, {"a": 2, "b": 1}]], missed=[[{"a": 1, "c": 1}]]
)


def test_average_precision_is_averaged_over_subtopics() -> None:
    of_a, of_b, of_c = (1 + 2 / 3) / 3, 1 / 3, 0
    assert intent_aware_average_precision(JUDGED) == pytest.approx([(of_a + of_b + of_c) / 3])


def test_average_precision_at_a_level() -> None:
    # of grade 2 there is one document, for a alone, at rank 3
    assert intent_aware_average_precision(JUDGED, rel=2) == pytest.approx([1 / 3])


def test_precision_divides_by_the_cutoff_and_the_subtopics() -> None:
    assert intent_aware_precision(JUDGED, cutoff=2) == pytest.approx([1 / (2 * 3)])
    assert intent_aware_precision(JUDGED, cutoff=10) == pytest.approx([3 / (10 * 3)])


def test_subtopic_recall_counts_a_subtopic_once() -> None:
    assert subtopic_recall(JUDGED).tolist() == [2 / 3]
    assert subtopic_recall(JUDGED, cutoff=2).tolist() == [1 / 3]


def test_names_of_other_programs_intents() -> None:
    assert parse("MAP_IA") == parse("MAP-IA") == parse("AP_IA")
    assert parse("P-IA@5") == parse("P_IA@5")
    assert parse("strec@10") == parse("StRecall@10")


def test_values_by_hand() -> None:
    # gains 1, 1 and 1/2 at ranks 1, 2 and 4; the ideal has 1, 1, 1, 1/2
    result = 1 + 1 / 2 + 1 / 2 / 8
    assert novelty_rank_biased_precision(README) == pytest.approx([3 / 4 / 3 * result])
    ideal = 1 + 1 / 2 + 1 / 4 + 1 / 2 / 8
    assert normalized_novelty_rank_biased_precision(README) == pytest.approx([result / ideal])


def test_a_reader_of_the_first_rank_only() -> None:
    assert novelty_rank_biased_precision(README, beta=0.0) == pytest.approx([1 / 3])


def test_a_chance_beyond_one_is_refused() -> None:
    with pytest.raises(ArgumentError, match="beta must be from 0 to 1"):
        novelty_rank_biased_precision(README, beta=1.1)
