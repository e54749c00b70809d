import math

import pytest

from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.diversity import (
    alpha_dcg,
    alpha_ndcg,
    intent_aware_err,
    normalized_intent_aware_err,
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
