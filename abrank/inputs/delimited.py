"""Judgments and runs in other text than TREC's: CSV and TSV, three columns, and LETOR."""

# Such are BEIR's judgments (`query-id corpus-id score`), Quepid's exports, what a frame writes, and
# MS MARCO's runs (query, document, rank). Arrow reads what is plain; the careful reader reads the
# rest, gives the same rows, and says what is wrong with a line.

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np
import pyarrow as pa
import pyarrow.csv

from abrank._support.display import shorten
from abrank._support.errors import BadLine, ReadError
from abrank.inputs import ids
from abrank.inputs.arrow import to_ids, to_scores
from abrank.inputs.columns import (
    MOST_SHOWN,
    RUN,
    Columns,
    Gathered,
    Layout,
    are_ranks,
    as_grades,
    choose_columns,
    duplicates,
    has_columns,
    has_duplicates,
    holds_ones,
    holds_ranks,
    require_distinct,
)
from abrank.inputs.trec import (
    BYTE_ORDER_MARK,
    MOST_DIGITS,
    MOST_ID,
    READY_SCORES,
    cut,
    one_blank,
    read_grade,
    read_plain,
    read_score,
)

# --- Read plain tables of text with Arrow, where the careful reader would give the same rows


_BLOCK = 4 << 20
_ROWS = 20_000  # whose cells are held as texts
UNQUOTED = " (a cell that holds the separator needs quotes around it)"


def plain_table(data: bytes, delimiter: str) -> bytes | None:
    """Return a table with LF at its lines' ends, or None where it is not plain."""
    # Plain is a table without empty cells, empty lines, and blanks at a cell's ends: those that
    # Arrow and the careful reader read alike. Quotes around whole cells are taken off; a table with
    # any other quote, or that needs its quotes, is not plain; between blanks a quote is text.
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
    for index in range(0, len(data), _BLOCK):
        part = np.frombuffer(data, np.uint8, min(_BLOCK + 1, len(data) - index), index)
        ends = (part <= ord(" ")) | (part == mark)
        if (ends[1:] & ends[:-1]).any() or (index == 0 and ends[0]):
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


# --- Judgments and runs in tables of text: CSV and TSV with a header, and three columns without


_DELIMITERS = "\t,;| "


def header_of(start: bytes) -> tuple[str, list[str]]:
    r"""Return the delimiter of a table and the names of its columns; no names for no header."""
    line = start.removeprefix(BYTE_ORDER_MARK).lstrip(b"\r\n").partition(b"\n")[0]
    text = line.decode("utf-8", "surrogateescape").strip("\r ")
    delimiter = next((mark for mark in _DELIMITERS if mark in text), ",")
    if delimiter == " ":
        text = " ".join(text.split())
    try:
        names = [name.strip() for name in next(csv.reader([text], delimiter=delimiter))]
    except (csv.Error, StopIteration):
        return delimiter, []
    return delimiter, names if has_columns(names) else []


def read_table(
    pieces: Iterable[bytes], label: str, layout: Layout, columns: Mapping[str, str] | None = None
) -> Columns:
    r"""Read a table whose first line names its columns, in pieces that end with a line."""
    pieces = iter(pieces)
    first = next(pieces, b"").removeprefix(BYTE_ORDER_MARK)
    delimiter, names = header_of(first)
    chosen = choose_columns(names, layout, columns, label=label)
    places = [names.index(name) for name in chosen]
    gathered = Gathered(layout, label, separator=delimiter.strip(" "))
    pieces = chain([first], pieces)
    if delimiter == " ":  # a TREC file with a header
        pieces = map(one_blank, pieces)
    for piece in pieces:
        skip = int(not gathered.n_lines)
        if not _fast(gathered, piece, delimiter, width=len(names), index=places, skip=skip):
            # From here on a cell may hold ends of lines.
            parts = (part for whole in chain([piece], pieces) for part in cut(whole))
            texts = (part.decode("utf-8", "surrogateescape") for part in parts)
            lines = csv_lines(texts, delimiter, label)
            rows = (
                (number, [field.encode("utf-8", "surrogateescape").strip() for field in fields])
                for number, fields in lines
                if "".join(fields).strip()
            )
            _careful(gathered, islice(rows, skip, None), width=len(names), index=places)
    read = gathered.joined()
    if holds_ones(chosen):
        read = replace(read, source=replace(read.source, ungraded=True))
    return replace(read, value=-read.value) if holds_ranks(chosen[2], layout) else read


