"""What cannot be read is skipped with the queries that it may hold, where that is asked for."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank._support.errors import ReadError
from abrank.engines import Engine
from tests.safety.damaged_parquet import QRELS, reciprocal_ranks, run_of

SKIP = Engine(rows=160, on_bad_partition="skip")


@pytest.fixture
def folder(tmp_path):
    """A run in five files that follow each other by query; one query is in two of them."""
    run = run_of(1)
    for number, rows in enumerate(np.array_split(np.arange(len(run)), 5)):
        table = pa.Table.from_pandas(run.iloc[rows], preserve_index=False)
        path = tmp_path / f"{number}.parquet"
        pq.write_table(table, path, row_group_size=30, write_page_checksum=True)
    return tmp_path


def require_skipped(folder, first: str, last: str) -> abrank.Scores:
    """The queries from the first to the last are left out, and all others have their scores."""
    scores = abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=SKIP)
    expected = {
        query: value
        for query, value in reciprocal_ranks(run_of(1)).items()
        if not first <= query <= last
    }
    assert 0 < len(expected) < len(QRELS)
    assert dict(zip(scores.query_ids, scores.of("A")[:, 0], strict=True)) == expected
    assert "could not be read and" in scores.notes[-1]
    return scores


def ends(folder, number: int) -> tuple[str, str]:
    queries = pd.read_parquet(folder / f"{number}.parquet")["query_id"]
    return queries.min(), queries.max()


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 2, 4])
def test_a_file_without_a_footer_is_skipped(folder, number):
    first = ends(folder, number - 1)[1] if number else "q00"
    last = ends(folder, number + 1)[0] if number < 4 else "q99"
    path = folder / f"{number}.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    result = require_skipped(folder, first, last)
    assert f"{number}.parquet: the Parquet file is cut short or damaged" in result.notes[-1]
    with pytest.raises(
        ReadError, match=f"{number}.parquet: the Parquet file is cut short or damaged"
    ):
        abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=Engine(rows=40))


def test_a_bad_page_is_skipped(folder):
    path = folder / "2.parquet"
    table = pq.read_table(path)
    pq.write_table(table, path, write_page_checksum=True)
    score = pq.read_metadata(path).row_group(0).column(2)
    content = bytearray(path.read_bytes())
    start = score.dictionary_page_offset or score.data_page_offset
    content[start + score.total_compressed_size - 2] ^= 4
    path.write_bytes(content)
    scores = abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=SKIP)
    expected = reciprocal_ranks(run_of(1))
    lost = set(QRELS) - set(scores.query_ids)
    assert set(table["query_id"].to_pylist()) <= lost
    assert len(lost) < 30
    selected = dict(zip(scores.query_ids, scores.of("A")[:, 0], strict=True))
    assert selected == {query: expected[query] for query in selected}
    assert "2.parquet, row group 0: the Parquet file is cut short or damaged" in scores.notes[-1]
    assert "CRC checksum" in scores.notes[-1]


def test_a_footer_that_tells_other_queries_than_there_are(folder):
    path = folder / "2.parquet"
    content = path.read_bytes()
    first, last = (query.encode() for query in ends(folder, 2))
    length = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - length : -8]
    assert last in footer
    path.write_bytes(content[: -8 - length] + footer.replace(last, first) + content[-8:])
    with pytest.raises(ReadError, match=r"2\.parquet, .* its footer says that its queries go"):
        abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=Engine(rows=40))


def test_what_is_not_sorted_cannot_be_skipped(folder):
    shuffled = run_of(2).sample(frac=1, random_state=1)
    table = pa.Table.from_pandas(shuffled, preserve_index=False)
    for number in range(5):
        pq.write_table(table.slice(number * 64, 64), folder / f"{number}.parquet")
    (folder / "3.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ReadError, match=r"3\.parquet.*(\n.*)*no part can be skipped"):
        abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=SKIP)
