"""A small collection in Parquet, split where it hurts, and one cluster of each kind."""

import importlib.util
import json
import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank.cli import run
from abrank.guide import read_page

ROOT = Path(__file__).parents[2]
MEASURES = ["nDCG@5", "AP", "ERR@5", "P@3"]


@dataclass(frozen=True)
class Collection:
    """Frames, the same in Parquet, and the scores of both without an engine."""

    folder: Path
    qrels: pd.DataFrame
    runs: dict[str, pd.DataFrame]
    scores: abrank.Scores

    @property
    def paths(self) -> dict[str, Path]:
        return {name: self.folder / name for name in self.runs}

    def require_equal(self, scores: abrank.Scores) -> None:
        assert scores.query_ids == self.scores.query_ids
        assert scores.measures == self.scores.measures
        np.testing.assert_allclose(scores.values, self.scores.values, rtol=0, atol=1e-12)


def draw(n_queries: int, *, seed: int = 3) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Draw judgments and two runs; some queries are missing in B, some are not judged."""
    default_rng = np.random.default_rng(seed)
    qrels, runs = [], {"A": [], "B": []}
    for i in range(n_queries):
        query = f"q{i:03d}"
        grades = default_rng.choice([0, 0, 1, 1 + (i >= n_queries // 2) * 2], 5)
        qrels += [(query, f"d{j}", int(grade)) for j, grade in enumerate(grades)]
        for name, rows in runs.items():
            if name == "B" and i % 17 == 3:
                continue
            # Few distinct scores: documents are tied.
            scores = default_rng.integers(0, 6, 9) / 2
            rows += [(query, f"d{j}", score) for j, score in enumerate(scores)]
    runs["A"] += [("unjudged", "d1", 1.0)]
    return pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]), {
        name: pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
        for name, rows in runs.items()
    }


def write(frame: pd.DataFrame, folder: Path, *, n_files: int, group: int) -> None:
    """Write a table as several files, cut at any row."""
    folder.mkdir(parents=True)
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), n_files)):
        table = pa.Table.from_pandas(frame.iloc[rows], preserve_index=False)
        pq.write_table(table, folder / f"part-{number}.parquet", row_group_size=group)


COMMANDS = [
    line
    for line in read_page("spark").text.splitlines()
    if line.startswith("abrank compare qrels.parquet")
]


def run_shown(command: str, collection: Collection, folder: Path, *more: str):
    """Run a command of the guide on a collection; return what ``results.json`` says of it."""
    names = {"qrels": "qrels", "A": "bm25", "B": "monot5"}
    for source, name in names.items():
        if not (folder / f"{name}.parquet").exists():
            (folder / f"{name}.parquet").symlink_to(collection.folder / source)
    flags = ["-m", "nDCG@5", "-m", "AP", "--report", "results.json", "--quiet"]
    assert run([*shlex.split(command)[1:], *flags, *more]) == 0
    loads = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del loads["provenance"]
    return loads


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Sorted by query, in files and row groups that split queries."""
    folder = tmp_path_factory.mktemp("collection")
    qrels, runs = draw(60)
    write(qrels, folder / "qrels", n_files=1, group=77)
    for name, frame in runs.items():
        write(frame, folder / name, n_files=3, group=50)
    scores = abrank.evaluate(qrels, runs, MEASURES)
    return Collection(folder, qrels, runs, scores)


@pytest.fixture(scope="session")
def cluster():
    """A LocalCluster of one process; by night a test asks for a second, and ends one."""
    distributed = pytest.importorskip("distributed", reason="needs abrank[dask]")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as local_cluster:
        yield local_cluster


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory):
    """A session of two cores that tries a task up to four times."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("needs abrank[spark]")
    if shutil.which("java") is None:
        pytest.skip("needs Java 17")
    from pyspark.sql import SparkSession

    # What a worker imports is this tree.
    before, os.environ["PYTHONPATH"] = os.environ.get("PYTHONPATH"), str(ROOT)
    local = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.ui.showConsoleProgress": "false",
        # Of a session this short most is Java's compiler, which need not compile for speed.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.master("local[2,4]").config(map=local).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before
