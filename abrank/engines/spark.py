"""Spark: partitions of Parquet files as tasks, or the rows of a DataFrame by ``mapInArrow``.

``pip install 'abrank[spark]'``, here and on the workers; Java 17 runs it.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import compute

from abrank._support.errors import ArgumentError
from abrank.engines import rows
from abrank.engines.kernel import SCHEMA, Scoring, long_table, score_rows
from abrank.engines.scale import has_open_scale
from abrank.inputs import ids, kernels, read_qrels
from abrank.inputs.columns import QRELS, RUN, Columns, Layout
from abrank.measures.naming.asked import parse_measures

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

ROWS = 250_000  # of a run and its judgments that a task holds before it scores them
_LONG = "query_id string, measure string, value double"


def run(
    function: Callable[[_Item], _Result], items: Sequence[_Item], *, master: str | None = None
) -> Iterator[_Result]:
    """Apply a function to every item, each a task of Spark, which tries a failed one again.

    Parameters
    ----------
    function : callable
        Can be pickled.
    items : sequence
    master : str, optional
        Such as ``spark://host:7077`` or ``local[4]``; the session that there is, or that
        ``spark-submit`` made, without it.

    Yields
    ------
    object

    Raises
    ------
    ArgumentError
        If PySpark is not installed, or finds no Java.
    """
    if not items:
        return
    work = pickle.dumps(function), [pickle.dumps(item) for item in items]

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        call = pickle.loads(work[0])
        for batch in batches:
            for number in batch.column(0).to_pylist():
                made = pickle.dumps(call(pickle.loads(work[1][number])))
                yield pa.record_batch([pa.array([made], pa.binary())], names=["made"])

    with _session(master) as spark:
        frame = spark.range(0, len(items), 1, len(items)).mapInArrow(task, "made binary")
        for row in frame.collect():
            yield pickle.loads(bytes(row.made))


def evaluate(
    df: Any,  # noqa: ANN401 - a pyspark DataFrame
    qrels: Any,  # noqa: ANN401 - a pyspark DataFrame, or whatever read_qrels reads
    measures: Sequence[str] | str | None = None,
    *,
    columns: dict[str, str] | None = None,
) -> Any:  # noqa: ANN401
    """Score the run in a DataFrame, on its own session.

    Run and judgments are brought together by query id in one shuffle, so no query is split.

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
    scoring = Scoring(parse_measures(measures))
    for each in scoring.measures:
        if has_open_scale(each):
            raise ArgumentError(
                f"{each} needs the highest grade of its scale: {each.entry.name}(max_grade=4)@10"
            )
    judged = qrels if hasattr(qrels, "sparkSession") else _frame(df.sparkSession, qrels)
    both = _chosen(df, RUN, columns, "score").unionByName(_chosen(judged, QRELS, None, "relevance"))
    whole = both.repartition("query_id").sortWithinPartitions("query_id")
    return whole.mapInArrow(_Kernel(scoring), _LONG)


class _Kernel:
    """The kernel over the batches of a partition, sorted by query."""

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        held: list[Any] = []
        for batch in batches:
            held.append(batch)
            if sum(each.num_rows for each in held) < ROWS:
                continue
            table = pa.Table.from_batches(held).combine_chunks()
            last = ids.integers(
                kernels.run_end_encode(table.column(0).chunk(0).cast(pa.large_binary())).run_ends
            )
            cut = int(last[-2]) if len(last) > 1 else 0
            if cut:
                yield from self._scored(table.slice(0, cut))
            held = table.slice(cut).to_batches()
        if held:
            yield from self._scored(pa.Table.from_batches(held))

    def _scored(self, table: Any) -> Iterator[Any]:  # noqa: ANN401
        is_run = table.column("of_run")
        run, judged = table.filter(is_run), table.filter(compute.invert(is_run))
        found = score_rows({"run": [_read(run, RUN)]}, [_read(judged, QRELS)], self.scoring)
        yield from long_table(found, self.scoring.measures).cast(SCHEMA).to_batches()


def _read(table: Any, layout: Layout) -> Columns:  # noqa: ANN401
    return rows.read_rows(table.select(["query_id", "doc_id", "value"]), layout, layout.kind)


def _chosen(df: Any, layout: Layout, columns: dict[str, str] | None, value: str) -> Any:  # noqa: ANN401
    """Return three columns under their own names, and which of the two tables a row is of."""
    query, document, number = rows.column_names(df.columns, layout, columns, "the DataFrame")
    return df.selectExpr(
        f"cast(`{query}` as string) as query_id",
        f"cast(`{document}` as string) as doc_id",
        f"cast(`{number}` as double) as value",
        f"{'true' if value == 'score' else 'false'} as of_run",
    )


def _frame(spark: Any, qrels: Any) -> Any:  # noqa: ANN401
    frame = read_qrels(qrels).frame()
    frame["query_id"], frame["doc_id"] = frame["query_id"].astype(str), frame["doc_id"].astype(str)
    return spark.createDataFrame(frame)


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    """Return the session that there is, or one that is stopped at the end."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ArgumentError("PySpark is not installed: pip install 'abrank[spark]'") from error
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
    spark = _started(builder)
    try:
        yield spark
    finally:
        spark.stop()


def _started(builder: Any) -> Any:  # noqa: ANN401
    from pyspark.errors import PySparkRuntimeError

    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise ArgumentError(f"Spark did not start; it needs Java 17: {error}") from error
