"""How many queries a paired test needs, and what a given number of queries can see.

Everything here is about the paired t test, whose sample size the exact tests share in practice. No
function takes the p-value or the observed difference of a finished test: "observed power" only says
the p-value again.
"""

from __future__ import annotations

import math

from abrank._support import checks

# Above this non-centrality the library's distribution function loses its digits or returns NaN; the
# normal form below is then within 1e-3 of it and keeps working for any number of queries.
_LARGE_NONCENTRALITY = 25.0
_MOST_QUERIES = 100_000_000


def power(n_queries: int, *, effect: float, alpha: float = 0.05) -> float:
    """Return the chance that a two-sided paired t test finds a true effect.

    Parameters
    ----------
    n_queries : int
        At least 2.
    effect : float
        True mean difference in units of the standard deviation of the differences (d_z).
    alpha : float
        Level of the test.

    Returns
    -------
    float
        In [alpha, 1].

    References
    ----------
    Cohen (1988), Statistical Power Analysis, 2.2; large non-centrality: Johnson, Kotz &
    Balakrishnan (1995), Continuous Univariate Distributions 2, eq. 31.26.

    Examples
    --------
    >>> round(power(50, effect=0.4), 4)
    0.7918
    """
    from scipy import special

    checks.count("n_queries", n_queries, at_least=2)
    df = n_queries - 1
    noncentrality = abs(effect) * math.sqrt(n_queries)
    critical = float(special.stdtrit(df, 1.0 - alpha / 2.0))
    if noncentrality <= _LARGE_NONCENTRALITY and df <= 5000:
        below = float(special.nctdtr(df, noncentrality, critical))
        # Rejecting on the wrong side: by symmetry, since the far tail itself is returned as NaN.
        far = 1.0 - float(special.nctdtr(df, -noncentrality, critical))
        return min(1.0, 1.0 - below + far)
    scale = math.sqrt(1.0 + critical**2 / (2.0 * df))
    shift = critical * (1.0 - 1.0 / (4.0 * df))
    near = float(special.ndtr((noncentrality - shift) / scale))
    return near + float(special.ndtr((-noncentrality - shift) / scale))


def smallest_visible(
    sd: float, n_queries: int, *, alpha: float = 0.05, target: float = 0.8
) -> float:
    """Return the smallest true difference that n queries show with the wanted power.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-query differences, in the measure's unit.
    n_queries : int
    alpha, target : float
        Level of the test, and wanted power.

    Returns
    -------
    float
        In the measure's unit; ``nan`` for fewer than 2 queries.

    Examples
    --------
    >>> round(smallest_visible(0.2, 50), 4)
    0.0808
    """
    if n_queries < 2 or not math.isfinite(sd):
        return math.nan
    if sd == 0:
        return 0.0
    low, high = 0.0, 1.0
    while power(n_queries, effect=high, alpha=alpha) < target:
        high *= 2.0
    # Bisection: the power rises with the effect, and 60 halvings exhaust a float.
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (
            (low, middle)
            if power(n_queries, effect=middle, alpha=alpha) >= target
            else (middle, high)
        )
    return high * sd


def queries_needed(
    sd: float, difference: float, *, alpha: float = 0.05, target: float = 0.8
) -> int | None:
    """Return the smallest number of queries that shows a true difference with the wanted power.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-query differences.
    difference : float
        True mean difference, in the same unit; its sign does not matter.
    alpha, target : float
        Level of the test, and wanted power.

    Returns
    -------
    int or None
        ``None`` where the difference is 0 or more than 100 million queries would be needed.

    References
    ----------
    Sakai (2018), Laboratory Experiments in Information Retrieval, 6.2.

    Examples
    --------
    >>> queries_needed(0.2, 0.1), queries_needed(0.2, 0.0)
    (34, None)
    """
    if difference == 0 or not math.isfinite(difference) or not math.isfinite(sd):
        return None
    if sd == 0:
        return 2
    effect = abs(difference) / sd
    high = 2
    while power(high, effect=effect, alpha=alpha) < target:
        high *= 2
        if high > _MOST_QUERIES:
            return None
    low = max(2, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle)
            if power(middle, effect=effect, alpha=alpha) >= target
            else (middle + 1, high)
        )
    return low
