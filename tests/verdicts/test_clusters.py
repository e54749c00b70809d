"""Queries that come in clusters, one of them perhaps much the largest: level, gates and plans."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.inference.clusters import run_cluster_test
from abrank.report import from_dict
from abrank.report.data import json_bytes
from tests.report.written import whole_text

# Sizes of the clusters: even ones, uneven ones, and one that has most of the queries.
EVEN, UNEVEN = [8] * 10, [2, 3, 5, 6, 6, 7, 7, 8, 8, 8, 9, 9, 9, 9, 10, 11, 12, 13, 16]
FIVE, ELEVEN, TWENTY = [60, 5, 5, 5, 5], [100, *[7] * 9, 2], [150, *[5] * 19]


def drawn(sizes, icc, count, rng):
    """Return differences of mean 0 and variance 1, shape (n, count), and the cluster of each."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    between = rng.normal(size=(len(sizes), count))[groups]
    return icc**0.5 * between + (1 - icc) ** 0.5 * rng.normal(size=(len(groups), count)), groups


def compare(d, groups, **how):
    ids = [f"q{i:03}" for i in range(len(d))]
    a = dict.fromkeys(ids, 0.5)
    b = dict(zip(ids, 0.5 + np.asarray(d), strict=True))
    texts = {query: f"u{group}" for query, group in zip(ids, groups, strict=True)}
    return abrank.compare_scores(a, b, design=abrank.Clusters(texts), **how)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [ELEVEN, TWENTY], ids=["11 clusters", "20 clusters"])
def test_the_verdict_keeps_its_level_where_one_cluster_has_most_queries(sizes) -> None:
    # t with G - 1 degrees of freedom found a difference in .29 to .47 of such samples.
    d, groups = drawn(sizes, 0.5, 150, np.random.default_rng(12))
    comparisons = [compare(0.1 * column, groups, resamples=499) for column in d.T]
    assert {first.clusters.test for first in comparisons} == {"permutation"}
    assert sum(first.decision.direction != 0 for first in comparisons) <= 15


def test_a_difference_is_still_found() -> None:
    d, groups = drawn(TWENTY, 0.1, 1, np.random.default_rng(3))
    comparison = compare(0.1 + 0.05 * d[:, 0], groups)
    assert str(comparison.verdict) == "better"
    text = whole_text(comparison)
    assert "decides by the sign-flip test of clusters" in text
    assert "as much evidence as 2.6 clusters of one size" in text


@pytest.mark.parametrize("count", [1, pytest.param(150, marks=pytest.mark.slow)])
def test_the_bootstrap_gives_way_to_flips_where_one_cluster_has_half_of_the_queries(count) -> None:
    # The bootstrap of clusters found a difference in 8 to 11 % of such samples.
    d, groups = drawn([95, *[5] * 19], 0.2, count, np.random.default_rng(14))
    comparisons = [compare(0.1 * column, groups, test="bootstrap", resamples=499) for column in d.T]
    assert {first.clusters.test for first in comparisons} == {"permutation"}
    assert sum(first.decision.direction != 0 for first in comparisons) <= max(0.1 * count, 1)
    text = whole_text(comparisons[0])
    assert "The bootstrap needs 7 of them: the sign flips of clusters decide in its place" in text
    d, groups = drawn([25, *[5] * 4], 0.2, 1, np.random.default_rng(5))
    none = compare(0.3 + 0.01 * d[:, 0], groups, test="bootstrap")
    assert (str(none.verdict), none.decision.reason) == ("cannot-test", "too-few-clusters")
    assert "of equal size; the bootstrap needs at least 7, sign flips 6" in " ".join(
        str(none).split()
    )


def test_fewer_than_three_effective_clusters_cannot_be_tested_where_flips_cannot() -> None:
    rng = np.random.default_rng(5)
    for sizes in (FIVE, [40, 5]):
        d, groups = drawn(sizes, 0.1, 1, rng)
        comparison = compare(0.3 + 0.01 * d[:, 0], groups, margin=0.02, require="non-inferior")
        assert str(comparison.verdict) == "cannot-test"
        assert comparison.decision.reason == "too-few-clusters"
        assert not comparison.decision.gate.passed
        text = " ".join(str(comparison).split())
        assert "of equal size; t needs at least 3, sign flips 6" in text


