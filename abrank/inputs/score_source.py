"""Read ready scores from files and objects of every kind as one table of named columns."""

# Sources are text tables, output of `trec_eval -q` and similar, Parquet, Feather, JSON and JSON
# lines, frames of every library, nested dicts, named tuples, and logs of programs in which a model
# judges. Only the format is interpreted here; `score_roles` finds the roles of the columns.

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, ReadError
from abrank._support.typing import IntArray
from abrank.inputs import arrow, exports, files, ids
from abrank.inputs.columns import DOC_IDS, MOST_SHOWN, Source, folded, has_columns, require_distinct
from abrank.inputs.exports import INDEX, flattened, read_archive, rows_of_export, rows_of_log
from abrank.inputs.ids import Ids
from abrank.inputs.objects import body_of, label_of
from abrank.inputs.score_column import BLANKS, ScoreColumn, tidied
from abrank.inputs.score_reading import NameTest, naming_queries
from abrank.inputs.storage import ZIP
from abrank.inputs.text_files import (
    headed_lines,
    looks_like_json,
    parsed,
    plain_table,
    text_columns,
)
from abrank.inputs.trec import BYTE_ORDER_MARK, one_blank, read_plain

OF_MTEB = "holds results of MTEB, which are means over all queries: nothing can be paired"
PREDICTIONS = (
    "let mteb keep its predictions (prediction_folder=), and give these as runs, beside the"
    " judgments"
)
SHAPES = "{query_id: {measure: score}}, {measure: {query_id: score}}, or an answer of _rank_eval"
FORMS = (
    "measure query_id value (trec_eval -q), query_id measure value (ir_measures -q), or a table"
    " whose header names a column query_id"
)
# Query ids that mark the mean over the queries: in trec_eval, ir_measures and abrank; in ndeval.
AGGREGATES = ("all", "amean")
NESTED = "a nested dict"  # one level of its keys must be query ids
# How pandas names an index without name in CSV and Parquet.
_NO_NAMES = re.compile(r"|Unnamed: 0|__index_level_\d+__")
_NO_NAMES_OF_CELLS = re.compile(r"|Unnamed: \d+")
# Blanks beyond ASCII, which are stripped from cells.
_WIDE_BLANK = re.compile(
    rb"\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
)
_NUMBER_LIKE = re.compile(r"[+-]?[.,]?[0-9]|[+-]?(nan|inf)", re.IGNORECASE)
_LONG = ("query_id", "measure", "score")
# Elasticsearch's and OpenSearch's names of measures in _rank_eval.
_RANK_EVAL = {
    "dcg": "DCG", "mean_reciprocal_rank": "RR", "precision": "SetP", "recall": "SetR",
    "expected_reciprocal_rank": "ERR",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class NamedTable:
    """The columns of a source; ``roles`` are those that the format already defines."""

    columns: tuple[ScoreColumn, ...]
    origin: Source
    form: str = ""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    lines: IntArray | None = None  # line number of each row from 1, for text files
    # Whether row numbers can serve as query ids when another table is compared with this one.
    numbered: bool = True

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].cells) if self.columns else 0

    def column(self, name: str) -> ScoreColumn:
        """Return the column of a name."""
        return self.by_name[name]

    @cached_property
    def by_name(self) -> dict[str, ScoreColumn]:
        """The columns by name; the first of equal names counts."""
        return {column.name: column for column in reversed(self.columns)}

    @cached_property
    def positions(self) -> IntArray:
        """The position of each row, its line from 1 or its row from 0: int64[n_rows]."""
        return np.arange(self.n_rows) if self.lines is None else self.lines

    def take(self, rows: IntArray) -> NamedTable:
        """Return selected rows."""
        columns = tuple(column.take(rows) for column in self.columns)
        return replace(self, columns=columns, lines=self.positions[rows])


def read_source(
    source: object,  # one of the kinds below
    is_measure: NameTest,
) -> NamedTable:
    """Read a path, a frame or table of any library, a dict, or a list of rows."""
    if isinstance(source, NamedTable):  # already read
        return source
    if isinstance(source, (str, os.PathLike)):
        return _of_file(source, is_measure)
    return _tidied(_of_object(source, is_measure))


