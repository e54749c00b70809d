"""Dask on a real LocalCluster: the numbers of one machine, also when a worker dies."""

import contextlib
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

import abrank
from abrank._support.errors import AbrankError, ArgumentError
from abrank.engines import Engine, drive
from tests.engines import killed
from tests.engines.conftest import COMMANDS, MEASURES, run_shown

pytest.importorskip("distributed", reason="needs abrank[dask]")


@pytest.mark.slow
def test_the_scores_are_those_of_one_machine_and_a_killed_worker_changes_nothing(
    collection, cluster, tmp_path, monkeypatch
):
    cluster.scale(2)
    cluster.wait_for_workers(2)
    monkeypatch.setattr(drive, "score_partition", killed.score_or_wait)
    killer = killed.kill_when_told(tmp_path)
    engine = Engine("dask", address=cluster.scheduler_address, keep_scores=str(tmp_path), rows=100)
    scores = abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES, engine=engine)
    killer.join(5)
    assert not killer.is_alive()  # so a process was killed
    collection.require_equal(scores)


def test_the_command_of_the_readme(collection, cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here, dask, _ = COMMANDS
    expected = run_shown(here, collection, tmp_path)
    there = "--engine", f"dask:{cluster.scheduler_address}"
    assert run_shown(dask, collection, tmp_path, *there) == expected
    assert (tmp_path / "scores" / "_SUCCESS").exists()


def test_a_client_or_a_cluster_of_this_machine_scores_what_is_left(
    collection, cluster, tmp_path, monkeypatch
):
    from dask import distributed

    requested = collection.folder / "qrels", {"A": collection.paths["A"]}, MEASURES
    expected = collection.scores.values[:, :1]
    with distributed.Client(cluster, set_as_default=False) as client:
        scores = abrank.evaluate(*requested, engine=Engine("dask", address=client, rows=300))
        assert client.status == "running"  # it is closed by whoever opened it
    np.testing.assert_array_equal(scores.values, expected)

    started = []

    @contextlib.contextmanager
    def start(**options):
        started.append(options)
        yield cluster

    monkeypatch.setattr(distributed, "LocalCluster", start)
    engine = Engine("dask", keep_scores=str(tmp_path), rows=300)
    for _ in range(2):  # the second finds all done, and starts nothing
        scores = abrank.evaluate(*requested, engine=engine)
        np.testing.assert_array_equal(scores.values, expected)
    (options,) = started
    assert (options["threads_per_worker"], options["host"]) == (1, "127.0.0.1")


def test_a_partition_that_kills_every_worker_says_how_much_memory_one_needs(
    collection, cluster, monkeypatch
):
    from dask import distributed

    killed = distributed.KilledWorker("part-3", SimpleNamespace(address="tcp://w"), 3)
    monkeypatch.setattr(distributed, "as_completed", Mock(side_effect=killed))
    engine = Engine("dask", address=cluster.scheduler_address, rows=100)
    with pytest.raises(AbrankError, match=r"part-3.*a worker needs about 500 MB a thread"):
        abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES, engine=engine)


def test_a_scheduler_that_does_not_answer(collection, monkeypatch):
    timeout = OSError("Timed out trying to connect")
    monkeypatch.setattr("distributed.Client.__init__", Mock(side_effect=timeout))
    engine = Engine("dask", address="tcp://127.0.0.1:1")
    with pytest.raises(ArgumentError, match="no Dask scheduler answers at tcp"):
        abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES, engine=engine)


def test_without_dask_the_error_says_what_to_install(collection, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ArgumentError, match=r"pip install dask distributed"):
        abrank.evaluate(
            collection.folder / "qrels", collection.paths, MEASURES, engine=Engine("dask")
        )
