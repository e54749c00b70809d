"""A table that would unpack to far more than it is, is refused before it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from abrank import ReadError, read_run
from abrank.inputs.formats.arrow_file import feather_bytes
from tests.inputs.conftest import ended_with

ROWS = 20_000
COLUMNS = ["query_id", "doc_id", "score"]
MUCH = "the (Parquet|Feather) file holds more than 32 times its size"
LONG = "the Parquet file holds a text longer than 64 kB"


def run(query: pa.Array) -> pa.Table:
    documents = pa.array([f"d{i}" for i in range(len(query))])
    return pa.table({"query_id": query, "doc_id": documents, "score": np.ones(len(query))})


def references(text: str) -> pa.Array:
    """One text and another, and references to both: the long one last."""
    return pa.DictionaryArray.from_arrays(np.arange(ROWS) // (ROWS // 2), ["q", text])


def parquet(table: pa.Table, path: Path, **options: Any) -> None:
    how = {"compression": "zstd", "store_schema": False, "use_dictionary": True, **options}
    pa.parquet.write_table(table, path, **how)


def parquet_untold(table: pa.Table, path: Path) -> None:
    """Write a footer without the sizes of texts, as polars and older programs do."""
    pl.from_arrow(table).write_parquet(path)


def parquet_pages(table: pa.Table, path: Path) -> None:
    parquet(table, path, use_dictionary=False)


def parquet_prefixes(table: pa.Table, path: Path) -> None:
    how = {"column_encoding": {"query_id": "DELTA_BYTE_ARRAY"}, "use_dictionary": False}
    parquet(table, path, **how)


def feather(table: pa.Table, path: Path) -> None:
    pa.feather.write_feather(table, path, compression="zstd", chunksize=10_000_000)


def nested(text: str) -> pa.Table:
    items = [{"item_id": text, "score": 1.0}] * 500
    return pa.table({"user_id": ["1", "2"], "items": [items, items]})


BOMBS = {
    "told references to a text": (parquet, lambda: run(references("q" * 70_000)), MUCH),
    "references to a text of 70 kB": (parquet_untold, lambda: run(references("q" * 70_000)), LONG),
    "references to a text of 1 MB": (parquet_untold, lambda: run(references("q" * 10**6)), LONG),
    "references to a text of 60 kB": (parquet_untold, lambda: run(references("q" * 60_000)), MUCH),
    "prefixes": (parquet_prefixes, lambda: run(pa.array(["q" * 60_000] * 10_000)), MUCH),
    "a text in lists": (parquet, lambda: nested("q" * 10**5), MUCH),
    "pages": (parquet_pages, lambda: run(pa.array(["q" * 50_000] * 4_000)), MUCH),
    "buffers": (feather, lambda: run(pa.array(["q" * 50_000] * 8_000)), MUCH),
    "rows without cells": (
        feather,
        lambda: pa.table(dict.fromkeys(COLUMNS, pa.nulls(10**8))),
        MUCH,
    ),
    "references in buffers": (feather, lambda: run(references("q" * 10**6)), MUCH),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_table_that_fills_memory_is_refused_before_it_does(tmp_path: Path, kind: str) -> None:
    write, table, problem = BOMBS[kind]
    write(table(), tmp_path / "bomb")
    assert (tmp_path / "bomb").stat().st_size < 200_000
    with pytest.raises(ReadError, match=problem):
        read_run(tmp_path / "bomb")
    code = (
        "import contextlib, abrank\n"
        "with contextlib.suppress(abrank.ReadError): abrank.read_run('bomb')"
    )
    ended, kilobytes = ended_with(["-c", code], folder=tmp_path)
    assert ended == 0
    assert kilobytes < 300_000


@pytest.mark.parametrize("write", [parquet, feather])
def test_ids_of_a_dictionary_are_read_as_any_others(tmp_path: Path, write: Any) -> None:
    texts = pa.array([f"q{i % 3}" * 2_000 for i in range(300)])
    write(run(texts), tmp_path / "plain")
    write(run(texts.dictionary_encode()), tmp_path / "encoded")
    plain, encoded = (read_run(tmp_path / name).frame() for name in ("plain", "encoded"))
    assert len(plain) == 300
    assert plain.equals(encoded)


@pytest.mark.parametrize("packing", ["zstd", "lz4"])
def test_packed_buffers_tell_their_size(tmp_path: Path, packing: str) -> None:
    table = pa.table({"n": np.zeros(1_000), "d": pa.array(["a"] * 1_000).dictionary_encode()})
    pa.feather.write_feather(table, tmp_path / "file", compression=packing)
    # 8 bytes a number and 4 an index; of the dictionary two offsets and a letter.
    assert 12_000 <= feather_bytes((tmp_path / "file").read_bytes()) <= 12_009
    pa.feather.write_feather(table, tmp_path / "file", compression="uncompressed")
    assert feather_bytes((tmp_path / "file").read_bytes()) == 0
    assert feather_bytes(b"ARROW1\x00\x00 and no message") == 0