def _tidied(table: NamedTable, delimiter: str = ",", *, marked: bool = False) -> NamedTable:
    return replace(table, columns=tuple(tidied(table.columns, delimiter, marked=marked)))


def _of_object(source: Any, is_measure: NameTest) -> NamedTable:  # noqa: ANN401
    origin = Source(None, None, 0, label_of(source), "row")
    if not isinstance(source, (Mapping, list, tuple)):
        source = arrow.as_table(source)
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return _of_frame(source, origin)
    table = arrow.table_of(source)
    if table is not None:
        return _of_columns(table.column_names, table.columns, origin)
    if hasattr(source, "to_pandas"):  # result of LangSmith or Ragas
        return _of_frame(source.to_pandas(), origin)
    if isinstance(source, Mapping) and source and all(
        hasattr(frame, "columns") for frame in source.values()
    ) and not any(is_measure(str(name)) for name in source):  # fmt: skip
        return _of_frames(source, origin)
    if hasattr(source, "model_dump"):  # object of DeepEval
        source = source.model_dump()
    tree = _of_tree(source, origin, is_measure)
    if tree is None:
        raise ArgumentError(
            f"scores must be a path, a table or a dict, not {type(source).__name__}"
        )
    return tree


# --- Files


def _of_file(path: str | os.PathLike[str], is_measure: NameTest) -> NamedTable:
    data, origin = files.contents(path, tables=True, zips=True)
    rows = replace(origin, unit="row")
    if arrow.kind_of(data):
        return _tidied(_of_columns(*arrow.file_columns(data, origin.label, list), rows))
    packed = data.startswith(ZIP)
    if packed or looks_like_json(data):
        held = read_archive(data, origin.label) if packed else parsed(data, origin.label)
        tree = _of_tree(held, rows, is_measure)
        if tree is None:
            raise ReadError(origin.label, "holds no scores by query", expected=SHAPES)
        return _tidied(tree)
    data = _with_tabs(_without_rules(data.removeprefix(BYTE_ORDER_MARK)))
    data, titles = _below_titles(data)
    if titles:
        note = f"{origin.label}: not read, above the names of its columns: {shorten(titles)}"
        origin = replace(origin, notes=(note,))
    first = next((line.strip(b"\r\n") for line in io.BytesIO(data) if line.strip()), None)
    if first is None:
        raise ReadError(origin.label, "no lines", expected=FORMS)
    try:
        first.decode()
    except UnicodeDecodeError:  # Excel in Western Europe
        with suppress(UnicodeDecodeError):
            data, first = (text.decode("cp1252").encode() for text in (data, first))
            note = f"{origin.label}: read as Windows-1252: the names of columns are no UTF-8"
            origin = replace(origin, notes=(*origin.notes, note))
    if b"\r" in first:
        hint = "write LF or CR LF at their ends"
        raise ReadError(origin.label, "lines end in CR alone", hint=hint)
    text = first.decode("utf-8", "surrogateescape")
    delimiter = next((mark for mark in "\t,;|" if mark in text), "")
    try:
        header = [name.strip() for name in next(csv.reader([text], delimiter=delimiter or ","))]
    except csv.Error as error:
        raise ReadError(origin.label, f"no line of a table: {error}", at="line 1") from error
    # Variants may be called 0 and 1; then these numbers are names, beside a query column.
    # So may be the queries of a leaderboard, which are whole numbers behind a name.
    of_queries = len(header) > 4 and all(name.isdigit() for name in header[1:])
    has_numbers = any(map(is_number, header)) and not (naming_queries(header) or of_queries)
    is_lines = has_numbers or not {*AGGREGATES}.isdisjoint(header)
    if header[0] in ("runid", "relstring"):  # a column, or a text value of trec_eval
        second = data.split(b"\n", 2)[1:2]
        is_lines |= bool(second) and is_measure(second[0].decode("latin-1").split("\t")[0].strip())
    if not delimiter and not is_lines:  # a name, and below it one number per line
        rest = data.split(b"\n", 2)[1:2]
        is_lines = len(text.split()) > 1 or not rest or not is_number(rest[0].decode("latin-1"))
    if is_lines:
        _refuse_documents(data, origin.label, is_measure)
        return _of_lines(data, origin, is_measure)
    delimiter = delimiter or ","
    below = data.find(first) + len(first)
    again = b"\n" + first + (b"\r\n" if data[below : below + 1] == b"\r" else b"\n")
    if data.find(again, below) >= 0:  # header of a second file appended to the first
        data = data[:below] + data[below:].replace(again, b"\n\n")
    header = _with_unnamed(header, data[below : below + (1 << 16)], delimiter)
    data, header, levels = _of_two_rows(data, header, delimiter)
    table = _of_text(data, header, delimiter, origin)
    if levels:
        named = dict(zip(header, levels, strict=True))
        columns = [replace(column, levels=named.get(column.name, ())) for column in table.columns]
        table = replace(table, columns=tuple(columns))
    # If commas separate cells, a cell can contain a comma only in quotes.
    marked = delimiter != "," or b'"' in data
    return _tidied(table, delimiter, marked=marked)