@pytest.mark.slow
def test_the_plan_says_of_which_clusters_its_queries_are(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    d, groups = drawn([6] * 12, 0.5, 1, np.random.default_rng(7))
    for name, values in (("a", np.full(72, 0.5)), ("b", 0.5 + 0.1 * d[:, 0])):
        rows = "".join(f"q{i},{value:.6f}\n" for i, value in enumerate(values))
        Path(f"{name}.csv").write_text(f"query_id,AP\n{rows}")
    rows = "".join(f"q{i},u{group}\n" for i, group in enumerate(groups))
    Path("who.csv").write_text(f"query_id,user\n{rows}")
    call = ["compare", "-v", "--scores", "a.csv", "b.csv", "-m", "AP", "--clusters", "who.csv"]
    text = " ".join(command([*call, "--margin", "0.03"]).out.split())
    assert "Queries needed, in new clusters, to detect a true Δ 80% of the time: about" in text
    loads = json.loads(command([*call, "--margin", "0.03", "--format", "json"]).out)
    assert loads["clusters"]["n_effective"] == 12
    row = next(item for item in loads["planning"]["differences"] if item["difference"] == 0.03)
    assert row["queries_needed"] > 72
    assert row["queries_same_clusters"] is None


def _table(seed: int, *, within: float) -> pd.DataFrame:
    """Scores of 40 users with 1 to 5 queries each, whose changes are alike by a share."""
    random = np.random.default_rng(seed)
    users = np.repeat(np.arange(40), random.integers(1, 6, 40))
    change = 0.05 + 0.2 * (
        within**0.5 * random.normal(size=40)[users]
        + (1.0 - within) ** 0.5 * random.normal(size=len(users))
    )
    columns = {"user": users, "query": np.arange(len(users))}
    parts = [
        pd.DataFrame({**columns, "variant": variant, "gain": 1.0 + effect})
        for variant, effect in (("control", 0.0 * change), ("treatment", change))
    ]
    return pd.concat(parts)


@pytest.mark.parametrize("unknown", [0, 1])
def test_a_column_of_users_that_would_change_the_verdict_puts_it_in_doubt(unknown: int) -> None:
    table = _table(6, within=0.6)
    table = table.assign(user=table["user"].astype(str).where(table["query"] >= unknown, None))
    plain = abrank.compare_scores(table, require="better")
    whole = abrank.compare_scores(table, design="user")
    assert (plain.verdict, whole.verdict) == ("better", "inconclusive")
    (reason,) = plain.soundness.reasons
    assert (reason.code, reason.values["clusters"]) == ("clusters-ignored", "user")
    assert reason.values["pvalue"] == whole.pvalue
    assert not plain.decision.gate.passed
    assert "Test whole clusters: --clusters user" in whole_text(plain)
    assert whole.soundness.level == "sound"
    assert from_dict(json.loads(json_bytes(plain))).soundness == plain.soundness


def test_a_column_of_users_that_changes_nothing_is_not_spoken_of() -> None:
    plain = abrank.compare_scores(_table(3, within=0.0))
    assert (plain.verdict, plain.soundness.level) == ("better", "sound")
    assert "In doubt" not in whole_text(plain)
    assert [item.clusters for item in plain.alternatives] == ["user"]


def test_what_clusters_leave_unseen_goes_by_their_number() -> None:
    d, groups = drawn(EVEN, 0.1, 1, np.random.default_rng(2))
    unseen = compare(0.1 * d[:, 0], groups).decision.unseen
    assert unseen.share == pytest.approx(1.0 - 0.05 ** (1 / len(EVEN)))


def test_a_guard_knows_of_the_clusters() -> None:
    d, groups = drawn(EVEN, 0.9, 1, np.random.default_rng(2))
    ids = [f"q{i:03}" for i in range(len(d))]
    a = pd.DataFrame({"query_id": ids, "AP": 0.5, "R@100": 0.5})
    b = a.assign(AP=0.55 + 0.01 * d[:, 0], **{"R@100": 0.53 + 0.1 * d[:, 0]})
    texts = {query: f"u{group}" for query, group in zip(ids, groups, strict=True)}
    asked = {"config": abrank.Question(primary="AP"), "guard": "R@100:-0.02"}
    (plain,) = abrank.compare_scores(a, b, **asked).decision.guards
    (guard,) = abrank.compare_scores(a, b, design=abrank.Clusters(texts), **asked).decision.guards
    alone = run_cluster_test("t", b["R@100"] - a["R@100"], groups, confidence=0.9)
    assert (guard.low, guard.high) == pytest.approx((alone.ci_low[0], alone.ci_high[0]))
    assert (plain.passed, guard.passed) == (True, False)


@pytest.mark.slow
def test_eighty_per_cent_power_is_eighty_per_cent() -> None:
    # What is planned from the error of each sample scatters; its median is held to the truth.
    rng = np.random.default_rng(21)
    sizes, icc = UNEVEN, 0.3
    pilots, groups = drawn(sizes, icc, 60, rng)
    visible = np.median([compare(d, groups).planning.smallest_visible for d in pilots.T])
    d, groups = drawn(sizes, icc, 4000, rng)
    assert 0.74 <= np.mean(run_cluster_test("t", d + visible, groups).pvalue < 0.05) <= 0.86
