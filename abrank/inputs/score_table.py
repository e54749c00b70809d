"""Ready scores, in the forms in which programs print them, to numbers."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abrank._support.errors import ArgumentError, BadLine, ReadError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import files, frames
from abrank.inputs.columns import Source
from abrank.inputs.lines import MOST_SHOWN, read_score
from abrank.inputs.plain import BYTE_ORDER_MARK
from abrank.inputs.score_forms import Cells, cells_of_frame, cells_of_text

_DECIMAL = re.compile(r"-?[0-9]{1,17}(?:\.([0-9]+))?")
_NUMBER_LIKE = re.compile(r"[+-]?[.,]?[0-9]|[+-]?(nan|inf)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Ready scores as read, in columns; names are not yet those of the catalogue.

    Attributes
    ----------
    at : int64[n_rows]
        Line from 1, or row from 0.
    query, system, measure : tuple of str, length n_rows
        Aggregates have one of ``AGGREGATES`` for their query. ``system`` is empty text where the
        source names none.
    value : float64[n_rows]
        Finite, or NaN where a table has no entry.
    rounding : float64[n_rows]
        How far the value may be off: half a unit of the last digit printed.
    left_out : mapping of str to int
        Measures whose rows are all text (trec_eval's runid and relstring), and how many rows.
    form : str
        What it was taken for.
    source : Source
    """

    at: IntArray
    query: tuple[str, ...]
    system: tuple[str, ...]
    measure: tuple[str, ...]
    value: FloatArray
    rounding: FloatArray
    left_out: Mapping[str, int]
    form: str
    source: Source


# The number in a cell, its rounding, and what is wrong with it.
_Reader = Callable[[Any, str], tuple[float, float, str]]


def read_score_table(source: Any, *, is_measure: Callable[[str], bool]) -> ScoreTable:  # noqa: ANN401
    """Read ready scores.

    Parameters
    ----------
    source : path or DataFrame
    is_measure : callable
        Whether a name is known for a measure; decides between lines of trec_eval and ir_measures
        where no line is an aggregate.

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
        If the source is neither path nor frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": "BM25", "qid": ["1", "2"], "measure": "map", "value": [0, 1]})
    >>> table = read_score_table(frame, is_measure=str.islower)
    >>> table.form, table.query, table.value
    ('a long table', ('1', '2'), array([0., 1.]))
    """
    if isinstance(source, (str, os.PathLike)):
        data, origin = files.contents(source)
        text = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")
        form, cells = cells_of_text(text, origin.label, is_measure)
        return _table(cells, form, origin, _number_of_text)
    if hasattr(source, "columns") and hasattr(source, "dtypes"):
        origin = Source(None, None, 0, "DataFrame", "row")
        form, cells = cells_of_frame(source, origin.label)
        return _table(cells, form, origin, _number_of_object)
    raise ArgumentError(f"scores must be a path or a DataFrame, not {type(source).__name__}")


def _table(cells: Cells, form: str, source: Source, read: _Reader) -> ScoreTable:
    """Read the numbers; a measure of text alone is left out, text among numbers is an error."""
    value, rounding = np.full(len(cells.raw), np.nan), np.zeros(len(cells.raw))
    bad: dict[int, str] = {}
    with_numbers: set[str] = set()
    for i, raw in enumerate(cells.raw):
        if raw == "" or frames.is_missing(raw):
            continue
        value[i], rounding[i], problem = read(raw, cells.query[i])
        if problem:
            bad[i] = problem
        if not problem or not _is_text(raw):
            with_numbers.add(cells.measure[i])
    left_out = Counter(cells.measure[i] for i in bad if cells.measure[i] not in with_numbers)
    _require_good(source, cells, {i: bad[i] for i in bad if cells.measure[i] not in left_out})
    rows = [i for i, name in enumerate(cells.measure) if name not in left_out]
    return ScoreTable(
        at=np.array([cells.at[i] for i in rows], dtype=np.int64),
        query=tuple([cells.query[i] for i in rows]),
        system=tuple([cells.system[i] for i in rows]),
        measure=tuple([cells.measure[i] for i in rows]),
        value=value[rows],
        rounding=rounding[rows],
        left_out=dict(left_out),
        form=form,
        source=replace(source, n_rows=len(rows)),
    )


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
    """Whether a cell is a word, and no attempt at a number.

    Examples
    --------
    >>> [_is_text(each) for each in ("'0110'", "BM25", "0,5", "NaN", "3x")]
    [True, True, False, False, False]
    """
    return isinstance(raw, str) and not _NUMBER_LIKE.match(raw)


def _number_of_text(raw: str, query: str) -> tuple[float, float, str]:
    """Read a number as it was printed; whole numbers are exact.

    Examples
    --------
    >>> _number_of_text("0.25", "301"), _number_of_text("12", "301")
    ((0.25, 0.005, ''), (12.0, 0.0, ''))
    """
    plain = _DECIMAL.fullmatch(raw)
    if plain:
        decimals = plain[1]
        return float(raw), 0.5 * 10.0 ** -len(decimals) if decimals else 0.0, ""
    coded = (each.encode("utf-8", "surrogateescape") for each in (raw, query))
    value, problem = read_score(*coded)
    mantissa, _, exponent = raw.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return value, 0.0 if problem else 0.5 * 10.0 ** (int(exponent or 0) - digits), problem


def _number_of_object(raw: Any, _query: str) -> tuple[float, float, str]:  # noqa: ANN401
    value, problem = frames.read_score(raw)
    return value, 0.0, problem
