"""One partition of a job, which every engine calls: read it, score it, write its whole file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.errors import AbrankError, ArgumentError, ReadError
from abrank._support.version import __version__
from abrank.engines import rows
from abrank.engines.kept import SUCCESS, read_part, write_part
from abrank.engines.kernel import RunCounts, Scored, Scoring, long_table, score_rows
from abrank.engines.merge import Statistics, statistics_from, statistics_of
from abrank.engines.plan import Partition, Regrouped
from abrank.engines.sources import Key, ParquetTable, Piece, labels_of
from abrank.inputs import ids
from abrank.inputs.columns import Columns


@dataclass(frozen=True)
class Job:
    """What is done with every partition; it travels to every worker.

    systems : tuple of str
    tables : tuple of ParquetTable or Regrouped
        The judgments and a run of each system; of joined tables, one a system.
    joined : bool
    scoring : Scoring
    folder : str
        Where the scores are written, a file a partition.
    stamp : str
        Of everything that decides the scores: files with another stamp are of another job.
    merges : bool
        Whether statistics of the two systems are kept with the scores.
    properties : tuple of str
        Of the queries; the last tables hold them, one each. Only where statistics are merged.
    clusters : str
        Which of them says in which cluster a query comes; empty for none.
    """

    systems: tuple[str, ...]
    tables: tuple[ParquetTable | Regrouped, ...]
    joined: bool
    scoring: Scoring
    folder: str
    stamp: str = ""
    merges: bool = False
    properties: tuple[str, ...] = ()
    clusters: str = ""

    def path(self, partition: int) -> Path:
        """Return the file of a partition's scores."""
        return Path(self.folder) / f"part-{partition:05d}.parquet"


@dataclass(frozen=True)
class Done:
    """What became of a partition.

    number : int
    n_queries : int
    counts : mapping of str to RunCounts
    bad : str
        Why it could not be scored; empty where it was.
    kind : str
        Which error that was.
    statistics : Statistics, optional
        Where the job merges them.
    """

    number: int
    n_queries: int = 0
    counts: Mapping[str, RunCounts] = field(default_factory=dict)
    bad: str = ""
    kind: str = ""
    statistics: Statistics | None = None


