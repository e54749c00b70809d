"""Keys of ids: the numbers by which they are told apart, put in order and found again.

The order is that of the ids' bytes, which is the order of trec_eval's ``strcmp``. Small columns go
through numpy and Python, large ones through Arrow's kernels, whose import takes longer than an
everyday file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import ids, kernels
from abrank.inputs.ids import Ids

if TYPE_CHECKING:
    import numpy.typing as npt

_PROBED = 2000  # ids: where most of the first are different, most of all are taken to be
_LONG = 1 << 10  # bytes of an id that are looked at eight at a time
_FEW = 1 << 15  # runs of equal ids whose values Python tells apart
_MOST_ROWS = 50_000  # of a column that is read without Arrow's kernels, whose import takes longer


def runs(column: Ids) -> tuple[Ids, IntArray]:
    """Return the id of each stretch of rows with the same one, and the place behind its last row.

    Examples
    --------
    >>> values, ends = runs(ids.encode(["a", "a", "b", "a"]))
    >>> ids.decode(values), ends
    (['a', 'b', 'a'], array([2, 3, 4]))
    """
    begins = _begins(column)
    ends = np.append(begins, len(column))[1:]
    if ids.has_dictionary(column):
        return ids.take(column.dictionary, ids.indices(column)[begins]), ends
    return ids.take(column, begins), ends


def _begins(column: Ids) -> IntArray:
    """Return the rows at which another id stands than in the row before."""
    new = np.ones(len(column), dtype=np.bool_)
    if ids.has_dictionary(column):
        codes = ids.indices(column)
        np.not_equal(codes[1:], codes[:-1], out=new[1:])
        return np.flatnonzero(new)
    if len(column) > _MOST_ROWS:
        ends = ids.integers(kernels.run_end_encode(column).run_ends)
        return np.append(0, ends[:-1])
    word, length = _words(column), np.diff(ids.offsets(column))
    new[1:] = (word[1:] != word[:-1]) | (length[1:] != length[:-1])
    alike = np.flatnonzero(~new & (length > 8))
    if len(alike):
        new[alike] = ~same(ids.take(column, alike), ids.take(column, alike - 1))
    return np.flatnonzero(new)


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
    >>> distinct, codes = number(ids.encode(["302", "301", "302"]))
    >>> ids.decode(distinct), codes
    (['301', '302'], array([1, 0, 1]))
    """
    if ids.has_dictionary(column):
        used, row = np.unique(ids.indices(column), return_inverse=True)
        distinct, codes = number(ids.take(column.dictionary, used))
        return distinct, codes[row]
    rows = _few_begins(column)
    if rows is not None:
        names = ids.unpack(ids.take(column, rows))
        distinct = sorted(set(names))
        return ids.pack(distinct), _repeated(names, distinct, rows, len(column))
    if kernels.all(kernels.less(column[:-1], column[1:])).as_py():
        return column, np.arange(len(column))
    first = column[:_PROBED]
    if 2 * len(kernels.unique(first)) > len(first):
        return _number_sorted(column)
    encoded = kernels.dictionary_encode(column)
    order = ids.integers(kernels.sort_indices(encoded.dictionary))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return ids.take(encoded.dictionary, order), place[ids.integers(encoded.indices)]


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


def _number_sorted(column: Ids) -> tuple[Ids, IntArray]:
    """Do what :func:`number` does where most ids are different: a table of them would be slow."""
    order = ids.integers(kernels.sort_indices(column))
    ascending = ids.take(column, order)
    new = np.zeros(len(order), dtype=np.bool_)
    new[0] = True
    rises = kernels.less(ascending[:-1], ascending[1:])
    new[1 + ids.integers(kernels.indices_nonzero(rises))] = True
    codes = np.empty(len(order), dtype=np.int64)
    codes[order] = np.cumsum(new) - 1
    if new.all():
        return ascending, codes
    return ids.take(ascending, np.flatnonzero(new)), codes


def code(column: Ids) -> tuple[Ids, IntArray]:
    """Give each distinct id its number in order of appearance; cheaper than :func:`number`.

    Examples
    --------
    >>> distinct, codes = code(ids.encode(["302", "301", "302"]))
    >>> ids.decode(distinct), codes
    (['302', '301'], array([0, 1, 0]))
    """
    column = ids.plain(column)
    rows = _few_begins(column)
    if rows is not None:
        names = ids.unpack(ids.take(column, rows))
        distinct = list(dict.fromkeys(names))
        return ids.pack(distinct), _repeated(names, distinct, rows, len(column))
    encoded = kernels.dictionary_encode(column)
    return encoded.dictionary, ids.integers(encoded.indices)


def place(distinct: Ids, value: bytes) -> int:
    """Return where an id stands among distinct ones that ascend by bytes; -1 where it does not.

    Examples
    --------
    >>> place(ids.encode(["a", "c"]), b"c"), place(ids.encode(["a", "c"]), b"b")
    (1, -1)
    """
    rows = range(len(distinct))
    at = bisect_left(rows, value, key=lambda row: ids.unpack(distinct[row : row + 1])[0])
    return at if at in rows and ids.unpack(distinct[at : at + 1]) == [value] else -1


