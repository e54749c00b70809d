"""Objects of a store, on fsspec's file system in memory: read as the files they are copies of."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank._support.errors import ArgumentError, NotFoundError
from abrank.cli import run
from abrank.engines.engine import is_parquet

fsspec = pytest.importorskip("fsspec")

QUERIES = range(30)
QRELS = "".join(f"q{i} 0 d{j} {int((i + j) % 3 == 0)}\n" for i in QUERIES for j in range(10))


def ranked(step: int) -> str:
    return "".join(
        f"q{i} Q0 d{(j * step + i) % 10} {j + 1} {10 - j} x\n" for i in QUERIES for j in range(10)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scores = pd.DataFrame(
        {"query_id": [f"q{i}" for i in QUERIES], "A": [i / 30 for i in QUERIES],
         "B": [(7 * i % 30) / 25 for i in QUERIES]}
    )  # fmt: skip
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(ranked(3))
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(ranked(7).encode()))
    scores.to_csv(tmp_path / "scores.csv", index=False)
    scores.to_parquet(tmp_path / "scores.parquet", index=False)
    store = fsspec.filesystem("memory")
    store.put(f"{tmp_path}/", "/store/", recursive=True)
    yield tmp_path
    store.rm("/store", recursive=True)


def test_runs_and_judgments_are_those_of_the_files(folder: Path) -> None:
    names = ("qrels.txt", "a.run", "b.run.gz")
    there = abrank.compare(*(f"memory://store/{name}" for name in names), measures="AP")
    here = abrank.compare(*(folder / name for name in names), measures="AP")
    assert there.n_queries == len(QUERIES)
    np.testing.assert_array_equal([there.a, there.b], [here.a, here.b])
    assert there.rows == here.rows
    assert there.evidence == here.evidence
    for role in ("qrels", "a", "b"):
        mine, theirs = (item.provenance["inputs"][role] for item in (there, here))
        assert mine["sha256"] == theirs["sha256"]
        assert mine["path"].startswith("memory://store/")


@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet"])
def test_scores_are_those_of_the_file(folder: Path, name: str, capsys) -> None:
    there, here = (abrank.compare_scores(f"{at}/{name}") for at in ("memory://store", folder))
    assert there.rows == here.rows
    np.testing.assert_array_equal([there.a, there.b], [here.a, here.b])
    assert run(["compare", "--scores", f"memory://store/{name}"]) == 0
    assert "30 queries" in capsys.readouterr().out


def test_what_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(NotFoundError, match=r"memory://store/c\.run: there is no such object"):
        abrank.compare("memory://store/qrels.txt", "memory://store/c.run", folder / "a.run")
    with pytest.raises(ArgumentError, match="Protocol not known"):
        abrank.compare("nowhere://qrels.txt", folder / "a.run", folder / "b.run.gz")


def test_a_package_that_a_store_needs_is_named(folder: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ArgumentError, match="huggingface_hub"):
        abrank.compare("hf://datasets/x/y/qrels.txt", folder / "a.run", folder / "b.run.gz")


def test_an_object_with_the_name_of_a_text_is_no_folder_of_parquet() -> None:
    assert is_parquet("s3://bucket/runs")
    assert is_parquet("s3://bucket/run.parquet")
    assert not is_parquet("s3://bucket/bm25.run")
    assert not is_parquet("gs://bucket/bm25.run.gz")