def stamp_of(
    tables: Sequence[ParquetTable], systems: Sequence[str], scoring: Scoring, *, rows: int = 0
) -> str:
    """Return a hash of what decides the scores and their partitions: what is read, and how."""
    told = [[table.columns, table.stamp] for table in tables]
    text = json.dumps([__version__, told, list(systems), repr(scoring), rows], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def score_partition(job: Job, partition: Partition) -> Done:
    """Score one partition and write its scores, a whole file or none."""
    try:
        runs, qrels, labels = _loaded(job, partition)
        scored = score_rows(runs, qrels, job.scoring)
        merged = None
        if job.merges:
            of_query = {
                name: labels_of(name, parts, scored.query_ids, required=name == job.clusters)
                for name, parts in labels.items()
            }
            clusters = of_query.pop(job.clusters, None)
            merged = statistics_of(
                scored.query_ids, scored.values, job.scoring.measures,
                clusters=clusters, segments=of_query,
            )  # fmt: skip
        done = Done(partition.number, len(scored.query_ids), scored.counts, statistics=merged)
        _write(job, scored, done)
    except AbrankError as error:
        return Done(partition.number, bad=str(error), kind=type(error).__name__)
    return done


def finished(job: Job, partitions: Sequence[Partition]) -> list[Done]:
    """Return what an earlier run of the same job has finished; what is damaged is no part of it.

    Scores of another job that did not finish are deleted.
    """
    found = []
    numbers = {job.path(partition.number): partition.number for partition in partitions}
    for path in sorted(Path(job.folder).glob("part-*.parquet")):
        try:
            about = read_part(path).about
        except ReadError as error:
            if path in numbers:
                continue  # it is written anew
            raise ArgumentError(f"{error}; choose another folder or remove it") from error
        if about["stamp"] != job.stamp or path not in numbers:
            if (Path(job.folder) / SUCCESS).exists():
                raise ArgumentError(
                    f"{job.folder} holds the scores of other inputs, measures or options; choose"
                    " another folder or remove it"
                )
            path.unlink()
            continue
        counts = {system: RunCounts.of(each) for system, each in about["counts"].items()}
        saved = about.get("statistics")
        merged = None if saved is None else statistics_from(saved)
        found.append(Done(numbers[path], about["n_queries"], counts, statistics=merged))
    return found


def read_scores(job: Job, done: Sequence[Done]) -> tuple[tuple[str, ...], Any]:
    """Return the scores of finished partitions, by query id in byte order."""
    query_ids: list[Any] = [ids.encode([])]
    values = [np.empty((0, len(job.systems), len(job.scoring.measures)))]
    for each in sorted(done, key=lambda each: each.number):
        if not each.n_queries:
            continue
        part = read_part(job.path(each.number))
        if part.about["stamp"] != job.stamp:
            raise ReadError(str(job.path(each.number)), "was written anew by another job meanwhile")
        values.append(part.values.transpose(1, 0, 2))
        query_ids.append(part.query_ids)
    every, row = ids.number(ids.joined(query_ids))
    every_value = np.concatenate(values)
    if (row[1:] < row[:-1]).any():
        every_value = every_value[np.argsort(row)]
    return tuple(ids.decode(every)), every_value


def light(table: ParquetTable | Regrouped) -> ParquetTable | Regrouped:
    """Return a table without its list of row groups, small enough to send to each worker."""
    return replace(table, pieces=(), stamp=()) if isinstance(table, ParquetTable) else table


def _loaded(
    job: Job, partition: Partition
) -> tuple[
    dict[str, list[Columns]], list[Columns] | dict[str, list[Columns]], dict[str, list[Columns]]
]:
    """Return the rows of each run, the judgments and the properties, all of these queries alone."""
    found = [
        [_load(job, table, piece, partition) for piece in pieces]
        for table, pieces in zip(job.tables, partition.pieces, strict=True)
    ]

    def rows_of(table: int, side: int = 0) -> list[Columns]:
        return [each for loaded in found[table] for each in loaded[side]]

    first = len(found) - len(job.properties)
    labels = {name: rows_of(i) for i, name in enumerate(job.properties, first)}
    runs = {system: rows_of(i) for i, system in enumerate(job.systems, 0 if job.joined else 1)}
    if job.joined:
        return runs, {system: rows_of(i, 1) for i, system in enumerate(job.systems)}, labels
    return runs, rows_of(0), labels


def _load(
    job: Job, table: ParquetTable | Regrouped, piece: Piece, partition: Partition
) -> tuple[list[Columns], ...]:
    if not partition.cuts(piece):
        return table.load(piece)
    # The next partitions need the rest of it.
    return tuple(
        [_within(each, partition.low, partition.high) for each in some]
        for some in _kept(job.stamp, table, piece)
    )


@lru_cache(maxsize=4)
def _kept(
    stamp: str,  # noqa: ARG001 - another job may find another file under the same name
    table: ParquetTable | Regrouped,
    piece: Piece,
) -> tuple[list[Columns], ...]:
    return table.load(piece)


def _within(read: Columns, low: Key | None, high: Key | None) -> Columns:
    """Return the rows of the queries from ``low`` to below ``high``."""
    queries, ends = ids.runs(read.query)
    keys: list[Any] = ids.unpack(queries)
    if isinstance(low if low is not None else high, int):
        keys = [int(key) for key in keys]
    kept = [(low is None or key >= low) and (high is None or key < high) for key in keys]
    chosen = np.repeat(np.array(kept, dtype=np.bool_), np.diff(ends, prepend=0))
    return rows.take(read, np.flatnonzero(chosen))


def _write(job: Job, scored: Scored, done: Done) -> None:
    values = scored.values.transpose(1, 0, 2)
    about: dict[str, Any] = {
        "stamp": job.stamp,
        "n_queries": done.n_queries,
        "counts": {system: each.to_dict() for system, each in done.counts.items()},
    }
    if done.statistics is not None:
        about["statistics"] = done.statistics.to_dict()
    tables = []
    for number, system in enumerate(job.systems):
        table = long_table(scored, job.scoring.measures, number)
        name = pa.DictionaryArray.from_arrays(np.zeros(table.num_rows, np.int32), [system])
        tables.append(table.add_column(1, "system", name))
    whole = pa.concat_tables(tables).unify_dictionaries()
    write_part(job.path(done.number), whole, about, ids.encode(scored.query_ids), values)
