from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import adjust, run_test
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.inference.strata import (
    Segments,
    compare_segments,
    heterogeneity,
    pool_collections,
)


def some(sizes, seed=0, shift=0.0):
    random = np.random.default_rng(seed)
    labels = [f"s{i}" for i, size in enumerate(sizes) for _ in range(size)]
    order = random.permutation(len(labels))
    d = np.round(random.normal(shift, 0.2, len(labels)), 3)
    return d, [labels[i] for i in order]


def test_each_segment_is_the_test_alone() -> None:
    d, labels = some([10, 20, 30])
    found = compare_segments(d, labels, test="permutation", confidence=0.9, n_resamples=999)
    assert found.labels == ("s0", "s1", "s2")
    assert found.n_queries.tolist() == [10, 20, 30]
    for i, name in enumerate(found.labels):
        alone = run_test(
            "permutation", d[np.array(labels) == name], confidence=0.9, n_resamples=999
        )
        assert found.mean[i] == pytest.approx(alone.estimate[0], abs=1e-12)
        assert found.pvalue[i] == alone.pvalue[0]
        assert (found.ci_low[i], found.ci_high[i]) == (alone.ci_low[0], alone.ci_high[0])
    np.testing.assert_array_equal(found.pvalue_adj, adjust(found.pvalue, "holm"))


@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon"])
def test_intervals_exclude_zero_exactly_when_p_is_below_alpha(test) -> None:
    seen = set()
    for seed in range(15):
        d, labels = some([8, 9, 12, 7], seed, shift=0.12)
        found = compare_segments(d, labels, test=test, n_resamples=199)
        for p, low, high in (
            (found.pvalue, found.ci_low, found.ci_high),
            (found.pvalue_adj, found.ci_low_adj, found.ci_high_adj),
        ):
            excludes = (low > 0) | (high < 0)
            np.testing.assert_array_equal(p < 0.05, excludes)
            seen |= set(excludes.tolist())
        assert np.all(found.ci_low_adj <= found.ci_low)
        assert np.all(found.ci_high_adj >= found.ci_high)
    assert seen == {True, False}


def test_small_segments_are_counted_only() -> None:
    d, labels = some([10, 10, 5])
    found, without = (
        compare_segments(d, labels),
        compare_segments(d[np.array(labels) != "s2"], [label for label in labels if label != "s2"]),
    )
    assert found.n_queries[2] == 5
    assert np.isfinite(found.mean[2])
    rows = [found.pvalue, found.pvalue_adj, found.ci_low, found.ci_high, found.ci_low_adj,
            found.ci_high_adj]  # fmt: skip
    assert np.isnan([row[2] for row in rows]).all()
    np.testing.assert_array_equal(found.pvalue_adj[:2], without.pvalue_adj)
    assert found.interaction == without.interaction
    assert compare_segments(d, labels, min_queries=5).interaction.n_groups == 3


def test_interaction_is_found_where_segments_differ() -> None:
    d, labels = some([40, 40])
    d[np.array(labels) == "s1"] += 0.3
    assert compare_segments(d, labels).interaction.pvalue < 1e-6
    assert compare_segments(*some([40, 40])).interaction.pvalue > 0.01


def test_reversal_needs_most_segments_against_the_total() -> None:
    labels = ["big"] * 20 + ["one"] * 6 + ["two"] * 6
    d = [0.3, 0.5] * 10 + [-0.1, -0.2] * 6
    found = compare_segments(d, labels)
    assert found.total > 0
    assert (found.n_along, found.n_against, found.reversal) == (1, 2, True)
    one_each = compare_segments(d[:26], labels[:26])
    assert (one_each.n_along, one_each.n_against, one_each.reversal) == (1, 1, False)


def nothing_said(found: Segments) -> bool:
    return bool(np.isnan(found.interaction.pvalue)) and not found.reversal


CASES = {
    "no query": ([], []),
    "one query": ([0.1], ["x"]),
    "two queries": ([0.1, -0.2], ["x", "y"]),
    "all zero": ([0.0] * 12, ["x"] * 6 + ["y"] * 6),
    "one value": ([0.1] * 12, ["x"] * 6 + ["y"] * 6),
    "one differs": ([0.0] * 11 + [0.4], ["x"] * 6 + ["y"] * 6),
    "one segment": ([0.1, 0.2, 0.3, 0.1, 0.2, 0.4], ["x"] * 6),
}


