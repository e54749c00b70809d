"""Parquet tables: one file, a folder, Hive partitions or a glob, on any file system."""

# A table is listed with what the footers of its files say of each row group: how many rows, and the
# least and the largest query id. Nothing else is read.

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import compute, fs

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, NotFoundError, ReadError
from abrank._support.work import threaded_map
from abrank.engines.engine import files_of
from abrank.engines.kernel import column_names, read_rows
from abrank.inputs.arrow import nested_column
from abrank.inputs.columns import Columns, Layout
from abrank.inputs.files import likeness
from abrank.inputs.parquet import DamagedParquet, Group, Oversized, ParquetData
from abrank.inputs.storage import Stored, Unpacked, excess, storage

# --- Parquet tables: one file, a folder, Hive partitions or a glob, on any file system


_LOOKED_AT = 1 << 16  # bytes of a file that is no Parquet
_ONLY_PARQUET = (
    "--engine (engine=) reads Parquet only; leave it out, and this file is read as it is"
)

Key = bytes | int  # of a query: its id's bytes, or a number where the column holds numbers


@dataclass(frozen=True)
class Piece:
    """A row group of a file."""

    path: str
    group: int
    n_rows: int
    # low, high: least and largest query id; None where the file does not say
    low: Key | None = None
    high: Key | None = None

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"{self.path}, row group {self.group}"


@dataclass(frozen=True)
class ParquetTable:
    """A table in Parquet, and its row groups."""

    label: str  # as it was named
    layout: Layout
    # Names of the query id, of the document and of the number
    columns: tuple[str, str, str]
    pieces: tuple[Piece, ...]
    filesystem: Any = field(repr=False, compare=False)
    # Of every file its path, its size and a hash, once :func:`stamped` has made them
    stamp: tuple[tuple[str, int, str], ...] = ()
    # Bytes that a row group may hold; 4 GiB without it
    max_input_size: int | None = None

    @property
    def n_rows(self) -> int:
        """Rows of all row groups."""
        return sum(piece.n_rows for piece in self.pieces)

    def load(self, piece: Piece) -> list[Columns]:
        """Read and check a row group."""
        query = self.columns[0]
        with storage(piece.label, self.filesystem):
            try:
                with self.filesystem.open_input_file(piece.path) as file:
                    data = ParquetData(file, maximum=self.max_input_size)
                    # A row for each document names its query: its id is read once.
                    names = list(dict.fromkeys(self.columns))
                    table = data.read(names, group=piece.group, coded=[query])
            except Oversized as error:
                raise ReadError(piece.label, str(error), hint=error.hint) from None
            except (IndexError, DamagedParquet) as error:
                raise ReadError(piece.label, f"cannot be read: {error}") from error
        _require_range(table.column(query), piece)
        table = table.select(list(self.columns))
        return [read_rows(table, self.layout, piece.label)]


def open_table(
    source: object,  # a path, or several
    layout: Layout,
    *,
    max_input_size: int | None = None,
) -> ParquetTable:
    """List the row groups of a table."""
    names = [source] if isinstance(source, (str, os.PathLike)) else source
    if not isinstance(names, (list, tuple)) or not all(
        isinstance(name, (str, os.PathLike)) for name in names
    ):
        raise ArgumentError(
            f"an engine reads tables of Parquet, by their paths, not {type(source).__name__}: leave"
            " out --engine (engine=) for what is in memory"
        )
    label = os.fspath(names[0]) if names else ""
    filesystem, paths = files_of(names)
    if not paths:
        raise NotFoundError(f"{label}: no Parquet file there")
    files = dict(zip(paths, threaded_map(partial(_footer, filesystem), paths), strict=True))
    first, footer = next(iter(files.items()))
    if nested_column(footer.schema) is not None:
        raise ReadError(
            first,
            "its documents stand in lists, a row a query, which is read only of one small file",
            hint='LensKit writes a row a document with save_parquet(path, layout="flat")',
        )
    chosen = column_names(footer.schema.names, layout, None, first)
    pieces: list[Piece] = []
    total = 0
    for path, file in files.items():
        pieces += _pieces(path, file, chosen)
        total += sum(chunk.n_decoded for group in file.groups for chunk in group.of(chosen))
        if max_input_size is not None:
            problem, hint = excess(total, max_input_size, n_rows=0, n_packed=0)
            if problem:
                raise ReadError(label, f"holds {problem}", hint=hint)
    return ParquetTable(
        label, layout, chosen, tuple(pieces), filesystem, max_input_size=max_input_size
    )


