"""What is no file of this machine: objects of a store, and tables of Delta Lake and Iceberg.

A URI such as ``s3://bucket/a.run`` is read by pyarrow or fsspec. The folder of a table holds the
Parquet files of its earlier versions, too, which only its own library tells apart from the current
ones; tables of Hudi are refused.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from abrank._support.errors import AbrankError, ArgumentError, NotFoundError, ReadError

# `pyarrow.fs` is imported where an object is asked for: it takes longer than an everyday file.

WILD = re.compile(r"[*?]")


def is_uri(path: object) -> bool:
    """Whether a source names an object of a store."""
    return isinstance(path, (str, os.PathLike)) and "://" in os.fspath(path)


def located(path: str) -> tuple[Any, str]:
    """Return the file system of a path or URI, and the path within it."""
    from pyarrow import fs

    if not is_uri(path):
        return fs.LocalFileSystem(), os.path.abspath(path)  # noqa: PTH100 - workers stand elsewhere
    if path.startswith(("http://", "https://")):  # what it holds tomorrow nobody knows
        hint = "download it, and give the file's name"
        raise ReadError(path, "is no file of this machine, and no object of a store", hint=hint)
    wild = WILD.search(path)
    folder, _, name = path[: wild.start()].rpartition("/") if wild else (path, "", "")
    try:
        place, inside = fs.FileSystem.from_uri(folder)
    except (pa.ArrowInvalid, NotImplementedError, ImportError) as error:  # of hf:// the last
        place, inside = _by_fsspec(folder, path, error)
    return place, f"{inside}/{name}{path[wild.start() :]}" if wild else inside


def _by_fsspec(folder: str, path: str, problem: Exception) -> tuple[Any, str]:
    from pyarrow import fs

    try:
        from fsspec.core import url_to_fs  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        hint = "fsspec may know it: pip install fsspec"
        raise ArgumentError(f"{path}: {problem}; {hint}") from error
    try:
        place, inside = url_to_fs(folder)
    except (ImportError, ValueError) as error:  # a package that it needs, or no such scheme
        raise ArgumentError(f"{path}: {error}") from error
    return fs.PyFileSystem(fs.FSSpecHandler(place)), inside


@contextmanager
def storage(label: str, place: Any = None) -> Iterator[None]:  # noqa: ANN401 - a file system
    """Turn what a file system raises into an error that names what was asked of it."""
    # fsspec's are anybody's, and raise whatever they like.
    from pyarrow import fs

    try:
        yield
    except AbrankError:
        raise
    except FileNotFoundError as error:
        raise NotFoundError(f"{label}: there is no such object") from error
    except (OSError, pa.ArrowException) as error:
        raise ReadError(label, f"cannot be read: {error}") from error
    except Exception as error:  # of fsspec alone: any other is a fault of our own
        if isinstance(place, fs.PyFileSystem):
            raise ReadError(label, f"cannot be read: {error}") from error
        raise


def open_object(uri: str) -> BinaryIO:
    """Open an object for reading: what is read of it is fetched, and nothing is kept on disk."""
    with storage(uri):
        place, inside = located(uri)
    with storage(uri, place):
        file: BinaryIO = place.open_input_stream(inside, compression=None)
        return file


# --- Tables of data lakes

# What a path below such a folder holds, and of which format that is a mark.
_MARKS = {
    "Delta": re.compile(r"/_delta_log/"),
    "Iceberg": re.compile(r"/metadata/[^/]*\.metadata\.json$"),
    "Hudi": re.compile(r"/\.hoodie/"),
}
_HOW = {
    "Delta": "with deltalake (pip install deltalake) abrank reads its folder, without --engine; or"
    " write the current version as one Parquet file",
    "Iceberg": "with pyiceberg (pip install 'pyiceberg[pyarrow]') abrank reads its folder, without"
    " --engine; or write the current version as one Parquet file",
    "Hudi": "write its current version as one Parquet file:"
    " spark.read.format('hudi').load(PATH).write.parquet(...)",
}


def format_of(paths: list[str]) -> str:
    """Return the format whose marks are among the paths below a folder; empty for none."""
    for name, mark in _MARKS.items():
        if any(mark.search(path) for path in paths):
            return name
    return ""


def format_of_folder(path: str | os.PathLike[str]) -> str:
    """Return the format of a table that is a folder of this machine; empty for none."""
    folder = Path(path)
    try:
        if not folder.is_dir():
            return ""
        marks = [
            f"/{entry.relative_to(folder).as_posix()}{'/' if entry.is_dir() else ''}"
            for pattern in ("_delta_log", ".hoodie", "metadata/*.metadata.json")
            for entry in folder.glob(pattern)
        ]
    except (OSError, ValueError):  # a folder without access, or a name that cannot be
        return ""
    return format_of(marks)


TABLES = (".parquet", ".parq", ".pq")


def require_no_lake(path: str | os.PathLike[str], label: str) -> None:
    """Refuse what stands in a folder of a table, and may be of an earlier version."""
    # Files of Delta stand beside its log or in the folders of its partitions, Iceberg's in `data`.
    for folder in (absolute := Path(path).absolute(), *absolute.parents):
        if kind := format_of_folder(folder):
            problem = f"is part of a table of {kind}, and may be of an earlier version"
            raise ReadError(label, problem, hint=f"give its folder: {folder}")
        if "=" not in folder.name and folder.name != "data":
            return


def folder_table(path: str | os.PathLike[str]) -> pa.Table | None:
    """Return the table of a folder, a data lake's or of Parquet files; None for other paths."""
    if format_of_folder(path):
        return read_lake(path)
    if not has_parquet(path):
        return None
    require_tables_alone(path)
    from pyarrow import parquet

    with storage(os.fspath(path)):
        return parquet.read_table(os.fspath(path), page_checksum_verification=True)


