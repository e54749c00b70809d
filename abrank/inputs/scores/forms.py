"""Which form a file or frame of ready scores has, and the cells in it.

A form is told by what is there and never by a file's name: lines of three or four fields, or a
table with a header. What fits no form, or two, is an error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from abrank._support.errors import BadLine, ReadError
from abrank.inputs.objects.cells import read_id
from abrank.inputs.objects.names import QUERY_IDS, found_in
from abrank.inputs.scores.header import FORMS, columns_of_role, shape_of
from abrank.inputs.trec.lines import MOST_SHOWN

# Where the mean over the queries stands: trec_eval's, ir_measures' and our word, and ndeval's.
AGGREGATES = ("all", "amean")


class Cells(NamedTuple):
    """Scores as they stand in a source, in columns: text or objects, and what they are scores of.

    Attributes
    ----------
    at : list of int
        Line from 1, or row from 0.
    query, system, measure : list of str
        ``system`` is empty text where the source names none.
    raw : list
    run : sequence of str
        Which of the repeated runs of its system; empty where the source names none.
    """

    at: list[int]
    query: list[str]
    system: list[str]
    measure: list[str]
    raw: list[Any]
    run: Sequence[str] = ()


def cells_of_text(
    text: str, label: str, is_measure: Callable[[str], bool], *, numbered: bool = False
) -> tuple[str, Cells]:
    r"""Return the form of a text and its cells; a table's first line names the query.

    With ``numbered`` a table of numbers alone under names, without a column for the query, is taken
    too: its queries are its rows, from 1. Two such files must not be paired, as nothing tells that
    their rows are of the same queries.

    Raises
    ------
    ReadError
        If the form cannot be told, or a line has another number of fields.

    Examples
    --------
    >>> form, cells = cells_of_text("map\t301\t0.5\nmap\tall\t0.5\n", "a.eval", str.islower)
    >>> form, cells.query, cells.measure, cells.raw
    ('trec_eval -q', ['301', 'all'], ['map', 'map'], ['0.5', '0.5'])
    """
    first = next((line for line in text.split("\n") if line.strip()), None)
    if first is None:
        raise ReadError(label, "no lines", expected=FORMS)
    delimiter = "\t" if "\t" in first else ","
    if "\r" in first.strip("\r"):
        raise ReadError(label, "lines end in CR alone", hint="write LF or CR LF at their ends")
    header = _header(first.strip("\r"), delimiter, label)
    if found_in(header, QUERY_IDS):
        at, columns = _columns_of_text(text, delimiter, label)
        _require_filled(header, columns, at, "line", label)
        return _of_columns(at, columns, header, label)
    if numbered and _is_matrix(header, text, delimiter):
        at, columns = _columns_of_text(text, delimiter, label)
        rows = [str(number) for number in range(1, len(at) + 1)]
        return _of_columns(at, [rows, *columns], ["query_id", *header], label)
    return _of_lines(text, label, is_measure)


def _is_matrix(header: Sequence[str], text: str, delimiter: str) -> bool:
    r"""Whether names stand above numbers.

    Examples
    --------
    >>> _is_matrix(["a", "b"], "a,b\n0.5,.25\n", ","), _is_matrix(["1", "2"], "1,2\n3,4\n", ",")
    (True, False)
    """
    lines = [line for line in text.split("\n", 3)[:3] if line.strip()]
    fields = lines[1].split(delimiter) if len(lines) > 1 else []
    numbers = [not field.strip() or is_number(field) for field in fields]
    return len(header) == len(fields) and all(numbers) and not any(map(is_number, header))


def is_number(field: str) -> bool:
    """Whether a field is read as a number.

    Examples
    --------
    >>> is_number("2.5"), is_number("d1")
    (True, False)
    """
    try:
        float(field)
    except ValueError:
        return False
    return True


def _header(line: str, delimiter: str, label: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error as error:
        raise csv_problem(label, 1, error) from error


def csv_problem(label: str, line: int, error: csv.Error) -> ReadError:
    """Return an error of Python's CSV reader as a ReadError that names the line.

    Examples
    --------
    >>> print(csv_problem("a.csv", 3, csv.Error("field larger than field limit (131072)")))
    a.csv, line 3: no line of a table: field larger than field limit (131072)
    """
    return ReadError(label, f"no line of a table: {error}", at=f"line {line}")


def _of_lines(text: str, label: str, is_measure: Callable[[str], bool]) -> tuple[str, Cells]:
    """Read lines of three fields, or of four where the first is the system."""
    at, rows = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            at.append(number)
            # Only lines with tabs can hold names with blanks.
            rows.append([f.strip() for f in line.split("\t")] if "\t" in line else line.split())
    _require_width(at, rows, 4 if len(rows[0]) == 4 else 3, label, expected=FORMS)
    columns = [list(column) for column in zip(*rows, strict=True)]
    if "" in columns[-1]:
        where = f"line {at[columns[-1].index('')]}"
        raise ReadError(label, "the score is empty: the line may be cut", at=where)
    if len(columns) == 4:
        system, query, measure, raw = columns
        _require_filled(("system", "query_id", "measure"), columns[:3], at, "line", label)
        return "abrank score --per-query", Cells(at, query, system, measure, raw)
    if _measure_first(columns, label, is_measure):
        measure, query, raw = columns
        form = "trec_eval -q"
    else:
        query, measure, raw = columns
        form = "ir_measures -q"
    _require_filled(("query_id", "measure"), (query, measure), at, "line", label)
    return form, Cells(at, query, [""] * len(at), measure, raw)


def _require_width(
    at: Sequence[int],
    rows: Sequence[Sequence[str]],
    width: int,
    label: str,
    *,
    expected: str,
) -> None:
    if set(map(len, rows)) == {width}:
        return
    bad = [
        BadLine(
            number,
            " ".join(map(str.strip, fields)),
            f"expected {width} fields, found {len(fields)}",
        )
        for number, fields in zip(at, rows, strict=True)
        if len(fields) != width
    ]
    raise ReadError(label, lines=bad[:MOST_SHOWN], total=len(bad), expected=expected)


def _measure_first(
    columns: Sequence[Sequence[str]], label: str, is_measure: Callable[[str], bool]
) -> bool:
    """Whether the first field of the lines names the measure, and not the second."""
    aggregate = [not set(AGGREGATES).isdisjoint(column) for column in columns[:2]]
    if aggregate[0] != aggregate[1]:
        return aggregate[1]
    names = [list(dict.fromkeys(column))[:MOST_SHOWN] for column in columns[:2]]
    known = [any(map(is_measure, each)) for each in names]
    if known[0] == known[1]:
        which = "both" if known[0] else "neither"
        raise ReadError(
            label,
            f"{which} of the first two fields name a known measure",
            expected=FORMS,
            hint=f"they hold {names[0][0]} … and {names[1][0]} …",
        )
    return known[0]


def _columns_of_text(text: str, delimiter: str, label: str) -> tuple[list[int], list[list[str]]]:
    """Read a table's lines below its header: their numbers, and the columns."""
    plain = _plain_columns(text, delimiter)
    if plain is not None:
        return list(range(2, len(plain[0]) + 1)), [column[1:] for column in plain]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    at, rows = [], []
    try:
        for fields in reader:
            if "".join(fields).strip():
                at.append(reader.line_num)
                rows.append(fields)
    except csv.Error as error:
        raise csv_problem(label, reader.line_num, error) from error
    header = [field.strip() for field in rows[0]]
    _require_width(at, rows, len(header), label, expected=delimiter.join(header))
    return at[1:], [list(map(str.strip, column[1:])) for column in zip(*rows, strict=True)]


