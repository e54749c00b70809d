"""Where ready scores come from: files and objects of every kind as one table of named columns.

Text tables, lines of ``trec_eval -q`` and its like, Parquet, Feather, JSON and JSON lines, frames
of every library, nested dicts, tuples with names, logs of programs in which a model judges. Nothing
is interpreted here but the form: which column holds what is told in :mod:`score_roles`.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, BadLine, ReadError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import arrow, files, ids
from abrank.inputs.archives import ZIP
from abrank.inputs.columns import MOST_SHOWN, Source
from abrank.inputs.delimited import plain_table
from abrank.inputs.exports import flattened, rows_of_export
from abrank.inputs.ids import Ids
from abrank.inputs.objects import is_missing, label_of, read_id
from abrank.inputs.objects import read_score as read_cell
from abrank.inputs.topics import scores_of_answers
from abrank.inputs.trec import BYTE_ORDER_MARK, read_plain, read_score
from abrank.inputs.tree import looks_like_json, parsed, read_archive, rows_of_log

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
# Where the mean over the queries stands: trec_eval's, ir_measures' and our word, and ndeval's.
AGGREGATES = ("all", "amean")
NESTED = "a nested dict"  # in which some level has to name queries
INDEX = "(index)"  # the name of a frame's index that has none
# What pandas calls an index without a name, in CSV and in Parquet.
_NO_NAMES = re.compile(r"|Unnamed: 0|__index_level_\d+__")
_DECIMAL = re.compile(r"-?[0-9]{1,17}(\.[0-9]*)?")
_TRUTH = {"true": 1.0, "false": 0.0}
_LONG = ("query_id", "measure", "score")
# Measures of Elasticsearch's and OpenSearch's _rank_eval, by their names there.
_RANK_EVAL = {
    "dcg": "DCG", "mean_reciprocal_rank": "RR", "precision": "SetP", "recall": "SetR",
    "expected_reciprocal_rank": "ERR",
}  # fmt: skip


EXPLAINED = 100  # ids where numbers are expected, each in a sentence of its own


@dataclass(frozen=True, eq=False)
class Column:
    """A column: ids of a file's text, an Arrow array of a frame, or Python's objects."""

    name: str
    cells: Any
    # The names of its levels, of a frame with several rows of names above its columns.
    levels: tuple[str, ...] = ()

    @cached_property
    def is_text(self) -> bool:
        """Whether its cells are texts of a file, of which numbers have to be read."""
        return isinstance(self.cells, pa.LargeBinaryArray)

    @cached_property
    def objects(self) -> list[Any]:
        """The cells as Python's objects."""
        return ids.decode(self.cells) if self.is_text else arrow.to_objects(self.cells)

    @cached_property
    def _read(self) -> tuple[FloatArray, dict[int, str]]:
        plain = None if self.is_text else arrow.to_scores(self.cells, missing=True)
        if plain is not None:
            return plain, {}
        value, is_id = np.full(len(self.cells), np.nan), np.zeros(len(self.cells), np.bool_)
        texts = (pa.StringArray, pa.LargeStringArray, pa.LargeBinaryArray)
        if isinstance(self.cells, texts):
            # What begins with a letter and has a digit is an id, and no number.
            match = ids.kernels.match_substring_regex(self.cells, pattern="^[A-Za-z].*[0-9]")
            is_id = match.fill_null(False).to_numpy(zero_copy_only=False)
        more_ids = np.flatnonzero(is_id)[EXPLAINED:]
        problems = dict.fromkeys(more_ids.tolist(), "not a number")
        rest = np.setdiff1d(np.arange(len(value)), more_ids, assume_unique=True).tolist()
        for row, cell in zip(rest, map(self.objects.__getitem__, rest), strict=True):
            if is_missing(cell) or (isinstance(cell, str) and not cell):
                continue
            if isinstance(cell, str) and _DECIMAL.fullmatch(cell):
                value[row] = float(cell)
                continue
            truth = _TRUTH.get(str(cell).casefold())
            if truth is not None:
                value[row], problem = truth, ""
            elif isinstance(cell, str):
                value[row], problem = read_score(cell.encode("utf-8", "surrogatepass"), b"")
                problem = problem.replace(" (query )", "")
            else:
                value[row], problem = read_cell(cell)
            if problem:
                value[row], problems[row] = np.nan, problem
        return value, problems

    @property
    def numbers(self) -> FloatArray:
        """The numbers, NaN where a cell is empty or is none."""
        return self._read[0]

    @property
    def problems(self) -> dict[int, str]:
        """What is wrong with each cell that is neither empty nor a number."""
        return self._read[1]

    @cached_property
    def is_numeric(self) -> bool:
        """Whether it holds numbers, and nothing else but empty cells."""
        if isinstance(self.cells, pa.Array) and pa.types.is_floating(self.cells.type):
            return not self.problems
        return not self.problems and not bool(np.isnan(self.numbers).all())

    @cached_property
    def coded(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct cells as text, in order of appearance, and which one each row has."""
        if self.is_text and not self.is_numeric:
            distinct, codes = ids.code(self.cells)
            return tuple(ids.decode(distinct)), codes
        texts = [_label(cell) for cell in self.objects]
        place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        return tuple(place), np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))

    def as_ids(self, name: str, label: str) -> Ids:
        """Return the cells as query ids: text as it stands, whole numbers spelled out."""
        cells = self.cells if self.is_text else arrow.to_ids(self.cells)
        if cells is not None:
            return cells
        texts = [
            cell if isinstance(cell, str) else read_id(cell, row, name, label)
            for row, cell in enumerate(self.objects)
        ]
        try:
            return ids.encode(texts)
        except UnicodeEncodeError as error:  # half a surrogate pair, as JSON may have one
            problem = f"{name} {error.object!r} is not valid text"
            raise ReadError(label, problem) from error

    def rounding(self) -> FloatArray:
        """Return how far each number may be off: half a unit of the last digit printed."""
        values = np.zeros(len(self.cells))
        for row, text in enumerate(self.objects) if self.is_text else ():
            mantissa, _, exponent = text.lower().partition("e")
            decimals = len(mantissa.partition(".")[2])
            if (decimals or exponent) and self.numbers[row]:
                values[row] = 0.5 * 10.0 ** (int(exponent or 0) - decimals)
        return values

    def take(self, rows: IntArray) -> Column:
        """Return the column of some rows."""
        if self.is_text:
            return replace(self, cells=ids.take(self.cells, rows))
        objects = self.objects
        return replace(self, cells=[objects[row] for row in rows.tolist()])


def _label(cell: Any) -> str:  # noqa: ANN401
    """Return a cell as the text of a category: 256.0 and "256" are one, and "0.90" is 0.9."""
    if is_missing(cell):
        return ""
    text = str(cell).strip()
    if isinstance(cell, bool) or text.casefold() in _TRUTH:
        return text.casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    is_code = isinstance(cell, str) and text.lstrip("-0").isdigit() and text != f"{number:.0f}"
    return text if is_code or number != number else f"{number:.15g}"


@dataclass(frozen=True, eq=False)
class NamedTable:
    """The columns of a source; ``roles`` are those that its form tells by itself."""

    columns: tuple[Column, ...]
    origin: Source
    form: str = ""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    # Where each row stands: its line from 1 of a file's text, or its row from 0.
    first: int = 0
    lines: Callable[[], Sequence[int]] | None = None
    # Whether rows without a query's column are the same queries as those of another such table.
    numbered: bool = True

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].cells) if self.columns else 0

    def column(self, name: str) -> Column:
        """Return the column of a name."""
        return next(column for column in self.columns if column.name == name)

    @cached_property
    def positions(self) -> IntArray:
        """Where each row stands: int64[n_rows]."""
        if self.lines is not None:
            return np.array(self.lines(), np.int64)
        return np.arange(self.n_rows) + self.first

    def take(self, rows: IntArray) -> NamedTable:
        """Return some of the rows."""
        places = self.positions[rows].tolist()
        columns = tuple(column.take(rows) for column in self.columns)
        return replace(self, columns=columns, lines=lambda: places)


def read_source(
    source: Any,  # noqa: ANN401 - one of the kinds below
    is_measure: Callable[[str], bool],
) -> NamedTable:
    """Read a path, a frame or table of any library, a dict, or a list of rows."""
    if isinstance(source, (str, os.PathLike)):
        return _of_file(source, is_measure)
    origin = Source(None, None, 0, label_of(source), "row")
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return _of_frame(source, origin)
    table = arrow.table_of(source)
    if table is not None:
        return _of_columns(table.column_names, table.columns, origin)
    tree = _of_tree(source, origin, is_measure)
    if tree is None:
        kind = type(source).__name__
        raise ArgumentError(f"scores must be a path, a table or a dict, not {kind}")
    return tree


# --- Files


def _of_file(path: str | os.PathLike[str], is_measure: Callable[[str], bool]) -> NamedTable:
    data, origin = files.contents(path, tables=True, zips=True)
    rows = replace(origin, unit="row")
    if arrow.kind_of(data):
        return _of_columns(*arrow.file_columns(data, origin.label, list), rows)
    packed = data.startswith(ZIP)
    if packed or looks_like_json(data):
        held = read_archive(data, origin.label) if packed else parsed(data, origin.label)
        tree = _of_tree(held, rows, is_measure)
        if tree is None:
            raise ReadError(origin.label, "holds no scores by query", expected=SHAPES)
        return tree
    data = data.removeprefix(BYTE_ORDER_MARK)
    first = next((line for line in data.split(b"\n") if line.strip()), None)
    if first is None:
        raise ReadError(origin.label, "no lines", expected=FORMS)
    if b"\r" in first.strip(b"\r"):
        hint = "write LF or CR LF at their ends"
        raise ReadError(origin.label, "lines end in CR alone", hint=hint)
    text = first.strip(b"\r").decode("utf-8", "surrogateescape")
    delimiter = next((mark for mark in "\t,;|" if mark in text), "")
    try:
        header = [name.strip() for name in next(csv.reader([text], delimiter=delimiter or ","))]
    except csv.Error as error:
        raise ReadError(origin.label, f"no line of a table: {error}", at="line 1") from error
    is_lines = any(map(is_number, header)) or not {*AGGREGATES}.isdisjoint(header)
    if not delimiter and not is_lines:  # a name above numbers, one a line
        rest = data.split(b"\n", 2)[1:2]
        is_lines = len(text.split()) > 1 or not rest or not is_number(rest[0].decode("latin-1"))
        delimiter = delimiter if is_lines else ","
    if is_lines or not delimiter:
        _refuse_documents(data, origin.label, is_measure)
        return _of_lines(data, origin, is_measure)
    if delimiter == ";":  # of countries in which a comma stands for the decimal point
        data = re.sub(rb"(?<=[;\n])(-?\d*),(\d+)(?=[;\r\n]|$)", rb"\1.\2", data)
    return _of_text(data, header, delimiter, origin)


def is_number(field: str) -> bool:
    """Whether a field is read as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def _refuse_documents(data: bytes, label: str, is_measure: Callable[[str], bool]) -> None:
    """Refuse a TREC run or qrels in the place of scores, by its first lines."""
    rows = [line.split() for line in data.decode("utf-8", "replace").split("\n", MOST_SHOWN)]
    rows = [row for row in rows[:MOST_SHOWN] if row]
    widths = {len(row) for row in rows}
    if widths == {6} and all(is_number(row[4]) for row in rows):
        kind = "a run"
    elif widths == {4} and all(
        row[1] in ("0", "Q0") and row[3].lstrip("-").isdigit() and not is_measure(row[2])
        for row in rows
    ):
        kind = "qrels"
    else:
        return
    raise ReadError(
        label,
        f"this looks like {kind}, not like scores of queries",
        hint="leave out --scores: abrank compare (or rank) QRELS RUN_A RUN_B scores the runs;"
        " in Python compare, not compare_scores",
    )


def _of_text(data: bytes, header: Sequence[str], delimiter: str, origin: Source) -> NamedTable:
    """Read a table below its header: by Arrow where it is plain, else line by line."""
    names = list(map(str, range(len(header))))
    plain = plain_table(data, delimiter) if data.isascii() else None
    if plain is not None:
        try:
            table = read_plain(
                plain, delimiter=delimiter, names=names,
                types=dict.fromkeys(names, pa.large_binary()), skip=1,
            )  # fmt: skip
            columns: list[Ids] = [table[name].combine_chunks() for name in names]
            if all(isinstance(column, pa.ChunkedArray) for column in columns):
                columns = [ids.joined(column.chunks) for column in columns]
            result = replace(origin, n_rows=len(table))
            return _named(header, columns, result, first=2, numbered=False)
        except pa.ArrowInvalid:
            pass  # a bad line: it is named below
    rows: list[list[str]] = []
    lines, bad = [], []
    text = io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if len(row) == len(header):
                rows.append(row)
                lines.append(reader.line_num)
            elif "".join(row).strip():
                problem = f"expected {len(header)} fields, found {len(row)}"
                bad.append(BadLine(reader.line_num, " ".join(map(str.strip, row)), problem))
    except csv.Error as error:
        position = f"line {reader.line_num}"
        raise ReadError(origin.label, f"no line of a table: {error}", at=position) from error
    if bad:
        lines_shown, expected = bad[:MOST_SHOWN], delimiter.join(header)
        raise ReadError(origin.label, lines=lines_shown, total=len(bad), expected=expected)
    selected = [i for i, row in enumerate(rows) if "".join(row).strip()][1:]
    cells = zip(*(rows[i] for i in selected), strict=True) if selected else [()] * len(header)
    columns = [ids.encode([cell.strip() for cell in column]) for column in cells]
    places = [lines[i] for i in selected]
    result = replace(origin, n_rows=len(selected))
    return _named(header, columns, result, lines=lambda: places, numbered=False)


def _named(
    header: Sequence[str],
    columns: Iterable[Any],
    origin: Source,
    **where: Any,  # noqa: ANN401
) -> NamedTable:
    """Return a table without the numbers of its rows; refuse two columns of one name."""
    result: list[Column] = []
    for name, cells in zip(header, columns, strict=True):
        column = Column(name, cells)
        if _NO_NAMES.fullmatch(name):
            if _counts_rows(column):
                continue
            column = replace(column, name=INDEX)
        if column.name in [second.name for second in result]:
            problem = f'the column "{shorten(name or "without a name")}" stands there twice'
            raise ReadError(origin.label, problem)
        result.append(column)
    return NamedTable(tuple(result), origin, **where)


def _counts_rows(column: Column) -> bool:
    """Whether a column without a name holds 0, 1, 2 …, as pandas writes its index."""
    expected = np.arange(len(column.cells), dtype=np.float64)
    return bool(np.array_equal(column.numbers, expected))


def _of_lines(data: bytes, origin: Source, is_measure: Callable[[str], bool]) -> NamedTable:
    """Read lines of three fields, or of four where the first is the system."""
    # Only lines with tabs can hold names with blanks. A line without them gets tabs, so that all
    # are read alike; without a tab in the whole file that takes one replacement.
    lines = data.replace(b"\r\n", b"\n").split(b"\n")
    rows = [
        [part.strip() for part in line.split(b"\t")] if b"\t" in line else line.split()
        for line in lines
    ]
    places = [number for number, row in enumerate(rows, 1) if any(row)]
    rows = [row for row in rows if any(row)]
    width = 4 if len(rows[0]) == 4 else 3
    bad = [
        BadLine(
            number,
            b" ".join(row).decode("utf-8", "backslashreplace"),
            f"expected {width} fields, found {len(row)}",
        )
        for number, row in zip(places, rows, strict=True)
        if len(row) != width
    ]
    if bad:
        raise ReadError(origin.label, lines=bad[:MOST_SHOWN], total=len(bad), expected=FORMS)
    columns = [ids.pack(column) for column in zip(*rows, strict=True)]
    del lines, rows
    if ids.has_empty(columns[-1]):
        place = places[ids.unpack(columns[-1]).index(b"")]
        problem = "the score is empty: the line may be cut"
        raise ReadError(origin.label, problem, at=f"line {place}")
    form, names = "abrank score --per-query", ["system", *_LONG]
    if width == 3:
        first = _measure_first(columns, origin.label, is_measure)
        form = "trec_eval -q" if first else "ir_measures -q"
        names = ["measure", "query_id", "score"] if first else list(_LONG)
    # Rows of text, such as trec_eval's runid and relstring, are left out and counted.
    measure = names.index("measure")
    labels, codes = ids.code(columns[measure])
    value = Column("score", columns[-1])
    wrong = np.zeros(len(places), np.bool_)
    wrong[list(value.problems)] = True
    n_wrong = np.bincount(codes, weights=wrong, minlength=len(labels))
    texts = (n_wrong == np.bincount(codes, minlength=len(labels))) & ~_like_numbers(value, codes)
    left_out = {
        name: int(n) for name, n, is_text in zip(ids.decode(labels), n_wrong, texts, strict=True)
        if is_text
    }  # fmt: skip
    table = NamedTable(
        tuple(Column(name, cells) for name, cells in zip(names, columns, strict=True)),
        origin, form, _long_roles(names), left_out, lines=lambda: places,
    )  # fmt: skip
    selected = np.flatnonzero(~texts[codes])
    table = table.take(selected) if left_out else table
    return replace(table, origin=replace(origin, n_rows=table.n_rows))


_NUMBER_LIKE = re.compile(r"[+-]?[.,]?[0-9]|[+-]?(nan|inf)", re.IGNORECASE)


def _like_numbers(value: Column, codes: IntArray) -> Any:  # noqa: ANN401 - bool[n_measures]
    """Return of which measures a text begins as a number does, and is not meant as text."""
    values = np.zeros(int(codes.max(initial=-1)) + 1, np.bool_)
    for row in value.problems:
        values[codes[row]] |= _NUMBER_LIKE.match(value.objects[row]) is not None
    return values


def _long_roles(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    roles = {"query": "query_id", "variant": "system", "metric": "measure", "value": "score"}
    return {role: (name,) for role, name in roles.items() if name in names}


def _measure_first(columns: Sequence[Ids], label: str, is_measure: Callable[[str], bool]) -> bool:
    """Whether the first field of the lines names the measure, and not the second."""
    names = [ids.decode(ids.code(column)[0]) for column in columns[:2]]
    aggregate = [not {*AGGREGATES}.isdisjoint(column) for column in names]
    if aggregate[0] != aggregate[1]:
        return aggregate[1]
    anies = [any(map(is_measure, column[:MOST_SHOWN])) for column in names]
    if anies[0] == anies[1]:
        which = "both" if anies[0] else "neither"
        raise ReadError(
            label,
            f"{which} of the first two fields name a known measure",
            expected=FORMS,
            hint=f"they hold {names[0][0]} … and {names[1][0]} …",
        )
    return anies[0]


# --- Frames, tables and objects


def _of_frame(frame: Any, origin: Source) -> NamedTable:  # noqa: ANN401 - of pandas
    """Return the columns of a pandas frame and of its index."""
    levels = [tuple(map(str, name)) if isinstance(name, tuple) else () for name in frame.columns]
    names = ["/".join(filter(None, level)) if level else str(name)
             for level, name in zip(levels, frame.columns, strict=True)]  # fmt: skip
    columns = [
        Column(name, _cells(frame.iloc[:, i]), levels[i] if len(levels[i]) > 1 else ())
        for i, name in enumerate(names)
    ]
    index = frame.index
    n_levels = getattr(index, "nlevels", 1)
    indexed = type(index).__name__ != "RangeIndex" or index.name is not None
    for level in reversed(range(n_levels if indexed else 0)):
        name = index.names[level]
        name = (INDEX if n_levels == 1 else f"{INDEX} {level}") if name is None else str(name)
        if name not in names:
            cells = index if n_levels == 1 else index.get_level_values(level)
            columns.insert(0, Column(name, _cells(cells.to_series())))
    if len({column.name for column in columns}) < len(columns):
        twice = next(name for name in names if names.count(name) > 1)
        raise ReadError(origin.label, f'the column "{shorten(twice)}" stands there twice')
    return NamedTable(tuple(columns), replace(origin, n_rows=len(frame)))


def _cells(series: Any) -> Any:  # noqa: ANN401 - a Series of pandas
    """Return a Series as an Arrow array, or as objects where it holds several kinds."""
    try:
        array = pa.array(series, from_pandas=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return list(series)
    return _plain_array(array)


def _plain_array(array: Any) -> Any:  # noqa: ANN401 - an Arrow array
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    array = arrow.stored_as(array)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    text = str(array.type) in ("string", "large_string", "string_view")
    return (
        ids.kernels.cast(array, pa.large_binary())
        if text and not array.null_count
        else (array.to_pylist() if text else array)
    )


def _of_columns(names: Sequence[str], columns: Sequence[Any], origin: Source) -> NamedTable:
    """Return the columns of an Arrow table."""
    cells = [_plain_array(column) for column in columns]
    n_rows = len(cells[0]) if cells else 0
    return _named(list(map(str, names)), cells, replace(origin, n_rows=n_rows))


def _of_tree(
    source: Any,  # noqa: ANN401 - what JSON holds, or an object like it
    origin: Source,
    is_measure: Callable[[str], bool],
) -> NamedTable | None:
    """Return the table of nested dicts, of rows, of a log, or of an answer; None for no scores."""
    # One answer alone is an object, and not yet a list.
    answers = scores_of_answers([source] if isinstance(source, dict) else source, origin.label)
    if answers is not None:
        (names, columns), form = answers
        return replace(_of_lists(names, columns, origin), form=form, roles=_long_roles(names))
    if (log := rows_of_log(source, origin.label)) is not None:
        roles = {**_long_roles(log[0]), "repeat": ("epoch",) if "epoch" in log[0] else ()}
        return replace(_of_lists(*log, origin), form="a log", roles=roles)
    if (export := rows_of_export(source)) is not None:
        return replace(_of_rows(export[0], origin), form=export[1])
    if isinstance(source, Mapping):
        return _of_dict(source, origin, is_measure)
    rows = list(source) if isinstance(source, Iterable) and not isinstance(source, str) else []
    rows = [row._asdict() if hasattr(row, "_asdict") else row for row in rows]
    if not rows or not isinstance(rows[0], Mapping):
        return None
    if not all(isinstance(row, Mapping) for row in rows):
        text = ", ".join(map(str, rows[0]))
        raise ReadError(origin.label, f"its rows are not alike; the first has {text}")
    return _of_rows(rows, origin)


def _of_lists(names: Sequence[str], columns: Sequence[list[Any]], origin: Source) -> NamedTable:
    n_rows = len(columns[0]) if columns else 0
    return _named(list(map(str, names)), columns, replace(origin, n_rows=n_rows))


def _of_rows(rows: Sequence[Mapping[Any, Any]], origin: Source) -> NamedTable:
    """Return the columns of rows; a dict in a cell gives a column for each of its keys."""
    flat = [dict(flattened(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))  # a failure has no score
    return _of_lists(names, [[row.get(name) for row in flat] for name in names], origin)


def _of_dict(
    source: Mapping[Any, Any], origin: Source, is_measure: Callable[[str], bool]
) -> NamedTable:
    """Return the table of nested dicts: a column for each level of keys, and the scores."""
    label, details = origin.label, source.get("details")
    if isinstance(details, Mapping) and "metric_score" in source:
        return _of_rank_eval(details, origin)
    if "task_name" in source:
        raise ReadError(label, OF_MTEB, hint=PREDICTIONS)
    nested = [value for value in source.values() if isinstance(value, Mapping)]
    if not nested and source and all(isinstance(item, (list, tuple)) for item in source.values()):
        return _of_lists([*map(str, source)], [list(item) for item in source.values()], origin)
    if not source or len(nested) < len(source):
        raise ReadError(label, "holds no dict of scores in each place", expected=SHAPES)
    paths: list[tuple[Any, ...]] = []
    values: list[Any] = []

    def collect(node: Mapping[Any, Any], above: tuple[Any, ...]) -> None:
        for key, value in node.items():
            if isinstance(value, Mapping):
                collect(value, (*above, key))
            else:
                paths.append((*above, key))
                values.append(value)

    collect(source, ())
    depth = {len(path) for path in paths}
    if len(depth) > 1 or not paths:
        raise ReadError(label, "holds no dict of scores in each place", expected=SHAPES)
    levels = [list(level) for level in zip(*paths, strict=True)]
    measured = [any(is_measure(str(key)) for key in dict.fromkeys(level)) for level in levels]
    if measured.count(True) > 1:
        raise ReadError(
            label, "both of the two levels name a known measure", expected=SHAPES,
            hint="a frame tells them apart: pandas.DataFrame.from_dict(scores, orient='index')",
        )  # fmt: skip
    names = ["measure" if is_it else f"level {i}" for i, is_it in enumerate(measured, 1)]
    roles = {"value": ("score",), **({"metric": ("measure",)} if any(measured) else {})}
    table = _of_lists([*names, "score"], [*levels, values], origin)
    return replace(table, roles=roles, numbered=False, form="" if any(measured) else NESTED)


def _of_rank_eval(details: Mapping[Any, Any], origin: Source) -> NamedTable:
    """Return the table of an answer of ``_rank_eval``; each metric of it is a measure."""
    columns: list[list[Any]] = [[], [], []]
    for query, answer in details.items():
        if not isinstance(answer, Mapping) or "metric_score" not in answer:
            problem = "is no answer of _rank_eval: a query has no metric_score"
            raise ReadError(origin.label, problem)
        metric = answer.get("metric_details")
        name = next(iter(metric), "score") if isinstance(metric, Mapping) else "score"
        inner = metric.get(name) if isinstance(metric, Mapping) else None
        if isinstance(inner, Mapping) and "normalized_dcg" in inner:
            name = "nDCG"
        for column, cell in zip(
            columns, (query, _RANK_EVAL.get(name, name), answer["metric_score"]), strict=True
        ):
            column.append(cell)
    table = _of_lists(_LONG, columns, origin)
    return replace(table, form="an answer of _rank_eval", roles=_long_roles(_LONG))