def _with_unnamed(header: list[str], below: bytes, delimiter: str) -> list[str]:
    """Add an empty name to a header that lacks one: of the names of rows, or behind a last mark."""
    lines = below.decode("latin-1").replace("\r", "").split("\n")[1:3]
    cells = [*csv.reader(lines, delimiter=delimiter)]
    if {*map(len, cells)} != {len(header) + 1}:
        return header
    if not any(row[-1].strip() for row in cells):
        return [*header, ""]
    # R writes names of rows without a name of their own. A comma may also stand in a text.
    return header if delimiter == "," else ["", *header]


_LINES = 12  # lines in which a table must begin, below its title
# Separator lines of tables in Markdown, psql and MySQL, and the footer of psql.
_RULE = re.compile(rb"^[ |+]*:?-{3,}[-:|+ ]*\r?$", re.MULTILINE)
_FRAME = re.compile(rb"^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*(?=\r?$)|^\(\d+ rows?\)(?=\r?$)", re.MULTILINE)


def _without_rules(data: bytes) -> bytes:
    """Remove the separator lines from a Markdown, psql or MySQL table; return others unchanged."""
    start = data[: 1 << 16].split(b"\n", _LINES)[:_LINES]
    if not any(_RULE.fullmatch(line) and b"|" in before for before, line in pairwise(start)):
        return data
    return _FRAME.sub(b"", _RULE.sub(b"", data))


def _with_tabs(data: bytes) -> bytes:
    """Separate the cells of a table by tabs if blanks separate names of columns, as R writes it."""
    first = data[: 1 << 16].lstrip().partition(b"\n")[0].replace(b'"', b"")
    names = first.decode("utf-8", "replace").split()
    is_plain = len(names) < 3 or any(map(is_number, names)) or not naming_queries(names)
    if is_plain or re.search(rb"[\t,;|]", data):
        return data
    lines = map(str.strip, data.decode("utf-8", "surrogateescape").split("\n"))
    rows = csv.reader(lines, delimiter=" ", skipinitialspace=True)
    try:
        return "\n".join(map("\t".join, rows)).encode("utf-8", "surrogateescape")
    except csv.Error:  # the careful reader names the line
        return data


def _below_titles(data: bytes) -> tuple[bytes, str]:
    """Blank out a title above a table, and return the table and the title."""
    # In exported spreadsheets a row with a single filled cell may precede the header.
    lines = data[: 1 << 16].split(b"\n")[:_LINES]
    n_remarks = next((i for i, line in enumerate(lines) if not line.startswith(b"#")), 0)
    width = len(re.findall(rb"[\t,;|]", lines[n_remarks]))
    if n_remarks and len(re.findall(rb"[\t,;|]", lines[n_remarks - 1])) != width:
        title = b" ".join(lines[:n_remarks]).decode("utf-8", "replace")
        return b"\n" * n_remarks + data.split(b"\n", n_remarks)[n_remarks], title
    cells = [[cell.strip(b' "\r') for cell in re.split(rb"[\t,;|]", line)] for line in lines]
    filled = [sum(map(bool, row)) for row in cells]
    first = next((i for i, count in enumerate(filled) if count > 1), 0)
    if not first or not any(filled[:first]) or len(cells) < first + 2:
        return data, ""
    is_header = not any(is_number(cell.decode("latin-1")) for cell in cells[first])
    mark = next(mark for mark in (b"\t", b",", b";", b"|") if mark in lines[first])
    if not is_header or lines[first].count(mark) != lines[first + 1].count(mark):
        return data, ""
    title = " ".join(cell.decode("utf-8", "replace") for row in cells[:first] for cell in row)
    return b"\n" * first + data.split(b"\n", first)[first], " ".join(title.split())


