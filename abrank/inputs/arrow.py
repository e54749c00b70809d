"""Convert tables of any library to Arrow columns; read columns of Parquet and Feather files."""

# Everything that exports Arrow data can be read: frames of pandas and polars, pyarrow tables,
# DuckDB relations. No library is imported here; an object brings its own. A conversion returns None
# for a column that is not plain (empty cells, mixed types). `objects` then reads its cells one by
# one and reports what is wrong.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from abrank._support.errors import AbrankError, ArgumentError, ReadError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import columns as raw
from abrank.inputs import ids
from abrank.inputs.columns import DOC_IDS, QUERY_IDS, folded, found_in, require_distinct
from abrank.inputs.ids import Ids, kernels
from abrank.inputs.storage import require_no_lake

if TYPE_CHECKING:
    from abrank.inputs.parquet import FeatherData, ParquetData

# --- Unnest tables with one row per query and its documents in a list, as LensKit saves them


def nested_column(schema: pa.Schema) -> str | None:
    """Return the name of the column that holds lists of documents; None if there is none."""
    if found_in(schema.names, DOC_IDS):
        return None
    for field in schema:
        listed = pa.types.is_list(field.type) or pa.types.is_large_list(field.type)
        if listed and pa.types.is_struct(field.type.value_type):
            row = field.type.value_type
            if found_in([row.field(i).name for i in range(row.num_fields)], DOC_IDS):
                return str(field.name)
    return None


def _list_columns(schema: pa.Schema) -> dict[str, str]:
    """Return the list columns by the name of one entry: doc_id for doc_ids."""
    return {
        folded(field.name).removesuffix("s"): field.name
        for field in schema
        if pa.types.is_list(field.type) or pa.types.is_large_list(field.type)
    }


def holds_lists(row: Mapping[Any, Any]) -> bool:
    """Whether the document cell of a table row is a list."""
    names = [*row.keys()]
    places = found_in([folded(name).removesuffix("s") for name in names], DOC_IDS)
    return bool(places) and isinstance(row[names[places[0]]], (list, tuple, np.ndarray))


def unfolded(table: pa.Table) -> pa.Table:
    """Expand a table with one row per query to one row per document; return others unchanged."""
    nested = nested_column(table.schema)
    named = _list_columns(table.schema) if nested is None else {nested: nested}
    places = [0] if nested else found_in([*named], DOC_IDS)
    if not places:
        return table
    lists = {name: table[of].combine_chunks() for name, of in named.items()}
    docs = lists[[*lists][places[0]]]
    length = kernels.list_value_length(docs)
    for name, of in named.items():
        if not kernels.list_value_length(lists[name]).equals(length):
            raise ArgumentError(f"the lists in {of} are not as long as those of the documents")
    columns = {name: column.flatten() for name, column in lists.items()}
    if nested:
        documents = columns.pop(nested)
        fields = (field.name for field in documents.type)
        columns = dict(zip(fields, documents.flatten(), strict=True))
    rows = kernels.list_parent_indices(docs)
    rest = table.drop_columns(list(named.values())).take(rows)
    columns = dict(zip(rest.column_names, rest.columns, strict=True)) | columns
    if len(lists) == 1 and not nested:  # ids in rank order
        row = ids.integers(rows)
        columns["rank"] = pa.array(np.arange(1, len(row) + 1) - np.searchsorted(row, row))
    return pa.table(columns)


# --- Tables of any library as Arrow columns, without one Python object per cell


_REFUSALS = (pa.ArrowException, TypeError, ValueError, OverflowError)


def columns_of(
    source: Any,  # noqa: ANN401
    choose: Callable[[Sequence[Any]], Sequence[Any]],
) -> tuple[list[Any], list[Any]] | None:
    """Return the names that ``choose`` selects and these columns; None if this is no table."""
    source = as_table(source, rows=False)
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        frame = source if raw.has_columns([*source.columns]) else with_index(source)
        if len(frame) and holds_lists(frame.iloc[0]):
            return columns_of(pa.Table.from_pandas(frame, preserve_index=False), choose)
        chosen = list(choose([*frame.columns]))
        return chosen, [frame[name] for name in chosen]
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):
        source = source.select([*dict.fromkeys(choose(source.collect_schema().names()))])
    table = table_of(source)
    if table is None:
        return None
    table = unfolded(table)
    chosen = list(choose(table.column_names))
    return chosen, [table[name] for name in chosen]


