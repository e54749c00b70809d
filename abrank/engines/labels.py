"""Properties of the queries, such as their intent or their user, read beside each partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from abrank._support.display import shorten
from abrank._support.errors import AlignmentError, ReadError
from abrank._support.files import writing
from abrank.engines.rows import PROPERTY
from abrank.engines.sources import ParquetTable, columns_of, open_table
from abrank.inputs import ids
from abrank.inputs.columns import Columns
from abrank.inputs.objects.names import QUERY_IDS, found_in

UNNAMED = "(none)"


def open_property(
    name: str,
    source: Any,  # noqa: ANN401
    folder: Path,
    *,
    number: int,
    like: ParquetTable,
) -> ParquetTable:
    """Return a property of the queries as a table that is read partition by partition."""
    if not isinstance(source, Mapping):
        return open_table(source, PROPERTY, columns={"doc_id": name})
    numbers = any(isinstance(piece.low, int) for piece in like.pieces)
    keys = list(source)
    if numbers:
        numbers = all(key.isdecimal() for key in keys)
    query: Any = pa.array([int(key) for key in keys]) if numbers else ids.encode(keys)
    table = pa.table({"query_id": query, "value": pa.array(list(source.values()), pa.string())})
    table = table.sort_by("query_id")
    path = folder / f"_property-{number}.parquet"
    with writing(path):
        pq.write_table(table, path, row_group_size=100_000)
    return open_table(str(path), PROPERTY, columns={"doc_id": "value"})


def labels_of(
    name: str, parts: Sequence[Columns], query_ids: Sequence[str], *, required: bool
) -> list[str]:
    """Return the value of a property for each query."""
    known: dict[str, str] = {}
    for part in parts:
        for query, value in zip(ids.decode(part.query), ids.decode(part.doc), strict=True):
            if known.setdefault(query, value) != value:
                raise ReadError(
                    part.source.label, f"query {shorten(query)} has two values of {name}"
                )
    lacking = [query for query in query_ids if query not in known] if required else []
    if lacking:
        raise AlignmentError(f"clusters by {name}: query {shorten(lacking[0])} has none")
    return [known.get(query, UNNAMED) for query in query_ids]


def property_names(source: Any) -> list[str]:  # noqa: ANN401 - a path
    """Return the columns of a Parquet table beside its query ids."""
    names = columns_of(source)
    queries = [names[place] for place in found_in(names, QUERY_IDS)]
    found = [name for name in names if name not in queries]
    if not queries or not found:
        lacking = "other column" if queries else f"column {QUERY_IDS[0][0]}"
        raise ReadError(str(source), f"no {lacking}; it has {', '.join(names)}")
    return found
