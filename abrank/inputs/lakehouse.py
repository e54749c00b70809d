"""Tables of Delta Lake and Iceberg, read through their own libraries; those of Hudi refused.

Their folders hold the Parquet files of earlier versions, too, which only these libraries tell apart
from the current ones.
"""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from abrank._support.errors import ReadError

if TYPE_CHECKING:
    import pyarrow as pa

# What a path below such a folder holds, and of which format that is a mark.
_MARKS = {
    "Delta": re.compile(r"/_delta_log/"),
    "Iceberg": re.compile(r"/metadata/[^/]*\.metadata\.json$"),
    "Hudi": re.compile(r"/\.hoodie/"),
}
_HOW = {
    "Delta": "pip install deltalake, and abrank reads it; or write the current version as one"
    " Parquet file",
    "Iceberg": "pip install 'pyiceberg[pyarrow]', and abrank reads it; or write the current version"
    " as one Parquet file",
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


def refusal(label: str, kind: str) -> ReadError:
    """Return the error that a table of this format cannot be read as a folder of Parquet files."""
    problem = f"is a table of {kind}, whose folder holds the files of earlier versions, too"
    return ReadError(label, problem, hint=_HOW[kind])


def read_folder(path: str | os.PathLike[str]) -> pa.Table:
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
        raise refusal(label, kind) from error
    except Exception as error:  # these libraries raise what they like
        raise ReadError(label, f"the {kind} table cannot be read: {error}") from error
    raise refusal(label, kind)


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
