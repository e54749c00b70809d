"""Segments against their tests alone, and Welch's test and Cochran's Q."""

import numpy as np
import pytest
from scipy import stats

from abrank.inference import adjust, run_test
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.inference.segments import heterogeneity
from tests.inference.segmented import compare_segments


def some(sizes, seed=0, shift=0.0):
    random = np.random.default_rng(seed)
    labels = [f"s{i}" for i, size in enumerate(sizes) for _ in range(size)]
    order = random.permutation(len(labels))
    return np.round(random.normal(shift, 0.2, len(labels)), 3), [labels[i] for i in order]


def test_each_segment_is_the_test_alone() -> None:
    d, labels = some([10, 20, 30])
    segments = compare_segments(d, labels, test="permutation", confidence=0.9, n_resamples=999)
    assert (segments.labels, segments.n_queries.tolist()) == (("s0", "s1", "s2"), [10, 20, 30])
    for i, name in enumerate(segments.labels):
        alone = run_test(
            "permutation", d[np.array(labels) == name], confidence=0.9, n_resamples=999
        )
        assert segments.mean[i] == pytest.approx(alone.estimate[0], abs=1e-12)
        assert segments.pvalue[i] == alone.pvalue[0]
        assert (segments.ci_low[i], segments.ci_high[i]) == (alone.ci_low[0], alone.ci_high[0])
    np.testing.assert_array_equal(segments.pvalue_adj, adjust(segments.pvalue, "holm"))


def test_small_segments_are_counted_only() -> None:
    d, labels = some([10, 10, 5])
    segments, without = (
        compare_segments(d, labels),
        compare_segments(d[np.array(labels) != "s2"], [label for label in labels if label != "s2"]),
    )
    assert segments.n_queries[2] == 5
    assert np.isfinite(segments.mean[2])
    rows = [
        segments.pvalue, segments.pvalue_adj, segments.ci_low, segments.ci_high,
        segments.ci_low_adj, segments.ci_high_adj,
    ]  # fmt: skip
    assert np.isnan([row[2] for row in rows]).all()
    np.testing.assert_array_equal(segments.pvalue_adj[:2], without.pvalue_adj)
    assert segments.interaction == without.interaction


def test_reversal_needs_most_segments_against_the_total() -> None:
    labels = ["big"] * 20 + ["one"] * 6 + ["two"] * 6
    d = [0.3, 0.5] * 10 + [-0.1, -0.2] * 6
    segments = compare_segments(d, labels)
    assert np.mean(d) > 0
    assert segments.reversal
    assert not compare_segments(d[:26], labels[:26]).reversal


# --- Welch's test and Cochran's Q

GROUPS = (
    [0.1, 0.2, -0.05, 0.3, 0, 0.15],
    [-0.1, 0.25, 0.05, 0.4, -0.3, 0.02, -0.2],
    [-0.4, -0.1, -0.2, 0.1, -0.35, -0.15, 0, -0.05],
)


def ask(groups):
    return heterogeneity(
        np.array([len(group) for group in groups], float),
        np.array([np.mean(group) for group in groups]),
        np.array([np.var(group, ddof=1) if len(group) > 1 else 0.0 for group in groups]),
    )


def test_against_statsmodels() -> None:
    # Of statsmodels 0.15: anova_oneway(GROUPS, use_var="unequal", welch_correction=True) and
    # combine_effects(means, variances of the means).
    result = ask(GROUPS)
    assert result.n_groups == 3
    assert result.statistic == pytest.approx(5.026968694391775, rel=1e-10)
    assert result.freedom == pytest.approx((2.0, 11.550323106244084), rel=1e-10)
    assert result.pvalue == pytest.approx(0.026882652679222355, rel=1e-9)
    assert result.q == pytest.approx(10.634235001603775, rel=1e-10)
    assert result.i_squared == pytest.approx(0.8119281735171007, rel=1e-10)
    assert result.q_pvalue == pytest.approx(stats.chi2.sf(result.q, 2), rel=1e-10)


def test_groups_that_cannot_be_judged_are_left_out() -> None:
    assert ask([*GROUPS, [0.3], [0.25, 0.25, 0.25]]) == ask(GROUPS)


@pytest.mark.parametrize(
    "groups", [[], [GROUPS[0]], [GROUPS[0], [0.2]], [[0.25, 0.25], [0.5, 0.5]]]
)
def test_fewer_than_two_groups_say_nothing(groups) -> None:
    result = ask(groups)
    assert np.isnan(
        [result.statistic, result.pvalue, result.q, result.i_squared, *result.freedom]
    ).all()


def test_equal_means_are_no_heterogeneity() -> None:
    result = ask([[0.1, 0.3], [0.0, 0.4]])
    assert (result.q, result.pvalue, result.i_squared) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("n", [6, 10, 40])
def test_limits_of_t_adjusted_for_skewness_are_where_its_p_is_the_level(n) -> None:
    d = np.random.default_rng(n).exponential(size=(n, 30)) - 0.7
    d[:, 0] = np.round(d[:, 0], 1)
    mean, error = mean_and_error(d)
    skewness = skewness_of(d)
    np.testing.assert_allclose(skewness, stats.skew(d), rtol=1e-12)
    for level in (0.2, 0.05, 0.01):
        alpha = np.full(30, level)
        pvalue, low, high = skewed_t(mean, error, skewness, n, alpha)
        assert ((low > 0) | (high < 0)).tolist() == (pvalue < level).tolist()
        for limit in (low, high):  # a mean at the limit is rejected at the level, and none inside
            position = skewed_t(mean - limit, error, skewness, n, alpha)[0]
            np.testing.assert_allclose(position, level, rtol=1e-7)
        inside = skewed_t(mean - (0.999 * low + 0.001 * high), error, skewness, n, alpha)[0]
        assert np.all(inside > level)


def test_a_skewness_of_nearly_none_changes_nearly_nothing() -> None:
    mean, error, alpha = np.array([0.1]), np.array([0.04]), np.array([0.05])
    plain = skewed_t(mean, error, np.zeros(1), 12, alpha)
    for skewness in (1e-13, 1e-9, -1e-6):
        result = skewed_t(mean, error, np.array([skewness]), 12, alpha)
        np.testing.assert_allclose(result, plain, rtol=10 * abs(skewness) + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon"])
def test_intervals_exclude_zero_exactly_when_p_is_below_alpha(test) -> None:
    visited = set()
    for seed in range(15):
        d, labels = some([8, 9, 12, 7], seed, shift=0.12)
        segments = compare_segments(d, labels, test=test, n_resamples=199)
        for p, low, high in (
            (segments.pvalue, segments.ci_low, segments.ci_high),
            (segments.pvalue_adj, segments.ci_low_adj, segments.ci_high_adj),
        ):
            excludes = (low > 0) | (high < 0)
            np.testing.assert_array_equal(p < 0.05, excludes)
            visited |= set(excludes.tolist())
        assert np.all(segments.ci_low_adj <= segments.ci_low)
        assert np.all(segments.ci_high_adj >= segments.ci_high)
    assert visited == {True, False}


@pytest.mark.slow
def test_level_against_itself() -> None:
    # Unequal variances and sizes, no difference: 4 standard errors of 2,000 replications.
    random = np.random.default_rng(3)
    rejected = sum(
        ask([random.normal(0, 1, 8), random.normal(0, 3, 20), random.normal(0, 0.3, 12)]).pvalue
        < 0.05
        for _ in range(2000)
    )
    assert abs(rejected / 2000 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000)
