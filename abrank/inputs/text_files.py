"""Read judgments and runs from other texts than TREC files: tables, LETOR, and JSON."""

# Examples are BEIR's judgments (`query-id corpus-id score`), Quepid's exports, frames saved as CSV,
# and MS MARCO's runs (query, document, rank). Arrow reads plain files. The careful reader gives the
# same rows, also reads the others, and reports bad lines.

from __future__ import annotations

import csv
import importlib
import io
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from sys import intern
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from abrank._support.display import shorten
from abrank._support.errors import AbrankError, BadLine, ReadError
from abrank.inputs import columns as raw
from abrank.inputs import ids, trec
from abrank.inputs.columns import (
    MOST_SHOWN,
    QRELS,
    RUN,
    Columns,
    Gathered,
    Layout,
    are_ranks,
    holds_ones,
)
from abrank.inputs.objects import read_columns
from abrank.inputs.storage import excess
from abrank.inputs.trec import BYTE_ORDER_MARK, MOST_DIGITS, Record, cut, gather, one_blank

# --- Plain tables, for which Arrow gives the same rows as the careful reader


_DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
MOST_GRADE = 5  # highest grade of judgments whose grades are 1, 2, 3, … in each query
MOST_BY_CHANCE = 2  # number of falling ranks that lines in arbitrary order may show
UNQUOTED = " (a cell that holds the separator needs quotes around it)"


def plain_table(data: bytes, delimiter: str) -> bytes | None:
    """Return a table with LF line ends, or None if it is not plain."""
    # A plain table has no empty cells, no empty lines and no blanks around cells, so that Arrow and
    # the careful reader agree on it. Quotes around whole cells are removed. A table that has other
    # quotes or needs its quotes is not plain; between blanks a quote is text.
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    data = data.rstrip(b"\n")
    if not data or b"\r" in data or b"\0" in data:
        return None
    if b'"' in data:
        unquoted = None if delimiter == " " else _unquoted(data, ord(delimiter))
        if not unquoted:
            return None
        data = unquoted
    if trec.has_empty_fields(data, delimiter):
        return None
    return None if data[-1] <= ord(" ") or data[-1] == ord(delimiter) else data


def _unquoted(data: bytes, mark: int) -> bytes | None:
    """Remove the quotes around cells; return None if there are other quotes."""
    text = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opening, closing = quotes[0::2], quotes[1::2]
    ends = (text == mark) | (text == ord("\n"))
    if len(quotes) % 2 or not (ends[opening - 1].all() and ends[closing + 1].all()):
        return None
    # A cell must not end between its opening and its closing quote.
    if np.logical_or.reduceat(ends, quotes)[0::2].any():
        return None
    return bytes(text[1:-1][text[1:-1] != ord('"')])


# --- Tables of text: CSV and TSV with a header, and three columns without one


_DELIMITERS = "\t,;| "


def header_of(start: bytes) -> tuple[str, list[str]]:
    r"""Return the delimiter of a table and its column names; no names without a header."""
    _, table = _below_comments(start.removeprefix(BYTE_ORDER_MARK))
    return _names_of(table.lstrip(b"\r\n").partition(b"\n")[0])


def _below_comments(start: bytes) -> tuple[int, bytes]:
    """Remove the comments above the header of a table, and return their number too."""
    n_comments = 0
    while start[:1] == b"#" and not _names_of(start.partition(b"\n")[0])[1]:
        n_comments, start = n_comments + 1, start.partition(b"\n")[2]
    return n_comments, start


def _names_of(line: bytes) -> tuple[str, list[str]]:
    text = line.decode("utf-8", "surrogateescape").lstrip("# ").strip("\r ")
    delimiter = next((mark for mark in _DELIMITERS if mark in text), ",")
    if delimiter == " ":
        text = " ".join(text.split())
    try:
        names = [name.strip() for name in next(csv.reader([text], delimiter=delimiter))]
    except (csv.Error, StopIteration):
        return delimiter, []
    return delimiter, names if raw.has_columns(names) else []


def read_table(
    pieces: Iterable[bytes], label: str, layout: Layout, columns: Mapping[str, str] | None = None
) -> Columns:
    r"""Read a table whose first line names its columns, in pieces that end with a line."""
    pieces = iter(pieces)
    n_comments, first = _below_comments(next(pieces, b"").removeprefix(BYTE_ORDER_MARK))
    delimiter, names = header_of(first)
    chosen = raw.choose_columns(names, layout, columns, label=label)
    places = [names.index(name) for name in chosen]
    gathered = Gathered(
        layout, label, separator=delimiter.strip(" "), n_lines=n_comments, n_comments=n_comments
    )
    pieces = chain([first], pieces)
    if delimiter == " ":  # a TREC file with a header
        pieces = map(one_blank, pieces)
    for number, piece in enumerate(pieces):
        skip = int(not number)
        if not _fast(gathered, piece, delimiter, len(names), places, skip=skip):
            # From here on cells may contain line ends.
            parts = (part for whole in chain([piece], pieces) for part in cut(whole))
            texts = (part.decode("utf-8", "surrogateescape") for part in parts)
            lines = csv_lines(texts, delimiter, label)
            gather(gathered, _records(gathered, islice(lines, skip, None), len(names), places))
    return raw.as_chosen(gathered.joined(), chosen, layout)


