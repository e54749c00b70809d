"""The Clopper-Pearson interval of a binomial proportion."""

from __future__ import annotations

import math

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record


@record
class Unseen:
    """What may hold beyond the queries compared, where none of them shows a difference.

    ``share`` is the upper limit of the share of queries on which the systems differ; ``difference``
    the mean difference that this share bounds, NaN where the range of the measure is not known.
    """

    share: float
    difference: float


def bound_unseen(n_queries: int, *, alpha: float, span: float) -> Unseen:
    """Bound what so many queries without any difference leave open.

    Parameters
    ----------
    n_queries : int
        All of which score the same in both systems; at least 1.
    alpha : float
        The chance of so few differences where the share is as large as the limit.
    span : float
        Largest difference that a query can have; infinite or NaN where it is not known.

    Returns
    -------
    Unseen
        ``share`` is 1 - alpha**(1 / n), the exact one-sided limit of Clopper and Pearson for no
        success in n trials.

    References
    ----------
    .. [1] Clopper & Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> bound_unseen(2, alpha=0.05, span=1.0)
    Unseen(share=0.7763932022500211, difference=0.7763932022500211)
    >>> round(bound_unseen(250, alpha=0.05, span=1.0).share, 4)
    0.0119
    """
    checks.fraction("alpha", alpha)
    share = -math.expm1(math.log(alpha) / checks.count("n_queries", n_queries))
    return Unseen(share, share * span if math.isfinite(span) else math.nan)


def clopper_pearson(count: int, total: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of the chance behind ``count`` in ``total``.

    Parameters
    ----------
    count, total : int
        ``count`` of ``total`` independent trials succeeded.
    confidence : float
        Reached or exceeded whatever the chance is.

    Returns
    -------
    low, high : float
        (0, 1) without a trial.

    Raises
    ------
    ArgumentError
        If ``count`` is not within 0 and ``total``, or the level not in (0, 1).

    References
    ----------
    .. [1] Clopper & Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> low, high = clopper_pearson(5, 100)
    >>> round(low, 4), round(high, 4)
    (0.0164, 0.1128)
    """
    from scipy.special import betaincinv

    checks.fraction("confidence", confidence)
    if not 0 <= count <= total:
        raise ArgumentError(f"count must lie between 0 and {total}, not {count!r}")
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    rest = total - count
    high = 1.0 - float(betaincinv(rest, count + 1, tail)) if rest else 1.0
    return low, high
