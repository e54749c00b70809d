"""Columns of ids: bytes exactly as they stand in the file, in Arrow's compact form.

Bytes and not text, because an id is whatever the file holds (ISO-8859-1 too) and because the order
of bytes is the order of trec_eval's ``strcmp``. Text is made at the edges only, with
``surrogateescape``, so that no byte is lost on the way out and back.

Arrow's own conversions (``pa.array``, ``to_numpy``, ``to_pylist``, scalars) import pandas where it
is installed, 0.2 s at the first call; what is here goes through buffers instead. Of an everyday
file numpy does what Arrow's kernels do for large ones: they take longer to import than it to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from abrank._support.typing import IntArray
from abrank.inputs import kernels

if TYPE_CHECKING:
    import numpy.typing as npt

# A pyarrow.LargeBinaryArray without nulls; pyarrow has no types of its own to check against. Query
# ids may be a DictionaryArray of one; unpack and spans, which go to the bytes, take no such column.
Ids: TypeAlias = Any

SMALL = 1 << 21  # bytes of ids that are left to numpy


def encode(values: Sequence[str]) -> Ids:
    """Return a column of the ids' bytes.

    Raises
    ------
    UnicodeEncodeError
        If an id holds half a surrogate pair that stands for no byte.

    Examples
    --------
    >>> decode(encode(["d2", "d1"]))
    ['d2', 'd1']
    """
    text = "".join(values)
    if text.isascii():
        return _column(list(map(len, values)), text.encode())
    return pack([value.encode("utf-8", "surrogateescape") for value in values])


def pack(values: Sequence[bytes]) -> Ids:
    """Return a column of byte strings.

    Examples
    --------
    >>> len(pack([b"d2", b"d1"]))
    2
    """
    return _column(list(map(len, values)), b"".join(values))


def _column(lengths: Sequence[int] | IntArray, data: bytes | npt.NDArray[np.uint8]) -> Ids:
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(lengths), buffers)


def unpack(column: Ids) -> list[bytes]:
    """Return the column's byte strings.

    Examples
    --------
    >>> unpack(pack([b"d2", b"d1"])[1:])
    [b'd1']
    """
    stops, text = _stops(column)
    return [text[a:b] for a, b in pairwise(stops)]


def _stops(column: Ids) -> tuple[list[int], bytes]:
    """Return the column's bytes, and where each value begins and the last one ends."""
    ends, data = offsets(column), column.buffers()[2]
    text = b"" if data is None else bytes(memoryview(data)[ends[0] : ends[-1]])
    return (ends - ends[0]).tolist(), text


def decode(column: Ids) -> list[str]:
    r"""Return the column as text; a byte that is not UTF-8 becomes a lone surrogate.

    Examples
    --------
    >>> decode(pack(["é".encode("latin-1")]))
    ['\udce9']
    """
    column = plain(column)
    start, length, text = spans(column)
    data = text.tobytes()
    if data.isascii() and b"\0" not in data and len(column):
        # A NUL between them, then one split in C: slices of so many ids would take much longer.
        parted = np.zeros(len(text) + len(column), dtype=np.uint8)
        is_text = np.ones(len(parted), dtype=np.bool_)
        is_text[start + length + np.arange(len(column))] = False
        parted[is_text] = text
        return parted[:-1].tobytes().decode("ascii").split("\0")
    return [each.decode("utf-8", "surrogateescape") for each in unpack(column)]


def integers(array: Any) -> IntArray:  # noqa: ANN401 - an Arrow array
    """Return an Arrow array of whole numbers as int64; a null's value is arbitrary."""
    width = {"int32": np.int32, "uint32": np.uint32, "int64": np.int64, "uint64": np.uint64}
    values = np.frombuffer(array.buffers()[1], width[str(array.type)])
    return values[array.offset : array.offset + len(array)].astype(np.int64)


def plain(column: Ids) -> Ids:
    """Return the column with every id written out.

    Examples
    --------
    >>> decode(plain(encode(["a", "b", "a"]).dictionary_encode()))
    ['a', 'b', 'a']
    """
    return column if not has_dictionary(column) else take(column.dictionary, indices(column))


def has_dictionary(column: Ids) -> bool:
    """Whether the distinct ids are written out once, and each row says which is its own."""
    return isinstance(column, pa.DictionaryArray)


def indices(column: Ids) -> npt.NDArray[np.int32]:
    """Return where each row's id stands in the dictionary."""
    rows = column.indices
    values = np.frombuffer(rows.buffers()[1], np.int32)
    return values[rows.offset : rows.offset + len(rows)]


def take(column: Ids, rows: npt.NDArray[np.integer[Any]]) -> Ids:
    """Return the rows' ids, in the order of ``rows``.

    Examples
    --------
    >>> decode(take(encode(["a", "b", "c"]), np.array([2, 0])))
    ['c', 'a']
    """
    if has_dictionary(column):
        return kernels.take(column, _arrow(rows))
    if not len(rows):
        return _column([], b"")  # a slice would hold the whole column in memory
    start, length, text = spans(column)
    length = length[rows]
    ends = np.cumsum(length)
    if ends[-1] > SMALL or len(text) > np.iinfo(np.int32).max:
        return kernels.take(column, _arrow(rows))
    # Of every byte its place in the text of all; half as wide, it takes half as long.
    at = np.repeat((start[rows] - (ends - length)).astype(np.int32), length)
    at += np.arange(len(at), dtype=np.int32)
    return _column(length, text.take(at))


def joined(columns: Sequence[Ids]) -> Ids:
    """Return the columns one behind the other.

    Examples
    --------
    >>> decode(joined([encode(["b"]), encode(["a"])]))
    ['b', 'a']
    """
    if len({each.type for each in columns}) > 1:
        columns = [plain(each) for each in columns]
    return pa.concat_arrays(list(columns))


def longest(column: Ids) -> int:
    """Return the number of bytes of the longest id, 0 of none.

    Examples
    --------
    >>> longest(encode(["d1", "a-long-id"]))
    9
    """
    return int(np.diff(offsets(column)).max(initial=0))


def has_empty(column: Ids) -> bool:
    """Whether an id is empty text.

    Examples
    --------
    >>> has_empty(encode(["d1", ""])), has_empty(encode(["d1"]))
    (True, False)
    """
    ends = offsets(column)
    return bool((ends[1:] == ends[:-1]).any())


def spans(column: Ids) -> tuple[IntArray, IntArray, npt.NDArray[np.uint8]]:
    """Return where each id starts in the text of all, how long it is, and the text."""
    ends, data = offsets(column), column.buffers()[2]
    text = np.frombuffer(data or b"", np.uint8)
    return ends[:-1] - ends[0], np.diff(ends), text[ends[0] : ends[-1]]


def offsets(column: Ids) -> IntArray:
    """Return where the first id begins in the text of all, and where each one ends."""
    column = column.dictionary if has_dictionary(column) else column
    ends = np.frombuffer(column.buffers()[1], np.int64)
    return ends[column.offset : column.offset + len(column) + 1]


def _arrow(rows: npt.NDArray[np.integer[Any]]) -> Any:  # noqa: ANN401
    data = np.ascontiguousarray(rows, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(data), [None, pa.py_buffer(data)])