def same(one: Ids, other: Ids) -> BoolArray:
    """Whether the ids of two columns are the same, row by row.

    Examples
    --------
    >>> same(ids.encode(["a", "b"]), ids.encode(["a", "c"]))
    array([ True, False])
    """
    one, other = ids.plain(one), ids.plain(other)
    start, length, text = ids.spans(one)
    start_other, length_other, text_other = ids.spans(other)
    found: BoolArray = (length == length_other) & (_words(one) == _words(other))
    words, words_other = _eights(text, "<u8"), _eights(text_other, "<u8")
    rows, at = np.flatnonzero(found & (length > 8)), 8
    while len(rows):
        unlike = words[start[rows] + at] ^ words_other[start_other[rows] + at]
        unlike <<= np.maximum(8 * (at + 8) - 8 * length[rows], 0).view(np.uint64)
        found[rows[unlike != 0]] = False
        at += 8
        rows = rows[(unlike == 0) & (length[rows] > at)]
    return found


def distinct(column: Ids) -> list[str]:
    """Return the distinct ids as text, in order of appearance.

    Examples
    --------
    >>> distinct(ids.encode(["bm25", "bm25"])), distinct(ids.encode(["b", "a", "b"]))
    (['bm25'], ['b', 'a'])
    """
    _, length, text = ids.spans(column)
    # Nearly every run has one tag, and bytes are compared faster than tags are looked up.
    if len(column) and (length == length[0]).all():
        first = text[: length[0]].tobytes()
        if text.tobytes() == first * len(column):
            return [first.decode("utf-8", "surrogateescape")]
    return ids.decode(code(column)[0])


def order(column: Ids) -> IntArray:
    """Return each row's place in byte order: int64[n]; equal ids have different places.

    Examples
    --------
    >>> order(ids.encode(["b", "a", "é", "c"]))
    array([1, 0, 3, 2])
    """
    ascending = _ascending(column)
    place = np.empty_like(ascending)
    place[ascending] = np.arange(len(ascending))
    return place


def _ascending(column: Ids) -> IntArray:
    """Return the rows in byte order."""
    _, length, text = ids.spans(column)
    width = int(length.max(initial=1))
    if width * len(length) > ids.SMALL:
        return ids.integers(kernels.sort_indices(column))
    padded = np.zeros((len(length), width), dtype=np.uint8)
    padded[np.arange(width) < length[:, None]] = text
    # The shorter first, as numpy does not see NULs at an id's end.
    shorter = np.argsort(length, kind="stable")
    return shorter[np.argsort(padded.view(f"S{width}").ravel()[shorter], kind="stable")]


def order_within(group: IntArray, column: Ids) -> IntArray:
    """Return the rows by group, and within a group by the bytes of their ids.

    Parameters
    ----------
    group : int64[n]
        Numbers.

    Examples
    --------
    >>> order_within(np.array([1, 0, 1, 1]), ids.encode(["b", "a", "long-id-2", "long-id-1"]))
    array([1, 0, 3, 2])
    """
    first = _words(column)
    rows = np.lexsort((first, group))
    # Where the first eight bytes do not tell, all of them do.
    alike = (group[rows[1:]] == group[rows[:-1]]) & (first[rows[1:]] == first[rows[:-1]])
    open_ = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
    chosen = rows[open_]
    rows[open_] = chosen[np.lexsort((order(ids.take(column, chosen)), group[chosen]))]
    return rows


def _words(column: Ids) -> npt.NDArray[np.uint64]:
    """Return the first eight bytes of each id as a number that is as large as they come late."""
    start, length, text = ids.spans(column)
    words = _eights(text, ">u8")[start].astype(np.uint64)
    beyond = np.maximum(64 - 8 * length, 0).view(np.uint64)
    return words >> beyond << beyond


def _eights(text: npt.NDArray[np.uint8], kind: str) -> npt.NDArray[np.uint64]:
    """Return the eight bytes from every place on, as one number each; zeros follow the last."""
    padded = np.concatenate([text, np.zeros(8, dtype=np.uint8)])
    return np.ndarray((len(padded) - 7,), kind, padded, strides=(1,))


def fingerprint(column: Ids) -> npt.NDArray[np.uint64]:
    """Return 64 bits of each id; equal ids have equal ones, different ids hardly ever.

    Examples
    --------
    >>> a, b, again = fingerprint(ids.encode(["d1", "a-long-document-id", "d1"]))
    >>> bool(a == again), bool(a == b)
    (True, False)
    """
    start, length, text = ids.spans(column)
    words = _eights(text, "<u8")
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


def _mix(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Stir 64 bits, in place (the finaliser of MurmurHash3, Appleby 2011)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits ^= bits >> np.uint64(33)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(33)
    return bits
