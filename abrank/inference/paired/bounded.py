"""The betting interval of a bounded mean difference: right for any distribution, at any number."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import Alternative, FloatArray
from abrank.inference.exact.fourier import find_root
from abrank.inference.exact.inversion import align_interval_with_pvalue
from abrank.inference.registry import Answer, paired_test
from abrank.inference.rounding import round_off

# What is bet of the capital, the same on every query: more of the shares are large, since small
# samples reject by large bets alone.
_N_SHARES = 64
_SHARES = np.sin((2 * np.arange(1, _N_SHARES + 1) - 1) * np.pi / (4 * _N_SHARES))
_LEAST = 1e-12  # a mean in place of 0


@paired_test(
    "bounded",
    title="Betting, bounded",
    estimand="mean difference",
    source="Waudby-Smith & Ramdas 2024",
)
def bounded(
    differences: FloatArray, *, alternative: Alternative, alpha: FloatArray, span: float = 1.0
) -> Answer:
    """Test the mean of differences of a bounded measure by bets; nothing else is assumed.

    Estimand: the mean difference. Hypothesis: it is 0. The query pairs the scores. No shape of the
    differences is taken for granted, not even that rare large losses stand among those seen: the
    level is kept at any number of queries, and looking again while they come in costs nothing. It
    is wider for it, most of all where queries are few.

    Parameters
    ----------
    span : float
        Largest difference that a query can have: 1 for a measure from 0 to 1.

    Returns
    -------
    Answer
        ``statistic`` is the logarithm of what the richer bet has made of 1, below 0 where that was
        the bet on A.

    Raises
    ------
    ArgumentError
        If a difference is larger than ``span``.

    Notes
    -----
    With x = (d / span + 1) / 2 in [0, 1], a mean m is bet against by K(m), the mean over fixed
    shares f of the product over queries of 1 + f (x / m - 1): its expectation is 1 where the mean
    is m, so it reaches 1 / alpha with a chance of at most alpha, at any time (Ville's inequality).
    One half of the capital bets that the mean is larger, one half by 1 - x that it is smaller; the
    interval holds the means against which neither has won [1]_. The bets are those of the "hedged
    grid Kelly" interval there: a mixture of shares that no query changes, so that the order of the
    queries changes nothing, and limits and p-value are of one function, which falls with m.

    References
    ----------
    .. [1] Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86, 1-27.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> d = 0.05 + 0.1 * np.sin(np.arange(200))
    >>> found = run_test("bounded", d)
    >>> found.ci_low.round(3), found.ci_high.round(3), found.pvalue < 0.001
    (array([0.024]), array([0.075]), array([ True]))
    """
    scaled = round_off(differences) / span
    if np.abs(scaled).max(initial=0.0) > 1.0 + 1e-9:
        raise ArgumentError(
            f"the bounded test is for differences of at most {span:g}, and the largest is"
            f" {float(np.abs(differences).max()):g}: choose another test"
        )
    unit = (np.clip(scaled, -1.0, 1.0) + 1.0) / 2.0
    sides = 2.0 if alternative == "two-sided" else 1.0
    statistic, pvalue, low, high = np.empty((4, unit.shape[1]))
    for column, level in enumerate(alpha.tolist()):
        values, number = np.unique(unit[:, column], return_counts=True)
        counts = number.astype(np.float64)
        up, down = _log_capital(values, counts, 0.5), _log_capital(1.0 - values, counts, 0.5)
        won = {"greater": up, "less": down, "two-sided": max(up, down)}[alternative]
        statistic[column] = up if up >= down else -down
        pvalue[column] = min(1.0, sides * math.exp(-won))
        enough = math.log(sides / level) if level > 0.0 else math.inf
        low[column] = 2.0 * _lower_limit(values, counts, enough) - 1.0
        high[column] = 1.0 - 2.0 * _lower_limit(1.0 - values, counts, enough)
    estimate = differences.mean(axis=0)
    low, high = span * low, span * high
    if alternative == "two-sided":
        low, high = align_interval_with_pvalue(pvalue, estimate, low, high, alpha)
    return Answer(estimate, statistic, pvalue, low, high, "closed form", 0)


def _log_capital(values: FloatArray, counts: FloatArray, mean: float) -> float:
    """Return the logarithm of what bets on a larger mean have made of 1."""
    logs = np.log1p(np.multiply.outer(_SHARES, values / mean - 1.0)) @ counts
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).mean()))


def _lower_limit(values: FloatArray, counts: FloatArray, enough: float) -> float:
    """Return the largest mean against which bets on a larger one have won; 0 if none."""
    mean = float(values @ counts) / float(counts.sum())
    if mean <= _LEAST or _log_capital(values, counts, _LEAST) <= enough:
        return 0.0
    found = find_root(
        lambda place: _log_capital(values, counts, place) - enough, _LEAST, mean, rtol=1e-12
    )
    return float(found)
