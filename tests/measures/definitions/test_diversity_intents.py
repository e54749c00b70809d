import pytest

from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.diversity import (
    intent_aware_average_precision,
    intent_aware_precision,
    subtopic_recall,
)

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


def test_names_of_other_programs() -> None:
    assert parse("MAP_IA") == parse("MAP-IA") == parse("AP_IA")
    assert parse("P-IA@5") == parse("P_IA@5")
    assert parse("strec@10") == parse("StRecall@10")
