"""The arrays behind the pictures."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.plots import _shapes


def test_bootstrap_means_have_the_mean_and_the_error_of_the_mean():
    values = np.random.default_rng(0).normal(0.1, 0.5, size=400)
    means = _shapes.bootstrap_means(values, seed=3, key="AP")
    error = values.std() / np.sqrt(len(values))
    assert means.shape == (_shapes.N_MEANS,)
    # 9 999 draws: their mean has a standard error of error / 100, their spread one of 0.7%.
    assert abs(means.mean() - values.mean()) < 4 * error / 100
    assert means.std() == pytest.approx(error, rel=0.03)


def test_bootstrap_means_depend_on_seed_and_key_only():
    values = np.random.default_rng(0).normal(size=50)
    one = _shapes.bootstrap_means(values, seed=3, key="AP")
    assert np.array_equal(one, _shapes.bootstrap_means(values, seed=3, key="AP"))
    assert not np.array_equal(one, _shapes.bootstrap_means(values, seed=3, key="RR"))
    assert not np.array_equal(one, _shapes.bootstrap_means(values, seed=4, key="AP"))


def test_density_against_theory():
    # The sum of kernels, written out, at every point of the grid.
    values = np.random.default_rng(1).normal(size=300)
    grid, height = _shapes.density(values)
    quartiles = np.percentile(values, [25, 75])
    width = 0.9 * min(values.std(), (quartiles[1] - quartiles[0]) / 1.349) * 300**-0.2
    kernels = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2) / np.sqrt(2 * np.pi)
    assert height == pytest.approx(kernels.sum(axis=1) / (300 * width), abs=3e-3)


def test_density_of_a_heap_with_few_others_is_finite():
    values = np.r_[np.zeros(90), np.linspace(-1, 1, 10)]
    grid, height = _shapes.density(values)
    assert np.all(np.isfinite(height))
    assert height.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=0.02)


def test_normal_curve_integrates_to_one():
    grid, height = _shapes.normal_curve(0.3, 0.02)
    assert np.trapezoid(height, grid) == pytest.approx(1.0, abs=1e-3)
    assert grid[np.argmax(height)] == pytest.approx(0.3)


@pytest.mark.parametrize(("n", "size"), [(1, 5), (5, 5), (7000, 1000)])
def test_evenly_has_both_ends(n, size):
    places = _shapes.evenly(n, size)
    assert (places[0], places[-1]) == (0, n - 1)
    assert len(places) == min(n, size)


def test_scatter_heights_fill_the_strip():
    heights = _shapes.scatter_heights(100)
    counts, _ = np.histogram(heights, bins=10, range=(0, 1))
    assert counts.min() >= 8
    assert counts.max() <= 12
