"""Small tables of any form as columns of cells: votes, segments, clusters, weights and topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from abrank._support.errors import ReadError
from abrank.inputs.arrow import (
    file_columns,
    is_columns,
    kind_of,
    objects_of,
    saved_frame,
    to_objects,
)
from abrank.inputs.columns import Source, require_distinct
from abrank.inputs.delimited import headed_lines, text_columns
from abrank.inputs.files import contents
from abrank.inputs.objects import is_missing
from abrank.inputs.trec import BYTE_ORDER_MARK
from abrank.inputs.tree import looks_like_json, parsed


@dataclass(frozen=True)
class CellTable:
    """The names of columns, their cells, and where each row stands: a line from 1 or a row."""

    label: str
    names: list[str]
    columns: list[Any]
    at: Sequence[int]
    unit: str = "row"
    source: Source | None = None

    @classmethod
    def of_rows(
        cls, rows: Sequence[Mapping[Any, Any]], label: str, source: Source | None = None
    ) -> CellTable:
        """Make one of dicts; None stands where one lacks a name."""
        names = list(dict.fromkeys(chain.from_iterable(rows)))
        columns = [[row.get(name) for row in rows] for name in names]
        return cls(label, list(map(str, names)), columns, range(1, len(rows) + 1), source=source)

    def __fspath__(self) -> str:  # its errors name a file as that file's own do
        return self.label

    def as_text(self) -> CellTable:
        """Return the same with all cells as text, empty where one is missing."""
        if self.unit == "line":
            return self
        columns = [["" if is_missing(x) else str(x) for x in column] for column in self.columns]
        return replace(self, columns=columns)

    def take(self, rows: Sequence[int], places: Sequence[int]) -> CellTable:
        """Return some rows, and of these some columns."""
        return replace(
            self,
            names=[self.names[place] for place in places],
            columns=[[self.columns[place][row] for row in rows] for place in places],
            at=[self.at[row] for row in rows],
        )


def delimiter_of(data: bytes) -> str:
    """Return what stands between the cells of a table of text, by its first line."""
    first = data.removeprefix(BYTE_ORDER_MARK).lstrip(b"\r\n").partition(b"\n")[0]
    return next((mark for mark in "\t,;|" if mark.encode() in first), ",")


def read_cells(
    source: Any,  # noqa: ANN401 - a path, or a table of any library
    expected: str,
    *,
    is_row: Callable[[list[str]], bool] = any,
) -> CellTable:
    """Read the table of a file or an object; JSON that is one dict is one row."""
    if isinstance(source, CellTable):
        return source
    if not isinstance(source, (str, os.PathLike)):
        names, columns = objects_of(source)
        return CellTable("DataFrame", names, columns, range(len(columns[0]) if columns else 0))
    data, origin = contents(source, lines=False, tables=True)
    return cells_of(data, origin, expected, is_row=is_row)


def cells_of(
    data: bytes, origin: Source, expected: str, *, is_row: Callable[[list[str]], bool] = any
) -> CellTable:
    """Return the table that the bytes of a file hold."""
    label = origin.label
    if kind_of(data[:8]):
        names, cells = file_columns(data, label, list)
        columns = list(map(to_objects, cells))
        return CellTable(label, names, columns, range(len(columns[0])), source=origin)
    if looks_like_json(data[:4096]):
        tree = parsed(data, label)
        if isinstance(tree, Mapping):
            tree = saved_frame(tree)
        if isinstance(tree, Mapping) and is_columns(tree):
            names, columns = objects_of(tree)
            return CellTable(label, names, columns, range(len(columns[0])), source=origin)
        rows = tree if isinstance(tree, list) else [tree]
        if not all(isinstance(row, Mapping) for row in rows):
            raise ReadError(label, "holds no objects of JSON", expected=expected)
        return CellTable.of_rows(rows, label, origin)
    delimiter = delimiter_of(data)
    names, lines = headed_lines(data, delimiter, label, is_row=is_row)
    if not names:
        raise ReadError(label, "no lines", expected=expected)
    require_distinct(names, label)
    text, at = text_columns(lines, len(names), label, delimiter.join(names))
    return CellTable(label, names, text, at, "line", origin)
