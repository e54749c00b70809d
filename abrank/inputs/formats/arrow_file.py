"""Parquet and Feather files: the columns that are needed, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from abrank._support.errors import ReadError
from abrank.inputs.archives import MOST_GROWTH, most_unpacked
from abrank.inputs.formats.table_size import (
    chunks_of,
    decoded_bytes,
    feather_bytes,
    has_long_text,
)
from abrank.inputs.objects.nested import nested_column, unfolded
from abrank.inputs.trec.plain import MOST_ID

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Feather", b"FEA1": "Feather"}
_BATCH = 4096  # rows, after each of which it is seen how much there is
LONGEST_MARK = 6


class Oversized(Exception):
    """A small file holds more than any run or judgments would; says what."""


MUCH = f"unpacks to more than {MOST_GROWTH} times its size"
LONG = f"holds a text longer than {MOST_ID >> 10} kB"


def kind_of(start: bytes) -> str:
    """Return which kind of table a file is, by its first bytes; empty for none.

    Examples
    --------
    >>> kind_of(b"PAR1..."), kind_of(b"301 Q0 d1")
    ('Parquet', '')
    """
    return next((kind for mark, kind in MARKS.items() if start.startswith(mark)), "")


def columns_of(
    data: bytes, label: str, choose: Callable[[Sequence[str]], Sequence[str]]
) -> list[Any]:
    """Return the columns of a table that ``choose`` takes among their names.

    Raises
    ------
    ReadError
        If the file is damaged.

    Examples
    --------
    >>> import io
    >>> import pyarrow.parquet
    >>> file, table = io.BytesIO(), pa.table({"query_id": pa.array(["301"])})
    >>> pyarrow.parquet.write_table(table, file)
    >>> columns_of(file.getvalue(), "a.parquet", tuple)[0].to_pylist()
    ['301']
    """
    kind = kind_of(data)
    try:
        read = _parquet if kind == "Parquet" else _feather
        return read(data, choose)
    except Oversized as what:
        hint = "no run, judgments or scores do"
        raise ReadError(label, f"the {kind} file {what}", hint=hint) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"the {kind} file is cut short or damaged ({error})"
        raise ReadError(label, problem, hint="copy or write the file again") from error


def names_of(data: bytes, label: str) -> list[str]:
    """Return the names of a table's columns."""
    found: list[str] = []

    def none(names: Sequence[str]) -> Sequence[str]:
        found.extend(names)
        return []

    columns_of(data, label, none)
    return found


def _parquet(data: bytes, choose: Callable[[Sequence[str]], Sequence[str]]) -> list[Any]:
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(pa.BufferReader(data))
    nested = nested_column(file.schema_arrow) is not None
    names = file.schema_arrow.names
    chosen = names if nested else list(choose(names))
    most = most_unpacked(len(data))
    chunks = chunks_of(file, chosen)
    leaves = [leaf for group in chunks for leaf in group]
    if sum(leaf.total_uncompressed_size for leaf in leaves) > most:
        raise Oversized(MUCH)
    if has_long_text(data, chunks):
        raise Oversized(LONG)
    # A row of a nested table is a query with all its documents.
    n_values = max((leaf.num_values for leaf in leaves), default=0) * len(chunks)
    rows = _BATCH * file.metadata.num_rows // max(n_values, file.metadata.num_rows, 1)
    batches, n_bytes = [], 0
    for batch in file.iter_batches(max(1, rows), columns=chosen):
        batches.append(batch)
        n_bytes += batch.nbytes
        if n_bytes > most:
            raise Oversized(MUCH)
    # Only where it is needed: to make an empty table, Arrow imports pandas.
    table = pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
    table = table.select(chosen)
    return _chosen(unfolded(_checked(table)), choose) if nested else _checked(table).columns


def _feather(data: bytes, choose: Callable[[Sequence[str]], Sequence[str]]) -> list[Any]:
    from pyarrow.feather import read_table

    most = most_unpacked(len(data))
    if feather_bytes(data) > most:
        raise Oversized(MUCH)
    columns = _chosen(unfolded(_checked(read_table(pa.BufferReader(data)))), choose)
    if sum(map(decoded_bytes, columns)) > most:
        raise Oversized(MUCH)
    return columns


def _checked(table: Any) -> Any:  # noqa: ANN401
    """Return a table whose lengths are true: Arrow takes a file at its word, and reads beyond."""
    table.validate(full=True)
    return table


def _chosen(table: Any, choose: Callable[[Sequence[str]], Sequence[str]]) -> list[Any]:  # noqa: ANN401
    return [table[name] for name in choose(table.column_names)]
