"""Columns of ids, and their keys: the numbers by which they are told apart, ordered and found."""

# An id is bytes exactly as they stand in the file, in Arrow's compact form, and not text: it is
# whatever the file holds (ISO-8859-1 too), and the order of bytes is that of trec_eval's `strcmp`.
# Text is made at the edges only, with `surrogateescape`, so that no byte is lost on the way.
# Arrow's own conversions (`pa.array`, `to_numpy`, `to_pylist`, scalars) import pandas where it is
# installed, 0.2 s at the first call; what is here goes through buffers instead. Of an everyday file
# numpy does what Arrow's kernels do for large ones: they take longer to import than it to read.

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
    """Arrow's kernels by their names, imported when one is asked for."""

    # `pyarrow.compute` writes a Python function for each of its hundreds of kernels when it is
    # imported, which takes longer than reading an everyday file: that does without.

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a function of Arrow arrays
        from pyarrow import compute

        return getattr(compute, name)


kernels = _Kernels()


# --- Columns of ids: bytes exactly as they stand in the file, in Arrow's compact form

# A pyarrow.LargeBinaryArray without nulls; pyarrow has no types of its own to check against. Query
# ids may be a DictionaryArray of one; unpack and spans, which go to the bytes, take no such column.
Ids: TypeAlias = Any

SMALL = 1 << 21  # bytes of ids that are left to numpy
MOST_ID = 1 << 16  # bytes; a document's URL has a thousand
TOO_LONG = f"an id is longer than {MOST_ID >> 10} kB"


def encode(values: Sequence[str]) -> Ids:
    """Return a column of the ids' bytes."""
    text = "".join(values)
    if text.isascii():
        return _column(list(map(len, values)), text.encode())
    return pack([value.encode("utf-8", "surrogateescape") for value in values])


def pack(values: Sequence[bytes]) -> Ids:
    """Return a column of byte strings."""
    return _column(list(map(len, values)), b"".join(values))


def _column(lengths: Sequence[int] | IntArray, data: bytes | npt.NDArray[np.uint8]) -> Ids:
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(lengths), buffers)


def numerals(n: int) -> Ids:
    """Return the column ``0 1 2 ...`` of so many ids."""
    texts = kernels.cast(from_integers(np.arange(n)), pa.large_string())
    return kernels.cast(texts, pa.large_binary())


def unpack(column: Ids) -> list[bytes]:
    """Return the column's byte strings."""
    ends, data = offsets(column), column.buffers()[2]
    text = b"" if data is None else bytes(memoryview(data)[ends[0] : ends[-1]])
    return [text[a:b] for a, b in pairwise((ends - ends[0]).tolist())]


def decode(column: Ids) -> list[str]:
    r"""Return the column as text; a byte that is not UTF-8 becomes a lone surrogate."""
    if len(column) > _AT_ONCE:
        release()
        parts = (column[index : index + _AT_ONCE] for index in range(0, len(column), _AT_ONCE))
        return list(chain.from_iterable(map(decode, parts)))
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
    return [value.decode("utf-8", "surrogateescape") for value in unpack(column)]


def integers(array: pa.Array) -> IntArray:
    """Return an Arrow array of whole numbers as int64; a null's value is arbitrary."""
    width = {"int32": np.int32, "uint32": np.uint32, "int64": np.int64, "uint64": np.uint64}
    values = np.frombuffer(array.buffers()[1], width[str(array.type)])
    return values[array.offset : array.offset + len(array)].astype(np.int64)


def plain(column: Ids) -> Ids:
    """Return the column with every id written out."""
    return column if not has_dictionary(column) else take(column.dictionary, indices(column))


def coded(column: Ids) -> Ids:
    """Return the column with every id written out once, where most stand there again."""
    if has_dictionary(column):
        return column
    distinct, codes = code(column)
    if 4 * len(distinct) > len(column):
        return column
    rows = pa.py_buffer(codes.astype(np.int32))
    where = pa.Array.from_buffers(pa.int32(), len(column), [None, rows])
    return pa.DictionaryArray.from_arrays(where, distinct)


def has_dictionary(column: Ids) -> bool:
    """Whether the distinct ids are written out once, and each row says which is its own."""
    return isinstance(column, pa.DictionaryArray)


def indices(column: Ids) -> npt.NDArray[np.int32]:
    """Return where each row's id stands in the dictionary."""
    rows = column.indices
    values = np.frombuffer(rows.buffers()[1], np.int32)
    return values[rows.offset : rows.offset + len(rows)]


def take(column: Ids, rows: npt.NDArray[np.integer[Any]]) -> Ids:
    """Return the rows' ids, in the order of ``rows``."""
    if has_dictionary(column):
        return kernels.take(column, from_integers(rows))
    if not len(rows):
        return _column([], b"")  # a slice would hold the whole column in memory
    start, length, text = spans(column)
    length = length[rows]
    ends = np.cumsum(length)
    if ends[-1] > SMALL or len(text) > np.iinfo(np.int32).max:
        return kernels.take(column, from_integers(rows))
    # Of every byte its place in the text of all; half as wide, it takes half as long.
    byte_places = np.repeat((start[rows] - (ends - length)).astype(np.int32), length)
    byte_places += np.arange(len(byte_places), dtype=np.int32)
    return _column(length, text.take(byte_places))


def joined(columns: Sequence[Ids]) -> Ids:
    """Return the columns one behind the other."""
    if len({column.type for column in columns}) > 1:
        columns = [plain(column) for column in columns]
    return pa.concat_arrays(list(columns))


