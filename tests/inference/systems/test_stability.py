"""Chances of ranks: resampled queries, the normal limit of very many, and none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from abrank.inference.systems.stability import rank_stability, resample_means


def test_means_of_very_many_queries_are_drawn_from_their_normal_limit():
    random = np.random.default_rng(3)
    scores = random.random((2001, 1)) + random.normal(0.0, 0.1, (2001, 3))
    drawn = resample_means(scores, n_resamples=40_000, seed=1)
    covariance = np.cov(scores, rowvar=False, bias=True) / 2001
    # Four standard errors of a mean, and of a variance or covariance, of 40,000 normal draws.
    variances = np.diag(covariance)
    assert np.all(
        np.abs(drawn.mean(axis=0) - scores.mean(axis=0)) < 4 * np.sqrt(variances / 40_000)
    )
    error = np.sqrt((np.outer(variances, variances) + covariance**2) / 40_000)
    assert np.all(np.abs(np.cov(drawn, rowvar=False) - covariance) < 4 * error)


def test_the_chance_to_be_first_of_two_against_theory():
    random = np.random.default_rng(5)
    scores = random.random((2500, 2))
    scores[:, 1] += 0.005 - (scores[:, 1] - scores[:, 0]).mean()
    difference = scores[:, 1] - scores[:, 0]
    expected = norm.cdf(difference.mean() / (difference.std() / 50.0))
    found = rank_stability(scores, n_resamples=20_000)
    assert found.chances[1, 0] == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(20_000))


def test_no_query_gives_no_chance():
    found = rank_stability(np.empty((0, 3)))
    assert np.isnan(found.chances).all()
    assert found.chances.shape == (3, 3)
    assert (found.low.tolist(), found.high.tolist(), found.n_resamples) == ([0] * 3, [0] * 3, 0)
