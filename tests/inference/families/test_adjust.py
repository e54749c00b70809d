from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import ADJUSTMENTS, adjust

P = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205])


def test_against_definitions():
    order = np.arange(8)
    np.testing.assert_allclose(adjust(P, "bonferroni"), np.minimum(1, 8 * P))
    np.testing.assert_allclose(adjust(P, "holm"), np.maximum.accumulate((8 - order) * P))
    step_up = np.minimum.accumulate(((8 - order) * P)[::-1])[::-1]
    np.testing.assert_allclose(adjust(P, "hochberg"), step_up)
    np.testing.assert_allclose(adjust(P, "bh"), stats.false_discovery_control(P))
    np.testing.assert_allclose(adjust(P, "by"), stats.false_discovery_control(P, method="by"))
    assert np.all(adjust(P, "hommel") <= adjust(P, "hochberg"))
    np.testing.assert_array_equal(adjust(P, "none"), P)


@pytest.mark.parametrize("method", list(ADJUSTMENTS))
def test_nan_is_no_member_and_order_does_not_matter(method):
    shuffled = np.random.default_rng(1).permutation(8)
    with_nan = np.insert(P[shuffled], 3, np.nan)
    adjusted = adjust(with_nan, method)
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


@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_small_and_empty_families(method) -> None:
    assert adjust(np.array([]), method).tolist() == []
    assert adjust(np.array([0.01]), method).tolist() == [0.01]
    assert np.isnan(adjust(np.array([np.nan]), method)).all()
    with_nan = adjust(np.array([np.nan, 0.01]), method)
    assert np.isnan(with_nan[0])
    assert with_nan[1] == 0.01
    assert adjust(np.array([0.0, 1.0]), method).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("pvalues", "holm", "bh"),
    [
        ([], [], []),
        ([0.01], [0.01], [0.01]),
        ([0.01, 0.04], [0.02, 0.04], [0.02, 0.04]),
        ([0.0] * 8, [0.0] * 8, [0.0] * 8),
        ([0.03] * 8, [0.24] * 8, [0.03] * 8),
        ([0.001] + [0.5] * 7, [0.008] + [1.0] * 7, [0.008] + [0.5] * 7),
        ([0.01] * 4 + [0.5] * 4, [0.08] * 4 + [1.0] * 4, [0.02] * 4 + [0.5] * 4),
        ([np.nan, 0.01, 0.04], [np.nan, 0.02, 0.04], [np.nan, 0.02, 0.04]),
    ],
)
def test_adjusted_cell(pvalues, holm, bh) -> None:
    for method, expected in (("holm", holm), ("bh", bh)):
        np.testing.assert_allclose(adjust(pvalues, method), expected, rtol=1e-12)


def test_adjusting_refuses_infinities() -> None:
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        adjust([0.01, np.inf], "holm")


@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_families_of_one_value(method) -> None:
    np.testing.assert_array_equal(adjust([0.0] * 8, method), 0.0)
    times = {"bonferroni": 8, "holm": 8, "hochberg": 1, "hommel": 1, "bh": 1, "none": 1}
    if method in times:
        np.testing.assert_allclose(adjust([0.03] * 8, method), 0.03 * times[method])


@pytest.mark.parametrize("method", ["holm", "bh"])
def test_our_own_are_statsmodels(method) -> None:
    from statsmodels.stats.multitest import multipletests

    random = np.random.default_rng(5)
    for size in (1, 2, 7, 300):
        pvalues = random.beta(0.3, 1.0, size).round(3)  # some are the same
        expected = multipletests(pvalues, method={"bh": "fdr_bh"}.get(method, method))[1]
        np.testing.assert_allclose(adjust(pvalues, method), expected, rtol=1e-14)
