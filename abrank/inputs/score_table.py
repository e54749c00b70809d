"""Ready scores, as programs print them, converted to numbers."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from abrank._support.errors import ArgumentError, BadLine, ReadError
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import files, ids
from abrank.inputs.archives import ZIP
from abrank.inputs.arrow import kind_of, to_ids, to_objects, to_scores
from abrank.inputs.columns import MOST_SHOWN, Source, found_in
from abrank.inputs.delimited import plain_table
from abrank.inputs.objects import is_missing, label_of
from abrank.inputs.objects import read_score as read_cell
from abrank.inputs.score_forms import (
    AGGREGATES,
    SCORED_IDS,
    SHAPES,
    Cells,
    Coded,
    Queries,
    ScoreTable,
    Shape,
    cells_of_objects,
    cells_of_text,
    columns_of,
    columns_of_file,
    form_of_lines,
    is_number,
    shape_of,
)
from abrank.inputs.topics import scores_of_answers
from abrank.inputs.trec import BYTE_ORDER_MARK, cut, read_plain, read_score
from abrank.inputs.tree import looks_like_json, parsed, read_archive

# --- Tables of ready scores as Arrow columns; None for what the careful reader must read


def of_text(data: bytes, origin: Source) -> ScoreTable | None:
    """Read a plain table whose header names the query, as the careful reader would."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    first = data[: data.find(b"\n") + 1 or None]
    delimiter = "\t" if b"\t" in first else ","
    plain = plain_table(data, delimiter)
    if plain is None or not plain.isascii():
        return None
    try:
        header = next(csv.reader([first.decode().rstrip("\r\n")], delimiter=delimiter))
    except csv.Error:
        return None  # a field too long: the careful reader reports it
    if not found_in(header, SCORED_IDS):
        return None
    try:
        shape = shape_of(header, origin.label)
    except ReadError:
        return None  # a bad line comes first
    texts = [i for i in (shape.query, shape.system, shape.measure) if i is not None]
    types = {str(i): pa.large_string() for i in texts}
    types |= {str(i): pa.float64() for i in shape.scored}
    names = list(map(str, range(len(header))))
    try:
        table = read_plain(plain, delimiter=delimiter, names=names, types=types, skip=1)
    except pa.ArrowInvalid:
        return None
    columns = {i: table[str(i)] for i in (*texts, *shape.scored)}
    return _filled(header, shape, columns, origin, missing=False, first_row=2)


