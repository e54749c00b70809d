"""How much memory a Parquet or Feather file asks for, as far as that is told before it is read.

A few kilobytes of either can hold one long text in a dictionary and millions of references to it,
or pages and buffers that unpack to gigabytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from abrank.inputs.formats.parquet_footer import BYTE_ARRAY, Chunk
from abrank.inputs.trec.plain import MOST_ID

# Of the format's Message: https://github.com/apache/arrow/blob/main/format/Message.fbs
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_PREFIX = 8  # bytes before the stream in a file, and before a packed buffer: its unpacked length


def has_long_text(source: Any, groups: Mapping[int, Sequence[Chunk]]) -> bool:  # noqa: ANN401
    """Whether a dictionary of some chunks of a Parquet file holds a text longer than any id.

    The dictionary of a column comes whole with its first row; short ones are not looked at, nor
    those of columns that tell how long their texts are together.
    """
    from pyarrow.parquet import ParquetFile

    for group, chunks in groups.items():
        names = [
            chunk.path
            for chunk in chunks
            if chunk.kind == BYTE_ARRAY
            and chunk.has_dictionary
            and not chunk.knows_text
            and chunk.n_unpacked > MOST_ID
        ]
        if names:
            encoded = ParquetFile(source, read_dictionary=names)
            batch = next(encoded.iter_batches(1, row_groups=[group], columns=names), None)
            found = [] if batch is None else _dictionaries(batch.columns)
            if any(_longest(texts) > MOST_ID for texts in found):
                return True
    return False


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


def decoded_bytes(column: Any) -> int:  # noqa: ANN401 - a pyarrow.ChunkedArray
    """Return the bytes of a column's texts once a dictionary's references are replaced by them."""
    return sum(map(_decoded, column.chunks))


def _decoded(array: Any) -> int:  # noqa: ANN401 - a pyarrow.Array
    if not pa.types.is_dictionary(array.type) or not len(array):
        return int(array.nbytes)
    if not _is_text(array.dictionary.type):
        return 8 * len(array)
    from pyarrow import compute  # few tables have a dictionary

    return compute.sum(compute.binary_length(array.dictionary).take(array.indices)).as_py() or 0


def _unpacked_lengths(metadata: bytes, body: Any) -> Iterator[int]:  # noqa: ANN401
    """Yield the length that stands before each packed buffer of a message."""
    message = _Table(metadata, struct.unpack_from("<I", metadata)[0])
    kind, batch = message.number(1, "<B"), message.table(2)
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

    def number(self, field: int, layout: str) -> int:
        place = self.place(field)
        return int(struct.unpack_from(layout, self.data, place)[0]) if place else 0

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


def _dictionaries(arrays: list[Any]) -> Iterator[Any]:
    """Yield the dictionaries of arrays, in lists and structs too."""
    for array in arrays:
        if pa.types.is_dictionary(array.type):
            yield array.dictionary
        elif pa.types.is_struct(array.type):
            yield from _dictionaries(array.flatten())
        elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
            yield from _dictionaries([array.values])


def _longest(texts: Any) -> int:  # noqa: ANN401 - a pyarrow.Array
    from pyarrow import compute

    return (compute.max(compute.binary_length(texts)).as_py() or 0) if _is_text(texts.type) else 0


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - a pyarrow.DataType
    return str(kind) in ("string", "large_string", "binary", "large_binary")
