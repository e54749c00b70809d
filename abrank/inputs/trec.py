"""Read and write TREC lines, by Arrow if they are plain, as a whole or in blocks."""

# Fields are separated by C's `isspace()` bytes (blank, tab, LF, VT, FF, CR) only: U+00A0 or U+2028
# inside an id belongs to it, as in trec_eval. Lines end with LF. Blank lines are skipped. So are
# lines that begin with `#` and are no record (`#c++ 0 d1 1` is one; trec_eval 10 skips all such
# lines, version 9 none). A UTF-8 byte order mark at the start is dropped; for trec_eval it belongs
# to the first query id. Nearly every run is plain: six or more fields per line, the lines of a
# query together, every document once, no comments. Other files raise `NotPlain`, and the caller
# reads them again with the careful parser, which can report errors.

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.csv

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, ReadError
from abrank._support.files import replace_all
from abrank._support.typing import BoolArray, FloatArray, IntArray, ScoreDtype
from abrank.inputs import columns as raw
from abrank.inputs import ids
from abrank.inputs.arrow import to_floats
from abrank.inputs.columns import QUERY_IDS, RUN, Columns, Gathered, Layout, as_grades, found_in
from abrank.inputs.ids import Ids, kernels
from abrank.inputs.storage import Readable

if TYPE_CHECKING:
    import numpy.typing as npt

# --- Plain TREC files, read by Arrow


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_DIGITS = 18  # whole numbers of 18 digits always fit 64 bits
MOST_LINE = 1 << 20  # bytes per line

_STEP = 1 << 18  # bytes checked at once
_LOOKED_AT = 20  # lines whose ranks are checked
_RECORDS = 20_000  # records held as Python objects at once
_BLOCK = 4 << 20  # bytes that Arrow parses at once, as one thread's work
_OTHER_BLANKS = (b"\t", b"\v", b"\f", b"\r")
_TO_BLANK = bytes.maketrans(b"".join(_OTHER_BLANKS), b"    ")


def parse_fast(data: bytes, layout: Layout) -> Columns | None:
    """Parse a file without comments, inner blank lines or bad lines; else return None."""
    # Wherever this returns rows, they equal those of the careful parser. Lines must not be longer
    # than `MOST_LINE`.
    plain = None if _holds_blank(data.partition(b"\n")[0], layout) else plain_lines(data)
    if plain is None:
        return None
    n_fields = plain[: plain.find(b"\n") + 1 or None].count(b" ") + 1
    if n_fields < layout.n_fields or (layout is not RUN and n_fields != layout.n_fields):
        return None
    names = [str(i) for i in range(n_fields)]
    texts = [names[i] for i in ((0, 2) if layout is RUN else (0, 2, 1))]
    held = [*texts, "5"] if layout is RUN else texts  # runs also have a tag
    types = {**dict.fromkeys(held, pa.large_binary()), names[layout.value_at]: pa.float64()}
    rank = None
    if layout is RUN:
        table, rank = _with_ranks(plain, names, types)
    else:
        table = read_plain(plain, delimiter=" ", names=names, types=types)
    rows = None if table is None else fast_rows(table, texts, names[layout.value_at], layout)
    if rows is None or layout is not RUN:
        return rows
    return replace(rows, rank=rank, tags=tuple(ids.distinct(table["5"].combine_chunks())))


def fast_rows(table: pa.Table, texts: Sequence[str], number: str, layout: Layout) -> Columns | None:
    """Return the rows of a plain table; None where one of them needs the careful parser."""
    query, doc, *rest = (table[name].combine_chunks() for name in texts)
    value = to_floats(table[number].combine_chunks())
    if not np.isfinite(value).all() or max(map(ids.longest, (query, doc, *rest))) > ids.MOST_ID:
        return None
    if layout is not RUN:
        if (np.abs(value) >= 2**53).any():  # larger grades need exact integers
            return None
        value = as_grades(value)
    rows = Columns(query, doc, value, np.arange(1, len(value) + 1))
    return replace(rows, subtopic=rest[0]) if rest else rows


def _holds_blank(line: bytes, layout: Layout) -> bool:
    """Whether tabs separate the fields of a line, and a needed field contains a blank."""
    fields = line.split(b"\t") if b"\t" in line else []
    read = fields[: layout.value_at + 1]
    return len(fields) == layout.n_fields and any(len(field.split()) > 1 for field in read)


