"""Measures against their definitions, scipy and each other, on random rankings."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import parse
from abrank.measures.definitions.binary import area_under_roc, kendall_tau
from abrank.measures.definitions.graded import cascade, ndcg
from abrank.measures.definitions.textbook import eleven_point_average, interpolated_precision
from abrank.measures.definitions.user_models import resolved

RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=12), min_size=1, max_size=6)


# (score, grade): few scores, so that many are equal
JUDGED_ALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=15)


def from_documents(documents):
    falling = sorted(documents, key=lambda each: -each[0])
    return JudgedRun.from_grades(
        [[grade for _, grade in falling]], scores=[[float(score) for score, _ in falling]]
    )


@pytest.mark.slow
@given(JUDGED_ALL)
def test_auc_against_scipy(documents):
    good = [score for score, grade in documents if grade >= 2]
    bad = [score for score, grade in documents if grade < 2]
    got = area_under_roc(from_documents(documents), rel=2)
    if good and bad:
        wins = scipy.stats.mannwhitneyu(good, bad, method="asymptotic").statistic
        assert got == pytest.approx([wins / (len(good) * len(bad))])
    else:
        assert got.tolist() == [1.0 if good else 0.0]


@pytest.mark.slow
@given(JUDGED_ALL)
def test_kendall_tau_against_scipy(documents):
    scores, grades = zip(*documents, strict=True)
    got = kendall_tau(from_documents(documents))
    if len(set(scores)) > 1 and len(set(grades)) > 1:
        assert got == pytest.approx([scipy.stats.kendalltau(scores, grades).statistic])
    else:
        assert got.tolist() == [0.0]


@pytest.mark.slow
@given(
    RANKINGS,
    st.none() | st.integers(1, 12),
    st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0, 2.5]), min_size=1),
)
def test_ndcg_with_fractional_gains_equals_the_definition(rankings, cutoff, gains):
    # trec_eval's comparator of gains returns a whole number, so 0.2, 0.5, 0.9 stay in the order of
    # the grades there (gain_init.c); the ideal ranking is by gain.
    def gain(grade):
        return gains.get(grade, max(grade, 0)) if grade is not None else 0.0

    def dcg(values):
        return sum(value / math.log2(rank + 2) for rank, value in enumerate(values[:cutoff]))

    expected = []
    for ranking in rankings:
        best = dcg(sorted(map(gain, ranking), reverse=True))
        expected.append(dcg([gain(grade) for grade in ranking]) / best if best else 0.0)
    values = ndcg(JudgedRun.from_grades(rankings), cutoff=cutoff, gains=tuple(gains.items()))
    assert values.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
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


def test_eleven_points_and_their_mean():
    judged = JudgedRun.from_grades([[1, 0, 1], [0, 1], []], ideal=[[1, 1, 1, 0], [1, 0], [1]])
    levels = [interpolated_precision(judged, recall=tenth / 10) for tenth in range(11)]
    curve = np.stack(levels, axis=1)
    # precision 1 at 1/3 of the recall, 2/3 at 2/3; a level asks for the nearest whole number
    assert curve[0] == pytest.approx([1] * 5 + [2 / 3] * 4 + [0] * 2)
    assert (np.diff(curve, axis=1) <= 0).all()
    assert curve.mean(axis=1) == pytest.approx(eleven_point_average(judged))


def test_levels_without_meaning():
    with pytest.raises(ArgumentError, match="must lie between 0 and 1, not"):
        interpolated_precision(JudgedRun.from_grades([[1]]), recall=1.5)


def test_resolved_states_the_scale_that_is_taken():
    judged = JudgedRun.from_grades([[1, 3], [2]])
    result = resolved(parse("ERR@10"), judged)
    assert result.name == "ERR(max_grade=3)@10"
    assert result(judged).tolist() == parse("ERR@10")(judged).tolist()
