"""One comparison over several collections."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.designs.meta_analysis import pool_collections

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
    with_flat = pool_collections([*COLLECTIONS, [0.1] * 4, []])
    plain = pool_collections(COLLECTIONS)
    assert with_flat.fixed == plain.fixed
    assert with_flat.random == plain.random
    assert with_flat.weight_fixed[3:].tolist() == [0.0, 0.0]
    assert with_flat.stratified.estimate == pytest.approx(
        np.mean(np.concatenate([*COLLECTIONS, [0.1] * 4]))
    )
    assert np.isfinite(with_flat.stratified.pvalue)
    one_query = pool_collections([*COLLECTIONS, [0.3]])
    assert np.isnan(one_query.stratified.pvalue)


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
