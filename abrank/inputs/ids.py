"""Columns of ids: bytes exactly as they stand in the file, in Arrow's compact form.

Bytes and not text, because an id is whatever the file holds (ISO-8859-1 too) and because the order
of bytes is the order of trec_eval's ``strcmp``. Text is made at the edges only, with
``surrogateescape``, so that no byte is lost on the way out and back.

Arrow's own conversions (``pa.array``, ``to_numpy``, ``to_pylist``, scalars) import pandas where it
is installed, 0.2 s at the first call; what is here goes through buffers instead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import kernels

if TYPE_CHECKING:
    import numpy.typing as npt

# A pyarrow.LargeBinaryArray without nulls; pyarrow has no types of its own to check against. Query
# ids may be a DictionaryArray of one: what is here takes both, but for fingerprint and order.
Ids: TypeAlias = Any

_PROBED = 2000  # ids: where most of the first are different, most of all are taken to be
_LONG = 1 << 10  # bytes of an id that are looked at eight at a time


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


def _column(lengths: list[int], data: bytes) -> Ids:
    ends = np.cumsum([0, *lengths], dtype=np.int64)
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
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
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
    start, length, text = _spans(column)
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
    return column if not _is_coded(column) else take(column.dictionary, _codes(column))


def runs(column: Ids) -> tuple[Ids, IntArray]:
    """Return the id of each stretch of rows with the same one, and the place behind its last row.

    Examples
    --------
    >>> values, ends = runs(encode(["a", "a", "b", "a"]))
    >>> decode(values), ends
    (['a', 'b', 'a'], array([2, 3, 4]))
    """
    if not _is_coded(column):
        found = kernels.run_end_encode(column)
        return found.values, integers(found.run_ends)
    codes = _codes(column)
    new = np.ones(len(codes) + 1, dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=new[1:-1])
    begins = np.flatnonzero(new)
    return take(column.dictionary, codes[begins[:-1]]), begins[1:]


def _is_coded(column: Ids) -> bool:
    return isinstance(column, pa.DictionaryArray)


def _codes(column: Ids) -> npt.NDArray[np.int32]:
    """Return where each row's id stands in the dictionary."""
    indices = column.indices
    values = np.frombuffer(indices.buffers()[1], np.int32)
    return values[indices.offset : indices.offset + len(indices)]


def take(column: Ids, rows: npt.NDArray[np.integer[Any]]) -> Ids:
    """Return the rows' ids, in the order of ``rows``.

    Examples
    --------
    >>> decode(take(encode(["a", "b", "c"]), np.array([2, 0])))
    ['c', 'a']
    """
    return kernels.take(column, _arrow(rows))


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


def number(column: Ids) -> tuple[Ids, IntArray]:
    """Give each distinct id its number in byte order.

    Returns
    -------
    distinct : Ids
        Ascending by bytes.
    codes : int64[n]
        Index into ``distinct`` of every row.

    Examples
    --------
    >>> distinct, codes = number(encode(["302", "301", "302"]))
    >>> decode(distinct), codes
    (['301', '302'], array([1, 0, 1]))
    """
    if _is_coded(column):
        used, row = np.unique(_codes(column), return_inverse=True)
        distinct, codes = number(take(column.dictionary, used))
        return distinct, codes[row]
    if len(column) and kernels.all_true(kernels.less(column[:-1], column[1:])):
        return column, np.arange(len(column))
    first = column[:_PROBED]
    if 2 * len(kernels.unique(first)) > len(first):
        return _number_sorted(column)
    encoded = kernels.dictionary_encode(column)
    order = integers(kernels.sort_indices(encoded.dictionary))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return take(encoded.dictionary, order), place[integers(encoded.indices)]


def _number_sorted(column: Ids) -> tuple[Ids, IntArray]:
    """Do what :func:`number` does where most ids are different: a table of them would be slow."""
    order = integers(kernels.sort_indices(column))
    ascending = take(column, order)
    new = np.zeros(len(order), dtype=np.bool_)
    new[0] = True
    new[1 + integers(kernels.indices_nonzero(kernels.less(ascending[:-1], ascending[1:])))] = True
    codes = np.empty(len(order), dtype=np.int64)
    codes[order] = np.cumsum(new) - 1
    if new.all():
        return ascending, codes
    return take(ascending, np.flatnonzero(new)), codes


def code(column: Ids) -> tuple[Ids, IntArray]:
    """Give each distinct id its number in order of appearance; cheaper than :func:`number`.

    Examples
    --------
    >>> distinct, codes = code(encode(["302", "301", "302"]))
    >>> decode(distinct), codes
    (['302', '301'], array([0, 1, 0]))
    """
    encoded = kernels.dictionary_encode(plain(column))
    return encoded.dictionary, integers(encoded.indices)


def place(distinct: Ids, value: bytes) -> int:
    """Return where an id stands among distinct ones that ascend by bytes; -1 where it does not.

    Examples
    --------
    >>> place(encode(["a", "c"]), b"c"), place(encode(["a", "c"]), b"b")
    (1, -1)
    """
    rows = range(len(distinct))
    at = bisect_left(rows, value, key=lambda row: unpack(distinct[row : row + 1])[0])
    return at if at in rows and unpack(distinct[at : at + 1]) == [value] else -1


def same(one: Ids, other: Ids) -> BoolArray:
    """Whether the ids of two columns are the same, row by row.

    Examples
    --------
    >>> same(encode(["a", "b"]), encode(["a", "c"]))
    array([ True, False])
    """
    found = np.zeros(len(one), dtype=np.bool_)
    found[integers(kernels.indices_nonzero(kernels.equal(one, other)))] = True
    return found


