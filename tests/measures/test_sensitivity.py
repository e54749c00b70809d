"""Ranges of ties and of unjudged documents against all orders and grades; ideal rankings."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank import ArgumentError, evaluate, read_qrels, simulate_runs
from abrank.inputs import JudgedRun, join, read_run
from abrank.measures import parse, sensitivity

MEASURES = ("AP", "RR", "nDCG", "nDCG@3", "P@2", "Bpref", "Rprec", "ERR(max_grade=3)", "RBP")
GRADES = st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=6)


def every_order(grades, scores):
    """All rankings that the scores allow: each tie in every order."""
    groups = [[g for g, s in zip(grades, scores, strict=True) if s == score] for score in
              sorted(set(scores), reverse=True)]  # fmt: skip
    for orders in itertools.product(*(list(itertools.permutations(group)) for group in groups)):
        yield [grade for order in orders for grade in order]


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=40)
@given(grades=GRADES, data=st.data())
def test_against_theory_extremes_are_those_of_all_orders(name, grades, data):
    n = len(grades)
    scores = sorted(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), reverse=True)
    pool = [[g for g in grades if g is not None] + [2, 0]]
    measure = parse(name)
    low, high = sensitivity.extremes(
        measure, JudgedRun.from_grades([grades], ideal=pool, scores=[scores])
    )
    values = [
        measure(JudgedRun.from_grades([order], ideal=pool))[0]
        for order in every_order(grades, scores)
    ]
    assert low[0] == pytest.approx(min(values), abs=1e-12)
    assert high[0] == pytest.approx(max(values), abs=1e-12)


def test_measures_of_diversity_over_all_orders() -> None:
    # Three documents of one score: a, a and b. Both subtopics in the first two, unless b is last.
    qrels = read_qrels(
        [("q", "a", "d1", 1), ("q", "a", "d2", 1), ("q", "b", "d3", 1)], subtopics=True
    )
    judged = join(qrels, read_run({"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0}}))
    result = sensitivity.tie_range(parse("StRecall@2"), judged, n_orders=500)
    assert (result.low.item(), result.high.item()) == (0.5, 1.0)
    assert result.expected.item() == pytest.approx(0.5 * 1 / 3 + 2 / 3, abs=0.05)


MEASURES_UNJUDGED = ("AP", "RR", "nDCG", "nDCG@3", "P@2", "R@3", "Rprec", "RBP", "Success@2")


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURES_UNJUDGED)
@settings(max_examples=40)
@given(
    ranking=st.lists(st.none() | st.integers(0, 2), max_size=6),
    missed=st.lists(st.integers(0, 2), max_size=3),
)
def test_against_theory_no_assignment_scores_higher(name, ranking, missed):
    pool = [g for g in ranking if g is not None] + missed
    measure = parse(name)
    low, high = sensitivity.unjudged_range(
        measure, JudgedRun.from_grades([ranking], ideal=[pool]), grade=2
    )
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


def test_a_condensed_list_has_no_holes():
    judged = JudgedRun.from_grades([[None, 1]])
    low, high = sensitivity.unjudged_range(parse("P(judged_only=True)@2"), judged)
    assert low.tolist() == high.tolist() == [0.5]


def test_a_long_list_takes_growing_steps():
    judged = JudgedRun.from_grades([[None] * 100 + [1]])
    low, high = sensitivity.unjudged_range(parse("R@101"), judged)
    assert (low[0], high[0]) == (1.0, 1.0)
    low, high = sensitivity.unjudged_range(parse("RR"), judged)
    assert (low[0], high[0]) == (1 / 101, 1.0)


def test_too_many_documents_are_refused(monkeypatch):
    monkeypatch.setattr("abrank.measures.sensitivity.MAX_UNJUDGED", 3)
    judged = JudgedRun.from_grades([[None] * 4])
    with pytest.raises(ArgumentError, match="4 retrieved documents are too many"):
        sensitivity.unjudged_range(parse("AP"), judged)
    assert sensitivity.unjudged_range(parse("P@3"), judged)[1] == [1.0]


def test_unjudged_documents_have_no_subtopics() -> None:
    judged = JudgedRun.from_subtopics([[{"a": 1}, None]])
    with pytest.raises(ArgumentError, match="StRecall@2 has no range"):
        sensitivity.unjudged_range(parse("StRecall@2"), judged)


RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=8), min_size=1, max_size=5)


def test_normalized_err_by_hand():
    # scale to 1, s(1) = 1/2: found at rank 2; the ideal ranking has 1/2 + 1/2 * 1/2 / 2
    judged = JudgedRun.from_grades([[0, 1]], ideal=[[1, 1, 0]])
    assert sensitivity.normalized_err(judged) == pytest.approx([0.25 / 0.625])
    assert sensitivity.normalized_err(judged, cutoff=1).tolist() == [0.0]


@given(RANKINGS)
def test_normalized_err_of_the_ideal_run_is_one(rankings):
    judged = JudgedRun.from_grades(rankings)
    expected = np.where(judged.n_relevant() > 0, 1.0, 0.0)
    assert sensitivity.normalized_err(sensitivity.ideal_run(judged)).tolist() == expected.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nDCG@10", "AP", "RR", "P@10", "nDCG(judged_only=True)@10"])
def test_swing_is_what_scoring_with_the_judgment_gives(name) -> None:
    # Oracle: the document is written into the qrels, and everything is scored again.
    collection = simulate_runs(6, rng=2)
    runs = [collection.baseline, collection.candidate]
    query_id = collection.qrels.query_ids[2]
    qrels: dict[str, dict[str, int]] = {}
    for query, doc, grade in zip(
        collection.qrels.query_id,
        collection.qrels.doc_id,
        collection.qrels.grade.tolist(),
        strict=True,
    ):
        qrels.setdefault(query, {})[doc] = grade
    lists = [[doc for doc, _ in run.ranking(query_id)] for run in runs]
    # All documents of the first ranks are judged: some judgments are taken back.
    open_ = [*lists[0][:3], *(doc for doc in lists[1][:5] if doc not in lists[0][:3])]
    for doc in open_:
        qrels[query_id].pop(doc, None)

    def difference(judgments) -> float:
        scores = evaluate(judgments, {"a": runs[0], "b": runs[1]}, [name])
        place = scores.query_ids.index(query_id)
        return float(scores.of("b")[place, 0] - scores.of("a")[place, 0])

    judged = read_qrels(qrels)
    joined = [join(judged, run) for run in runs]
    ranks = [
        np.array([item.index(doc) + 1 if doc in item else 0 for doc in open_]) for item in lists
    ]
    result = sensitivity.swing(parse(name), *joined, np.full(len(open_), 2), *ranks, grade=2)
    expected = []
    for doc in open_:
        more = {**qrels, query_id: {**qrels[query_id], doc: 2}}
        expected.append(difference(more) - difference(qrels))
    assert result == pytest.approx(expected, abs=1e-12)
    assert np.abs(result).max() > 0


def test_subtopics_have_no_swing() -> None:
    run = JudgedRun.from_grades([[None, 1]])
    values = np.array([0])
    with pytest.raises(ArgumentError, match="has no swing"):
        sensitivity.swing(parse("alpha_nDCG@5"), run, run, values, values, values, grade=1)
