"""Summaries over collections against statsmodels, and on collections without spread."""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.clusters import run_cluster_test
from abrank.inference.meta_analysis import pool_collections, segments_within
from tests.inference.segmented import compare_segments

COLLECTIONS = (
    [0.1, 0.2, -0.05, 0.3, 0, 0.15],
    [-0.1, 0.25, 0.05, 0.4, -0.3, 0.02, -0.2],
    [-0.4, -0.1, -0.2, 0.1, -0.35, -0.15, 0, -0.05],
)


def test_fixed_against_statsmodels() -> None:
    # Of statsmodels 0.15: combine_effects(means, errors squared), row "fixed effect".
    collections = pool_collections(COLLECTIONS)
    assert collections.fixed.estimate == pytest.approx(0.005537165218864541, abs=1e-12)
    assert collections.fixed.error == pytest.approx(0.036452582317248856, rel=1e-10)
    assert [collections.fixed.ci_low, collections.fixed.ci_high] == pytest.approx(
        [-0.06590858326642485, 0.07698291370415394], abs=1e-12
    )
    assert collections.weight_fixed == pytest.approx([0.47836467, 0.15359931, 0.36803602], abs=1e-8)


def test_random_against_statsmodels() -> None:
    # combine_effects(..., method_re="iterated", use_t=True), which stops iterating at 1e-5.
    collections = pool_collections(COLLECTIONS)
    assert collections.tau**2 == pytest.approx(0.013968464538069585, rel=1e-5)
    assert collections.random.estimate == pytest.approx(-0.0028155718305007613, abs=1e-8)
    assert collections.random.error == pytest.approx(0.07885746578706011, rel=1e-6)
    assert [collections.random.ci_low, collections.random.ci_high] == pytest.approx(
        [-0.342112, 0.336481], abs=2e-6
    )


def test_tau_leaves_the_squares_that_error_alone_would() -> None:
    collections = pool_collections(COLLECTIONS)
    weight = 1 / (collections.error**2 + collections.tau**2)
    mean = np.average(collections.mean, weights=weight)
    assert (weight * (collections.mean - mean) ** 2).sum() == pytest.approx(2.0, rel=1e-12)
    assert collections.random.estimate == pytest.approx(mean, abs=1e-14)
    # So the factor of Hartung and Knapp, these squares over k - 1, is 1.
    half = stats.t.isf(0.025, 2) / np.sqrt(weight.sum())
    assert collections.random.ci_high == pytest.approx(mean + half, rel=1e-9)
    wide = stats.t.isf(0.025, 1) * np.hypot(collections.tau, collections.random.error)
    assert collections.prediction_low == pytest.approx(mean - wide, rel=1e-9)


def test_stratified_is_the_mean_over_all_queries() -> None:
    collections = pool_collections(COLLECTIONS)
    assert collections.stratified.estimate == pytest.approx(np.concatenate(COLLECTIONS).mean())
    first = pool_collections([COLLECTIONS[0]])
    alone = run_test("t", COLLECTIONS[0])
    assert first.stratified.pvalue == pytest.approx(alone.pvalue[0], rel=1e-9)
    assert first.stratified.ci_low == pytest.approx(alone.ci_low[0], rel=1e-9)
    assert (first.ci_low[0], first.ci_high[0]) == pytest.approx(
        (alone.ci_low[0], alone.ci_high[0]), rel=1e-9
    )


def triple(summary):
    return (summary.pvalue, summary.ci_low, summary.ci_high)


NOTHING = (np.nan, np.nan, np.nan)
UNBOUNDED = (np.nan, -np.inf, np.inf)
ZERO = (1.0, 0.0, 0.0)


@pytest.mark.every_case
@pytest.mark.parametrize(("collections", "stratified", "fixed", "random"), [
    ([], NOTHING, NOTHING, NOTHING),
    ([[], []], NOTHING, NOTHING, NOTHING),
    ([[0.1]], UNBOUNDED, NOTHING, NOTHING),
    ([[0.1], [0.2]], UNBOUNDED, NOTHING, NOTHING),
    ([[0.1, 0.1], [0.2, 0.2]], UNBOUNDED, NOTHING, NOTHING),
    ([[0.0, 0.0], [0.0, 0.0]], ZERO, ZERO, ZERO),
    ([[0.0]], ZERO, ZERO, ZERO),
])  # fmt: skip
def test_degenerate(collections, stratified, fixed, random) -> None:
    result = pool_collections(collections)
    for summary, expected in (
        (result.stratified, stratified), (result.fixed, fixed), (result.random, random),
    ):  # fmt: skip
        assert triple(summary) == pytest.approx(expected, nan_ok=True)
    assert result.tau == 0.0
    limits = (0.0, 0.0) if random == ZERO else (-np.inf, np.inf)
    assert (result.prediction_low, result.prediction_high) == limits


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
    assert np.isfinite(pool_collections([*COLLECTIONS, [0.1] * 4]).stratified.pvalue)


