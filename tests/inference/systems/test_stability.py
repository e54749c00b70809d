"""Chances of ranks: resampled queries, the normal limit of very many, and none.

Many systems on several collections, queries drawn within them.
"""

import numpy as np
import pytest
from scipy.stats import norm, ttest_rel

from abrank._support.errors import ArgumentError
from abrank.inference import pool_collections
from abrank.inference.systems.stability import (
    compare_within_collections,
    rank_stability,
    resample_means,
)


def test_means_of_very_many_queries_are_drawn_from_their_normal_limit():
    random = np.random.default_rng(3)
    scores = random.random((2001, 1)) + random.normal(0.0, 0.1, (2001, 3))
    means = resample_means(scores, n_resamples=40_000, seed=1)
    covariance = np.cov(scores, rowvar=False, bias=True) / 2001
    # Four standard errors of a mean, and of a variance or covariance, of 40,000 normal draws.
    variances = np.diag(covariance)
    assert np.all(
        np.abs(means.mean(axis=0) - scores.mean(axis=0)) < 4 * np.sqrt(variances / 40_000)
    )
    error = np.sqrt((np.outer(variances, variances) + covariance**2) / 40_000)
    assert np.all(np.abs(np.cov(means, rowvar=False) - covariance) < 4 * error)


def test_the_chance_to_be_first_of_two_against_theory():
    scores = np.random.default_rng(5).random((2500, 2))
    scores[:, 1] += 0.005 - (scores[:, 1] - scores[:, 0]).mean()
    difference = scores[:, 1] - scores[:, 0]
    expected = norm.cdf(difference.mean() / (difference.std() / 50.0))
    stability = rank_stability(scores, n_resamples=20_000)
    assert stability.chances[1, 0] == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(20_000))


def test_no_query_gives_no_chance():
    stability = rank_stability(np.empty((0, 3)))
    assert np.isnan(stability.chances).all()
    assert stability.chances.shape == (3, 3)
    assert (stability.low.tolist(), stability.high.tolist(), stability.n_resamples) == (
        [0] * 3,
        [0] * 3,
        0,
    )


def made(seed: int, *, n: int = 20, m: int = 5, c: int = 4, shift: float = 0.0):
    random = np.random.default_rng(seed)
    spread = np.linspace(0.5, 2.0, m)  # the variances of the pairs differ
    return {
        str(i): random.beta(0.8, 1.5, (n, 1))
        + shift * np.arange(m)
        + random.normal(0.0, 0.05, (n, m)) * spread
        for i in range(c)
    }


def test_pairs_are_those_of_the_meta_analysis_with_equal_weights() -> None:
    blocks = made(1, shift=0.01)
    within_collections = compare_within_collections(blocks, n_resamples=999)
    for k, (i, j) in enumerate(zip(*within_collections.compared.pairs, strict=True)):
        pooled = pool_collections([block[:, j] - block[:, i] for block in blocks.values()]).equal
        assert within_collections.compared.estimate[k] == pytest.approx(pooled.estimate)
        assert within_collections.compared.pvalue[k] == pytest.approx(pooled.pvalue)
    alone = pool_collections([block[:, 2] for block in blocks.values()]).equal
    assert (within_collections.ci_low[2], within_collections.ci_high[2]) == pytest.approx(
        (alone.ci_low, alone.ci_high)
    )


def test_interval_excludes_zero_exactly_where_the_adjusted_p_is_below_alpha() -> None:
    for seed in range(30):
        compared = compare_within_collections(made(seed, shift=0.012), n_resamples=499).compared
        excludes = (compared.ci_low > 0.0) | (compared.ci_high < 0.0)
        assert (excludes == compared.distinct).all()
        assert (compared.pvalue_adj >= compared.pvalue - 1 / 500).all()


def test_two_systems_are_the_t_test_up_to_the_resamples() -> None:
    random = np.random.default_rng(4)
    a = random.uniform(size=400)
    b = a + random.normal(0.01, 0.1, 400)
    parts = {"x": np.stack([a, b], 1)[:200], "y": np.stack([a, b], 1)[200:]}
    compared = compare_within_collections(parts).compared
    assert compared.pvalue_adj[0] == pytest.approx(ttest_rel(b, a).pvalue, abs=0.02)


def test_resamples_have_the_variance_of_the_mean() -> None:
    blocks = made(2, c=3, n=10)
    within_collections = compare_within_collections(blocks)
    error = np.sqrt(sum(block.var(axis=0, ddof=1) / len(block) for block in blocks.values())) / 3
    assert within_collections.same_collections.std(axis=0) == pytest.approx(error, rel=0.03)
    half = norm.ppf(0.975) * error
    assert (within_collections.ci_high - within_collections.ci_low > 2 * half).all()
    # Of the collections drawn with replacement, and the queries within: two stages.
    between = np.var([block.mean(axis=0) for block in blocks.values()], axis=0)
    within = np.mean([block.var(axis=0) / len(block) for block in blocks.values()], axis=0)
    both = np.sqrt((between + within) / 3)
    assert within_collections.other_collections.std(axis=0) == pytest.approx(both, rel=0.03)


def test_degenerate_pairs_have_plain_answers() -> None:
    random = np.random.default_rng(5)
    a = random.uniform(size=(12, 1))
    blocks = {name: np.hstack([a, a, a + 0.1, a + random.normal(0, 0.1, a.shape)]) for name in "xy"}
    compared = compare_within_collections(blocks, n_resamples=99).compared
    assert compared.identical.tolist() == [True, False, False, False, False, False]
    assert (compared.pvalue_adj[0], compared.ci_low[0], compared.ci_high[0]) == (1.0, 0.0, 0.0)
    assert np.isnan(
        compared.pvalue_adj[1]
    )  # the same difference everywhere: no error to hold it by
    assert compared.ci_low[1] == -np.inf
    assert not compared.distinct[:2].any()
    with pytest.raises(ArgumentError, match="the collection y has one query"):
        compare_within_collections({"x": blocks["x"], "y": blocks["y"][:1]})
