"""The sign test."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import Alternative, FloatArray
from abrank.inference.exact.inversion import align_interval_with_pvalue
from abrank.inference.registry import paired_test
from abrank.inference.result import Answer
from abrank.inference.rounding import round_off


@paired_test(
    "sign",
    title="Sign",
    estimand="net share of decided queries won",
    source="Arbuthnott 1710; Conover 1999, section 3.4; interval: Clopper & Pearson 1934",
)
def sign(differences: FloatArray, *, alternative: Alternative, alpha: FloatArray) -> Answer:
    """Test whether the candidate wins as many queries as it loses; ties are dropped.

    Estimand: (wins - losses) / (wins + losses), between -1 and 1. It says nothing of how much is
    won. Hypothesis: a query that is decided is won by either system with probability one half. The
    query pairs the scores.

    Parameters
    ----------
    differences : ndarray of shape (n_queries, n_comparisons)
        Candidate minus baseline; taken to 10 digits of the largest. A column of zeros only is
        not meant here.

    Returns
    -------
    Answer
        ``statistic`` is the number of wins. Exact binomial; the interval is Clopper and Pearson's
        for the share of wins, put on the scale of the estimand.

    Examples
    --------
    29 wins and 21 losses, the published example of Smucker, Allan & Carterette 2007:

    >>> from abrank.inference import run_test
    >>> run_test("sign", [0.1] * 29 + [-0.1] * 21).pvalue.round(4)
    array([0.3222])
    """
    rounded = round_off(differences)
    wins = np.count_nonzero(rounded > 0.0, axis=0).astype(np.float64)
    losses = np.count_nonzero(rounded < 0.0, axis=0).astype(np.float64)
    return sign_answer(wins, losses, alternative=alternative, alpha=alpha)


def sign_answer(
    wins: FloatArray, losses: FloatArray, *, alternative: Alternative, alpha: FloatArray
) -> Answer:
    """Return the answer of :func:`sign` from the numbers of wins and losses.

    Examples
    --------
    >>> some = {"alternative": "two-sided", "alpha": np.array([0.05])}
    >>> sign_answer(np.array([29.0]), np.array([21.0]), **some).pvalue.round(4)
    array([0.3222])
    """
    from scipy.special import betainc

    # P(X >= x) of a fair binomial as an incomplete beta function; x = 0 is certain.
    greater = np.where(wins > 0, betainc(np.maximum(wins, 1.0), losses + 1.0, 0.5), 1.0)
    less = np.where(losses > 0, betainc(np.maximum(losses, 1.0), wins + 1.0, 0.5), 1.0)
    if alternative == "two-sided":
        pvalue = np.minimum(1.0, 2.0 * np.minimum(greater, less))
    else:
        pvalue = greater if alternative == "greater" else less
    low, high = _interval(wins, losses, alternative, alpha)
    estimate = (wins - losses) / (wins + losses)
    return Answer(
        estimate,
        wins,
        pvalue,
        *align_interval_with_pvalue(pvalue, estimate, low, high, alpha),
        "exact",
    )


def _interval(
    wins: FloatArray, losses: FloatArray, alternative: Alternative, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return Clopper and Pearson's interval for the share of wins, as 2 share - 1."""
    from scipy.special import betaincinv

    tail = alpha / 2.0 if alternative == "two-sided" else alpha
    low = np.where(wins > 0, betaincinv(np.maximum(wins, 1.0), losses + 1.0, tail), 0.0)
    high = np.where(losses > 0, betaincinv(np.maximum(losses, 1.0), wins + 1.0, tail), 0.0)
    low, high = 2.0 * low - 1.0, 1.0 - 2.0 * high
    if alternative == "greater":
        high = np.full_like(high, np.inf)
    if alternative == "less":
        low = np.full_like(low, -np.inf)
    return low, high
