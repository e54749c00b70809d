"""TREC lines to columns: by Arrow where they are plain, else line by line with exact errors.

A line is fields between C's ``isspace()`` bytes (blank, tab, LF, VT, FF, CR) and nothing else:
U+00A0 or U+2028 inside an id is part of it, as for trec_eval. Lines end at LF. Blank lines are
skipped; so are lines that begin with ``#``, as trec_eval 10 does (9 takes them for data). A UTF-8
byte order mark at the start is dropped (for trec_eval it becomes part of the first query's id).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import BadLine, ReadError
from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.columns import RUN, Columns, Layout, Source
from abrank.inputs.objects.names import QUERY_IDS, found_in
from abrank.inputs.trec.plain import (
    BYTE_ORDER_MARK,
    MOST_DIGITS,
    MOST_ID,
    MOST_LINE,
    Rows,
    parse_fast,
)

MOST_SHOWN = 20
READY_SCORES = (
    "scores of queries, not documents: abrank compare --scores A B (compare_scores) takes them"
)
_SCORED = (("measure", "metric", "score", "value"),)
_SHOWN = 48  # characters of a value in a message

# Never back over digits: a number that breaks off would take the square of its length.
_SCORE = re.compile(rb"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_GRADE = re.compile(rb"[+-]?[0-9]+")


def parse(pieces: Iterable[bytes], layout: Layout, *, label: str) -> Columns:
    r"""Parse the text of a run or qrels file, piece by piece."""
    gathered = Gathered(layout, label)
    marked = False
    for number, piece in enumerate(pieces):
        if number == 0:
            marked = piece.startswith(BYTE_ORDER_MARK)
            piece = piece.removeprefix(BYTE_ORDER_MARK)
        _read_piece(gathered, piece)
    rows = gathered.joined()
    source = Source(None, None, len(rows.position), label, "line", rows.n_comments, marked)
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
class Gathered:
    """What was read so far: the columns of each part, and the bad lines."""

    layout: Layout
    label: str
    rows: list[Rows] = field(default_factory=list)
    n_lines: int = 0
    n_good: int = 0
    n_comments: int = 0
    bad: list[BadLine] = field(default_factory=list)
    n_bad: int = 0
    widths: set[int] = field(default_factory=set)

    def add(self, rows: Rows, n_lines: int) -> None:
        """Add a part's rows; with a bad line in the file none will be used."""
        rows.position += self.n_lines
        self.n_lines += n_lines
        self.n_good += len(rows.position)
        self.n_comments += rows.n_comments
        if self.n_bad:
            self.rows.clear()
        else:
            self.rows.append(rows)

    def joined(self) -> Rows:
        """Return the rows of all parts."""
        if self.n_bad:
            raise _bad_lines(self)
        parts = [rows for rows in self.rows if len(rows.position)]
        if not parts:
            if self.layout is not RUN:
                raise ReadError(self.label, "no lines", expected=self.layout.line)
            # A run without lines is of a system that found nothing.
            none, nowhere = ids.encode([]), np.empty(0, np.int64)
            return Rows(none, none, np.empty(0), nowhere, None, (), n_comments=self.n_comments)
        ranks = [rows.rank for rows in parts if rows.rank is not None]
        subtopics = [rows.subtopic for rows in parts if rows.subtopic is not None]
        return Rows(
            query=ids.joined([rows.query for rows in parts]),
            doc=ids.joined([rows.doc for rows in parts]),
            value=np.concatenate([rows.value for rows in parts]),
            position=np.concatenate([rows.position for rows in parts]),
            rank=np.concatenate(ranks) if len(ranks) == len(parts) else None,
            tags=tuple(dict.fromkeys(tag for rows in parts for tag in rows.tags)),
            subtopic=ids.joined(subtopics) if subtopics else None,
            n_comments=self.n_comments,
        )


def _read_piece(gathered: Gathered, piece: bytes) -> None:
    """Read a piece at Arrow's speed, or what of it is plain."""
    if _read_plain(gathered, piece):
        return
    start = 0
    while start < len(piece):
        # Python's objects take much more memory than the lines; so not many of them at a time.
        end = piece.rfind(b"\n", start, start + MOST_LINE + 1) + 1 or len(piece)
        whole = end - start == len(piece)
        if whole or not _read_plain(gathered, piece[start:end]):
            read_lines(gathered, piece[start:end])
        start = end


def _read_plain(gathered: Gathered, data: bytes) -> bool:
    rows = parse_fast(data, gathered.layout)
    if rows is not None:
        gathered.add(rows, data.count(b"\n"))
    return rows is not None