def first_long_line(data: bytes) -> int:
    r"""Return the start of the first line longer than ``MOST_LINE`` bytes, or -1."""
    # Such a line covers at least one window of half its length.
    half = MOST_LINE // 2
    for window in range(0, len(data) - half + 1, half):
        if data.find(b"\n", window, window + half) < 0:
            start = data.rfind(b"\n", 0, window) + 1
            end = data.find(b"\n", window + half)
            if (end if end >= 0 else len(data)) - start > MOST_LINE:
                return start
    return -1


def plain_lines(data: bytes) -> bytes | None:
    """Return the text with single blanks between fields, if that conversion is safe."""
    if b"\0" in data:
        return None
    # A CR alone separates fields, or is meant as a line end.
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    if not _regular(data):
        data = one_blank(data).rstrip(b" \n")
    # Arrow silently skips a byte order mark and blank lines. Without blank lines, its row numbers
    # are not the line numbers of the file.
    if not _regular(data) or data.startswith(BYTE_ORDER_MARK):
        return None
    return data


def _regular(data: bytes) -> bool:
    """Whether fields are separated by one blank and lines by one LF, without extra blanks."""
    if not data or data[:1] in b" \n" or data.endswith(b" "):
        return False
    if any(byte in data for byte in _OTHER_BLANKS):
        return False
    return not has_empty_fields(data)


def has_empty_fields(data: bytes, mark: str = " ") -> bool:
    """Whether a separator or line end is at the start of the text or follows another one."""
    for index in range(0, len(data), _STEP):
        part = np.frombuffer(data, np.uint8, min(_STEP + 1, len(data) - index), index)
        ends = part <= ord(" ") if mark == " " else (part <= ord(" ")) | (part == ord(mark))
        if (ends[1:] & ends[:-1]).any() or (index == 0 and ends[0]):
            return True
    return False


def one_blank(data: bytes) -> bytes:
    r"""Return the text with single blanks between fields and none around lines."""
    if any(separator in data for separator in _OTHER_BLANKS):
        data = data.translate(_TO_BLANK)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    if b" \n" in data or b"\n " in data:
        data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    return data.lstrip(b" ")


def _with_ranks(
    plain: bytes, names: list[str], types: dict[str, Any]
) -> tuple[Any, IntArray | None]:
    """Return the table, and the ranks if they consist of digits only."""
    # Arrow would read a number such as 0x1f as 31.
    if not any(letter in plain and b" 0" + letter in plain for letter in (b"x", b"X")):
        table = read_plain(plain, delimiter=" ", names=names, types=types | {"3": pa.int64()})
        if table is not None:
            rank = ids.integers(table["3"].combine_chunks())
            digits = rank.min() > 0 or (rank.min() == 0 and b" -0" not in plain)
            if digits and rank.max() < 10**MOST_DIGITS:
                return table, rank
    table = read_plain(plain, delimiter=" ", names=names, types=types | {"3": pa.string()})
    try:
        if table is None or not kernels.all(kernels.ascii_is_decimal(table["3"])).as_py():
            return table, None
        rank = ids.integers(kernels.cast(table["3"], pa.int64()).combine_chunks())
    except pa.ArrowInvalid:
        return table, None
    return table, rank if rank.max() < 10**MOST_DIGITS else None


def read_plain(
    plain: bytes, *, delimiter: str, names: Sequence[str], types: Mapping[str, Any], skip: int = 0
) -> pa.Table | None:
    """Read the columns in ``types`` from a plain table; None if a line is bad."""
    read = pyarrow.csv.ReadOptions(
        use_threads=len(plain) > _BLOCK, block_size=_BLOCK, column_names=names, skip_rows=skip
    )
    parse = pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False)
    convert = pyarrow.csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=[], strings_can_be_null=False
    )
    try:
        return pyarrow.csv.read_csv(pa.BufferReader(plain), read, parse, convert)
    except pa.ArrowInvalid:
        return None


# --- Read TREC lines: by Arrow if they are plain, else line by line with exact errors


READY_SCORES = (
    "scores of queries, not documents: abrank compare --scores A B (compare_scores) takes them"
)
_SCORED = (("measure", "metric", "score", "value"),)
_SHOWN = 48  # characters of a value shown in a message

