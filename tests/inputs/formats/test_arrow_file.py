"""Parquet and Feather files are read as frames are, and damaged ones are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import feather, parquet

from abrank import ReadError, evaluate, read_qrels, read_run
from abrank.cli.check import command
from abrank.inputs import looks_like_qrels

RUN = pa.Table.from_pandas(
    pd.DataFrame({"q_id": ["1", "1"], "text": ["x", "y"], "doc_id": ["a", "b"], "score": [1, 2.5]})
)
QRELS = pa.Table.from_pandas(
    pd.DataFrame({"q_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]})
)
WRITERS: dict[str, Callable[[Any, Any], Any]] = {
    "parquet": parquet.write_table,
    "feather": feather.write_feather,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_files_of_frames(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](RUN, tmp_path / f"b.{kind}")
    WRITERS[kind](QRELS, tmp_path / "judged")
    run = read_run(tmp_path / f"b.{kind}")
    assert (run.name, run.ranking("1")) == ("b", [("b", 2.5), ("a", 1.0)])
    assert read_qrels(tmp_path / "judged").grades("1") == {"a": 1, "b": 0}
    scores = evaluate(tmp_path / "judged", {"B": tmp_path / f"b.{kind}"}, ["RR"])
    assert scores.values.tolist() == [[[0.5]]]
    assert scores.sources["B"].n_rows == 2
    assert [looks_like_qrels(tmp_path / name) for name in ("judged", f"b.{kind}")] == [True, False]
    files = [str(tmp_path / "judged"), str(tmp_path / f"b.{kind}")]
    said = CliRunner().invoke(command, files, standalone_mode=False)
    assert (said.return_value, said.exit_code) == (0, 0)
    assert "2 judgments, 1 query, grades 0, 1" in said.output
    assert "2 documents, 1 query\n" in said.output


def test_columns_can_be_named(tmp_path: Path) -> None:
    parquet.write_table(RUN.rename_columns(["q", "t", "d", "s"]), tmp_path / "b.parquet")
    names = {"query_id": "q", "doc_id": "d", "score": "s"}
    assert read_run(tmp_path / "b.parquet", columns=names).ranking("1", top=1) == [("b", 2.5)]


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    for kind, write in WRITERS.items():
        path = tmp_path / f"b.{kind}"
        write(RUN, path)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ReadError, match=r"file is cut short or damaged"):
            read_run(path)


def test_cells_that_cannot_be_used_are_named_by_row(tmp_path: Path) -> None:
    parquet.write_table(RUN.set_column(3, "score", pa.array([1.0, None])), tmp_path / "b.parquet")
    with pytest.raises(ReadError, match=r"b\.parquet, row 1: score is missing"):
        read_run(tmp_path / "b.parquet")