def read_three(pieces: Iterable[bytes], label: str, layout: Layout) -> Columns:
    r"""Read lines of query, document, and rank (MS MARCO's runs) or score."""
    gathered = Gathered(layout, label)
    for number, whole in enumerate(pieces):
        data = one_blank(whole if number else whole.removeprefix(BYTE_ORDER_MARK))
        # Only a mean over the queries is called so: trec_eval -q, ir_measures -q and ours have one.
        if data.startswith(b"all ") or b"\nall " in data or b" all " in data:
            raise ReadError(label, f"this looks like {READY_SCORES}")
        if _fast(gathered, data, " ", width=3, index=(0, 1, 2), skip=0):
            continue
        for part in cut(data):
            lines = part.removesuffix(b"\n").split(b"\n")
            records = [(i, line.split()) for i, line in enumerate(lines, 1) if line]
            comments = {
                number for number, fields in records
                if fields[0].startswith(b"#")
                and (len(fields) != 3 or read_score(fields[2], fields[0])[1])
            }  # fmt: skip
            gathered.n_comments += len(comments)
            rows = (record for record in records if record[0] not in comments)
            _careful(gathered, rows, width=3, index=(0, 1, 2))
            gathered.n_lines += len(lines)
    read = gathered.joined()
    if (read.value != np.floor(read.value)).any():
        form = "three columns, read as query, document and score"
        return replace(read, source=replace(read.source, form=form))
    if not are_ranks(read, complete=True):
        raise ReadError(
            label,
            "the third of three fields is no rank (1, 2, 3 … within a query), and may be a score or"
            " a grade",
            hint="say which, in a first line: query_id<TAB>doc_id<TAB>score (or rank)",
        )
    form = "three columns, read as query, document and rank"
    return replace(read, value=-read.value, source=replace(read.source, form=form))


def _fast(
    gathered: Gathered, data: bytes, delimiter: str, *, width: int, index: Sequence[int], skip: int
) -> bool:
    """Gather the rows of a plain table by Arrow; False, and nothing, where it is not plain."""
    plain = plain_table(data, delimiter)
    if plain is None:
        return False
    names = [str(i) for i in range(width)]
    number, ones = index[2], holds_ones(index)
    texts = [names[i] for i in (*index[:2], *index[3:])]
    types = ({} if ones else {names[number]: pa.float64()}) | dict.fromkeys(
        texts, pa.large_string()
    )
    try:
        table = read_plain(plain, delimiter=delimiter, names=names, types=types, skip=skip)
    except pa.ArrowInvalid:
        return False
    value = np.ones(len(table)) if ones else to_scores(table[names[number]])
    columns = [to_ids(table[name]) for name in texts]
    if value is None or any(column is None or ids.longest(column) > MOST_ID for column in columns):
        return False
    if gathered.layout is not RUN:
        if (np.abs(value) >= 2**53).any():
            return False
        value = as_grades(value)
    position = np.arange(1, len(value) + 1) + skip
    query, doc, *subtopic = columns
    part = Columns(query, doc, value, position, subtopic=subtopic[0] if subtopic else None)
    gathered.add(part, data.count(b"\n"))
    return True


