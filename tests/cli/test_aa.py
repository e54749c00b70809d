"""``abrank aa`` and ``abrank.aa_test``: do tests keep their level on one's own data?"""

import json
from pathlib import Path

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.inference.aa_test import check_level


@pytest.fixture
def differences(tmp_path, monkeypatch):
    """Eight clusters of ten queries that nearly agree: a.csv, b.csv, who.csv."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(12), 10)
    d = (rng.normal(0.0, 0.1, 12)[who] + rng.normal(0.0, 0.03, 120)).round(4)
    ids = [f"q{i:03}" for i in range(120)]
    for name, values in (("a", np.full(120, 0.5)), ("b", 0.5 + d)):
        rows = "".join(f"{q},{v:.4f}\n" for q, v in zip(ids, values, strict=True))
        Path(f"{name}.csv").write_text(f"query_id,AP\n{rows}")
    rows = "".join(f"{q},{c}\n" for q, c in zip(ids, who, strict=True))
    Path("who.csv").write_text(f"query_id,who\n{rows}")
    return d, who


CALL = ["aa", "--scores", "a.csv", "b.csv", "--replications", "400"]


@pytest.mark.slow
def test_tests_of_queries_keep_their_level_by_the_flips_of_queries(differences, command) -> None:
    loads = json.loads(command([*CALL, "--format", "json"]).out)
    assert {row["test"] for row in loads["rows"]} == {
        "t", "permutation", "wilcoxon", "sign", "hall", "bounded",
    }  # fmt: skip
    assert [row["by"] for row in loads["rows"]] == ["flips", "halves", "resampled"] * 6
    assert not any(row["too_often"] for row in loads["rows"] if row["by"] != "resampled")
    expected = check_level("t", differences[0].round(4), n_replications=400)
    assert loads["rows"][0]["rate"] == pytest.approx(expected.rate)


def test_a_comparison_brings_its_test_level_and_clusters(differences) -> None:
    result = abrank.compare_scores("a.csv", "b.csv", design=abrank.Clusters("who.csv"), alpha=0.1)
    aa_test = abrank.aa_test(result, replications=200)
    assert aa_test.alpha == 0.1
    assert [row.test for row in aa_test.rows] == ["t", "cluster-robust t"]
    assert aa_test.too_often == ("t",)
    plain = abrank.aa_test(abrank.compare_scores("a.csv", "b.csv"), replications=200)
    assert {row.test for row in plain.rows} == {"t"}
    assert list(aa_test.to_frame()["rate"]) == [row.rate for row in aa_test.rows]


def test_csv_has_a_line_a_row(differences, command) -> None:
    lines = command([*CALL, "--test", "sign", "--format", "csv"]).out.splitlines()
    assert lines[0].startswith("test,by,n_queries,rate,low,high")
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["sign", "flips", "120"], ["sign", "halves", "60"], ["sign", "resampled", "120"],
    ]  # fmt: skip


def test_refusals(differences, command) -> None:
    d, who = differences
    with pytest.raises(ArgumentError, match="halves would split them"):
        abrank.aa_test(d, by="halves", clusters=who)
    with pytest.raises(ArgumentError, match="two queries or more"):
        abrank.aa_test([0.1])
    with pytest.raises(ArgumentError, match="unknown test"):
        abrank.aa_test(d, tests="F")
    assert "QRELS, RUN_A and RUN_B are needed" in command(["aa"], 2).err


def test_of_several_ready_measures_a_ranking_measure_is_taken(differences, command) -> None:
    # It was the first column, a count, where power and compare take the ranking measure.
    for name in "ab":
        lines = Path(f"{name}.csv").read_text().splitlines()
        rows = [f"{query},{i % 7},{score}" for i, (query, score) in enumerate(
            line.split(",") for line in lines[1:])]  # fmt: skip
        Path(f"{name}.csv").write_text("\n".join(["query_id,num_ret,AP", *rows]))
    assert json.loads(command([*CALL, "--test", "t", "--format", "json"]).out)["measure"] == "AP"
