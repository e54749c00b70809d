"""Runs without names are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.run import named_runs


def test_runs_by_name_are_taken_as_they_are() -> None:
    runs = {"x": "a.run", "y": "b.run"}
    assert named_runs(runs) is runs


def test_files_of_one_name_in_two_folders_are_told_apart_by_the_folders() -> None:
    paths = ["old/bm25.run", Path("new/bm25.run")]
    found = named_runs(paths)
    assert list(found.values()) == paths
    assert list(found) == ["old/bm25", "new/bm25"]


def test_runs_of_one_name_are_numbered() -> None:
    run = {"q1": {"d1": 1.0}}
    assert list(named_runs(["a/t.run", "b/t.run", run])) == ["t 1", "t 2", "run 3"]


@pytest.mark.parametrize("run", ["bm25.run", {1}, [("q1", "d1", 1.0)]])
def test_a_single_run_is_refused(run) -> None:
    with pytest.raises(ArgumentError, match="runs are a mapping by name, not one "):
        named_runs(run)
