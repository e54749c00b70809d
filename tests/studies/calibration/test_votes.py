"""The study of votes: its page is of the table beside it, and a small run finds what it says."""

from __future__ import annotations

import pytest

from reports.studies.calibration import votes
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_of_the_table() -> None:
    rows = rows_of("votes.csv", votes.Found)
    assert votes.page(rows) == page_of("votes.md")
    assert {row.n for row in rows} == {*votes.SIZES}
    nothing = [row for row in rows if not row.preferred]
    error = (0.05 * 0.95 / nothing[0].samples) ** 0.5
    assert max(row.flips for row in nothing) < 0.05 + 3.0 * error
    # The page's words of the t test, and of scripts that take votes of one query for independent.
    assert max(row.t for row in nothing if row.votes == "five judges") < 0.06
    assert min(row.binomial for row in nothing if row.votes == "five judges") > 0.06


def test_a_small_run_writes_both(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(votes, "SIZES", (25,))
    assert votes.main(["--output", str(tmp_path), "--samples", "400"]) == 0
    assert "| five judges | no | 25 |" in (tmp_path / "votes.md").read_text("utf-8")
    rows = list(votes.measure(samples=400, seed=0))
    header, *lines = (tmp_path / "votes.csv").read_text("utf-8").splitlines()
    assert header.startswith("votes,preferred,n,flips")
    assert len(lines) == len(rows) == 10
    found = {(row.votes, row.preferred): row for row in rows}
    for kind in ("one, no ties", "one, ties", "both orders", "five judges", "interleaved"):
        assert found[kind, False].flips < 0.05 + 3.0 * (0.05 * 0.95 / 400) ** 0.5
        assert found[kind, True].flips > found[kind, False].flips
    # Of a vote a query every vote for itself is the exact flips.
    alone = found["one, ties", False]
    assert alone.binomial == pytest.approx(alone.flips, abs=1 / 400)
    assert found["interleaved", False].binomial > 0.1
