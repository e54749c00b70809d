"""Python values converted to ids, scores and grades one by one; errors name the bad cell."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import ReadError, retold
from abrank.inputs import ids
from abrank.inputs.columns import RUN, Columns, Gathered, Layout
from abrank.inputs.ids import Ids
from abrank.inputs.trec.lines import MOST_ID

if TYPE_CHECKING:
    import numpy.typing as npt


def checked(blocks: Iterable[list[list[Any]]], label: str, layout: Layout) -> Columns:
    """Return columns of cells, a block of rows at a time.

    They are query ids, document ids, numbers, and perhaps subtopics.
    """
    gathered = Gathered(layout, label, "row", expected=f"query_id, doc_id, {layout.value}")
    for columns in blocks:
        queries, docs, values, *subtopics = columns
        try:
            part = Columns(
                query=_ids(queries, "query_id", label),
                doc=_ids(docs, "doc_id", label),
                value=_numbers(values, layout, label),
                position=np.arange(len(values)),
                subtopic=_ids(subtopics[0], "subtopic", label) if subtopics else None,
            )
        except ReadError as error:
            row = int(error.rest["at"].removeprefix("row "))
            cells = (shorten(str(column[row]), width=40) for column in columns)
            at = f"row {gathered.n_lines + row}"
            raise retold(error, shown="  ".join(cells), at=at) from None
        gathered.add(part, len(values))
    return gathered.joined()


def _ids(values: list[Any], column: str, label: str) -> Ids:
    """Return ids as text; whole numbers are spelled out, floats are refused."""
    if set(map(type, values)) != {str}:
        values = [read_id(value, row, column, label) for row, value in enumerate(values)]
    try:
        encoded = ids.encode(values)
    except UnicodeEncodeError as error:
        row = values.index(error.object)
        raise ReadError(
            label, f"{column} {error.object!r} is not valid text", at=f"row {row}"
        ) from error
    if "" in values:
        raise ReadError(label, f"{column} is empty", at=f"row {values.index('')}")
    if ids.longest(encoded) > MOST_ID:
        row = max(range(len(values)), key=lambda at: len(values[at]))
        problem = f"{column} is longer than {MOST_ID >> 10} kB"
        raise ReadError(label, problem, at=f"row {row}")
    return encoded


def read_id(value: Any, row: int, column: str, label: str) -> str:  # noqa: ANN401
    """Return an id as text; a whole number is spelled out, a float is refused."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    hint = ""
    if is_missing(value):
        problem = f"{column} is missing ({value!r})"
    elif isinstance(value, (float, np.floating)):
        problem = f"{column} {value!r} is a float; ids are text, and 301.0 is not 301"
        hint = f'frame["{column}"] = frame["{column}"].astype("Int64").astype(str) mends it'
    else:
        problem = f"{column} {value!r} is a {type(value).__name__}; ids are text or whole numbers"
    raise ReadError(label, problem, at=f"row {row}", hint=hint)


def is_missing(value: Any) -> bool:  # noqa: ANN401
    """Whether a cell of a frame is empty: None, NaN, NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _numbers(values: list[Any], layout: Layout, label: str) -> npt.NDArray[Any]:
    if layout is RUN and set(map(type, values)) == {float}:
        scores = np.array(values)
        if np.isfinite(scores).all():  # else one is refused below, with its row
            return scores
    read = read_score if layout is RUN else _one_grade
    numbers = []
    for row, value in enumerate(values):
        number, problem = read(value)
        if problem:
            raise ReadError(label, problem, at=f"row {row}")
        numbers.append(number)
    return np.array(numbers, dtype=np.float64 if layout is RUN else np.int64)


def read_score(value: Any) -> tuple[float, str]:  # noqa: ANN401
    """Return the score and what is wrong with it."""
    if is_missing(value):
        return 0.0, f"score is missing ({value!r})"
    if not _is_number(value):
        return 0.0, f"score {value!r} is a {type(value).__name__}, not a number"
    number = _as_float(value)
    return number, "" if math.isfinite(number) else "score is infinite"


def _one_grade(value: Any) -> tuple[int, str]:  # noqa: ANN401
    """Return the grade and what is wrong with it."""
    if is_missing(value):
        return 0, f"relevance is missing ({value!r})"
    if not _is_number(value):
        return 0, f"relevance {value!r} is a {type(value).__name__}, not a whole number"
    if isinstance(value, int) and math.isinf(_as_float(value)):
        return 0, "relevance is too large"
    if not math.isfinite(value) or int(value) != value:
        return 0, f"relevance {value!r} is not a whole number"
    return int(value), "" if abs(int(value)) < 2**63 else f"relevance {value!r} is too large"


def _as_float(value: Any) -> float:  # noqa: ANN401
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def _is_number(value: Any) -> bool:  # noqa: ANN401
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool)