def saved_frame(tree: Mapping[Any, Any]) -> Any:  # noqa: ANN401 - rows or columns
    """Return the rows or columns of a frame that pandas saved as JSON; other dicts unchanged."""
    names, data = tree.get("columns"), tree.get("data")
    if isinstance(names, list) and isinstance(data, list) and found_in(names, QUERY_IDS):
        return [dict(zip(names, row, strict=False)) for row in data]  # orient="split"
    if isinstance(tree.get("schema"), Mapping) and isinstance(data, list):  # orient="table"
        if not (data and isinstance(data[0], Mapping) and found_in([*data[0]], QUERY_IDS)):
            return data
        return [{name: row[name] for name in row if name != "index"} for row in data]
    nested = [*tree.values()]
    if not nested or not all(isinstance(inner, Mapping) for inner in nested):
        return tree
    outer, inner = ([*map(str, keys)] for keys in (tree, nested[0]))
    if len(outer) > 1 and found_in(outer, QUERY_IDS) and _are_rows(inner):  # orient="columns"
        return {name: [*column.values()] for name, column in tree.items()}
    is_index = found_in(inner, QUERY_IDS) and _are_rows(outer)  # orient="index"
    return nested if is_index else tree


def _are_rows(keys: Sequence[str]) -> bool:
    """Whether keys are row numbers from 0; ids of a collection rarely begin with 0."""
    return all(key == str(row) for row, key in enumerate(keys))


def is_columns(source: object) -> bool:
    """Whether a dict holds the columns of a table, including a column of query ids."""
    return isinstance(source, Mapping) and bool(found_in([*source], QUERY_IDS)) and all(
        isinstance(column, (list, tuple, np.ndarray)) or hasattr(column, "iloc")
        for column in source.values()
    )  # fmt: skip


def as_table(source: Any, *, rows: bool = True) -> Any:  # noqa: ANN401
    """Convert other forms of tables to a frame; return other objects unchanged."""
    # Such forms are Dask frames, structured arrays, dicts of columns with one for the query ids,
    # and with `rows` also lists of dicts or named tuples.
    if type(source).__module__.partition(".")[0] == "dask" and hasattr(source, "compute"):
        return source.compute()
    if isinstance(source, Mapping):
        source = saved_frame(source)
    is_list = rows and isinstance(source, (list, tuple)) and bool(source)
    is_rows = is_list and all(isinstance(row, Mapping) or hasattr(row, "_asdict") for row in source)
    is_array = isinstance(source, np.ndarray) and bool(source.dtype.names)
    if not (is_rows or is_columns(source) or is_array):
        return source
    import pandas as pd  # imported late because few inputs need it

    if is_array:
        return pd.DataFrame.from_records(source)
    if is_rows:
        source = [row._asdict() if hasattr(row, "_asdict") else row for row in source]
    try:
        return pd.DataFrame(source, dtype=object)
    except ValueError as error:
        raise ReadError("dict", f"its columns make no table: {error}") from error


def with_index(frame: Any, unnamed: str = "") -> Any:  # noqa: ANN401 - of pandas
    """Return a frame with the named levels of its index as columns."""
    index = frame.index
    if type(index).__name__ == "RangeIndex" and index.name is None:
        return frame
    names = [
        name if name is not None or not unnamed
        else unnamed if index.nlevels == 1 else f"{unnamed} {level}"
        for level, name in enumerate(index.names)
    ]  # fmt: skip
    columns = {*map(str, frame.columns)}
    levels = [i for i, name in enumerate(names) if name is not None and str(name) not in columns]
    return frame.rename_axis(index=names).reset_index(level=levels) if levels else frame


