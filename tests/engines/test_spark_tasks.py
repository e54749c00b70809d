"""What Spark's workers run, in this process: where tests meet it, and without Java."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import MagicMock, call

import numpy as np
import pyarrow as pa
import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.engines import spark
from abrank.engines.kernel import KernelOptions
from abrank.measures.names import parse_measures

MEASURES = ["nDCG@5", "AP", "P@3"]


@pytest.fixture(scope="module")
def made() -> abrank.simulate.SimulatedRuns:
    return abrank.simulate_runs(30, rng=4)


def scored(batches) -> dict[tuple[str, str], float]:
    rows = pa.Table.from_batches(list(batches)).to_pylist()
    result = {(row["query_id"], row["measure"]): row["value"] for row in rows}
    assert len(result) == len(rows)
    return result


def expected(made: abrank.simulate.SimulatedRuns) -> dict[tuple[str, str], float]:
    tidy = abrank.evaluate(made.qrels, {"B": made.candidate}, MEASURES).tidy()
    return {(row.query_id, row.measure): row.score for row in tidy.itertuples()}


def table(made: abrank.simulate.SimulatedRuns) -> pa.Table:
    """Rows of the run, and of the judgments beside them, sorted by query."""
    run = made.candidate.frame()[["query_id", "doc_id", "score"]]
    qrels = made.qrels.frame()[["query_id", "doc_id", "relevance"]]
    parts = [
        run.rename(columns={"score": "value"}).assign(of_run=True),
        qrels.rename(columns={"relevance": "value"}).assign(of_run=False),
    ]
    columns = {name: np.concatenate([part[name].to_numpy() for part in parts]) for name in parts[0]}
    order = np.argsort(columns["query_id"].astype(str), kind="stable")
    kinds = {"query_id": pa.string(), "doc_id": pa.string(), "value": pa.float64()}
    return pa.table(
        {name: pa.array(column[order], kinds.get(name)) for name, column in columns.items()}
    )


@pytest.mark.slow
@pytest.mark.parametrize("held", [40, 10**6])
def test_batches_that_cut_queries_give_the_scores_of_one_machine(made, held, monkeypatch) -> None:
    monkeypatch.setattr(spark, "ROWS", held)
    kernel = spark._Kernel(KernelOptions(parse_measures(MEASURES)))
    batches = table(made).to_batches(max_chunksize=37)
    result = scored(kernel(iter(batches)))
    assert result == pytest.approx(expected(made), abs=1e-12)


class _Frame:
    """As much of a DataFrame of Spark as hands batches of numbers to a task."""

    def __init__(self, batches) -> None:
        self.batches = batches

    def mapInArrow(self, task, _) -> _Frame:
        return _Frame(list(task(iter(self.batches))))

    def collect(self):
        rows = pa.Table.from_batches(self.batches).to_pylist()
        return [SimpleNamespace(**row) for row in rows]


def test_each_item_is_one_task_and_its_answer_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def session(_: str | None):
        def numbers(low: int, high: int, step: int, parts: int) -> _Frame:
            assert parts == high - low
            values = (pa.array([i]) for i in range(low, high, step))
            return _Frame([pa.record_batch([column], names=["id"]) for column in values])

        yield SimpleNamespace(range=numbers)

    monkeypatch.setattr(spark, "_session", session)
    assert (list(spark.run(len, ["a", "bcd", ""])), list(spark.run(len, []))) == ([1, 3, 0], [])


def session(monkeypatch: pytest.MonkeyPatch, active: object = None) -> MagicMock:
    """Return a builder of sessions that keeps what it was told, and builds itself."""
    sql = pytest.importorskip("pyspark.sql", reason="needs PySpark")
    builder = MagicMock()
    for name in ("appName", "master", "config", "getOrCreate"):
        getattr(builder, name).return_value = builder
    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: active)
    monkeypatch.setattr(sql.SparkSession, "builder", builder)
    return builder


@pytest.mark.parametrize(
    ("master", "local"), [(None, True), ("local[2]", True), ("spark://somewhere:7077", False)]
)
def test_a_session_of_ours_listens_at_home_and_is_stopped(master, local, monkeypatch) -> None:
    builder = session(monkeypatch)
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    with pytest.raises(ZeroDivisionError), spark._session(master) as result:  # noqa: PT012
        assert result is builder
        assert builder.master.call_args_list == ([] if master is None else [call(master)])
        bound = call("spark.driver.bindAddress", "127.0.0.1") in builder.config.call_args_list
        assert bound is (os.environ.get("PYSPARK_PYTHON") == sys.executable) is local
        raise ZeroDivisionError
    assert builder.stop.called
    os.environ.pop("PYSPARK_PYTHON", None)


def test_a_session_that_is_there_is_taken_and_left(monkeypatch) -> None:
    active = MagicMock()
    builder = session(monkeypatch, active)
    with spark._session("local") as result:
        assert result is active
    assert (builder.getOrCreate.called, active.stop.called) == (False, False)


def test_a_session_that_does_not_start_is_a_sentence(monkeypatch) -> None:
    errors = pytest.importorskip("pyspark.errors", reason="needs PySpark")
    gone = errors.PySparkRuntimeError("JAVA_GATEWAY_EXITED", {})
    session(monkeypatch).getOrCreate.side_effect = gone
    with (
        pytest.raises(ArgumentError, match="Spark did not start; it needs Java 17"),
        spark._session(None),
    ):
        pass
