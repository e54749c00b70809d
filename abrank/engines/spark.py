"""Spark: partitions of Parquet files as tasks, or the rows of a DataFrame by ``mapInArrow``.

``pip install pyspark``, here and on the workers; Java 17 runs it.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from pyarrow import compute

from abrank._support.errors import ArgumentError
from abrank.engines.kernel import KernelOptions, column_names, has_open_scale, score_table
from abrank.inputs import Qrels, ids, read_qrels
from abrank.inputs.columns import QRELS, RUN, Layout
from abrank.measures.names import parse_measures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

ROWS = 250_000  # of a run and its judgments that a task holds before it scores them
_LONG = "query_id string, measure string, value double"
_SEEN = f"{_LONG}, seen int"


def run(
    function: Callable[[_Item], _Result], items: Sequence[_Item], *, master: str | None = None
) -> Iterator[_Result]:
    """Apply a function to every item, each a task of Spark, which tries a failed one again."""
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
    partitioned_by_query: bool | None = None,
) -> DataFrame:
    """Score the run in a DataFrame, on its own session.

    Run and judgments are brought together by query id in one shuffle, so no query is split. A run
    that stands by query id already (after ``repartition("query_id")``, or read from buckets) stays
    where it is if the judgments are no DataFrame: every task gets them, and only scores move.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Columns ``query_id doc_id score``, or the names that other tools give them.
    qrels : pyspark.sql.DataFrame, or path, pandas DataFrame, dict of dicts, tuples or Qrels
        Columns ``query_id doc_id relevance``.
    measures : sequence of str, optional
        nDCG@10, AP, RR, P@10 and R@100 without it.
    columns : dict, optional
        Which columns of ``df`` to take.
    partitioned_by_query : bool, optional
        Whether all rows of a query are in one partition; what Spark's plan says without it. A query
        in two partitions is an error of the task that meets its scores.

    Returns
    -------
    pyspark.sql.DataFrame
        ``query_id measure value``, not yet computed; by the kernel of :func:`abrank.evaluate`.
        Every judged query has its rows, those without results too.

    Raises
    ------
    ArgumentError
        If a measure is unknown, or its scale is left to the judgments (``ERR@10``; say
        ``ERR(max_grade=4)@10``).
    ReadError
        If a column is not there. What is wrong in a row is raised by the task that meets it.
    """
    scoring = KernelOptions(parse_measures(measures))
    for measure in scoring.measures:
        if has_open_scale(measure):
            raise ArgumentError(
                f"{measure} needs the highest grade of its scale:"
                f" {measure.entry.name}(max_grade=4)@10"
            )
    if not hasattr(qrels, "sparkSession"):
        names = column_names(df.columns, RUN, columns, "the DataFrame")
        if partitioned_by_query is None:
            partitioned_by_query = _is_partitioned_by(df, names[0])
        if partitioned_by_query:
            return _score_in_place(_three_columns(df, RUN, columns), read_qrels(qrels), scoring)
    judged = qrels
    if not hasattr(qrels, "sparkSession"):
        frame = read_qrels(qrels).frame()
        frame[["query_id", "doc_id"]] = frame[["query_id", "doc_id"]].astype(str)
        judged = df.sparkSession.createDataFrame(frame)
    rows_of_both = _three_columns(df, RUN, columns).unionByName(_three_columns(judged, QRELS, None))
    by_query = rows_of_both.repartition("query_id").sortWithinPartitions("query_id")
    return by_query.mapInArrow(_Kernel(scoring), _LONG)


class _Kernel:
    """The kernel over the batches of a partition, sorted by query."""

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


def _is_partitioned_by(df: object, query: str) -> bool:
    """Whether Spark's plan has all rows of a query in one partition."""
    java = getattr(df, "_jdf", None)  # not of Spark Connect
    if java is None:
        return False
    plan = java.queryExecution().executedPlan()
    if plan.nodeName() == "AdaptiveSparkPlan":  # which says nothing before it has run
        plan = plan.inputPlan()
    if "REBALANCE" in plan.toString():  # which divides what is large, queries too
        return False
    result = plan.outputPartitioning().toString()
    return re.fullmatch(rf"hashpartitioning\({re.escape(query)}#\d+, \d+\)", result) is not None


def _score_in_place(run: DataFrame, qrels: Qrels, scoring: KernelOptions) -> DataFrame:
    """Score a run partition by partition, the judgments at hand in every task."""
    # Each judged query has the scores of a run without it too, which those of its partition
    # replace.
    from pyspark.sql import functions as f

    kernel = _KernelOfRun(scoring, qrels)
    without_run = list(kernel.scored_without_run())
    scored = run.sortWithinPartitions("query_id").mapInArrow(kernel, _SEEN)
    frame = run.sparkSession.createDataFrame(pa.Table.from_batches(without_run).to_pandas(), _SEEN)
    by_score = scored.union(frame).groupBy("query_id", "measure")
    once = by_score.agg(f.sum("seen").alias("seen"), f.max_by("value", "seen").alias("value"))
    split = "concat('query ', query_id, ' is in two partitions: pass partitioned_by_query=False')"
    return once.selectExpr(
        "query_id", "measure",
        f"if(seen > 1, cast(raise_error({split}) as double), value) as value",
    )  # fmt: skip


class _KernelOfRun(_Kernel):
    """The kernel over the batches of a run sorted by query, with all judgments in each task."""

    def __init__(self, scoring: KernelOptions, qrels: Qrels) -> None:
        super().__init__(scoring)
        frame = qrels.frame()
        order = np.argsort(qrels.query, kind="stable")
        self.judged = pa.table(
            {
                "query_id": pa.array(frame["query_id"].astype(str).to_numpy()[order]),
                "doc_id": pa.array(frame["doc_id"].astype(str).to_numpy()[order]),
                "value": pa.array(qrels.grade[order].astype(np.float64)),
            }
        )
        ends = np.cumsum(np.bincount(qrels.query, minlength=len(qrels.query_ids)))
        self.rows = dict(zip(qrels.query_ids, zip([0, *ends[:-1]], ends, strict=True), strict=True))

    def scored_without_run(self) -> Iterator[Any]:
        """Yield the scores of every judged query in a run that lacks it."""
        yield from self._scores_marked(self.judged.slice(0, 0), self.judged, seen=0)

    def _scored(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        queries = compute.unique(table.column("query_id")).to_pylist()
        rows = [self.rows[query] for query in queries if query in self.rows]
        if rows:
            rows_of_queries = np.concatenate([np.arange(low, high) for low, high in rows])
            yield from self._scores_marked(table, self.judged.take(rows_of_queries), seen=1)

    def _scores_marked(self, run: object, judged: object, *, seen: int) -> Iterator[Any]:
        table = score_table(run, judged, self.scoring)
        mark = pa.array(np.full(table.num_rows, seen, np.int32))
        yield from table.append_column("seen", mark).to_batches()


def _three_columns(df: DataFrame, layout: Layout, columns: dict[str, str] | None) -> DataFrame:
    """Return three columns under their own names, and which of the two tables a row is of."""
    query, document, number = column_names(df.columns, layout, columns, "the DataFrame")
    return df.selectExpr(
        f"cast(`{query}` as string) as query_id",
        f"cast(`{document}` as string) as doc_id",
        f"cast(`{number}` as double) as value",
        f"{str(layout is RUN).lower()} as of_run",
    )


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    """Return the session that there is, or one that is stopped at the end."""
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
        # Workers run this Python, not the first one on the PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        spark = builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise ArgumentError(f"Spark did not start; it needs Java 17: {error}") from error
    try:
        yield spark
    finally:
        spark.stop()
