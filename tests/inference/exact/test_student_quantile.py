"""Quantiles of Student's t against closed forms and against their own distribution function."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
from scipy.special import ndtri, stdtr

from abrank.inference import run_test
from abrank.inference.exact.student_quantile import student_quantile

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
