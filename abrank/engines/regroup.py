"""Regroup rows that are not sorted by query, by a hash of the query id, in two steps.

First every task reads some row groups and writes one file with a record batch for each bucket; then
the batches of a bucket, of all files, are a partition.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.errors import AbrankError, ReadError
from abrank._support.files import replace_all, writing
from abrank.engines import rows
from abrank.engines.engine import ROWS
from abrank.engines.plan import Partition
from abrank.engines.sources import ParquetTable, Piece
from abrank.inputs import ids
from abrank.inputs.columns import Columns, Source

_NAMES = ("query", "doc", "value", "row", "part")


@dataclass(frozen=True)
class Spill:
    """One task of the first step: some row groups, and where their rows go.

    table : ParquetTable
    pieces : tuple of Piece
    n_buckets : int
    path : str
    """

    table: ParquetTable
    pieces: tuple[Piece, ...]
    n_buckets: int
    path: str


@dataclass(frozen=True)
class Regrouped:
    """A table of which the rows were regrouped; its pieces are batches of Arrow files."""

    label: str
    n_tables: int

    def load(self, piece: Piece) -> tuple[list[Columns], ...]:
        """Return the rows of a bucket that one file holds."""
        found = []
        for at in range(self.n_tables):
            path = f"{piece.path}.{at}"
            try:
                with pa.OSFile(path) as file:
                    reader = pa.ipc.open_file(file)
                    labels = (reader.schema.metadata or {})[b"labels"].decode().split("\n")
                    batch = reader.get_batch(piece.group)
                    batch.validate(full=True)
            except (OSError, pa.ArrowException) as error:
                raise ReadError(path, f"regrouped rows cannot be read: {error}") from error
            found.append(_columns(batch, labels))
        return tuple(found)


def spills(
    tables: Sequence[ParquetTable], folder: Path, *, n_rows: int = ROWS
) -> tuple[list[Spill], int]:
    """Return the tasks of the first step, and the number of buckets."""
    n_buckets = max(1, -(-max(table.n_rows for table in tables) // n_rows))
    tasks: list[Spill] = []
    for number, table in enumerate(tables):
        held: list[Piece] = []
        for piece in table.pieces:
            held.append(piece)
            if sum(each.n_rows for each in held) >= n_rows or piece is table.pieces[-1]:
                path = str(folder / f"{number}-{len(tasks):05d}.arrow")
                tasks.append(Spill(table, tuple(held), n_buckets, path))
                held = []
    return tasks, n_buckets


def spill(task: Spill) -> tuple[str, str] | None:
    """Write the rows of some row groups by bucket, whole files or none.

    Return what is wrong and which error that is, in words that every engine can carry.
    """
    if _is_done(task):  # left by an earlier run that was interrupted
        return None
    try:
        loaded = [task.table.load(piece) for piece in task.pieces]
        paths = [Path(f"{task.path}.{at}") for at in range(_n_files(task))]
        for path, parts in zip(paths, zip(*loaded, strict=True), strict=True):
            _write([each for part in parts for each in part], task.n_buckets, path)
        done = "\n".join(map(_digest, paths))
        replace_all({_done(task): done.encode()})
    except AbrankError as error:
        return str(error), type(error).__name__
    return None


def _n_files(task: Spill) -> int:
    return 2 if task.table.layout == rows.JOINED else 1


def _done(task: Spill) -> Path:
    return Path(f"{task.path}.done")


def _is_done(task: Spill) -> bool:
    """Whether all files of a task are there as they were written."""
    try:
        told = _done(task).read_text(encoding="ascii").split("\n")
        return told == [_digest(Path(f"{task.path}.{at}")) for at in range(_n_files(task))]
    except (OSError, UnicodeDecodeError):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def buckets(
    tables: Sequence[ParquetTable], tasks: Sequence[Spill], n_buckets: int
) -> tuple[list[Regrouped], list[Partition]]:
    """Return the regrouped tables and their partitions, once every task is done."""
    found = [Regrouped(table.label, 2 if table.layout == rows.JOINED else 1) for table in tables]
    parts = []
    for bucket in range(n_buckets):
        pieces = tuple(
            tuple(Piece(task.path, bucket, 0) for task in tasks if task.table is table)
            for table in tables
        )
        parts.append(Partition(bucket, pieces))
    return found, parts


def _write(parts: Sequence[Columns], n_buckets: int, path: Path) -> None:
    read = rows.joined(parts)
    queries = ids.plain(read.query)
    part = np.repeat(np.arange(len(parts), dtype=np.int32), [len(each.value) for each in parts])
    bucket = (ids.fingerprint(queries) % np.uint64(n_buckets)).astype(np.int64)
    order = np.argsort(bucket, kind="stable").astype(np.int64)
    ends = np.cumsum(np.bincount(bucket, minlength=n_buckets))
    columns = [
        ids.take(queries, order),
        ids.take(read.doc, order),
        pa.array(read.value[order]),
        pa.array(read.position[order].astype(np.int32)),
        pa.array(part[order]),
    ]
    batch = pa.record_batch(columns, names=list(_NAMES))
    labels = "\n".join(each.source.label for each in parts)
    schema = batch.schema.with_metadata({"labels": labels})
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    written = f"{path}.{os.getpid()}"
    with (
        writing(path),
        pa.OSFile(written, "wb") as file,
        pa.ipc.new_file(file, schema, options=options) as writer,
    ):
        for number, end in enumerate(ends.tolist()):
            start = int(ends[number - 1]) if number else 0
            writer.write_batch(batch.slice(start, end - start))
    with writing(path):
        Path(written).replace(path)


def _columns(batch: Any, labels: list[str]) -> list[Columns]:  # noqa: ANN401
    """Return the rows of a batch, those of each row group apart."""
    query, doc, value, row, part = (batch.column(i) for i in range(5))
    values, position, parts = (each.to_numpy(zero_copy_only=False) for each in (value, row, part))
    whole = Columns(query, doc, values, position.astype(np.int64), Source(None, None, len(values)))
    return [
        _labelled(rows.take(whole, np.flatnonzero(parts == number)), labels[number])
        for number in np.unique(parts).tolist()
    ]


def _labelled(read: Columns, label: str) -> Columns:
    source = Source(None, None, len(read.value), label, "row")
    return Columns(read.query, read.doc, read.value, read.position, source)