@pytest.mark.parametrize(("given", "options", "said"), [
    ([[0.1, np.inf]], {}, "finite"),
    ([[[0.1, 0.2]]], {}, "one column"),
    ([[0.1]], {"confidence": 1.0}, "confidence"),
])  # fmt: skip
def test_arguments_without_meaning(given, options, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        pool_collections(given, **options)


def with_ties(n_ties=50, factor=1.0):
    """Two collections whose means are about .109, and one of ties."""
    random = np.random.default_rng(5)
    normals = [random.normal(0.0, 0.2, 50) for _ in range(2)]
    varied = [part - part.mean() + mean for part, mean in zip(normals, (0.12, 0.098), strict=True)]
    return [*(part * factor for part in varied), np.zeros(n_ties)]


def test_the_bound_is_the_share_of_queries_that_may_differ():
    collections = with_ties(20)
    result = pool_collections(collections)
    varied = np.concatenate(collections[:2])
    squared = result.error**2
    squared[2] = (1 - 0.05 ** (1 / 20)) * np.mean(varied**2) / 20
    assert result.weight_fixed == pytest.approx((1 / squared) / (1 / squared).sum())
    # Of one collection alone nothing is made up.
    assert np.isnan(result.error[2])
    assert (result.ci_low[2], result.ci_high[2]) == (-np.inf, np.inf)


def test_more_ties_are_more_sure_and_the_unit_changes_nothing():
    shares = [pool_collections(with_ties(n)).weight_fixed[2] for n in (5, 20, 50, 500)]
    assert shares == sorted(shares)
    assert shares[-1] < 1.0
    result, scaled = (pool_collections(with_ties(50, factor)) for factor in (1.0, 1e-9))
    assert scaled.random.pvalue == pytest.approx(result.random.pvalue, rel=1e-9)
    assert scaled.random.estimate == pytest.approx(result.random.estimate * 1e-9, rel=1e-9)


def test_one_value_that_is_not_zero_is_bounded_too():
    collections = pool_collections([*with_ties()[:2], np.full(30, 0.1)])
    assert collections.bounded.tolist() == [False, False, True]
    assert collections.weight_fixed[2] > 0.5


def test_zeros_of_the_others_bound_no_variance() -> None:
    tied, moved = np.zeros(20), np.array([0.2, -0.1, 0.3, 0.1])
    plain = pool_collections([moved, -moved, tied])
    with_zeros = pool_collections([np.append(moved, [0.0] * 6), np.append(-moved, [0.0] * 6), tied])
    # The bound on the tied collection: the mean square of the differences that are not 0.
    square, share = float(np.mean(moved**2)), 1.0 - 0.05 ** (1 / 20)
    for result, n in ((plain, 4), (with_zeros, 10)):
        x = np.append(moved, [0.0] * (n - 4))
        weights = 1 / np.array([x.var(ddof=1) / n, x.var(ddof=1) / n, square * share / 20])
        assert result.weight_fixed == pytest.approx(weights / weights.sum())


# --- Queries of collections that come in clusters

RANDOM = np.random.default_rng(5)
CLUSTERED = [
    RANDOM.normal(0.1, 0.3, n) + np.repeat(RANDOM.normal(0, 0.3, n // 3), 3) for n in (30, 45)
]
USERS = [[f"u{i // 3}" for i in range(len(part))] for part in CLUSTERED]


def test_clusters_give_each_collection_the_error_of_its_own_test() -> None:
    collections = pool_collections(CLUSTERED, clusters=USERS)
    alone = [run_cluster_test("t", *item) for item in zip(CLUSTERED, USERS, strict=True)]
    error = [abs(item.estimate[0] / item.statistic[0]) for item in alone]
    assert collections.error == pytest.approx(error)
    assert collections.ci_low == pytest.approx([item.ci_low[0] for item in alone])
    parts = [(30 / 75 * error[0]) ** 2, (45 / 75 * error[1]) ** 2]
    freedom = sum(parts) ** 2 / sum(
        x**2 / item.freedom for x, item in zip(parts, alone, strict=True)
    )
    assert collections.freedom == pytest.approx(freedom)
    assert collections.stratified.error == pytest.approx(np.sqrt(sum(parts)))
    expected = 2 * stats.t.sf(abs(collections.stratified.estimate) / np.sqrt(sum(parts)), freedom)
    assert collections.stratified.pvalue == pytest.approx(expected)


def test_a_collection_of_one_cluster_has_no_error_and_one_of_ties_a_bound() -> None:
    lone = pool_collections(CLUSTERED, clusters=[["u"] * 30, USERS[1]])
    assert np.isnan(lone.stratified.pvalue)
    assert lone.weight_random.tolist() == [0.0, 1.0]
    tied = pool_collections([[0.0] * 30, CLUSTERED[1]], clusters=USERS)
    assert tied.bounded.tolist() == [True, False]
    collections = pool_collections([[0.0] * 30, CLUSTERED[1]], clusters=[None, USERS[1]])
    assert (
        tied.weight_random[0] < collections.weight_random[0]
    )  # ten clusters say less than 30 queries
    assert np.isnan(pool_collections([[], []], clusters=[[], None]).freedom)


# --- Segments of the queries of several collections


def test_segments_of_one_collection_are_those_of_one() -> None:
    d = RANDOM.standard_exponential(60) - 0.8
    labels = ["a"] * 25 + ["b"] * 30 + ["c"] * 5
    plain = compare_segments(d, labels)
    parts = [d[:25], d[25:55], d[55:]]
    within = segments_within(
        parts, [["x"] * len(p) for p in parts], np.array([1, 1, 0], bool), 0.05
    )
    expected = [
        plain.pvalue, plain.ci_low, plain.ci_high,
        plain.pvalue_adj, plain.ci_low_adj, plain.ci_high_adj,
    ]  # fmt: skip
    assert within.answers == pytest.approx(np.array(expected), nan_ok=True)
    assert within.variance[:2] == pytest.approx([p.var(ddof=1) for p in parts[:2]])


def test_the_error_of_a_segment_is_from_within_the_collections() -> None:
    d = np.concatenate([RANDOM.normal(0.5, 0.1, 20), RANDOM.normal(-0.5, 0.1, 20)])
    strata = [["x"] * 20 + ["y"] * 20]
    within = segments_within([d], strata, np.array([True]), 0.05)
    pooled = pool_collections([d[:20], d[20:]])
    assert within.answers[:3, 0] == pytest.approx(
        [pooled.stratified.pvalue, pooled.stratified.ci_low, pooled.stratified.ci_high]
    )
    assert within.answers[2, 0] - within.answers[1, 0] < 0.2  # of one sample it would be 0.3
    users = [f"u{i // 4}" for i in range(40)]
    robust = segments_within([d], strata, np.array([True]), 0.05, [users])
    clustered = pool_collections([d[:20], d[20:]], clusters=[users[:20], users[20:]])
    assert robust.answers[0, 0] == pytest.approx(clustered.stratified.pvalue)
    assert robust.answers[3:, 0] == pytest.approx(robust.answers[:3, 0])  # nothing for skewness


@pytest.mark.parametrize(
    ("strata", "taken_for"),
    [
        ("xxxxxyyyyz", "xxxxxyyyyy"),  # one alone is part of the smallest other
        ("xxxxxxxxyz", "xxxxxxxxyy"),  # several are one together
        ("uvwxyzabcd", "xxxxxxxxxx"),
        ("xxxxxxxxxx", "xxxxxxxxxx"),
    ],
)
def test_collections_with_one_query_of_a_segment_are_taken_together(strata, taken_for) -> None:
    d = RANDOM.normal(0.2, 0.3, 10)
    segments_withins = [
        segments_within([d], [[*item]], np.array([True]), 0.05) for item in (strata, taken_for)
    ]
    assert segments_withins[0].answers == pytest.approx(segments_withins[1].answers)


def test_segments_that_do_not_vary() -> None:
    still, same = np.zeros(8), np.full(8, 0.3)
    strata = [[*"xxxxyyyy"]] * 2
    within = segments_within([still, same], strata, np.array([True, True]), 0.05)
    assert within.answers[:3, 0].tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(within.answers[0, 1])
    lone = segments_within([same], [["x"] * 8], np.array([True]), 0.05, [["u"] * 8])
    assert np.isnan(lone.answers[0, 0])


@pytest.mark.slow
def test_levels_against_themselves() -> None:
    # Effects vary by .3 about 0, errors by .2: 4 standard errors of 1,500 replications.
    random = np.random.default_rng(8)
    effects = random.normal(0, 0.3, (1500, 5))
    missed = {"fixed": 0, "random": 0, "prediction": 0}
    for row in effects:
        collections = pool_collections([random.normal(effect, 1.0, 25) for effect in row])
        for name in ("fixed", "random"):
            missed[name] += getattr(collections, name).pvalue < 0.05
        to_come = random.normal(0, 0.3)
        missed["prediction"] += (
            not collections.prediction_low < to_come < collections.prediction_high
        )
    tolerance = 4 * np.sqrt(0.05 * 0.95 / 1500)
    assert abs(missed["random"] / 1500 - 0.05) < tolerance, missed
    # The prediction interval is known to miss more often where collections are few.
    assert 0.05 < missed["prediction"] / 1500 < 0.11, missed
    # One common effect is not the case here, and taking it for granted misleads.
    assert missed["fixed"] / 1500 > 0.15
