"""Columns of ids, and numeric keys by which they are compared, sorted and found."""

# An id is the exact bytes from the file, stored in Arrow's compact form, not text. It may have any
# encoding (such as ISO-8859-1), and byte order equals the order of trec_eval's `strcmp`. Text is
# only made at the interface, with `surrogateescape`, so that no byte is lost. Arrow's conversions
# (`pa.array`, `to_numpy`, `to_pylist`, scalars) import pandas if it is installed, which takes 0.2
# s; the functions here use buffers instead. For everyday files numpy replaces Arrow's kernels,
# whose import takes longer than reading the file.

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from abrank._support.typing import BoolArray, IntArray

if TYPE_CHECKING:
    import numpy.typing as npt


class _Kernels:
    """Arrow's compute functions, imported on first use."""

    # On import, `pyarrow.compute` generates a Python function for each of its hundreds of kernels.
    # This takes longer than reading an everyday file, which does not need them.

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a function of Arrow arrays
        from pyarrow import compute

        return getattr(compute, name)


kernels = _Kernels()


# --- Columns of ids: the exact bytes from the file in Arrow's compact form

# A pyarrow.LargeBinaryArray without nulls (pyarrow has no types to check against). Query ids may be
# a DictionaryArray of one; `unpack` and `spans` do not accept that.
Ids: TypeAlias = Any

SMALL = 1 << 21  # bytes of ids up to which numpy is used
MOST_ID = 1 << 16  # bytes; long enough for document URLs
TOO_LONG = f"an id is longer than {MOST_ID >> 10} kB"


def encode(values: Sequence[str]) -> Ids:
    """Convert texts to a column of ids."""
    text = "".join(values)
    if text.isascii():
        return _column(list(map(len, values)), text.encode())
    return pack([value.encode("utf-8", "surrogateescape") for value in values])


def pack(values: Sequence[bytes]) -> Ids:
    """Convert byte strings to a column of ids."""
    return _column(list(map(len, values)), b"".join(values))


def _column(lengths: Sequence[int] | IntArray, data: bytes | npt.NDArray[np.uint8]) -> Ids:
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(lengths), buffers)


def numerals(n: int) -> Ids:
    """Return the column ``0 1 2 ...`` of n ids."""
    texts = kernels.cast(from_integers(np.arange(n)), pa.large_string())
    return kernels.cast(texts, pa.large_binary())


def unpack(column: Ids) -> list[bytes]:
    """Return the ids as byte strings."""
    ends, data = offsets(column), column.buffers()[2]
    text = b"" if data is None else bytes(memoryview(data)[ends[0] : ends[-1]])
    return [text[a:b] for a, b in pairwise((ends - ends[0]).tolist())]


def decode(column: Ids) -> list[str]:
    r"""Return the ids as text; a byte that is not UTF-8 becomes a lone surrogate."""
    if len(column) > _AT_ONCE:
        release()
        parts = (column[index : index + _AT_ONCE] for index in range(0, len(column), _AT_ONCE))
        return list(chain.from_iterable(map(decode, parts)))
    column = plain(column)
    start, length, text = spans(column)
    data = text.tobytes()
    if data.isascii() and b"\0" not in data and len(column):
        # Join by NUL and split once in C; slicing so many ids one by one takes much longer.
        parted = np.zeros(len(text) + len(column), dtype=np.uint8)
        is_text = np.ones(len(parted), dtype=np.bool_)
        is_text[start + length + np.arange(len(column))] = False
        parted[is_text] = text
        return parted[:-1].tobytes().decode("ascii").split("\0")
    return [value.decode("utf-8", "surrogateescape") for value in unpack(column)]


def integers(array: pa.Array) -> IntArray:
    """Return an Arrow array of whole numbers as int64; values of nulls are arbitrary."""
    width = {"int32": np.int32, "uint32": np.uint32, "int64": np.int64, "uint64": np.uint64}
    values = np.frombuffer(array.buffers()[1], width[str(array.type)])
    return values[array.offset : array.offset + len(array)].astype(np.int64)