def of_lines(data: bytes, origin: Source, is_measure: Callable[[str], bool]) -> ScoreTable | None:
    """Read plain lines of three or four fields, as the careful reader would, part by part."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    delimiter = "\t" if b"\t" in data[: data.find(b"\n") + 1 or None] else " "
    most = data.count(b"\n") + 1
    value, rounding, lines = np.empty(most), np.empty(most), np.empty(most, dtype=np.int64)
    good = np.empty(most, dtype=np.bool_)
    texts: list[list[Any]] = []
    raw: list[str] = []  # what is no plain number
    n_rows = n_lines = 0
    for part in cut(data, _PART):
        columns = _fields(part, delimiter)
        if columns is None or len(raw) > _MOST_RAW or (texts and len(columns) - 1 != len(texts[0])):
            return None
        held = ids.decode(columns.pop())
        rows = slice(n_rows, n_rows + len(held))
        value[rows], rounding[rows], good[rows] = _numbers_of_texts(held)
        lines[rows] = np.arange(1, len(held) + 1) + n_lines
        raw += compress(held, (~good[rows]).tolist())
        texts.append(list(map(ids.coded, columns)))
        n_rows += len(held)
        n_lines += part.count(b"\n")
    if not texts:
        return None
    columns = [ids.joined(list(each)) for each in zip(*texts, strict=True)]
    value, rounding, lines, good = value[:n_rows], rounding[:n_rows], lines[:n_rows], good[:n_rows]
    del texts
    ids.release()
    coded = [Coded.of_ids(column) for column in columns]
    try:
        names = [each.names for each in coded]
        form, of_query, of_measure = form_of_lines(names, origin.label, is_measure)
    except ReadError:
        return None  # a bad line comes first
    measure = coded[of_measure]
    left_out = Counter(measure.names[i] for i in measure.codes[~good].tolist())
    n_good = np.bincount(measure.codes, weights=good)
    with_numbers = {name for name, n in zip(measure.names, n_good.tolist(), strict=True) if n}
    if not with_numbers.isdisjoint(left_out) or any(map(_NUMBER_LIKE.match, raw)):
        return None
    if raw:
        kept = np.flatnonzero(good)
        value, rounding, lines = value[kept], rounding[kept], lines[kept]
        columns = [ids.take(column, kept) for column in columns]
        coded = [Coded.of_ids(column) for column in columns]
    system = coded[0] if len(coded) > 2 else Coded(("",), np.zeros(len(value), np.int64))
    measure = coded[of_measure]
    del coded, good  # names of a million queries
    query, source = Queries(*ids.number(columns[of_query])), replace(origin, n_rows=len(value))
    return ScoreTable(lines, query, system, measure, value, rounding, left_out, form, source)


def _fields(part: bytes, delimiter: str) -> list[Any] | None:
    """Return the fields of plain lines as columns of bytes, three or four; None for any other."""
    if b"\r" in part:
        part = part.replace(b"\r\n", b"\n")
    if delimiter == "\t" and not _INNER_BLANKS.search(part):
        while b"  " in part:
            part = part.replace(b"  ", b" ")
        part = part.replace(b" \t", b"\t").replace(b"\t ", b"\t")
    plain = None if b'"' in part or not part.isascii() else plain_table(part, delimiter)
    if plain is None or _CONTROL.search(plain) or (delimiter == " " and b"\t" in plain):
        return None
    names = list(map(str, range(plain.partition(b"\n")[0].count(delimiter.encode()) + 1)))
    if len(names) not in (3, 4):
        return None
    types = dict.fromkeys(names, pa.large_binary())
    try:
        table = read_plain(plain, delimiter=delimiter, names=names, types=types)
    except pa.ArrowInvalid:
        return None
    return [table[name].combine_chunks() for name in names]


def _filled(
    header: Sequence[str],
    shape: Shape,
    columns: dict[int, Any],
    origin: Source,
    *,
    missing: bool,
    first_row: int,
) -> ScoreTable | None:
    if shape.run is not None:
        return None
    places = (shape.query, shape.system, shape.measure)
    held = [None if i is None else to_ids(columns[i]) for i in places]
    values = [to_scores(columns[i], missing=missing) for i in shape.scored]
    lacking = any(i is not None and each is None for i, each in zip(places, held, strict=True))
    names = [header[i].strip() for i in shape.scored]
    lacking = lacking or any(each is None for each in values) or len(set(names)) < len(names)
    if lacking or held[0] is None:
        return None
    n_rows, times = len(held[0]), len(values)
    query = Queries(*ids.number(held[0]))
    # Aggregates are checked to the printed digits, which numbers no longer show.
    if not n_rows or query.is_one_of(AGGREGATES).any():
        return None
    system = Coded(("",), np.zeros(n_rows, np.int64)) if held[1] is None else Coded.of_ids(held[1])
    measure = Coded(tuple(names), np.repeat(np.arange(times), n_rows))
    value = np.concatenate([each for each in values if each is not None])
    return ScoreTable(
        at=np.tile(np.arange(n_rows) + first_row, times),
        query=query.repeated(times),
        system=Coded(system.names, np.tile(system.codes, times)),
        measure=measure if held[2] is None else Coded.of_ids(held[2]),
        value=value,
        rounding=np.zeros(len(value)),
        left_out=dict.fromkeys(shape.apart, n_rows),
        form=shape.form,
        source=replace(origin, n_rows=len(value)),
    )


# --- Decimal numbers in text, a column at a time

# Numbers with more digits before the point are read one at a time.
MOST_WHOLE = 17


def count_decimals(texts: Sequence[str]) -> IntArray:
    """Return the decimals of each plain number such as ``-0.25`` or ``12``."""
    data = np.frombuffer("\n".join([*texts, ""]).encode("ascii", "replace"), np.uint8)
    # All characters that are not digits: line ends, signs and decimal points.
    others = np.flatnonzero((data < ord("0")) | (data > ord("9")))
    kind = data[others]
    last = np.flatnonzero(kind == ord("\n"))
    end = others[last]
    if len(end) != len(texts) or not len(end):
        # A text of two lines is no number; it is read one at a time, which reports it.
        return np.full(len(texts), -1)
    start = np.append(0, end[:-1] + 1)
    signed = data[start] == ord("-")
    # The point, if there is one, is the last before the end.
    before = np.maximum(last - 1, 0)
    has_point = (kind[before] == ord(".")) & (others[before] >= start)
    point = np.where(has_point, others[before], end)
    n_others = np.diff(last, prepend=-1)
    whole, decimals = point - start - signed, end - point - has_point
    plain = (n_others == 1 + signed + has_point) & (decimals >= has_point)
    plain &= (whole >= 1) & (whole <= MOST_WHOLE)
    return np.where(plain, decimals, -1)


# --- Ready scores, as programs print them, converted to numbers

_START = 10_000  # bytes that are looked at to recognise the form

_PART = 2 << 20  # bytes whose numbers are held as texts
_MOST_RAW = 10_000  # values that are no plain numbers, held as texts
_INNER_BLANKS = re.compile(rb"[^ \t\n]  +[^ \t\n]|[^ \t\n]  +\n|\n |^ ")
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_NUMBER_LIKE = re.compile(r"[+-]?[.,]?[0-9]|[+-]?(nan|inf)", re.IGNORECASE)


class _Numbers(NamedTuple):
    """The numbers of a column of cells, valid where ``plain``; the others are read one by one."""

    value: FloatArray
    rounding: FloatArray
    plain: BoolArray


# The number in a cell, its rounding, and what is wrong with it.
_Reader = Callable[[Any, str], tuple[float, float, str]]


def read_score_table(
    source: Any,  # noqa: ANN401 - one of the kinds below
    *,
    is_measure: Callable[[str], bool],
    numbered: bool = False,
) -> ScoreTable:
    """Read ready scores."""
    if isinstance(source, (str, os.PathLike)):
        return _of_file(source, is_measure, numbered=numbered)
    origin = Source(None, None, 0, label_of(source), "row")
    answers = scores_of_answers(source, origin.label)
    if answers is not None:
        return replace(_of_columns(*answers[0], origin), form=answers[1])
    found = columns_of(source, is_measure, origin.label)
    if found is None:
        kind = type(source).__name__
        raise ArgumentError(f"scores must be a path, a table or a dict, not {kind}")
    return _of_columns(*found, origin)


def _of_file(
    path: str | os.PathLike[str], is_measure: Callable[[str], bool], *, numbered: bool
) -> ScoreTable:
    data, origin = files.contents(path, tables=True, zips=True)
    rows = replace(origin, unit="row")
    if kind_of(data):
        return _of_columns(*columns_of_file(data, origin.label), rows)
    packed = data.startswith(ZIP)
    if packed or looks_like_json(data):
        held = read_archive(data, origin.label) if packed else parsed(data, origin.label)
        # One answer alone is an object, and not yet a list.
        answers = scores_of_answers([held] if isinstance(held, dict) else held, origin.label)
        if answers is not None:
            return replace(_of_columns(*answers[0], rows), form=answers[1])
        found = columns_of(held, is_measure, origin.label)
        if found is None:
            raise ReadError(origin.label, "holds no scores by query", expected=SHAPES)
        return _of_columns(*found, rows)
    _refuse_documents(data, origin.label, is_measure)
    table = of_text(data, origin) or of_lines(data, origin, is_measure)
    if table is not None:
        return table
    text = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")
    form, cells = cells_of_text(text, origin.label, is_measure, numbered=numbered)
    return _table(cells, form, origin, _numbers_of_texts(cells.raw), _number_of_text)


def _refuse_documents(data: bytes, label: str, is_measure: Callable[[str], bool]) -> None:
    """Refuse a TREC run or qrels in the place of scores, by its first lines."""
    lines = data[:_START].decode("utf-8-sig", "replace").split("\n")
    rows = [line.split() for line in lines[:MOST_SHOWN] if line.strip()]
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


def _of_columns(header: Sequence[str], columns: Sequence[Any], origin: Source) -> ScoreTable:
    shape = shape_of(header, origin.label)
    table = _filled(header, shape, dict(enumerate(columns)), origin, missing=True, first_row=0)
    if table is not None:
        return table
    form, cells = cells_of_objects(header, list(map(to_objects, columns)), origin.label)
    return _table(cells, form, origin, _numbers_of_objects(cells.raw), _number_of_object)


def _table(cells: Cells, form: str, source: Source, numbers: _Numbers, read: _Reader) -> ScoreTable:
    """Read what is not plain; a measure of text alone is left out, text among numbers an error."""
    value, rounding, plain = numbers
    bad: dict[int, str] = {}
    with_numbers = set(compress(cells.measure, plain.tolist()))
    for i in np.flatnonzero(~plain).tolist():
        raw = cells.raw[i]
        if (isinstance(raw, str) and raw == "") or is_missing(raw):
            continue
        value[i], rounding[i], problem = read(raw, cells.query[i])
        if problem:
            bad[i] = problem
        is_word = not _NUMBER_LIKE.match(raw) if isinstance(raw, str) else hasattr(raw, "__len__")
        if not problem or not is_word:
            with_numbers.add(cells.measure[i])
    left_out = Counter(cells.measure[i] for i in bad if cells.measure[i] not in with_numbers)
    _require_good(source, cells, {i: bad[i] for i in bad if cells.measure[i] not in left_out})
    apart = dict.fromkeys(cells.apart, len(set(cells.at)))
    if left_out:
        kept = [name not in left_out for name in cells.measure]
        cells = Cells(*(list(compress(column, kept)) for column in cells[:6]))
        value, rounding = value[kept], rounding[kept]
    for column, texts in (("query_id", cells.query), ("measure", cells.measure)):
        try:
            ids.encode(texts)
        except UnicodeEncodeError as error:  # half a surrogate pair, as JSON may have one
            problem = f"{column} {error.object!r} is not valid text"
            raise ReadError(source.label, problem) from error
    return ScoreTable(
        at=np.array(cells.at, dtype=np.int64),
        query=Queries.of(cells.query),
        system=Coded.of(cells.system),
        measure=Coded.of(cells.measure),
        value=value,
        rounding=rounding,
        left_out={**left_out, **apart},
        form=form,
        source=replace(source, n_rows=len(value)),
        run=Coded.of(cells.run) if len(cells.run) else None,
    )


def _require_good(source: Source, cells: Cells, bad: Mapping[int, str]) -> None:
    """Refuse values that are no numbers, named by query and measure."""
    if not bad:
        return
    lines = [
        BadLine(cells.at[i], f"{cells.query[i]}  {cells.measure[i]}  {cells.raw[i]}", problem)
        for i, problem in sorted(bad.items(), key=lambda each: cells.at[each[0]])
    ]
    if source.unit == "line":
        raise ReadError(source.label, lines=lines[:MOST_SHOWN], total=len(lines))
    first = lines[0]
    raise ReadError(source.label, f"{first.problem}: {first.text}", at=f"row {first.number}")


def _numbers_of_texts(texts: Sequence[str]) -> _Numbers:
    """Read plain decimals as they were printed; whole numbers are exact."""
    decimals = count_decimals(texts)
    plain = decimals >= 0
    value = np.full(len(texts), np.nan)
    value[plain] = np.fromiter(map(float, compress(texts, plain.tolist())), np.float64)
    rounding = np.where(decimals > 0, 0.5 * 10.0 ** -decimals.astype(np.float64), 0.0)
    return _Numbers(value, rounding, plain)


def _number_of_text(raw: str, query: str) -> tuple[float, float, str]:
    """Read a number that is not plain, such as one with an exponent, or say what is wrong."""
    coded = (each.encode("utf-8", "surrogateescape") for each in (raw, query))
    value, problem = read_score(*coded)
    if problem or not value:  # with an exponent all digits are kept, so that 0 is 0
        return value, 0.0, problem
    mantissa, _, exponent = raw.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = f"0.{'1':0>{decimals}}" if decimals else "1"
    return value, 0.5 * float(f"{unit}e{exponent or 0}"), ""


def _numbers_of_objects(objects: Sequence[Any]) -> _Numbers:
    """Read Python's own numbers, where there is nothing else."""
    value = np.full(len(objects), np.nan)
    if set(map(type, objects)) <= {float, int}:
        with suppress(OverflowError):  # whole numbers of hundreds of digits
            value[:] = np.fromiter(map(float, objects), np.float64)
    return _Numbers(value, np.zeros(len(objects)), np.isfinite(value))


def _number_of_object(raw: Any, _query: str) -> tuple[float, float, str]:  # noqa: ANN401
    value, problem = read_cell(raw)
    return value, 0.0, problem