# Possessive quantifiers: on a broken number, backtracking would take quadratic time.
_SCORE = re.compile(rb"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
BOOLEANS = {b"true": 1.0, b"false": 0.0}
_GRADE = re.compile(rb"[+-]?[0-9]+")


def parse(pieces: Iterable[bytes], layout: Layout, *, label: str) -> Columns:
    r"""Parse the text of a run or qrels file in pieces."""
    gathered = Gathered(layout, label, expected=layout.line)
    ranks: list[bytes] = []
    for number, piece in enumerate(pieces):
        if number == 0:
            gathered.byte_order_mark = piece.startswith(BYTE_ORDER_MARK)
            piece = piece.removeprefix(BYTE_ORDER_MARK)
            lines = (line.split() for line in piece[:MOST_LINE].split(b"\n", _LOOKED_AT)[:-1])
            ranks = [fields[3] for fields in lines if len(fields) >= RUN.n_fields]
        _read_piece(gathered, piece)
    if likeness := _likeness(gathered) if gathered.n_bad else "":
        first = gathered.bad[:1]
        raise ReadError(label, f"this looks like {likeness}", lines=first, expected=layout.line)
    read = gathered.joined("no lines")
    are_scores = all(map(_SCORE.fullmatch, ranks)) and any(
        math.modf(float(rank))[0]
        for rank in ranks  # infinity becomes 0
    )
    if layout is RUN and read.rank is None and are_scores and raw.are_ranks(read):
        raise ReadError(
            label,
            "the rank column holds scores, and the score column ranks: the two are swapped",
            expected=layout.line,
            hint="write the ranks into the fourth field and the scores into the fifth",
        )
    return read


def _read_piece(gathered: Gathered, piece: bytes) -> None:
    def is_read(data: bytes) -> bool:
        rows = parse_fast(data, gathered.layout)
        if rows is not None:
            gathered.add(rows, data.count(b"\n"))
        return rows is not None

    if is_read(piece):
        return
    # In small parts, because Python objects need much more memory than the lines.
    for part in cut(piece, MOST_LINE + 1):
        if len(part) == len(piece) or not is_read(part):
            read_lines(gathered, part)


def cut(data: bytes, size: int = MOST_LINE) -> Iterator[bytes]:
    """Split a text at line ends into parts of at most ``size`` bytes, or one line."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + size) + 1 or data.find(b"\n", start) + 1
        yield data[start : end or None]
        start = end or len(data)


# Line number, line, fields that are read (query, document, number, …), and what is wrong.
Record: TypeAlias = tuple[int, bytes, Sequence[bytes], str]


def read_lines(gathered: Gathered, data: bytes, width: int | None = None) -> None:
    """Read line by line in the layout's form, or with three fields; collect bad lines."""
    layout = gathered.layout
    places = (0, 1, 2) if width else (0, 2, 4, 3, 5) if layout is RUN else (0, 2, 3, 1)

    def records(lines: Sequence[bytes]) -> Iterator[Record]:
        for number, line in enumerate(lines, 1):
            if fields := line.split():
                problem = _shape_problem(layout, line, fields, width)
                yield number, line, () if problem else [fields[i] for i in places], problem

    lines = data.removesuffix(b"\n").split(b"\n")
    gather(gathered, records(lines))
    gathered.n_lines += len(lines)


def gather(gathered: Gathered, records: Iterator[Record]) -> None:
    """Add records in batches, or what is wrong with them."""
    of_run = gathered.layout is RUN
    read = read_score if of_run else read_grade
    while part := list(islice(records, _RECORDS)):
        values: list[float] = []
        rows: list[Sequence[bytes]] = []
        position: list[int] = []
        for number, line, fields, shape_problem in part:
            value, problem = (0.0, shape_problem) if shape_problem else read(fields[2], fields[0])
            if not problem and len(line) > ids.MOST_ID:
                texts = fields[:2] if of_run else [*fields[:2], *fields[3:]]
                problem = ids.TOO_LONG if max(map(len, texts)) > ids.MOST_ID else ""
            if not problem:
                values.append(value)
                rows.append(fields)
                position.append(number)
            elif line[:1] == b"#" and b"\0" not in line and not gathered.separator:
                gathered.n_comments += 1
            else:
                gathered.refuse(number, line, problem)
        query, doc, _, *rest = zip(*rows, strict=True) if rows else [()] * 3
        columns = Columns(
            query=ids.pack(query),
            doc=ids.pack(doc),
            value=np.array(values, dtype=np.float64) if of_run else as_grades(values),
            position=np.array(position, dtype=np.int64),
        )
        if rest and of_run:
            ranks, tags = rest
            whole = all(rank.isdigit() and len(rank.lstrip(b"0")) <= MOST_DIGITS for rank in ranks)
            columns = replace(
                columns,
                rank=np.array([int(rank) for rank in ranks], dtype=np.int64) if whole else None,
                tags=tuple(tag.decode("utf-8", "surrogateescape") for tag in dict.fromkeys(tags)),
            )
        elif rest:
            columns = replace(columns, subtopic=ids.pack(rest[0]))
        gathered.add(columns, 0)


def _shape_problem(layout: Layout, line: bytes, fields: Sequence[bytes], width: int | None) -> str:
    if b"\0" in line:
        return "holds a NUL byte: this is not a text file"
    n_fields, wanted = len(fields), width or layout.n_fields
    if not width and _holds_blank(line, layout):
        return (
            "tabs part its fields and one of them holds a blank, which parts fields, too; name the"
            " columns in a first line, parted by tabs, or write ids without blanks"
        )
    if n_fields > wanted and b"\r" in line.strip():
        return "holds a CR that ends no line; lines end in LF or CR LF"
    if n_fields < wanted or (n_fields > wanted and (layout is not RUN or width)):
        return f"expected {wanted} fields, found {n_fields}"
    return ""


def read_score(text: bytes, query: bytes) -> tuple[float, str]:
    """Return the score, and what is wrong with it."""
    if _SCORE.fullmatch(text):
        value = float(text)
        return value, "" if math.isfinite(value) else f'score "{_show(text)}" is too large'
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()], ""
    kinds = {b"nan": "NaN", b"inf": "infinite", b"infinity": "infinite"}
    if kind := kinds.get(text.lstrip(b"+-").lower()):
        return 0.0, f"score is {kind}" + (f" (query {_show(query)})" if query else "")
    comma = text.count(b",") == 1 and _SCORE.fullmatch(text.replace(b",", b".")) is not None
    why = " (a decimal point is needed, not a comma)" if comma else ""
    return 0.0, f'score "{_show(text)}" is not a number{why}'


