"""Raw columns: duplicates, names, and the one order of tied documents."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import abrank
from abrank.inputs import ids
from abrank.inputs.columns import (
    Columns,
    Source,
    duplicate_error,
    duplicates,
    has_duplicates,
    rank_conflicts,
    rank_rows,
)
from abrank.inputs.topics import read_segments

ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"a", b"b", b"\xff"])), max_size=12)


@pytest.mark.slow
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
        query=ids.encode(["7", "7", "7"]), doc=ids.encode(["d", "d", "d"]), value=np.ones(3),
        position=np.array([42, 97, 98]), source=Source("a.run", None, 3, "a.run", "line"),
    )  # fmt: skip
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


ROWS_TIES = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from([-np.inf, 0.0, 1.5, np.inf]), st.binary(max_size=2)
    ),
    min_size=1,
    max_size=15,
)


@pytest.mark.slow
@given(ROWS_TIES)
def test_rows_are_sorted_by_query_score_and_bytes(rows: list[tuple[int, float, bytes]]) -> None:
    query, score, doc = (list(column) for column in zip(*rows, strict=True))
    order = rank_rows(np.array(query), np.array(score), ids.pack(doc))
    assert sorted(order.tolist()) == list(range(len(rows)))
    result = [(query[i], -score[i], doc[i]) for i in order]
    by_doc = sorted(rows, key=lambda row: row[2], reverse=True)
    assert result == sorted(((q, -s, d) for q, s, d in by_doc), key=lambda row: row[:2])


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12
    )
)
def test_rank_conflicts_by_all_pairs(rows: list[tuple[int, int, int]]) -> None:
    query, score, rank = (np.array(column) for column in zip(*rows, strict=True))
    expected = {q for q, s, r in rows for second, t, k in rows if second == q and k < r and t < s}
    assert rank_conflicts(query, score.astype(float), rank) == len(expected)


@pytest.mark.every_case
@pytest.mark.parametrize("door", ["qrels", "run", "segments", "scores"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "frame", "arrow", "feather"])
def test_a_column_named_twice_is_refused_at_every_door(door, kind, tmp_path) -> None:
    names = {
        "qrels": ["query_id", "doc_id", "relevance", "relevance"],
        "run": ["query_id", "doc_id", "score", "score"],
        "segments": ["query_id", "intent", "intent"],
        "scores": ["query_id", "RR", "AP", "AP"],
    }[door]
    cells = ["q1", "1", "1", "2"][-len(names) :]
    table = pa.table([[cell] for cell in cells], names=names)
    path = tmp_path / f"table.{kind}"
    separator = "\t" if kind == "tsv" else ","
    path.write_text(f"{separator.join(names)}\n{separator.join(cells)}\n")
    if kind == "feather":
        feather.write_feather(table, path)
    source = {"frame": pd.DataFrame([cells], columns=names), "arrow": table}.get(kind, path)
    readers = {
        "qrels": abrank.read_qrels, "run": abrank.read_run, "segments": read_segments,
        "scores": abrank.read_scores,
    }  # fmt: skip
    if kind == "tsv" and door == "scores":
        pytest.skip("a TSV of scores has forms of its own")
    with pytest.raises(abrank.ReadError, match=f'"?{names[-1]}"? .*twice'):
        readers[door](source)
