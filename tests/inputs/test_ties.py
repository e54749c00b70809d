"""The tie rule on arrays, and rank columns that contradict it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import ids
from abrank.inputs.ties import rank_conflicts, rank_rows, tied_rows

ROWS = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from([-np.inf, 0.0, 1.5, np.inf]), st.binary(max_size=2)
    ),
    min_size=1,
    max_size=15,
)


@given(ROWS)
def test_rows_are_sorted_by_query_score_and_bytes(rows: list[tuple[int, float, bytes]]) -> None:
    query, score, doc = (list(column) for column in zip(*rows, strict=True))
    order = rank_rows(np.array(query), np.array(score), ids.pack(doc))
    assert sorted(order.tolist()) == list(range(len(rows)))
    found = [(query[i], -score[i], doc[i]) for i in order]
    by_doc = sorted(rows, key=lambda row: row[2], reverse=True)
    assert found == sorted(((q, -s, d) for q, s, d in by_doc), key=lambda row: row[:2])


@given(ROWS)
def test_tied_rows_are_those_with_company(rows: list[tuple[int, float, bytes]]) -> None:
    pairs = sorted((q, s) for q, s, _ in rows)
    query, score = (np.array(column) for column in zip(*pairs, strict=True))
    expected = [i for i, pair in enumerate(pairs) if pairs.count(pair) > 1]
    assert tied_rows(query, score).tolist() == expected


@pytest.mark.parametrize(
    ("scores", "ranks", "conflicts"),
    [
        ([3, 2, 1], [1, 2, 3], 0),
        ([3, 2, 1], [3, 2, 1], 1),
        ([3, 2, 1], [0, 0, 0], 0),
        ([1, 2, 3], [0, 0, 0], 0),
        ([2, 2, 1], [2, 1, 3], 0),
        ([1, 2, 3], [3, 2, 1], 0),
        ([3, 2, 1], [1, 2, 2], 0),
        ([1, 1, 2], [1, 1, 2], 1),
    ],
)
def test_rank_conflicts(scores: list[float], ranks: list[int], conflicts: int) -> None:
    found = rank_conflicts(np.zeros(3, np.int64), np.array(scores, float), np.array(ranks))
    assert found == conflicts


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12
    )
)
def test_rank_conflicts_by_all_pairs(rows: list[tuple[int, int, int]]) -> None:
    query, score, rank = (np.array(column) for column in zip(*rows, strict=True))
    expected = {q for q, s, r in rows for other, t, k in rows if other == q and k < r and t < s}
    assert rank_conflicts(query, score.astype(float), rank) == len(expected)
