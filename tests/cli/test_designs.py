"""Designs through the command: each against statsmodels, published boundaries or a stored case."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from abrank.cli import run
from abrank.comparison import Comparison
from abrank.inference.sequential import anytime_result, level_of_seen
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
    second = (b - 0.06).round(4)
    write(a, b, {"AP": (a, b), "R@100": (a, second)})
    Path("who.csv").write_text(
        "query_id,conversation,device\n"
        + "".join(f"q{i:02},c{c},d{i % 2}\n" for i, c in enumerate(conversation))
    )
    return {"d": b - a, "guard": second - a, "groups": conversation, "a": a, "b": b}


def write(a, b, columns=None) -> None:
    columns = columns or {"AP": (a, b)}
    for place, name in enumerate("ab"):
        lines = [
            ",".join([f"q{i:02}", *(repr(float(c[place][i])) for c in columns.values())])
            for i in range(len(a))
        ]
        Path(f"{name}.csv").write_text("\n".join([",".join(["query_id", *columns]), *lines]) + "\n")


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


def refused(capsys, *arguments: str) -> str:
    assert run(["compare", "--scores", "a.csv", "b.csv", "-m", "AP", *arguments]) == 2
    return " ".join(capsys.readouterr().err.split())


# ---- clusters


@pytest.mark.slow
@pytest.mark.parametrize("how", ["file", "column"])
def test_clusters_against_the_matrices_of_the_definition(differences, how, capsys) -> None:
    d, groups = differences["d"], differences["groups"]
    mean, error, freedom = dense_cr2(d, groups)
    half = stats.t.ppf(0.975, freedom) * error
    plain = OLS(d, np.ones(N)).fit()
    requested = ["--segments", "who.csv", "--clusters", "conversation"]
    if how == "file":
        Path("c.csv").write_text(
            "query_id,conversation\n" + "".join(f"q{i:02},{c}\n" for i, c in enumerate(groups))
        )
        requested = ["--clusters", "c.csv"]
    comparison = compare(capsys, *requested)
    row = comparison["measures"][0]
    assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(mean) / error, freedom), rel=1e-9)
    assert [row["ci_low"], row["ci_high"]] == pytest.approx([mean - half, mean + half], rel=1e-9)
    assert comparison["clusters"]["error_ratio"] == pytest.approx(error / plain.bse[0])
    assert comparison["clusters"]["freedom"] == pytest.approx(freedom)
    assert comparison["clusters"]["n_clusters"] == len(set(groups.tolist()))
    assert comparison["verdict"]["interval"]["low"] == row["ci_low"]
    titles = [item["title"] for item in comparison["tests"]]
    assert [titles[0], titles[-1]] == ["Cluster-robust t", "Paired t, clusters ignored"]
    assert comparison["tests"][-1]["pvalue"] == pytest.approx(plain.pvalues[0], rel=1e-9)
    assert "clusters by conversation" in comparison["said"]
    assert "times that of independent queries" in comparison["said"]
    assert [item["name"] for item in comparison["segments"]] == (
        ["device"] if how == "column" else []
    )
    n_effective = comparison["clusters"]["n_effective"]
    assert n_effective == pytest.approx(
        N**2 / (np.unique(groups, return_counts=True)[1] ** 2).sum()
    )
    assert f"as much evidence as {n_effective:.1f} clusters of one size" in comparison["said"]


@pytest.mark.slow
def test_clusters_plan_with_their_own_error_and_give_no_effect_size_interval(differences, capsys):
    plain, comparison = compare(capsys), compare(capsys, "--segments", "who.csv", "--clusters",
                                            "conversation")  # fmt: skip
    ratio = comparison["clusters"]["error_ratio"]
    assert ratio > 1.1
    # By the degrees of freedom of the clusters, which are fewer than those of the queries.
    freedom, error = comparison["clusters"]["freedom"], plain["planning"]["sd"] / N**0.5 * ratio
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

# Lan and DeMets' boundaries at five even looks, two-sided .05: O'Brien-Fleming and Pocock spending,
# as the program ld98 and Jennison & Turnbull (2000), table 7.1 print them.
PUBLISHED = {
    "obrien-fleming": [4.877, 3.357, 2.680, 2.290, 2.031],
    "pocock": [2.438, 2.427, 2.410, 2.397, 2.386],
}


@pytest.mark.slow
@pytest.mark.parametrize("spending", PUBLISHED)
@pytest.mark.parametrize("look", [1, 3, 5])
def test_a_look_decides_by_its_published_boundary(differences, look, spending, capsys) -> None:
    comparison = compare(capsys, "--look", f"{look}/5:{spending}")
    level = 2 * stats.norm.sf(PUBLISHED[spending][look - 1])
    # Three printed decimals of z leave the level open by 5e-4 times the density, and some.
    assert comparison["settings"]["alpha"] == pytest.approx(level, rel=6e-3)
    t = stats.ttest_1samp(differences["d"], 0.0)
    low = t.confidence_interval(1 - comparison["settings"]["alpha"]).low
    assert comparison["verdict"]["interval"]["low"] == pytest.approx(low, rel=1e-6)
    assert (comparison["verdict"]["direction"] != 0) == (t.pvalue < comparison["settings"]["alpha"])
    assert comparison["settings"]["design"]["alpha"] == 0.05
    assert f"Look {look} of 5" in comparison["said"]
    assert (
        "report a difference in 5% of comparisons in AP, at any of the looks" in comparison["said"]
    )
    assert comparison["planning"]["smallest_visible"] > 0
    last = look == 5
    assert ("look again" in comparison["said"] or "Go on to look" in comparison["said"]) == (
        not last and comparison["verdict"]["direction"] == 0
    )


@pytest.mark.parametrize("spending", PUBLISHED)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_one_sided_claims_about_the_margin_keep_alpha_over_all_looks(n, spending) -> None:
    """Both one-sided tests take the two-sided level of a look: no more than .05 in all."""
    looks = [range(1, k + 2) for k in range(n)]
    z = [stats.norm.isf(level_of_seen(k, n, spending=spending, alpha=0.05)) for k in looks]
    share = np.arange(1, n + 1) / n
    paths = np.sqrt(np.minimum.outer(share, share) / np.maximum.outer(share, share))
    visible = 1.0 - stats.multivariate_normal.cdf(z, cov=paths, abseps=1e-5, releps=1e-5)
    assert 0.046 < visible < 0.05


# ---- any time


def test_a_confidence_sequence_against_its_closed_form(differences, capsys) -> None:
    comparison = compare(capsys, "--anytime", "80")
    d = differences["d"]
    mean, sd, alpha = d.mean(), d.std(ddof=1), 0.05
    rho = (2 * np.log(1 / alpha) + np.log(1 + 2 * np.log(1 / alpha))) / 80
    half = sd * np.sqrt(2 * (N * rho + 1) / (N**2 * rho) * np.log(np.sqrt(N * rho + 1) / alpha))
    interval = comparison["verdict"]["interval"]
    assert [interval["low"], interval["high"]] == pytest.approx([mean - half, mean + half])
    assert comparison["tests"][0]["title"] == "Confidence sequence"
    t = stats.ttest_1samp(d, 0.0).confidence_interval()
    assert f"{half / (t.high - mean):.2f} times as wide" in comparison["said"]


def test_a_confidence_sequence_against_the_stored_case(shared_data) -> None:
    cases = json.loads((shared_data / "stat_cases.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "seq01")
    arguments, expected = case["input"], case["expected"]
    n, mean, sd = arguments["n"], arguments["mean"], arguments["sd"]
    values = mean + sd * np.sqrt((n - 1) / n) * np.where(np.arange(n) % 2, 1.0, -1.0)
    spent = 2 * np.log(1 / arguments["alpha"])
    planned = round((spent + np.log1p(spent)) / (arguments["tau"] / sd) ** 2)
    result = anytime_result(values, planned=planned, alpha=arguments["alpha"], confidence=0.95)
    # The number of queries planned is a whole one: rho is that of the case to .03 %.
    assert result.ci_high[0] - mean == pytest.approx(expected["half_width"], rel=1e-4)
    assert result.pvalue[0] == pytest.approx(expected["p_always_valid"], rel=1e-3)


def test_a_confidence_sequence_is_silent_before_25_queries(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    a = np.linspace(0.1, 0.5, 24)
    write(a, a + 0.1 + a / 10)
    comparison = compare(capsys, "--anytime", "100")
    assert comparison["verdict"]["state"] == "inconclusive"
    assert comparison["verdict"]["interval"] == {"confidence": 0.95, "low": "-inf", "high": "inf"}


# ---- what does not go together


@pytest.mark.parametrize(("flags", "message"), [
    ("--clusters who --test wilcoxon", "clusters are tested by t, permutation, bootstrap"),
    ("--anytime 100 --test permutation", "by t or bounded, not of permutation"),
    ("--anytime 100 --look 1/2", "two ways of looking more than once"),
    ("--anytime 100 --clusters who", "with clusters plan the looks: --look 1/3"),
    ("--anytime 100 --margin 2%", "Fieller's interval, which is for one look"),
    ("--clusters who --config adjust=max-t", "max-t flips the signs of single queries"),
    ("--look 5/4", "look 5 is not one of 4"),
    ("--look half", "this look of those planned, such as 2/4"),
    ("--look 1/90", "look 1 of 90 comes too early"),
    ("--guard R@100", "a guard is MEASURE:-X"),
    ("--guard R@100:-1e", "a guard is MEASURE:-X"),
    ("--guard R@100:-120%", "the guard R@100:-120% allows to lose everything"),
    ("--guard P@5:-0.1", "no measure 'P@5' here; there are AP, R@100"),
    ("--guard R@100:-0.1", "--guard adds to a gate: give --require or --fail-on worse"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused_with_the_reason(differences, flags, message, capsys):
    Path("c.csv").write_text("query_id,who\n" + "".join(f"q{i:02},{i % 9}\n" for i in range(N)))
    gate = () if message.startswith("--guard") else ("--fail-on", "worse")
    sentence = refused(capsys, *flags.replace(" who", " c.csv").split(), "-m", "R@100", *gate)
    assert message in sentence
    assert sentence.lower().startswith(("error: ", "usage: "))


# ---- guards


def test_guards_are_the_one_sided_tests_at_alpha_and_the_gate_is_the_conjunction(
    differences, capsys
) -> None:
    low = stats.ttest_1samp(differences["guard"], 0.0).confidence_interval(0.90).low
    assert low < 0
    requested = ["-m", "R@100", "--require", "better", "--guard"]
    for allowed, passes in ((-low * 1.01, True), (-low * 0.99, False)):
        comparison = compare(capsys, *requested, f"R@100:-{allowed:.6f}")
        (guard,) = comparison["verdict"]["guards"]
        assert guard["low"] == pytest.approx(low, rel=1e-6)
        assert guard["passed"] == passes
        lacks = "" if passes else "guards"
        assert comparison["verdict"]["gate"] == {
            "require": "better",
            "passed": passes,
            "lacks": lacks,
        }
        gate = comparison["said"].partition("gate ")[2]
        if passes:
            assert gate.startswith("passed: better on AP; R@100 is not worse by ")
        else:
            assert gate.startswith("not passed: R@100 may have lost ")
    assert comparison["verdict"]["state"] == "better"
    assert "Do not ship b by this rule: R@100 may be worse by its margin." in comparison["said"]


# ---- the pseudo-median of the queries that differ


def test_the_pseudo_median_is_that_of_the_stored_case_and_stands_in_no_text(
    shared_data, tmp_path, monkeypatch, capsys
) -> None:
    cases = json.loads((shared_data / "stat_cases.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "hl01")
    monkeypatch.chdir(tmp_path)
    d = np.array(case["input"]["d"])
    write(np.full(len(d), 0.5), 0.5 + d)
    comparison = compare(capsys)
    low, high = case["expected"]["ci"]
    row = next(item for item in comparison["tests"] if item["test"] == "wilcoxon")
    assert row["estimate"] == pytest.approx(case["expected"]["hl"], abs=1e-9)
    assert [row["ci_low"], row["ci_high"]] == pytest.approx([low, high], abs=1e-9)
    assert "median" not in comparison["said"]
