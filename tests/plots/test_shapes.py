"""The arrays behind the pictures."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.plots import axes


@pytest.mark.parametrize("decimals", [1, 8])
def test_bootstrap_density_against_resamples(decimals):
    random = np.random.default_rng(0)
    values = np.round(random.gamma(1.0, 0.2, size=30) - 0.1, decimals)
    means = values[random.integers(0, 30, size=(200_000, 30))].mean(axis=1)
    # Smoothed as the density is, or the steps of round values would show.
    means += random.normal(0.0, axes.SMOOTHING * values.std() / np.sqrt(30), size=len(means))
    grid, height = axes.bootstrap_density(values)
    step = grid[1] - grid[0]
    edges = np.append(grid, grid[-1] + step) - step / 2.0
    drawn = np.histogram(means, bins=edges)[0] / (len(means) * step)
    # Four standard errors of the 4,300 draws in the fullest bin.
    assert height == pytest.approx(drawn, abs=0.06 * height.max())


def test_bootstrap_density_of_a_few_round_values_has_no_teeth():
    values = np.array([-0.25, 0.0, 0.0, 0.25, 0.25, 0.25, 0.5, 0.0, 0.0, 0.25, -0.25, 0.75])
    _, height = axes.bootstrap_density(values)
    assert np.sum(np.diff(np.sign(np.diff(height))) < 0) == 1


def test_bootstrap_density_against_theory():
    values = np.random.default_rng(0).normal(0.1, 0.5, size=4000)
    grid, height = axes.bootstrap_density(values)
    error = values.std() / np.sqrt(len(values))
    wide = error * np.sqrt(1.0 + axes.SMOOTHING**2)
    normal = np.exp(-0.5 * ((grid - values.mean()) / wide) ** 2) / (wide * np.sqrt(2.0 * np.pi))
    assert height == pytest.approx(normal, abs=0.005 * normal.max())


def test_density_against_theory():
    # The sum of kernels, written out, at every point of the grid.
    values = np.random.default_rng(1).normal(size=300)
    grid, height = axes.density(values)
    quartiles = np.percentile(values, [25, 75])
    width = 0.9 * min(values.std(), (quartiles[1] - quartiles[0]) / 1.349) * 300**-0.2
    kernels = np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2) / np.sqrt(2 * np.pi)
    assert height == pytest.approx(kernels.sum(axis=1) / (300 * width), abs=3e-3)


def test_density_of_a_heap_with_few_others_is_finite():
    values = np.r_[np.zeros(90), np.linspace(-1, 1, 10)]
    grid, height = axes.density(values)
    assert np.all(np.isfinite(height))
    assert height.sum() * (grid[1] - grid[0]) == pytest.approx(1.0, abs=0.02)


def test_normal_curve_integrates_to_one():
    grid, height = axes.normal_curve(0.3, 0.02)
    assert np.trapezoid(height, grid) == pytest.approx(1.0, abs=1e-3)
    assert grid[np.argmax(height)] == pytest.approx(0.3)


@pytest.mark.parametrize(("n", "size"), [(1, 5), (5, 5), (7000, 1000)])
def test_evenly_has_both_ends(n, size):
    places = axes.evenly(n, size)
    assert (places[0], places[-1]) == (0, n - 1)
    assert len(places) == min(n, size)


def test_scatter_heights_fill_the_strip():
    heights = axes.scatter_heights(100)
    counts, _ = np.histogram(heights, bins=10, range=(0, 1))
    assert counts.min() >= 8
    assert counts.max() <= 12