def stamped(table: ParquetTable) -> ParquetTable:
    """Return a table with hashes of its files, by which a later job knows them again."""
    # A file of this machine is hashed whole: its time can be set back. An object of a store is
    # known by the time that the store gives it, and is hashed where it gives none.
    paths = sorted({piece.path for piece in table.pieces})
    local = isinstance(table.filesystem, fs.LocalFileSystem)

    def mark(info: fs.FileInfo) -> tuple[str, int, str]:
        if not local and info.mtime is not None:
            return info.path, info.size, str(info.mtime)
        digest = hashlib.sha256()
        with table.filesystem.open_input_stream(info.path) as file:
            while data := file.read(1 << 20):
                digest.update(data)
        return info.path, info.size, digest.hexdigest()

    with storage(table.label, table.filesystem):
        marks = tuple(threaded_map(mark, table.filesystem.get_file_info(paths)))
    return replace(table, stamp=marks)


class Footer(NamedTuple):
    """What is kept of a file: its columns, and its row groups."""

    schema: Any
    groups: tuple[Group, ...]


def _footer(filesystem: fs.FileSystem, path: str) -> Footer:
    try:
        with filesystem.open_input_file(path) as file:
            data = ParquetData(file)
            return Footer(data.schema, data.groups)
    except (OSError, pa.ArrowException, DamagedParquet) as error:
        form = ""
        with (
            suppress(OSError, pa.ArrowException, ReadError),
            filesystem.open_input_file(path) as file,
        ):
            start = Unpacked(Stored(file, path, hashes=False), path).read(_LOOKED_AT)
            form = likeness(start)
        if form and form != "a file of Parquet":
            problem = f"this looks like {form}, not like a Parquet file"
            raise ReadError(path, problem, hint=_ONLY_PARQUET) from error
        raise ReadError(path, f"cannot be read as a Parquet file: {error}") from error


def _pieces(path: str, file: Footer, columns: Sequence[str]) -> list[Piece]:
    names = file.schema.names
    lacking = [name for name in columns if name not in names]
    if lacking:
        raise ReadError(path, f"no column {lacking[0]}; it has {', '.join(names)}")
    kind = file.schema.field(columns[0]).type
    result = []
    for number, group in enumerate(file.groups):
        (query,) = group.of(columns[:1])
        low = high = None
        if query.n_missing == 0 and query.low is not None and query.high is not None:
            low, high = _key(query.low, kind), _key(query.high, kind)
        has_bounds = low is not None and high is not None and low <= high  # type: ignore[operator]
        result.append(Piece(path, number, group.n_rows, *((low, high) if has_bounds else ())))
    return [piece for piece in result if piece.n_rows]


def _key(value: bytes, kind: pa.DataType) -> Key | None:
    """Return a bound of the query ids as it is stored, as what it stands for."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(kind):
        return int.from_bytes(value, "little", signed=pa.types.is_signed_integer(kind))
    return value if str(kind) in ("string", "large_string", "binary", "large_binary") else None


def _require_range(queries: pa.ChunkedArray, piece: Piece) -> None:
    """Refuse query ids other than the footer says: partitions were made by what it says."""
    if piece.low is None or piece.high is None:
        return
    low, high = piece.low, piece.high
    for chunk in queries.chunks:
        array = chunk
        if pa.types.is_dictionary(chunk.type):
            array = chunk.dictionary.take(compute.unique(chunk.indices.drop_null()))
        if not pa.types.is_integer(array.type):
            array = array.cast(pa.large_binary())
        limits = compute.min_max(array).as_py()
        lowest, highest = limits["min"], limits["max"]
        if lowest is not None and (lowest < low or highest > high):
            outside = shorten(_text(lowest if lowest < low else highest))
            expected = f"from {shorten(_text(low))} to {shorten(_text(high))}"
            problem = (
                f"cannot be read: its footer says that its queries go {expected}, and {outside} is"
                " there"
            )
            raise ReadError(piece.label, problem)


def _text(key: Key) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
