from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.ranked import Pairs, Ranked

DOCUMENTS = st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(-1, 3)), max_size=8)
QUERIES = st.lists(st.tuples(DOCUMENTS, st.lists(st.integers(-1, 3), max_size=3)), max_size=4)


def judged_run(queries):
    """From (score, grade) of the documents retrieved, and the grades of those missed."""
    rows = [sorted(documents, key=lambda each: -each[0]) for documents, _ in queries]
    return JudgedRun.from_grades(
        [[grade for _, grade in row] for row in rows],
        ideal=[
            [grade for _, grade in row if grade is not None] + missed
            for row, (_, missed) in zip(rows, queries, strict=True)
        ],
        scores=[[float(score) for score, _ in row] for row in rows],
    )


def known(documents, missed):
    """Score and grade of all judged documents, those that were not retrieved below all others."""
    found = [(score, grade) for score, grade in documents if grade is not None]
    return [each for each in found + [(-1, grade) for grade in missed] if each[1] >= 0]


def test_equal_scores_are_one_place():
    ranked = Ranked.of(judged_run([([(3, 1), (2, 0), (2, 2), (1, None), (0, -1)], [])]))
    assert ranked.place.tolist() == [1, 2, 2]
    assert ranked.grade.tolist() == [1, 0, 2]


@given(QUERIES)
def test_pairs_are_counted_as_one_by_one(queries):
    found = Pairs.of(judged_run(queries))
    for query, (documents, missed) in enumerate(queries):
        signs = [
            np.sign(a[0] - b[0]) * np.sign(a[1] - b[1])
            for a, b in combinations(known(documents, missed), 2)
            if a[1] != b[1]
        ]
        assert found.concordant[query] == signs.count(1)
        assert found.discordant[query] == signs.count(-1)
        assert found.tied[query] == signs.count(0)
        assert found.of_one_grade[query] == sum(
            a[1] == b[1] and a[0] != b[0] for a, b in combinations(known(documents, missed), 2)
        )
