"""How many queries a comparison of several systems needs, by one-way analysis of variance."""

from __future__ import annotations

import math

from abrank._support import checks
from abrank.planning.student import smallest_size

_MOST_QUERIES = 10_000_000


def anova_power(n_queries: int, *, n_systems: int, effect: float, alpha: float = 0.05) -> float:
    """Return the least power of one-way ANOVA where best and worst system are ``effect`` apart.

    Parameters
    ----------
    n_queries : int
        At least 2.
    n_systems : int
        At least 2.
    effect : float
        Difference between the best and the worst system's mean, in units of the standard deviation
        sigma within a system. For planning, sigma squared is the residual variance of the two-way
        (system + query) analysis of a pilot; the variance of a paired difference is twice that.
    alpha : float

    Returns
    -------
    float
        In [alpha, 1]; any means of the other systems only add power.

    Raises
    ------
    ArgumentError
        If a count is below 2, the effect negative or alpha not in (0, 1).

    Notes
    -----
    F with m - 1 and m (n - 1) degrees of freedom and noncentrality n effect**2 / 2 [1]_.

    References
    ----------
    .. [1] Sakai (2016), Information Retrieval Journal 19, 256-283, section 3.2.

    Examples
    --------
    >>> round(anova_power(60, n_systems=5, effect=0.6), 4)
    0.7457
    """
    from scipy.special import ncfdtr
    from scipy.stats import f

    checks.count("n_queries", n_queries, at_least=2)
    checks.count("n_systems", n_systems, at_least=2)
    checks.not_negative("effect", effect)
    checks.level("alpha", alpha)
    above, below = n_systems - 1, n_systems * (n_queries - 1)
    critical = float(f.isf(alpha, above, below))
    noncentrality = n_queries * effect**2 / 2.0
    return 1.0 - float(ncfdtr(above, below, noncentrality, critical))


def queries_for_anova(
    variance: float,
    difference: float,
    *,
    n_systems: int,
    alpha: float = 0.05,
    target: float = 0.8,
) -> int | None:
    """Return the smallest number of queries by which ANOVA finds some difference among systems.

    Parameters
    ----------
    variance : float
        Of the scores within a system: the residual variance of a pilot's two-way analysis.
    difference : float
        Between the best and the worst system's mean.
    n_systems : int
        At least 2.
    alpha, target : float
        Level of the test, and wanted power.

    Returns
    -------
    int or None
        2 where the variance is 0; ``None`` where the difference is 0 or ten million queries are too
        few.

    Raises
    ------
    ArgumentError
        If the variance is negative or not finite, or as :func:`anova_power` does.

    References
    ----------
    Sakai (2016), Information Retrieval Journal 19, 256-283, section 3.2.

    Examples
    --------
    >>> queries_for_anova(0.04, 0.1, n_systems=5)
    97
    """
    checks.not_negative("variance", variance)
    checks.fraction("target", target)
    if difference == 0 or not math.isfinite(difference):
        return None
    if variance == 0:
        return 2
    effect = abs(difference) / math.sqrt(variance)
    return smallest_size(
        lambda n: anova_power(n, n_systems=n_systems, effect=effect, alpha=alpha) >= target,
        most=_MOST_QUERIES,
    )