def _records(
    gathered: Gathered, lines: Iterable[tuple[int, list[str]]], width: int, places: Sequence[int]
) -> Iterator[Record]:
    ones = holds_ones(places)
    for number, texts in lines:
        cells = [text.encode("utf-8", "surrogateescape").strip() for text in texts]
        fields: list[bytes] = []
        if len(cells) != width:
            problem = f"expected {width} fields, found {len(cells)}"
            problem += UNQUOTED if gathered.separator and len(cells) > width else ""
        else:
            query, doc, value, *subtopic = fields = [cells[i] for i in places]
            if not value and gathered.layout is not RUN:
                gathered.n_unrated += 1  # Quepid exports unrated documents like this
                continue
            named = [query, doc, *subtopic]
            kinds = ("query id", "document id", "subtopic")
            empty = "" if all(named) else kinds[named.index(b"")]
            problem = f"the {empty} is empty" if empty else ""
            if gathered.separator != "," and _DECIMAL_COMMA.fullmatch(value):
                value = value.replace(b",", b".")
            fields[2] = b"1" if ones else value
        yield number, b" ".join(cells), fields, problem


def width_of_three(lines: Sequence[bytes], layout: Layout) -> int:
    """Return the number of fields if lines hold query, document and number; else 0."""
    rows = [line.split() for line in lines]
    if layout is RUN:
        return 3 * ({*map(len, rows)} == {3})
    # Rating tables, as in MovieLens and Elliot, have user, item and rating separated by tabs, and
    # perhaps a Unix time. Blanks indicate trec_eval judgments that lack a field.
    is_rated = all(map(_RATED.fullmatch, lines)) and len({*map(len, rows)}) == 1
    return len(rows[0]) if is_rated and layout is QRELS else 0


_RATED = re.compile(rb"[^\s]+\t[^\s]+\t-?[0-9]{1,3}(\.[0-9]+)?(\t[1-9][0-9]{8,12}(\.0)?)?\s*")


def read_three(pieces: Iterable[bytes], label: str, layout: Layout, width: int = 3) -> Columns:
    r"""Read lines of query and document with a rank (MS MARCO's runs), score or grade."""
    gathered = Gathered(layout, label)
    for number, whole in enumerate(pieces):
        data = one_blank(whole if number else whole.removeprefix(BYTE_ORDER_MARK))
        # The query id "all" marks a mean in output of trec_eval -q, ir_measures -q and abrank.
        if data.startswith(b"all ") or b"\nall " in data or b" all " in data:
            raise ReadError(label, f"this looks like {trec.READY_SCORES}")
        if not _fast(gathered, data, " ", width, (0, 1, 2)):
            for part in cut(data):
                trec.read_lines(gathered, part, width=width)
    read = gathered.joined()
    if layout is not RUN:
        if are_ranks(read, complete=True) and read.value.max() > MOST_GRADE:
            hint = "judgments come before runs; name the columns in a first line: query_id, …"
            raise ReadError(label, "the third of three fields is a rank in each query", hint=hint)
        form = "columns without names, read as query, document and grade"
        return replace(read, source=replace(read.source, form=form))
    is_rank = bool((read.value == np.floor(read.value)).all())
    step = np.diff(read.value)[np.diff(ids.number(read.query)[1]) == 0]
    # Scores such as 3, 2, 1 look like ranks of a reversed list.
    falls = len(step) > MOST_BY_CHANCE and bool((step < 0).all())
    if is_rank and (not are_ranks(read, complete=True) or falls):
        raise ReadError(
            label,
            "the third of three fields is no rank (1, 2, 3 … within a query), and may be a score or"
            " a grade",
            hint="say which, in a first line: query_id<TAB>doc_id<TAB>score (or rank)",
        )
    form = f"three columns, read as query, document and {'rank' if is_rank else 'score'}"
    value = -read.value if is_rank else read.value
    return replace(read, value=value, source=replace(read.source, form=form))


