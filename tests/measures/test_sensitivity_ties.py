"""Tie ranges against all orders of the tied documents, one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank.inputs import join, read_qrels, read_run
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.sensitivity import extremes, tie_range

MEASURES = ("AP", "RR", "nDCG", "nDCG@3", "P@2", "Bpref", "Rprec", "ERR(max_grade=3)", "RBP")
GRADES = st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=6)


def every_order(grades, scores):
    """All rankings that the scores allow: each tie in every order."""
    groups = [[g for g, s in zip(grades, scores, strict=True) if s == each] for each in
              sorted(set(scores), reverse=True)]  # fmt: skip
    for orders in itertools.product(*(list(itertools.permutations(group)) for group in groups)):
        yield [grade for order in orders for grade in order]


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=40)
@given(grades=GRADES, data=st.data())
def test_against_theory_extremes_are_those_of_all_orders(name, grades, data):
    n = len(grades)
    scores = sorted(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), reverse=True)
    pool = [[g for g in grades if g is not None] + [2, 0]]
    measure = parse(name)
    low, high = extremes(measure, JudgedRun.from_grades([grades], ideal=pool, scores=[scores]))
    values = [
        measure(JudgedRun.from_grades([order], ideal=pool))[0]
        for order in every_order(grades, scores)
    ]
    assert low[0] == pytest.approx(min(values), abs=1e-12)
    assert high[0] == pytest.approx(max(values), abs=1e-12)


def test_against_theory_expected_value_of_random_orders():
    grades, scores = [0, 1, None, 2, 0, 1], [5.0, 4.0, 4.0, 4.0, 1.0, 1.0]
    measure = parse("nDCG")
    values = [measure(JudgedRun.from_grades([o], ideal=[[2, 1, 1, 0, 0]]))[0]
              for o in every_order(grades, scores)]  # fmt: skip
    judged = JudgedRun.from_grades(
        [grades, [1, 0]], ideal=[[2, 1, 1, 0, 0], [1]], scores=[scores, [2.0, 1.0]]
    )
    found = tie_range(measure, judged, n_orders=4000, seed=3)
    error = np.std(values) / np.sqrt(found.n_orders)
    assert abs(found.expected[0] - np.mean(values)) < 4 * error
    # The second query has no tie: its value is one number.
    assert found.low[1] == found.expected[1] == found.high[1] == measure(judged)[1]


def test_every_order_is_as_likely_as_another():
    judged = JudgedRun.from_grades([[1, None, None, None]], scores=[[1.0] * 4])
    found = tie_range(parse("P@1"), judged, n_orders=4000)
    assert found.expected[0] == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 4000))


def test_a_run_without_ties_is_not_shuffled():
    found = tie_range(parse("AP"), JudgedRun.from_grades([[0, 1], []], ideal=[[1, 1], [1]]))
    assert found.n_orders == 0
    assert found.low.tolist() == found.high.tolist() == found.expected.tolist() == [0.25, 0.0]


def test_equal_seeds_give_equal_orders_and_many_documents_fewer_of_them(monkeypatch):
    judged = JudgedRun.from_grades([[1, 0, 2, None]], scores=[[1.0] * 4])
    measure = parse("AP")
    one, two = (tie_range(measure, judged, n_orders=7, seed=5).expected for _ in range(2))
    assert one == two
    assert tie_range(measure, judged, n_orders=7, seed=6).expected != one
    monkeypatch.setattr("abrank.measures.sensitivity.MOST_DRAWN", 12)
    assert tie_range(measure, judged, n_orders=7).n_orders == 3


def test_measures_of_diversity_over_all_orders() -> None:
    # Three documents of one score: a, a and b. Both subtopics in the first two, unless b is last.
    qrels = read_qrels(
        [("q", "a", "d1", 1), ("q", "a", "d2", 1), ("q", "b", "d3", 1)], subtopics=True
    )
    judged = join(qrels, read_run({"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0}}))
    found = tie_range(parse("StRecall@2"), judged, n_orders=500)
    assert (found.low.item(), found.high.item()) == (0.5, 1.0)
    assert found.expected.item() == pytest.approx(0.5 * 1 / 3 + 2 / 3, abs=0.05)
