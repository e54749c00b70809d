"""Row groups of Parquet files, checked by their footer, sizes and checksums before Arrow reads."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from abrank.inputs import kernels
from abrank.inputs.archives import most_in_table, too_much
from abrank.inputs.formats.parquet_footer import (
    BYTE_ARRAY,
    LENGTHS_FIRST,
    WITH_PREFIXES,
    Chunk,
    Damaged,
    Group,
    ReadAt,
    read_groups,
    require_pages,
)
from abrank.inputs.trec.lines import MOST_ID

_BATCH = 8192  # values, after each of which it is seen how much there is
_UNRESERVED = 0x4000 if sys.platform == "linux" else 0  # MAP_NORESERVE, which Python 3.13 names
_KEPT = 256 << 20  # bytes that are kept before it is known how many there are


class ParquetData:
    """A Parquet file that can be read at any place.

    groups : tuple of Group
    """

    def __init__(self, file: Any, *, most: int | None = None) -> None:  # noqa: ANN401
        from pyarrow.parquet import ParquetFile

        self._size = file.size()
        self._most, self._asked = most_in_table(self._size, most), most
        self._at: ReadAt
        if isinstance(file, pa.BufferReader):
            whole = memoryview(file.read_buffer())
            self._source, self._at = file, lambda start, size: whole[start : start + size]
        else:
            held = _Held(file, self._size)
            self._source = pa.BufferReader(pa.py_buffer(held.memory))
            self._at = held.range
        self.groups: tuple[Group, ...] = read_groups(self._at, self._size)
        self.schema = ParquetFile(self._source).schema_arrow

    def read(
        self, names: Sequence[str], *, group: int | None = None, coded: Sequence[str] = ()
    ) -> Any:  # noqa: ANN401 - a pyarrow.Table
        """Read columns of one row group, or of all."""
        from pyarrow.parquet import ParquetFile

        numbers = range(len(self.groups)) if group is None else [group]
        by_group = {number: self.groups[number].of(names) for number in numbers}
        chunks = [chunk for each in by_group.values() for chunk in each]
        self._require_room(sum(chunk.n_decoded for chunk in chunks))
        n_unpacked = 0
        for chunk in chunks:
            n_unpacked += require_pages(self._at(chunk.start, chunk.n_packed), chunk)
            self._require_room(n_unpacked)
        if _has_long_text(self._source, by_group):
            raise Oversized(f"holds a text longer than {MOST_ID >> 10} kB")
        # Arrow keeps no dictionary of what is stored as lengths or prefixes.
        plain = {chunk.path for chunk in chunks if not chunk.encodings.isdisjoint(LENGTHS_FIRST)}
        coded = [name for name in coded if name not in plain]
        file = ParquetFile(self._source, read_dictionary=coded)
        batches = self._batches(file, [*by_group], names, chunks, coded)
        # Only where it is needed: to make an empty table, Arrow imports pandas.
        schema = file.schema_arrow
        table = pa.Table.from_batches(batches) if batches else schema.empty_table()
        table = table.select(list(names))
        # Arrow takes a file at its word: a reference may lead beyond the end of its dictionary.
        table.validate(full=True)
        if table.num_rows != sum(self.groups[number].n_rows for number in by_group):
            raise Damaged("it holds another number of rows than its footer says")
        return table

    def _batches(
        self,
        file: Any,  # noqa: ANN401 - a ParquetFile
        groups: list[int],
        names: Sequence[str],
        chunks: Sequence[Chunk],
        coded: Sequence[str],
    ) -> list[Any]:
        """Read what can be kept, after a pass that only counts where the footer does not tell."""
        texts = [chunk for chunk in chunks if chunk.kind == BYTE_ARRAY]
        told = sum(chunk.n_decoded for chunk in chunks)
        known = all(chunk.knows_text for chunk in texts)
        size = _BATCH if known else _BATCH // 8
        if any(WITH_PREFIXES in each.encodings and each.n_unpacked > MOST_ID for each in texts):
            size = _BATCH // 128  # texts longer than any id, perhaps, of which little is stored
        n_rows = sum(self.groups[number].n_rows for number in groups)
        # A row of a nested table is a query with all its documents.
        n_values = max((chunk.n_values for chunk in chunks), default=0) * len(groups)
        size = size * n_rows // max(n_values, n_rows, 1)
        for counting in (not known, False):
            kept: list[Any] = []
            n_bytes = 0
            for batch in file.iter_batches(
                max(1, size), row_groups=groups, columns=list(names), use_threads=len(groups) > 1
            ):
                for name in names:
                    column = batch[name]
                    if name in coded and pa.types.is_dictionary(column.type):
                        n_bytes += column.indices.nbytes  # its dictionary comes with every batch
                    else:
                        n_bytes += decoded_bytes(pa.chunked_array([column]))
                self._require_room(n_bytes)
                if known and n_bytes > max(_KEPT, 4 * told):
                    raise Damaged("it holds more than its footer says")
                if counting and n_bytes > _KEPT:
                    kept.clear()
                else:
                    kept.append(batch)
            if not counting or n_bytes <= _KEPT:
                break
        return kept

    def _require_room(self, n_bytes: int) -> None:
        if n_bytes > self._most:
            raise Oversized(*too_much(self._size, self._asked))


class Oversized(Exception):
    """A file holds more than may be read; says what, and what to do."""

    def __init__(self, problem: str, hint: str = "no run, judgments or scores do") -> None:
        self.hint = hint
        super().__init__(problem)


class _Held:
    """A file of which the ranges that were asked for are in memory, each at its place.

    Arrow reads them there, and not the file: what was checked is what is read.
    """

    def __init__(self, file: Any, size: int) -> None:  # noqa: ANN401
        self._file = file
        # Only pages that are written to take memory.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _UNRESERVED
        self.memory = mmap.mmap(-1, max(1, size), flags=flags)
        self._view = memoryview(self.memory)[:size]
        self._ranges: list[tuple[int, int]] = []

    def range(self, start: int, size: int) -> memoryview:
        """Return ``size`` bytes from a place on."""
        if not any(begin <= start and start + size <= end for begin, end in self._ranges):
            try:
                found = self._file.read_at(size, start)
            except Exception as error:  # a file system of fsspec raises whatever it likes
                raise OSError(str(error)) from error
            self._view[start : start + len(found)] = found
            self._ranges.append((start, start + len(found)))
            size = len(found)
        return self._view[start : start + size]


def _has_long_text(source: Any, groups: Mapping[int, Sequence[Chunk]]) -> bool:  # noqa: ANN401
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
            for texts in _dictionaries([] if batch is None else batch.columns):
                lengths = kernels.binary_length(texts) if _is_text(texts.type) else None
                if lengths is not None and (kernels.max(lengths).as_py() or 0) > MOST_ID:
                    return True
    return False


def _dictionaries(arrays: list[Any]) -> Iterator[Any]:
    """Yield the dictionaries of arrays, in lists and structs too."""
    for array in arrays:
        if pa.types.is_dictionary(array.type):
            yield array.dictionary
        elif pa.types.is_struct(array.type):
            yield from _dictionaries(array.flatten())
        elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
            yield from _dictionaries([array.values])


def decoded_bytes(column: Any) -> int:  # noqa: ANN401 - a pyarrow.ChunkedArray
    """Return the bytes of a column's texts once a dictionary's references are replaced by them."""
    total = 0
    for array in column.chunks:
        if not pa.types.is_dictionary(array.type) or not len(array):
            total += array.nbytes
        elif not _is_text(array.dictionary.type):
            total += 8 * len(array)
        else:
            lengths = kernels.binary_length(array.dictionary).take(array.indices)
            total += kernels.sum(lengths).as_py() or 0
    return total


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - a pyarrow.DataType
    return str(kind) in ("string", "large_string", "binary", "large_binary")
