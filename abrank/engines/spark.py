"""Spark: partitions of Parquet files as tasks, or the rows of a DataFrame by ``mapInArrow``.

Needs ``pip install pyspark``, here and on the workers, and Java 17.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyarrow import compute

from abrank._support.errors import ArgumentError
from abrank.engines.kernel import KernelOptions, column_names, has_open_scale, score_table
from abrank.inputs import ids, read_qrels
from abrank.inputs.columns import QRELS, RUN, Layout
from abrank.measures.names import parse_measures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

ROWS = 250_000  # rows of a run and its judgments that a task collects before it scores them
_LONG = "query_id string, measure string, value double"


def run(
    function: Callable[[_Item], _Result], items: Sequence[_Item], *, master: str | None = None
) -> Iterator[_Result]:
    """Apply a function to every item as a Spark task; Spark retries failed tasks."""
    if not items:
        return
    work = pickle.dumps(function), [pickle.dumps(item) for item in items]

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        call = pickle.loads(work[0])
        for batch in batches:
            for number in batch.column(0).to_pylist():
                pickled = pickle.dumps(call(pickle.loads(work[1][number])))
                yield pa.record_batch([pa.array([pickled], pa.binary())], names=["result"])

    with _session(master) as spark:
        frame = spark.range(0, len(items), 1, len(items)).mapInArrow(task, "result binary")
        for row in frame.collect():
            yield pickle.loads(bytes(row.result))


def evaluate(
    df: DataFrame,
    qrels: Any,  # noqa: ANN401 - a pyspark DataFrame, or whatever read_qrels reads
    measures: Sequence[str] | str | None = None,
    *,
    columns: dict[str, str] | None = None,
) -> DataFrame:
    """Score the run in a DataFrame, in its own session.

    Run and judgments are co-partitioned by query id in one shuffle, so no query is split.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Columns ``query_id doc_id score``, or the names that other tools use.
    qrels : pyspark.sql.DataFrame, or path, pandas DataFrame, dict of dicts, tuples or Qrels
        Columns ``query_id doc_id relevance``.
    measures : sequence of str, optional
        Default: nDCG@10, AP, RR, P@10 and R@100.
    columns : dict, optional
        Column names of ``df``.

    Returns
    -------
    pyspark.sql.DataFrame
        ``query_id measure value``, evaluated lazily, with the kernel of :func:`abrank.evaluate`.
        Every judged query has rows, even without results.

    Raises
    ------
    ArgumentError
        If a measure is unknown, or takes its scale from the judgments (``ERR@10``; use
        ``ERR(max_grade=4)@10``).
    ReadError
        If a column is missing. Errors in a row are raised by the task that reads it.
    """
    scoring = KernelOptions(parse_measures(measures))
    for measure in scoring.measures:
        if has_open_scale(measure):
            raise ArgumentError(
                f"{measure} needs the highest grade of its scale:"
                f" {measure.entry.name}(max_grade=4)@10"
            )
    judged = qrels
    if not hasattr(qrels, "sparkSession"):
        frame = read_qrels(qrels).frame()
        frame[["query_id", "doc_id"]] = frame[["query_id", "doc_id"]].astype(str)
        judged = df.sparkSession.createDataFrame(frame)
    rows_of_both = _three_columns(df, RUN, columns).unionByName(_three_columns(judged, QRELS, None))
    by_query = rows_of_both.repartition("query_id").sortWithinPartitions("query_id")
    return by_query.mapInArrow(_Kernel(scoring), _LONG)


class _Kernel:
    """The kernel applied to the batches of a partition, sorted by query."""

    def __init__(self, scoring: KernelOptions) -> None:
        self.scoring = scoring

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        waiting: list[Any] = []
        for batch in batches:
            waiting.append(batch)
            if sum(waiting_batch.num_rows for waiting_batch in waiting) < ROWS:
                continue
            table = pa.Table.from_batches(waiting).combine_chunks()
            _, last = ids.runs(table.column(0).chunk(0).cast(pa.large_binary()))
            cut = int(last[-2]) if len(last) > 1 else 0
            if cut:
                yield from self._scored(table.slice(0, cut))
            waiting = table.slice(cut).to_batches()
        if waiting:
            yield from self._scored(pa.Table.from_batches(waiting))

    def _scored(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        is_run = table.column("of_run")
        run, judged = table.filter(is_run), table.filter(compute.invert(is_run))
        yield from score_table(run, judged, self.scoring).to_batches()


def _three_columns(df: DataFrame, layout: Layout, columns: dict[str, str] | None) -> DataFrame:
    """Return three columns with standard names, and a mark for the table of each row."""
    query, document, number = column_names(df.columns, layout, columns, "the DataFrame")
    return df.selectExpr(
        f"cast(`{query}` as string) as query_id",
        f"cast(`{document}` as string) as doc_id",
        f"cast(`{number}` as double) as value",
        f"{str(layout is RUN).lower()} as of_run",
    )


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    """Yield the existing session, or a new one that is stopped at the end."""
    try:
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ArgumentError("PySpark is not installed: pip install pyspark") from error
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    builder = SparkSession.builder.appName("abrank")
    if master is not None:
        builder = builder.master(master)
    if master is None or master.startswith("local"):
        builder = builder.config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
        # Workers must use this Python, not the first one on the PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        spark = builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise ArgumentError(f"Spark did not start; it needs Java 17: {error}") from error
    try:
        yield spark
    finally:
        spark.stop()
