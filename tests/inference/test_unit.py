"""What is measured in another unit is the same: no p-value depends on the scale of the scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank.inference import TESTS, run_joint_test, run_test
from abrank.inference.clusters import CLUSTER_TESTS, run_cluster_test
from abrank.inference.families import max_t

POWERS = st.one_of(
    st.integers(-40, 40).map(lambda k: 2.0**k), st.integers(-40, 40).map(lambda k: 10.0**k)
)
ASKED = [
    # "bounded" rests on differences of at most 1: their unit is part of what it asks.
    *((name, {}) for name in TESTS if name != "bounded"),
    ("permutation", {"method": "monte-carlo", "n_resamples": 500}),
]


def samples():
    """Few decimals, few values, reciprocal ranks, any numbers; few queries and more."""
    random = np.random.default_rng(8)
    for n in (7, 14, 24, 45):
        yield np.round(random.normal(0.02, 0.1, n), 4)
        yield random.integers(-3, 5, n) / 10
        yield 1 / random.integers(1, 15, n) - 1 / random.integers(1, 15, n)
        yield random.normal(0.05, 0.1, n)
        yield random.exponential(1.0, n) - 0.6


SAMPLES = list(samples())


def assert_scaled(found, scaled, factor, *, unit_free=False):
    np.testing.assert_allclose(scaled.pvalue, found.pvalue, rtol=1e-12)
    for end in ("ci_low", "ci_high"):
        limits = getattr(found, end) * (1.0 if unit_free else factor)
        np.testing.assert_allclose(getattr(scaled, end), limits, rtol=1e-9, atol=1e-12 * factor)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), ASKED)
@given(factor=POWERS, place=st.integers(0, len(SAMPLES) - 1))
@settings(max_examples=25)
def test_no_p_depends_on_the_unit(name, options, factor, place):
    d = SAMPLES[place]
    requested = options if name != "bootstrap" else {"n_resamples": 500} | options
    result, scaled = (run_test(name, item, **requested) for item in (d, d * factor))
    assert result.method == scaled.method
    assert_scaled(result, scaled, factor, unit_free=name == "sign")


@given(factor=POWERS)
@settings(max_examples=25)
def test_no_p_of_a_family_depends_on_the_unit(factor):
    d = np.column_stack([SAMPLES[10], SAMPLES[11], SAMPLES[12], SAMPLES[13]])
    result, scaled = (max_t(item, n_resamples=500) for item in (d, d * factor))
    assert_scaled(result, scaled, factor)
    np.testing.assert_allclose(scaled.pvalue_step_down, result.pvalue_step_down, rtol=1e-12)


@pytest.mark.parametrize("name", ["tukey", "randomised-tukey", "nemenyi", "max-t"])
@given(factor=POWERS)
@settings(max_examples=10)
def test_no_p_of_several_systems_depends_on_the_unit(name, factor):
    scores = np.abs(np.column_stack([SAMPLES[10], SAMPLES[12], SAMPLES[13]]))
    baseline = {"baseline": 0} if name == "max-t" else {}
    requested = {"n_resamples": 500} | baseline
    result, scaled = (run_joint_test(name, item, **requested) for item in (scores, scores * factor))
    np.testing.assert_allclose(scaled.pvalue_adj, result.pvalue_adj, rtol=1e-12)


@pytest.mark.parametrize("name", CLUSTER_TESTS)
@given(factor=POWERS)
@settings(max_examples=10)
def test_no_p_of_clusters_depends_on_the_unit(name, factor):
    d, clusters = SAMPLES[17], np.arange(45) % 12
    result, scaled = (
        run_cluster_test(name, item, clusters, n_resamples=500) for item in (d, d * factor)
    )
    assert_scaled(result, scaled, factor)
