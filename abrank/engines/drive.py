"""Plan a job, run its partitions on threads, Dask or Spark, and resume finished ones."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from abrank._support.errors import AbrankError, AlignmentError, ArgumentError, ReadError, WriteError
from abrank._support.files import locked, replace_all, writing
from abrank._support.typing import FloatArray
from abrank._support.work import threaded_map
from abrank.engines import spark
from abrank.engines.engine import is_parquet
from abrank.engines.job import (
    SUCCESS,
    Done,
    Job,
    Partition,
    by_bucket,
    by_range,
    finished,
    light,
    read_scores,
    score_partition,
    spill,
    spills,
    stamp_of,
)
from abrank.engines.kernel import (
    KernelOptions,
    ParquetTable,
    has_open_scale,
    open_table,
    stamped,
)
from abrank.inputs import ids, read_qrels
from abrank.inputs.columns import QRELS, RUN
from abrank.inputs.judged import JudgedRun
from abrank.measures import resolved
from abrank.options import Engine


@dataclass(frozen=True, eq=False)
class EngineScores:
    """The scores of all partitions."""

    query_ids: tuple[str, ...]
    values: FloatArray  # float64[n_queries, n_systems, n_measures]
    done: tuple[Done, ...]  # one per partition
    scoring: KernelOptions  # measures with their scales resolved
    tables: tuple[ParquetTable, ...]


def score_tables(
    qrels: object,  # Parquet, or whatever read_qrels reads
    runs: Mapping[str, object],
    scoring: KernelOptions,
    engine: Engine,
    *,
    max_input_size: int | None = None,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> EngineScores:
    """Score runs in Parquet, partition by partition."""
    with _folder(engine.keep_scores) as folder:
        tables = _tables(qrels, runs, folder, max_input_size=max_input_size)
        if any(map(has_open_scale, scoring.measures)):  # the scale needs all judgments
            judged = (rows for piece in tables[0].pieces for rows in tables[0].load(piece))
            highest = max(int(np.max(rows.value, initial=0)) for rows in judged)
            grades = JudgedRun.from_grades([[highest]])
            measures = tuple(resolved(measure, grades) for measure in scoring.measures)
            scoring = replace(scoring, measures=measures)
        if engine.keep_scores is not None:  # hashes are only needed to resume
            here = (t for t in tables if isinstance(t.filesystem, fs.LocalFileSystem))
            for path in (Path(piece.path) for table in here for piece in table.pieces):
                if path.parent == folder and not path.name.startswith("_"):  # may be deleted
                    keep = "keep the scores in a folder of their own"
                    raise ArgumentError(f"{folder} holds {path.name}, an input: {keep}")
            tables = [stamped(table) for table in tables]
        stamp = stamp_of(tables, [*runs, str(folder)], scoring, rows=engine.rows)
        job = Job(tuple(runs), tuple(map(light, tables)), scoring, folder, stamp)
        job, partitions = _job_and_partitions(job, tables, engine)
        done = _score_partitions(job, partitions, engine, on_progress)
        query_ids, values = read_scores(job, done)
        _succeed(job, done)
        # Release the memory that Arrow keeps for further partitions before the comparison.
        pa.default_memory_pool().release_unused()
        return EngineScores(query_ids, values, done, scoring, tuple(tables))


def _score_partitions(
    job: Job,
    partitions: Sequence[Partition],
    engine: Engine,
    on_progress: Callable[[int, int], None],
) -> tuple[Done, ...]:
    """Score the partitions that are not finished yet; return all, by number."""
    done = {outcome.number: outcome for outcome in finished(job, partitions)}
    remaining = [partition for partition in partitions if partition.number not in done]
    if remaining:
        (job.folder / SUCCESS).unlink(missing_ok=True)
    on_progress(len(done), len(partitions))
    for outcome in run(engine, partial(score_partition, job), remaining):
        if outcome.bad:
            raise _error(outcome.bad, outcome.kind)
        done[outcome.number] = outcome
        on_progress(len(done), len(partitions))
    return tuple(done[number] for number in sorted(done))


@contextmanager
def _folder(output: str | None) -> Iterator[Path]:
    if output is None:
        with tempfile.TemporaryDirectory(prefix="abrank-") as temporary_directory:
            yield Path(temporary_directory)
        return
    folder = Path(output).absolute()
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{output}: cannot be made: {error.strerror}") from error
    for path in folder.iterdir():
        if path.is_symlink():
            raise WriteError(
                f"{path}: is a symbolic link, through which other files would be written:"
                " choose another folder for the scores"
            )
    busy = f"{output}: another job is at work there; wait for its end, or choose another folder"
    try:
        with locked(folder / "_lock", busy):
            yield folder
    finally:  # leave no folder after an error
        if is_new and {path.name for path in folder.iterdir()} <= {"_lock", "_qrels.parquet"}:
            shutil.rmtree(folder)


def _tables(
    qrels: object, runs: Mapping[str, object], folder: Path, *, max_input_size: int | None
) -> list[ParquetTable]:
    opened = [open_table(run, RUN, max_input_size=max_input_size) for run in runs.values()]
    if is_parquet(qrels):
        return [open_table(qrels, QRELS, max_input_size=max_input_size), *opened]
    # Other judgments are written as Parquet to a place that workers can read.
    judgments = read_qrels(qrels, max_input_size=max_input_size)
    columns = {
        "query_id": ids.take(ids.encode(judgments.query_ids), judgments.query),
        "doc_id": judgments.docs,
        "relevance": pa.array(judgments.grade),
    }
    path = folder / "_qrels.parquet"
    with writing(path):
        pq.write_table(pa.table(columns), path, row_group_size=100_000)
    return [open_table(str(path), QRELS), *opened]


def _job_and_partitions(
    job: Job, tables: list[ParquetTable], engine: Engine
) -> tuple[Job, list[Partition]]:
    """Partition by ranges of query ids; if that is not possible, regroup the rows first."""
    partitions = by_range(tables, rows=engine.rows)
    if partitions is not None:
        return job, partitions
    # The name depends on everything that affects the content, so that jobs never mix.
    spill_folder = job.folder / "_regrouped" / job.stamp[:32]
    for path in (job.folder / "_regrouped").glob("*"):
        if path != spill_folder:
            shutil.rmtree(path, ignore_errors=True)
    with writing(spill_folder):
        spill_folder.mkdir(parents=True, exist_ok=True)
    tasks, n_buckets = spills(tables, spill_folder, n_rows=engine.rows)
    for problem in run(engine, spill, tasks):
        if problem is not None:
            raise _error(*problem)
    regrouped, partitions = by_bucket(tables, tasks, n_buckets)
    return replace(job, tables=tuple(regrouped)), partitions


def _error(message: str, kind: str) -> Exception:
    """Rebuild a worker's error from text, which every engine can transport."""
    if kind == "ReadError":
        where, _, problem = message.partition(": ")
        return ReadError(where, problem)
    kinds = {"AlignmentError": AlignmentError, "WriteError": WriteError}
    return kinds.get(kind, ArgumentError)(message)


