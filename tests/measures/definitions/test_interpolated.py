"""The tests of ``abrank/measures/definitions/interpolated.py``."""

import math

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.interpolated import (
    eleven_point_average,
    interpolated_precision,
    precision_recall_curve,
)

# five relevant documents, found at ranks 2, 3 and 6: precision 1/2, 2/3, 1/2
JUDGED = JudgedRun.from_grades([[0, 1, 1, 0, 0, 1]], ideal=[[1, 1, 1, 1, 1]])


@pytest.mark.parametrize(
    ("recall", "value"),
    [
        (0.0, 2 / 3),
        (0.2, 2 / 3),  # the best precision from the first document on is that at the second
        (0.4, 2 / 3),
        (0.49, 2 / 3),  # 2.45, rounded to 2
        (0.5, 0.5),  # 2.5, rounded to 3
        (0.6, 0.5),
        (0.7, 0.0),  # 3.5, rounded to 4, and three were found
        (1.0, 0.0),
    ],
)
def test_interpolated_precision_rounds_the_number_of_documents(recall, value):
    assert interpolated_precision(JUDGED, recall=recall) == pytest.approx([value])


@pytest.mark.parametrize(
    ("recall", "value"),
    [
        (0.4, 2 / 3),  # floor(2 + 0.9)
        (0.42, 0.5),  # floor(2.1 + 0.9) = 3
        (0.65, 0.0),  # floor(3.25 + 0.9) = 4
    ],
)
def test_interpolated_precision_of_version_9_adds_nine_tenths(recall, value):
    values = interpolated_precision(JUDGED, recall=recall, interpolation="9")
    assert values == pytest.approx([value])


def test_interpolated_precision_at_0_of_nothing_is_0():
    # trec_eval 9 divides 0 by 0 here
    judged = JudgedRun.from_grades([[], [0], [None]], ideal=[[1], [0], [1]])
    assert interpolated_precision(judged, recall=0.0, interpolation="9").tolist() == [0, 0, 0]


def test_eleven_point_average_by_hand():
    # asked 0, 1 (0.5), 1, 2 (1.5), 2 of five: 2/3 at five levels; 3 (2.5), 3: 1/2 at two; then 0
    assert eleven_point_average(JUDGED) == pytest.approx([(5 * 2 / 3 + 2 / 2) / 11])


def test_eleven_point_average_of_other_levels():
    assert eleven_point_average(JUDGED, levels=(1.0, 0.0)) == pytest.approx([1 / 3])


def test_eleven_point_average_of_version_9():
    # Of three: 1 up to 0.3 (floor(0.9 + 0.9)), 2 up to 0.6, and at 0.7, where 0.7 * 3 + 0.9 falls
    # short of 3 in floating point, there and here; then 3, which are not found.
    judged = JudgedRun.from_grades([[1, 0, 1]], ideal=[[1, 1, 1]])
    assert eleven_point_average(judged, interpolation="9") == pytest.approx(
        [(4 * 1 + 4 * 2 / 3) / 11]
    )


@pytest.mark.parametrize("level", [-0.1, 1.1, math.nan])
def test_level_of_recall_without_a_meaning(level):
    with pytest.raises(ArgumentError, match="a level of recall must lie between 0 and 1, not"):
        interpolated_precision(JUDGED, recall=level)


def test_no_levels_at_all():
    with pytest.raises(ArgumentError, match="there is none"):
        eleven_point_average(JUDGED, levels=())


def test_interpolation_without_a_meaning():
    with pytest.raises(ArgumentError, match="choices: 10, 9"):
        interpolated_precision(JUDGED, recall=0.5, interpolation="8")


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
