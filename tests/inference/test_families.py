"""The tests of ``abrank/inference/families.py``."""

from itertools import product

import numpy as np
import pytest

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import ADJUSTMENTS, adjust
from abrank.inference.families import max_t, max_t_of_systems, share_of_alpha

P = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205])


@pytest.mark.every_case
@pytest.mark.parametrize("method", list(ADJUSTMENTS))
def test_nan_is_no_member_and_order_does_not_matter(method):
    shuffled = np.random.default_rng(1).permutation(8)
    adjusted = adjust(np.insert(P[shuffled], 3, np.nan), method)
    assert np.isnan(adjusted[3])
    np.testing.assert_allclose(np.delete(adjusted, 3), adjust(P, method)[shuffled])
    assert np.all(adjust(P, method) >= P)
    assert np.isnan(adjust([np.nan], method)).all()
    assert adjust([], method).size == 0
    np.testing.assert_array_equal(adjust([0.03], method), [0.03])
    assert adjust(P.reshape(2, 4), method).shape == (2, 4)


def test_bad_arguments():
    with pytest.raises(UnknownNameError, match="did you mean holm"):
        adjust(P, "hlm")
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        adjust([0.1, 1.1], "holm")


@pytest.mark.parametrize("method", [method for method in ADJUSTMENTS if method != "none"])
def test_against_statsmodels(method) -> None:
    from statsmodels.stats.multitest import multipletests

    theirs = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}.get(method, method)
    random = np.random.default_rng(5)
    for size in (1, 2, 7, 300):
        pvalues = random.beta(0.3, 1.0, size).round(3)  # some are the same, some are 1
        with np.errstate(divide="ignore"):
            expected = multipletests(pvalues, method=theirs)[1]
        np.testing.assert_array_equal(adjust(pvalues, method), expected)


def test_the_critical_value_is_an_order_statistic_of_the_largest():
    d = np.random.default_rng(6).normal(0.1, 0.3, (9, 2))
    signs = np.array(list(product((1, -1), repeat=9)))
    largest = (np.abs(signs @ d) / np.sqrt((d**2).sum(axis=0))).max(axis=1)
    # 51 of 512 is the least count with a p of at least .099; each value comes with both signs.
    critical = np.sort(largest)[-51]
    t = critical * np.sqrt(8 / (9 - critical**2))
    half = t * d.std(axis=0, ddof=1) / 3
    result = max_t(d, confidence=0.901)
    np.testing.assert_allclose(result.ci_high - result.ci_low, 2 * half, rtol=1e-6)


def test_a_column_of_zeros_beside_others_and_no_resamples():
    d = np.zeros((6, 3))
    d[:, 1], d[:, 2] = 0.1, [0.1, 0.2, -0.1, 0.3, 0.2, 0.1]
    result = max_t(d)
    assert (result.pvalue[0], result.ci_low[0], result.ci_high[0]) == (1.0, 0.0, 0.0)
    # Six equal differences reach the largest z there is, and are the rarest event: p = 2 / 64.
    assert result.pvalue[1] == 2 / 64
    with pytest.raises(ArgumentError, match="n_resamples"):
        max_t(d, n_resamples=0)


def enumerated(d):
    """Step-down, single-step and plain p by all flips, as defined."""
    scale = np.sqrt((d**2).sum(axis=0))
    z = np.abs(np.array(list(product((1, -1), repeat=len(d)))) @ d) / scale
    observed = np.abs(d.sum(axis=0)) / scale
    step_down = np.empty(d.shape[1])
    for column in range(d.shape[1]):
        above = np.flatnonzero(observed >= observed[column] - 1e-9)
        step_down[column] = max(
            (z[:, observed <= observed[i] + 1e-9].max(axis=1) >= observed[i] - 1e-9).mean()
            for i in above
        )
    single = (z.max(axis=1)[:, None] >= observed - 1e-9).mean(axis=0)
    return step_down, single, (z >= observed - 1e-9).mean(axis=0)


def test_step_down_against_its_definition_and_enumeration():
    random = np.random.default_rng(14)
    gained = 0
    for _ in range(20):
        d = random.integers(-2, 6, (9, 4)) / 10
        if not d.any(axis=0).all():
            continue
        result = max_t(d)
        step_down, single, alone = enumerated(d)
        np.testing.assert_array_equal(result.pvalue, single)
        np.testing.assert_array_equal(result.pvalue_step_down, step_down)
        np.testing.assert_array_equal(result.pvalue_alone, alone)
        assert np.all(result.pvalue_step_down <= result.pvalue)
        gained += int(np.sum(result.pvalue_step_down < result.pvalue))
    assert gained > 20


