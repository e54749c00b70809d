"""Tables with a row a query and its documents in a list, as LensKit saves them, unfolded."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from abrank.inputs import kernels
from abrank.inputs.objects.names import DOC_IDS, found_in


def nested_column(schema: Any) -> str | None:  # noqa: ANN401 - a pyarrow.Schema
    """Return the column that holds lists of documents; None where there is none."""
    if found_in(schema.names, DOC_IDS):
        return None
    for field in schema:
        listed = pa.types.is_list(field.type) or pa.types.is_large_list(field.type)
        if listed and pa.types.is_struct(field.type.value_type):
            names = [
                field.type.value_type.field(i).name for i in range(field.type.value_type.num_fields)
            ]
            if found_in(names, DOC_IDS):
                return str(field.name)
    return None


def unfolded(table: Any) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Return a row a document, of a table with a row a query; any other as it is."""
    name = nested_column(table.schema)
    if name is None:
        return table
    lists = table[name].combine_chunks()
    rows = kernels.list_parent_indices(lists)
    columns = {each: kernels.take(table[each], rows) for each in table.column_names if each != name}
    documents = lists.flatten()
    fields = documents.flatten()
    for i, field in enumerate(fields):
        columns[documents.type.field(i).name] = field
    return pa.table(columns)
