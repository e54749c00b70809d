"""Decimal numbers in text, a column at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import ids, kernels

# Sizes between which, and where it is no whole number, Arrow writes a number as Python does.
WRITTEN_ALIKE = (1e-4, 1e9)
# Numbers with more digits before the point are read one at a time.
MOST_WHOLE = 17


def count_decimals(texts: Sequence[str]) -> IntArray:
    """Return the decimals of each plain number such as ``-0.25`` or ``12``.

    Returns
    -------
    int64[n]
        -1 where a text is anything else: an exponent, a bare point, a word, nothing.

    Examples
    --------
    >>> count_decimals(["0.25", "12", "-7.125", "1e-5", ".5", "1.2.3", "-", ""])
    array([ 2,  0,  3, -1, -1, -1, -1, -1])
    """
    data = np.frombuffer("\n".join([*texts, ""]).encode("ascii", "replace"), np.uint8)
    # All characters that are not digits: line ends, signs and decimal points.
    others = np.flatnonzero((data < ord("0")) | (data > ord("9")))
    kind = data[others]
    last = np.flatnonzero(kind == ord("\n"))
    end = others[last]
    if len(end) != len(texts) or not len(end):
        # A text of two lines is no number; it is read one at a time, which reports it.
        return np.full(len(texts), -1)
    start = np.append(0, end[:-1] + 1)
    signed = data[start] == ord("-")
    # The point, if there is one, is the last before the end.
    before = np.maximum(last - 1, 0)
    has_point = (kind[before] == ord(".")) & (others[before] >= start)
    point = np.where(has_point, others[before], end)
    n_others = np.diff(last, prepend=-1)
    whole, decimals = point - start - signed, end - point - has_point
    plain = (n_others == 1 + signed + has_point) & (decimals >= has_point)
    plain &= (whole >= 1) & (whole <= MOST_WHOLE)
    return np.where(plain, decimals, -1)


def written(values: FloatArray, separator: str) -> str:
    """Return the shortest decimals that are read back as these numbers, as Python writes them.

    Parameters
    ----------
    values : float64[n]
        Finite; more than none.
    separator : str
        What stands between two of them.

    Examples
    --------
    >>> written(np.array([0.5, 1.0, 1e-5, 0.1]), ",")
    '0.5,1.0,1e-05,0.1'
    """
    n = len(values)
    data = pa.py_buffer(np.ascontiguousarray(values, np.float64))
    texts = kernels.cast(pa.Array.from_buffers(pa.float64(), n, [None, data]), pa.string())
    sizes = np.abs(values)
    alike = (sizes >= WRITTEN_ALIKE[0]) & (sizes < WRITTEN_ALIKE[1]) & (values != np.floor(values))
    if not alike.all():
        bits = pa.py_buffer(np.packbits(~alike, bitorder="little"))
        others = pa.Array.from_buffers(pa.bool_(), n, [None, bits])
        texts = kernels.replace_with_mask(
            texts, others, _texts(list(map(repr, values[~alike].tolist())))
        )
    ends = pa.py_buffer(np.array([0, n], np.int32))
    ends = pa.Array.from_buffers(pa.int32(), 2, [None, ends])
    joined = kernels.binary_join(pa.ListArray.from_arrays(ends, texts), _texts([separator]))
    return ids.decode(kernels.cast(joined, pa.large_binary()))[0]


def _texts(texts: list[str]) -> Any:  # noqa: ANN401 - a column of Arrow's
    return kernels.cast(ids.encode(texts), pa.string())
