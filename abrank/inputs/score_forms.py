"""Which form a file or frame of ready scores has, and the cells in it.

A form is told by what is there and never by a file's name: lines of three or four fields, or a
table with a header. What fits no form, or two, is an error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from abrank._support.errors import BadLine, ReadError
from abrank.inputs import frames
from abrank.inputs.lines import MOST_SHOWN

# Where the mean over the queries stands: trec_eval's, ir_measures' and our word, and ndeval's.
AGGREGATES = ("all", "amean")
FORMS = (
    "measure query_id value (trec_eval -q), query_id measure value (ir_measures -q), or a table"
    " whose header names a column query_id"
)

_ROLES: dict[str, tuple[str, ...]] = {
    "query_id": frames.ACCEPTED["query_id"],
    "system": ("system", "run", "runid", "name"),
    "measure": ("measure", "metric"),
    "score": ("score", "value"),
}


class Cell(NamedTuple):
    """A score as it stands in its source: text or object, with what it is the score of."""

    at: int
    query: str
    system: str
    measure: str
    raw: Any


def cells_of_text(
    text: str, label: str, is_measure: Callable[[str], bool]
) -> tuple[str, Iterable[Cell]]:
    r"""Return the form of a text and its cells; a table's first line names the query.

    Raises
    ------
    ReadError
        If the form cannot be told, or a line has another number of fields. The cells of a table
        raise it while they are read.

    Examples
    --------
    >>> form, cells = cells_of_text("map\t301\t0.5\nmap\tall\t0.5\n", "a.eval", str.islower)
    >>> form, next(iter(cells))
    ('trec_eval -q', Cell(at=1, query='301', system='', measure='map', raw='0.5'))
    """
    first = next((line for line in text.split("\n") if line.strip()), None)
    if first is None:
        raise ReadError(label, "no lines", expected=FORMS)
    delimiter = "\t" if "\t" in first else ","
    header = next(csv.reader([first.strip("\r")], delimiter=delimiter))
    if any(_folded(name) in _ROLES["query_id"] for name in header):
        return _of_records(_records(text, delimiter, label), header, label)
    return _of_lines(text, label, is_measure)


def _of_lines(
    text: str, label: str, is_measure: Callable[[str], bool]
) -> tuple[str, Iterable[Cell]]:
    """Read lines of three fields, or of four where the first is the system."""
    split = [
        (at, [field.strip() for field in line.split("\t")] if "\t" in line else line.split(), line)
        for at, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    width = len(split[0][1])
    wanted = width if width in (3, 4) else 3
    bad = [
        BadLine(at, line, f"expected {wanted} fields, found {len(fields)}")
        for at, fields, line in split
        if len(fields) != wanted
    ]
    if bad:
        raise ReadError(label, lines=bad[:MOST_SHOWN], total=len(bad), expected=FORMS)
    if wanted == 4:
        form = "abrank score --per-query"
        return form, [Cell(at, f[1], f[0], f[2], f[3]) for at, f, _ in split]
    if _measure_first([fields for _, fields, _ in split], label, is_measure):
        return "trec_eval -q", [Cell(at, f[1], "", f[0], f[2]) for at, f, _ in split]
    return "ir_measures -q", [Cell(at, f[0], "", f[1], f[2]) for at, f, _ in split]


def _measure_first(
    rows: Sequence[Sequence[str]], label: str, is_measure: Callable[[str], bool]
) -> bool:
    """Whether the first field of the lines names the measure, and not the second."""
    aggregate = [any(fields[i] in AGGREGATES for fields in rows) for i in (0, 1)]
    if aggregate[0] != aggregate[1]:
        return aggregate[1]
    names = [list(dict.fromkeys(fields[i] for fields in rows))[:MOST_SHOWN] for i in (0, 1)]
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


def _records(text: str, delimiter: str, label: str) -> Iterator[tuple[int, list[str]]]:
    """Read the lines of a table below its header, with their numbers."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    width, bad = 0, []
    try:
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            if width and len(fields) == width:
                yield reader.line_num, [field.strip() for field in fields]
            elif width:
                problem = f"expected {width} fields, found {len(fields)}"
                bad.append(BadLine(reader.line_num, delimiter.join(fields), problem))
            width = width or len(fields)
    except csv.Error as error:
        raise ReadError(label, f"{error}", at=f"line {reader.line_num}") from error
    if bad:
        raise ReadError(label, lines=bad[:MOST_SHOWN], total=len(bad))


def cells_of_frame(frame: Any, label: str) -> tuple[str, Iterable[Cell]]:  # noqa: ANN401
    """Return the form of a frame and its cells; without a column query_id its index holds them.

    Raises
    ------
    ReadError
        If a column is missing or has two meanings, or a query id is no id.
    """
    header = [str(name) for name in frame.columns]
    columns = [frame.iloc[:, i].tolist() for i in range(len(header))]
    if not any(_folded(name) in _ROLES["query_id"] for name in header):
        header, columns = ["query_id", *header], [frame.index.tolist(), *columns]
    (at,) = _columns(header, "query_id", label)
    columns[at] = [
        frames.read_id(value, row, "query_id", label) for row, value in enumerate(columns[at])
    ]
    return _of_records(enumerate(map(list, zip(*columns, strict=True))), header, label)


def _of_records(
    records: Iterable[tuple[int, list[Any]]], header: Sequence[str], label: str
) -> tuple[str, Iterable[Cell]]:
    """Read a long table (a column measure and a column score) or a wide one."""
    query, system, measure, score = (_columns(header, role, label) for role in _ROLES)
    others = [i for i in range(len(header)) if i not in (*query, *system, *measure, *score)]

    def named(fields: list[Any]) -> tuple[str, str]:
        return fields[query[0]], str(fields[system[0]]) if system else ""

    if measure:
        if others or not score:
            problem = "a column measure, but none score or value"
            if score:
                problem = (
                    f'the column "{header[others[0]]}" has no meaning beside measure and score'
                )
            raise ReadError(label, problem, expected="query_id, measure, score, and perhaps system")
        return "a long table", (
            Cell(line, *named(fields), str(fields[measure[0]]), fields[score[0]])
            for line, fields in records
        )
    scored = sorted([*others, *score])
    _require_names([header[i] for i in scored], label)
    return "a wide table", (
        Cell(line, *named(fields), header[i].strip(), fields[i])
        for line, fields in records
        for i in scored
    )


def _columns(header: Sequence[str], role: str, label: str) -> list[int]:
    """Return where the column of this role stands, if there is one."""
    found = [i for i, name in enumerate(header) if _folded(name) in _ROLES[role]]
    if len(found) > 1:
        both = " and ".join(header[i] for i in found)
        raise ReadError(label, f"{both} could all be the column {role}", hint="keep one of them")
    return found


def _require_names(measures: Sequence[str], label: str) -> None:
    if not measures:
        raise ReadError(label, "the table has no column of scores", expected=FORMS)
    for i, name in enumerate(measures):
        if not name.strip():
            raise ReadError(label, "a column has no name", hint="name it, or write no row numbers")
        if name in measures[:i]:
            raise ReadError(label, f'the column "{name}" stands there twice')


def _folded(name: str) -> str:
    return name.strip().casefold()
