"""Interval of a standard deviation, expected width of a mean's interval, queries for a width."""

from __future__ import annotations

import math

from abrank._support import checks
from abrank.inference.exact.student import student_quantile
from abrank.planning.student import smallest_size

_MOST_QUERIES = 1_000_000_000


def spread_interval(
    sd: float, n_queries: int, *, confidence: float = 0.95, freedom: float | None = None
) -> tuple[float, float]:
    """Return the interval that a sample leaves of the standard deviation of its population.

    Parameters
    ----------
    sd : float
        Of the sample, with n - 1 in the denominator.
    n_queries : int
        Size of the sample.
    confidence : float
    freedom : float, optional
        Degrees of freedom; n - 1 without it.

    Returns
    -------
    low, high : float
        In the unit of ``sd``, by the chi-square distribution of those degrees of freedom: exact for
        differences that are normal, too narrow where their tails are heavier. NaN for fewer than
        two queries or a spread that is not known.

    Raises
    ------
    ArgumentError
        If the standard deviation is negative or the level not in (0, 1).

    References
    ----------
    Julious & Owen (2006), Pharmaceutical Statistics 5, 29-37: a sample size and its uncertainty.

    Examples
    --------
    >>> [round(limit, 4) for limit in spread_interval(0.2, 50)]
    [0.1671, 0.2492]
    """
    from scipy.special import chdtri

    checks.fraction("confidence", confidence)
    checks.count("n_queries", n_queries, at_least=0)
    if n_queries < 2 or not math.isfinite(sd):
        return math.nan, math.nan
    checks.not_negative("sd", sd)
    freedom = n_queries - 1.0 if freedom is None else freedom
    if not freedom > 0.0:
        return math.nan, math.nan
    tail = (1.0 - confidence) / 2.0
    # chdtri takes the area of the upper tail.
    low, high = (sd * math.sqrt(freedom / float(chdtri(freedom, q))) for q in (tail, 1.0 - tail))
    return low, high


def expected_width(sd: float, n_queries: int, *, confidence: float = 0.95) -> float:
    """Return the expected full width of the t interval of a mean difference.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-query differences.
    n_queries : int
    confidence : float

    Returns
    -------
    float
        In the unit of ``sd``: 2 t sd / sqrt(n) sqrt(2 / df) Gamma(n / 2) / Gamma(df / 2). ``inf``
        for fewer than 2 queries, whose interval has no ends; 0 where ``sd`` is 0.

    Raises
    ------
    ArgumentError
        If the standard deviation is negative or not finite, or the level not in (0, 1).

    References
    ----------
    Sakai (2016), Topic set size design, Information Retrieval Journal 19, 256-283, section 3.3.

    Examples
    --------
    >>> round(expected_width(0.2, 50), 4)
    0.1131
    """
    from scipy.special import poch

    checks.not_negative("sd", sd)
    checks.fraction("confidence", confidence)
    checks.count("n_queries", n_queries, at_least=0)
    if n_queries < 2:
        return math.inf
    freedom = n_queries - 1
    # The sample's standard deviation is a little too small on average.
    bias = math.sqrt(2.0 / freedom) * float(poch(freedom / 2.0, 0.5))
    critical = -float(student_quantile(freedom, (1.0 - confidence) / 2.0))
    return 2.0 * critical * sd / math.sqrt(n_queries) * bias


def queries_for_width(sd: float, width: float, *, confidence: float = 0.95) -> int | None:
    """Return the smallest number of queries whose t interval is expected to be narrow enough.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-query differences.
    width : float
        Wanted full width, above 0, in the same unit.
    confidence : float

    Returns
    -------
    int or None
        2 where ``sd`` is 0; ``None`` for more than a thousand million.

    Raises
    ------
    ArgumentError
        If the width is not above 0, or as :func:`expected_width` does.

    References
    ----------
    Sakai (2016), Information Retrieval Journal 19, 256-283, section 3.3.

    Examples
    --------
    >>> queries_for_width(0.2, 0.1)
    64
    """
    checks.positive("width", width)
    return smallest_size(
        lambda n: expected_width(sd, n, confidence=confidence) <= width, most=_MOST_QUERIES
    )
