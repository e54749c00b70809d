"""Of a Parquet file no more is read than is needed, and a damaged one is refused."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abrank import ReadError, read_run
from abrank.inputs import looks_like_qrels
from abrank.inputs.arrow import chunks_of
from abrank.inputs.score_source import holds_scores


def test_chunks_are_those_of_the_columns_named_and_of_what_is_within(tmp_path) -> None:
    table = pa.table({"a": [1], "a.b": [1], "ab": [1], "c": [{"d": 1, "e": 2}]})
    pq.write_table(table, tmp_path / "t.parquet")
    group = pq.read_metadata(tmp_path / "t.parquet").row_group(0)
    for names, paths in ((["c"], ["c.d", "c.e"]), (["ab", "a.b"], ["a.b", "ab"]), (["d"], [])):
        assert [chunk.path_in_schema for chunk in chunks_of(group, names)] == paths


@pytest.mark.parametrize("n_bytes", [4, 60, -1])
def test_a_file_cut_short_is_refused(tmp_path, n_bytes) -> None:
    path = tmp_path / "run.parquet"
    pq.write_table(pa.table({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}), path)
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(ReadError, match=r"run\.parquet: the Parquet file is cut short or damaged"):
        read_run(path)


def test_the_names_of_columns_are_read_without_the_rows(tmp_path) -> None:
    path = tmp_path / "run.parquet"
    n = 500_000
    scores = np.random.default_rng(0).random(n)
    pq.write_table(pa.table({"query_id": np.arange(n).astype(str), "ndcg": scores}), path)
    tracemalloc.start()
    try:
        assert holds_scores(str(path), alone=False)
        assert not looks_like_qrels(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 2
