import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import cascade, cascade_measure, scale_of
from abrank.measures.definitions.user_models import expected_reciprocal_rank

RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=12), min_size=1, max_size=6)


def test_discount_of_dcg_by_hand():
    # scale to 4: s(2) = 3/16 at rank 1; then 13/16 * 15/16 / log2(4) at rank 3
    judged = JudgedRun.from_grades([[2, 0, 4]])
    assert cascade_measure(judged) == pytest.approx([3 / 16 + 13 / 16 * 15 / 16 / 2])
    assert cascade_measure(judged, cutoff=2).tolist() == [3 / 16]


@given(RANKINGS, st.none() | st.integers(1, 12))
def test_one_over_the_rank_is_err(rankings, cutoff):
    judged = JudgedRun.from_grades(rankings)
    np.testing.assert_array_equal(
        cascade_measure(judged, phi="1/r", cutoff=cutoff),
        expected_reciprocal_rank(judged, cutoff=cutoff),
    )


@given(RANKINGS)
def test_any_position_function_equals_the_loop_of_the_paper(rankings):
    # Chapelle et al., algorithm 2, with phi instead of 1/r
    expected = []
    for ranking in rankings:
        arriving, value = 1.0, 0.0
        for rank, grade in enumerate(ranking, 1):
            stop = (2 ** max(grade or 0, 0) - 1) / 2**4
            value += arriving * stop * math.exp(1 - rank)
            arriving *= 1 - stop
        expected.append(value)
    got = cascade(JudgedRun.from_grades(rankings), lambda r: np.exp(1 - r), max_grade=4)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_unknown_position_and_a_grade_above_the_scale():
    judged = JudgedRun.from_grades([[3]])
    with pytest.raises(ArgumentError, match="choices: 1/r, 1/log2"):
        cascade_measure(judged, phi="1/r**2")
    with pytest.raises(ArgumentError, match="grade of 3, above max_grade=2"):
        scale_of(judged, 2)
