"""What cannot be read of a run in Parquet is an error that names the file and the row group."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank import Engine, ReadError
from tests.safety.damaged_parquet import QRELS, run_of


@pytest.fixture
def folder(tmp_path):
    """A run in five files that follow each other by query; one query is in two of them."""
    run = run_of(1)
    for number, rows in enumerate(np.array_split(np.arange(len(run)), 5)):
        table = pa.Table.from_pandas(run.iloc[rows], preserve_index=False)
        path = tmp_path / f"{number}.parquet"
        pq.write_table(table, path, row_group_size=30, write_page_checksum=True)
    return tmp_path


def without_footer(content: bytes, _: pq.FileMetaData) -> bytes:
    return content[:-40]


def with_a_bad_page(content: bytes, metadata: pq.FileMetaData) -> bytes:
    score = metadata.row_group(0).column(2)
    end = (score.dictionary_page_offset or score.data_page_offset) + score.total_compressed_size
    return content[: end - 2] + bytes([content[end - 2] ^ 4]) + content[end - 1 :]


def with_other_queries(content: bytes, _: pq.FileMetaData) -> bytes:
    length = int.from_bytes(content[-8:-4], "little")
    footer = content[-8 - length : -8]
    queries = re.findall(rb"q[0-9]{2}", footer)
    return content[: -8 - length] + footer.replace(max(queries), min(queries)) + content[-8:]


DAMAGE = {
    without_footer: "cannot be read as a Parquet file: it has no footer",
    with_a_bad_page: "row group 0: cannot be read: column score: a page is not",
    with_other_queries: "its footer says that its queries go",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_named(folder, damage):
    path = folder / "2.parquet"
    path.write_bytes(damage(path.read_bytes(), pq.read_metadata(path)))
    with pytest.raises(ReadError, match=rf"2\.parquet.*{DAMAGE[damage]}"):
        abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=Engine(rows=40))


def test_of_rows_in_any_order_too(folder):
    shuffled = run_of(2).sample(frac=1, random_state=1)
    table = pa.Table.from_pandas(pd.DataFrame(shuffled), preserve_index=False)
    for number in range(5):
        pq.write_table(table.slice(number * 64, 64), folder / f"{number}.parquet")
    (folder / "3.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ReadError, match=r"3\.parquet: cannot be read as .*: it has no footer"):
        abrank.evaluate(QRELS, {"A": folder}, ["RR"], engine=Engine(rows=40))