def read_grade(text: bytes, query: bytes) -> tuple[float, str]:
    """Return the grade, which may be a fraction, and what is wrong with it."""
    if _GRADE.fullmatch(text):
        if len(text.lstrip(b"+-0")) > MOST_DIGITS:
            return 0, f'grade "{_show(text)}" is too large'
        return int(text), ""
    value, problem = read_score(text, query)
    if problem:
        return 0.0, f'grade "{_show(text)}" is not a number'
    if abs(value) >= 2**53:
        return 0.0, f'grade "{_show(text)}" is too large'
    return value, ""


def _show(text: bytes) -> str:
    return shorten(text.decode("utf-8", "backslashreplace"), width=_SHOWN)


def _likeness(gathered: Gathered) -> str:
    """Guess what a file without a valid line is; empty if unclear."""
    layout, first = gathered.layout, gathered.bad[0].text
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
            return (
                f"CSV (fields separated by {name}); its first line has to name these columns:"
                f" {named}"
            )
    return ""


# --- Write judgments and runs as TREC files


def write_lines(
    path: str | os.PathLike[str], columns: Sequence[Sequence[bytes]], blanks: str | None
) -> Path:
    """Write values separated by blanks, compressed if the name ends in .gz."""
    # Writing is atomic, and the same values always give the same bytes.
    if blanks is not None:
        mark = blanks.encode("utf-8", "surrogateescape")
        joined = [[mark.join(value.split()) for value in column] for column in columns]
        for column, texts in zip(columns, joined, strict=True):
            if len({*column}) != len({*texts}):
                raise ArgumentError(
                    f"two ids become the same with {blanks!r} for their blanks: choose other text"
                )
        columns = joined
    for value in (value for column in columns for value in column):
        if b"\0" in value or value.split() != [value]:
            text = repr(value.decode("utf-8", "backslashreplace"))
            raise ArgumentError(
                f'{text} cannot stand in a TREC file: it holds a blank; blanks="_" writes it with'
                " underscores"
            )
    data = b"".join(b" ".join(fields) + b"\n" for fields in zip(*columns, strict=True))
    file = Path(path)
    if file.suffix == ".gz":
        import gzip

        data = gzip.compress(data, mtime=0)
    replace_all({file: data})
    return file


BLOCK = 2 << 20
ROWS = 250_000  # rows of a table ranked at once; with fewer, threads wait for each other
LARGEST = 64 << 20  # maximum bytes of a query's lines held in memory


class NotPlain(Exception):
    """The file needs the careful parser; users never see this."""


