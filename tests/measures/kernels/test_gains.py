import numpy as np

from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.gains import Gained, highest_grade, ideal_total

# the second query has nothing to gain
JUDGED = JudgedRun.from_grades([[1, None, 2], [0], [3]], ideal=[[2, 1, 1], [0, -1], [3, 1]])


def test_retrieved_within_the_cutoff_and_with_a_gain():
    found = Gained.retrieved(JUDGED, cutoff=2)
    assert (found.query.tolist(), found.rank.tolist(), found.gain.tolist()) == (
        [0, 2],
        [1, 1],
        [1.0, 3.0],
    )


def test_ideal_within_the_cutoff():
    best = Gained.ideal(JUDGED, cutoff=2)
    assert best.query.tolist() == [0, 0, 2, 2]
    assert best.rank.tolist() == [1, 2, 1, 2]
    assert best.gain.tolist() == [2.0, 1.0, 3.0, 1.0]


def test_ideal_is_sorted_by_gain_within_each_query():
    best = Gained.ideal(JUDGED, gains=((1, 5.0), (3, 0.25)))
    assert best.gain.tolist() == [5.0, 5.0, 2.0, 5.0, 0.25]


def test_exponential_gain_is_a_share_of_the_querys_scale():
    # gains of 1 and 7 on scales of 2**2 and 2**3
    found = Gained.retrieved(JUDGED, cutoff=1, dcg="exp-log2")
    assert found.gain.tolist() == [1 / 4, 7 / 8]


def test_discounted():
    assert Gained.retrieved(JUDGED).discounted.tolist() == [1.0, 1.0, 3.0]


def test_ideal_total_beyond_the_end_and_of_a_query_without_gain():
    best = Gained.ideal(JUDGED)
    totals = ideal_total(best, best.gain, query=np.array([0, 0, 1, 2]), rank=np.array([1, 9, 3, 2]))
    assert totals.tolist() == [2.0, 4.0, 0.0, 4.0]


def test_highest_grade_is_at_least_0():
    grades = highest_grade(JudgedRun.from_grades([[-2], [], [4, 1]]))
    assert grades.tolist() == [0, 0, 4]
