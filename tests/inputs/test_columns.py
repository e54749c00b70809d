"""Duplicates among raw columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import ids
from abrank.inputs.columns import Columns, Source, duplicate_error, duplicates, has_duplicates

ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"a", b"b", b"\xff"])), max_size=12)


@given(ROWS)
def test_each_repeat_points_at_the_one_before(rows: list[tuple[int, bytes]]) -> None:
    query = np.array([q for q, _ in rows], dtype=np.int64)
    first, again = duplicates(query, ids.pack([d for _, d in rows]))
    expected = [
        (max(j for j in range(i) if rows[j] == row), i)
        for i, row in enumerate(rows)
        if row in rows[:i]
    ]
    assert list(zip(first.tolist(), again.tolist(), strict=True)) == expected


def test_the_message_has_both_places_and_the_total() -> None:
    columns = Columns(
        query=ids.encode(["7", "7", "7"]),
        doc=ids.encode(["d", "d", "d"]),
        value=np.ones(3),
        position=np.array([42, 97, 98]),
        source=Source("a.run", None, 3, "a.run", "line"),
    )
    error = duplicate_error(
        columns, *duplicates(np.zeros(3, np.int64), columns.doc), hint="Mend it."
    )
    assert str(error).splitlines() == [
        "a.run, lines 42 and 97: document d twice in query 7 (2 duplicates in all)",
        "  Mend it.",
    ]


def test_duplicates_are_found_however_much_their_keys_are_alike() -> None:
    random = np.random.default_rng(4)
    for _ in range(200):
        numbers = random.integers(0, 60, int(random.integers(1, 12)))
        mark = (numbers // 2).astype(np.uint64)  # the same of two different ids
        docs = ids.encode([f"d{number}" for number in numbers])
        query = np.zeros(len(numbers), dtype=np.int64)
        assert has_duplicates(query, docs, mark) == (len(set(numbers.tolist())) < len(numbers))
