"""What a Parquet file says of itself, read here and checked before Arrow reads the file.

Arrow ends the process (SIGABRT) where the footer of a damaged file contradicts itself and its
Python binding looks at a column, and it takes sizes, encodings and offsets at their word.
The format: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

# --- Records in Thrift's compact protocol, which Parquet uses: numbers of fields, and their values
# https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_WHOLE = (4, 5, 6)  # of 16, 32 and 64 bits
_DEEPEST = 32  # records within records; Parquet's are 5 deep


class Malformed(Exception):
    """These bytes are no record."""


def read_struct(data: bytes, at: int = 0, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields of a record by their number, and where it ends."""
    if depth > _DEEPEST:
        raise Malformed("records within records")
    found: dict[int, Any] = {}
    number = 0
    try:
        while (head := data[at]) != 0:
            at += 1
            kind = head & 15
            if head >> 4:
                number += head >> 4
            else:
                number, at = _signed(data, at)
            if kind in (_TRUE, _FALSE):
                found[number] = kind == _TRUE
            else:
                found[number], at = _value(data, at, kind, depth)
    except (IndexError, struct.error) as error:
        raise Malformed("it is cut short") from error
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in _WHOLE:
        return _signed(data, at)
    if kind == _BINARY:
        length, at = _unsigned(data, at)
        if length > len(data) - at:
            raise Malformed("a text is longer than what is left")
        return data[at : at + length], at + length
    if kind == _STRUCT:
        return read_struct(data, at, depth + 1)
    if kind in (_LIST, _SET):
        return _items(data, at, depth)
    if kind in (_BYTE, _TRUE, _FALSE):  # the latter two only in lists
        return data[at], at + 1
    if kind == _DOUBLE:
        return struct.unpack_from("<d", data, at)[0], at + 8
    raise Malformed(f"a value of the unknown kind {kind}")


