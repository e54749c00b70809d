"""Read plain tables of text with Arrow, where the careful reader would give the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

_BLOCK = 4 << 20


def plain_table(data: bytes, delimiter: str) -> bytes | None:
    r"""Return a table with LF at its lines' ends, or None where it is not plain.

    Plain is a table without empty cells, empty lines, and blanks at a cell's ends: those that Arrow
    and the careful reader read alike. Quotes around whole cells are taken off; a table with any
    other quote, or that needs its quotes, is not plain; between blanks a quote is text.
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    data = data.rstrip(b"\n")
    if not data or b"\r" in data or b"\0" in data:
        return None
    mark = ord(delimiter)
    if b'"' in data:
        unquoted = None if delimiter == " " else _unquoted(data, mark)
        if not unquoted:
            return None
        data = unquoted
    for at in range(0, len(data), _BLOCK):
        part = np.frombuffer(data, np.uint8, min(_BLOCK + 1, len(data) - at), at)
        ends = (part <= ord(" ")) | (part == mark)
        if (ends[1:] & ends[:-1]).any() or (at == 0 and ends[0]):
            return None
    return None if data[-1] <= ord(" ") or data[-1] == mark else data


def _unquoted(data: bytes, mark: int) -> bytes | None:
    """Return a table without the quotes around its cells; None where a quote is anything else."""
    text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opening, closing = quotes[0::2], quotes[1::2]
    ends = (text == mark) | (text == ord("\n"))
    if len(quotes) % 2 or not (ends[opening - 1].all() and ends[closing + 1].all()):
        return None
    # Between an opening quote and its closing one no cell may end.
    if np.logical_or.reduceat(ends, quotes)[0::2].any():
        return None
    return bytes(text[1:-1][text[1:-1] != ord('"')])


def read_plain(
    plain: bytes, *, delimiter: str, names: Sequence[str], types: Mapping[str, Any], skip: int = 1
) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Return the columns of a plain table that ``types`` names."""
    return pyarrow.csv.read_csv(
        pa.BufferReader(plain),
        pyarrow.csv.ReadOptions(
            use_threads=len(plain) > _BLOCK,
            block_size=max(_BLOCK, min(len(plain), 1 << 20)),
            column_names=list(names),
            skip_rows=skip,
        ),
        pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
        pyarrow.csv.ConvertOptions(
            column_types=dict(types),
            include_columns=list(types),
            null_values=[],
            strings_can_be_null=False,
        ),
    )
