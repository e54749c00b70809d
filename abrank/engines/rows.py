"""Rows of Arrow tables as checked columns: ids as bytes, scores and grades as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from abrank._support.display import shorten
from abrank._support.errors import ReadError
from abrank._support.typing import IntArray
from abrank.inputs import ids, kernels
from abrank.inputs.columns import QRELS, RUN, Columns, Layout, Source, duplicates
from abrank.inputs.objects.arrow import stored_as, to_grades
from abrank.inputs.objects.names import choose_columns
from abrank.inputs.objects.read import of_table

# One row a shown document: its position from 1, empty where a judged document was not shown, and
# its grade, empty where it was not judged.
JOINED = Layout("joined table", "query_id position relevance", "relevance", 2, 3)
# The value of a property of the query stands in the place of the document, and there is no number.
PROPERTY = Layout("property", "query_id value", "relevance", 1, 2)
_POSITIONS = ("position", "rank")


def column_names(
    names: Sequence[str], layout: Layout, columns: Mapping[str, str] | None, label: str
) -> tuple[str, str, str]:
    """Find the three columns of a table among its ``names``, or those that ``columns`` gives."""
    if layout == PROPERTY:
        (value,) = (columns or {}).values()
        columns = {"doc_id": value, "relevance": value}
    if layout != JOINED:
        query, document, value = choose_columns(names, layout, columns, label=label)
        if layout == QRELS and document == value:
            raise ReadError(label, "has no grades", hint="add a column relevance, 1 in each row")
        return query, document, value
    given = dict(columns or {})
    place = given.pop("position", None) or next(
        (name for name in names if name.casefold() in _POSITIONS), None
    )
    if place not in names:
        raise ReadError(label, f"no column position (nor rank); it has {', '.join(names)}")
    # The third column of the layout is not there: the position stands in for the document.
    given["doc_id"] = "doc_id"
    query, _, value = choose_columns([*names, "doc_id"], QRELS, given, label=label)
    return query, str(place), value


def read_rows(table: Any, layout: Layout, label: str) -> Columns:  # noqa: ANN401 - a pyarrow.Table
    """Check the three columns of a table, which stand in the order of the layout."""
    columns = [stored_as(table.column(i)) for i in range(3)]
    if layout == PROPERTY:  # the queries that have a value, the value, and a number for none
        query, text = columns[0], columns[1].cast(pa.large_string())
        known = compute.fill_null(compute.not_equal(text, ""), False)
        query, text = query.filter(known), text.filter(known)
        columns = [query, text, pa.chunked_array([np.zeros(len(text))])]
    if len(columns[0]):
        return of_table(columns, label, QRELS if layout == QRELS else RUN)
    return _empty(label)


def split_joined(table: Any, label: str) -> tuple[Columns, Columns]:  # noqa: ANN401
    """Return the run and the judgments that a joined table holds."""
    query, position, grade = (table.column(i).combine_chunks() for i in range(3))
    shown, judged = position.is_valid(), grade.is_valid()
    rank = to_grades(position.filter(shown))
    if rank is None or (rank < 1).any():
        raise ReadError(label, "position is no rank: they are whole numbers from 1")
    numbers = pa.array(np.arange(len(shown))).cast(pa.string())
    row = compute.binary_join_element_wise(f"{label}, row", numbers, " ")
    place = compute.binary_join_element_wise("position", position.cast(pa.int64()).cast("str"), " ")
    document = compute.if_else(shown, place, row)
    run = [query.filter(shown), document.filter(shown), pa.array(-rank.astype(np.float64))]
    judgments = [query.filter(judged), document.filter(judged), grade.filter(judged)]
    return (
        read_rows(pa.table(run, names=["query", "doc", "value"]), RUN, label),
        read_rows(pa.table(judgments, names=["query", "doc", "value"]), QRELS, label),
    )


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the rows of several tables as one; see :func:`require_once` for its messages."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return _empty("")
    return Columns(
        query=ids.joined([each.query for each in parts]),
        doc=ids.joined([each.doc for each in parts]),
        value=np.concatenate([each.value for each in parts]),
        position=np.concatenate([each.position for each in parts]),
        source=Source(None, None, sum(each.source.n_rows for each in parts), "", "row"),
    )


def require_once(parts: Sequence[Columns], *, hint: str) -> None:
    """Refuse a document that a query names twice; the message names both row groups."""
    rows = joined(parts)
    first, again = duplicates(ids.number(rows.query)[1], rows.doc)
    if not len(again):
        return
    ends = np.cumsum([len(each.value) for each in parts])
    places = []
    for row in (int(first[0]), int(again[0])):
        part = parts[int(np.searchsorted(ends, row, side="right"))]
        places.append((part.source.label, int(rows.position[row])))
    one = np.array([first[0]])
    query, document = (ids.decode(ids.take(each, one))[0] for each in (rows.query, rows.doc))
    (label, row), (other, row_of_other) = places
    where = f"rows {row} and {row_of_other}"
    if other != label:
        where = f"row {row}, and {other}, row {row_of_other}"
    problem = f"document {shorten(document)} twice in query {shorten(query)}"
    raise ReadError(label, problem, at=where, hint=hint)


def by_query(rows: Columns) -> Columns:
    """Return the rows with those of each query together, in the order read within one."""
    starts, _ = ids.runs(rows.query)
    if len(kernels.unique(starts)) == len(starts):
        return rows
    order = np.argsort(ids.number(rows.query)[1], kind="stable").astype(np.int64)
    return take(rows, order)


def take(rows: Columns, chosen: IntArray) -> Columns:
    """Return some of the rows."""
    return Columns(
        query=ids.take(rows.query, chosen),
        doc=ids.take(rows.doc, chosen),
        value=rows.value[chosen],
        position=rows.position[chosen],
        source=rows.source,
    )


def _empty(label: str) -> Columns:
    none, nowhere = ids.encode([]), np.empty(0, np.int64)
    return Columns(none, none, np.empty(0), nowhere, Source(None, None, 0, label, "row"))
