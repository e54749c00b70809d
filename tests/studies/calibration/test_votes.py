"""The study of votes: its page is of the table beside it, and a small run finds what it says."""

import numpy as np
import pytest
from scipy.stats import binom

from reports.studies.calibration import votes
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_of_the_table() -> None:
    rows = rows_of("votes.csv", votes.Found)
    assert votes.page(rows) == page_of("votes.md")
    assert {row.n for row in rows} == {*votes.SIZES}
    nothing = [row for row in rows if not row.preferred]
    error = (0.05 * 0.95 / nothing[0].samples) ** 0.5
    assert max(row.flips for row in nothing) < 0.05 + 3.0 * error
    # What flips find is what they can find with so few decided votes, to the error of the samples.
    for row in nothing:
        assert row.flips == pytest.approx(row.attainable, abs=5.0 * error)
        assert row.attainable < 0.05
    assert min(row.attainable for row in nothing if row.votes == "five judges") > 0.038
    # The page's words of the t test, and of scripts that take votes of one query for independent.
    assert max(row.t for row in nothing if row.votes == "five judges") < 0.06
    assert min(row.binomial for row in nothing if row.votes == "five judges") > 0.06


def test_the_attainable_level_is_that_of_the_binomial_distribution() -> None:
    for n, decided in ((25, 25), (50, 50), (50, 20), (8, 5)):
        values = np.zeros((n, 3))
        values[:decided] = 0.5
        ps = [2.0 * binom.cdf(lost, decided, 0.5) for lost in range(decided // 2)]
        maximum = max((p for p in ps if p < 0.05), default=0.0)
        assert votes.attainable(values) == pytest.approx(maximum, abs=1e-4)


@pytest.mark.slow
def test_a_small_run_writes_both(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(votes, "SIZES", (25,))
    assert votes.main(["--output", str(tmp_path), "--samples", "400"]) == 0
    assert "| five judges | no | 25 |" in (tmp_path / "votes.md").read_text("utf-8")
    rows = list(votes.measure(samples=400, seed=0))
    header, *lines = (tmp_path / "votes.csv").read_text("utf-8").splitlines()
    assert header.startswith("votes,preferred,n,attainable,flips")
    assert len(lines) == len(rows) == 10
    result = {(row.votes, row.preferred): row for row in rows}
    for kind in ("one, no ties", "one, ties", "both orders", "five judges", "interleaved"):
        assert result[kind, False].flips < 0.05 + 3.0 * (0.05 * 0.95 / 400) ** 0.5
        assert result[kind, True].flips > result[kind, False].flips
    # Of a vote a query every vote for itself is the exact flips.
    alone = result["one, ties", False]
    assert alone.binomial == pytest.approx(alone.flips, abs=1 / 400)
    assert result["interleaved", False].binomial > 0.1
