"""Ready scores, in the forms in which programs print them, to numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from abrank._support.errors import ArgumentError, BadLine, ReadError
from abrank.inputs import files, frames
from abrank.inputs.columns import Source
from abrank.inputs.lines import MOST_SHOWN, read_score
from abrank.inputs.plain import BYTE_ORDER_MARK
from abrank.inputs.score_forms import AGGREGATES, Cell, cells_of_frame, cells_of_text

_NUMBER_LIKE = re.compile(r"[+-]?[.,]?[0-9]|[+-]?(nan|inf)", re.IGNORECASE)


class ScoreRow(NamedTuple):
    """One score: where it stood, and how far rounding may have moved it."""

    at: int
    query: str
    system: str
    measure: str
    value: float
    rounding: float


@dataclass(frozen=True)
class ScoreTable:
    """Ready scores as read; names are not yet those of the catalogue.

    Attributes
    ----------
    rows : tuple of ScoreRow
        Of queries. ``system`` is empty where the source names none.
    aggregates : tuple of ScoreRow
        Over all queries.
    left_out : mapping of str to int
        Measures whose rows are all text (trec_eval's runid and relstring), and how many rows.
    form : str
        What it was taken for.
    source : Source
    """

    rows: tuple[ScoreRow, ...]
    aggregates: tuple[ScoreRow, ...]
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
    >>> table.form, table.rows[1].query, table.rows[1].value
    ('a long table', '2', 1.0)
    """
    if isinstance(source, (str, os.PathLike)):
        data, origin = files.contents(source)
        text = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")
        form, cells = cells_of_text(text, origin.label, is_measure)
        return _table(cells, form, origin, _number_of_text, text.split("\n"))
    if hasattr(source, "columns") and hasattr(source, "dtypes"):
        origin = Source(None, None, 0, "DataFrame", "row")
        form, cells = cells_of_frame(source, origin.label)
        return _table(cells, form, origin, _number_of_object, None)
    raise ArgumentError(f"scores must be a path or a DataFrame, not {type(source).__name__}")


def _table(
    cells: Iterable[Cell],
    form: str,
    source: Source,
    read: _Reader,
    lines: Sequence[str] | None,
) -> ScoreTable:
    """Read the numbers; a measure of text alone is left out, text among numbers is an error."""
    rows: list[ScoreRow] = []
    bad: list[tuple[Cell, str]] = []
    texts: dict[str, int] = {}
    for cell in cells:
        if frames.is_missing(cell.raw) or cell.raw == "":
            continue  # a hole in a table; who needs the score names it
        value, rounding, problem = read(cell.raw, cell.query)
        if problem:
            bad.append((cell, problem))
            texts[cell.measure] = texts.get(cell.measure, 0) + _is_text(cell.raw)
        else:
            rows.append(ScoreRow(*cell[:4], value, rounding))
    numbered = {row.measure for row in rows} | {
        cell.measure for cell, _ in bad if not _is_text(cell.raw)
    }
    wrong = [
        BadLine(
            cell.at,
            f"{cell.query} {cell.measure} {cell.raw}" if lines is None else lines[cell.at - 1],
            problem,
        )
        for cell, problem in bad
        if cell.measure in numbered
    ]
    if wrong:
        raise _bad_values(source, wrong)
    return ScoreTable(
        rows=tuple(row for row in rows if row.query not in AGGREGATES),
        aggregates=tuple(row for row in rows if row.query in AGGREGATES),
        left_out={name: count for name, count in texts.items() if name not in numbered},
        form=form,
        source=replace(source, n_rows=len(rows)),
    )


def _bad_values(source: Source, wrong: Sequence[BadLine]) -> ReadError:
    if source.unit == "line":
        return ReadError(source.label, lines=wrong[:MOST_SHOWN], total=len(wrong))
    first = wrong[0]
    return ReadError(source.label, f"{first.problem} ({first.text})", at=f"row {first.number}")


def _is_text(raw: Any) -> bool:  # noqa: ANN401
    """Whether a cell is a word, and no attempt at a number.

    Examples
    --------
    >>> [_is_text(each) for each in ("'0110'", "BM25", "0,5", "NaN", "3x")]
    [True, True, False, False, False]
    """
    return isinstance(raw, str) and not _NUMBER_LIKE.match(raw)


def _number_of_text(raw: str, query: str) -> tuple[float, float, str]:
    """Read a number as it was printed; it may be half a unit of its last digit off.

    Examples
    --------
    >>> _number_of_text("0.25", "301"), _number_of_text("12", "301")
    ((0.25, 0.005, ''), (12.0, 0.0, ''))
    """
    coded = (each.encode("utf-8", "surrogateescape") for each in (raw, query))
    value, problem = read_score(*coded)
    if problem:
        return value, 0.0, problem
    mantissa, _, exponent = raw.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    whole = not decimals and not exponent
    return value, 0.0 if whole else 0.5 * 10.0 ** (int(exponent or 0) - decimals), ""


def _number_of_object(raw: Any, _query: str) -> tuple[float, float, str]:  # noqa: ANN401
    value, problem = frames.read_score(raw)
    return value, 0.0, problem
