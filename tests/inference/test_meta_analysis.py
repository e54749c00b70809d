"""Summaries over collections against statsmodels, and on collections without spread."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.meta_analysis import pool_collections

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
