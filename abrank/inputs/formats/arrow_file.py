"""Parquet and Feather files: the columns that are needed, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from abrank._support.errors import ReadError
from abrank.inputs.archives import most_in_table, too_much
from abrank.inputs.formats.parquet import Oversized, ParquetData
from abrank.inputs.formats.parquet_footer import Damaged
from abrank.inputs.formats.table_size import decoded_bytes, feather_bytes
from abrank.inputs.objects.arrow import stored_as
from abrank.inputs.objects.nested import nested_column, unfolded

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Feather", b"FEA1": "Feather"}
LONGEST_MARK = 6


def kind_of(start: bytes) -> str:
    """Return which kind of table a file is, by its first bytes; empty for none."""
    return next((kind for mark, kind in MARKS.items() if start.startswith(mark)), "")


def columns_of(
    data: bytes,
    label: str,
    choose: Callable[[Sequence[str]], Sequence[str]],
    *,
    most: int | None = None,
) -> list[Any]:
    """Return the columns of a table that ``choose`` takes among their names.

    ``most`` is how many bytes they may hold: 4 GiB without it, and 250 times the file's size.
    """
    kind = kind_of(data)
    try:
        columns = (_parquet if kind == "Parquet" else _feather)(data, choose, most)
        return [stored_as(column) for column in columns]
    except Oversized as what:
        raise ReadError(label, f"the {kind} file {what}", hint=what.hint) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError, Damaged) as error:
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


def _parquet(
    data: bytes, choose: Callable[[Sequence[str]], Sequence[str]], most: int | None
) -> list[Any]:
    file = ParquetData(pa.BufferReader(data), most=most)
    if nested_column(file.schema) is not None:
        return _chosen(unfolded(file.read(file.schema.names)), choose)
    chosen = list(choose(file.schema.names))
    return list(file.read(chosen).columns) if chosen else []


def _feather(
    data: bytes, choose: Callable[[Sequence[str]], Sequence[str]], asked: int | None
) -> list[Any]:
    from pyarrow.feather import read_table

    most = most_in_table(len(data), asked)
    if feather_bytes(data) > most:
        raise Oversized(*too_much(len(data), asked))
    table = read_table(pa.BufferReader(data))
    # Arrow takes a file at its word, and would read beyond its ends.
    table.validate(full=True)
    # Of empty or repeated cells a column holds none, and each becomes one.
    if 4 * table.num_rows * max(1, table.num_columns) > most:
        raise Oversized(*too_much(len(data), asked))
    columns = _chosen(unfolded(table), choose)
    if sum(map(decoded_bytes, columns)) > most:
        raise Oversized(*too_much(len(data), asked))
    return columns


def _chosen(table: Any, choose: Callable[[Sequence[str]], Sequence[str]]) -> list[Any]:  # noqa: ANN401
    return [table[name] for name in choose(table.column_names)]