def _items(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    if depth > _DEEPEST:
        raise Malformed("lists within lists")
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = _unsigned(data, at)
    if count > len(data) - at:
        raise Malformed("a list is longer than what is left")
    found = []
    for _ in range(count):
        item, at = _value(data, at, kind, depth + 1)
        found.append(item)
    return found, at


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    if byte < 128:
        return byte, at + 1
    value, shift = byte & 127, 0
    while byte > 127:
        at, shift = at + 1, shift + 7
        if shift > 63:
            raise Malformed("a number of more than 64 bits")
        byte = data[at]
        value |= (byte & 127) << shift
    return value, at + 1


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


class Damaged(Exception):
    """The file contradicts itself, or a page is not what its checksum says."""


@dataclass(frozen=True)
class Chunk:
    """A leaf column in a row group.

    path : str
        The column's name, with those of the groups that it is in.
    kind : int
        Its physical type.
    n_values : int
    start, n_packed : int
        Where its pages begin, and their bytes as they are stored.
    n_unpacked : int
        Bytes of its pages once they are unpacked, their headers too.
    encodings : frozenset of int
    has_dictionary : bool
    n_decoded : int
        Bytes of its values as far as the footer tells: those of texts may be more.
    knows_text : bool
        Whether ``n_decoded`` counts the texts of a dictionary as often as they stand there.
    low, high : bytes, optional
        Least and largest value, or a bound of them; None where the footer does not say.
    n_missing : int, optional
        Of the values.
    """

    path: str
    kind: int
    n_values: int
    start: int
    n_packed: int
    n_unpacked: int
    encodings: frozenset[int]
    has_dictionary: bool
    n_decoded: int
    knows_text: bool
    low: bytes | None
    high: bytes | None
    n_missing: int | None


@dataclass(frozen=True)
class Group:
    """A row group: its rows, and its leaf columns."""

    n_rows: int
    chunks: tuple[Chunk, ...]

    def of(self, names: Sequence[str]) -> list[Chunk]:
        """Return the leaves of the columns named."""
        return [
            chunk
            for chunk in self.chunks
            if any(chunk.path == name or chunk.path.startswith(f"{name}.") for name in names)
        ]


def read_groups(read_at: ReadAt, size: int) -> tuple[Group, ...]:
    """Return the row groups of a Parquet file."""
    # As much as Arrow reads of the end of a file, so that it is read once.
    tail = bytes(read_at(max(0, size - _END), min(size, _END)))
    if len(tail) < _TAIL or tail[-4:] != MARK:
        raise Damaged("it has no footer")
    length = int.from_bytes(tail[-_TAIL:-4], "little")
    if length > size - _TAIL - len(MARK):
        raise Damaged("its footer is longer than the file")
    if length + _TAIL > len(tail):
        tail = bytes(read_at(size - _TAIL - length, length + _TAIL))
    try:
        about, _ = read_struct(tail[-_TAIL - length : -_TAIL])
        leaves = [(each[4], each[1]) for each in about[2] if not each.get(5)]
        groups = tuple(_group(group, leaves, size) for group in about.get(4, []))
        n_rows = int(about[3])
    except Malformed as error:
        raise Damaged(f"its footer is damaged: {error}") from error
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise Damaged("its footer is damaged: a part of it is missing") from error
    if n_rows != sum(group.n_rows for group in groups):
        raise Damaged(f"its footer is damaged: {n_rows} rows, and others in its row groups")
    return groups


def _group(group: dict[int, Any], leaves: Sequence[tuple[bytes, int]], size: int) -> Group:
    n_rows = int(group[3])
    chunks = tuple(_chunk(each[3], n_rows, size) for each in group.get(1, []))
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
    told, sizes = about.get(12, {}), about.get(16, {})
    for number, most in ((2, 1), (3, 2)):  # histograms of levels
        if flat and len(sizes.get(number, [])) > most:
            raise Malformed(f"column {path} has levels that it cannot have")
    encodings = frozenset(int(each) for each in about[2])
    # Arrow counts of texts with a prefix in common only what is not.
    n_text = None if WITH_PREFIXES in encodings else sizes.get(1)
    n_decoded = n_values * _WIDTHS.get(kind, 4)
    if kind in (BYTE_ARRAY, _FIXED):
        n_decoded += unpacked if n_text is None else n_text
    return Chunk(
        path=path,
        kind=kind,
        n_values=n_values,
        start=start,
        n_packed=packed,
        n_unpacked=unpacked,
        encodings=encodings,
        has_dictionary=bool(encodings & _REFERENCES),
        n_decoded=n_decoded,
        knows_text=n_text is not None,
        low=told.get(6),
        high=told.get(5),
        n_missing=told.get(3),
    )


def require_pages(data: Any, chunk: Chunk) -> int:  # noqa: ANN401 - bytes, or a view of them
    """Check the pages of a chunk: checksums where they have any, sizes, numbers, encodings."""
    view = memoryview(data)
    if len(view) != chunk.n_packed:
        raise Damaged(f"column {chunk.path}: the file ends before it does")
    at, n_values, n_unpacked = 0, 0, 0
    while at < len(view):
        header, end = _page(view, at, chunk)
        kind = header[1]
        about = header.get({_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}.get(kind, 0), {})
        if kind in (_DATA, _DATA_V2):
            if about.get(4 if kind == _DATA_V2 else 2) not in chunk.encodings:
                problem = "a page has an encoding that the footer does not name"
                raise Damaged(f"column {chunk.path}: {problem}")
            n_values += about.get(1, 0)
        elif at:
            raise Damaged(f"column {chunk.path}: its dictionary stands behind its values")
        n_unpacked += header[2]
        at = end
    if n_values != chunk.n_values:
        told = f"its pages hold {n_values} values, and the footer says {chunk.n_values}"
        raise Damaged(f"column {chunk.path}: {told}")
    return n_unpacked


def _page(view: memoryview, at: int, chunk: Chunk) -> tuple[dict[int, Any], int]:
    """Return the header of the page at a place, and where the page ends."""
    try:
        header, length = read_struct(bytes(view[at : at + _MOST_HEADER]))
        _, unpacked, packed = (int(header[number]) for number in (1, 2, 3))
    except (Malformed, LookupError, TypeError, ValueError) as error:
        raise Damaged(f"column {chunk.path}: a page has no header") from error
    body = view[at + length : at + length + packed]
    if packed < 0 or unpacked < 0 or len(body) != packed:
        raise Damaged(f"column {chunk.path}: a page is longer than the column")
    checksum = header.get(4)
    if checksum is not None and zlib.crc32(body) != checksum & 0xFFFFFFFF:
        raise Damaged(f"column {chunk.path}: a page is not what its checksum says")
    return header, at + length + packed
