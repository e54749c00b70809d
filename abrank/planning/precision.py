"""How wide an interval to expect, and how many queries make it as narrow as wanted."""

from __future__ import annotations

import math

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank.planning.student import smallest_size

_MOST_QUERIES = 1_000_000_000


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
    from scipy.special import poch, stdtrit

    checks.not_negative("sd", sd)
    checks.fraction("confidence", confidence)
    checks.count("n_queries", n_queries, at_least=0)
    if n_queries < 2:
        return math.inf
    freedom = n_queries - 1
    # The sample's standard deviation is a little too small on average.
    bias = math.sqrt(2.0 / freedom) * float(poch(freedom / 2.0, 0.5))
    critical = -float(stdtrit(freedom, (1.0 - confidence) / 2.0))
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
    if not width > 0.0:
        raise ArgumentError(f"width must be above 0, not {width!r}")
    return smallest_size(
        lambda n: expected_width(sd, n, confidence=confidence) <= width, most=_MOST_QUERIES
    )
