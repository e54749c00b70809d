"""Group row groups into partitions of complete queries, and run the job that scores them."""

# If tables are sorted by query id, a partition is a range of query ids. It reads the row groups
# that overlap the range and keeps the rows in it, so that queries split over row groups or files
# are complete. Other tables are first regrouped by a hash of the query id.

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from abrank._support import __version__
from abrank._support.errors import AbrankError, ArgumentError, ReadError
from abrank._support.files import replace_all, writing
from abrank._support.typing import FloatArray
from abrank.engines.kernel import (
    KernelOptions,
    Key,
    ParquetTable,
    Piece,
    Scored,
    concatenated,
    long_table,
    score_rows,
)
from abrank.inputs import ids
from abrank.inputs.columns import Columns, Source
from abrank.inputs.reading import RunCounts
from abrank.options.parts import ROWS

# --- Partitions of complete queries


MAX_READ_RATIO = 2.5  # if rows would be read more often than this, regrouping is cheaper


@dataclass(frozen=True)
class Partition:
    """Complete queries: a range of ids, or a bucket of regrouped rows."""

    number: int
    pieces: tuple[tuple[Piece, ...], ...]  # per table, the row groups with its queries
    # The first query id, and the first one after the range; None: all queries of the pieces.
    low: Key | None = None
    high: Key | None = None

    def cuts(self, piece: Piece) -> bool:
        """Whether some rows of a row group belong to other partitions."""
        below = self.low is not None and (piece.low is None or piece.low < self.low)  # type: ignore[operator]
        return below or (
            self.high is not None and (piece.high is None or piece.high >= self.high)  # type: ignore[operator]
        )