def csv_lines(texts: Iterable[str], delimiter: str, label: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a table, given in parts that end with one: their numbers and fields."""
    lines = chain.from_iterable(io.StringIO(text, newline="") for text in texts)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            yield reader.line_num, fields
    except csv.Error as error:
        place = f"line {reader.line_num}"
        raise ReadError(label, f"no line of a table: {error}", at=place) from error


def text_columns(
    lines: Iterable[tuple[int, list[str]]], width: int, label: str, expected: str
) -> tuple[list[list[str]], Sequence[int]]:
    """Return the columns of lines that all have so many fields, and the line of each row."""
    # Cells that stand there again are held once.
    lines = iter(lines)
    columns: list[list[str]] = [[] for _ in range(width)]
    distinct: list[dict[str, str]] = [{} for _ in range(width)]
    line_numbers = array("q")
    bad: list[BadLine] = []
    n_bad = 0
    while rows := list(islice(lines, _ROWS)):
        numbers, texts = zip(*rows, strict=True)
        for number, fields in rows if {*map(len, texts)} != {width} else ():
            if len(fields) != width:
                n_bad += 1
                text, problem = " ".join(map(str.strip, fields)), f"found {len(fields)}"
                problem += UNQUOTED if len(fields) > width else ""
                bad.append(BadLine(number, text, f"expected {width} fields, {problem}"))
        del bad[MOST_SHOWN:]
        if bad:
            continue  # no row will be used
        line_numbers.extend(numbers)
        for column, cells, distinct_cells in zip(
            columns, zip(*texts, strict=True), distinct, strict=True
        ):
            few = len(distinct_cells) < _ROWS
            column.extend(map(distinct_cells.setdefault, cells, cells) if few else cells)
    if bad:
        raise ReadError(label, lines=bad, total=n_bad, expected=expected)
    return columns, line_numbers


def require_names(names: Sequence[str], label: str) -> None:
    """Refuse columns without a name, and two of one."""
    if not all(name.strip() for name in names):
        raise ReadError(label, "a column has no name", hint="name it, or write no row numbers")
    require_distinct(names, label)


def _careful(
    gathered: Gathered, rows: Iterator[tuple[int, list[bytes]]], *, width: int, index: Sequence[int]
) -> None:
    """Gather the rows one by one, and what is wrong with them."""
    (query, _, number, *_), ones = index, holds_ones(index)
    read: Callable[[bytes, bytes], tuple[float, str]] = (
        read_score if gathered.layout is RUN else read_grade
    )
    while held := list(islice(rows, _ROWS)):
        texts: list[list[bytes]] = []
        value: list[float] = []
        position: list[int] = []
        for line, cells in held:
            if len(cells) == width and not cells[number] and gathered.layout is not RUN:
                gathered.n_unrated += 1  # as Quepid exports what nobody has rated
                continue
            problem, result = f"expected {width} fields, found {len(cells)}", 0.0
            if gathered.separator and len(cells) > width:
                problem += UNQUOTED
            if len(cells) == width:
                named = [cells[i] for i in (*index[:2], *index[3:])]
                result, problem = (1.0, "") if ones else read(cells[number], cells[query])
                problem = problem or _id_problem(named)
            if problem:
                gathered.refuse(line, b" ".join(cells), problem)
                continue
            texts.append(named)
            value.append(result)
            position.append(line)
        packed = [ids.pack(column) for column in zip(*texts, strict=True)] or [ids.pack([])] * 2
        queries, docs, *subtopics = packed
        numbers = np.array(value, np.float64) if gathered.layout is RUN else as_grades(value)
        part = Columns(queries, docs, numbers, np.array(position, np.int64))
        gathered.add(replace(part, subtopic=subtopics[0]) if subtopics else part, 0)


def _id_problem(texts: Sequence[bytes]) -> str:
    if not all(texts):
        return f"the {('query id', 'document id', 'subtopic')[list(texts).index(b'')]} is empty"
    return f"an id is longer than {MOST_ID >> 10} kB" if max(map(len, texts)) > MOST_ID else ""


_LINE = re.compile(rb"\s*([+-]?[0-9]+(?:\.[0-9]*)?)\s+qid:([^\s#]+)(?=[\s#]|$)")
_DOCUMENT = re.compile(rb"#.*?\bdoc(?:id|_id|no)\s*[=:]\s*(\S+)")
# Elasticsearch's and Quepid's plugins write "# 7555<TAB>title", others "# 7555".
_FIRST_OF_COMMENT = re.compile(rb"#[ ]*([^\t ][^\t]*?)[ ]*\t|#\s*(\S+)")

LINE = "grade qid:query_id 1:feature 2:feature ..."


def looks_like_letor(line: bytes) -> bool:
    """Whether a line is one of a LETOR file."""
    return _LINE.match(line) is not None


def read_letor(pieces: Iterable[bytes], label: str, layout: Layout) -> Columns:
    """Read the grades of a LETOR file, in pieces that end with a line."""
    # A document's id stands in the comment (`# docid = ...`, or first in it). Without comments it
    # is the number of its line among those that count, from 0: its row in the matrix of features.
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
        gathered.add(_read(gathered, part), part.count(b"\n"))
    read = gathered.joined()
    _, query = ids.number(read.query)
    without = np.diff(ids.offsets(ids.plain(read.doc))) == 0
    if without.all():
        return replace(read, doc=ids.numerals(len(read.doc)))
    problem, rows = "", np.flatnonzero(without)
    if len(rows):
        problem = f"has no document id after #, as {len(without) - len(rows)} other lines have"
    elif has_duplicates(query, read.doc, ids.fingerprint(read.doc)):
        _, rows = duplicates(query, read.doc)
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


def _read(gathered: Gathered, part: bytes) -> Columns:
    """Return the rows of some lines, of which a document without a name has an empty one."""
    positions, grades, queries, docs = [], [], [], []
    for number, line in enumerate(part.split(b"\n"), 1):
        if not line.strip():
            continue
        if line.lstrip().startswith(b"#"):
            gathered.n_comments += 1
            continue
        record = _LINE.match(line)
        comment = line[record.end() :] if record else b""
        match = _DOCUMENT.search(comment) or _FIRST_OF_COMMENT.search(comment)
        document = next(filter(None, match.groups())) if match else b""
        problem = ""
        if record is None:
            problem = "no grade and qid"
        elif len(record[1].lstrip(b"+-0")) > MOST_DIGITS:
            problem = f"the grade has more than {MOST_DIGITS} digits"
        elif b"\0" in line:
            problem = "a NUL character"
        elif max(len(record[2]), len(document)) > MOST_ID:
            problem = f"an id is longer than {MOST_ID >> 10} kB"
        if record is None or problem:
            gathered.refuse(number, line, problem)
            continue
        positions.append(number)
        grades.append(read_grade(record[1], record[2])[0])
        queries.append(record[2])
        docs.append(document)
    return Columns(
        query=ids.pack(queries),
        doc=ids.pack(docs),
        value=as_grades(grades),
        position=np.array(positions, dtype=np.int64),
    )