def read_lines(gathered: Gathered, data: bytes) -> None:
    """Read line by line, gathering the bad lines."""
    layout = gathered.layout
    fields_of: list[list[bytes]] = []
    value: list[float] = []
    position: list[int] = []
    n_comments = 0
    lines = data.removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, 1):
        if line[:1] == b"#" and b"\0" not in line:
            n_comments += 1
        elif fields := line.split():
            found, problem = _read_line(layout, line, fields)
            if problem:
                _refuse(gathered, gathered.n_lines + number, line, fields, problem)
                continue
            fields_of.append(fields)
            value.append(found)
            position.append(number)
    gathered.add(_rows(layout, fields_of, value, position, n_comments), len(lines))


def _refuse(
    gathered: Gathered, number: int, line: bytes, fields: Sequence[bytes], problem: str
) -> None:
    gathered.n_bad += 1
    gathered.widths.add(len(fields))
    if len(gathered.bad) < MOST_SHOWN:
        gathered.bad.append(BadLine(number, line.decode("utf-8", "backslashreplace"), problem))


def _rows(
    layout: Layout,
    fields_of: Sequence[Sequence[bytes]],
    value: Sequence[float],
    position: Sequence[int],
    n_comments: int,
) -> Rows:
    """Return columns of the fields of good lines."""
    query, second, doc = (ids.pack([fields[i] for fields in fields_of]) for i in range(3))
    of_run = layout is RUN
    tags = dict.fromkeys(fields[5] for fields in fields_of) if of_run else {}
    return Rows(
        query=query,
        doc=doc,
        value=np.array(value, dtype=np.float64 if of_run else np.int64),
        position=np.array(position, dtype=np.int64),
        rank=_all_digits([fields[3] for fields in fields_of]) if of_run else None,
        tags=tuple(tag.decode("utf-8", "surrogateescape") for tag in tags),
        subtopic=None if of_run else second,
        n_comments=n_comments,
    )


def _read_line(layout: Layout, line: bytes, fields: Sequence[bytes]) -> tuple[float, str]:
    """Return a line's score or grade, and what is wrong with the line."""
    problem = _shape_problem(layout, line, fields)
    if problem:
        return 0, problem
    return (read_score if layout is RUN else _grade)(fields[layout.value_at], fields[0])


def _shape_problem(layout: Layout, line: bytes, fields: Sequence[bytes]) -> str:
    if b"\0" in line:
        return "holds a NUL byte: this is not a text file"
    n_fields = len(fields)
    if n_fields > layout.n_fields and b"\r" in line.strip():
        return "holds a CR that ends no line; lines end in LF or CR LF"
    if n_fields < layout.n_fields or (layout is not RUN and n_fields > layout.n_fields):
        return f"expected {layout.n_fields} fields, found {n_fields}"
    ids_of = fields[:3:2] if layout is RUN else fields[:3]  # what is second in a run has no meaning
    if len(line) > MOST_ID and max(map(len, ids_of)) > MOST_ID:
        return f"an id is longer than {MOST_ID >> 10} kB"
    return ""


def read_score(text: bytes, query: bytes) -> tuple[float, str]:
    """Return the score and what is wrong with it."""
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
    """Return the grade and what is wrong with it."""
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
    return shorten(text.decode("utf-8", "backslashreplace"), width=_SHOWN)


def _bad_lines(gathered: Gathered) -> ReadError:
    """Return the error: what the file is, where that can be told from it, else its bad lines."""
    likeness = _likeness(gathered)
    return ReadError(
        gathered.label,
        f"this looks like {likeness}" if likeness else "",
        lines=gathered.bad[:1] if likeness else gathered.bad,
        total=1 if likeness else gathered.n_bad,
        expected=gathered.layout.line,
    )


def _likeness(gathered: Gathered) -> str:
    """Say what a file without a good line looks like; empty where that cannot be told."""
    layout, first = gathered.layout, gathered.bad[0].text
    if first.startswith(("\\xff\\xfe", "\\xfe\\xff")):
        return "UTF-16; save it as UTF-8"
    if gathered.n_good:
        return ""
    if first.lower().startswith(("<!doctype html", "<html")):
        return "a page of HTML; save the file itself, not the page that offers it"
    names = re.split(r"[\s,;|]+", first)
    if found_in(names, QUERY_IDS) and found_in(names, _SCORED):
        return READY_SCORES
    if layout is RUN and gathered.widths == {4}:
        return "qrels; the qrels come first, then the runs"
    if layout is not RUN and gathered.widths == {6}:
        return "a run; the qrels come first, then the runs"
    for separator, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
        if gathered.widths == {1} and first.count(separator) >= 2:
            named = separator.join(("query_id", "doc_id", layout.value))
            return f"CSV (fields separated by {name}); name the columns in its first line: {named}"
    return ""
