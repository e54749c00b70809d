"""Tables, dicts of dicts and iterables of tuples to the same columns that files give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from abrank._support.errors import ArgumentError, ReadError
from abrank.inputs.columns import RUN, SUBTOPIC_QRELS, Columns, Layout, Source
from abrank.inputs.objects import arrow
from abrank.inputs.objects.cells import checked
from abrank.inputs.objects.names import choose_columns


def read_columns(source: Any, layout: Layout, *, columns: Mapping[str, str] | None) -> Columns:  # noqa: ANN401
    """Read judgments or a run from an object.

    Parameters
    ----------
    source : table, dict of dicts, or iterable of tuples
        A table is a frame of pandas or polars, or anything that hands over Arrow data. A dict maps
        query id to doc id to number. Tuples are (query_id, doc_id, number), or named tuples with
        the accepted names. The object is not changed.
    layout : Layout
        ``SUBTOPIC_QRELS`` takes no dict, and tuples (query_id, subtopic, doc_id, number).
    columns : mapping, optional
        Accepted name to the table's own: ``{"query_id": "topic number"}``.

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
    >>> from abrank.inputs import ids
    >>> read = read_columns({"301": {"d1": 2.5, "d2": 1}}, RUN, columns=None)
    >>> ids.decode(read.query), read.value
    (['301', '301'], array([2.5, 1. ]))
    """
    if isinstance(source, Mapping):
        _no_columns(columns, "a dict of dicts")
        return checked(_from_dict(source, layout), "dict", layout)
    label = _label(source)
    found = arrow.columns_of(
        source, lambda names: choose_columns(names, layout, columns, label=label)
    )
    if found is not None:
        return of_table(found, label, layout)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return checked(_from_tuples(source, layout, columns), "tuples", layout)
    kind = type(source).__name__
    raise ArgumentError(
        f"{layout.kind} must be a path, a DataFrame, a dict of dicts or tuples, not {kind}"
    )


def of_table(columns: Sequence[Any], label: str, layout: Layout) -> Columns:
    """Return a table's columns of ids and numbers, in the order of ``choose_columns``, converted.

    Parameters
    ----------
    columns : sequence
        Arrow's or pandas' columns: queries, documents, numbers, and perhaps subtopics.
    label : str
        What messages call the table.
    layout : Layout

    Raises
    ------
    ReadError
        If there is no row, or a cell cannot be used.
    """
    queries, docs, numbers, *subtopics = columns
    query, doc, *subtopic = (arrow.to_ids(each) for each in (queries, docs, *subtopics))
    value = (arrow.to_scores if layout is RUN else arrow.to_grades)(numbers)
    plain = all(each is not None for each in (query, doc, value, *subtopic))
    if value is None or not plain or not len(value):
        return checked([arrow.to_objects(each) for each in columns], label, layout)
    return Columns(
        query=query,
        doc=doc,
        value=value,
        position=np.arange(len(value)),
        source=Source(None, None, len(value), label, "row"),
        subtopic=subtopic[0] if subtopic else None,
    )


def _label(source: Any) -> str:  # noqa: ANN401
    kind = type(source).__name__
    return "DataFrame" if kind.endswith("Frame") else kind


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
