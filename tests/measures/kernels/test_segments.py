import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import (
    Hits,
    counted_so_far,
    ordinal,
    relevant,
    running,
    share,
    within,
)

NOTHING = np.zeros(0, dtype=np.int64)


def test_hits_are_relevant_and_within_the_cutoff():
    # grades of at least 2 in the first two ranks: rank 2 of query 0, rank 1 of query 2
    judged = JudgedRun.from_grades([[1, 2, 3], [1], [2, 0]])
    hits = Hits.of(judged, rel=2, cutoff=2)
    assert (hits.query.tolist(), hits.rank.tolist()) == ([0, 2], [2, 1])
    assert hits.count(judged.n_queries).tolist() == [1, 0, 1]


def test_relevant_refuses_a_level_below_one():
    with pytest.raises(ArgumentError, match="rel"):
        relevant(JudgedRun.from_grades([[1]]), rel=0)


def test_within_no_cutoff_counts_all():
    assert within(np.array([1, 10**9]), None).all()


def test_ordinal_starts_anew_with_every_query():
    assert ordinal(np.array([1, 1, 4, 4, 4])).tolist() == [1, 2, 1, 2, 3]


def test_counted_so_far_starts_anew_with_every_query():
    flags = np.array([True, True, False, True, True])
    assert counted_so_far(np.array([0, 0, 2, 2, 3]), flags).tolist() == [1, 2, 0, 1, 1]


def test_running_starts_anew_with_every_query_and_covers_all_its_rows():
    query = np.repeat([0, 1, 3], [7, 1, 9])
    values = np.arange(1.0, 18.0)
    sums = [*np.cumsum(values[:7]), 8.0, *np.cumsum(values[8:])]
    assert running(np.add, query, values).tolist() == sums
    products = [*np.cumprod(values[:7]), 8.0, *np.cumprod(values[8:])]
    assert running(np.multiply, query, values) == pytest.approx(products)
    falling = running(np.maximum, query, -values)
    assert falling.tolist() == [-1.0] * 7 + [-8.0] + [-9.0] * 9


def test_running_leaves_its_input_as_it_is():
    values = np.ones(3)
    running(np.add, np.zeros(3, dtype=np.int64), values)
    assert values.tolist() == [1.0, 1.0, 1.0]


def test_segments_of_no_rows():
    assert ordinal(NOTHING).tolist() == []
    assert counted_so_far(NOTHING, NOTHING.astype(bool)).tolist() == []
    assert running(np.add, NOTHING, NOTHING).tolist() == []


def test_share_of_nothing_is_zero():
    assert share(np.array([1.0, 0.0, 3.0]), np.array([4, 0, 3])).tolist() == [0.25, 0.0, 1.0]
