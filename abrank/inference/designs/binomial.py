"""The interval of a share that was counted."""

from __future__ import annotations

from abrank._support import checks
from abrank._support.errors import ArgumentError


def share_interval(count: int, total: int, *, confidence: float = 0.95) -> tuple[float, float]:
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
    >>> low, high = share_interval(5, 100)
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
