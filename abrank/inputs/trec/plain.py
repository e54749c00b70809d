"""Plain TREC files, read by Arrow.

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
MOST_LINE = 1 << 20  # bytes
MOST_ID = 1 << 16  # bytes; a document's URL has a thousand

_STEP = 1 << 18  # bytes looked at together
_BLOCK = 4 << 20  # bytes that Arrow parses at once: a thread's work
_OTHER_BLANKS = (b"\t", b"\v", b"\f", b"\r")
_TO_BLANK = bytes.maketrans(b"".join(_OTHER_BLANKS), b"    ")


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

    Gives the same rows as the careful parser wherever it gives any. No line may be longer than
    ``MOST_LINE``.
    """
    plain = _plain(data)
    if plain is None:
        return None
    n_fields = plain[: plain.find(b"\n") + 1 or None].count(b" ") + 1
    if n_fields < layout.n_fields or (layout is not RUN and n_fields != layout.n_fields):
        return None
    try:
        return _run(plain, n_fields) if layout is RUN else _qrels(plain)
    except pa.ArrowInvalid:
        return None


def first_long_line(data: bytes) -> int:
    r"""Return where the first line begins that is longer than ``MOST_LINE`` bytes, or -1."""
    # A longer line fills one of the windows of half its length.
    half = MOST_LINE // 2
    for window in range(0, len(data) - half + 1, half):
        if data.find(b"\n", window, window + half) < 0:
            start = data.rfind(b"\n", 0, window) + 1
            end = data.find(b"\n", window + half)
            if (end if end >= 0 else len(data)) - start > MOST_LINE:
                return start
    return -1


def _plain(data: bytes) -> bytes | None:
    """Return the text with one blank between fields and none at a line's ends, if that is safe."""
    # One byte is found so much faster than two that it is looked for first.
    if b"\0" in data or data.startswith(b"#") or (b"#" in data and b"\n#" in data):
        return None
    # A CR alone parts fields, or is meant to end a line.
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    if not _regular(data):
        data = one_blank(data).rstrip(b" \n")
    # Arrow skips a byte order mark and blank lines without a word; with blank lines gone its rows
    # are no longer the file's lines.
    if not _regular(data) or data.startswith(BYTE_ORDER_MARK):
        return None
    return data


def _regular(data: bytes) -> bool:
    """Whether fields are parted by one blank and lines by one LF, with nothing at either end."""
    if not data or data[:1] in b" \n" or data.endswith(b" "):
        return False
    if any(byte in data for byte in _OTHER_BLANKS):
        return False
    for at in range(0, len(data), _STEP):
        count = min(_STEP + 1, len(data) - at)
        parts = np.frombuffer(data, np.uint8, count, at) <= ord(" ")
        if (parts[1:] & parts[:-1]).any():
            return False
    return True


def one_blank(data: bytes) -> bytes:
    r"""Return the text with one blank between fields and none at a line's ends."""
    if any(separator in data for separator in _OTHER_BLANKS):
        data = data.translate(_TO_BLANK)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    if b" \n" in data or b"\n " in data:
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    return data.lstrip(b" ")


def _run(plain: bytes, n_fields: int) -> Rows | None:
    names = ["query", "Q0", "doc", "rank", "value", "tag"]
    names += [f"field {i}" for i in range(len(names), n_fields)]
    types = {
        "query": pa.large_binary(),
        "doc": pa.large_binary(),
        "value": pa.float64(),
        "tag": pa.large_binary(),
    }
    table, rank = _with_ranks(plain, names, types)
    value = _scores(table["value"])
    query, doc = (table[name].combine_chunks() for name in ("query", "doc"))
    if value is None or max(map(ids.longest, (query, doc))) > MOST_ID:
        return None
    return Rows(
        query=query,
        doc=doc,
        value=value,
        position=np.arange(1, len(value) + 1),
        rank=rank,
        tags=tuple(ids.distinct(table["tag"].combine_chunks())),
    )


def _with_ranks(
    plain: bytes, names: list[str], types: dict[str, Any]
) -> tuple[Any, IntArray | None]:
    """Return the table and the ranks, if they are all digits and nothing else."""
    if not _may_hold_hexadecimals(plain):
        try:
            table = _table(plain, names, types | {"rank": pa.int64()})
        except pa.ArrowInvalid:
            pass  # a rank that is no number, or something worse
        else:
            rank = ids.integers(table["rank"].combine_chunks())
            digits = rank.min() > 0 or (rank.min() == 0 and b" -0" not in plain)
            if digits and rank.max() < 10**MOST_DIGITS:
                return table, rank
    table = _table(plain, names, types | {"rank": pa.string()})
    return table, _digits(table["rank"])


def _may_hold_hexadecimals(plain: bytes) -> bool:
    """Whether a field begins as 0x1f does, which Arrow would read as 31."""
    return any(letter in plain and b" 0" + letter in plain for letter in (b"x", b"X"))


def _qrels(plain: bytes) -> Rows | None:
    types = {"query": pa.large_binary(), "subtopic": pa.large_binary(), "doc": pa.large_binary()}
    names = [*types, "value"]
    if _may_hold_hexadecimals(plain):
        table = _table(plain, names, types | {"value": pa.string()})
        value = _grades(table["value"])
    else:
        table = _table(plain, names, types | {"value": pa.int64()})
        value = _moderate(ids.integers(table["value"].combine_chunks()))
    query, subtopic, doc = (table[name].combine_chunks() for name in ("query", "subtopic", "doc"))
    if value is None or max(map(ids.longest, (query, subtopic, doc))) > MOST_ID:
        return None
    return Rows(
        query=query,
        doc=doc,
        value=value,
        position=np.arange(1, len(value) + 1),
        rank=None,
        tags=(),
        subtopic=subtopic,
    )


def _table(plain: bytes, names: list[str], types: dict[str, Any]) -> Any:  # noqa: ANN401 - a pyarrow.Table
    return pyarrow.csv.read_csv(
        pa.BufferReader(plain),
        pyarrow.csv.ReadOptions(
            use_threads=len(plain) > _BLOCK, block_size=_BLOCK, column_names=names
        ),
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
    return _whole(column, kernels.ascii_ltrim(column, "-"))


def _digits(column: Any) -> IntArray | None:  # noqa: ANN401
    """Return the ranks, or None if one is anything but digits."""
    try:
        return _whole(column, column)
    except pa.ArrowInvalid:
        return None


def _whole(column: Any, digits: Any) -> IntArray | None:  # noqa: ANN401
    # Arrow would read 0x1f as 31, so the digits are looked at first.
    if not kernels.all(kernels.ascii_is_decimal(digits)).as_py():
        return None
    return _moderate(ids.integers(kernels.cast(column, pa.int64()).combine_chunks()))


def _moderate(values: IntArray) -> IntArray | None:
    """Return whole numbers, or None if one has more than ``MOST_DIGITS`` digits."""
    return values if np.abs(values).max() < 10**MOST_DIGITS else None
