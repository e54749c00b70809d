"""What is drawn, computed from plain arrays: densities, resampled means, places of dots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.plots._words import of_the_mean

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

N_MEANS = 9_999
# A resampled mean of fewer values shows the few values, not the law of the mean.
FEWEST = 10
# From here on the normal curve and the resampled means cannot be told apart.
MANY = 50_000
_BLOCK = 2_000_000


def bootstrap_means(values: FloatArray, *, seed: int, key: str) -> FloatArray:
    """Return the means of 9 999 resamples of ``values``.

    Parameters
    ----------
    values : float64[n]
    seed : int
    key : str
        Names the stream, so that a picture does not depend on what else was drawn.

    Returns
    -------
    float64[9999]

    References
    ----------
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 6.

    Examples
    --------
    >>> means = bootstrap_means(np.array([0.0, 1.0]), seed=0, key="x")
    >>> sorted(set(means.tolist()))
    [0.0, 0.5, 1.0]
    """
    random = stream(seed, "plots", key)
    n = len(values)
    rows = max(1, _BLOCK // n)
    means = np.empty(N_MEANS)
    for start in range(0, N_MEANS, rows):
        stop = min(N_MEANS, start + rows)
        drawn = random.integers(0, n, size=(stop - start, n), dtype=np.int32)
        means[start:stop] = values[drawn].mean(axis=1)
    return means


def law_of_mean(comparison: Comparison, row: MeasureResult) -> tuple[FloatArray, FloatArray] | None:
    """Return the density of the mean difference, None where it cannot be shown.

    That is for a test of another hypothesis than the mean's, for fewer than 10 queries, and where
    all differences are one. For more than 50 000 queries it is the normal curve.
    """
    differences = comparison.differences(row.measure)
    n = len(differences)
    if n < FEWEST or not of_the_mean(comparison) or np.ptp(np.round(differences, 10)) == 0.0:
        return None
    if n > MANY:
        return normal_curve(row.diff, float(np.std(differences, ddof=1)) / float(np.sqrt(n)))
    means = bootstrap_means(differences, seed=comparison.seed, key=row.measure)
    return density(means, smoothing=1.3)


def density(
    values: FloatArray, *, points: int = 161, smoothing: float = 0.9
) -> tuple[FloatArray, FloatArray]:
    """Return a Gaussian kernel density of ``values`` that do not all agree.

    Parameters
    ----------
    values : float64[n]
    points : int
        Length of the grid.
    smoothing : float
        Factor of the bandwidth: 0.9 for any shape, 1.06 and more for what is close to a normal one.

    Returns
    -------
    tuple of float64[points]
        The grid, three bandwidths beyond the values on both sides, and the density there.

    References
    ----------
    Silverman (1986), Density Estimation, eq. 3.28 and 3.31; binned as in his section 3.5.

    Examples
    --------
    >>> grid, height = density(np.linspace(-1, 1, 200))
    >>> round(float(np.sum(height) * (grid[1] - grid[0])), 2)
    1.0
    """
    n = len(values)
    quartiles = np.percentile(values, [25, 75])
    spread = float(np.std(values))
    middle = float(quartiles[1] - quartiles[0]) / 1.349
    bandwidth = smoothing * (min(spread, middle) if middle > 0 else spread) * n**-0.2
    fine = 2048
    low, high = values.min() - 3.0 * bandwidth, values.max() + 3.0 * bandwidth
    counts, edges = np.histogram(values, bins=fine, range=(low, high))
    step = edges[1] - edges[0]
    reach = min(fine, int(np.ceil(4.0 * bandwidth / step)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / bandwidth) ** 2)
    smooth = np.convolve(counts, kernel / kernel.sum(), mode="full")[reach : reach + fine]
    centres = (edges[:-1] + edges[1:]) / 2.0
    grid = np.linspace(low, high, points)
    return grid, np.interp(grid, centres, smooth / (n * step))


def normal_curve(mean: float, error: float, *, points: int = 161) -> tuple[FloatArray, FloatArray]:
    """Return a normal density within four standard errors of ``mean``.

    Examples
    --------
    >>> grid, height = normal_curve(0.0, 1.0)
    >>> round(float(height.max()), 3)
    0.399
    """
    grid = np.linspace(mean - 4.0 * error, mean + 4.0 * error, points)
    height = np.exp(-0.5 * ((grid - mean) / error) ** 2) / (error * np.sqrt(2.0 * np.pi))
    return grid, height


def evenly(n: int, size: int) -> np.ndarray:
    """Return at most ``size`` places among ``n`` sorted values, both ends among them.

    Examples
    --------
    >>> evenly(5, 3).tolist(), evenly(2, 3).tolist()
    ([0, 2, 4], [0, 1])
    """
    return np.unique(np.round(np.linspace(0, n - 1, min(n, size))).astype(np.int64))


def scatter_heights(n: int) -> FloatArray:
    """Return n heights in [0, 1) that fill it evenly and never line up: no draw is needed.

    References
    ----------
    Steps of the golden ratio: Knuth, The Art of Computer Programming 3, 6.4, theorem S.

    Examples
    --------
    >>> scatter_heights(3).round(2).tolist()
    [0.5, 0.12, 0.74]
    """
    return np.asarray((0.5 + np.arange(n) * 0.6180339887498949) % 1.0)


def spread_apart(places: list[float], distance: float) -> list[float]:
    """Move ascending places up, by no more than what keeps them ``distance`` apart.

    Examples
    --------
    >>> spread_apart([0.0, 0.5, 3.0], 1.0)
    [0.0, 1.0, 3.0]
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + distance) if moved else place)
    return moved