def release() -> None:
    """Give the system back what Arrow keeps of columns that are gone."""
    pa.default_memory_pool().release_unused()


def longest(column: Ids) -> int:
    """Return the number of bytes of the longest id, 0 of none."""
    return int(np.diff(offsets(column)).max(initial=0))


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


def from_integers(rows: npt.NDArray[np.integer[Any]]) -> pa.Array:
    """Return whole numbers as an Arrow array."""
    data = np.ascontiguousarray(rows, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(data), [None, pa.py_buffer(data)])


# --- Keys of ids: the numbers by which they are told apart, put in order and found again

_PROBED = 2000  # ids: where most of the first are different, most of all are taken to be
_AT_ONCE = 1 << 20  # ids: what is found on the way takes several times their memory
_FEW = 1 << 15  # runs of equal ids whose values Python tells apart


def runs(column: Ids) -> tuple[Ids, IntArray]:
    """Return the id of each stretch of rows with the same one, and where it ends."""
    begins = _begins(column)
    ends = np.append(begins, len(column))[1:]
    if has_dictionary(column):
        return take(column.dictionary, indices(column)[begins]), ends
    return take(column, begins), ends


def _begins(column: Ids) -> IntArray:
    """Return the rows at which another id stands than in the row before."""
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
    """Give each distinct id its number in byte order."""
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
    """Return what :func:`_begins` does where they are few; None where they are not."""
    if len(column) > _FEW and 2 * len(_begins(column[:_PROBED])) > _PROBED:
        return None
    rows = _begins(column)
    return rows if len(rows) <= _FEW else None


def _repeated(
    names: list[bytes], distinct: Sequence[bytes], rows: IntArray, n_rows: int
) -> IntArray:
    """Return the place among ``distinct`` of the name of each row, of which ``rows`` begin runs."""
    place = {name: i for i, name in enumerate(distinct)}
    codes = np.fromiter(map(place.__getitem__, names), np.int64, len(names))
    return np.repeat(codes, np.diff(rows, append=n_rows))


def code(column: Ids) -> tuple[Ids, IntArray]:
    """Give each distinct id its number in order of appearance; cheaper than :func:`number`."""
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
    """Return where an id stands among distinct ones that ascend by bytes; -1 where it does not."""
    rows = range(len(distinct))
    row = bisect_left(rows, value, key=lambda row: unpack(distinct[row : row + 1])[0])
    return row if row in rows and unpack(distinct[row : row + 1]) == [value] else -1


def same(first: Ids, second: Ids) -> BoolArray:
    """Whether the ids of two columns are the same, row by row."""
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
    """Return each row's place in byte order: int64[n]; equal ids have different places."""
    _, length, text = spans(column)
    width = int(length.max(initial=1))
    if width * len(length) > SMALL:
        ascending = integers(kernels.sort_indices(column))
    else:
        padded = np.zeros((len(length), width), dtype=np.uint8)
        padded[np.arange(width) < length[:, None]] = text
        # The shorter first, as numpy does not see NULs at an id's end.
        shorter = np.argsort(length, kind="stable")
        ascending = shorter[np.argsort(padded.view(f"S{width}").ravel()[shorter], kind="stable")]
    place = np.empty_like(ascending)
    place[ascending] = np.arange(len(ascending))
    return place


def order_within(group: IntArray, column: Ids) -> IntArray:
    """Return the rows by group, and within a group by the bytes of their ids."""
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
    # Where the first eight bytes do not tell, all of them do.
    alike = (group[rows[1:]] == group[rows[:-1]]) & (first[rows[1:]] == first[rows[:-1]])
    open_ = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
    chosen = rows[open_]
    rows[open_] = chosen[np.lexsort((order(take(column, chosen)), group[chosen]))]
    return rows


def _words(column: Ids) -> npt.NDArray[np.uint64]:
    """Return the first eight bytes of each id as a number that is as large as they come late."""
    if len(column) > _AT_ONCE:
        return _in_parts(_words, column)
    start, length, text = spans(column)
    words = _eights(text, ">u8")[start].astype(np.uint64)
    beyond = np.maximum(64 - 8 * length, 0).view(np.uint64)
    return words >> beyond << beyond


def _eights(text: npt.NDArray[np.uint8], kind: str) -> npt.NDArray[np.uint64]:
    """Return the eight bytes from every place on, as one number each; zeros follow the last."""
    padded = np.concatenate([text, np.zeros(8, dtype=np.uint8)])
    return np.ndarray((len(padded) - 7,), kind, padded, strides=(1,))


def _in_parts(
    of_ids: Callable[[Ids], npt.NDArray[np.uint64]], column: Ids
) -> npt.NDArray[np.uint64]:
    """Return what a function gives for each id, of which it takes many a part at a time."""
    starts = range(0, len(column), _AT_ONCE)
    return np.concatenate([of_ids(column[start : start + _AT_ONCE]) for start in starts])


def fingerprint(column: Ids) -> npt.NDArray[np.uint64]:
    """Return 64 bits of each id; equal ids have equal ones, different ids hardly ever."""
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
        word <<= np.maximum(8 * (byte + 8) - 8 * length[rows], 0).view(np.uint64)  # what is beyond
        word ^= bits[rows]
        # Stirred in place: the finaliser of MurmurHash3 (Appleby 2011).
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            word ^= word >> np.uint64(33)
            word *= np.uint64(factor)
        word ^= word >> np.uint64(33)
        bits[rows] = word
    return bits