def plain(column: Ids) -> Ids:
    """Return the column without dictionary encoding."""
    return column if not has_dictionary(column) else take(column.dictionary, indices(column))


def coded(column: Ids) -> Ids:
    """Dictionary-encode the column if most ids repeat."""
    if has_dictionary(column):
        return column
    distinct, codes = code(column)
    if 4 * len(distinct) > len(column):
        return column
    rows = pa.py_buffer(codes.astype(np.int32))
    where = pa.Array.from_buffers(pa.int32(), len(column), [None, rows])
    return pa.DictionaryArray.from_arrays(where, distinct)


def has_dictionary(column: Ids) -> bool:
    """Whether the column is dictionary-encoded."""
    return isinstance(column, pa.DictionaryArray)


def indices(column: Ids) -> npt.NDArray[np.int32]:
    """Return the dictionary index of each row."""
    rows = column.indices
    values = np.frombuffer(rows.buffers()[1], np.int32)
    return values[rows.offset : rows.offset + len(rows)]


def take(column: Ids, rows: npt.NDArray[np.integer[Any]]) -> Ids:
    """Return the ids of ``rows``, in that order."""
    if has_dictionary(column):
        return kernels.take(column, from_integers(rows))
    if not len(rows):
        return _column([], b"")  # a slice would keep the whole column in memory
    start, length, text = spans(column)
    length = length[rows]
    ends = np.cumsum(length)
    if ends[-1] > SMALL or len(text) > np.iinfo(np.int32).max:
        return kernels.take(column, from_integers(rows))
    # Position of every byte in the joined text; 32-bit positions halve the time.
    byte_places = np.repeat((start[rows] - (ends - length)).astype(np.int32), length)
    byte_places += np.arange(len(byte_places), dtype=np.int32)
    return _column(length, text.take(byte_places))


def joined(columns: Sequence[Ids]) -> Ids:
    """Concatenate columns."""
    if len({column.type for column in columns}) > 1:
        columns = [plain(column) for column in columns]
    return pa.concat_arrays(list(columns))


def release() -> None:
    """Return unused Arrow memory to the system."""
    pa.default_memory_pool().release_unused()


def longest(column: Ids) -> int:
    """Return the length of the longest id in bytes, 0 if there is none."""
    return int(np.diff(offsets(column)).max(initial=0))


def spans(column: Ids) -> tuple[IntArray, IntArray, npt.NDArray[np.uint8]]:
    """Return the start and length of each id in the joined text, and that text."""
    ends, data = offsets(column), column.buffers()[2]
    text = np.frombuffer(data or b"", np.uint8)
    return ends[:-1] - ends[0], np.diff(ends), text[ends[0] : ends[-1]]


def offsets(column: Ids) -> IntArray:
    """Return where the first id begins in the joined text, and where each one ends."""
    column = column.dictionary if has_dictionary(column) else column
    ends = np.frombuffer(column.buffers()[1], np.int64)
    return ends[column.offset : column.offset + len(column) + 1]


