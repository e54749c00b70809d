"""Tests of differences that come as counts: each distinct value, and how many queries have it.

For more queries than anybody holds one by one. The tests are those of this folder; the number of
queries is large, so what is exact there for few queries is its normal limit here, or is drawn.
"""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.paired.sign_test import sign_answer
from abrank.inference.result import Answer

_DRAWN = 4_000_000  # counts that are drawn together


def sign_of_counts(wins: int, losses: int, *, alpha: float) -> Answer:
    """Test by the sign test; see :func:`abrank.inference.paired.sign_test.sign`.

    Examples
    --------
    >>> sign_of_counts(29, 21, alpha=0.05).pvalue.round(4)
    array([0.3222])
    """
    counts = (np.array([float(wins)]), np.array([float(losses)]))
    return sign_answer(*counts, alternative="two-sided", alpha=np.array([alpha]))


def wilcoxon_of_counts(values: FloatArray, counts: IntArray) -> tuple[float, float]:
    """Return W+ and its two-sided p-value, zeros dropped, by the normal approximation.

    Parameters
    ----------
    values : float64[n_values]
        Distinct.
    counts : int64[n_values]

    Returns
    -------
    statistic, pvalue : float
        The p-value is 1 where all values are 0.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> d = np.array([0.1, 0.1, -0.2, 0.3, 0.4, -0.1])
    >>> same = run_test("wilcoxon", d, method="asymptotic")
    >>> found = wilcoxon_of_counts(*np.unique(d, return_counts=True))
    >>> bool(np.allclose(found, (same.statistic[0], same.pvalue[0])))
    True
    """
    from scipy.special import ndtr

    size, place = np.unique(np.abs(values[values != 0.0]), return_inverse=True)
    if not len(size):
        return 0.0, 1.0
    count = np.bincount(place, weights=counts[values != 0.0])
    midrank = np.cumsum(count) - (count - 1.0) / 2.0
    positive = values[values != 0.0] > 0.0
    statistic = float(np.sum((counts[values != 0.0] * midrank[place])[positive]))
    deviation = np.sqrt(np.sum(count * midrank**2) / 4.0)
    z = (statistic - np.sum(count * midrank) / 2.0) / deviation
    return statistic, min(1.0, 2.0 * float(ndtr(-abs(z))))


def permutation_of_counts(
    values: FloatArray, counts: IntArray, *, rng: np.random.Generator, n_resamples: int
) -> float:
    """Return the two-sided p-value of the sign-flip test of the mean, drawn.

    Of the queries with one value a binomial number is flipped.

    Examples
    --------
    >>> values, counts = np.array([-0.25, 0.0, 0.25]), np.array([40, 20, 60])
    >>> rng = np.random.default_rng(0)
    >>> 0.02 < permutation_of_counts(values, counts, rng=rng, n_resamples=9999) < 0.08
    True
    """
    moved = values != 0.0
    values, counts = values[moved], counts[moved]
    observed = abs(float(values @ counts))
    at_least = 0
    for n in _blocks(n_resamples, len(values)):
        kept = rng.binomial(counts, 0.5, size=(n, len(values)))
        sums = np.abs((2 * kept - counts) @ values)
        at_least += int(np.count_nonzero(sums >= observed * (1.0 - 1e-12)))
    return (1 + at_least) / (1 + n_resamples)


def bootstrap_of_counts(
    values: FloatArray,
    counts: IntArray,
    *,
    alpha: float,
    rng: np.random.Generator,
    n_resamples: int,
) -> tuple[float, float]:
    """Return the percentile interval of the mean: resamples of counts are multinomial.

    Examples
    --------
    >>> values, counts = np.array([0.0, 1.0]), np.array([500, 500])
    >>> rng = np.random.default_rng(0)
    >>> low, high = bootstrap_of_counts(values, counts, alpha=0.05, rng=rng, n_resamples=1999)
    >>> round(low, 2), round(high, 2)
    (0.47, 0.53)
    """
    total = int(counts.sum())
    means = [
        rng.multinomial(total, counts / total, size=n) @ values / total
        for n in _blocks(n_resamples, len(values))
    ]
    low, high = np.quantile(np.concatenate(means), [alpha / 2.0, 1.0 - alpha / 2.0])
    return float(low), float(high)


def quantiles_of_counts(values: FloatArray, counts: IntArray, shares: FloatArray) -> FloatArray:
    """Return the least value that at least these shares of the queries do not exceed.

    Examples
    --------
    >>> quantiles_of_counts(np.array([0.0, 1.0]), np.array([3, 1]), np.array([0.5, 0.9]))
    array([0., 1.])
    """
    reached = np.cumsum(counts)
    found: FloatArray = values[np.searchsorted(reached, shares * reached[-1], side="left")]
    return found


def _blocks(n_resamples: int, n_values: int) -> list[int]:
    most = max(1, _DRAWN // max(n_values, 1))
    return [min(most, n_resamples - start) for start in range(0, n_resamples, most)]