def _fast(
    gathered: Gathered,
    data: bytes,
    delimiter: str,
    width: int,
    places: Sequence[int],
    *,
    skip: int = 0,
) -> bool:
    """Read a plain table by Arrow; return False and add nothing if it is not plain."""
    plain = plain_table(data, delimiter)
    if plain is None:
        return False
    names = [str(i) for i in range(width)]
    query, doc, number, *subtopic = (names[i] for i in places)
    texts = [query, doc, *subtopic]
    types = {number: pa.float64(), **dict.fromkeys(texts, pa.large_binary())}
    table = trec.read_plain(plain, delimiter=delimiter, names=names, types=types, skip=skip)
    if table is not None and holds_ones(places):
        table, number = table.append_column("ones", pa.array(np.ones(len(table)))), "ones"
    part = None if table is None else trec.fast_rows(table, texts, number, gathered.layout)
    if part is None:
        return False
    part.position[:] += skip
    gathered.add(part, data.count(b"\n"))
    return True


def csv_lines(texts: Iterable[str], delimiter: str, label: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of the nonblank lines of a table, from parts that end with one."""
    lines = chain.from_iterable(io.StringIO(text, newline="") for text in texts)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if "".join(fields).strip():
                yield reader.line_num, fields
    except csv.Error as error:
        place = f"line {reader.line_num}"
        raise ReadError(label, f"no line of a table: {error}", at=place) from error


def headed_lines(
    data: bytes, delimiter: str, label: str, *, errors: str = "replace"
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the column names of a text table, and its lines as from :func:`csv_lines`."""
    texts = (part.decode("utf-8", errors) for part in cut(data.removeprefix(BYTE_ORDER_MARK)))
    lines = csv_lines(texts, delimiter, label)
    _, names = next(lines, (0, []))
    return names, lines


def text_columns(
    lines: Iterable[tuple[int, list[str]]],
    width: int,
    label: str,
    expected: str,
    *,
    hint: str = UNQUOTED,
) -> tuple[list[list[str]], Sequence[int]]:
    """Return the columns of lines with equally many fields, and the line of each row."""
    columns: list[list[str]] = [[] for _ in range(width)]
    line_numbers = array("q")
    bad: list[BadLine] = []
    n_bad = 0
    for number, fields in lines:
        if len(fields) == width:
            line_numbers.append(number)
            for column, cell in zip(columns, fields, strict=True):
                column.append(intern(cell))  # repeated texts are stored once
            continue
        n_bad += 1
        if n_bad <= MOST_SHOWN:
            line = " ".join(field.strip(" \t\r\n\v\f") for field in fields)
            text = line.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            problem = f"found {len(fields)}{hint if len(fields) > width else ''}"
            bad.append(BadLine(number, text, f"expected {width} fields, {problem}"))
    if bad:
        raise ReadError(label, lines=bad, total=n_bad, expected=expected)
    return columns, line_numbers


_LINE = re.compile(rb"\s*([+-]?[0-9]+(?:\.[0-9]*)?)\s+qid:([^\s#]+)(?=[\s#]|$)")
_DOCUMENT = re.compile(rb"(?i)^[^#]*#(?:.*?\bdoc(?:id|_id|no)|\s*(?:doc|id))\s*[=:]\s*(\S+)")
# Comments of Elasticsearch's and Quepid's plugins are "# 7555<TAB>title"; others are "# 7555".
_FIRST_OF_COMMENT = re.compile(rb"#[ ]*([^\t ][^\t]*?)[ ]*\t|#\s*(\S+)")

LINE = "grade qid:query_id 1:feature 2:feature ..."


def looks_like_letor(line: bytes) -> bool:
    """Whether a line is from a LETOR file."""
    return _LINE.match(line) is not None


def read_letor(pieces: Iterable[bytes], label: str, layout: Layout) -> Columns:
    """Read the grades of a LETOR file, in pieces that end with a line."""
    # The document id is in the comment (`# docid = ...`, or its first word). Without comments it is
    # the line number, from 0, not counting skipped lines: the row in the feature matrix.
    pieces = iter(pieces)
    first = next(pieces, b"")
    if layout is RUN:
        raise ReadError(
            label,
            "is a LETOR file, which holds grades and features and no scores",
            hint=f'qrels, run = abrank.from_groups("{label}", scores)',
        )
    gathered = Gathered(layout, label, expected=LINE)
    for part in (part for piece in chain([first], pieces) for part in cut(piece)):
        gather(gathered, _of_letor(part))
        gathered.n_lines += part.count(b"\n")
    read = gathered.joined()
    _, query = ids.number(read.query)
    without = np.diff(ids.offsets(ids.plain(read.doc))) == 0
    if without.all():
        return replace(read, doc=ids.numerals(len(read.doc)))
    problem, rows = "", np.flatnonzero(without)
    if len(rows):
        problem = f"has no document id after #, as {len(without) - len(rows)} other lines have"
    elif raw.has_duplicates(query, read.doc, ids.fingerprint(read.doc)):
        _, rows = raw.duplicates(query, read.doc)
        document = ids.decode(ids.take(read.doc, rows[:1]))[0]
        problem = f"repeats the document {shorten(document)} of its query"
    if problem:
        raise ReadError(
            label,
            problem,
            at=f"line {read.position[rows[0]]}",
            hint="write # docid = ID on each line, or no comment at all: documents are then"
            " numbered by their rows, from 0",
        )
    return read


def _of_letor(part: bytes) -> Iterator[Record]:
    for number, whole in enumerate(part.split(b"\n"), 1):
        line = whole.lstrip()
        record = _LINE.match(line)
        comment = line[record.end() :] if record else b""
        match = _DOCUMENT.search(comment) or _FIRST_OF_COMMENT.search(comment)
        document = next(filter(None, match.groups())) if match else b""
        problem = ""
        if record is None:
            problem = "no grade and qid"
        elif len(record[1].partition(b".")[0].lstrip(b"+-0")) > MOST_DIGITS:
            problem = f"the grade has more than {MOST_DIGITS} digits before its point"
        elif b"\0" in line:
            problem = "a NUL character"
        if line:
            fields = (record[2], document, record[1]) if record else ()
            yield number, line, fields, problem


# --- JSON, JSON lines, and ranx' LZ4 files

LZ4_MARK = b"\x04\x22\x4d\x18"
AGAIN = "copy or write the file again"

# An empty object or list counts only if it is alone or before the next line's; {} may be an id.
_BEGIN = re.compile(rb"\s*(?:\{\s*\"|\[\s*[\[{\"]|(?:\{\s*\}|\[\s*\])\s*(?:\Z|[{\[]))")


def looks_like_json(start: bytes) -> bool:
    """Whether a text begins like an object or array of JSON."""
    return _BEGIN.match(start) is not None


def read_json(
    pieces: Iterable[bytes], label: str, layout: Layout, columns: Mapping[str, str] | None = None
) -> Columns:
    """Read judgments or a run from JSON, or JSON lines, in pieces that end with a line."""
    # Lines are parsed one by one, because all objects together need ten times the memory.
    held = _values(b"".join(pieces), label)
    return read_columns(held, layout, columns=columns, label=label)


def parsed(data: bytes, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Parse JSON; JSON lines give a list."""
    held = _values(data, label)
    return list(held) if isinstance(held, Iterator) else held


def _values(data: bytes, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Parse JSON; JSON lines give an iterator over the lines."""
    import json  # imported late, because few inputs are JSON

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(label, f"the key {twice!r} occurs twice in one object")
        return result

    decode = json.JSONDecoder(object_pairs_hook=once).decode

    def decoded(text: str | bytes, line: int = 0) -> Any:  # noqa: ANN401
        """Parse a text, or one line by its number."""
        try:
            text = text if isinstance(text, str) else text.decode("utf-8-sig")
            return decode(text)
        except AbrankError:
            raise
        except json.JSONDecodeError as error:
            if not line and error.msg.startswith("Extra data"):
                lines = enumerate(str(text).split("\n"), 1)
                return (decoded(part, number) for number, part in lines if part.strip())
            place = f"line {line or error.lineno}, column {error.colno}"
            raise ReadError(label, f"is not JSON: {error.msg}", at=place) from error
        except (RecursionError, ValueError) as error:
            raise ReadError(label, f"is not JSON: {error}") from error

    return decoded(data)


def read_lz4(
    data: bytes,
    label: str,
    layout: Layout,
    columns: Mapping[str, str] | None = None,
    *,
    maximum: int | None = None,
) -> Columns:
    """Read a run that ranx saved as LZ4 (CBOR, compressed twice), up to a size limit."""
    try:
        cbor = importlib.import_module("cbor2")
    except ImportError as error:
        hint = f'ranx.Run.from_file("{label}").save("run.json") writes a file that is read as it is'
        raise ReadError(label, "is a run of ranx, which needs cbor2", hint=hint) from error
    damage = (pa.ArrowException, OSError, ValueError, EOFError, RecursionError, TypeError)
    try:
        held = data
        for _ in range(2):
            stream, unpacked = pa.CompressedInputStream(pa.BufferReader(held), "lz4"), io.BytesIO()
            while part := stream.read(1 << 20):
                unpacked.write(part)
                problem, hint = excess(unpacked.tell(), maximum, n_rows=0, n_packed=len(data))
                if problem:
                    raise ReadError(label, f"the LZ4 file unpacks to {problem}", hint=hint)
            held = unpacked.getvalue()
        held = cbor.loads(bytes(held))
    except ReadError:
        raise
    except (*damage, cbor.CBORDecodeError) as error:
        raise ReadError(label, f"the LZ4 file is damaged ({error})", hint=AGAIN) from error
    if not isinstance(held, Mapping):
        raise ReadError(label, "the LZ4 file holds no run of ranx", hint=AGAIN)
    return read_columns(held, layout, columns=columns, label=label)