def from_integers(rows: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """Return whole numbers as an Arrow array."""
    data = np.ascontiguousarray(rows, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(data), [None, pa.py_buffer(data)])


# --- Keys of ids: numbers for comparing, sorting and finding them

_PROBED = 2000  # ids; if most of these differ, most of all are assumed to differ
_AT_ONCE = 1 << 20  # ids per step; intermediate results need several times their memory
_FEW = 1 << 15  # runs of equal ids up to which Python compares the values


def runs(column: Ids) -> tuple[Ids, IntArray]:
    """Return the id of each run of equal ids, and where the run ends."""
    begins = _begins(column)
    ends = np.append(begins, len(column))[1:]
    if has_dictionary(column):
        return take(column.dictionary, indices(column)[begins]), ends
    return take(column, begins), ends


def _begins(column: Ids) -> IntArray:
    new = np.ones(len(column), dtype=np.bool_)
    if has_dictionary(column):
        codes = indices(column)
        np.not_equal(codes[1:], codes[:-1], out=new[1:])
        return np.flatnonzero(new)
    word, length = _words(column), np.diff(offsets(column))
    new[1:] = (word[1:] != word[:-1]) | (length[1:] != length[:-1])
    alike = np.flatnonzero(~new & (length > 8))
    if len(alike):
        new[alike] = ~same(take(column, alike), take(column, alike - 1))
    return np.flatnonzero(new)


def number(column: Ids) -> tuple[Ids, IntArray]:
    """Assign numbers to the distinct ids in byte order."""
    if has_dictionary(column):
        used = np.flatnonzero(np.bincount(indices(column), minlength=len(column.dictionary)))
        distinct, codes = number(take(column.dictionary, used))
        code_of = np.zeros(len(column.dictionary), dtype=np.int64)
        code_of[used] = codes
        return distinct, code_of[indices(column)]
    rows = _few_begins(column)
    if rows is not None:
        names = unpack(take(column, rows))
        distinct = sorted(set(names))
        return pack(distinct), _repeated(names, distinct, rows, len(column))
    if kernels.all(kernels.less(column[:-1], column[1:])).as_py():
        return column, np.arange(len(column))
    encoded = kernels.dictionary_encode(column)
    order = integers(kernels.sort_indices(encoded.dictionary))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return take(encoded.dictionary, order), place[integers(encoded.indices)]


def _few_begins(column: Ids) -> IntArray | None:
    """Return the result of :func:`_begins` if it is short, else None."""
    if len(column) > _FEW and 2 * len(_begins(column[:_PROBED])) > _PROBED:
        return None
    rows = _begins(column)
    return rows if len(rows) <= _FEW else None


def _repeated(
    names: list[bytes], distinct: Sequence[bytes], rows: IntArray, n_rows: int
) -> IntArray:
    """Return the index in ``distinct`` of each row's name; ``rows`` are the starts of runs."""
    place = {name: i for i, name in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
    return np.repeat(codes, np.diff(rows, append=n_rows))


def code(column: Ids) -> tuple[Ids, IntArray]:
    """Assign numbers to distinct ids by first appearance; cheaper than :func:`number`."""
    if has_dictionary(column):
        where, n_rows = indices(column), len(column)
        first = np.full(len(column.dictionary), n_rows)
        first[where[::-1]] = np.arange(n_rows)[::-1]
        used = np.argsort(first, kind="stable")[: np.count_nonzero(first < n_rows)]
        code_of = np.zeros(len(first), dtype=np.int64)
        code_of[used] = np.arange(len(used))
        return take(column.dictionary, used), code_of[where]
    rows = _few_begins(column)
    if rows is not None:
        names = unpack(take(column, rows))
        distinct = list(dict.fromkeys(names))
        return pack(distinct), _repeated(names, distinct, rows, len(column))
    encoded = kernels.dictionary_encode(column)
    return encoded.dictionary, integers(encoded.indices)


def place(distinct: Ids, value: bytes) -> int:
    """Return the index of an id among sorted distinct ids; -1 if it is not there."""
    rows = range(len(distinct))
    row = bisect_left(rows, value, key=lambda row: unpack(distinct[row : row + 1])[0])
    return row if row in rows and unpack(distinct[row : row + 1]) == [value] else -1


def same(first: Ids, second: Ids) -> BoolArray:
    """Compare the ids of two columns row by row."""
    first, second = plain(first), plain(second)
    start, length, text = spans(first)
    start_other, length_other, text_other = spans(second)
    is_same: BoolArray = (length == length_other) & (_words(first) == _words(second))
    words, words_other = _eights(text, "<u8"), _eights(text_other, "<u8")
    rows, position = np.flatnonzero(is_same & (length > 8)), 8
    while len(rows):
        unlike = words[start[rows] + position] ^ words_other[start_other[rows] + position]
        unlike <<= np.maximum(8 * (position + 8) - 8 * length[rows], 0).view(np.uint64)
        is_same[rows[unlike != 0]] = False
        position += 8
        rows = rows[(unlike == 0) & (length[rows] > position)]
    return is_same


def distinct(column: Ids) -> list[str]:
    """Return the distinct ids as text, in order of appearance."""
    return decode(code(column)[0])


def order(column: Ids) -> IntArray:
    """Return each row's position in byte order: int64[n]; equal ids get different positions."""
    _, length, text = spans(column)
    width = int(length.max(initial=1))
    if width * len(length) > SMALL:
        ascending = integers(kernels.sort_indices(column))
    else:
        padded = np.zeros((len(length), width), dtype=np.uint8)
        padded[np.arange(width) < length[:, None]] = text
        # Sort by length first, because numpy ignores NULs at the end of an id.
        shorter = np.argsort(length, kind="stable")
        ascending = shorter[np.argsort(padded.view(f"S{width}").ravel()[shorter], kind="stable")]
    place = np.empty_like(ascending)
    place[ascending] = np.arange(len(ascending))
    return place


def order_within(group: IntArray, column: Ids) -> IntArray:
    """Sort rows by group, and within a group by the bytes of their ids."""
    if len(group) <= _AT_ONCE:
        return _order_within(group, column)
    rows: IntArray = np.argsort(group, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(group[rows])) + 1, len(rows))
    cuts = ends[np.searchsorted(ends, np.arange(_AT_ONCE, len(rows), _AT_ONCE))]
    for part in np.split(rows, np.unique(cuts)):
        part[:] = part[_order_within(group[part], take(column, part))]
    return rows


def _order_within(group: IntArray, column: Ids) -> IntArray:
    first = _words(column)
    rows = np.lexsort((first, group))
    # Where the first eight bytes are equal, compare all bytes.
    alike = (group[rows[1:]] == group[rows[:-1]]) & (first[rows[1:]] == first[rows[:-1]])
    open_ = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
    chosen = rows[open_]
    rows[open_] = chosen[np.lexsort((order(take(column, chosen)), group[chosen]))]
    return rows


def _words(column: Ids) -> npt.NDArray[np.uint64]:
    """Return the first eight bytes of each id as a number in byte order."""
    if len(column) > _AT_ONCE:
        return _in_parts(_words, column)
    start, length, text = spans(column)
    words = _eights(text, ">u8")[start].astype(np.uint64)
    beyond = np.maximum(64 - 8 * length, 0).view(np.uint64)
    return words >> beyond << beyond


def _eights(text: npt.NDArray[np.uint8], kind: str) -> npt.NDArray[np.uint64]:
    """Return the eight bytes from every position on as a number, padded with zeros."""
    padded = np.concatenate([text, np.zeros(8, dtype=np.uint8)])
    return np.ndarray((len(padded) - 7,), kind, padded, strides=(1,))


def _in_parts(
    of_ids: Callable[[Ids], npt.NDArray[np.uint64]], column: Ids
) -> npt.NDArray[np.uint64]:
    """Apply a function to a column in parts, to limit memory."""
    starts = range(0, len(column), _AT_ONCE)
    return np.concatenate([of_ids(column[start : start + _AT_ONCE]) for start in starts])


def fingerprint(column: Ids) -> npt.NDArray[np.uint64]:
    """Return a 64-bit hash of each id; different ids almost never have the same hash."""
    if len(column) > _AT_ONCE:
        return _in_parts(fingerprint, column)
    start, length, text = spans(column)
    words = _eights(text, "<u8")
    bits = length.astype(np.uint64)
    rows: Any = slice(None)
    for byte in range(0, int(length.max(initial=0)), 8):
        if byte:
            is_first = isinstance(rows, slice)
            rows = np.flatnonzero(length > byte) if is_first else rows[length[rows] > byte]
        word = words[byte:][start[rows]]
        word <<= np.maximum(8 * (byte + 8) - 8 * length[rows], 0).view(np.uint64)  # past the end
        word ^= bits[rows]
        # The finaliser of MurmurHash3 (Appleby 2011), in place.
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            word ^= word >> np.uint64(33)
            word *= np.uint64(factor)
        word ^= word >> np.uint64(33)
        bits[rows] = word
    return bits