def has_parquet(source: object) -> bool:
    """Whether a source is a folder with Parquet files in it."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    try:
        return Path(source).is_dir() and next(Path(source).rglob("*.parquet"), None) is not None
    except OSError:  # a name too long, or a folder without access: the reader reports it
        return False


def require_tables_alone(path: str | os.PathLike[str]) -> None:
    """Refuse a folder of anything but Parquet files, after a look at the names only."""
    require_no_lake(path, os.fspath(path))
    for folder, folders, names in os.walk(path):
        if kind := format_of_folder(folder):
            raise lake_refusal(folder, kind)
        # Hidden ones are marks of the program that wrote it, such as _SUCCESS.
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if not name.startswith((".", "_")) and not name.endswith(TABLES):
                raise ReadError(
                    os.fspath(path),
                    f"is a folder that holds other files than Parquet, {Path(folder) / name}",
                    hint="give the table itself, or a folder of one table's Parquet files alone",
                )


def lake_refusal(label: str, kind: str) -> ReadError:
    """Return the error that a table of this format cannot be read as a folder of Parquet files."""
    problem = f"is a table of {kind}, whose folder holds the files of earlier versions, too"
    return ReadError(label, problem, hint=_HOW[kind])


def read_lake(path: str | os.PathLike[str]) -> pa.Table:
    """Return the current version of a table."""
    label, kind = os.fspath(path), format_of_folder(path)
    try:
        if kind == "Delta":
            from deltalake import DeltaTable

            return DeltaTable(label).to_pyarrow_table()
        if kind == "Iceberg":
            tables = importlib.import_module("pyiceberg.table")
            metadata = str(_newest(Path(path)))
            return tables.StaticTable.from_metadata(metadata).scan().to_arrow()
    except ImportError as error:
        raise lake_refusal(label, kind) from error
    except Exception as error:  # these libraries raise what they like
        raise ReadError(label, f"the {kind} table cannot be read: {error}") from error
    raise lake_refusal(label, kind)


def _newest(folder: Path) -> Path:
    """Return the metadata of the current version: the one hinted at, else the last one."""
    # The format: https://iceberg.apache.org/spec/#file-system-tables
    metadata = folder / "metadata"
    hint = metadata / "version-hint.text"
    if hint.exists():
        named = metadata / f"v{hint.read_text(encoding='utf-8').strip()}.metadata.json"
        if named.exists():
            return named

    def number(file: Path) -> int:
        digits = re.match(r"v?(\d+)", file.name)
        return int(digits[1]) if digits else -1

    return max(metadata.glob("*.metadata.json"), key=number)
