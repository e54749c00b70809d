"""Tests for queries that come in clusters."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import bootstrap, clusters, run_test, sign_flips
from abrank.inference.clusters import (
    CLUSTER_TESTS,
    freedom_of_clusters,
    lasting_share,
    numbered,
    run_cluster_test,
)
from tests.inference.cr2 import dense_cr2

D = np.round(np.random.default_rng(5).normal(0.05, 0.2, 40), 3)
GROUPS = np.random.default_rng(6).integers(0, 9, 40)


@pytest.mark.parametrize("groups", [GROUPS, np.repeat([0, 1, 2, 3, 4, 5], [20, 8, 5, 4, 2, 1])])
def test_t_against_the_matrices_of_its_definition(groups) -> None:
    mean, error, freedom = dense_cr2(D, groups)
    cluster_test = run_cluster_test("t", D, groups)
    assert cluster_test.n_clusters == len(np.unique(groups))
    assert cluster_test.freedom == pytest.approx(freedom, rel=1e-9)
    assert cluster_test.statistic[0] == pytest.approx(mean / error, rel=1e-9)
    assert cluster_test.pvalue[0] == pytest.approx(
        2 * stats.t.sf(abs(mean / error), freedom), rel=1e-9
    )
    half = stats.t.ppf(0.975, freedom) * error
    assert [cluster_test.ci_low[0], cluster_test.ci_high[0]] == pytest.approx(
        [mean - half, mean + half]
    )


def test_so_many_times_the_clusters_have_the_freedom_of_the_clusters_repeated() -> None:
    sizes = [20, 8, 5, 4, 2, 1]
    assert freedom_of_clusters(sizes, times=3) == pytest.approx(freedom_of_clusters(sizes * 3))


def test_the_share_that_stays_is_that_of_the_analysis_of_variance() -> None:
    # 30 clusters of 6, a quarter of the variance between them: (1/4) / (1/4 + 3/4 / 6) = 2/3.
    random = np.random.default_rng(8)
    shares = []
    for _ in range(200):
        d = random.normal(0, 1, (30, 1)) + random.normal(0, 3**0.5, (30, 6))
        shares.append(lasting_share(d.sum(axis=1), np.full(30, 6), float((d**2).sum())))
    assert np.mean(shares) == pytest.approx(2 / 3, abs=0.03)


def brute_force(sums, sizes, theta):
    """Two-sided p of the shift by enumeration of all sign flips."""
    shifted = sums - sizes * theta
    flipped = np.array([np.dot(s, shifted) for s in product((1, -1), repeat=len(sums))])
    upper = np.mean(flipped >= shifted.sum() - 1e-9)
    return min(1.0, 2 * min(upper, np.mean(flipped <= shifted.sum() + 1e-9)))


@pytest.mark.every_case
@pytest.mark.parametrize("seed", range(8))
def test_permutation_against_enumeration(seed) -> None:
    random = np.random.default_rng(seed)
    d = random.integers(-2, 5, 18) / 10
    clusters = random.permutation(np.r_[np.arange(8), random.integers(0, 8, 10)])
    sums, sizes = np.bincount(clusters, d), np.bincount(clusters)
    cluster_test = run_cluster_test("permutation", d, clusters, confidence=0.9)
    assert cluster_test.method == "exact"
    assert cluster_test.pvalue[0] == pytest.approx(brute_force(sums, sizes, 0.0), abs=1e-12)
    # A limit is not rejected; a hair beyond it is.
    for limit, beyond in ((cluster_test.ci_low[0], -1e-6), (cluster_test.ci_high[0], 1e-6)):
        assert brute_force(sums, sizes, limit) >= 0.1 > brute_force(sums, sizes, limit + beyond)


def test_permutation_draws_flips_where_its_exact_p_would_be_unsure(monkeypatch) -> None:
    random = np.random.default_rng(3)
    d, clusters = random.normal(0.02, 1, 400), random.integers(0, 150, 400)
    exact = run_cluster_test("permutation", d, clusters)
    monkeypatch.setattr(sign_flips, "MAX_FREQUENCIES", 64)
    cluster_test = run_cluster_test("permutation", d, clusters, n_resamples=499, seed=2)
    assert [(result.method, result.n_resamples) for result in (exact, cluster_test)] == [
        ("exact", 0), ("Monte Carlo", 499)
    ]  # fmt: skip
    p = exact.pvalue[0]
    assert abs(cluster_test.pvalue[0] - p) < 4 * np.sqrt(p * (1 - p) / 499)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MANY_QUERIES", "MEMBERS_OF_A_PAIR"])
def test_bootstrap_draws_how_often_cells_of_a_grid_or_few_pairs_occur(monkeypatch, name) -> None:
    random = np.random.default_rng(8)
    d, groups = random.normal(0.05, 1, 900), random.integers(0, 400, 900)
    if name == "MEMBERS_OF_A_PAIR":  # as of clicks: a win, a tie or a loss
        d = np.sign(np.round(d)) / 2
    monkeypatch.setattr("abrank.inference.clusters.MEMBERS_OF_A_PAIR", 1_000)
    whole = run_cluster_test("bootstrap", d, groups)
    monkeypatch.setattr(f"abrank.inference.clusters.{name}", 4)
    cells = run_cluster_test("bootstrap", d, groups)
    assert cells.ci_low[0] != whole.ci_low[0]
    p = whole.pvalue[0]
    assert abs(cells.pvalue[0] - p) < 4 * np.sqrt(2 * p * (1 - p) / 9_999)
    # An order statistic: its error is that of its share over the density of t.
    width = whole.ci_high[0] - whole.ci_low[0]
    assert cells.ci_high[0] - cells.ci_low[0] == pytest.approx(width, rel=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLUSTER_TESTS)
def test_intervals_exclude_zero_exactly_when_p_is_below_alpha(name) -> None:
    random = np.random.default_rng(4)
    visited = set()
    for _ in range(60):
        n = int(random.integers(2, 60))
        d = random.integers(-2, 5, n) / random.choice([3, 10])
        clusters = random.integers(0, int(random.integers(1, 20)), n)
        for confidence in (0.5, 0.9, 0.95):
            cluster_test = run_cluster_test(
                name, d, clusters, confidence=confidence, n_resamples=199
            )
            excludes = bool(cluster_test.ci_low[0] > 0 or cluster_test.ci_high[0] < 0)
            assert excludes == (cluster_test.pvalue[0] < round(1 - confidence, 12))
            visited.add(excludes)
    assert visited == {True, False}


def test_columns_do_not_touch_each_other_and_labels_may_be_text() -> None:
    both = np.column_stack([D, -2 * D])
    for name in CLUSTER_TESTS:
        cluster_test = run_cluster_test(name, both, [f"u{g}" for g in GROUPS], n_resamples=199)
        alone = run_cluster_test(name, D, GROUPS, n_resamples=199)
        assert cluster_test.pvalue[0] == alone.pvalue[0] == pytest.approx(cluster_test.pvalue[1])
        assert (
            cluster_test.ci_low[0] == alone.ci_low[0] == pytest.approx(-cluster_test.ci_high[1] / 2)
        )


@pytest.mark.parametrize(("given", "said"), [
    (("t", [0.1, np.inf], [1, 2]), "finite"),
    (("t", [0.1, 0.2], [1]), "1 clusters do not fit 2"),
    (("sign", [0.1, 0.2], [1, 2]), "unknown cluster test"),
])  # fmt: skip
def test_arguments_without_meaning(given, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        run_cluster_test(*given)


def test_whole_numbers_are_numbered_as_their_distinct_values() -> None:
    for labels in ([5, 0, 5, 3], [90, 7, 90, -2], [10**12, 4, 4], []):
        names, places = numbered(np.array(labels, np.int64))
        distinct, expected = np.unique(np.array(labels, np.int64), return_inverse=True)
        assert names == tuple(map(str, distinct.tolist()))
        np.testing.assert_array_equal(places, expected)


def test_sums_of_many_clusters_are_drawn_on_a_grid(monkeypatch):
    cells = []

    def resampled(residual, *arguments):
        cells.append(len(residual))
        return bootstrap.resampled_t(residual, *arguments)

    monkeypatch.setattr(clusters, "resampled_t", resampled)
    d = np.random.default_rng(1).integers(-3000, 3001, 30_000) / 1e4
    drawn, by_t = (run_cluster_test(name, d, np.arange(len(d))) for name in ("bootstrap", "t"))
    assert cells[0] < 300  # of 5,900 different sums
    assert drawn.ci_high[0] - drawn.ci_low[0] == pytest.approx(
        by_t.ci_high[0] - by_t.ci_low[0], rel=0.03
    )


@pytest.mark.slow
def test_permutation_of_many_clusters_agrees_with_random_flips() -> None:
    # The flips of 99,999 random sets of clusters, four standard errors of p and of the limits.
    random = np.random.default_rng(12)
    for d in (random.normal(0.2, 1, 200), random.integers(-2, 4, 200) / 10):
        clusters = random.integers(0, 60, 200)
        index = np.unique(clusters, return_inverse=True)[1]
        sums, sizes = np.bincount(index, d), np.bincount(index)
        cluster_test = run_cluster_test("permutation", d, clusters)
        assert (cluster_test.method, cluster_test.n_resamples) == ("exact", 0)
        signs = random.choice([-1.0, 1.0], (99_999, len(sums)))
        shares = [
            np.mean(signs @ shifted >= shifted.sum() - 1e-9)
            for shifted in (sums - sizes * limit for limit in (0.0, cluster_test.ci_low[0]))
        ]
        for share, p in zip(shares, (cluster_test.pvalue[0] / 2.0, 0.025), strict=True):
            assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / 99_999) + 1e-4


@pytest.mark.slow
def test_bootstrap_keeps_its_level_against_itself() -> None:
    # 25 clusters of two or three alike queries, no effect: 400 samples, 4 standard errors.
    random = np.random.default_rng(1)
    clusters = np.r_[np.arange(25), np.arange(25), np.arange(10)]
    rejected = dict.fromkeys(("plain t", *CLUSTER_TESTS), 0)
    for _ in range(400):
        d = random.normal(0, 1, 25)[clusters] + random.normal(0, 0.3, 60)
        rejected["plain t"] += run_test("t", d).pvalue[0] < 0.05
        for name in CLUSTER_TESTS:
            rejected[name] += run_cluster_test(name, d, clusters, n_resamples=199).pvalue[0] < 0.05
    for name in CLUSTER_TESTS:
        assert abs(rejected[name] / 400 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400), rejected
    # What clusters are for: the plain test takes 60 queries for 60 pieces of evidence.
    assert rejected["plain t"] / 400 > 0.15
