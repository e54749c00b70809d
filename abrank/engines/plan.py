"""Which row groups are scored together, so that every query is whole.

Where tables are sorted by query id, a partition is a range of query ids: it takes the row groups
that overlap it, and of those only its own rows, so a query that is split over row groups or files
is whole again. Where they are not, the rows are first regrouped by a hash of the query id.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.errors import AbrankError, ReadError
from abrank._support.files import replace_all, writing
from abrank.engines import rows
from abrank.engines.sources import Key, ParquetTable, Piece
from abrank.inputs import ids
from abrank.inputs.columns import Columns, Source
from abrank.options import ROWS

# --- Which row groups are scored together, so that every query is whole


MOST_READ = 2.5  # times that all rows may be read before regrouping is cheaper


@dataclass(frozen=True)
class Partition:
    """Whole queries: a range of their ids, or a bucket of regrouped rows.

    number : int
    pieces : tuple of tuples of Piece
        Of each table, the row groups that hold its queries.
    low, high : bytes or int, optional
        The first query id, and the first that is no longer in it; without them every query of the
        pieces is.
    """

    number: int
    pieces: tuple[tuple[Piece, ...], ...]
    low: Key | None = None
    high: Key | None = None

    def cuts(self, piece: Piece) -> bool:
        """Whether some rows of a row group belong to other partitions."""
        below = self.low is not None and (piece.low is None or piece.low < self.low)  # type: ignore[operator]
        return below or (
            self.high is not None and (piece.high is None or piece.high >= self.high)  # type: ignore[operator]
        )


def by_range(tables: Sequence[ParquetTable], *, rows: int = ROWS) -> list[Partition] | None:
    """Divide the queries of tables that are sorted by query id."""
    every = [piece for table in tables for piece in table.pieces]
    if len({type(key) for piece in every for key in (piece.low, piece.high)}) != 1:
        return None
    if not every or every[0].low is None:
        return None
    starts = _cuts(max(tables, key=lambda table: table.n_rows), rows)
    # The queries of a file that cannot be read are a partition, so that no others go with them.
    unread = [piece for piece in every if piece.problem]
    for piece in unread:
        if piece.low is not None and piece.high is not None:
            starts = sorted({*starts, piece.low, _next(piece.high)})
    ends: list[Key | None] = [*starts[1:], None]
    parts: list[Partition] = []
    for low, high in zip([None, *starts[1:]], ends, strict=True):
        pieces = tuple(
            tuple(piece for piece in table.pieces if _overlaps(piece, low, high))
            for table in tables
        )
        if any(pieces):
            parts.append(Partition(len(parts), pieces, low, high))
    if unread:
        return parts
    for at in range(len(tables)):
        read = sum(piece.n_rows for part in parts for piece in part.pieces[at])
        small = tables[at].n_rows <= max(rows, max(table.n_rows for table in tables) // 4)
        if not small and read > MOST_READ * tables[at].n_rows:
            return None
    return parts


def _cuts(table: ParquetTable, rows: int) -> list[Key]:
    """Return the query ids at which partitions begin: where row groups do."""
    ordered = sorted(table.pieces, key=lambda piece: piece.low)  # type: ignore[arg-type,return-value]
    cuts: list[Key] = []
    held = rows
    for piece in ordered:
        if held >= rows and piece.low is not None and (not cuts or piece.low > cuts[-1]):  # type: ignore[operator]
            cuts.append(piece.low)
            held = 0
        held += piece.n_rows
    return cuts


def _next(key: Key) -> Key:
    """Return the least key above another."""
    return key + b"\0" if isinstance(key, bytes) else key + 1


def _overlaps(piece: Piece, low: Key | None, high: Key | None) -> bool:
    return not (
        (low is not None and piece.high is not None and piece.high < low)  # type: ignore[operator]
        or (high is not None and piece.low is not None and piece.low >= high)  # type: ignore[operator]
    )


# --- Regroup rows that are not sorted by query, by a hash of the query id, in two steps


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
    done = Path(f"{task.path}.done")
    paths = [Path(f"{task.path}.{at}") for at in range(_n_files(task.table))]
    with suppress(OSError, UnicodeDecodeError):
        if done.read_text(encoding="ascii").split("\n") == [_digest(path) for path in paths]:
            return None  # left by an earlier run that was interrupted
    try:
        loaded = [task.table.load(piece) for piece in task.pieces]
        for path, parts in zip(paths, zip(*loaded, strict=True), strict=True):
            _write([each for part in parts for each in part], task.n_buckets, path)
        replace_all({done: "\n".join(map(_digest, paths)).encode()})
    except AbrankError as error:
        return str(error), type(error).__name__
    return None


def _n_files(table: ParquetTable) -> int:
    return 2 if table.layout == rows.JOINED else 1


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def buckets(
    tables: Sequence[ParquetTable], tasks: Sequence[Spill], n_buckets: int
) -> tuple[list[Regrouped], list[Partition]]:
    """Return the regrouped tables and their partitions, once every task is done."""
    found = [Regrouped(table.label, _n_files(table)) for table in tables]
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
    found = []
    for number in np.unique(parts).tolist():
        at = np.flatnonzero(parts == number)
        source = Source(None, None, len(at), labels[number], "row")
        whole = Columns(query, doc, values, position.astype(np.int64), source)
        found.append(rows.take(whole, at))
    return found