@pytest.mark.parametrize("case", CASES)
def test_degenerate_segments(case) -> None:
    d, labels = CASES[case]
    found = compare_segments(d, labels)
    assert nothing_said(found)
    if case == "no query":
        assert found.labels == ()
        assert np.isnan(found.total)
        return
    assert found.total == pytest.approx(np.mean(d))
    if case in ("one query", "two queries"):
        assert np.isnan(found.pvalue).all()
    if case == "all zero":
        assert (found.pvalue_adj == 1).all()
        assert (found.ci_low_adj == 0).all()
        assert (found.ci_high_adj == 0).all()
    if case == "one value":
        assert np.isnan(found.pvalue_adj).all()
        assert np.isinf(found.ci_low_adj).all()
        exact = compare_segments(d, labels, test="permutation")
        assert exact.pvalue.tolist() == [2**-5, 2**-5]
    if case == "one differs":
        assert found.pvalue[0] == 1.0
        assert found.pvalue[1] > 0.3


@pytest.mark.parametrize(
    ("d", "labels", "options", "said"),
    [
        ([0.1, np.inf], ["x", "y"], {}, "finite"),
        ([0.1, 0.2], ["x"], {}, "1 labels do not fit 2"),
        ([[0.1, 0.2]], ["x"], {}, "one column"),
        ([0.1], ["x"], {"min_queries": 0}, "min_queries"),
        ([0.1], ["x"], {"confidence": 95}, "confidence"),
        ([0.1] * 6, ["x"] * 6, {"test": "z"}, "unknown test"),
    ],
)
def test_arguments_of_segments_without_meaning(d, labels, options, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        compare_segments(d, labels, **options)


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
    found = ask(GROUPS)
    assert found.n_groups == 3
    assert found.statistic == pytest.approx(5.026968694391775, rel=1e-10)
    assert found.freedom == pytest.approx((2.0, 11.550323106244084), rel=1e-10)
    assert found.pvalue == pytest.approx(0.026882652679222355, rel=1e-9)
    assert found.q == pytest.approx(10.634235001603775, rel=1e-10)
    assert found.i_squared == pytest.approx(0.8119281735171007, rel=1e-10)
    assert found.q_pvalue == pytest.approx(stats.chi2.sf(found.q, 2), rel=1e-10)


def test_two_groups_are_welchs_t() -> None:
    expected = stats.ttest_ind(GROUPS[0], GROUPS[2], equal_var=False)
    found = ask([GROUPS[0], GROUPS[2]])
    assert found.statistic == pytest.approx(expected.statistic**2, rel=1e-10)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


def test_groups_that_cannot_be_judged_are_left_out() -> None:
    with_others = ask([*GROUPS, [0.3], [0.25, 0.25, 0.25]])
    assert with_others == ask(GROUPS)


@pytest.mark.parametrize(
    "groups", [[], [GROUPS[0]], [GROUPS[0], [0.2]], [[0.25, 0.25], [0.5, 0.5]]]
)
def test_fewer_than_two_groups_say_nothing(groups) -> None:
    found = ask(groups)
    assert np.isnan([found.statistic, found.pvalue, found.q, found.i_squared, *found.freedom]).all()


def test_equal_means_are_no_heterogeneity() -> None:
    found = ask([[0.1, 0.3], [0.0, 0.4]])
    assert (found.q, found.pvalue, found.i_squared) == (0.0, 1.0, 0.0)


def test_level_against_itself() -> None:
    # Unequal variances and sizes, no difference: 4 standard errors of 2,000 replications.
    random = np.random.default_rng(3)
    rejected = sum(
        ask([random.normal(0, 1, 8), random.normal(0, 3, 20), random.normal(0, 0.3, 12)]).pvalue
        < 0.05
        for _ in range(2000)
    )
    assert abs(rejected / 2000 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize("n", [6, 10, 40])
def test_t_is_adjusted_for_skewness_whichever_finds_less(n) -> None:
    random = np.random.default_rng(n)
    d = random.exponential(size=(n, 30)) - 0.7
    d[:, 0] = np.round(d[:, 0], 1)
    mean, error = mean_and_error(d)
    skewness = skewness_of(d)
    np.testing.assert_allclose(skewness, stats.skew(d), rtol=1e-12)
    g, size = skewness * (1 + 6 / n), mean / (error * np.sqrt(n))
    hall = size + g * size**2 / 3 + g**2 * size**3 / 27 + g / (6 * n)
    plain = stats.ttest_1samp(d, 0.0)
    expected = np.maximum(plain.pvalue, 2 * stats.t.sf(np.abs(hall) * np.sqrt(n), n - 1))
    for level in (0.2, 0.05, 0.01):
        alpha = np.full(30, level)
        pvalue, low, high = skewed_t(mean, error, skewness, n, alpha)
        np.testing.assert_allclose(pvalue, expected, rtol=1e-9)
        assert ((low > 0) | (high < 0)).tolist() == (pvalue < level).tolist()
        for limit in (low, high):  # a mean at the limit is rejected at the level, and none inside
            at = skewed_t(mean - limit, error, skewness, n, alpha)[0]
            np.testing.assert_allclose(at, level, rtol=1e-7)
        inside = skewed_t(mean - (0.999 * low + 0.001 * high), error, skewness, n, alpha)[0]
        assert np.all(inside > level)


def test_a_skewness_of_nearly_none_changes_nearly_nothing() -> None:
    mean, error, alpha = np.array([0.1]), np.array([0.04]), np.array([0.05])
    plain = skewed_t(mean, error, np.zeros(1), 12, alpha)
    for skewness in (1e-13, 1e-9, -1e-6):
        found = skewed_t(mean, error, np.array([skewness]), 12, alpha)
        np.testing.assert_allclose(found, plain, rtol=10 * abs(skewness) + 1e-12)


def test_few_skewed_differences_show_less_in_a_segment() -> None:
    d = np.array([-0.1, -0.12, -0.08, -0.11, -0.09, -0.1, -0.13, 0.02, -0.12, -0.02])
    labels = ["few"] * 10 + ["even"] * 10
    found = compare_segments([*d, *np.tile([0.1, -0.1], 5)], labels)
    (at,) = np.flatnonzero(np.array(found.labels) == "few")
    assert found.pvalue_adj[at] > 2 * found.pvalue[at]
    mirrored = compare_segments([*-d, *np.tile([0.1, -0.1], 5)], labels)
    assert mirrored.pvalue_adj[at] == pytest.approx(found.pvalue_adj[at], rel=1e-12)
    assert mirrored.ci_low_adj[at] == pytest.approx(-found.ci_high_adj[at], rel=1e-12)


COLLECTIONS = (
    [0.1, 0.2, -0.05, 0.3, 0, 0.15],
    [-0.1, 0.25, 0.05, 0.4, -0.3, 0.02, -0.2],
    [-0.4, -0.1, -0.2, 0.1, -0.35, -0.15, 0, -0.05],
)


def test_fixed_against_statsmodels() -> None:
    # Of statsmodels 0.15: combine_effects(means, errors squared), row "fixed effect".
    found = pool_collections(COLLECTIONS)
    assert found.fixed.estimate == pytest.approx(0.005537165218864541, abs=1e-12)
    assert found.fixed.error == pytest.approx(0.036452582317248856, rel=1e-10)
    assert [found.fixed.ci_low, found.fixed.ci_high] == pytest.approx(
        [-0.06590858326642485, 0.07698291370415394], abs=1e-12
    )
    assert found.weight_fixed == pytest.approx([0.47836467, 0.15359931, 0.36803602], abs=1e-8)


def test_random_against_statsmodels() -> None:
    # combine_effects(..., method_re="iterated", use_t=True), which stops iterating at 1e-5.
    found = pool_collections(COLLECTIONS)
    assert found.tau**2 == pytest.approx(0.013968464538069585, rel=1e-5)
    assert found.random.estimate == pytest.approx(-0.0028155718305007613, abs=1e-8)
    assert found.random.error == pytest.approx(0.07885746578706011, rel=1e-6)
    assert [found.random.ci_low, found.random.ci_high] == pytest.approx(
        [-0.342112, 0.336481], abs=2e-6
    )


def test_tau_leaves_the_squares_that_error_alone_would() -> None:
    found = pool_collections(COLLECTIONS)
    weight = 1 / (found.error**2 + found.tau**2)
    mean = np.average(found.mean, weights=weight)
    assert (weight * (found.mean - mean) ** 2).sum() == pytest.approx(2.0, rel=1e-12)
    assert found.random.estimate == pytest.approx(mean, abs=1e-14)
    # So the factor of Hartung and Knapp, these squares over k - 1, is 1.
    half = stats.t.isf(0.025, 2) / np.sqrt(weight.sum())
    assert found.random.ci_high == pytest.approx(mean + half, rel=1e-9)
    wide = stats.t.isf(0.025, 1) * np.hypot(found.tau, found.random.error)
    assert found.prediction_low == pytest.approx(mean - wide, rel=1e-9)


def test_alike_collections_have_no_tau() -> None:
    found = pool_collections([COLLECTIONS[0], COLLECTIONS[0], COLLECTIONS[0]])
    assert found.tau == 0.0
    assert found.random.estimate == pytest.approx(found.fixed.estimate)
    assert found.random.error == pytest.approx(found.fixed.error)
    # t with two degrees of freedom in place of the normal law.
    assert found.random.ci_low < found.fixed.ci_low


def test_stratified_is_the_mean_over_all_queries() -> None:
    found = pool_collections(COLLECTIONS)
    assert found.stratified.estimate == pytest.approx(np.concatenate(COLLECTIONS).mean())
    one = pool_collections([COLLECTIONS[0]])
    alone = run_test("t", COLLECTIONS[0])
    assert one.stratified.pvalue == pytest.approx(alone.pvalue[0], rel=1e-9)
    assert one.stratified.ci_low == pytest.approx(alone.ci_low[0], rel=1e-9)
    assert (one.ci_low[0], one.ci_high[0]) == pytest.approx(
        (alone.ci_low[0], alone.ci_high[0]), rel=1e-9
    )


def test_levels_against_themselves() -> None:
    # Effects vary by .3 about 0, errors by .2: 4 standard errors of 1,500 replications.
    random = np.random.default_rng(8)
    effects = random.normal(0, 0.3, (1500, 5))
    missed = {"fixed": 0, "random": 0, "prediction": 0}
    for row in effects:
        found = pool_collections([random.normal(effect, 1.0, 25) for effect in row])
        for name in ("fixed", "random"):
            missed[name] += getattr(found, name).pvalue < 0.05
        to_come = random.normal(0, 0.3)
        missed["prediction"] += not found.prediction_low < to_come < found.prediction_high
    tolerance = 4 * np.sqrt(0.05 * 0.95 / 1500)
    assert abs(missed["random"] / 1500 - 0.05) < tolerance, missed
    # The prediction interval is known to miss more often where collections are few.
    assert 0.05 < missed["prediction"] / 1500 < 0.11, missed
    # One common effect is not the case here, and taking it for granted misleads.
    assert missed["fixed"] / 1500 > 0.15


def triple(summary):
    return (summary.pvalue, summary.ci_low, summary.ci_high)


NOTHING = (np.nan, np.nan, np.nan)
UNBOUNDED = (np.nan, -np.inf, np.inf)
ZERO = (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("collections", "stratified", "fixed", "random"),
    [
        ([], NOTHING, NOTHING, NOTHING),
        ([[], []], NOTHING, NOTHING, NOTHING),
        ([[0.1]], UNBOUNDED, NOTHING, NOTHING),
        ([[0.1], [0.2]], UNBOUNDED, NOTHING, NOTHING),
        ([[0.1, 0.1], [0.2, 0.2]], UNBOUNDED, NOTHING, NOTHING),
        ([[0.0, 0.0], [0.0, 0.0]], ZERO, ZERO, ZERO),
        ([[0.0]], ZERO, ZERO, ZERO),
    ],
)
def test_degenerate(collections, stratified, fixed, random) -> None:
    found = pool_collections(collections)
    for summary, expected in (
        (found.stratified, stratified), (found.fixed, fixed), (found.random, random),
    ):  # fmt: skip
        assert triple(summary) == pytest.approx(expected, nan_ok=True)
    assert found.tau == 0.0
    limits = (0.0, 0.0) if random == ZERO else (-np.inf, np.inf)
    assert (found.prediction_low, found.prediction_high) == limits


def test_a_collection_that_cannot_be_judged_is_left_out_of_two_summaries() -> None:
    with_one = pool_collections([*COLLECTIONS, [0.1], []])
    plain = pool_collections(COLLECTIONS)
    assert with_one.fixed == plain.fixed
    assert with_one.random == plain.random
    assert with_one.weight_fixed[3:].tolist() == [0.0, 0.0]
    assert not with_one.bounded.any()
    assert with_one.stratified.estimate == pytest.approx(
        np.mean(np.concatenate([*COLLECTIONS, [0.1]]))
    )
    assert np.isnan(with_one.stratified.pvalue)
    flat = pool_collections([*COLLECTIONS, [0.1] * 4])
    assert np.isfinite(flat.stratified.pvalue)


def test_one_that_can_be_judged_has_no_random_effect() -> None:
    found = pool_collections([COLLECTIONS[0]])
    assert triple(found.random) == pytest.approx(NOTHING, nan_ok=True)
    assert found.fixed.estimate == pytest.approx(np.mean(COLLECTIONS[0]))
    assert found.fixed.pvalue < 0.05


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ([[0.1, np.inf]], {}, "finite"),
        ([[[0.1, 0.2]]], {}, "one column"),
        ([[0.1]], {"confidence": 1.0}, "confidence"),
    ],
)
def test_arguments_without_meaning(given, options, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        pool_collections(given, **options)


def with_ties(n_ties=50, factor=1.0):
    """Two collections whose means are about .109, and one of ties."""
    random = np.random.default_rng(5)
    drawn = [random.normal(0.0, 0.2, 50) for _ in range(2)]
    varied = [part - part.mean() + mean for part, mean in zip(drawn, (0.12, 0.098), strict=True)]
    return [*(part * factor for part in varied), np.zeros(n_ties)]


def test_a_collection_of_ties_counts_in_the_summaries():
    """It was left out without a word: the mean of the others alone."""
    found, without = pool_collections(with_ties()), pool_collections(with_ties()[:2])
    assert without.random.estimate == pytest.approx(0.109, abs=0.001)
    assert found.bounded.tolist() == [False, False, True]
    assert not without.bounded.any()
    assert (found.weight_random > 0.0).all()
    assert found.weight_random[2] > found.weight_random[0]
    assert 0.0 < found.random.estimate < 0.075
    assert found.fixed.estimate < found.random.estimate
    assert found.random.pvalue > without.random.pvalue
    assert found.tau > without.tau == 0.0


def test_the_bound_is_the_share_of_queries_that_may_differ():
    collections = with_ties(20)
    found = pool_collections(collections)
    varied = np.concatenate(collections[:2])
    squared = found.error**2
    squared[2] = (1 - 0.05 ** (1 / 20)) * np.mean(varied**2) / 20
    assert found.weight_fixed == pytest.approx((1 / squared) / (1 / squared).sum())
    # Of one collection alone nothing is made up.
    assert np.isnan(found.error[2])
    assert (found.ci_low[2], found.ci_high[2]) == (-np.inf, np.inf)


def test_more_ties_are_more_sure_and_the_unit_changes_nothing():
    shares = [pool_collections(with_ties(n)).weight_fixed[2] for n in (5, 20, 50, 500)]
    assert shares == sorted(shares)
    assert shares[-1] < 1.0
    found, scaled = (pool_collections(with_ties(50, factor)) for factor in (1.0, 1e-9))
    assert scaled.random.pvalue == pytest.approx(found.random.pvalue, rel=1e-9)
    assert scaled.random.estimate == pytest.approx(found.random.estimate * 1e-9, rel=1e-9)


def test_one_value_that_is_not_zero_is_bounded_too():
    found = pool_collections([*with_ties()[:2], np.full(30, 0.1)])
    assert found.bounded.tolist() == [False, False, True]
    assert found.weight_fixed[2] > 0.5


def test_zeros_of_the_others_bound_no_variance() -> None:
    tied, moved = np.zeros(20), np.array([0.2, -0.1, 0.3, 0.1])
    plain = pool_collections([moved, -moved, tied])
    with_zeros = pool_collections([np.append(moved, [0.0] * 6), np.append(-moved, [0.0] * 6), tied])
    # The bound on the tied collection: the mean square of the differences that are not 0.
    square, share = float(np.mean(moved**2)), 1.0 - 0.05 ** (1 / 20)
    for found, n in ((plain, 4), (with_zeros, 10)):
        x = np.append(moved, [0.0] * (n - 4))
        weights = 1 / np.array([x.var(ddof=1) / n, x.var(ddof=1) / n, square * share / 20])
        assert found.weight_fixed == pytest.approx(weights / weights.sum())
