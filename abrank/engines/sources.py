"""Parquet tables: one file, a folder, Hive partitions or a glob, on any file system.

A table is listed with what the footers of its files say of each row group: how many rows, and the
least and the largest query id. Nothing else is read.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from abrank._support.errors import ArgumentError, NotFoundError, ReadError
from abrank._support.parallel import threaded_map
from abrank.engines import rows
from abrank.inputs.archives import Unpacked
from abrank.inputs.columns import Columns, Layout
from abrank.inputs.formats.recognise import likeness
from abrank.inputs.objects.nested import nested_column
from abrank.inputs.stored import Stored

_LOOKED_AT = 1 << 16  # bytes of a file that is no Parquet
_ONLY_PARQUET = (
    "--merged and --engine (merged=, engine=) read Parquet only; leave them out, and this file is"
    " read as it is"
)

Key = bytes | int  # of a query: its id's bytes, or a number where the column holds numbers


@dataclass(frozen=True)
class Piece:
    """A row group of a file.

    Attributes
    ----------
    path : str
    group : int
    n_rows : int
    low, high : bytes or int, optional
        Least and largest query id; None where the file does not say.
    """

    path: str
    group: int
    n_rows: int
    low: Key | None = None
    high: Key | None = None

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"{self.path}, row group {self.group}"


@dataclass(frozen=True)
class ParquetTable:
    """A table in Parquet, and its row groups.

    Attributes
    ----------
    label : str
        As it was named.
    layout : Layout
    columns : (str, str, str)
        Names of the query id, of the document (or position) and of the number.
    pieces : tuple of Piece
    filesystem : pyarrow.fs.FileSystem
    stamp : tuple
        Path and size of every file: another table has another stamp.
    """

    label: str
    layout: Layout
    columns: tuple[str, str, str]
    pieces: tuple[Piece, ...]
    filesystem: Any = field(repr=False, compare=False)
    stamp: tuple[tuple[str, int, str], ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows of all row groups."""
        return sum(each.n_rows for each in self.pieces)

    def load(self, piece: Piece) -> tuple[list[Columns], ...]:
        """Read and check a row group.

        Returns
        -------
        tuple of lists of Columns
            The run or the judgments; both, of a joined table.

        Raises
        ------
        ReadError
            If it cannot be read, or a row cannot be used; names file, row group and row.
        """
        table = self._read(piece)
        if self.layout == rows.JOINED:
            return tuple([each] for each in rows.split_joined(table, piece.label))
        return ([rows.read_rows(table, self.layout, piece.label)],)

    def _read(self, piece: Piece) -> Any:  # noqa: ANN401 - a pyarrow.Table
        try:
            with self.filesystem.open_input_file(piece.path) as file:
                # A row for each document names its query: its id is read once, and numbers of it.
                found = pq.ParquetFile(file, read_dictionary=[self.columns[0]])
                table = found.read_row_group(piece.group, [*self.columns], use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise ReadError(piece.label, f"cannot be read: {error}") from error
        return table.select(list(self.columns))


def open_table(
    source: Any,  # noqa: ANN401 - a path, or several
    layout: Layout,
    *,
    columns: Mapping[str, str] | None = None,
    filesystem: Any = None,  # noqa: ANN401 - of pyarrow or fsspec
) -> ParquetTable:
    """List the row groups of a table.

    Parameters
    ----------
    source : path or sequence of paths
        A file, a folder (every file below it, Hive partitions too; names that begin with ``_`` or
        ``.`` are left out), a glob, or a URI such as ``s3://bucket/run``.
    layout : Layout
        ``RUN``, ``QRELS`` or ``JOINED``: which columns to look for.
    columns : mapping, optional
        Which columns to take: ``{"query_id": "session"}``.
    filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, optional
        Where the path is; found from the path without it.

    Returns
    -------
    ParquetTable

    Raises
    ------
    NotFoundError
        If there is nothing.
    ReadError
        If a file is no Parquet, a column is not there, or a query id is missing.
    """
    named = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    label = os.fspath(named[0]) if named else ""
    place, paths = _files(named, filesystem)
    if not paths:
        raise NotFoundError(f"{label}: no Parquet file there")
    hint = "" if layout == rows.JOINED else _ONLY_PARQUET
    footers = list(threaded_map(lambda path: _footer(place, path, hint), paths))
    schema = footers[0].schema.to_arrow_schema()
    if nested_column(schema) is not None:
        raise ReadError(
            paths[0],
            "its documents stand in lists, a row a query, which is read only of one small file",
            hint='LensKit writes a row a document with save_parquet(path, layout="flat")',
        )
    names = schema.names
    chosen = rows.column_names(names, layout, columns, paths[0])
    pieces = [
        piece
        for path, footer in zip(paths, footers, strict=True)
        for piece in _pieces(path, footer, chosen)
    ]
    stamp = tuple((info.path, info.size, str(info.mtime)) for info in place.get_file_info(paths))
    return ParquetTable(label, layout, chosen, tuple(pieces), place, stamp)


def by_content(table: ParquetTable) -> ParquetTable:
    """Return a table of one local file known by what is in it, however often it is written."""
    (path,) = {piece.path for piece in table.pieces} or {""}
    data = Path(path).read_bytes() if path else b""
    return replace(table, stamp=((path, len(data), hashlib.sha256(data).hexdigest()),))


def columns_of(source: Any) -> list[str]:  # noqa: ANN401 - a path
    """Return the names of a Parquet table's columns.

    Raises
    ------
    NotFoundError, ReadError
        As :func:`open_table`.
    """
    place, paths = _files([source], None)
    if not paths:
        raise NotFoundError(f"{os.fspath(source)}: no Parquet file there")
    return list(_footer(place, paths[0]).schema.to_arrow_schema().names)


def _files(named: Sequence[Any], filesystem: Any) -> tuple[Any, list[str]]:  # noqa: ANN401
    found: list[str] = []
    place = _filesystem(filesystem)
    for each in named:
        here, path = (place, os.fspath(each)) if place else _located(os.fspath(each))
        found += _listed(here, path)
    return here if named else fs.LocalFileSystem(), found


def _filesystem(given: Any) -> Any:  # noqa: ANN401
    if given is None or isinstance(given, fs.FileSystem):
        return given
    return fs.PyFileSystem(fs.FSSpecHandler(given))


def _located(path: str) -> tuple[Any, str]:
    """Return the file system of a path or URI, and the path within it."""
    if "://" not in path:
        return fs.LocalFileSystem(), os.path.abspath(path)  # noqa: PTH100 - workers stand elsewhere
    base, mark, rest = path.partition("*")
    folder, _, name = base.rpartition("/") if mark else (base, "", "")
    try:
        place, inside = fs.FileSystem.from_uri(folder)
    except (pa.ArrowInvalid, NotImplementedError) as error:
        try:
            from fsspec.core import url_to_fs  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            hint = "fsspec may know it: pip install fsspec"
            raise ArgumentError(f"{path}: {error}; {hint}") from error
        try:
            place, inside = url_to_fs(folder)
        except (ImportError, ValueError) as problem:  # a package that it needs, or no such scheme
            raise ArgumentError(f"{path}: {problem}") from problem
        place = _filesystem(place)
    return place, f"{inside}/{name}{mark}{rest}" if mark else inside


def _listed(place: Any, path: str) -> list[str]:  # noqa: ANN401
    """Return the files that a path, a folder or a glob stands for, in the order of their names."""
    pattern = re.search(r"[*?]", path)
    base = path if pattern is None else path[: pattern.start()].rpartition("/")[0]
    info = place.get_file_info(base)
    if info.type == fs.FileType.File:
        return [path]
    if info.type == fs.FileType.NotFound:
        return []
    below = place.get_file_info(fs.FileSelector(base, recursive=True))
    files = sorted(each.path for each in below if each.type == fs.FileType.File)
    if pattern is not None:
        return [each for each in files if fnmatch.fnmatch(each, path)]
    start = len(base.rstrip("/")) + 1
    return [each for each in files if not _hidden(each[start:])]


def _hidden(path: str) -> bool:
    return any(part.startswith(("_", ".")) for part in path.split("/"))


def _footer(place: Any, path: str, hint: str = "") -> Any:  # noqa: ANN401
    try:
        with place.open_input_file(path) as file:
            return pq.read_metadata(file)
    except (OSError, pa.ArrowException) as error:
        found = _likeness(place, path)
        if found and found != "a file of Parquet":
            problem = f"this looks like {found}, not like a Parquet file"
            raise ReadError(path, problem, hint=hint) from error
        raise ReadError(path, f"cannot be read as a Parquet file: {error}") from error


def _likeness(place: Any, path: str) -> str:  # noqa: ANN401
    """Say what a file that is no Parquet looks like; empty where that cannot be told."""
    try:
        with place.open_input_file(path) as file:
            return likeness(Unpacked(Stored(file, path, hashes=False), path).read(_LOOKED_AT))
    except (OSError, pa.ArrowException, ReadError):
        return ""


def _pieces(path: str, footer: Any, columns: Sequence[str]) -> list[Piece]:  # noqa: ANN401
    places = {footer.schema.column(i).path: i for i in range(footer.num_columns)}
    lacking = [name for name in columns if name not in places]
    if lacking:
        raise ReadError(path, f"no column {lacking[0]}; it has {', '.join(places)}")
    found = []
    for group in range(footer.num_row_groups):
        about = footer.row_group(group)
        low, high = _range(about.column(places[columns[0]]).statistics)
        found.append(Piece(path, group, about.num_rows, low, high))
    return [each for each in found if each.n_rows]


def _range(statistics: Any) -> tuple[Key | None, Key | None]:  # noqa: ANN401
    """Return the least and the largest query id, if the footer says that none is missing too."""
    if statistics is None or not statistics.has_min_max or statistics.null_count != 0:
        return None, None
    low, high = _key(statistics.min), _key(statistics.max)
    return (None, None) if low is None or high is None else (low, high)


def _key(value: Any) -> Key | None:  # noqa: ANN401
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return value if isinstance(value, (bytes, int)) and not isinstance(value, bool) else None
