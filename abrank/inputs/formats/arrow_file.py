"""Parquet and Feather files: the columns that are needed, and no others.

A few kilobytes of either can hold one long text in a dictionary and millions of references to it,
or pages and buffers that unpack to gigabytes; what is told of that is looked at before it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from abrank._support.errors import ReadError
from abrank.inputs.archives import most_in_table, too_much
from abrank.inputs.objects.arrow import nested_column, stored_as, unfolded

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Feather", b"FEA1": "Feather"}
LONGEST_MARK = 6

# Of the format's Message: https://github.com/apache/arrow/blob/main/format/Message.fbs
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_PREFIX = 8  # bytes before the stream in a file, and before a packed buffer: its unpacked length


def kind_of(start: bytes) -> str:
    """Return which kind of table a file is, by its first bytes; empty for none."""
    return next((kind for mark, kind in MARKS.items() if start.startswith(mark)), "")


def columns_of(
    data: bytes,
    label: str,
    choose: Callable[[Sequence[str]], Sequence[str]],
    *,
    most: int | None = None,
) -> tuple[list[str], list[Any]]:
    """Return the names that ``choose`` takes among those of a table's columns, and the columns.

    ``most`` is how many bytes they may hold: 4 GiB without it, and 32 times the file's size.
    """
    from abrank.inputs.formats.parquet import Oversized  # where a file has such a mark
    from abrank.inputs.formats.parquet_footer import Damaged

    kind = kind_of(data)
    try:
        chosen, columns = (_parquet if kind == "Parquet" else _feather)(data, choose, most)
        return chosen, [stored_as(column) for column in columns]
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
) -> tuple[list[str], list[Any]]:
    from abrank.inputs.formats.parquet import ParquetData

    file = ParquetData(pa.BufferReader(data), most=most)
    if nested_column(file.schema) is not None:
        table = unfolded(file.read(file.schema.names))
        chosen = list(choose(table.column_names))
        return chosen, [table[name] for name in chosen]
    chosen = list(choose(file.schema.names))
    table = file.read([*dict.fromkeys(chosen)]) if chosen else {}
    return chosen, [table[name] for name in chosen]


def _feather(
    data: bytes, choose: Callable[[Sequence[str]], Sequence[str]], asked: int | None
) -> tuple[list[str], list[Any]]:
    from pyarrow.feather import read_table

    from abrank.inputs.formats.parquet import Oversized, decoded_bytes

    def require_room(n_bytes: int) -> None:
        if n_bytes > most_in_table(len(data), asked):
            raise Oversized(*too_much(len(data), asked))

    require_room(feather_bytes(data))
    table = read_table(pa.BufferReader(data))
    # Arrow takes a file at its word, and would read beyond its ends.
    table.validate(full=True)
    # Of empty or repeated cells a column holds none, and each becomes one.
    require_room(4 * table.num_rows * max(1, table.num_columns))
    table = unfolded(table)
    chosen = list(choose(table.column_names))
    columns = [table[name] for name in chosen]
    require_room(sum(map(decoded_bytes, columns)))
    return chosen, columns


def feather_bytes(data: bytes) -> int:
    """Return the bytes that the packed buffers of a Feather file say they unpack to.

    0 of a file whose messages do not follow each other: reading it says what is wrong.
    """
    total = 0
    try:
        for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(data[_PREFIX:])):
            total += sum(_unpacked_lengths(bytes(message.metadata), message.body))
    except (pa.ArrowException, OSError, struct.error):
        return total
    return total


def _unpacked_lengths(metadata: bytes, body: Any) -> Iterator[int]:  # noqa: ANN401
    """Yield the length that stands before each packed buffer of a message."""
    message = _Table(metadata, struct.unpack_from("<I", metadata)[0])
    kind, batch = metadata[message.place(1)] if message.place(1) else 0, message.table(2)
    if kind == _DICTIONARY_BATCH and batch:
        batch = batch.table(1)
    if kind not in (_DICTIONARY_BATCH, _RECORD_BATCH) or not batch or not batch.place(3):
        return  # a schema, or a batch that is not packed
    for offset, length in batch.pairs(2):
        if length >= _PREFIX:  # -1 says that a buffer is not packed
            yield max(0, struct.unpack_from("<q", body, offset)[0])


class _Table:
    """A table of a FlatBuffer, whose fields are found by their number."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data, self.start = data, start

    def place(self, field: int) -> int:
        """Where a field is; 0 where it is left out."""
        fields = self.start - struct.unpack_from("<i", self.data, self.start)[0]
        at = 4 + 2 * field
        if at >= struct.unpack_from("<H", self.data, fields)[0]:
            return 0
        offset: int = struct.unpack_from("<H", self.data, fields + at)[0]
        return self.start + offset if offset else 0

    def table(self, field: int) -> _Table | None:
        place = self.place(field)
        if not place:
            return None
        return _Table(self.data, place + struct.unpack_from("<I", self.data, place)[0])

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs of 64-bit numbers of a vector."""
        place = self.place(field)
        if place:
            vector = place + struct.unpack_from("<I", self.data, place)[0]
            (count,) = struct.unpack_from("<I", self.data, vector)
            for i in range(count):
                yield struct.unpack_from("<qq", self.data, vector + 4 + 16 * i)
