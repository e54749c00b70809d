import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.curves import precision_recall_curve
from abrank.measures.definitions.interpolated import eleven_point_average


def test_eleven_points_and_their_mean():
    judged = JudgedRun.from_grades([[1, 0, 1], [0, 1], []], ideal=[[1, 1, 1, 0], [1, 0], [1]])
    curve = precision_recall_curve(judged)
    assert curve.shape == (3, 11)
    # precision 1 at 1/3 of the recall, 2/3 at 2/3; a level asks for the nearest whole number
    assert curve[0] == pytest.approx([1] * 5 + [2 / 3] * 4 + [0] * 2)
    assert (np.diff(curve, axis=1) <= 0).all()
    assert curve.mean(axis=1) == pytest.approx(eleven_point_average(judged))


def test_levels_without_meaning():
    with pytest.raises(ArgumentError, match="must lie between 0 and 1, not"):
        precision_recall_curve(JudgedRun.from_grades([[1]]), levels=(0.0, 1.5))
    with pytest.raises(ArgumentError, match="there is none"):
        precision_recall_curve(JudgedRun.from_grades([[1]]), levels=())
