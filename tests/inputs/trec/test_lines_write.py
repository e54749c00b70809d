"""Runs and judgments back to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from abrank import ArgumentError, read_qrels, read_run

TABLE = {"302": {"b": 1, "a": 0}, "301": {"c": -2}}


def test_lines_of_qrels(tmp_path: Path) -> None:
    path = read_qrels(TABLE).write(str(tmp_path / "q.txt"))
    assert path == tmp_path / "q.txt"
    assert path.read_bytes() == b"301 0 c -2\n302 0 a 0\n302 0 b 1\n"


def test_lines_of_a_run(tmp_path: Path) -> None:
    run = read_run({"1": {"a": 0.1, "b": 1e-7, "c": 0.1}}, name=" ")
    assert run.write(tmp_path / "a.run").read_text().splitlines() == [
        "1 Q0 c 1 0.1 run",
        "1 Q0 a 2 0.1 run",
        "1 Q0 b 3 1e-07 run",
    ]


def test_ids_that_no_file_can_hold(tmp_path: Path) -> None:
    for table in ({"1": {"a b": 1}}, {"1": {"a\0": 1}}, {"1 ": {"a": 1}}, {"#1": {"a": 1}}):
        with pytest.raises(ArgumentError, match=r"cannot stand in|as a comment"):
            read_qrels(table).write(tmp_path / "q")
    assert not (tmp_path / "q").exists()


def test_gzip_by_name_the_same_bytes_each_time(tmp_path: Path) -> None:
    first = read_qrels(TABLE).write(tmp_path / "a.gz").read_bytes()
    assert first[:2] == b"\x1f\x8b"
    assert read_qrels(TABLE).write(tmp_path / "b.gz").read_bytes() == first
    assert read_qrels(tmp_path / "a.gz").grades("302") == TABLE["302"]
