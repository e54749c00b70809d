"""Designs through the command: clusters, looks, and what does not go together."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from abrank.cli import run
from abrank.comparison import Comparison
from abrank.inference.sequential import level_of_seen
from tests.inference.cr2 import dense_cr2
from tests.report.written import text

N = 60


@pytest.fixture
def differences(tmp_path, monkeypatch):
    """Scores of two systems on 60 queries in 15 conversations of three sizes: a.csv, b.csv."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    conversation = np.sort(rng.integers(0, 15, N))
    normal, shared = rng.normal(0, 0.08, N), rng.normal(0, 0.08, 15)[conversation]
    a = rng.uniform(0.3, 0.6, N).round(4)
    b = (a + 0.05 + normal + shared).round(4)
    for name, ap, recall in (("a", a, a), ("b", b, b - 0.06)):
        table = {"query_id": [f"q{i:02}" for i in range(N)], "AP": ap, "R@100": recall.round(4)}
        pd.DataFrame(table).to_csv(f"{name}.csv", index=False)
    Path("who.csv").write_text(
        "query_id,conversation,device\n"
        + "".join(f"q{i:02},c{c},d{i % 2}\n" for i, c in enumerate(conversation))
    )
    return b - a, conversation


def compare(capsys, *arguments: str):
    """Return what ``--format json`` prints; it must render again, and the words with it."""
    Path("results.json").unlink(missing_ok=True)
    call = ["compare", "--scores", "a.csv", "b.csv", "-m", "AP", *arguments]
    digits = 3
    assert run([*call, "--report", "results.json"]) in (0, 1), capsys.readouterr().err
    sentence = capsys.readouterr().out.partition("\nreport ")[0]
    comparison = Comparison.from_json("results.json")
    assert text(comparison, digits=digits).partition("\ngate ")[0] == sentence.rstrip("\n")
    written = text(comparison, digits=digits, detail="all")
    return {"said": " ".join(written.split()), **json.loads(Path("results.json").read_text())}


# ---- clusters


@pytest.mark.slow
def test_clusters_plan_with_their_own_error_and_give_no_effect_size_interval(differences, capsys):
    plain, comparison = compare(capsys), compare(capsys, "--segments", "who.csv", "--clusters",
                                            "conversation")  # fmt: skip
    clusters, titles = comparison["clusters"], [test["title"] for test in comparison["tests"]]
    n_effective = N**2 / (np.bincount(differences[1]) ** 2).sum()
    assert clusters["n_effective"] == pytest.approx(n_effective)
    assert f"as much evidence as {n_effective:.1f} clusters of one size" in comparison["said"]
    assert "times that of independent queries" in comparison["said"]
    assert [titles[0], titles[-1]] == ["Cluster-robust t", "Paired t, clusters ignored"]
    assert [item["name"] for item in comparison["segments"]] == ["device"]
    _, of_clusters, freedom = dense_cr2(*differences)
    assert clusters["freedom"] == pytest.approx(freedom)
    ratio = clusters["error_ratio"]
    assert ratio == pytest.approx(of_clusters / (plain["planning"]["sd"] / N**0.5))
    assert ratio > 1.1
    # By the degrees of freedom of the clusters, which are fewer than those of the queries.
    error = plain["planning"]["sd"] / N**0.5 * ratio
    critical, visible = stats.t.ppf(0.975, freedom), comparison["planning"]["smallest_visible"]
    assert visible > ratio * plain["planning"]["smallest_visible"]
    sf = stats.nct.sf(critical, freedom, visible / error)
    assert sf + stats.nct.cdf(-critical, freedom, visible / error) == pytest.approx(0.8)
    assert comparison["effects"]["d_z"]["ci_low"] is None


def test_clusters_must_cover_every_query(differences, capsys) -> None:
    Path("c.csv").write_text("query_id,user\nq00,u1\n")
    call = ["compare", "--scores", "a.csv", "b.csv", "--clusters", "c.csv"]
    assert run(call) == 3
    assert "clusters by user: 59 queries of 60 have none (q01, q02, q03 …)" in (
        capsys.readouterr().err
    )
    assert run([*call[:-1], "who.csv"]) == 3
    assert "several columns could be the clusters: conversation, device" in capsys.readouterr().err
    assert run([*call[:-1], "nobody"]) == 2


def test_one_cluster_cannot_be_tested(differences, capsys) -> None:
    Path("c.csv").write_text("query_id,who\n" + "".join(f"q{i:02},u1\n" for i in range(N)))
    comparison = compare(capsys, "--clusters", "c.csv")
    assert comparison["verdict"]["state"] == "cannot-test"
    assert "cannot be tested: all queries come in one cluster" in comparison["said"]
    assert "Add queries of other clusters: these are too few for a test." in comparison["said"]


# ---- looks


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_one_sided_claims_about_the_margin_keep_alpha_over_all_looks(n, spending) -> None:
    """Both one-sided tests take the two-sided level of a look: no more than .05 in all."""
    looks = [range(1, k + 2) for k in range(n)]
    z = [stats.norm.isf(level_of_seen(k, n, spending=spending, alpha=0.05)) for k in looks]
    share = np.arange(1, n + 1) / n
    paths = np.sqrt(np.minimum.outer(share, share) / np.maximum.outer(share, share))
    visible = 1.0 - stats.multivariate_normal.cdf(z, cov=paths, abseps=1e-5, releps=1e-5)
    assert 0.046 < visible < 0.05


# ---- what does not go together


@pytest.mark.parametrize(("flags", "message"), [
    ("--clusters who --test wilcoxon", "clusters are tested by t, permutation, bootstrap"),
    ("--clusters who --config adjust=max-t", "max-t flips the signs of single queries"),
    ("--look 1/90", "look 1 of 90 comes too early"),
    ("--guard R@100:-1e", "a guard is MEASURE:-X"),
    ("--guard R@100:-0.1", "--guard is a condition of a gate: add --require or --fail-on worse"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused_with_the_reason(differences, flags, message, capsys):
    Path("c.csv").write_text("query_id,who\n" + "".join(f"q{i:02},{i % 9}\n" for i in range(N)))
    gate = () if message.startswith("--guard") else ("--fail-on", "worse")
    call = ["compare", "--scores", "a.csv", "b.csv", "-m", "AP", "-m", "R@100", *gate]
    assert run([*call, *flags.replace(" who", " c.csv").split()]) == 2
    sentence = " ".join(capsys.readouterr().err.split())
    assert message in sentence
    assert sentence.lower().startswith(("error: ", "usage: "))
