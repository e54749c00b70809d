"""Tables, dicts of dicts and iterables of tuples, read into the same columns as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support.errors import ArgumentError, ReadError
from abrank.inputs import ids
from abrank.inputs.columns import RUN, SUBTOPIC_QRELS, Columns, Layout, Source
from abrank.inputs.objects import arrow
from abrank.inputs.objects.cells import checked
from abrank.inputs.objects.names import choose_columns, holds_ranks
from abrank.inputs.objects.shapes import rows_of_dict, rows_of_records, unwrapped
from abrank.inputs.trec.plain import MOST_ID

# What becomes of an object that holds a way to judgments or a run, by its library.
_CONVERSIONS = {
    ("pyterrier", "run"): ": give what it retrieves, pipeline.transform(topics)",
    ("pyterrier", "qrels"): ": give its judgments, dataset.get_qrels()",
}


def read_columns(
    source: Any,  # noqa: ANN401
    layout: Layout,
    *,
    columns: Mapping[str, str] | None,
    label: str | None = None,
) -> Columns:
    """Read judgments or a run from an object."""
    source = unwrapped(source, label)
    if isinstance(source, Mapping):
        _no_columns(columns, "a dict of dicts")
        label = label or "dict"
        return checked(rows_of_dict(source, layout, label), label, layout)
    table = label or _label(source)
    chosen: list[Any] = []

    def choose(names: Sequence[Any]) -> Sequence[Any]:
        chosen[:] = choose_columns(names, layout, columns, label=table)
        return chosen

    found = arrow.columns_of(source, choose)
    if found is not None:
        return of_table(found, table, layout, ranks=holds_ranks(chosen[2], layout))
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        label, rows = label or "tuples", list(source)
        if rows and isinstance(rows[0], Mapping):
            _no_columns(columns, "dicts")
            return checked(rows_of_records(rows, layout, label), label, layout)
        return checked(_from_tuples(rows, layout, columns, label), label, layout)
    kind = type(source).__name__
    hint = _CONVERSIONS.get((type(source).__module__.partition(".")[0], layout.kind), "")
    raise ArgumentError(
        f"{layout.kind} must be a path, a DataFrame, a dict of dicts or tuples, not {kind}{hint}"
    )


def of_table(columns: Sequence[Any], label: str, layout: Layout, *, ranks: bool = False) -> Columns:
    """Convert a table's columns of ids and numbers, in the order of ``choose_columns``."""
    queries, docs, numbers, *subtopics = columns
    query = arrow.to_ids(queries, coded=True)
    doc, *subtopic = (arrow.to_ids(each) for each in (docs, *subtopics))
    value = (arrow.to_scores if layout is RUN else arrow.to_grades)(numbers)
    plain = all(
        each is not None and ids.longest(each) <= MOST_ID for each in (query, doc, *subtopic)
    )
    if value is None or not plain or not len(value):
        read = checked([arrow.to_objects(each) for each in columns], label, layout)
        return replace(read, value=-read.value) if ranks else read
    return Columns(
        query=query,
        doc=doc,
        value=-value if ranks else value,
        position=np.arange(len(value)),
        source=Source(None, None, len(value), label, "row"),
        subtopic=subtopic[0] if subtopic else None,
    )


def _label(source: Any) -> str:  # noqa: ANN401
    kind = type(source).__name__
    return "DataFrame" if kind.endswith("Frame") else kind


def _no_columns(columns: Mapping[str, str] | None, what: str) -> None:
    if columns:
        raise ArgumentError(f"columns= is for tables and named tuples, not for {what}")


def _from_tuples(
    rows: Sequence[Any], layout: Layout, columns: Mapping[str, str] | None, label: str
) -> list[list[Any]]:
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
                label, f"{row!r} is not {expected}", at=f"row {number}", expected=expected
            )
    return [[row[i] for row in rows] for i in at]