def by_range(tables: Sequence[ParquetTable], *, rows: int = ROWS) -> list[Partition] | None:
    """Partition the queries of tables that are sorted by query id."""
    everything = [piece for table in tables for piece in table.pieces]
    if len({type(key) for piece in everything for key in (piece.low, piece.high)}) != 1:
        return None
    if not everything or everything[0].low is None:
        return None
    starts = _cuts(max(tables, key=lambda table: table.n_rows), rows)
    ends: list[Key | None] = [*starts[1:], None]
    partitions: list[Partition] = []
    for low, high in zip([None, *starts[1:]], ends, strict=True):
        pieces = tuple(
            tuple(
                piece for piece in table.pieces
                if (low is None or piece.high is None or piece.high >= low)  # type: ignore[operator]
                and (high is None or piece.low is None or piece.low < high)  # type: ignore[operator]
            )
            for table in tables
        )  # fmt: skip
        if any(pieces):
            partitions.append(Partition(len(partitions), pieces, low, high))
    for index in range(len(tables)):
        n_read = sum(piece.n_rows for partition in partitions for piece in partition.pieces[index])
        is_small = tables[index].n_rows <= max(rows, max(table.n_rows for table in tables) // 4)
        if not is_small and n_read > MAX_READ_RATIO * tables[index].n_rows:
            return None
    return partitions


def _cuts(table: ParquetTable, rows: int) -> list[Key]:
    """Return the query ids at which partitions begin, taken from row groups."""
    ordered = sorted(table.pieces, key=lambda piece: piece.low)  # type: ignore[arg-type,return-value]
    cuts: list[Key] = []
    n_held = rows
    for piece in ordered:
        if n_held >= rows and piece.low is not None and (not cuts or piece.low > cuts[-1]):  # type: ignore[operator]
            cuts.append(piece.low)
            n_held = 0
        n_held += piece.n_rows
    return cuts


# --- Regroup rows that are not sorted by query, in two steps, by a hash of the query id


_NAMES = ("query", "doc", "value", "row", "part")


@dataclass(frozen=True)
class Spill:
    """One task of the first step: some row groups, and the destination of their rows."""

    table: ParquetTable
    pieces: tuple[Piece, ...]
    n_buckets: int
    path: str


@dataclass(frozen=True)
class Regrouped:
    """A table with regrouped rows; its pieces are batches of Arrow files."""

    label: str

    def load(self, piece: Piece) -> list[Columns]:
        """Return the rows of a bucket from one file."""
        try:
            with pa.OSFile(piece.path) as file:
                reader = pa.ipc.open_file(file)
                labels = (reader.schema.metadata or {})[b"labels"].decode().split("\n")
                batch = reader.get_batch(piece.group)
                batch.validate(full=True)
        except (OSError, pa.ArrowException) as error:
            raise ReadError(piece.path, f"regrouped rows cannot be read: {error}") from error
        query, doc, value, row, group = (batch.column(i) for i in range(5))
        values, position, groups = (
            column.to_numpy(zero_copy_only=False) for column in (value, row, group)
        )
        result = []
        for number in np.unique(groups).tolist():  # rows of one row group at a time
            rows = np.flatnonzero(groups == number)
            source = Source(None, None, len(rows), labels[number], "row")
            whole = Columns(query, doc, values, position.astype(np.int64), source)
            result.append(whole.take(rows))
        return result


def spills(
    tables: Sequence[ParquetTable], folder: Path, *, n_rows: int = ROWS
) -> tuple[list[Spill], int]:
    """Return the tasks of the first step, and the number of buckets."""
    n_buckets = max(1, -(-max(table.n_rows for table in tables) // n_rows))
    tasks: list[Spill] = []
    for number, table in enumerate(tables):
        pieces: list[Piece] = []
        for piece in table.pieces:
            pieces.append(piece)
            if sum(row_group.n_rows for row_group in pieces) >= n_rows or piece is table.pieces[-1]:
                path = str(folder / f"{number}-{len(tasks):05d}.arrow")
                tasks.append(Spill(table, tuple(pieces), n_buckets, path))
                pieces = []
    return tasks, n_buckets


def spill(task: Spill) -> tuple[str, str] | None:
    """Write the rows of some row groups by bucket, atomically."""
    # Return the error and its type as text, which every engine can transport.
    path, done_file = Path(task.path), Path(f"{task.path}.done")
    with suppress(OSError):
        if done_file.read_bytes() == _digest_of_file(path):
            return None  # finished by an interrupted run
    try:
        rows = [*chain.from_iterable(map(task.table.load, task.pieces))]
        _write_buckets(rows, task.n_buckets, path)
        replace_all({done_file: _digest_of_file(path)})
    except AbrankError as error:
        return str(error), type(error).__name__
    return None


def _digest_of_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def by_bucket(
    tables: Sequence[ParquetTable], tasks: Sequence[Spill], n_buckets: int
) -> tuple[list[Regrouped], list[Partition]]:
    """Return the regrouped tables and their partitions after all tasks are done."""
    regrouped_tables = [Regrouped(table.label) for table in tables]
    partitions = []
    for bucket in range(n_buckets):
        pieces = tuple(
            tuple(Piece(task.path, bucket, 0) for task in tasks if task.table is table)
            for table in tables
        )
        partitions.append(Partition(bucket, pieces))
    return regrouped_tables, partitions


def _write_buckets(row_groups: Sequence[Columns], n_buckets: int, path: Path) -> None:
    rows = concatenated(row_groups)
    queries = ids.plain(rows.query)
    lengths = [len(row_group.value) for row_group in row_groups]
    group = np.repeat(np.arange(len(row_groups), dtype=np.int32), lengths)
    bucket = (ids.fingerprint(queries) % np.uint64(n_buckets)).astype(np.int64)
    order = np.argsort(bucket, kind="stable").astype(np.int64)
    ends = np.cumsum(np.bincount(bucket, minlength=n_buckets))
    columns = [
        ids.take(queries, order),
        ids.take(rows.doc, order),
        pa.array(rows.value[order]),
        pa.array(rows.position[order].astype(np.int32)),
        pa.array(group[order]),
    ]
    batch = pa.record_batch(columns, names=list(_NAMES))
    labels = "\n".join(row_group.source.label for row_group in row_groups)
    schema = batch.schema.with_metadata({"labels": labels})
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    temporary = f"{path}.{os.getpid()}"
    with (
        writing(path),
        pa.OSFile(temporary, "wb") as file,
        pa.ipc.new_file(file, schema, options=options) as writer,
    ):
        for number, end in enumerate(ends.tolist()):
            start = int(ends[number - 1]) if number else 0
            writer.write_batch(batch.slice(start, end - start))
    with writing(path):
        Path(temporary).replace(path)


SUCCESS = "_SUCCESS"
_ABOUT, _DIGEST = b"abrank", b"abrank.sha256"


def read_part(path: Path) -> tuple[dict[str, Any], pa.LargeBinaryArray, FloatArray]:
    """Read the scores of one partition: metadata, queries, and scores."""
    # The scores are float64[n_systems, n_queries, n_measures].
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            metadata = file.schema_arrow.metadata or {}
            if _ABOUT not in metadata:
                raise ArgumentError(f"{path}: was not written by abrank; choose another folder")
            saved, digest = metadata[_ABOUT], metadata.get(_DIGEST)
            table = file.read(["query_id", "value"])
        table.validate(full=True)
        about = json.loads(saved)
        shape = n_systems, n_queries, n_measures = about["shape"]
        if table.num_rows != n_systems * n_queries * n_measures:
            raise ReadError(str(path), "is not as it was written")
        # Stored by system, query and measure.
        values = table.column(1).to_numpy().reshape(shape)
        first = table.column(0).take(pa.array(np.arange(n_queries) * n_measures))
        query_ids = pa.concat_arrays(first.cast(pa.large_binary()).chunks or [ids.encode([])])
        if _digest(saved, query_ids, values) != digest:
            raise ReadError(str(path), "is not as it was written")
    except (ArgumentError, ReadError):
        raise
    except (OSError, pa.ArrowException, ValueError, LookupError) as bad:
        raise ReadError(str(path), f"cannot be read: {bad}") from bad
    return about, query_ids, values


def read_folder(folder: Path) -> pa.Table:
    """Read a folder of scores in Parquet; parts written by a job are verified."""
    paths = sorted(folder.glob("part-*.parquet"))
    try:
        success = json.loads((folder / SUCCESS).read_text(encoding="utf-8"))
        expected = success["stamp"], success["partitions"]
    except (OSError, ValueError, LookupError, TypeError):  # missing, or from another program
        expected = None
    try:
        if expected is not None:
            stamps = [read_part(path)[0]["stamp"] for path in paths]
            is_whole = stamps == [expected[0]] * expected[1]
        else:
            is_whole = not any(_ABOUT in (pq.read_schema(path).metadata or {}) for path in paths)
        if is_whole:
            return pq.read_table(folder, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(str(folder), f"cannot be read: {error}") from error
    raise ReadError(
        str(folder),
        "the job that writes these scores has not ended",
        hint="run it again: it takes up what is finished",
    )


def _digest(about: bytes, query_ids: pa.LargeBinaryArray, values: FloatArray) -> bytes:
    queries = query_ids.to_pylist()
    sha256 = hashlib.sha256(about)
    sha256.update(np.array([len(query) for query in queries], "<i8").tobytes())
    sha256.update(b"".join(queries))
    sha256.update(np.ascontiguousarray(values, "<f8").tobytes())
    return sha256.hexdigest().encode()


@dataclass(frozen=True)
class Job:
    """What to do with every partition; it is sent to every worker."""

    systems: tuple[str, ...]
    tables: tuple[ParquetTable | Regrouped, ...]  # judgments, and one run per system
    scoring: KernelOptions
    folder: Path  # where scores are written, one file per partition
    # Hash of everything that affects the scores; files with another stamp belong to another job.
    stamp: str = ""

    def path(self, partition: int) -> Path:
        """Return the file for a partition's scores."""
        return self.folder / f"part-{partition:05d}.parquet"


@dataclass(frozen=True)
class Done:
    """The outcome of a partition."""

    number: int
    n_queries: int = 0
    counts: Mapping[str, RunCounts] = field(default_factory=dict)
    bad: str = ""  # error message; empty if it was scored
    kind: str = ""  # type of the error


def stamp_of(
    tables: Sequence[ParquetTable], systems: Sequence[str], scoring: KernelOptions, *, rows: int = 0
) -> str:
    """Return a hash of everything that affects the scores and their partitions."""
    sources = [[table.columns, table.stamp] for table in tables]
    text = json.dumps([__version__, sources, list(systems), repr(scoring), rows], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def score_partition(job: Job, partition: Partition) -> Done:
    """Score one partition and write its scores atomically."""
    try:
        judged, *of_runs = (
            [rows for piece in pieces for rows in _load(job, table, piece, partition)]
            for table, pieces in zip(job.tables, partition.pieces, strict=True)
        )
        scored = score_rows(dict(zip(job.systems, of_runs, strict=True)), judged, job.scoring)
        done = Done(partition.number, len(scored.query_ids), scored.counts)
        _write(job, scored, done)
    except AbrankError as error:
        return Done(partition.number, bad=str(error), kind=type(error).__name__)
    return done


def finished(job: Job, partitions: Sequence[Partition]) -> list[Done]:
    """Return the partitions that an earlier run of this job finished, except damaged ones."""
    # Scores of another, unfinished job are deleted.
    result = []
    numbers = {job.path(partition.number): partition.number for partition in partitions}
    for path in sorted(job.folder.glob("part-*.parquet")):
        try:
            about, _, _ = read_part(path)
        except ReadError as error:
            if path in numbers:
                continue  # it is scored again
            raise ArgumentError(f"{error}; choose another folder or remove it") from error
        if about["stamp"] != job.stamp or path not in numbers:
            if (job.folder / SUCCESS).exists():
                raise ArgumentError(
                    f"{job.folder} holds the scores of other inputs, measures or options; choose"
                    " another folder or remove it"
                )
            path.unlink()
            continue
        counts = {system: RunCounts(**count) for system, count in about["counts"].items()}
        result.append(Done(numbers[path], about["n_queries"], counts))
    return result


def read_scores(job: Job, done: Sequence[Done]) -> tuple[tuple[str, ...], Any]:
    """Return the scores of finished partitions, by query id in byte order."""
    query_ids: list[Any] = [ids.encode([])]
    values = [np.empty((0, len(job.systems), len(job.scoring.measures)))]
    for outcome in sorted(done, key=lambda outcome: outcome.number):
        if not outcome.n_queries:
            continue
        about, queries, scores = read_part(job.path(outcome.number))
        if about["stamp"] != job.stamp:
            raise ReadError(
                str(job.path(outcome.number)), "was written anew by another job meanwhile"
            )
        values.append(scores.transpose(1, 0, 2))
        query_ids.append(queries)
    distinct_ids, row = ids.number(ids.joined(query_ids))
    all_values = np.concatenate(values)
    if (row[1:] < row[:-1]).any():
        all_values = all_values[np.argsort(row)]
    return tuple(ids.decode(distinct_ids)), all_values


def light(table: ParquetTable | Regrouped) -> ParquetTable | Regrouped:
    """Return a table without its row groups, small enough to send to each worker."""
    return replace(table, pieces=(), stamp=()) if isinstance(table, ParquetTable) else table


def _load(
    job: Job, table: ParquetTable | Regrouped, piece: Piece, partition: Partition
) -> list[Columns]:
    if not partition.cuts(piece):
        return table.load(piece)
    low, high = partition.low, partition.high
    result = []
    for rows in _cached_load(job.stamp, table, piece):  # cached, because later partitions need it
        queries, ends = ids.runs(rows.query)
        keys: list[Any] = ids.unpack(queries)
        if isinstance(low if low is not None else high, int):
            keys = [int(key) for key in keys]
        within = [(low is None or key >= low) and (high is None or key < high) for key in keys]
        is_within = np.repeat(np.array(within, dtype=np.bool_), np.diff(ends, prepend=0))
        result.append(rows.take(np.flatnonzero(is_within)))
    return result


@lru_cache(maxsize=4)
def _cached_load(
    stamp: str,  # noqa: ARG001 - part of the cache key, because files may change between jobs
    table: ParquetTable | Regrouped,
    piece: Piece,
) -> list[Columns]:
    return table.load(piece)


def _write(job: Job, scored: Scored, done: Done) -> None:
    values = scored.values.transpose(1, 0, 2)
    about = {
        "stamp": job.stamp,
        "n_queries": done.n_queries,
        "counts": {system: asdict(count) for system, count in done.counts.items()},
        "shape": values.shape,
    }
    saved = json.dumps(about).encode()
    digest = _digest(saved, ids.encode(scored.query_ids), values)
    tables = []
    for number, system in enumerate(job.systems):
        table = long_table(scored, job.scoring.measures, number)
        name = pa.DictionaryArray.from_arrays(np.zeros(table.num_rows, np.int32), [system])
        tables.append(table.add_column(1, "system", name))
    whole = pa.concat_tables(tables).unify_dictionaries()
    whole = whole.replace_schema_metadata({_ABOUT: saved, _DIGEST: digest})
    path = job.path(done.number)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with writing(path):
            pq.write_table(whole, temporary, compression="zstd", write_page_checksum=True)
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