def _plain_columns(text: str, delimiter: str) -> list[list[str]] | None:
    r"""Return the columns of a table without quotes and empty lines, and None for any other.

    It avoids a list per line, which would dominate the time for a million lines.

    Examples
    --------
    >>> _plain_columns("query_id,AP\na, 0.5\n", ","), _plain_columns('query_id\n"a"\n', ",")
    ([['query_id', 'a'], ['AP', '0.5']], None)
    """
    text = text.replace("\r\n", "\n").rstrip("\n")
    lines = text.split("\n")
    breaks = lines[0].count(delimiter)
    if '"' in text or "\r" in text or set(map(str.count, lines, repeat(delimiter))) != {breaks}:
        return None
    fields = delimiter.join(lines).split(delimiter)
    columns = [list(map(str.strip, fields[i :: breaks + 1])) for i in range(breaks + 1)]
    # A line without a first field may be empty but for its commas.
    return None if "" in columns[0] else columns


def cells_of_objects(
    header: Sequence[str], columns: Sequence[list[Any]], label: str
) -> tuple[str, Cells]:
    """Return the form of a table and its cells, Python's objects by column.

    Raises
    ------
    ReadError
        If a column is missing or has two meanings, or a query id is no id.
    """
    (at,) = columns_of_role(header, "query_id", label)
    held = list(columns)
    held[at] = [read_id(value, row, "query_id", label) for row, value in enumerate(columns[at])]
    rows = range(len(held[at]))
    _require_filled(header, held, rows, "row", label)
    return _of_columns(list(rows), held, header, label)


def _of_columns(
    at: list[int], columns: Sequence[list[Any]], header: Sequence[str], label: str
) -> tuple[str, Cells]:
    """Return the cells of a long or a wide table."""
    form, query, system, measure, scored, run = shape_of(header, label)
    queries = columns[query]
    systems = [""] * len(at) if system is None else list(map(str, columns[system]))
    runs = [] if run is None else list(map(str, columns[run]))
    if measure is not None:
        names = list(map(str, columns[measure]))
        return form, Cells(at, queries, systems, names, columns[scored[0]], runs)
    wide = Cells(
        at * len(scored),
        queries * len(scored),
        systems * len(scored),
        [name for i in scored for name in [header[i].strip()] * len(at)],
        [value for i in scored for value in columns[i]],
        runs * len(scored),
    )
    return form, wide


def _require_filled(
    header: Sequence[str],
    columns: Sequence[Sequence[Any]],
    at: Sequence[int],
    unit: str,
    label: str,
) -> None:
    """Refuse a row without a name for its query, system or measure."""
    for role in ("query_id", "system", "run", "measure"):
        for i in columns_of_role(header, role, label):
            if "" in columns[i]:
                where = f"{unit} {at[columns[i].index('')]}"
                raise ReadError(label, f"the {header[i].strip()} is empty", at=where)
