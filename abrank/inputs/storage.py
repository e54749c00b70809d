"""Objects of a store: what a URI such as ``s3://bucket/a.run`` names, by pyarrow or fsspec."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from abrank._support.errors import AbrankError, ArgumentError, NotFoundError, ReadError

# `pyarrow.fs` is imported where an object is asked for: it takes longer than an everyday file.

WILD = re.compile(r"[*?]")


def is_uri(path: object) -> bool:
    """Whether a source names an object of a store."""
    return isinstance(path, (str, os.PathLike)) and "://" in os.fspath(path)


def located(path: str) -> tuple[Any, str]:
    """Return the file system of a path or URI, and the path within it."""
    import pyarrow as pa
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
    import pyarrow as pa
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