def _of_two_rows(
    data: bytes, header: list[str], delimiter: str
) -> tuple[bytes, list[str], list[tuple[str, ...]]]:
    """Convert a table with two header rows to one with one, and return the two names per column."""
    # pandas writes pivot tables like this: measures above variants, and perhaps the index name.
    names = [name for name in header[1:] if name]
    if len({*names}) == len(header) - 1 or not names:
        return data, header, []
    lines = data.split(b"\n", _LINES)
    start = next(i for i, line in enumerate(lines) if line.strip())
    text = [line.decode("utf-8", "surrogateescape").strip("\r") for line in lines[start + 1 :][:2]]
    rows = [[cell.strip() for cell in row] for row in csv.reader(text, delimiter=delimiter)]
    if len(rows) < 2 or {*map(len, rows)} != {len(header)}:
        return data, header, []
    second, third = rows
    n_keys = next((i for i, cell in enumerate(second) if i and cell), 1)
    has_names = any(third) and not all(third[1:])
    if has_names:  # a row with the names of the index
        n_keys = max(i for i, cell in enumerate(third) if cell) + 1
        has_names = not any(third[n_keys:])
    firsts: list[str] = []
    for name in header[n_keys:]:
        firsts.append(name or (firsts[-1] if firsts else ""))
    levels = list(zip(firsts, second[n_keys:], strict=True))
    is_data = (any(map(is_number, second)) and not has_names) or not all(map(all, levels))
    if is_data or len({*levels}) < len(levels):
        return data, header, []
    first = header[0] or (second[0] if n_keys == 1 else "") or INDEX
    keys = third[:n_keys] if has_names else [first, *header[1:n_keys]]
    used = start + 1 + has_names
    joined = [*keys, *("/".join(level) for level in levels)]
    rest = b"\n" * used + b"\n".join(lines[used:])
    return rest, joined, [*((),) * n_keys, *levels]


def holds_scores(path: str, *, alone: bool) -> bool:
    """Whether a file should be read as scores rather than as judgments or a run."""
    # A file `alone` is, unless its first line is that of judgments or a run. Several files each
    # have to be a table without a column of document ids.
    if not files.is_regular(path):
        return alone
    names, start = files.beginning(path)
    start = start.lstrip()
    if looks_like_json(start):
        first = start.partition(b"\n")[0]
        is_rows = start.startswith(b"[") or (start.startswith(b"{") and first.endswith(b"}"))
        return alone or (is_rows and b'"doc' not in first)
    if not names:
        text = start.partition(b"\n")[0].strip().decode("utf-8", "surrogateescape")
        names = [name.strip() for name in re.split(r"[\t,;|]", text)]
        fields = text.split()
        is_run = len(fields) == 6 and is_number(fields[4])
        is_grade = len(fields) == 4 and re.fullmatch("-?[0-9]{1,3}", fields[3])  # no year
        is_qrels = is_grade and len(names) in (1, 4)
        if is_run or is_qrels:
            return False
        if not alone and (len(names) < 2 or any(map(is_number, names))):
            return False
    joined = {*map(folded, names)} >= {"relevance", "position"}  # a run with its judgments
    return not (has_columns([name for name in names if folded(name) not in DOC_IDS[2]]) or joined)


