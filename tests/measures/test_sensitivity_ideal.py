import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import dcg_of, ndcg
from abrank.measures.sensitivity import ideal_dcg, ideal_run, normalized_err

RANKINGS = st.lists(st.lists(st.none() | st.integers(-2, 4), max_size=8), min_size=1, max_size=5)


def test_ideal_run_ranks_all_judgments_and_nothing_else():
    ideal = ideal_run(JudgedRun.from_grades([[None, 1], []], ideal=[[1, 3, -1], [2]]))
    assert ideal.query.tolist() == [0, 0, 0, 1]
    assert ideal.rank.tolist() == [1, 2, 3, 1]
    assert ideal.grade.tolist() == [3, 1, -1, 2]
    assert ideal.n_retrieved.tolist() == [3, 1]


@given(RANKINGS, st.none() | st.integers(1, 8), st.sampled_from(["log2", "exp-log2"]))
def test_ndcg_is_dcg_over_ideal_dcg(rankings, cutoff, dcg):
    judged = JudgedRun.from_grades(rankings)
    product = ndcg(judged, cutoff=cutoff, dcg=dcg) * ideal_dcg(judged, cutoff=cutoff, dcg=dcg)
    np.testing.assert_allclose(dcg_of(judged, cutoff=cutoff, dcg=dcg), product, atol=1e-12)


def test_normalized_err_by_hand():
    # scale to 1, s(1) = 1/2: found at rank 2; the ideal ranking has 1/2 + 1/2 * 1/2 / 2
    judged = JudgedRun.from_grades([[0, 1]], ideal=[[1, 1, 0]])
    assert normalized_err(judged) == pytest.approx([0.25 / 0.625])
    assert normalized_err(judged, cutoff=1).tolist() == [0.0]


@given(RANKINGS)
def test_normalized_err_of_the_ideal_run_is_one(rankings):
    judged = JudgedRun.from_grades(rankings)
    expected = np.where(judged.n_relevant() > 0, 1.0, 0.0)
    assert normalized_err(ideal_run(judged)).tolist() == expected.tolist()