def _succeed(job: Job, done: Sequence[Done]) -> None:
    folder = job.folder
    shutil.rmtree(folder / "_regrouped", ignore_errors=True)
    # Files that a killed process left incomplete.
    unfinished = (*folder.glob(".part-*.parquet.*"), *folder.glob(f".{SUCCESS}.*"))
    for path in (folder / "_qrels.parquet", *unfinished):
        path.unlink(missing_ok=True)
    n_queries = sum(outcome.n_queries for outcome in done)
    summary = {"partitions": len(done), "queries": n_queries, "stamp": job.stamp}
    text = json.dumps(summary, indent=2) + "\n"
    replace_all({folder / SUCCESS: text.encode()})


# --- The engines


def run(engine: Engine, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Apply a function to every item on the engine; results come in any order."""
    if engine.name == "dask":
        return _on_dask(function, items, scheduler=engine.address)
    if engine.name == "spark":
        return spark.run(function, items, master=engine.address)
    # Threads, because Arrow and NumPy release the interpreter lock, and because processes would
    # need ``if __name__ == "__main__"`` in the calling script.
    return threaded_map(function, items, maximum=os.cpu_count() or 1)


RETRIES = 3


def _on_dask(
    function: Callable[[Any], Any],
    items: Sequence[Any],
    *,
    scheduler: Any,  # noqa: ANN401 - an address, or a Client
) -> Iterator[Any]:
    """Apply a function to every item on a Dask cluster, which is started if necessary."""
    # A partition whose worker died is scored again by another one.
    distributed: Any
    try:
        from dask import distributed
    except ImportError as error:
        raise ArgumentError("Dask is not installed: pip install dask distributed") from error
    if not items:
        return
    with ExitStack() as stack:
        client = scheduler
        if scheduler is None:
            # One thread per process, so that a dying worker loses one partition only. The dashboard
            # uses a free port, because another cluster may use the default one.
            options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
            cluster = distributed.LocalCluster(**options, host="127.0.0.1")
            cluster = stack.enter_context(cluster)
            client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        elif not isinstance(scheduler, distributed.Client):
            try:
                client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
            except (OSError, ValueError) as error:
                raise ArgumentError(f"no Dask scheduler answers at {scheduler}: {error}") from error
            stack.enter_context(client)
        futures = client.map(function, items, retries=RETRIES, pure=False)
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield future.result()
        except distributed.KilledWorker as error:
            raise AbrankError(
                f"{error}; a worker needs about 500 MB a thread for partitions of 1 million rows"
            ) from error
        finally:
            client.cancel(futures)
