"""Decide which sources are scored by partitions, and list their files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from abrank.inputs.files import ENDINGS as FILE_ENDINGS
from abrank.inputs.storage import (
    TABLES,
    WILD,
    format_of,
    format_of_folder,
    has_parquet,
    is_uri,
    lake_refusal,
    located,
    require_no_lake,
    storage,
)

if TYPE_CHECKING:
    from pyarrow import fs

LARGE = 256 << 20  # bytes above which a Parquet file is scored by partitions


def is_parquet(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is Parquet: by its ending, a folder of such files, or a URI."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    path = os.fspath(source)
    if path.endswith(TABLES) or has_parquet(path):
        return True
    if is_uri(path):  # a folder, unless its name is that of a single file
        return not path.endswith(FILE_ENDINGS)
    if not is_glob(path) or os.path.lexists(path):
        return False
    return any(file.endswith(TABLES) for file in files_of([path])[1])


def fits_engine(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a run can be scored by partitions: Parquet, but no data lake table."""
    return is_parquet(source) and not format_of_folder(source)


def needs_engine(source: object) -> bool:
    """Whether a run should be scored by partitions: large Parquet files, or several."""
    # A small file is read like any other, so that reports can list its documents.
    if not fits_engine(source):
        return False
    path = os.fspath(source)
    if os.path.isfile(path):  # noqa: PTH113 - False even if the name is too long
        return Path(path).stat().st_size >= LARGE
    return is_glob(path) or is_uri(path) or Path(path).is_dir()


_FOLDERS = "(?:[^_./][^/]*/)*"  # without hidden folders


def is_glob(path: str) -> bool:
    """Whether a path is a pattern; brackets are literal."""
    return WILD.search(path) is not None


def files_of(names: Sequence[Any]) -> tuple[Any, list[str]]:
    """Return the file system of paths, and the files that they denote, sorted by name."""
    from pyarrow.fs import LocalFileSystem

    filesystem: Any = LocalFileSystem()
    result: list[str] = []
    for name in names:
        with storage(os.fspath(name)):
            filesystem, path = located(os.fspath(name))
        with storage(os.fspath(name), filesystem):
            result += _listed(filesystem, path)
    return filesystem, result


def _listed(filesystem: fs.FileSystem, path: str) -> list[str]:
    """Return the files of a path, a folder or a pattern, sorted by name."""
    from pyarrow.fs import FileSelector, FileType, LocalFileSystem

    info = filesystem.get_file_info(path)
    if info.type == FileType.File:
        return [path]
    wild = WILD.search(path)
    if info.type == FileType.NotFound and wild is None:
        return []
    base = path
    if info.type != FileType.Directory and wild is not None:
        base = path[: wild.start()].rpartition("/")[0]
        if filesystem.get_file_info(base).type != FileType.Directory:
            return []
    parts = [_expression(part) for part in path[len(base) :].split("/") if part]
    if isinstance(filesystem, LocalFileSystem):
        files = list(_below(base, (os.path.realpath(base),)))
    else:
        entries = filesystem.get_file_info(FileSelector(base, recursive=True))
        files = [entry.path for entry in entries if entry.type == FileType.File]
    if kind := format_of([file[len(base.rstrip("/")) :] for file in files]):
        raise lake_refusal(path, kind)
    if isinstance(filesystem, LocalFileSystem):
        require_no_lake(base, path)
    # The first parts match the pattern, and no folder below them is hidden.
    meant = re.compile("".join(parts) + _FOLDERS)
    start = len(base.rstrip("/")) + 1
    return sorted(file for file in files if meant.fullmatch(f"{file[start:]}/"))


def _below(folder: str, above: tuple[str, ...]) -> Iterator[str]:
    """Yield every file below a local folder; ``above`` are the folders that lead to it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                yield entry.path
            elif entry.is_dir():
                real = os.path.realpath(entry.path)
                leads_up = any(Path(folder_above).is_relative_to(real) for folder_above in above)
                if not leads_up:
                    yield from _below(entry.path, (*above, real))


def _expression(part: str) -> str:
    if part == "**":
        return _FOLDERS
    wild = {"*": "[^/]*", "?": "[^/]"}
    name = "".join(wild.get(letter) or re.escape(letter) for letter in part)
    return (name if part[0] in "_." else f"(?![_.]){name}") + "/"
