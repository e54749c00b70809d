import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions import counts

JUDGED = JudgedRun.from_grades(
    [[1, None, 0, -1, 2], [], [0]], ideal=[[2, 2, 1, 0, -1], [1], [0, 0]]
)


def test_numbers_by_hand():
    assert counts.number_of_queries(JUDGED).tolist() == [1, 1, 1]
    assert counts.number_retrieved(JUDGED).tolist() == [5, 0, 1]
    assert counts.number_relevant(JUDGED).tolist() == [3, 1, 0]
    assert counts.number_relevant_retrieved(JUDGED).tolist() == [2, 0, 0]
    assert counts.number_refused_retrieved(JUDGED).tolist() == [1, 0, 1]


def test_numbers_from_grade_2():
    assert counts.number_retrieved(JUDGED, rel=2).tolist() == [1, 0, 0]
    assert counts.number_relevant(JUDGED, rel=2).tolist() == [2, 0, 0]
    assert counts.number_relevant_retrieved(JUDGED, rel=2).tolist() == [1, 0, 0]
    assert counts.number_refused_retrieved(JUDGED, rel=2).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    "function",
    [
        counts.number_retrieved,
        counts.number_relevant,
        counts.number_relevant_retrieved,
        counts.number_refused_retrieved,
    ],
)
def test_level_below_one_is_refused(function):
    with pytest.raises(ArgumentError, match="rel must be a whole number of at least 1"):
        function(JUDGED, rel=0)
