"""The study of reuse: its page is the table that is stored, and a small run gives all its cells."""

from __future__ import annotations

import csv

import numpy as np

from reports.studies.calibration.reuse import (
    HOWS,
    METHODS,
    Board,
    Row,
    better,
    chosen,
    levels,
    page,
    repeated,
    streams,
)
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_made_from_the_table() -> None:
    rows = rows_of("reuse.csv", Row)
    assert page(rows) == page_of("reuse.md")
    of_streams = [row for row in rows if row.part == "stream"]
    assert {row.method for row in of_streams} == {*METHODS}
    assert {row.how for row in of_streams} == {*HOWS}
    assert {row.board for row in rows} == {"AP", "nDCG@10"}


def test_a_small_run_has_a_row_for_every_way() -> None:
    random = np.random.default_rng(2)
    made = random.uniform(0, 1, (60, 1)) + random.normal(0, 0.2, (60, 60))
    board = Board(made, random)
    candidates = board.candidates(7)
    assert np.allclose(candidates.mean(axis=0), board.baseline.mean())
    rows = [*chosen("x", board, n_choices=4), *repeated("x", board, n_splits=2)]
    assert all(0 <= row.rate <= 1 for row in rows)
    assert {row.part for row in rows} == {"choice", "repetition"}


def test_streams_replace_a_baseline(monkeypatch) -> None:
    monkeypatch.setattr("reports.studies.calibration.reuse.LENGTHS", (10, 20))
    monkeypatch.setattr("reports.studies.calibration.reuse.REPLACED", (10, 20))
    random = np.random.default_rng(3)
    board = Board(random.uniform(0, 1, (60, 30)), random)
    rows = list(streams("x", board, n_streams=2))
    assert {row.how for row in rows} == {*HOWS}
    assert all(0 <= row.rate <= 1 for row in rows)
    p = better(random.normal(0.05, 0.1, (30, 5)))
    assert (levels(p, "Bonferroni", 5) == 0.005).all()


def test_the_command_writes_the_page_and_the_table(monkeypatch, tmp_path) -> None:
    from reports.studies.calibration import reuse

    random = np.random.default_rng(4)
    made = random.uniform(0, 1, (60, 1)) + random.normal(0, 0.1, (60, 60))
    monkeypatch.setattr(reuse, "MATRICES", {"made": "matrix.csv"})
    monkeypatch.setattr(reuse, "scores_of_matrix", lambda path: made)
    for name in ("LENGTHS", "REPLACED", "TRIED", "MEASURED"):
        monkeypatch.setattr(reuse, name, (8,))
    asked = ["--data", str(tmp_path), "--output", str(tmp_path), "--streams", "2"]
    assert reuse.main(asked) == 0
    assert (tmp_path / "reuse.md").read_text("utf-8").startswith("# One set of topics")
    with (tmp_path / "reuse.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["board"] for row in rows} == {"made"}
    assert {row["part"] for row in rows} == {"stream", "repetition", "choice"}
