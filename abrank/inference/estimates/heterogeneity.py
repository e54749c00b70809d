"""Whether the means of several groups of queries differ by more than their errors.

=====================  ========================================================
groups                 answer
=====================  ========================================================
none, or one           NaN
of no or one query     left out
of one value           left out: it would weigh endlessly
all of one mean        statistic and q 0, p 1, i_squared 0
with a variance NaN    left out
=====================  ========================================================
"""

from __future__ import annotations

import numpy as np

from abrank._support.records import record
from abrank._support.typing import FloatArray


@record
class Heterogeneity:
    """Answers of :func:`heterogeneity`; NaN where fewer than two groups can be judged.

    ``statistic``, ``freedom`` (above, below) and ``pvalue`` are of Welch's test that all means are
    equal. ``q`` is Cochran's, with ``q_pvalue`` from chi-squared with ``n_groups - 1`` degrees of
    freedom, and ``i_squared`` the share of the spread of the means that is not error.
    """

    n_groups: int
    statistic: float
    freedom: tuple[float, float]
    pvalue: float
    q: float
    q_pvalue: float
    i_squared: float


def heterogeneity(counts: FloatArray, means: FloatArray, variances: FloatArray) -> Heterogeneity:
    """Test whether the groups have one mean, without taking their variances for equal.

    Parameters
    ----------
    counts, means, variances : ndarray of shape (n_groups,)
        Of each group: queries, mean and sample variance of the differences. Groups of fewer than
        two queries or without variance (or with NaN) cannot be judged and are left out.

    Notes
    -----
    With w = n / s**2 both statistics rest on q = sum w (mean - weighted mean)**2. Welch's keeps its
    level with few queries a group; q takes the variances for known and rejects too often there.

    References
    ----------
    .. [1] Welch (1951), Biometrika 38, 330-336.
    .. [2] Cochran (1954), Biometrics 10, 101-129; Higgins & Thompson (2002), Statistics in
       Medicine 21, 1539-1558.

    Examples
    --------
    >>> found = heterogeneity(np.array([9.0, 9.0]), np.array([0.1, 0.3]), np.array([0.04, 0.04]))
    >>> round(found.statistic, 3), round(found.pvalue, 3), round(found.i_squared, 3)
    (4.5, 0.05, 0.778)
    """
    from scipy.special import chdtrc, fdtrc

    judged = (counts >= 2) & (variances > 0.0)
    n, mean, weight = counts[judged], means[judged], counts[judged] / variances[judged]
    k = len(n)
    if k < 2:
        nothing = float("nan")
        return Heterogeneity(k, nothing, (nothing, nothing), nothing, nothing, nothing, nothing)
    q = float((weight * (mean - np.average(mean, weights=weight)) ** 2).sum())
    spread = float(((1.0 - weight / weight.sum()) ** 2 / (n - 1.0)).sum())
    statistic = q / (k - 1.0) / (1.0 + 2.0 * (k - 2.0) / (k**2 - 1.0) * spread)
    below = (k**2 - 1.0) / (3.0 * spread)
    return Heterogeneity(
        n_groups=k,
        statistic=statistic,
        freedom=(k - 1.0, below),
        pvalue=float(fdtrc(k - 1.0, below, statistic)),
        q=q,
        q_pvalue=float(chdtrc(k - 1.0, q)),
        i_squared=max(0.0, 1.0 - (k - 1.0) / q) if q > 0.0 else 0.0,
    )
