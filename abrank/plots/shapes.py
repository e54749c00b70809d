"""What is drawn, computed from plain arrays: densities, the law of the mean, places of dots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.bootstrap import bootstrap_distribution
from abrank.inference.rounding import has_spread
from abrank.plots.style import of_the_mean

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

# Random flips where there are too many to draw them all.
N_MEANS = 9_999
# A resampled mean of fewer values shows the few values, not the distribution of the mean.
FEWEST = 10
# Of a curve.
POINTS = 161
# From here on the normal curve and the distribution of the mean cannot be told apart.
MANY = 50_000
# What is less likely than this on either side is not drawn.
TAIL = 1e-4
# Bandwidth of the distribution of the mean, in its standard deviations: its width stays what it is.
# Where the means have steps, half a step, which leaves 1.5% of them to be seen.
SMOOTHING = 0.2
HALF = 0.5


def law_of_mean(comparison: Comparison, row: MeasureResult) -> tuple[FloatArray, FloatArray] | None:
    """Return the density of the mean difference, None where it cannot be shown.

    It is the bootstrap distribution, a little smoothed. There is none for a test of another
    hypothesis than the mean's, for fewer than 10 queries, where all differences are one, and where
    the interval is not that of single queries looked at once. For more than 50 000 queries it is
    the normal curve.
    """
    if comparison.merged is not None:
        error = comparison.merged.errors[comparison.measures.index(row.measure)]
        many = of_the_mean(comparison) and np.isfinite(error)
        return normal_curve(row.diff, error) if many else None
    differences = comparison.differences(row.measure)
    n, design = len(differences), comparison.rule.design
    if design is not None and not design.is_plain:
        return None
    if n < FEWEST or not of_the_mean(comparison) or not has_spread(differences):
        return None
    if n > MANY:
        return normal_curve(row.diff, float(np.std(differences, ddof=1)) / float(np.sqrt(n)))
    return bootstrap_density(differences)


def bootstrap_density(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the density of the mean of a resample of ``values``, by its exact distribution.

    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 6; the distribution of
    :func:`abrank.inference.bootstrap.bootstrap_distribution`.
    """
    law = bootstrap_distribution(values)
    chance = law.below.chance
    near = (chance >= TAIL) & (chance <= 1.0 - TAIL)
    mass = np.diff(chance, prepend=0.0)[near]
    error = float(np.std(values) / np.sqrt(len(values)))
    bandwidth = max(SMOOTHING * error, HALF * law.unit if law.on_lattice else 0.0)
    return _smooth(law.below.points[near] * law.unit, mass, bandwidth)


def density(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a Gaussian kernel density of ``values`` that do not all agree.

    Source: Silverman (1986), Density Estimation, eq. 3.28 and 3.31; binned as in his section 3.5.
    """
    n = len(values)
    quartiles = np.percentile(values, [25, 75])
    spread = float(np.std(values))
    middle = float(quartiles[1] - quartiles[0]) / 1.349
    bandwidth = 0.9 * (min(spread, middle) if middle > 0 else spread) * n**-0.2
    return _smooth(values, np.ones(n), bandwidth)


def _smooth(
    values: FloatArray, mass: FloatArray, bandwidth: float
) -> tuple[FloatArray, FloatArray]:
    """Return the density of masses at values, each spread to a normal curve."""
    fine = 2048
    low, high = values.min() - 3.0 * bandwidth, values.max() + 3.0 * bandwidth
    counts, edges = np.histogram(values, bins=fine, range=(low, high), weights=mass)
    step = edges[1] - edges[0]
    reach = min(fine, int(np.ceil(4.0 * bandwidth / step)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / bandwidth) ** 2)
    smooth = np.convolve(counts, kernel / kernel.sum(), mode="full")[reach : reach + fine]
    centres = (edges[:-1] + edges[1:]) / 2.0
    grid = np.linspace(low, high, POINTS)
    return grid, np.interp(grid, centres, smooth / (mass.sum() * step))


def normal_curve(mean: float, error: float) -> tuple[FloatArray, FloatArray]:
    """Return a normal density within four standard errors of ``mean``."""
    grid = np.linspace(mean - 4.0 * error, mean + 4.0 * error, POINTS)
    height = np.exp(-0.5 * ((grid - mean) / error) ** 2) / (error * np.sqrt(2.0 * np.pi))
    return grid, height


def evenly(n: int, size: int) -> np.ndarray:
    """Return at most ``size`` places among ``n`` sorted values, both ends among them."""
    return np.unique(np.round(np.linspace(0, n - 1, min(n, size))).astype(np.int64))


def scatter_heights(n: int) -> FloatArray:
    """Return n heights in [0, 1) that fill it evenly and never line up: no draw is needed.

    Source: steps of the golden ratio, Knuth, The Art of Computer Programming 3, 6.4, theorem S.
    """
    return np.asarray((0.5 + np.arange(n) * 0.6180339887498949) % 1.0)


def spread_apart(places: list[float], distance: float) -> list[float]:
    """Move ascending places up, by no more than what keeps them ``distance`` apart."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + distance) if moved else place)
    return moved
