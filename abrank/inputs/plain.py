"""Plain TREC files at Arrow's speed.

Whatever is not plain (a comment, a blank line inside, a bad line, a number that Arrow spells
differently) is left to the careful parser in ``lines``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import ids, kernels
from abrank.inputs.columns import RUN, Layout

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_DIGITS = 18  # a whole number of 18 digits always fits 64 bits

_TO_BLANK = bytes.maketrans(b"\t\v\f\r", b"    ")


@dataclass
class Rows:
    """What either parser gives: columns without their source."""

    query: Any
    doc: Any
    value: Any
    position: Any
    rank: IntArray | None
    tags: tuple[str, ...]
    subtopic: Any = None
    n_comments: int = 0


def parse_fast(data: bytes, layout: Layout) -> Rows | None:
    """Parse a file without comments, inner blank lines or bad lines; None if it is not such a file.

    Gives the same rows as the careful parser wherever it gives any.
    """
    plain = _plain(data)
    if plain is None:
        return None
    n_fields = plain[: plain.find(b"\n") + 1 or None].count(b" ") + 1
    if n_fields < layout.n_fields or (layout is not RUN and n_fields != layout.n_fields):
        return None
    try:
        table = _table(plain, n_fields, layout)
        value = _scores(table["value"]) if layout is RUN else _grades(table["value"])
    except pa.ArrowInvalid:
        return None
    if value is None:
        return None
    return Rows(
        query=table["query"].combine_chunks(),
        doc=table["doc"].combine_chunks(),
        value=value,
        position=np.arange(1, len(value) + 1),
        rank=_digits(table["rank"]) if layout is RUN else None,
        tags=tuple(ids.decode(kernels.unique(table["tag"]))) if layout is RUN else (),
        subtopic=None if layout is RUN else table["subtopic"].combine_chunks(),
    )


def _plain(data: bytes) -> bytes | None:
    """Return the text with one blank between fields and none at a line's ends, if that is safe."""
    if b"\0" in data or data.startswith(b"#") or b"\n#" in data:
        return None
    data = one_blank(data)
    if data.endswith((b" ", b"\n\n")):  # else the copy of a large file is saved
        data = data.rstrip(b" \n")
    # Arrow skips a byte order mark and blank lines without a word; with blank lines gone its rows
    # are no longer the file's lines.
    if not data or data.startswith((b"\n", BYTE_ORDER_MARK)) or b"\n\n" in data:
        return None
    return data


def one_blank(data: bytes) -> bytes:
    r"""Return the text with one blank between fields and none at a line's ends.

    Examples
    --------
    >>> one_blank(b" 301\tQ0  d1 \n")
    b'301 Q0 d1\n'
    """
    if any(separator in data for separator in (b"\t", b"\v", b"\f", b"\r")):
        data = data.translate(_TO_BLANK)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    if b" \n" in data or b"\n " in data:
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    return data.lstrip(b" ")


def _table(plain: bytes, n_fields: int, layout: Layout) -> Any:  # noqa: ANN401 - a pyarrow.Table
    names = [f"field {i}" for i in range(n_fields)]
    names[0], names[2], names[layout.value_at] = "query", "doc", "value"
    types = {"query": pa.large_binary(), "doc": pa.large_binary()}
    if layout is RUN:
        names[3], names[5] = "rank", "tag"
        types |= {"value": pa.float64(), "rank": pa.string(), "tag": pa.large_binary()}
    else:
        names[1] = "subtopic"
        types |= {"value": pa.string(), "subtopic": pa.large_binary()}
    return pyarrow.csv.read_csv(
        pa.BufferReader(plain),
        pyarrow.csv.ReadOptions(column_names=names),
        pyarrow.csv.ParseOptions(delimiter=" ", quote_char=False),
        pyarrow.csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _scores(column: Any) -> FloatArray | None:  # noqa: ANN401 - an Arrow column
    """Return the scores, or None if one is not finite."""
    chunks = [
        np.frombuffer(chunk.buffers()[1], np.float64)[chunk.offset : chunk.offset + len(chunk)]
        for chunk in column.chunks
    ]
    values = np.concatenate(chunks)
    return values if np.isfinite(values).all() else None


def _grades(column: Any) -> IntArray | None:  # noqa: ANN401
    """Return the grades, or None if one is anything but digits behind at most one minus."""
    return _whole(column, kernels.trim_left(column, "-"))


def _digits(column: Any) -> IntArray | None:  # noqa: ANN401
    """Return the ranks, or None if one is anything but digits."""
    try:
        return _whole(column, column)
    except pa.ArrowInvalid:
        return None


def _whole(column: Any, digits: Any) -> IntArray | None:  # noqa: ANN401
    # Arrow would read 0x1f as 31, so the digits are looked at first.
    if not all(
        len(kernels.indices_nonzero(kernels.is_decimal(chunk))) == len(chunk)
        for chunk in digits.chunks
    ):
        return None
    values = ids.integers(kernels.cast(column, pa.int64()).combine_chunks())
    return values if np.abs(values).max() < 10**MOST_DIGITS else None