def distinct(column: Ids) -> list[str]:
    """Return the distinct ids as text, in order of appearance.

    Examples
    --------
    >>> distinct(encode(["bm25", "bm25"])), distinct(encode(["b", "a", "b"]))
    (['bm25'], ['b', 'a'])
    """
    _, length, text = _spans(column)
    # Nearly every run has one tag, and bytes are compared faster than tags are looked up.
    if len(column) and (length == length[0]).all():
        first = text[: length[0]].tobytes()
        if text.tobytes() == first * len(column):
            return [first.decode("utf-8", "surrogateescape")]
    return decode(kernels.unique(column))


def order(column: Ids) -> IntArray:
    """Return each row's place in byte order: int64[n]; equal ids have different places.

    Examples
    --------
    >>> order(encode(["b", "a", "é", "c"]))
    array([1, 0, 3, 2])
    """
    ascending = integers(kernels.sort_indices(column))
    place = np.empty_like(ascending)
    place[ascending] = np.arange(len(ascending))
    return place


def order_within(group: IntArray, column: Ids) -> IntArray:
    """Return the rows by group, and within a group by the bytes of their ids.

    Parameters
    ----------
    group : int64[n]
        Numbers.

    Examples
    --------
    >>> order_within(np.array([1, 0, 1, 1]), encode(["b", "a", "long-id-2", "long-id-1"]))
    array([1, 0, 3, 2])
    """
    first = _words(column)
    rows = np.lexsort((first, group))
    # Where the first eight bytes do not tell, all of them do.
    alike = (group[rows[1:]] == group[rows[:-1]]) & (first[rows[1:]] == first[rows[:-1]])
    open_ = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
    chosen = rows[open_]
    rows[open_] = chosen[np.lexsort((order(take(column, chosen)), group[chosen]))]
    return rows


def _words(column: Ids) -> npt.NDArray[np.uint64]:
    """Return the first eight bytes of each id as a number that is as large as they come late."""
    start, length, text = _spans(column)
    padded = np.concatenate([text, np.zeros(8, dtype=np.uint8)])
    words = np.ndarray((len(padded) - 7,), ">u8", padded, strides=(1,))[start].astype(np.uint64)
    beyond = np.maximum(64 - 8 * length, 0).view(np.uint64)
    return words >> beyond << beyond


def fingerprint(column: Ids) -> npt.NDArray[np.uint64]:
    """Return 64 bits of each id; equal ids have equal ones, different ids hardly ever.

    Examples
    --------
    >>> a, b, again = fingerprint(encode(["d1", "a-long-document-id", "d1"]))
    >>> bool(a == again), bool(a == b)
    (True, False)
    """
    start, length, text = _spans(column)
    padded = np.concatenate([text, np.zeros(8, dtype=np.uint8)])
    # The eight bytes from every place on, as one number each.
    words = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    bits = length.astype(np.uint64)
    rows: IntArray | slice = slice(None)
    for at in range(0, min(int(length.max(initial=0)), _LONG), 8):
        if at:
            rows = _longer(length, at, rows)
        word = words[at:][start[rows]]
        word <<= np.maximum(8 * (at + 8) - 8 * length[rows], 0).view(np.uint64)  # what is beyond
        word ^= bits[rows]
        bits[rows] = _mix(word)
    for row in np.flatnonzero(length > _LONG).tolist():
        # One by one: in steps of eight bytes, a single long id would cost as much as all others.
        rest = text[start[row] + _LONG : start[row] + length[row]]
        bits[row] ^= np.uint64(_digest(rest.tobytes()))
    return bits


def _digest(rest: bytes) -> int:
    import hashlib  # no everyday id is so long

    return int.from_bytes(hashlib.blake2b(rest, digest_size=8).digest(), "little")


def _longer(length: IntArray, at: int, rows: IntArray | slice) -> IntArray:
    """Return which of ``rows`` are longer than ``at``, at the cost of those that are left."""
    if isinstance(rows, slice) or 4 * len(rows) > len(length):
        return np.flatnonzero(length > at)
    return rows[length[rows] > at]


def longest(column: Ids) -> int:
    """Return the number of bytes of the longest id, 0 of none.

    Examples
    --------
    >>> longest(encode(["d1", "a-long-id"]))
    9
    """
    return int(np.diff(_ends(column)).max(initial=0))


def has_empty(column: Ids) -> bool:
    """Whether an id is empty text.

    Examples
    --------
    >>> has_empty(encode(["d1", ""])), has_empty(encode(["d1"]))
    (True, False)
    """
    ends = _ends(column)
    return bool((ends[1:] == ends[:-1]).any())


def _spans(column: Ids) -> tuple[IntArray, IntArray, npt.NDArray[np.uint8]]:
    """Return where each id starts in the text of all, how long it is, and the text."""
    ends, data = _ends(column), column.buffers()[2]
    text = np.frombuffer(data or b"", np.uint8)
    return ends[:-1] - ends[0], np.diff(ends), text[ends[0] : ends[-1]]


def _ends(column: Ids) -> IntArray:
    """Return where the first id begins in the text of all, and where each one ends."""
    column = column.dictionary if _is_coded(column) else column
    offsets = np.frombuffer(column.buffers()[1], np.int64)
    return offsets[column.offset : column.offset + len(column) + 1]


def _mix(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Stir 64 bits, in place (the finaliser of MurmurHash3, Appleby 2011)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits ^= bits >> np.uint64(33)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(33)
    return bits


def _arrow(rows: npt.NDArray[np.integer[Any]]) -> Any:  # noqa: ANN401
    data = np.ascontiguousarray(rows, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(data), [None, pa.py_buffer(data)])