def is_number(field: str) -> bool:
    """Whether a field can be read as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def _refuse_documents(data: bytes, label: str, is_measure: NameTest) -> None:
    """Refuse a TREC run or qrels in place of scores, by the first lines."""
    lines = data.split(b"\n", MOST_SHOWN)[:MOST_SHOWN]
    rows = [row for line in lines if (row := line.decode("utf-8", "replace").split())]
    widths = {len(row) for row in rows}
    is_run = widths == {6} and all(is_number(row[4]) for row in rows)
    if is_run or (widths == {4} and all(
        row[1] in ("0", "Q0") and row[3].lstrip("-").isdigit() and not is_measure(row[2])
        for row in rows
    )):  # fmt: skip
        raise ReadError(
            label, f"this looks like {'a run' if is_run else 'qrels'}, not like scores of queries",
            hint="leave out --scores: abrank compare (or rank) QRELS RUN_A RUN_B scores the runs;"
            " in Python compare, not compare_scores",
        )  # fmt: skip


def _of_text(data: bytes, header: Sequence[str], delimiter: str, origin: Source) -> NamedTable:
    """Read a table below its header: by Arrow if it is plain, else line by line."""
    is_wide = not data.isascii() and _WIDE_BLANK.search(data)
    cells = None if is_wide else _plain_cells(data, delimiter, len(header), skip=1)
    if cells is not None:
        lines = np.arange(len(cells[0])) + 2
    else:
        _, rows = headed_lines(data, delimiter, origin.label, errors="surrogateescape")
        texts, places = text_columns(rows, len(header), origin.label, delimiter.join(header))
        cells = [ids.encode([cell.strip() for cell in column]) for column in texts]
        lines = np.array(places, np.int64)
    columns = map(_with_parsed_cells, map(ScoreColumn, header, cells))
    return _named(columns, origin, lines=lines, numbered=False)


def _plain_cells(data: bytes, delimiter: str, width: int, *, skip: int = 0) -> list[Ids] | None:
    """Return the columns of a plain table by Arrow; None if it needs the careful reader."""
    names, plain = list(map(str, range(width))), plain_table(data, delimiter)
    types = dict.fromkeys(names, pa.large_binary())
    if plain is None:
        return None
    table = read_plain(plain, delimiter=delimiter, names=names, types=types, skip=skip)
    return None if table is None else [ScoreColumn.of(name, table[name]).cells for name in names]


def _with_parsed_cells(column: ScoreColumn) -> ScoreColumn:
    """Parse cells with JSON objects of numbers, as Braintrust exports them, into dicts."""
    first = column.cell(0)[:1] if len(column.cells) else ""
    texts = ids.decode(column.cells) if first in ("{", "") else []
    if not any(text.startswith("{") for text in texts):
        return column
    with suppress(ValueError):
        cells = [json.loads(text) if text else {} for text in texts]
        if {*map(type, cells)} == {dict} and (folded(column.name) == "scores" or all(
            isinstance(value, int | float | None) for cell in cells for value in cell.values()
        )):  # fmt: skip
            return replace(column, cells=cells)
    return column


def _with_fields(column: ScoreColumn) -> Iterator[ScoreColumn]:
    if not column.is_nested or not all(isinstance(cell, dict | None) for cell in column.cells):
        yield column
        return
    rows = [dict(flattened(cell or {})) for cell in column.cells]
    for name in dict.fromkeys(name for row in rows for name in row):
        yield ScoreColumn.of(f"{column.name}.{name}", [row.get(name) for row in rows])


def _with_levels(column: ScoreColumn) -> ScoreColumn:
    """Split a name such as ``('ndcg', 'new')``, in which pandas joins levels, into its parts."""
    if column.levels or not _TUPLE.fullmatch(column.name):
        return column
    levels = tuple(column.name[2:-2].split("', '"))
    return replace(column, name="/".join(filter(None, levels)), levels=levels)


_TUPLE = re.compile(r"\('[^']*'(, '[^']*')+\)")


def _named(
    columns: Iterable[ScoreColumn],
    origin: Source,
    *,
    lines: IntArray | None = None,
    numbered: bool = True,
) -> NamedTable:
    """Return a table without row numbers; refuse two columns with the same name."""
    result: list[ScoreColumn] = []
    for column in chain.from_iterable(map(_with_fields, map(_with_levels, columns))):
        if _NO_NAMES_OF_CELLS.fullmatch(column.name) and column.empty.all():
            continue  # trailing separators
        if _NO_NAMES.fullmatch(column.name):
            # An index 0, 1, 2, … written by pandas.
            if np.array_equal(column.numbers, np.arange(len(column.cells))):
                continue
            column = replace(column, name=INDEX)
        result.append(column)
    require_distinct([column.name for column in result], origin.label)
    if len({len(column.cells) for column in result}) > 1:
        some = ", ".join(f"{column.name} {len(column.cells)}" for column in result)
        raise ReadError(origin.label, f"its columns have different numbers of rows: {some}")
    table = NamedTable(tuple(result), origin, lines=lines, numbered=numbered)
    return replace(table, origin=replace(origin, n_rows=table.n_rows))


def _of_lines(data: bytes, origin: Source, is_measure: NameTest) -> NamedTable:
    """Read lines of three fields, or of four that begin with the system."""
    columns, lines = _fields(data, origin.label)
    form, names = "abrank score --per-query", ["system", *_LONG]
    if len(columns) == 3:
        first = _measure_first(columns, origin.label, is_measure)
        form = "trec_eval -q" if first else "ir_measures -q"
        names = ["measure", "query_id", "score"] if first else list(_LONG)
    cells = tuple(map(ScoreColumn, names, columns))
    table = NamedTable(cells, origin, form, _long_roles(names), lines=lines)
    # Text values, such as trec_eval's runid and relstring, are left out and counted.
    measure, value = table.column("measure"), table.column("score")
    n_wrong = np.bincount(measure.codes[value.wrong], minlength=measure.n_distinct)
    texts = n_wrong == np.bincount(measure.codes, minlength=measure.n_distinct)
    rows = np.flatnonzero(value.wrong)
    cells_of_rows = ids.decode(ids.take(value.cells, rows))
    for code, text in zip(measure.codes[rows], cells_of_rows, strict=True):
        texts[code] &= _NUMBER_LIKE.match(text) is None
    if texts.any():
        table = replace(
            table.take(np.flatnonzero(~texts[measure.codes])),
            left_out={measure.labels[i]: int(n_wrong[i]) for i in np.flatnonzero(texts)},
        )
    return replace(table, origin=replace(origin, n_rows=table.n_rows))


def _fields(data: bytes, label: str) -> tuple[list[Ids], IntArray]:
    mark = "\t" if b"\t" in data else " "
    text = one_blank(data) if mark == " " else re.sub(rb" *\t *", b"\t", data)
    width = text.partition(b"\n")[0].count(mark.encode()) + 1
    plain = None if b'"' in data or width not in (3, 4) else _plain_cells(text, mark, width)
    if plain is not None:
        return plain, np.arange(1, len(plain[0]) + 1)
    # Only lines with tabs can contain names with blanks.
    lines = [
        (number, list(map(bytes.strip, line.split(b"\t"))) if b"\t" in line else line.split())
        for number, line in enumerate(data.replace(b"\r\n", b"\n").split(b"\n"), 1)
        if line.strip()
    ]
    rows = [(number, [text.decode("utf-8", "surrogateescape") for text in line])
            for number, line in lines]  # fmt: skip
    width = 4 if len(rows[0][1]) == 4 else 3
    columns, places = text_columns(rows, width, label, FORMS, hint="")
    place = next((place for place, cell in zip(places, columns[-1], strict=True) if not cell), 0)
    if place:
        raise ReadError(label, "the score is empty: the line may be cut", at=f"line {place}")
    return list(map(ids.encode, columns)), np.array(places, np.int64)


def _long_roles(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    roles = {"query": "query_id", "variant": "system", "metric": "measure", "value": "score"}
    roles["repeat"] = "epoch"
    return {role: (name,) for role, name in roles.items() if name in names}


def _measure_first(columns: Sequence[Ids], label: str, is_measure: NameTest) -> bool:
    """Whether the first field of the lines is the measure, rather than the second."""
    names = [ids.decode(ids.code(column)[0]) for column in columns[:2]]
    aggregate = [not {*AGGREGATES}.isdisjoint(column) for column in names]
    if aggregate[0] != aggregate[1]:
        return aggregate[1]
    anies = [any(map(is_measure, column[:MOST_SHOWN])) for column in names]
    if anies[0] == anies[1]:
        problem = (
            f"{'both' if anies[0] else 'neither'} of the first two fields name a known measure"
        )
        hint = f"they hold {names[0][0]} … and {names[1][0]} …"
        raise ReadError(label, problem, expected=FORMS, hint=hint)
    return anies[0]


# --- Frames, tables and objects


def _of_frame(frame: Any, origin: Source) -> NamedTable:  # noqa: ANN401 - of pandas
    frame = arrow.with_index(frame, INDEX)
    levels = [tuple(map(str, name)) if isinstance(name, tuple) else () for name in frame.columns]
    names = ["/".join(filter(None, level)) if level else str(name).strip()
             for level, name in zip(levels, frame.columns, strict=True)]  # fmt: skip
    # A former index level has a single name.
    columns = [
        ScoreColumn.of(name, frame.iloc[:, i], levels[i] if sum(map(bool, levels[i])) > 1 else ())
        for i, name in enumerate(names)
    ]
    return _named(columns, origin)


def _of_frames(frames: Mapping[Any, Any], origin: Source) -> NamedTable:
    import pandas as pd

    parts = {
        str(name): arrow.with_index(frame if hasattr(frame, "iloc") else frame.to_pandas(), INDEX)
        for name, frame in frames.items()
    }
    taken = {str(column) for frame in parts.values() for column in frame.columns}
    name = next(word for word in ("system", "(system)") if word not in taken)
    joined = pd.concat([frame.assign(**{name: key}) for key, frame in parts.items()])
    table = _of_frame(joined.reset_index(drop=True), origin)
    return replace(table, roles={"variant": (name,)})


def _of_columns(names: Iterable[Any], columns: Iterable[Any], origin: Source) -> NamedTable:
    names = [str(name).strip() for name in names]
    return _named(map(ScoreColumn.of, names, columns), origin)


def _of_tree(
    source: object,  # what JSON holds, or an object like it
    origin: Source,
    is_measure: NameTest,
) -> NamedTable | None:
    """Make a table from nested dicts, rows, a log or a response; None if there are no scores."""
    source = body_of(source)
    if (table := _of_rank_evals(source, origin)) is not None:
        return table
    for rows_of in (exports.scores_of_answers, rows_of_log):
        if (result := rows_of(source, origin.label)) is not None:
            return _of_long(*result, origin)
    if (export := rows_of_export(source, origin.label)) is not None:
        return replace(_of_rows(export[0], origin), form=export[1])
    if isinstance(source, Mapping):
        return _of_dict(source, origin, is_measure)
    rows = list(source) if isinstance(source, Iterable) and not isinstance(source, str) else []
    rows = list(map(_as_mapping, rows))
    if not rows or not isinstance(rows[0], Mapping):
        return None
    if not all(isinstance(row, Mapping) for row in rows):
        text = ", ".join(map(str, rows[0]))
        raise ReadError(origin.label, f"its rows are not alike; the first has {text}")
    return _of_rows(rows, origin)


def _as_mapping(row: Any) -> Any:  # noqa: ANN401
    """Convert a row of any library to a mapping by field names; return others unchanged."""
    if hasattr(row, "_asdict"):  # named tuple
        return row._asdict()
    if is_dataclass(row):
        return vars(row)
    if hasattr(row, "model_dump"):  # pydantic
        return row.model_dump()
    if hasattr(row, "keys") and not isinstance(row, Mapping):  # SQLite
        return {name: row[name] for name in row.keys()}  # noqa: SIM118
    if isinstance(row, (tuple, list)) and len(row) > 2 and np.ndim(row[-1]) == 0:  # database row
        return {f"column {place}": cell for place, cell in enumerate(row, 1)}
    return row


def _of_rows(rows: Iterable[Mapping[Any, Any]], origin: Source) -> NamedTable:
    """Make columns from rows; a dict in a cell gives one column per key."""
    flat = [dict(flattened(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))  # failed rows lack scores
    return _of_columns(names, [[row.get(name) for row in flat] for name in names], origin)


def _of_long(rows: Sequence[Mapping[str, Any]], form: str, origin: Source) -> NamedTable:
    names = list(rows[0]) if rows else []
    table = _of_columns(names, [[row[name] for row in rows] for name in names], origin)
    return replace(table, form=form, roles=_long_roles(names))


def _of_dict(source: Mapping[Any, Any], origin: Source, is_measure: NameTest) -> NamedTable:
    label = origin.label
    if "task_name" in source:
        raise ReadError(label, OF_MTEB, hint=PREDICTIONS)
    while len(source) == 1 and isinstance(held := next(iter(source.values())), Mapping) and any(
        isinstance(column, list) for column in held.values()
    ):  # fmt: skip
        source = held  # {"data": {column: list}}
    nested = [value for value in source.values() if isinstance(value, Mapping)]
    lists = [*source.values()]
    if len(lists) > 1 and all(
        isinstance(item, list) and item and all(isinstance(row, Mapping) for row in item)
        for item in lists
    ):
        name = next(word for word in ("system", "(system)") if word not in lists[0][0])
        rows_of_all = [{**row, name: key} for key, rows in source.items() for row in rows]
        return replace(_of_rows(rows_of_all, origin), roles={"variant": (name,)})
    if not nested and source and all(
        isinstance(item, (list, tuple)) or getattr(item, "ndim", 0) == 1
        for item in source.values()
    ):  # fmt: skip
        return _of_columns(source, [list(item) for item in source.values()], origin)
    # A column-oriented dict has equal row keys in each column, and some columns hold text.
    rows = [*map(str, range(len(nested[0])))] if nested else []
    is_frame = len(rows) > 1 and all([*column] == rows for column in nested)
    texts = {cell for column in nested for cell in column.values() if isinstance(cell, str)}
    if is_frame and texts:
        return _of_columns(source, [list(column.values()) for column in nested], origin)
    no_scores = (text for text in texts if text.casefold() not in BLANKS and not is_number(text))
    is_rows = len(nested) == len(source) and len({*map(tuple, nested)}) == 1
    if is_rows and next(no_scores, ""):  # a frame by rows
        return _of_rows([{"": name, **row} for name, row in source.items()], origin)

    def leaves(node: Mapping[Any, Any], above: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for key, value in node.items():
            path = (*above, *(key if isinstance(key, tuple) else (key,)))
            if isinstance(value, Mapping):
                yield from leaves(value, path)
            else:
                yield (*path, value)

    paths = list(leaves(source, ()))
    if len({*map(len, paths)}) != 1 or len(paths[0]) < 3:
        raise ReadError(label, "holds no dict of scores in each place", expected=SHAPES)
    *levels, values = map(list, zip(*paths, strict=True))
    measured = [any(is_measure(str(key)) for key in dict.fromkeys(level)) for level in levels]
    if measured.count(True) > 1:
        raise ReadError(
            label, "both of the two levels name a known measure", expected=SHAPES,
            hint="a frame tells them apart: pandas.DataFrame.from_dict(scores, orient='index')",
        )  # fmt: skip
    names = ["measure" if is_it else f"level {i}" for i, is_it in enumerate(measured, 1)]
    roles: dict[str, tuple[str, ...]] = {"value": ("score",)}
    if any(measured):
        roles["metric"] = ("measure",)
    if any(measured) and len(names) == 2:
        roles["query"] = tuple(name for name in names if name != "measure")
    table = _of_columns([*names, "score"], [*levels, values], origin)
    return replace(table, roles=roles, numbered=False, form="" if any(measured) else NESTED)


def _of_rank_evals(source: Any, origin: Source) -> NamedTable | None:  # noqa: ANN401
    """Make a table from one or more ``_rank_eval`` responses; None for other objects."""
    if isinstance(source, Mapping):
        source = [source] if "metric_score" in source else [*source.values()]
    answers = [body_of(answer) for answer in source] if isinstance(source, list) else []
    if not answers or not all(
        isinstance(answer, Mapping) and "metric_score" in answer
        and isinstance(answer.get("details"), Mapping)
        for answer in answers
    ):  # fmt: skip
        return None
    rows = []
    for query, answer in chain.from_iterable(answer["details"].items() for answer in answers):
        if not isinstance(answer, Mapping) or "metric_score" not in answer:
            problem = "is no answer of _rank_eval: a query has no metric_score"
            raise ReadError(origin.label, problem)
        metric = answer.get("metric_details")  # each metric is a measure
        metric = metric if isinstance(metric, Mapping) else {}
        name = next(iter(metric), "score")
        if isinstance(metric.get(name), Mapping) and "normalized_dcg" in metric[name]:
            name = "nDCG"
        row = (query, _RANK_EVAL.get(name, name), answer["metric_score"])
        rows.append(dict(zip(_LONG, row, strict=True)))
    return _of_long(rows, "an answer of _rank_eval", origin)
