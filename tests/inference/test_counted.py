"""Tests from counts against the same tests of single differences."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.inference import run_test
from abrank.inference.counted import Counts

_DRAWN = np.random.default_rng(4)
SAMPLES = {
    "two queries": np.array([0.1, 0.3]),
    "all 0": np.zeros(7),
    "one value": np.full(6, 0.25),
    "one differs": np.array([0.0] * 9 + [0.5]),
    "two values": np.array([0.5] * 12 + [-0.5] * 5),
    "tenths": _DRAWN.integers(-5, 7, 400) / 10,
    "reciprocals": _DRAWN.choice([-0.5, -1 / 3, 0.0, 0.25, 0.5, 1.0], 700),
    "decimals": np.round(_DRAWN.normal(0.02, 0.2, 350), 4),
}
TESTS = [
    ("permutation", {}),
    ("bootstrap", {"method": "percentile"}),
    ("bootstrap", {"method": "BCa"}),
    ("wilcoxon", {}),
    ("sign", {}),
]


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(("name", "options"), TESTS, ids=lambda each: str(each))
def test_counts_give_what_single_differences_do(sample, name, options):
    d = SAMPLES[sample]
    values, counts = np.unique(d, return_counts=True)
    found = Counts(values, counts, 0.0, float(d.sum())).run(name, alpha=0.05, **options)
    expected = run_test(name, d, **options)
    for key in ("estimate", "pvalue", "ci_low", "ci_high"):
        one, two = getattr(found, key)[0], getattr(expected, key)[0]
        assert one == pytest.approx(two, rel=1e-9, abs=1e-12, nan_ok=True), key


def test_quantiles_and_moments_are_those_of_numpy():
    from abrank.inference.shape import moments

    for d in SAMPLES.values():
        values, counts = np.unique(d, return_counts=True)
        counted = Counts(values, counts, 0.0, float(d.sum()))
        shares = np.linspace(0, 1, 23)
        np.testing.assert_allclose(counted.quantiles(shares), np.quantile(d, shares), atol=1e-14)
        np.testing.assert_allclose(counted.moments(), moments(d), rtol=1e-9, atol=1e-12)


def test_a_grid_moves_no_mean_and_its_bounds_hold_the_p_values():
    for seed in range(6):
        d = np.random.default_rng(seed).normal(0.01, 0.15, 800)
        step = 0.01
        binned = np.sign(d) * (np.ceil(np.abs(d) / step) - 0.5) * step
        values, counts = np.unique(binned, return_counts=True)
        counted = Counts(values, counts, step, float(d.sum()))
        assert counts @ counted.with_their_mean() == pytest.approx(d.sum(), rel=1e-12)
        for name in ("permutation", "wilcoxon"):
            found, expected = counted.run(name, alpha=0.05), run_test(name, d)
            assert found.pvalue_low[0] < expected.pvalue[0] < found.pvalue_high[0], name
            assert abs(found.ci_low[0] - expected.ci_low[0]) < step