@dataclass(frozen=True, eq=False)
class Block:
    """Complete rankings of some queries, sorted by query and rank."""

    queries: Ids  # in file order
    # int64[n_queries + 1]; first row of each query, and the number of rows
    first_row: IntArray
    docs: Ids  # documents in the order read, by query
    mark: npt.NDArray[np.uint64]  # uint64[n_rows]; fingerprints of ``docs``
    ranking: IntArray  # int64[n_rows]; number of each row's ranking
    # int64[n_rows] or None; position in ``docs`` of the document at each rank; None if ``docs``
    # is in rank order
    row: IntArray | None
    score: FloatArray  # float64[n_rows]; in rank order
    tags: tuple[str, ...] = ()
    n_rank_conflicts: int = 0  # queries whose rank column contradicts the scores

    def has_query_id(self) -> BoolArray:
        """Whether each of ``docs`` has the id of its query: bool[n_rows]."""
        marks = np.repeat(ids.fingerprint(self.queries), np.diff(self.first_row))
        equal: BoolArray = self.mark == marks
        rows = np.flatnonzero(equal)
        if len(rows):
            queries = ids.take(self.queries, self.ranking[rows])
            equal[rows] = ids.same(ids.take(self.docs, rows), queries)
        return equal

    def without(self, dropped: BoolArray) -> Block:
        """Return the block without some of ``docs``, and without queries that become empty."""
        by_rank = ~(dropped if self.row is None else dropped[self.row])
        n_kept = np.concatenate([[0], np.cumsum(by_rank)])[self.first_row]
        queries = np.flatnonzero(np.diff(n_kept))
        docs = np.flatnonzero(~dropped)
        place = np.cumsum(~dropped) - 1
        return replace(
            self,
            queries=ids.take(self.queries, queries),
            first_row=np.unique(n_kept),
            docs=ids.take(self.docs, docs),
            mark=self.mark[docs],
            ranking=np.repeat(np.arange(len(queries)), np.diff(n_kept)[queries]),
            row=None if self.row is None else place[self.row[by_rank]],
            score=self.score[by_rank],
        )


def chunks(file: Readable) -> Iterator[bytes]:
    """Split a run between queries into chunks of about ``BLOCK`` bytes or one query."""
    # If the lines of a query are not adjacent, a split may separate them.
    held = b""
    while data := file.read(max(BLOCK, len(held))):
        data = held + data
        if first_long_line(data) >= 0:
            raise NotPlain("a line that is too long")
        # Find the start of the last query by bisection, because its lines are adjacent.
        end = data.rfind(b"\n") + 1
        first, cut = 0, data.rfind(b"\n", 0, max(end - 1, 0)) + 1
        query = _query(data, cut)
        while first < cut:
            line = data.rfind(b"\n", 0, (first + cut) // 2) + 1
            if _query(data, line) == query:
                cut = line
            else:
                first = data.find(b"\n", line) + 1
        if not cut and len(data) > LARGEST:
            raise NotPlain("a ranking that is too large to be held")
        if cut:
            yield data[:cut]
        held = data[cut:]
    yield held  # even if empty: the reader reports empty files


def _query(data: bytes, line: int) -> list[bytes]:
    return data[line : data.find(b"\n", line)].split(None, 1)[:1]


def block(chunk: bytes, *, score_dtype: ScoreDtype = "float64") -> Block:
    r"""Read, check and rank complete queries."""
    rows = parse_fast(chunk, RUN)
    if rows is None:
        raise NotPlain("a bad line, a comment or a number in need of care")
    if rows.rank is None:
        raise NotPlain("a rank that is no number, so that no rank of the file counts")
    return ranked(rows, score_dtype=score_dtype)


def ranked(rows: Columns, *, score_dtype: ScoreDtype = "float64") -> Block:
    """Check and rank the rows of complete queries."""
    queries, ends = ids.runs(rows.query)
    first_row = np.concatenate([[0], ends])
    query = np.repeat(np.arange(len(ends)), np.diff(first_row))
    mark = ids.fingerprint(rows.doc)
    if raw.has_duplicates(query, rows.doc, mark):
        raise NotPlain("a document twice in a query")
    score = raw.at_precision(rows.value, score_dtype)
    row = None if _falls(score, ends) else raw.rank_rows(query, score, rows.doc)
    n_rank_conflicts = 0
    if rows.rank is not None and not (row is None and _falls(-rows.rank, ends)):
        n_rank_conflicts = raw.rank_conflicts(query, score, rows.rank)
    return Block(
        queries, first_row, rows.doc, mark, query, row, score if row is None else score[row],
        rows.tags, n_rank_conflicts,
    )  # fmt: skip


def slices(columns: Columns) -> Iterator[Columns]:
    """Split columns between queries into slices of about ``ROWS`` rows or one query."""
    ends = ids.runs(columns.query)[1]
    start = 0
    if not len(columns.value):
        yield columns
    while start < len(columns.value):
        stop = int(ends[min(int(np.searchsorted(ends, start + ROWS)), len(ends) - 1)])
        yield columns.take(slice(start, stop))
        start = stop


def _falls(values: FloatArray | IntArray, ends: IntArray) -> bool:
    falls = values[1:] < values[:-1]
    falls[ends[:-1] - 1] = True
    return bool(falls.all())
