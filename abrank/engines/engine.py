"""Which engine scores partitions, and its settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.parallel import threaded_map
from abrank.engines.listing import files_of, is_glob

EngineName: TypeAlias = Literal["local", "dask", "spark"]
OnBadPartition: TypeAlias = Literal["error", "skip"]
ENGINES = ("local", "dask", "spark")
ROWS = 1_000_000  # of one system's run in a partition: what a worker holds at once

LARGE = 256 << 20  # bytes of a Parquet file
_ENDINGS = (".parquet", ".parq", ".pq")


@dataclass(frozen=True)
class Engine:
    """Where partitions are scored, and what becomes of one that cannot be.

    Attributes
    ----------
    name : {"local", "dask", "spark"}
    scheduler : str, optional
        Of Dask; a cluster of this machine's cores without it.
    master : str, optional
        Of Spark.
    on_bad_partition : {"error", "skip"}
        Stop, or leave its queries out of every number and say so.
    output : str, optional
        Folder for the scores per query, Parquet, one file a partition, and ``_SUCCESS`` when all
        are there. A second run takes up what is finished. Every worker must be able to write there;
        without it they go to a temporary folder of this machine.
    rows : int
        About as many rows of a run in a partition.

    Examples
    --------
    >>> Engine("dask").scheduler is None
    True
    """

    name: EngineName = "local"
    scheduler: Any = None
    master: str | None = None
    on_bad_partition: OnBadPartition = "error"
    output: str | None = None
    rows: int = ROWS

    def __post_init__(self) -> None:
        checks.one_of("engine", self.name, ENGINES)
        checks.one_of("on_bad_partition", self.on_bad_partition, ("error", "skip"))
        checks.count("rows", self.rows)
        for option, engine in (("scheduler", "dask"), ("master", "spark")):
            if getattr(self, option) is not None and self.name != engine:
                raise ArgumentError(f"{option} is for the engine {engine}, not {self.name}")

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        """Apply a function to every item, in whatever order."""
        # Imported here: Dask and Spark are optional.
        from abrank.engines import dask, spark

        if self.name == "dask":
            return dask.run(function, items, scheduler=self.scheduler)
        if self.name == "spark":
            return spark.run(function, items, master=self.master)
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


def on(engine: Engine | EngineName) -> Engine:
    """Return an engine by its name, or as it is.

    Examples
    --------
    >>> on("local").rows
    1000000
    """
    return engine if isinstance(engine, Engine) else Engine(engine)
