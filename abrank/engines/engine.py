"""Which engine scores partitions, and its settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from abrank._support.work import threaded_map
from abrank.engines.listing import files_of, is_glob
from abrank.options import Engine

LARGE = 256 << 20  # bytes of a Parquet file
_ENDINGS = (".parquet", ".parq", ".pq")


def run(engine: Engine, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Apply a function to every item where the engine says, in whatever order."""
    # Imported here: Dask and Spark are optional.
    from abrank.engines import dask, spark

    if engine.name == "dask":
        return dask.run(function, items, scheduler=engine.address)
    if engine.name == "spark":
        return spark.run(function, items, master=engine.address)
    # Threads: Arrow and NumPy release the lock of the interpreter, and a script that calls this
    # needs no ``if __name__ == "__main__"``.
    return threaded_map(function, items, most=os.cpu_count() or 1)


def is_parquet(source: Any) -> bool:  # noqa: ANN401
    """Whether a source is named as Parquet: by its ending, as a folder of such files, or a URI."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    path = os.fspath(source)
    if path.endswith(_ENDINGS) or "://" in path or has_parquet(path):
        return True
    if not is_glob(path) or os.path.lexists(path):
        return False
    return any(each.endswith(_ENDINGS) for each in files_of([path])[1])


def needs_engine(source: Any) -> bool:  # noqa: ANN401
    """Whether a run is better scored by partitions: Parquet that is large, or not one file.

    A file that is small is read like any other, and its report has the lists of documents.

    Examples
    --------
    >>> [needs_engine(each) for each in ("run.parquet", "runs/*.parquet", "s3://b/run", "a.run")]
    [False, True, True, False]
    """
    if not is_parquet(source):
        return False
    path = os.fspath(source)
    if os.path.isfile(path):  # noqa: PTH113 - False of a name too long, too
        return Path(path).stat().st_size >= LARGE
    return is_glob(path) or "://" in path or Path(path).is_dir()


def has_parquet(source: Any) -> bool:  # noqa: ANN401
    """Whether a source is a folder with Parquet files in it."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    try:
        return Path(source).is_dir() and next(Path(source).rglob("*.parquet"), None) is not None
    except OSError:  # a name too long, or a folder without access: the reader reports it
        return False