@pytest.mark.parametrize("kind", ["alike", "far apart", "few values", "copies", "enumerated"])
def test_pairs_that_are_left_out_change_no_number(kind: str) -> None:
    draw = np.random.default_rng(7)
    n = 7 if kind == "enumerated" else 30
    base = draw.random((n, 1)) + np.repeat(draw.normal(0.0, 0.2, (n, 8)), 10, axis=1)
    scores = base + draw.normal(0.0, 1e-6 if kind == "copies" else 0.2, (n, 80))
    scores += np.linspace(0.0, 0.3, 80) * (kind == "far apart")
    scores = scores.round(1) if kind == "few values" else scores
    scores[:, 40:42] = scores[:, :1]
    pairs = np.triu_indices(80, 1)
    whole = max_t_of_systems(scores, *pairs, n_resamples=127)
    part = max_t_of_systems(scores, *pairs, n_resamples=127, alone_of_first=True)
    for name in ("pvalue", "pvalue_step_down", "ci_low", "ci_high"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name))
    of_first = pairs[0] == 0
    np.testing.assert_array_equal(part.pvalue_alone[of_first], whole.pvalue_alone[of_first])
    assert np.isnan(part.pvalue_alone).sum() > 500


@pytest.mark.slow
def test_of_many_queries_the_law_is_the_same_against_the_normal_one(monkeypatch):
    from scipy.stats import multivariate_normal

    random = np.random.default_rng(8)
    d = random.normal(size=(20_000, 1)) + random.normal(0.0, [0.5, 1.0], (20_000, 2))
    d += np.array([0.012, 0.016]) - d.mean(axis=0)
    result = max_t(d, seed=4)
    assert result.n_resamples == 2**15 - 1
    z = np.abs(d.sum(axis=0)) / np.sqrt((d**2).sum(axis=0))
    root = np.sqrt((d**2).sum(axis=0))
    correlation = d.T @ d / np.outer(root, root)
    for column in range(2):
        box = np.full(2, z[column])
        inside = multivariate_normal(cov=correlation).cdf(box, lower_limit=-box)
        error = 4.0 * np.sqrt(inside * (1.0 - inside) / 2**15)
        assert abs(result.pvalue[column] - (1.0 - inside)) < error
    monkeypatch.setattr("abrank.inference.families.MANY_QUERIES", 20_000)
    sample = max_t(d, seed=4)
    assert sample.n_resamples == 19_999
    np.testing.assert_allclose(result.pvalue, sample.pvalue, atol=0.016)
    np.testing.assert_allclose(result.ci_low, sample.ci_low, atol=2e-4)
    excludes = (result.ci_low > 0) | (result.ci_high < 0)
    np.testing.assert_array_equal(result.pvalue < 0.05, excludes)


@pytest.mark.parametrize("method", ["bonferroni", "sidak", "holm", "hochberg", "bh", "by"])
def test_the_level_of_an_interval_is_that_of_the_test(method) -> None:
    """Also where the adjusted p is 1: of Bonferroni it is alpha / m, as Dunn (1961) has it."""
    random, alpha = np.random.default_rng(4), 0.05
    for _ in range(200):
        pvalues = random.random(random.integers(1, 12)) ** random.integers(1, 6)
        share = share_of_alpha(pvalues, method, alpha)
        np.testing.assert_array_equal(pvalues < share * alpha, adjust(pvalues, method) < alpha)
        m = len(pvalues)
        if method == "bonferroni":
            np.testing.assert_allclose(share, 1.0 / m)
        elif method == "sidak":
            np.testing.assert_allclose(share * alpha, 1.0 - (1.0 - alpha) ** (1.0 / m))
        elif method == "holm":  # no interval is wider than Bonferroni's nor narrower than by rank
            rank = m - np.argsort(np.argsort(pvalues))
            assert np.all((share >= 1.0 / m - 1e-12) & (share <= 1.0 / rank + 1e-12))


@pytest.mark.slow
@pytest.mark.parametrize("n_resamples", [99, 199, 4095])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_intervals_exclude_zero_exactly_when_p_is_below_alpha(n_resamples, confidence):
    random = np.random.default_rng(n_resamples)
    visited = set()
    for _ in range(60):
        d = random.integers(-2, 5, (int(random.integers(1, 20)), 3)) / random.choice([3, 10])
        result = max_t(d, confidence=confidence, n_resamples=n_resamples, seed=3)
        excludes = (result.ci_low > 0) | (result.ci_high < 0)
        np.testing.assert_array_equal(result.pvalue < round(1 - confidence, 12), excludes)
        visited |= set(excludes.tolist())
    assert visited == {True, False} or n_resamples * (1 - confidence) < 1


@pytest.mark.slow
def test_a_false_finding_among_true_ones_is_as_rare_as_promised():
    """Two of five columns move; any false finding among the others: 2,000 samples, level .05."""
    from scipy import stats

    random = np.random.default_rng(16)
    wrong = {"single": 0, "step down": 0}
    for _ in range(2000):
        shared = random.normal(0, 0.2, (30, 1))
        d = shared + random.normal(0, 0.2, (30, 5)) + np.array([0.3, 0.3, 0, 0, 0])
        result = max_t(d, n_resamples=499)
        wrong["single"] += bool((result.pvalue[2:] < 0.05).any())
        wrong["step down"] += bool((result.pvalue_step_down[2:] < 0.05).any())
    print(wrong)
    assert wrong["single"] <= wrong["step down"] <= stats.binom.isf(0.0005, 2000, 0.05)
