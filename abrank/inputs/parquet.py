"""Read the metadata of Parquet files and check it before Arrow reads a row group."""

# If the footer of a damaged file is inconsistent, Arrow's Python binding aborts the process
# (SIGABRT), and it trusts sizes, encodings and offsets without checks. Format:
# https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

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

# --- Structs in Thrift's compact protocol, which Parquet uses: field numbers and their values
# https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_WHOLE = (4, 5, 6)  # integers of 16, 32 and 64 bits
_DEEPEST = 32  # maximum nesting of structs; Parquet uses 5 levels


class Malformed(Exception):
    """The bytes are not a valid struct."""


def read_struct(data: bytes, position: int = 0, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields of a struct by number, and the position after it."""
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
    if kind in (_BYTE, _TRUE, _FALSE):  # _TRUE and _FALSE only occur in lists
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


# --- The metadata of a Parquet file, checked before Arrow reads the file


MARK = b"PAR1"
_TAIL = 8  # bytes: length of the footer, and magic number
_END = 1 << 16
BYTE_ARRAY, _FIXED = 6, 7
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8}  # bytes of a decoded value by physical type
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3  # page types
_MOST_HEADER = 1 << 16  # maximum bytes of a page header, which may contain statistics
# A dictionary-encoded page names the encoding of its dictionary or that of the indices.
_REFERENCES = {2, 8}
LENGTHS_FIRST = (6, 7)  # encodings of texts by lengths, and by lengths of prefixes
WITH_PREFIXES = 7  # encodes each text by the length of the prefix it shares with the previous one

ReadAt: TypeAlias = Callable[[int, int], Any]  # offset and number of bytes to the bytes


class DamagedParquet(Exception):
    """The file is inconsistent, or a page does not match its checksum."""


@dataclass(frozen=True)
class Chunk:
    """A column chunk: a leaf column in a row group."""

    path: str  # name of the column, prefixed by the groups that contain it
    kind: int  # physical type
    n_values: int
    # Offset of its pages, and their compressed size.
    start: int
    n_packed: int
    n_unpacked: int  # uncompressed bytes of its pages, including headers
    encodings: frozenset[int]
    has_dictionary: bool
    n_decoded: int  # bytes of its values, as far as the footer says; repeated texts may need more
    # Whether ``n_decoded`` counts texts of a dictionary as often as they are used.
    knows_text: bool
    # Lowest and highest value, or bounds of them; None if the footer has none.
    low: bytes | None
    high: bytes | None
    n_missing: int | None  # number of null values


@dataclass(frozen=True)
class Group:
    """A row group: its number of rows and its column chunks."""

    n_rows: int
    chunks: tuple[Chunk, ...]

    def of(self, names: Sequence[str]) -> list[Chunk]:
        """Return the column chunks of the named columns."""
        selected = frozenset(names)
        return [
            chunk
            for chunk in self.chunks
            if not selected.isdisjoint(accumulate(chunk.path.split("."), "{}.{}".format))
        ]


def read_groups(read_at: ReadAt, size: int) -> tuple[Group, ...]:
    """Return the row groups of a Parquet file."""
    # The same size that Arrow reads at the end of a file, so that it is fetched only once.
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
    if dictionary is not None and (0 < dictionary < start or start <= 0):  # 0: no dictionary values
        start = dictionary
    flat = len(about[3]) == 1
    within = len(MARK) <= start <= size - packed or not packed  # empty chunks have no position
    if min(n_values, unpacked, packed) < 0 or not within:
        raise Malformed(f"column {path} is not within the file")
    if flat and n_values != n_rows:
        raise Malformed(f"column {path} has {n_values} values in {n_rows} rows")
    statistics, sizes = about.get(12, {}), about.get(16, {})
    for number, maximum in ((2, 1), (3, 2)):  # histograms of repetition and definition levels
        if flat and len(sizes.get(number, [])) > maximum:
            raise Malformed(f"column {path} has levels that it cannot have")
    encodings = frozenset(int(encoding) for encoding in about[2])
    # For texts with a common prefix Arrow only counts the rest of each text.
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
    """Check the pages of a chunk: checksums if present, sizes, numbers, encodings."""
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


_BATCH = 8192  # values per batch; the memory limit is checked after each batch
# Windows has no such flags, but reserves no memory before it is written. 0x4000 is MAP_NORESERVE,
# which Python names since 3.13.
_FLAGS = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000 * (sys.platform == "linux")}
    if hasattr(mmap, "MAP_PRIVATE")
    else {}
)


class _ArrowFile:
    """A table file that is read only up to a memory limit."""

    schema: pa.Schema

    def __init__(self, file: pa.NativeFile, *, maximum: int | None = None) -> None:
        self._size, self._requested = file.size(), maximum

    def require_decoded(self, columns: Sequence[pa.ChunkedArray]) -> None:
        """Refuse columns that are too large."""
        # Empty and repeated cells take no bytes in a column, but each one becomes a byte later.
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
        if file.read_at(4, 0) == b"FEA1":  # version 1, which is a single batch
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
        # Arrow does not check the file, and would read beyond its end.
        table.validate(full=True)
        return table.select(list(names))


class ParquetData(_ArrowFile):
    """A Parquet file with random access."""

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
        """Read columns of one row group, or of all row groups."""
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
        # Arrow keeps no dictionary for columns with these encodings.
        plain = {chunk.path for chunk in chunks if not chunk.encodings.isdisjoint(LENGTHS_FIRST)}
        coded = [name for name in coded if name not in plain]
        file = ParquetFile(self._source, read_dictionary=coded)
        # Number of rows that are read before their size is checked.
        texts = [chunk for chunk in chunks if chunk.kind == BYTE_ARRAY]
        size = _BATCH if all(chunk.knows_text for chunk in texts) else _BATCH // 8
        if any(WITH_PREFIXES in text.encodings and text.n_unpacked > MOST_ID for text in texts):
            size = _BATCH // 128  # perhaps very long texts that compress well
        n_rows = sum(self.groups[number].n_rows for number in by_group)
        size = max(1, size * n_rows // max(n_values, n_rows, 1))
        batches = self._batches(file, [*by_group], names, coded, size)
        # Only if needed: for an empty table Arrow imports pandas.
        table = pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
        table = table.select(list(names))
        # Arrow does not check the file: an index may point outside its dictionary.
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
        """Read a few rows at a time until the memory limit is reached."""
        batches, n_bytes = [], 0
        for batch in file.iter_batches(
            size, row_groups=groups, columns=list(names), use_threads=len(groups) > 1
        ):
            for name in names:
                column = batch[name]
                if name in coded and pa.types.is_dictionary(column.type):
                    n_bytes += column.indices.nbytes  # every batch repeats the dictionary
                else:
                    n_bytes += decoded_bytes(pa.chunked_array([column]))
            self._require_room(n_bytes)
            # If the file declares a dictionary column, every batch contains the whole dictionary.
            columns = [
                column.dictionary_decode()
                if pa.types.is_dictionary(column.type) and name not in coded
                else column
                for name, column in zip(names, map(batch.column, names), strict=True)
            ]
            batches.append(pa.RecordBatch.from_arrays(columns, list(names)))
        return batches


class Oversized(Exception):
    """The file exceeds the size limit; the message says by what, and what to do."""

    def __init__(self, problem: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(problem)


class _Held:
    """A file whose requested ranges are held in memory at their offsets."""

    # Arrow reads from here instead of the file, so it reads exactly what was checked.

    def __init__(self, file: pa.NativeFile, size: int) -> None:
        self._file = file
        # Only pages that are written use memory.
        self.memory = mmap.mmap(-1, max(1, size), **_FLAGS)
        self._view = memoryview(self.memory)[:size]
        self._ranges: list[tuple[int, int]] = []

    def range(self, start: int, size: int) -> memoryview:
        """Return ``size`` bytes from offset ``start``."""
        if not any(begin <= start and start + size <= end for begin, end in self._ranges):
            try:
                result = self._file.read_at(size, start)
            except Exception as error:  # file systems of fsspec can raise anything
                raise OSError(str(error)) from error
            self._view[start : start + len(result)] = result
            self._ranges.append((start, start + len(result)))
            size = len(result)
        return self._view[start : start + size]


def _has_long_text(source: object, groups: Mapping[int, Sequence[Chunk]]) -> bool:
    """Whether a dictionary in some chunks contains a text longer than any id."""
    # A dictionary is loaded as a whole with the first row. Short dictionaries are not checked, nor
    # columns that declare the total length of their texts.
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
    for array in arrays:
        if pa.types.is_dictionary(array.type):
            yield array.dictionary
        elif pa.types.is_struct(array.type):
            yield from _dictionaries(array.flatten())
        elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
            yield from _dictionaries([array.values])


def decoded_bytes(column: pa.ChunkedArray) -> int:
    """Return the bytes of a column's texts when its dictionary is expanded."""
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
