"""What a Parquet file says of itself, checked before Arrow reads a row group of it."""

# Arrow ends the process (SIGABRT) where the footer of a damaged file contradicts itself and its
# Python binding looks at a column, and it takes sizes, encodings and offsets at their word. The
# format: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

from __future__ import annotations

import mmap
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from abrank.inputs.ids import MOST_ID, kernels
from abrank.inputs.storage import excess

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

# --- Records in Thrift's compact protocol, which Parquet uses: numbers of fields, and their values
# https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_WHOLE = (4, 5, 6)  # of 16, 32 and 64 bits
_DEEPEST = 32  # records within records; Parquet's are 5 deep


class Malformed(Exception):
    """These bytes are no record."""


def read_struct(data: bytes, position: int = 0, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields of a record by their number, and where it ends."""
    if depth > _DEEPEST:
        raise Malformed("records within records")
    record: dict[int, Any] = {}
    number = 0
    try:
        while (head := data[position]) != 0:
            position += 1
            kind = head & 15
            if head >> 4:
                number += head >> 4
            else:
                number, position = _signed(data, position)
            if kind in (_TRUE, _FALSE):
                record[number] = kind == _TRUE
            else:
                record[number], position = _value(data, position, kind, depth)
    except (IndexError, struct.error) as error:
        raise Malformed("it is cut short") from error
    return record, position + 1


def _value(data: bytes, position: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in _WHOLE:
        return _signed(data, position)
    if kind == _BINARY:
        length, position = _unsigned(data, position)
        if length > len(data) - position:
            raise Malformed("a text is longer than what is left")
        return data[position : position + length], position + length
    if kind == _STRUCT:
        return read_struct(data, position, depth + 1)
    if kind in (_LIST, _SET):
        if depth > _DEEPEST:
            raise Malformed("lists within lists")
        count, kind = data[position] >> 4, data[position] & 15
        position += 1
        if count == 15:
            count, position = _unsigned(data, position)
        if count > len(data) - position:
            raise Malformed("a list is longer than what is left")
        values = []
        for _ in range(count):
            value, position = _value(data, position, kind, depth + 1)
            values.append(value)
        return values, position
    if kind in (_BYTE, _TRUE, _FALSE):  # the latter two only in lists
        return data[position], position + 1
    if kind == _DOUBLE:
        return struct.unpack_from("<d", data, position)[0], position + 8
    raise Malformed(f"a value of the unknown kind {kind}")


def _signed(data: bytes, position: int) -> tuple[int, int]:
    value, position = _unsigned(data, position)
    return (value >> 1) ^ -(value & 1), position


def _unsigned(data: bytes, position: int) -> tuple[int, int]:
    byte = data[position]
    if byte < 128:
        return byte, position + 1
    value, shift = byte & 127, 0
    while byte > 127:
        position, shift = position + 1, shift + 7
        if shift > 63:
            raise Malformed("a number of more than 64 bits")
        byte = data[position]
        value |= (byte & 127) << shift
    return value, position + 1


# --- What a Parquet file says of itself, read here and checked before Arrow reads the file


MARK = b"PAR1"
_TAIL = 8  # bytes: the length of the footer, and the mark
_END = 1 << 16
BYTE_ARRAY, _FIXED = 6, 7
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8}  # bytes of a decoded value, by its physical type
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3  # kinds of pages
_MOST_HEADER = 1 << 16  # bytes of a page's header, which may hold its statistics
# A page of values by references names the encoding of its dictionary or that of the references.
_REFERENCES = {2, 8}
LENGTHS_FIRST = (6, 7)  # encodings of texts by their lengths, and of those by prefixes
WITH_PREFIXES = 7  # the encoding of a text by how much of the one before it begins with

ReadAt: TypeAlias = Callable[[int, int], Any]  # bytes from a place, so many


class DamagedParquet(Exception):
    """The file contradicts itself, or a page is not what its checksum says."""


@dataclass(frozen=True)
class Chunk:
    """A leaf column in a row group."""

    path: str  # the column's name, with those of the groups that it is in
    kind: int  # its physical type
    n_values: int
    # start, n_packed: where its pages begin, and their bytes as they are stored
    start: int
    n_packed: int
    n_unpacked: int  # bytes of its pages once they are unpacked, their headers too
    encodings: frozenset[int]
    has_dictionary: bool
    n_decoded: int  # bytes of its values as far as the footer tells: those of texts may be more
    # Whether ``n_decoded`` counts the texts of a dictionary as often as they stand there
    knows_text: bool
    # low, high: least and largest value, or a bound of them; None where the footer does not
    # say
    low: bytes | None
    high: bytes | None
    n_missing: int | None  # of the values


@dataclass(frozen=True)
class Group:
    """A row group: its rows, and its leaf columns."""

    n_rows: int
    chunks: tuple[Chunk, ...]

    def of(self, names: Sequence[str]) -> list[Chunk]:
        """Return the leaves of the columns named."""
        selected = frozenset(names)
        return [
            chunk
            for chunk in self.chunks
            if not selected.isdisjoint(accumulate(chunk.path.split("."), "{}.{}".format))
        ]


def read_groups(read_at: ReadAt, size: int) -> tuple[Group, ...]:
    """Return the row groups of a Parquet file."""
    # As much as Arrow reads of the end of a file, so that it is read once.
    tail = bytes(read_at(max(0, size - _END), min(size, _END)))
    if len(tail) < _TAIL or tail[-4:] != MARK:
        raise DamagedParquet("it has no footer")
    length = int.from_bytes(tail[-_TAIL:-4], "little")
    if length > size - _TAIL - len(MARK):
        raise DamagedParquet("its footer is longer than the file")
    if length + _TAIL > len(tail):
        tail = bytes(read_at(size - _TAIL - length, length + _TAIL))
    try:
        about, _ = read_struct(tail[-_TAIL - length : -_TAIL])
        leaves = [(element[4], element[1]) for element in about[2] if not element.get(5)]
        groups = tuple(_group(group, leaves, size) for group in about.get(4, []))
        n_rows = int(about[3])
    except Malformed as error:
        raise DamagedParquet(f"its footer is damaged: {error}") from error
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise DamagedParquet("its footer is damaged: a part of it is missing") from error
    if n_rows != sum(group.n_rows for group in groups):
        raise DamagedParquet(f"its footer is damaged: {n_rows} rows, and others in its row groups")
    return groups


def _group(group: dict[int, Any], leaves: Sequence[tuple[bytes, int]], size: int) -> Group:
    n_rows = int(group[3])
    chunks = tuple(_chunk(chunk_record[3], n_rows, size) for chunk_record in group.get(1, []))
    if n_rows < 0 or len(chunks) != len(leaves):
        raise Malformed("a row group has other columns than the table")
    for chunk, (name, kind) in zip(chunks, leaves, strict=True):
        if chunk.kind != kind or not chunk.path.endswith(name.decode("utf-8", "replace")):
            raise Malformed(f"column {chunk.path} is of another type in a row group")
    return Group(n_rows, chunks)


def _chunk(about: dict[int, Any], n_rows: int, size: int) -> Chunk:
    path = ".".join(name.decode("utf-8", "replace") for name in about[3])
    kind, n_values, unpacked, packed = (int(about[number]) for number in (1, 5, 6, 7))
    start = int(about[9])
    dictionary = about.get(11)
    if dictionary is not None and (0 < dictionary < start or start <= 0):  # 0: no values
        start = dictionary
    flat = len(about[3]) == 1
    within = len(MARK) <= start <= size - packed or not packed  # no pages are nowhere
    if min(n_values, unpacked, packed) < 0 or not within:
        raise Malformed(f"column {path} is not within the file")
    if flat and n_values != n_rows:
        raise Malformed(f"column {path} has {n_values} values in {n_rows} rows")
    statistics, sizes = about.get(12, {}), about.get(16, {})
    for number, maximum in ((2, 1), (3, 2)):  # histograms of levels
        if flat and len(sizes.get(number, [])) > maximum:
            raise Malformed(f"column {path} has levels that it cannot have")
    encodings = frozenset(int(encoding) for encoding in about[2])
    # Arrow counts of texts with a prefix in common only what is not.
    n_text = None if WITH_PREFIXES in encodings else sizes.get(1)
    n_decoded = n_values * _WIDTHS.get(kind, 4)
    if kind in (BYTE_ARRAY, _FIXED):
        n_decoded += unpacked if n_text is None else n_text
    return Chunk(
        path, kind, n_values, start, n_packed=packed, n_unpacked=unpacked, encodings=encodings,
        has_dictionary=bool(encodings & _REFERENCES), n_decoded=n_decoded,
        knows_text=n_text is not None,
        low=statistics.get(6), high=statistics.get(5), n_missing=statistics.get(3),
    )  # fmt: skip


def require_pages(data: bytes | memoryview, chunk: Chunk) -> int:
    """Check the pages of a chunk: checksums where they have any, sizes, numbers, encodings."""
    view = memoryview(data)
    if len(view) != chunk.n_packed:
        raise DamagedParquet(f"column {chunk.path}: the file ends before it does")
    end, n_values, n_unpacked = 0, 0, 0
    while end < len(view):
        try:
            header, length = read_struct(bytes(view[end : end + _MOST_HEADER]))
            kind, unpacked, packed = (int(header[number]) for number in (1, 2, 3))
            checksum = int(header[4]) if 4 in header else None
            about = dict(header.get({_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}.get(kind, 0), {}))
            in_page = int(about.get(1, 0))
            encoding = int(about.get(4 if kind == _DATA_V2 else 2, -1))
        except (Malformed, LookupError, TypeError, ValueError) as error:
            raise DamagedParquet(f"column {chunk.path}: a page has no header") from error
        body = view[end + length : end + length + packed]
        problem = ""
        if packed < 0 or unpacked < 0 or len(body) != packed:
            problem = "a page is longer than the column"
        elif checksum is not None and zlib.crc32(body) != checksum & 0xFFFFFFFF:
            problem = "a page is not what its checksum says"
        elif kind not in (_DATA, _DATA_V2) and end:
            problem = "its dictionary stands behind its values"
        elif kind in (_DATA, _DATA_V2) and encoding not in chunk.encodings:
            problem = "a page has an encoding that the footer does not name"
        if problem:
            raise DamagedParquet(f"column {chunk.path}: {problem}")
        n_values += in_page if kind in (_DATA, _DATA_V2) else 0
        n_unpacked, end = n_unpacked + unpacked, end + length + packed
    if n_values != chunk.n_values:
        text = f"its pages hold {n_values} values, and the footer says {chunk.n_values}"
        raise DamagedParquet(f"column {chunk.path}: {text}")
    return n_unpacked


_BATCH = 8192  # values, after each of which it is seen how much there is
# Windows has no flags, and reserves no memory before it is written to. 0x4000 is MAP_NORESERVE,
# which Python 3.13 names.
_FLAGS = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000 * (sys.platform == "linux")}
    if hasattr(mmap, "MAP_PRIVATE")
    else {}
)


class _ArrowFile:
    """A file of a table, of which no more is read than there is room for."""

    schema: pa.Schema

    def __init__(self, file: pa.NativeFile, *, maximum: int | None = None) -> None:
        self._size, self._requested = file.size(), maximum

    def require_decoded(self, columns: Sequence[pa.ChunkedArray]) -> None:
        """Refuse columns that hold too much."""
        # Of empty or repeated cells a column holds none, and each becomes one.
        self._require_room(sum(map(decoded_bytes, columns)), max(map(len, columns), default=0))

    def _require_room(self, n_bytes: int, n_rows: int = 0) -> None:
        problem, hint = excess(
            max(n_bytes, 8 * n_rows), self._requested, n_rows=n_rows, n_packed=self._size
        )
        if problem:
            raise Oversized(f"holds {problem}", hint)


class FeatherData(_ArrowFile):
    """A Feather file."""

    def __init__(self, file: pa.NativeFile, *, maximum: int | None = None) -> None:
        super().__init__(file, maximum=maximum)
        self._whole = None
        if file.read_at(4, 0) == b"FEA1":  # the first version, which is one batch
            from pyarrow.feather import read_table

            self._whole = read_table(file)
        self._reader = self._whole or pa.ipc.open_file(file)
        self.schema = self._reader.schema

    def read(self, names: Sequence[str]) -> pa.Table:
        """Read columns, batch by batch."""
        table, batches = self._whole, list[Any]()
        if table is None:
            for number in range(self._reader.num_record_batches):
                batches.append(self._reader.get_batch(number))
                self._require_room(sum(batch.nbytes for batch in batches), sum(map(len, batches)))
            table = pa.Table.from_batches(batches, self.schema)
        # Arrow takes a file at its word, and would read beyond its ends.
        table.validate(full=True)
        return table.select(list(names))


class ParquetData(_ArrowFile):
    """A Parquet file that can be read at any place."""

    def __init__(self, file: pa.NativeFile, *, maximum: int | None = None) -> None:
        from pyarrow.parquet import ParquetFile

        super().__init__(file, maximum=maximum)
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
    ) -> pa.Table:
        """Read columns of one row group, or of all."""
        from pyarrow.parquet import ParquetFile

        numbers = range(len(self.groups)) if group is None else [group]
        by_group = {number: self.groups[number].of(names) for number in numbers}
        chunks = [chunk for item in by_group.values() for chunk in item]
        # A row of a nested table is a query with all its documents.
        n_values = max((chunk.n_values for chunk in chunks), default=0) * len(by_group)
        self._require_room(sum(chunk.n_decoded for chunk in chunks), n_values)
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
        # So many rows are read before it is seen how much they hold.
        texts = [chunk for chunk in chunks if chunk.kind == BYTE_ARRAY]
        size = _BATCH if all(chunk.knows_text for chunk in texts) else _BATCH // 8
        if any(WITH_PREFIXES in text.encodings and text.n_unpacked > MOST_ID for text in texts):
            size = _BATCH // 128  # texts longer than any id, perhaps, of which little is stored
        n_rows = sum(self.groups[number].n_rows for number in by_group)
        size = max(1, size * n_rows // max(n_values, n_rows, 1))
        batches = self._batches(file, [*by_group], names, coded, size)
        # Only where it is needed: to make an empty table, Arrow imports pandas.
        table = pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
        table = table.select(list(names))
        # Arrow takes a file at its word: a reference may lead beyond the end of its dictionary.
        table.validate(full=True)
        if table.num_rows != n_rows:
            raise DamagedParquet("it holds another number of rows than its footer says")
        return table

    def _batches(
        self,
        file: ParquetFile,
        groups: list[int],
        names: Sequence[str],
        coded: Sequence[str],
        size: int,
    ) -> list[Any]:
        """Read some rows at a time, as long as there is room for them."""
        batches, n_bytes = [], 0
        for batch in file.iter_batches(
            size, row_groups=groups, columns=list(names), use_threads=len(groups) > 1
        ):
            for name in names:
                column = batch[name]
                if name in coded and pa.types.is_dictionary(column.type):
                    n_bytes += column.indices.nbytes  # its dictionary comes with every batch
                else:
                    n_bytes += decoded_bytes(pa.chunked_array([column]))
            self._require_room(n_bytes)
            # The file may say that a column is a dictionary, which comes whole with every batch.
            columns = [
                column.dictionary_decode()
                if pa.types.is_dictionary(column.type) and name not in coded
                else column
                for name, column in zip(names, map(batch.column, names), strict=True)
            ]
            batches.append(pa.RecordBatch.from_arrays(columns, list(names)))
        return batches


class Oversized(Exception):
    """A file holds more than may be read; says what, and what to do."""

    def __init__(self, problem: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(problem)


class _Held:
    """A file of which the ranges that were asked for are in memory, each at its place."""

    # Arrow reads them there, and not the file: what was checked is what is read.

    def __init__(self, file: pa.NativeFile, size: int) -> None:
        self._file = file
        # Only pages that are written to take memory.
        self.memory = mmap.mmap(-1, max(1, size), **_FLAGS)
        self._view = memoryview(self.memory)[:size]
        self._ranges: list[tuple[int, int]] = []

    def range(self, start: int, size: int) -> memoryview:
        """Return ``size`` bytes from a place on."""
        if not any(begin <= start and start + size <= end for begin, end in self._ranges):
            try:
                result = self._file.read_at(size, start)
            except Exception as error:  # a file system of fsspec raises whatever it likes
                raise OSError(str(error)) from error
            self._view[start : start + len(result)] = result
            self._ranges.append((start, start + len(result)))
            size = len(result)
        return self._view[start : start + size]


def _has_long_text(source: object, groups: Mapping[int, Sequence[Chunk]]) -> bool:
    """Whether a dictionary of some chunks of a Parquet file holds a text longer than any id."""
    # The dictionary of a column comes whole with its first row; short ones are not looked at, nor
    # those of columns that tell how long their texts are together.
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


def decoded_bytes(column: pa.ChunkedArray) -> int:
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


def _is_text(kind: pa.DataType) -> bool:
    return str(kind) in ("string", "large_string", "binary", "large_binary")
