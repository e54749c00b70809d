import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.rates import DEPTH, patience, rate_of_gain


def by_the_definition(ranking, going_on, depth, scale):
    """One ranking, rank by rank: C, then W, then the weighted mean of the gains."""
    gains = [max(grade or 0, 0) / scale for grade in ranking[:depth]]
    gains += [0.0] * (depth - len(gains))
    looks, weights, so_far = 1.0, [], 0.0
    for rank, gain in enumerate(gains, 1):
        so_far += gain
        weights.append(looks)
        looks *= going_on(rank, gain, so_far)
    return sum(w * g for w, g in zip(weights, gains, strict=True)) / sum(weights)


@given(st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=8), min_size=1, max_size=5))
def test_rate_equals_the_definition_rank_by_rank(rankings):
    got = rate_of_gain(
        JudgedRun.from_grades(rankings),
        lambda seen: (1.0 - seen.gain) / (1.0 + seen.gain_so_far) * seen.rank / (seen.rank + 1.0),
        cutoff=6,
        min_rel=0,
        max_rel=4,
    )
    expected = [
        by_the_definition(
            ranking, lambda rank, gain, so_far: (1 - gain) / (1 + so_far) * rank / (rank + 1), 6, 4
        )
        for ranking in rankings
    ]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-14)


def test_many_queries_go_through_in_blocks():
    # each query alone gives its own value, wherever the blocks of 512 end
    rankings = [[1] if i % 3 == 0 else [0, 1] for i in range(1030)]
    got = rate_of_gain(
        JudgedRun.from_grades(rankings),
        lambda seen: np.full_like(seen.rank, 0.5),
        cutoff=2,
        min_rel=0,
        max_rel=1,
    )
    assert got == pytest.approx([2 / 3 if i % 3 == 0 else 1 / 3 for i in range(1030)])


def test_nobody_looks_below_rank_1000():
    def everybody(seen):
        return np.ones_like(seen.rank)

    ranking = [0] * DEPTH + [1]
    judged = JudgedRun.from_grades([ranking, ranking[1:]])
    for cutoff in (None, 5000):
        got = rate_of_gain(judged, everybody, cutoff=cutoff, min_rel=0, max_rel=1)
        assert got == pytest.approx([0.0, 1 / 1000])


def test_grades_beyond_the_scale_count_as_its_ends():
    judged = JudgedRun.from_grades([[9], [3], [2], [1], [-1]])
    got = rate_of_gain(judged, lambda seen: seen.rank, cutoff=1, min_rel=1, max_rel=3)
    assert got.tolist() == [1.0, 1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_rel": -1, "max_rel": 1}, "min_rel must be a whole number of at least 0"),
        ({"min_rel": 1, "max_rel": 1}, "max_rel must be a whole number of at least 2"),
        ({"min_rel": 0, "max_rel": 1, "cutoff": 0}, "cutoff must be"),
    ],
)
def test_scales_and_cutoffs_without_meaning(parameters, message):
    with pytest.raises(ArgumentError, match=message):
        rate_of_gain(JudgedRun.from_grades([[1]]), lambda seen: seen.rank, **parameters)


def test_patience_grows_with_the_rank_and_with_hope():
    rank = np.arange(1.0, 100.0)
    assert (np.diff(patience(rank, 1.0)) > 0).all()
    assert (patience(rank, 2.0) > patience(rank, 1.0)).all()
