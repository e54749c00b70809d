"""The tests of ``abrank/inference/exact/student.py``."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from scipy import stats
from scipy.special import ndtri, stdtr

from abrank.inference import run_test
from abrank.inference.exact.student import chance_above, noncentrality_interval, student_quantile

# --- Quantiles of Student's t against closed forms and against their own distribution
# function

PROBABILITIES = np.array([1e-6, 0.0005, 0.005, 0.025, 0.05, 0.15, 0.4, 0.6, 0.85, 0.975, 0.9995])


def test_one_and_two_degrees_of_freedom_have_closed_forms() -> None:
    one = -1.0 / np.tan(np.pi * PROBABILITIES)
    two = (2 * PROBABILITIES - 1) / np.sqrt(2 * PROBABILITIES * (1 - PROBABILITIES))
    np.testing.assert_allclose(student_quantile(1.0, PROBABILITIES), one, rtol=1e-12)
    np.testing.assert_allclose(student_quantile(2.0, PROBABILITIES), two, rtol=1e-12)


def test_four_degrees_of_freedom_have_a_closed_form() -> None:
    alpha = 4 * PROBABILITIES * (1 - PROBABILITIES)
    root = np.cos(np.arccos(np.sqrt(alpha)) / 3) / np.sqrt(alpha)
    four = np.sign(PROBABILITIES - 0.5) * 2 * np.sqrt(root - 1)
    np.testing.assert_allclose(student_quantile(4.0, PROBABILITIES), four, rtol=1e-12)


@pytest.mark.parametrize("freedom", [3, 9, 24, 49, 249, 99_999])
def test_the_distribution_function_takes_it_back(freedom: int) -> None:
    found = student_quantile(freedom, PROBABILITIES)
    np.testing.assert_allclose(stdtr(freedom, found), PROBABILITIES, rtol=1e-13)
    np.testing.assert_allclose(found, -student_quantile(freedom, 1 - PROBABILITIES), rtol=1e-9)


def test_arrays_are_broadcast_and_the_ends_are_infinite() -> None:
    assert student_quantile(np.array([[3.0], [9.0]]), PROBABILITIES).shape == (2, 11)
    found = student_quantile(5, [0.0, 0.5, 1.0])
    assert found.tolist() == [-np.inf, 0.0, np.inf]
    assert np.isnan(student_quantile(5.0, np.nan))
    assert student_quantile(np.inf, 0.975) == pytest.approx(ndtri(0.975), rel=1e-12)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_median_that_is_not_quite_zero_leaves_a_limit_at_zero(monkeypatch, alternative) -> None:
    # scipy 1.15 gives 8.2e-17 at most; the one-sided limit of level .5 is the mean, here 0.
    stdtrit = scipy.special.stdtrit
    monkeypatch.setattr(
        scipy.special,
        "stdtrit",
        lambda freedom, p: np.where(np.equal(p, 0.5), -8e-17, stdtrit(freedom, p)),
    )
    result = run_test("t", [0.1, 0.0, -0.2, 0.1], alternative=alternative, confidence=0.5)
    assert result.pvalue.tolist() == [0.5]
    assert not result.excludes_zero.any()
    assert 0.0 in (result.ci_low[0], result.ci_high[0])


@pytest.mark.parametrize("freedom", [1, 2, 9, 49, 999])
def test_against_scipy(freedom):
    t, center = np.meshgrid([-15.0, -2.0, -0.1, 0.0, 0.5, 2.0, 20.0], [-20.0, -3.0, 0.0, 0.5, 30.0])
    ours, theirs = chance_above(t, freedom, center), stats.nct.sf(t, freedom, center)
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 7, 49, 300, 5000])
@pytest.mark.parametrize("center", [-3.0, -0.1, 0.0, 0.5, 3.0, 12.0])
def test_tails_of_a_test_against_scipy(freedom, center):
    # scipy's own distribution is right where its arguments are small.
    for alpha in (0.05, 1e-4):
        critical = stats.t.isf(alpha / 2, freedom)
        found = chance_above(critical, freedom, center)
        expected = stats.nct.sf(critical, freedom, center)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(
    ("t", "freedom"),
    [(0.0, 9), (2.5, 9), (-2.5, 9), (0.5, 1), (1e5, 2), (38.0, 6999), (1e4, 10**6)],
)
def test_limits_are_where_half_of_alpha_is_left(t, freedom):
    low, high = noncentrality_interval(np.array([t]), freedom, np.array([0.1]))
    assert chance_above(t, freedom, low)[0] == pytest.approx(0.05, rel=1e-8)
    assert 1.0 - chance_above(t, freedom, high)[0] == pytest.approx(0.05, rel=1e-8)


def test_large_noncentralities_against_theory():
    """With n large, T is normal about c with variance 1 + c**2 / 2 df."""
    low, high = noncentrality_interval(np.array([1000.0]), 999_999, np.array([0.05]))
    half = 1.959964 * np.sqrt(1 + 1000.0**2 / 2 / 999_999)
    assert (high - low)[0] / 2 == pytest.approx(half, rel=1e-4)
    assert (high + low)[0] / 2 == pytest.approx(1000.0, abs=0.01)
