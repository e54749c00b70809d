"""Unjudged documents: ranges against all assignments of judgments, residuals against sums."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.sensitivity import unjudged_range

MEASURES = ("AP", "RR", "nDCG", "nDCG@3", "P@2", "R@3", "Rprec", "RBP", "Success@2")


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=40)
@given(
    ranking=st.lists(st.none() | st.integers(0, 2), max_size=6),
    missed=st.lists(st.integers(0, 2), max_size=3),
)
def test_against_theory_no_assignment_scores_higher(name, ranking, missed):
    pool = [g for g in ranking if g is not None] + missed
    measure = parse(name)
    low, high = unjudged_range(measure, JudgedRun.from_grades([ranking], ideal=[pool]), grade=2)
    holes = [i for i, g in enumerate(ranking) if g is None]
    values = []
    for relevant in itertools.product([False, True], repeat=len(holes)):
        filled = list(ranking)
        for i, yes in zip(holes, relevant, strict=True):
            filled[i] = 2 if yes else 0
        more = [2] * sum(relevant)
        values.append(measure(JudgedRun.from_grades([filled], ideal=[pool + more]))[0])
    assert high[0] == pytest.approx(max(values), abs=1e-12)
    assert low[0] <= values[0] + 1e-12  # all unjudged documents non-relevant, the usual rule


def test_the_usual_rule_is_the_low_end_of_a_measure_that_grows():
    judged = JudgedRun.from_grades([[None, 1, None], [1, 1], []], ideal=[[1], [1, 1], [1]])
    low, high = unjudged_range(parse("P@3"), judged)
    assert low.tolist() == parse("P@3")(judged).tolist()
    assert high.tolist() == pytest.approx([1.0, 2 / 3, 0.0])


def test_a_condensed_list_has_no_holes():
    judged = JudgedRun.from_grades([[None, 1]])
    low, high = unjudged_range(parse("P(judged_only=True)@2"), judged)
    assert low.tolist() == high.tolist() == [0.5]


def test_a_long_list_takes_growing_steps():
    judged = JudgedRun.from_grades([[None] * 100 + [1]])
    low, high = unjudged_range(parse("R@101"), judged)
    assert (low[0], high[0]) == (1.0, 1.0)
    low, high = unjudged_range(parse("RR"), judged)
    assert (low[0], high[0]) == (1 / 101, 1.0)


def test_too_many_documents_are_refused(monkeypatch):
    monkeypatch.setattr("abrank.measures.sensitivity.MOST_ROWS", 3)
    judged = JudgedRun.from_grades([[None] * 4])
    with pytest.raises(ArgumentError, match="4 retrieved documents are too many"):
        unjudged_range(parse("AP"), judged)
    assert unjudged_range(parse("P@3"), judged)[1] == [1.0]


@given(ranking=st.lists(st.none() | st.integers(-1, 2), max_size=8), p=st.floats(0.1, 0.9))
def test_against_theory_residual_is_what_relevant_unknowns_would_add(ranking, p):
    judged = JudgedRun.from_grades([ranking])
    residual = parse(f"RBPResid(p={p})")(judged)[0]
    unknown = [i for i, g in enumerate(ranking) if g is None or g < 0]
    weights = np.array([(1 - p) * p**i for i in unknown])
    assert residual == pytest.approx(weights.sum() + p ** len(ranking), abs=1e-12)


def test_unjudged_documents_have_no_subtopics() -> None:
    judged = JudgedRun.from_subtopics([[{"a": 1}, None]])
    with pytest.raises(ArgumentError, match="StRecall@2 has no range"):
        unjudged_range(parse("StRecall@2"), judged)
