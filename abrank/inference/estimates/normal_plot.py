"""The points and the band of a normal quantile plot."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.inference.registry import as_differences
from abrank.inference.rounding import round_off


@record
class NormalPlot:
    """Standardised values against normal quantiles, and where chance would leave each of them.

    All are ascending and of shape (n_points,). ``low`` and ``high`` hold a value of a normal sample
    with the chance of ``confidence``, each value by itself.
    """

    expected: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float


def normal_plot(
    differences: npt.ArrayLike, *, confidence: float = 0.95, most: int = 400
) -> NormalPlot:
    """Return the standardised differences against the quantiles of the normal distribution.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 digits of the largest.
    confidence : float
        Of the band.
    most : int
        Of more queries some are taken, evenly along the quantiles, both ends among them.

    Raises
    ------
    ArgumentError
        If a difference is not finite, or they do not vary.

    Notes
    -----
    Expected is the quantile of (i - 3/8) / (n + 1/4) [1]_. The band is of the i-th smallest of n
    independent normal values, whose distribution of chance is Beta(i, n + 1 - i) [2]_; that mean
    and deviation are those of the sample makes it a little wide.

    References
    ----------
    .. [1] Blom (1958), Statistical Estimates and Transformed Beta-Variables.
    .. [2] David & Nagaraja (2003), Order Statistics, section 2.1.

    Examples
    --------
    >>> found = normal_plot([0.1, 0.2, 0.3])
    >>> found.expected.round(3), found.observed.round(3), found.low.round(2)
    (array([-0.869,  0.   ,  0.869]), array([-1., -0.,  1.]), array([-2.39, -1.31, -0.55]))
    """
    from scipy.special import betaincinv, ndtri

    values = np.sort(round_off(as_differences(differences)[:, 0]))
    n = len(values)
    if n < 2 or values[0] == values[-1]:
        raise ArgumentError("differences that do not vary have no quantile plot")
    rank = _ranks(n, most)
    tails = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])[:, None]
    low, high = ndtri(betaincinv(rank, n + 1.0 - rank, tails))
    observed = (values[rank - 1] - values.mean()) / values.std(ddof=1)
    return NormalPlot(ndtri((rank - 0.375) / (n + 0.25)), observed, low, high, confidence)


def _ranks(n: int, most: int) -> npt.NDArray[np.int64]:
    """Return at most ``most`` ranks of 1 to n, evenly along the quantiles of the normal law."""
    if n <= most:
        return np.arange(1, n + 1)
    reach = -NormalDist().inv_cdf(0.625 / (n + 0.25))
    chance = np.array([NormalDist().cdf(z) for z in np.linspace(-reach, reach, most)])
    rank = np.rint(chance * (n + 0.25) + 0.375).astype(np.int64)
    return np.unique(np.clip(rank, 1, n))
