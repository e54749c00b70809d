"""Ready scores, as programs print them, converted to numbers."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from abrank._support.errors import ArgumentError, BadLine, ReadError
from abrank._support.typing import BoolArray, FloatArray
from abrank.inputs import files, ids
from abrank.inputs.columns import Source
from abrank.inputs.formats.arrow_file import kind_of
from abrank.inputs.formats.tree import looks_like_json, parsed
from abrank.inputs.objects.arrow import to_objects
from abrank.inputs.objects.cells import is_missing
from abrank.inputs.objects.cells import read_score as read_cell
from abrank.inputs.scores import fast
from abrank.inputs.scores.columns import Coded, Queries, ScoreTable
from abrank.inputs.scores.decimals import count_decimals
from abrank.inputs.scores.forms import Cells, cells_of_objects, cells_of_text, is_number
from abrank.inputs.scores.shapes import SHAPES, columns_of, columns_of_file, label_of
from abrank.inputs.trec.lines import MOST_SHOWN, read_score
from abrank.inputs.trec.plain import BYTE_ORDER_MARK

_START = 10_000  # bytes that are looked at to recognise the form

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
    """Read ready scores.

    Parameters
    ----------
    source : path, table, or one of the shapes of other programs (see ``shapes``)
        A Parquet or Feather file is read as the table that it holds.
    is_measure : callable
        Whether a name is known for a measure; decides between lines of trec_eval and ir_measures
        where no line is an aggregate.
    numbered : bool
        Whether a file without a column for the query is taken, its rows numbered.

    Returns
    -------
    ScoreTable

    Raises
    ------
    NotFoundError
        If there is no such file.
    ReadError
        If the form cannot be told, or a line or value cannot be used. The message names file and
        line.
    ArgumentError
        If the source is none of these.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": "BM25", "qid": ["1", "2"], "measure": "map", "value": [0, 1]})
    >>> table = read_score_table(frame, is_measure=str.islower)
    >>> table.form, table.query.texts(), table.value
    ('a long table', ['1', '2'], array([0., 1.]))
    """
    if isinstance(source, (str, os.PathLike)):
        return _of_file(source, is_measure, numbered=numbered)
    origin = Source(None, None, 0, label_of(source), "row")
    found = columns_of(source, is_measure, origin.label)
    if found is None:
        kind = type(source).__name__
        raise ArgumentError(f"scores must be a path, a table or a dict, not {kind}")
    return _of_columns(*found, origin)


def _of_file(
    path: str | os.PathLike[str], is_measure: Callable[[str], bool], *, numbered: bool
) -> ScoreTable:
    data, origin = files.contents(path, tables=True)
    rows = replace(origin, unit="row")
    if kind_of(data):
        return _of_columns(*columns_of_file(data, origin.label), rows)
    if looks_like_json(data):
        found = columns_of(parsed(data, origin.label), is_measure, origin.label)
        if found is None:
            raise ReadError(origin.label, "holds no scores by query", expected=SHAPES)
        return _of_columns(*found, rows)
    _refuse_documents(data, origin.label, is_measure)
    table = fast.of_text(data, origin)
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
    table = fast.of_columns(header, columns, origin, missing=True)
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
        if raw == "" or is_missing(raw):
            continue
        value[i], rounding[i], problem = read(raw, cells.query[i])
        if problem:
            bad[i] = problem
        if not problem or not _is_text(raw):
            with_numbers.add(cells.measure[i])
    left_out = Counter(cells.measure[i] for i in bad if cells.measure[i] not in with_numbers)
    _require_good(source, cells, {i: bad[i] for i in bad if cells.measure[i] not in left_out})
    if left_out:
        kept = [name not in left_out for name in cells.measure]
        cells = Cells(*(list(compress(column, kept)) for column in cells))
        value, rounding = value[kept], rounding[kept]
    _require_texts(source, cells)
    return ScoreTable(
        at=np.array(cells.at, dtype=np.int64),
        query=Queries.of(cells.query),
        system=Coded.of(cells.system),
        measure=Coded.of(cells.measure),
        value=value,
        rounding=rounding,
        left_out=dict(left_out),
        form=form,
        source=replace(source, n_rows=len(value)),
        run=Coded.of(cells.run) if len(cells.run) else None,
    )


def _require_texts(source: Source, cells: Cells) -> None:
    """Refuse names that no file can hold: half a surrogate pair, as JSON may have one."""
    for column, names in (("query_id", cells.query), ("measure", cells.measure)):
        try:
            ids.encode(names)
        except UnicodeEncodeError as error:
            problem = f"{column} {error.object!r} is not valid text"
            raise ReadError(source.label, problem) from error


def _require_good(source: Source, cells: Cells, bad: Mapping[int, str]) -> None:
    """Refuse values that are no numbers, named by query and measure."""
    if not bad:
        return
    lines: Sequence[BadLine] = sorted(
        (
            BadLine(cells.at[i], f"{cells.query[i]}  {cells.measure[i]}  {cells.raw[i]}", problem)
            for i, problem in bad.items()
        ),
        key=lambda line: line.number,
    )
    if source.unit == "line":
        raise ReadError(source.label, lines=lines[:MOST_SHOWN], total=len(lines))
    first = lines[0]
    raise ReadError(source.label, f"{first.problem}: {first.text}", at=f"row {first.number}")


def _is_text(raw: Any) -> bool:  # noqa: ANN401
    """Whether a cell is a word rather than a malformed number.

    Examples
    --------
    >>> [_is_text(each) for each in ("'0110'", "BM25", "0,5", "NaN", "3x")]
    [True, True, False, False, False]
    """
    return isinstance(raw, str) and not _NUMBER_LIKE.match(raw)


def _numbers_of_texts(texts: Sequence[str]) -> _Numbers:
    """Read plain decimals as they were printed; whole numbers are exact.

    Examples
    --------
    >>> _numbers_of_texts(["0.25", "12", "1e-3"])
    _Numbers(value=array([ 0.25, 12.  ,   nan]), rounding=array([0.005, 0.   , 0.   ]),
        plain=array([ True,  True, False]))
    """
    decimals = count_decimals(texts)
    plain = decimals >= 0
    value = np.full(len(texts), np.nan)
    value[plain] = np.fromiter(map(float, compress(texts, plain.tolist())), np.float64)
    rounding = np.where(decimals > 0, 0.5 * 10.0 ** -decimals.astype(np.float64), 0.0)
    return _Numbers(value, rounding, plain)


def _number_of_text(raw: str, query: str) -> tuple[float, float, str]:
    """Read a number that is not plain, such as one with an exponent, or say what is wrong with it.

    Examples
    --------
    >>> _number_of_text("25e-2", "301")
    (0.25, 0.005, '')
    >>> _number_of_text("0e999", "301")
    (0.0, 0.0, '')
    """
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
