"""Raw columns: duplicates, names, and ranks that contradict scores."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import abrank
from abrank.inputs import ids
from abrank.inputs.columns import has_duplicates, rank_conflicts
from abrank.inputs.topics import read_segments
from abrank.inputs.votes import read_votes


def test_duplicates_are_found_however_much_their_keys_are_alike() -> None:
    random = np.random.default_rng(4)
    for _ in range(200):
        numbers = random.integers(0, 60, int(random.integers(1, 12)))
        mark = (numbers // 2).astype(np.uint64)  # the same of two different ids
        docs = ids.encode([f"d{number}" for number in numbers])
        query = np.zeros(len(numbers), dtype=np.int64)
        assert has_duplicates(query, docs, mark) == (len(set(numbers.tolist())) < len(numbers))


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
@pytest.mark.parametrize("door", ["qrels", "run", "segments", "scores", "votes", "other case"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "frame", "arrow", "feather"])
def test_a_column_named_twice_is_refused_at_every_door(door, kind, tmp_path) -> None:
    names = {
        "qrels": ["query_id", "doc_id", "relevance", "relevance"],
        "run": ["query_id", "doc_id", "score", "score"],
        "segments": ["query_id", "intent", "intent"],
        "scores": ["query_id", "RR", "AP", "AP"],
        "votes": ["query_id", "winner", "winner"],
        "other case": ["query_id", "Winner", "winner"],
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
        "scores": abrank.read_scores, "votes": read_votes, "other case": read_votes,
    }  # fmt: skip
    if kind == "tsv" and door == "scores":
        pytest.skip("a TSV of scores has forms of its own")
    with pytest.raises(abrank.ReadError, match=f'"?{names[-1]}"? .*twice'):
        readers[door](source)
