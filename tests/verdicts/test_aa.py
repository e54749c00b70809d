"""The A/A test finds what a test of wins or ranks takes for a difference of means."""

from pathlib import Path

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError


@pytest.fixture
def lopsided():
    """Sixty queries: most gain a little, some lose much."""
    rng = np.random.default_rng(3)
    return np.where(rng.random(60) < 0.72, 0.1, -0.24) + rng.normal(0.0, 0.01, 60)


def test_a_sign_test_that_counts_wins_is_found_out(lopsided) -> None:
    aa_test = abrank.aa_test(lopsided, tests=["t", "sign"])
    rates = {(row.test, row.by): row.rate for row in aa_test.rows}
    # By the two symmetric ways nothing is seen; the mean of the third is 0, and wins are 4 to 1.
    assert rates["sign", "flips"] < 0.07
    assert rates["sign", "halves"] < 0.07
    assert rates["sign", "resampled"] > 0.9
    assert rates["t", "resampled"] < 0.08
    assert aa_test.too_often == ("sign",)


def test_the_command_says_what_the_sign_test_asks_about(lopsided, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, values in (("a", np.full(60, 0.5)), ("b", 0.5 + lopsided)):
        rows = "".join(f"q{i},{value:.6f}\n" for i, value in enumerate(values))
        Path(f"{name}.csv").write_text(f"query_id,AP\n{rows}")
    out = command(["aa", "--scores", "a.csv", "b.csv", "--test", "sign", "--test", "t"]).out
    assert "sign is significant too often if the mean Δ is 0: it tests" in out
    assert "who wins more queries, not the mean. To test the mean, choose another test." in out
    assert "No test errs too often" not in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.slow
def test_whole_clusters_are_redrawn() -> None:
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(30), rng.integers(2, 7, 30))
    d = rng.normal(0.0, 0.1, 30)[who] + rng.normal(0.0, 0.03, len(who))
    aa_test = abrank.aa_test(d, clusters=who, tests="t", replications=400)
    rates = {(row.test, row.by): row.rate for row in aa_test.rows}
    assert rates["t", "resampled"] > 0.2
    assert rates["cluster-robust t", "resampled"] < 0.1
    assert aa_test.too_often == ("t",)


def test_few_queries_are_not_redrawn() -> None:
    few = np.random.default_rng(5).normal(0.0, 0.1, 24)
    assert {row.by for row in abrank.aa_test(few).rows} == {"flips", "halves"}
    with pytest.raises(ArgumentError, match="24 queries or clusters are too few"):
        abrank.aa_test(few, by="resampled")
