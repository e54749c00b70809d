"""DataFrames, dicts of dicts and iterables of tuples to the same columns that files give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.errors import ArgumentError, ReadError, nearest
from abrank.inputs import ids
from abrank.inputs.columns import RUN, SUBTOPIC_QRELS, Columns, Layout, Source
from abrank.inputs.ids import Ids

if TYPE_CHECKING:
    import numpy.typing as npt

ACCEPTED: dict[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "q_id", "query", "topic_id", "topic"),
    "doc_id": ("doc_id", "docno", "docid", "pid", "corpus_id", "did"),
    "relevance": ("relevance", "label", "rel", "grade"),
    "score": ("score",),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}


def read_columns(source: Any, layout: Layout, *, columns: Mapping[str, str] | None) -> Columns:  # noqa: ANN401
    """Read judgments or a run from an object.

    Parameters
    ----------
    source : DataFrame, dict of dicts, or iterable of tuples
        A dict maps query id to doc id to number. Tuples are (query_id, doc_id, number), or named
        tuples with the accepted names. The object is not changed.
    layout : Layout
        ``SUBTOPIC_QRELS`` takes no dict, and tuples (query_id, subtopic, doc_id, number).
    columns : mapping, optional
        Accepted name to the frame's own: ``{"query_id": "topic number"}``.

    Returns
    -------
    Columns

    Raises
    ------
    ReadError
        If a column or a value cannot be used; names the row, counted from 0.
    ArgumentError
        If the object is none of these, or ``columns`` names what is not there.

    Examples
    --------
    >>> read = read_columns({"301": {"d1": 2.5, "d2": 1}}, RUN, columns=None)
    >>> ids.decode(read.query), read.value
    (['301', '301'], array([2.5, 1. ]))
    """
    if hasattr(source, "columns") and hasattr(source, "dtypes"):
        chosen = choose_columns([*source.columns], layout, columns)
        return _checked([list(source[name]) for name in chosen], "DataFrame", layout)
    if isinstance(source, Mapping):
        _no_columns(columns, "a dict of dicts")
        return _checked(_from_dict(source, layout), "dict", layout)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return _checked(_from_tuples(source, layout, columns), "tuples", layout)
    kind = type(source).__name__
    raise ArgumentError(
        f"{layout.kind} must be a path, a DataFrame, a dict of dicts or tuples, not {kind}"
    )


def choose_columns(
    names: Sequence[Any], layout: Layout, columns: Mapping[str, str] | None
) -> tuple[Any, ...]:
    """Find the columns of the query id, the doc id, the number and the subtopic among ``names``.

    Names are compared without case. A frame with ``qid`` and ``docno`` is PyTerrier's, whose
    ``docid`` (an internal number) and ``query`` (the query's text) are no ids.

    Raises
    ------
    ReadError
        If one is not there, or two could be meant.
    ArgumentError
        If ``columns`` has an unknown key or value.

    Examples
    --------
    >>> choose_columns(["qid", "docid", "docno", "score", "query"], RUN, None)
    ('qid', 'docno', 'score')
    """
    override = dict(columns or {})
    wanted = _wanted(layout)
    for key, name in override.items():
        if key not in wanted:
            raise ArgumentError(f'columns= has no key "{key}"; keys: {", ".join(wanted)}')
        if name not in names:
            close = nearest(str(name), map(str, names))
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ArgumentError(f'columns= names "{name}", which is not a column{hint}')
    folded = {str(name).casefold() for name in names}
    terrier = {"qid", "docno"} <= folded
    accepted = ACCEPTED | ({"query_id": ("qid",), "doc_id": ("docno",)} if terrier else {})
    return tuple(
        override[key] if key in override else _choose(names, key, accepted[key]) for key in wanted
    )


def _wanted(layout: Layout) -> tuple[str, ...]:
    """Return the names of the columns to find, the subtopic last where it is one of them."""
    plain = ("query_id", "doc_id", layout.value)
    return (*plain, "subtopic") if layout is SUBTOPIC_QRELS else plain


def _choose(names: Sequence[Any], wanted: str, accepted: Sequence[str]) -> Any:  # noqa: ANN401
    found = [name for name in names if str(name).casefold() in accepted]
    if len(found) == 1:
        return found[0]
    hint = f'say which: columns={{"{wanted}": "..."}}'
    if found:
        raise ReadError(
            "DataFrame", f"{' and '.join(map(str, found))} could both be {wanted}", hint=hint
        )
    has = ", ".join(map(str, names))
    problem = f"no column {wanted} (nor {', '.join(accepted[1:])})" if accepted[1:] else ""
    raise ReadError(
        "DataFrame", f"{problem or f'no column {wanted}'}; it has {has or 'none'}", hint=hint
    )


def _no_columns(columns: Mapping[str, str] | None, what: str) -> None:
    if columns:
        raise ArgumentError(f"columns= is for DataFrames and named tuples, not for {what}")


def _from_dict(source: Mapping[Any, Any], layout: Layout) -> list[list[Any]]:
    if layout is SUBTOPIC_QRELS:
        raise ArgumentError(
            "a dict of dicts has no subtopics: give tuples (query_id, subtopic, doc_id, relevance)"
        )
    queries: list[Any] = []
    docs: list[Any] = []
    values: list[Any] = []
    for query, row in source.items():
        if not isinstance(row, Mapping):
            kind = type(row).__name__
            raise ReadError(
                "dict",
                f"query {query!r} has a {kind}, not a dict",
                expected=f"{{query_id: {{doc_id: {layout.value}}}}}",
            )
        queries += [query] * len(row)
        docs += row.keys()
        values += row.values()
    return [queries, docs, values]


def _from_tuples(
    source: Iterable[Any], layout: Layout, columns: Mapping[str, str] | None
) -> list[list[Any]]:
    rows = list(source)
    by_subtopic = layout is SUBTOPIC_QRELS
    expected = f"(query_id, {'subtopic, ' if by_subtopic else ''}doc_id, {layout.value})"
    fields: tuple[str, ...] | None = getattr(rows[0], "_fields", None) if rows else None
    at = [0, 2, 3, 1] if by_subtopic else [0, 1, 2]
    if fields:
        at = [fields.index(name) for name in choose_columns(fields, layout, columns)]
    else:
        _no_columns(columns, "plain tuples")
    width = len(fields) if fields else len(at)
    for number, row in enumerate(rows):
        if not isinstance(row, (tuple, list)) or len(row) != width:
            raise ReadError(
                "tuples", f"{row!r} is not {expected}", at=f"row {number}", expected=expected
            )
    return [[row[i] for row in rows] for i in at]


def _checked(columns: list[list[Any]], label: str, layout: Layout) -> Columns:
    queries, docs, values, *subtopics = columns
    if not values:
        raise ReadError(label, "no rows", expected=f"query_id, doc_id, {layout.value}")
    return Columns(
        query=_ids(queries, "query_id", label),
        doc=_ids(docs, "doc_id", label),
        value=_numbers(values, layout, label),
        position=np.arange(len(values)),
        source=Source(None, None, len(values), label, "row"),
        subtopic=_ids(subtopics[0], "subtopic", label) if subtopics else None,
    )


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
    return encoded


def read_id(value: Any, row: int, column: str, label: str) -> str:  # noqa: ANN401
    """Return an id as text; a whole number is spelled out, a float is refused.

    Examples
    --------
    >>> read_id(np.int64(301), 0, "query_id", "DataFrame")
    '301'
    """
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
    """Whether a cell of a frame is empty: None, NaN, NA or NaT.

    Examples
    --------
    >>> is_missing(math.nan), is_missing(0.0)
    (True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _numbers(values: list[Any], layout: Layout, label: str) -> npt.NDArray[Any]:
    read = read_score if layout is RUN else _one_grade
    numbers = []
    for row, value in enumerate(values):
        number, problem = read(value)
        if problem:
            raise ReadError(label, problem, at=f"row {row}")
        numbers.append(number)
    return np.array(numbers, dtype=np.float64 if layout is RUN else np.int64)


def read_score(value: Any) -> tuple[float, str]:  # noqa: ANN401
    """Return the score and what is wrong with it.

    Examples
    --------
    >>> read_score(np.float32(0.5)), read_score("0.5")[1]
    ((0.5, ''), "score '0.5' is a str, not a number")
    """
    if is_missing(value):
        return 0.0, f"score is missing ({value!r})"
    if not _is_number(value):
        return 0.0, f"score {value!r} is a {type(value).__name__}, not a number"
    number = float(value)
    return number, "" if math.isfinite(number) else "score is infinite"


def _one_grade(value: Any) -> tuple[int, str]:  # noqa: ANN401
    """Return the grade and what is wrong with it.

    Examples
    --------
    >>> _one_grade(1.0), _one_grade(0.5)[1]
    ((1, ''), 'relevance 0.5 is not a whole number')
    """
    if is_missing(value):
        return 0, f"relevance is missing ({value!r})"
    if not _is_number(value):
        return 0, f"relevance {value!r} is a {type(value).__name__}, not a whole number"
    if not math.isfinite(value) or int(value) != value:
        return 0, f"relevance {value!r} is not a whole number"
    return int(value), "" if abs(int(value)) < 2**63 else f"relevance {value!r} is too large"


def _is_number(value: Any) -> bool:  # noqa: ANN401
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool)