def table_of(source: object) -> pa.Table | None:
    """Return a pyarrow.Table of an object that exports Arrow data; None for other objects."""
    if isinstance(source, pa.Table):
        return source
    kind = type(source).__name__
    try:
        table = _handed_over(source)
    except (MemoryError, AbrankError):
        raise
    except Exception as error:  # foreign code can raise anything
        raise ArgumentError(
            f"{kind} hands over no table that Arrow can read: {error}; cast its columns to text,"
            " 64-bit integers or floats, or give it as a DataFrame"
        ) from error
    if isinstance(table, (pa.Array, pa.ChunkedArray)) or (table is None and kind == "Series"):
        raise ArgumentError(f"a {kind} is one column: give the table, with a column of query ids")
    return table


# By library: methods that make a table, for objects without an Arrow stream. polars has a stream,
# but with string views, which Arrow 17 cannot cast.
_METHODS = {
    "dask": ("compute",), "deltalake": ("to_pyarrow_table",), "polars": ("to_arrow",),
    "pyarrow": ("to_table",), "pyiceberg": ("scan", "to_arrow"),
}  # fmt: skip


def _handed_over(source: object) -> pa.Table | None:
    if hasattr(source, "iloc") and not hasattr(source, "columns"):  # a Series
        return None
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):
        source = source.collect()
    # Delta's own library returns the current files as a dataset with its own file system. A
    # dataset of all files in the folder would include earlier versions.
    if type(getattr(source, "filesystem", None)).__name__ == "LocalFileSystem":
        for file in getattr(source, "files", ()):
            require_no_lake(Path(file).parent, file)
    for method in _METHODS.get(type(source).__module__.partition(".")[0], ()):
        source = getattr(source, method)() if hasattr(source, method) else source
    if hasattr(source, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(source).read_all()
    if hasattr(source, "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(source)])
    return None


def objects_of(source: Any) -> tuple[list[str], list[list[Any]]]:  # noqa: ANN401
    """Return the column names of a small table, and its cells as Python objects."""
    source = as_table(source)
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        names = [str(name) for name in source.columns]
        require_distinct(names, "DataFrame")
        return names, [list(source.iloc[:, i]) for i in range(len(names))]
    table = table_of(source)
    if table is None:
        raise ArgumentError(f"a path, a table or a mapping is wanted, not {type(source).__name__}")
    require_distinct(table.column_names, type(source).__name__)
    return list(table.column_names), [to_objects(column) for column in table.columns]


def stored_as(column: pa.Array) -> pa.Array:
    """Convert bytes to text and booleans to 1 and 0; Parquet files may contain both."""
    kind = column.type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return kernels.cast(column, pa.large_string())
    return kernels.cast(column, pa.int64()) if pa.types.is_boolean(kind) else column


def to_objects(column: pa.Array | Sequence[object]) -> list[Any]:
    """Return the cells as Python objects."""
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def to_ids(column: object, *, coded: bool = False) -> Ids | None:
    """Convert text or whole numbers to ids; return None if a cell is empty."""
    # With `coded`, a dictionary-encoded column stays encoded.
    array = _whole(column)
    if array is None:
        return None
    try:
        texts = _as_bytes(array, coded=coded)
    except _REFUSALS:
        return None
    return None if texts is None or not np.diff(ids.offsets(texts)).all() else texts


def ids_of(index: object) -> Ids | None:
    """Return the labels of an index as ids; None unless they are texts or whole numbers."""
    try:
        return to_ids(pa.array(index))
    except _REFUSALS:
        return None


def _as_bytes(array: pa.Array, *, coded: bool = False) -> Ids | None:
    kind = array.type
    if pa.types.is_dictionary(kind):
        dictionary = None if array.dictionary.null_count else _as_bytes(array.dictionary)
        if dictionary is None:
            return None
        indices = kernels.cast(array.indices, pa.int32())
        column = pa.DictionaryArray.from_arrays(indices, dictionary)
        is_distinct = coded and len(kernels.unique(dictionary)) == len(dictionary)
        return column if is_distinct else ids.plain(column)
    if pa.types.is_integer(kind):
        array = kernels.cast(array, pa.string())
    elif str(kind) not in ("string", "large_string", "string_view"):
        return None
    return kernels.cast(array, pa.large_binary())


def to_scores(column: object) -> FloatArray | None:
    """Return finite numbers as float64; None if a cell is empty or not a finite number."""
    array = _whole(column)
    if array is None or not is_number(array.type):
        return None
    try:
        values = to_floats(array)
    except _REFUSALS:
        return None
    return values if np.isfinite(values).all() else None


def is_number(kind: pa.DataType) -> bool:
    """Whether this is a numeric Arrow type."""
    types = (pa.types.is_floating, pa.types.is_integer, pa.types.is_decimal)
    return any(is_of_kind(kind) for is_of_kind in types)


def to_floats(array: pa.Array) -> FloatArray:
    """Convert numbers, or texts that are all numbers, to float64; empty cells become NaN."""
    if array.type != pa.float64():
        array = kernels.cast(array, pa.float64(), safe=False)
    if not len(array):
        return np.empty(0)
    values = np.frombuffer(array.buffers()[1], np.float64)[array.offset : array.offset + len(array)]
    if array.null_count:
        filled = ids.integers(kernels.indices_nonzero(kernels.is_valid(array)))
        values, present = np.full(len(array), np.nan), values[filled]
        values[filled] = present
    return values


def to_grades(column: object, *, fractions: bool = False) -> IntArray | FloatArray | None:
    """Convert whole numbers of any type to int64; with ``fractions``, others to float64."""
    array = _whole(column)
    if array is not None and pa.types.is_integer(array.type) and len(array):
        try:
            return ids.integers(kernels.cast(array, pa.int64()))
        except _REFUSALS:
            return None
    values = None if array is None else to_scores(array)
    if values is None or (np.abs(values) >= 2**63).any():
        return None
    if (values != np.floor(values)).any():
        return values if fractions else None
    return values.astype(np.int64)


def _whole(column: object) -> pa.Array | None:
    try:
        is_arrow = isinstance(column, (pa.Array, pa.ChunkedArray))
        array: pa.Array = column if is_arrow else pa.array(column, from_pandas=False)
    except _REFUSALS:
        return None
    if array.null_count:
        return None
    if not isinstance(array, pa.ChunkedArray):
        return array
    return array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()


MARKS = {b"PAR1": "Parquet", b"ARROW1": "Feather", b"FEA1": "Feather"}
LONGEST_MARK = 6


def kind_of(start: bytes) -> str:
    """Return the kind of table file by its first bytes; empty if it is none."""
    return next((kind for mark, kind in MARKS.items() if start.startswith(mark)), "")


def file_columns(
    data: bytes,
    label: str,
    choose: Callable[[Sequence[str]], Sequence[str]],
    *,
    maximum: int | None = None,
) -> tuple[list[str], list[Any]]:
    """Return the column names that ``choose`` selects in a table file, and these columns."""
    # `maximum` limits their size in bytes; the default is 4 GiB.
    with _opened(pa.BufferReader(data), kind_of(data), label, maximum) as file:
        names = file.schema.names
        require_distinct(names, label)
        if nested_column(file.schema) or found_in([*_list_columns(file.schema)], DOC_IDS):
            table = unfolded(file.read(names))
            chosen = list(choose(table.column_names))
        else:
            chosen = list(choose(names))
            table = file.read([*dict.fromkeys(chosen)])
        columns = [table[name] for name in chosen]
        file.require_decoded(columns)
        return chosen, [stored_as(column) for column in columns]


def names_of(path: str, kind: str) -> list[str]:
    """Return the column names of a file without reading rows."""
    with pa.OSFile(path) as stored, _opened(stored, kind, path) as file:
        return list(file.schema.names)


@contextmanager
def _opened(
    file: pa.NativeFile, kind: str, label: str, maximum: int | None = None
) -> Iterator[ParquetData | FeatherData]:
    """Open a table file; errors of Arrow become errors that name the file."""
    from abrank.inputs import parquet  # imported late: only table files need it

    try:
        data = parquet.ParquetData if kind == "Parquet" else parquet.FeatherData
        yield data(file, maximum=maximum)
    except parquet.Oversized as error:
        hint = error.hint or "no run, judgments or scores do"
        raise ReadError(label, f"the {kind} file {error}", hint=hint) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError, parquet.DamagedParquet) as error:
        problem = f"the {kind} file is cut short or damaged ({error})"
        raise ReadError(label, problem, hint="copy or write the file again") from error


def feather_of(table: pa.Table) -> bytes:
    """Serialize a table as a Feather file."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
