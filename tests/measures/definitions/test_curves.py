import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.curves import precision_recall_curve, roc_curve
from abrank.measures.definitions.interpolated import eleven_point_average
from abrank.measures.definitions.pairs import area_under_roc

DOCUMENTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=12)


def test_eleven_points_and_their_mean():
    judged = JudgedRun.from_grades([[1, 0, 1], [0, 1], []], ideal=[[1, 1, 1, 0], [1, 0], [1]])
    curve = precision_recall_curve(judged)
    assert curve.shape == (3, 11)
    # precision 1 at 1/3 of the recall, 2/3 at 2/3; a level asks for the nearest whole number
    assert curve[0] == pytest.approx([1] * 5 + [2 / 3] * 4 + [0] * 2)
    assert (np.diff(curve, axis=1) <= 0).all()
    assert curve.mean(axis=1) == pytest.approx(eleven_point_average(judged))


def test_equal_scores_are_a_slope():
    judged = JudgedRun.from_grades([[1, 0]], scores=[[1.0, 1.0]])
    assert roc_curve(judged, levels=(0.0, 0.25, 1.0)).tolist() == [[0.0, 0.25, 1.0]]


@given(DOCUMENTS)
def test_area_under_the_curve_is_auc(documents):
    falling = sorted(documents, key=lambda each: -each[0])
    judged = JudgedRun.from_grades(
        [[grade for _, grade in falling]], scores=[[float(score) for score, _ in falling]]
    )
    # The curve is a line between the levels at which a refused document more was seen, and jumps
    # there: the middle of each piece gives its area.
    n_refused = max(sum(grade == 0 for _, grade in documents), 1)
    middles = tuple((i + 0.5) / n_refused for i in range(n_refused))
    curve = roc_curve(judged, levels=middles)
    assert curve.mean(axis=1) == pytest.approx(area_under_roc(judged))


def test_queries_without_a_relevant_or_a_refused_document():
    judged = JudgedRun.from_grades([[0], [1]])
    assert roc_curve(judged, levels=(0.0, 1.0)).tolist() == [[0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve])
def test_levels_without_meaning(curve):
    with pytest.raises(ArgumentError, match="must lie between 0 and 1, not"):
        curve(JudgedRun.from_grades([[1]]), levels=(0.0, 1.5))
    with pytest.raises(ArgumentError, match="there is none"):
        curve(JudgedRun.from_grades([[1]]), levels=())
