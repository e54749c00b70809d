"""``abrank aa`` and ``abrank.aa_test``: do tests keep their level on one's own data?"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank._support.errors import ArgumentError
from abrank.comparison import aa
from abrank.inference import aa_test as level_checks
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
    assert "a table of scores is needed, or QRELS, RUN_A and RUN_B" in command(["aa"], 2).err


def test_of_several_ready_measures_a_ranking_measure_is_taken(differences, command) -> None:
    # It was the first column, a count, where power and compare take the ranking measure.
    for name in "ab":
        lines = Path(f"{name}.csv").read_text().splitlines()
        rows = [f"{query},{i % 7},{score}" for i, (query, score) in enumerate(
            line.split(",") for line in lines[1:])]  # fmt: skip
        Path(f"{name}.csv").write_text("\n".join(["query_id,num_ret,AP", *rows]))
    assert json.loads(command([*CALL, "--test", "t", "--format", "json"]).out)["measure"] == "AP"


def test_of_many_queries_a_sample_is_tested_and_slow_tests_wait_to_be_named(
    differences, command, monkeypatch
) -> None:
    # 100,000 queries took 20 minutes.
    for module in (aa, level_checks):
        monkeypatch.setattr(module, "MOST_QUERIES", 50)
    monkeypatch.setattr(level_checks, "MANY_QUERIES", 100)
    out = command(CALL).out
    assert "120 queries, alpha 0.05" in out
    assert "on 50 queries drawn at random" in out
    assert {line.split(" ")[0] for line in out.splitlines()[4:-4]} >= {"t", "hall", "wilcoxon"}
    assert "permutation" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_sample_is_of_whole_clusters(monkeypatch) -> None:
    monkeypatch.setattr(level_checks, "MOST_QUERIES", 100)
    codes = np.repeat(np.arange(60), np.resize([1, 2, 3], 60))
    sample = level_checks.sample_of(codes, 0)
    assert 97 <= len(sample) <= 100
    chosen, counts = np.unique(codes[sample], return_counts=True)
    np.testing.assert_array_equal(counts, np.bincount(codes)[chosen])


def test_of_independent_groups_welch_is_checked_as_scipy_does(tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    groups = rng.lognormal(0.0, 1.5, 30), rng.lognormal(0.0, 0.5, 300)
    table = pd.DataFrame({"user": range(330), "variant": np.repeat(["old", "new"], [30, 300])})
    table.assign(spent=np.concatenate(groups)).to_csv("users.csv", index=False)
    call = ["aa", "--scores", "users.csv", "-m", "spent", "--independent", "--baseline", "old"]
    rows = json.loads(command([*call, "--format", "json"]).out)["rows"]
    redrawn = [rng.choice(group - group.mean(), (4000, len(group))) for group in groups]
    pooled = rng.permuted(np.tile(np.concatenate(groups), (4000, 1)), axis=1)
    dealt = pooled[:, :30], pooled[:, 30:]
    for row, (a, b) in zip(rows, (dealt, redrawn), strict=True):
        expected = np.mean(stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue < 0.05)
        assert abs(row["rate"] - expected) < 4 * np.sqrt(expected * (1 - expected) / 1000 * 1.25)
    assert [row["by"] for row in rows] == ["relabelled", "resampled"]
    assert rows[1]["too_often"]  # thirty values with a long tail
    assert "leave out --clusters and --test" in command([*call, "--test", "sign"], 2).err
    result = abrank.compare_scores("users.csv", measures="spent", design=abrank.Independent())
    assert abrank.aa_test(result).too_often == ("t",)
