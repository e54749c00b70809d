"""TREC lines to columns: at Arrow's speed if a file is plain, else line by line, in words.

A line is fields between C's ``isspace()`` bytes (blank, tab, LF, VT, FF, CR) and nothing else:
U+00A0 or U+2028 inside an id is part of it, as for trec_eval. Lines end at LF. Blank lines are
skipped; so are lines that begin with ``#``, as trec_eval 10 does (9 takes them for data). A UTF-8
byte order mark at the start is dropped (for trec_eval it becomes part of the first query's id).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np

from abrank._support.errors import BadLine, ReadError
from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.columns import RUN, Columns, Layout, Source
from abrank.inputs.plain import BYTE_ORDER_MARK, MOST_DIGITS, Rows, parse_fast

MOST_SHOWN = 20

_SCORE = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_GRADE = re.compile(rb"[+-]?[0-9]+")


def parse(
    data: bytes, layout: Layout, *, label: str, path: str | None = None, sha256: str | None = None
) -> Columns:
    r"""Parse the text of a run or qrels file.

    Parameters
    ----------
    data : bytes
        The unpacked file.
    layout : Layout
        ``RUN`` (six fields or more; only the first six count) or ``QRELS`` (exactly four).
    label : str
        What messages call the file.
    path, sha256 : str, optional
        Recorded in the source.

    Returns
    -------
    Columns

    Raises
    ------
    ReadError
        If a line cannot be used or there is none. Up to 20 bad lines are named, and their total.

    Examples
    --------
    >>> columns = parse(b"301 Q0 d1 1 2.5 bm25\n301 Q0 d2 2 1e0 bm25\n", RUN, label="bm25.run")
    >>> ids.decode(columns.doc), columns.value, columns.tags
    (['d1', 'd2'], array([2.5, 1. ]), ('bm25',))
    """
    marked = data.startswith(BYTE_ORDER_MARK)
    data = data.removeprefix(BYTE_ORDER_MARK)
    rows = parse_fast(data, layout)
    if rows is None:
        rows = parse_careful(data, layout, label)
    source = Source(path, sha256, len(rows.position), label, "line", rows.n_comments, marked)
    return Columns(
        rows.query,
        rows.doc,
        rows.value,
        rows.position,
        source,
        rank=rows.rank,
        tags=rows.tags,
        subtopic=rows.subtopic,
    )


@dataclass
class _Reading:
    """What the careful pass gathers."""

    query: list[bytes] = field(default_factory=list)
    doc: list[bytes] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    position: list[int] = field(default_factory=list)
    rank: list[bytes] = field(default_factory=list)
    tags: dict[bytes, None] = field(default_factory=dict)
    subtopic: list[bytes] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    n_bad: int = 0
    n_comments: int = 0
    widths: set[int] = field(default_factory=set)


def parse_careful(data: bytes, layout: Layout, label: str) -> Rows:
    """Parse line by line, gathering the bad lines."""
    reading = _Reading()
    for number, line in enumerate(data.split(b"\n"), 1):
        if line[:1] == b"#" and b"\0" not in line:
            reading.n_comments += 1
        elif fields := line.split():
            _read_line(reading, layout, number, line, fields)
    if reading.n_bad:
        raise _bad_lines(reading, layout, label)
    if not reading.position:
        raise ReadError(label, "no lines", expected=layout.line)
    return Rows(
        query=ids.pack(reading.query),
        doc=ids.pack(reading.doc),
        value=np.array(reading.value, dtype=np.float64 if layout is RUN else np.int64),
        position=np.array(reading.position, dtype=np.int64),
        rank=_all_digits(reading.rank),
        tags=tuple(tag.decode("utf-8", "surrogateescape") for tag in reading.tags),
        subtopic=None if layout is RUN else ids.pack(reading.subtopic),
        n_comments=reading.n_comments,
    )


def _read_line(
    reading: _Reading, layout: Layout, number: int, line: bytes, fields: list[bytes]
) -> None:
    """Add one line's fields, or the line to the bad ones."""
    problem = _shape_problem(layout, line, fields)
    if not problem:
        value, problem = (read_score if layout is RUN else _grade)(
            fields[layout.value_at], fields[0]
        )
    if problem:
        reading.n_bad += 1
        reading.widths.add(len(fields))
        if len(reading.bad) < MOST_SHOWN:
            reading.bad.append(BadLine(number, line.decode("utf-8", "backslashreplace"), problem))
        return
    reading.query.append(fields[0])
    reading.doc.append(fields[2])
    reading.value.append(value)
    reading.position.append(number)
    if layout is RUN:
        reading.rank.append(fields[3])
        reading.tags[fields[5]] = None
    else:
        reading.subtopic.append(fields[1])


def _shape_problem(layout: Layout, line: bytes, fields: list[bytes]) -> str:
    if b"\0" in line:
        return "holds a NUL byte: this is not a text file"
    n_fields = len(fields)
    if n_fields < layout.n_fields or (layout is not RUN and n_fields > layout.n_fields):
        return f"expected {layout.n_fields} fields, found {n_fields}"
    return ""


def read_score(text: bytes, query: bytes) -> tuple[float, str]:
    """Return the score and what is wrong with it.

    Examples
    --------
    >>> read_score(b"30E-1", b"301"), read_score(b"12,5", b"301")[1]
    ((3.0, ''), 'score "12,5" is not a number (a decimal point is needed, not a comma)')
    """
    if _SCORE.fullmatch(text):
        value = float(text)
        return value, "" if math.isfinite(value) else f'score "{_show(text)}" is too large'
    bare = text.lstrip(b"+-").lower()
    if bare == b"nan":
        return 0.0, f"score is NaN (query {_show(query)})"
    if bare in (b"inf", b"infinity"):
        return 0.0, f"score is infinite (query {_show(query)})"
    why = " (a decimal point is needed, not a comma)" if _comma(text) else ""
    return 0.0, f'score "{_show(text)}" is not a number{why}'


def _comma(text: bytes) -> bool:
    return text.count(b",") == 1 and _SCORE.fullmatch(text.replace(b",", b".")) is not None


def _grade(text: bytes, _query: bytes) -> tuple[int, str]:
    """Return the grade and what is wrong with it.

    Examples
    --------
    >>> _grade(b"-2", b"301"), _grade(b"0.5", b"301")[1]
    ((-2, ''), 'grade "0.5" is not a whole number')
    """
    if not _GRADE.fullmatch(text):
        return 0, f'grade "{_show(text)}" is not a whole number'
    if len(text.lstrip(b"+-0")) > MOST_DIGITS:
        return 0, f'grade "{_show(text)}" is too large'
    return int(text), ""


def _all_digits(ranks: list[bytes]) -> IntArray | None:
    if all(rank.isdigit() and len(rank.lstrip(b"0")) <= MOST_DIGITS for rank in ranks) and ranks:
        return np.array([int(rank) for rank in ranks], dtype=np.int64)
    return None


def _show(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


def _bad_lines(reading: _Reading, layout: Layout, label: str) -> ReadError:
    hint = ""
    if layout is RUN and reading.widths == {4} and not reading.position:
        hint = "this looks like qrels; the qrels come first, then the runs"
    elif layout is not RUN and reading.widths == {6} and not reading.position:
        hint = "this looks like a run; the qrels come first, then the runs"
    elif reading.bad[0].text.startswith(("\\xff\\xfe", "\\xfe\\xff")):
        hint = "this looks like UTF-16; save it as UTF-8"
    return ReadError(label, lines=reading.bad, total=reading.n_bad, expected=layout.line, hint=hint)
