import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import compatibility

GRADES = st.lists(st.none() | st.integers(-2, 3), max_size=8)


def by_the_definition(ranking, missed, p, normalize):
    """Overlap depth by depth, with documents named by their place."""
    documents = [*enumerate(ranking), *enumerate(missed, len(ranking))]
    good = [(doc, grade) for doc, grade in documents if grade is not None and grade > 0]
    ideal = [doc for doc, grade in sorted(good, key=lambda each: -each[1])]
    depth = max(len(ranking), len(ideal))

    def overlap(left, right):
        weights = [p**i for i in range(depth)]
        both = [len(set(left[: i + 1]) & set(right[: i + 1])) / (i + 1) for i in range(depth)]
        return sum(w * b for w, b in zip(weights, both, strict=True)) / sum(weights)

    if not ideal:
        return 0.0
    found = overlap(list(range(len(ranking))), ideal)
    return found / overlap(ideal, ideal) if normalize else found


@given(st.lists(st.tuples(GRADES, st.lists(st.integers(-2, 3), max_size=4)), max_size=4))
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_equals_the_definition_depth_by_depth(p, normalize, queries):
    rankings = [ranking for ranking, _ in queries]
    pools = [[g for g in ranking if g is not None] + missed for ranking, missed in queries]
    got = compatibility(JudgedRun.from_grades(rankings, ideal=pools), p=p, normalize=normalize)
    expected = [by_the_definition(*query, p, normalize) for query in queries]
    assert got == pytest.approx(expected, abs=1e-12)


def test_ideal_ranking_shorter_than_the_run_needs_the_normalization():
    judged = JudgedRun.from_grades([[1, 0, 0]])
    assert compatibility(judged).tolist() == [1.0]
    # overlap 1, 1/2, 1/3 with weights 1, 1/2, 1/4
    expected = (1 + 1 / 4 + 1 / 12) / 1.75
    assert compatibility(judged, p=0.5, normalize=False) == pytest.approx([expected])


def test_documents_that_were_not_retrieved_stand_last_whatever_the_scores():
    # both relevant; scores below 0 change nothing, where ir_measures takes 0 for the one missed
    high = JudgedRun.from_grades([[1]], ideal=[[1, 1]], scores=[[2.0]])
    low = JudgedRun.from_grades([[1]], ideal=[[1, 1]], scores=[[-2.0]])
    assert compatibility(high).tolist() == compatibility(low).tolist()


def test_persistence_without_meaning():
    with pytest.raises(ArgumentError, match="p must lie between 0 and 1"):
        compatibility(JudgedRun.from_grades([[1]]), p=1.0)
