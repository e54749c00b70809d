"""Spark on a real local session: the numbers of one machine, also when a worker dies."""

import sys

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.engines import Engine, drive
from abrank.engines import spark as on_spark
from tests.engines import killed
from tests.engines.conftest import COMMANDS, MEASURES, run_shown

FIXED = ["nDCG@5", "AP", "P@3"]


# One test: each process of the suite that meets another one would start a session of its own.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_scores_are_those_of_one_machine_and_a_killed_worker_changes_nothing(
    collection, spark, tmp_path, monkeypatch
):
    monkeypatch.setattr(drive, "score_partition", killed.score_or_wait)
    killer = killed.kill_when_told(tmp_path)
    engine = Engine("spark", keep_scores=str(tmp_path), rows=100)
    scores = abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES, engine=engine)
    killer.join(5)
    assert not killer.is_alive()  # so a process was killed
    collection.require_equal(scores)

    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    here, _, command = COMMANDS
    assert run_shown(command, collection, tmp_path) == run_shown(here, collection, tmp_path)

    # A DataFrame of the session, its rows in any order and partition.
    df = spark.createDataFrame(collection.runs["B"].sample(frac=1, random_state=1)).repartition(5)
    for qrels in (collection.qrels, spark.createDataFrame(collection.qrels)):
        toPandas = on_spark.evaluate(df, qrels, FIXED).toPandas()
        wide = toPandas.pivot(index="query_id", columns="measure", values="value")[FIXED]
        assert tuple(wide.index) == collection.scores.query_ids
        expected = collection.scores.of("B")[:, [MEASURES.index(name) for name in FIXED]]
        np.testing.assert_allclose(wide.to_numpy(), expected, rtol=0, atol=1e-12)

    with pytest.raises(ArgumentError, match=r"ERR\(max_grade=4\)@10"):
        on_spark.evaluate(df, collection.qrels, ["ERR@10"])


def test_without_spark_the_error_says_what_to_install(collection, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(ArgumentError, match=r"pip install pyspark"):
        abrank.evaluate(
            collection.folder / "qrels", collection.paths, MEASURES, engine=Engine("spark")
        )
