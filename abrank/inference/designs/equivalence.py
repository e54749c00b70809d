"""Equivalence, non-inferiority and superiority by more than a margin, of means and proportions.

==================  =====================================  ===================================
differences         by t, of means and of relative change  by permutation
==================  =====================================  ===================================
no query            NaN                                    NaN
one query           p NaN, (-inf, inf)                     p 1/2 or 1, (-inf, inf)
two queries         as any other data                      p 1/4 at the least, (-inf, inf)
all 0               p NaN, (-inf, inf)                     p 2**-n, [0, 0]
one value, not 0    p NaN, (-inf, inf)                     p 2**-n within the margin, else 1;
                                                           of width 0
one query differs   as any other data                      as any other data
two values          as any other data                      as any other data
not finite          refused                                refused
==================  =====================================  ===================================

No spread between the differences leaves the t test no error; of the relative change what must have
none is the candidate less the baseline with the margin taken off.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import Alternative, BoolArray, FloatArray
from abrank.inference.estimates.relative_change import paired_scores, ratio_interval
from abrank.inference.registry import as_differences, run_test

# --- Equivalence, non-inferiority and superiority of means by more than a margin

EquivalenceTest = Literal["t", "permutation"]
_SIDES: tuple[Alternative, ...] = ("greater", "less")


@record
class Equivalence:
    """Answers about a margin: arrays of shape (n_comparisons,).

    ``pvalue`` is for "the difference lies within the margin", ``p_not_worse`` for "it lies above
    minus the margin", ``p_not_better`` for "below plus the margin", ``p_better`` for "above plus
    the margin" and ``p_worse`` for "below minus the margin". The interval is the 1 - 2 alpha one:
    each claim but the first holds at alpha exactly where it lies on that side of the margin, and
    the first where it lies within.
    """

    pvalue: FloatArray
    p_not_worse: FloatArray
    p_not_better: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    margin: FloatArray
    p_better: FloatArray
    p_worse: FloatArray


def tost(
    differences: npt.ArrayLike,
    *,
    margin: float | FloatArray,
    alpha: float = 0.05,
    test: EquivalenceTest = "t",
    seed: int = 0,
) -> Equivalence:
    """Test on which side of a margin around 0 the mean difference lies (two one-sided tests).

    Estimand: the mean difference. Hypothesis to reject for equivalence: it is at least ``margin``
    away from 0. The query pairs the scores. Equivalent at level alpha where ``pvalue < alpha``,
    which is where the 1 - 2 alpha interval lies inside (-margin, margin); not worse where
    ``p_not_worse < alpha``, which is where ``ci_low > -margin``; better by more than the margin
    where ``p_better < alpha``, which is where ``ci_low > margin``.

    Parameters
    ----------
    differences : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Candidate minus baseline.
    margin : float or array_like of shape (n_comparisons,)
        The smallest difference that matters, above 0, in the unit of the differences. For one that
        is a share of the baseline's mean see :func:`relative_tost`.
    alpha : float
        Below one half.
    test : {"t", "permutation"}
        Paired t tests [1]_, or sign-flip tests of the differences moved by the margin: for these
        the hypothesis is that they are symmetric about it.
    seed : int
        For a permutation test that draws.

    Returns
    -------
    Equivalence
        By t, p-values are NaN and the interval is unbounded with fewer than two queries, or where
        all differences are one value: there is no spread to judge them by.

    Raises
    ------
    ArgumentError
        If the margin is not above 0, alpha not in (0, .5), or a difference not finite.

    References
    ----------
    .. [1] Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.

    Examples
    --------
    >>> result = tost([0.01, -0.02, 0.03, 0.0, 0.01, -0.01, 0.02, 0.0], margin=0.05)
    >>> bool(result.pvalue[0] < 0.05), result.ci_low.round(4), result.ci_high.round(4)
    (True, array([-0.0057]), array([0.0157]))
    """
    checks.one_of("test", test, get_args(EquivalenceTest))
    data = as_differences(differences)
    margins = _as_margins(margin, alpha, data.shape[1])
    # Two of the four have a limit of the interval; of the others the p-value is enough.
    with_limit = {(-1.0, "greater"), (1.0, "less")}
    found = {
        (sign, side): run_test(
            test, data - sign * margins, alternative=side, seed=seed,
            confidence=1.0 - alpha if (sign, side) in with_limit else 1.0,
        )
        for sign in (-1.0, 1.0)
        for side in _SIDES
    }  # fmt: skip
    p_not_worse, p_better = (found[sign, "greater"].pvalue for sign in (-1.0, 1.0))
    p_worse, p_not_better = (found[sign, "less"].pvalue for sign in (-1.0, 1.0))
    low = found[-1.0, "greater"].ci_low - margins
    high = found[1.0, "less"].ci_high + margins
    # The limits may have moved by a rounding error; the p-values say on which side they are.
    for bound, pvalue in ((-margins, p_not_worse), (margins, p_better)):
        low = _beyond(low, bound, pvalue < alpha)
    for bound, pvalue in ((margins, p_not_better), (-margins, p_worse)):
        high = -_beyond(-high, -bound, pvalue < alpha)
    return Equivalence(
        pvalue=np.maximum(p_not_worse, p_not_better),
        p_not_worse=p_not_worse,
        p_not_better=p_not_better,
        ci_low=low,
        ci_high=high,
        margin=margins,
        p_better=p_better,
        p_worse=p_worse,
    )


def relative_tost(
    a: npt.ArrayLike, b: npt.ArrayLike, *, margin: float | FloatArray, alpha: float = 0.05
) -> Equivalence:
    """Test on which side of a margin the relative change of the mean lies, by paired t.

    Estimand: mean(b) / mean(a) - 1. That it lies above -margin is the claim that b - (1 - margin) a
    has a mean above 0, and so on: the baseline's mean is estimated too, and a margin of so many per
    cent of the mean that was seen would forget that. The query pairs the scores.

    Parameters
    ----------
    a, b : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Scores, 0 or more.
    margin : float or array_like of shape (n_comparisons,)
        A share of the baseline's mean, above 0: .05 for 5 %.
    alpha : float
        Below one half.

    Returns
    -------
    Equivalence
        The interval is Fieller's [1]_ of the relative change, at 1 - 2 alpha, unbounded where the
        baseline's mean cannot be told from 0 and where p is NaN. All NaN where all of a are 0.

    Raises
    ------
    ArgumentError
        As for :func:`tost`, if the shapes differ, or a score is below 0.

    References
    ----------
    .. [1] Fieller (1954), Journal of the Royal Statistical Society B 16, 175-185.

    Examples
    --------
    >>> a = [0.30, 0.45, 0.12, 0.60, 0.25, 0.50, 0.33, 0.41]
    >>> b = [0.31, 0.44, 0.12, 0.62, 0.25, 0.49, 0.35, 0.41]
    >>> result = relative_tost(a, b, margin=0.05)
    >>> result.pvalue.round(3), result.ci_low.round(3), result.ci_high.round(3)
    (array([0.009]), array([-0.012]), array([0.033]))
    """
    first, second = paired_scores(a, b)
    margins = _as_margins(margin, alpha, first.shape[1])
    if min(first.min(initial=0.0), second.min(initial=0.0)) < 0.0:
        raise ArgumentError("a relative margin needs scores of 0 or more in a and b")
    undefined = ~np.any(first > 0.0, axis=0)

    def pvalue(sign: float, side: Alternative) -> FloatArray:
        found = run_test("t", second - (1.0 + sign * margins) * first, alternative=side).pvalue
        return np.where(undefined, np.nan, found)

    p_not_worse, p_not_better = pvalue(-1.0, "greater"), pvalue(1.0, "less")
    change = ratio_interval(first, second, confidence=1.0 - 2.0 * alpha)
    # Scores without any spread have a ratio, and no error to judge it by.
    endless = np.where(np.isnan(p_not_worse) & ~np.isnan(change.ci_low), np.inf, 0.0)
    return Equivalence(
        pvalue=np.maximum(p_not_worse, p_not_better),
        p_not_worse=p_not_worse,
        p_not_better=p_not_better,
        ci_low=change.ci_low - endless,
        ci_high=change.ci_high + endless,
        margin=margins,
        p_better=pvalue(1.0, "greater"),
        p_worse=pvalue(-1.0, "less"),
    )


def _as_margins(margin: float | FloatArray, alpha: float, n_columns: int) -> FloatArray:
    """Return the margin of every comparison, checked; and check alpha, which goes with it."""
    margins = np.asarray(margin, dtype=np.float64)
    if margins.shape not in ((), (n_columns,)):
        raise ArgumentError(
            f"margin must be one number or one for each of {n_columns} comparisons, not of shape"
            f" {margins.shape}"
        )
    if not np.all((margins > 0.0) & np.isfinite(margins)):
        raise ArgumentError(f"margin must be above 0, not {margin!r}")
    if not 0.0 < alpha < 0.5:
        raise ArgumentError(f"alpha must lie between 0 and .5, not {alpha!r}")
    return np.broadcast_to(margins, (n_columns,)).copy()


def _beyond(limit: FloatArray, bound: FloatArray, is_beyond: BoolArray) -> FloatArray:
    """Return lower limits above the bound where they are to be, and at most at it elsewhere."""
    above = np.maximum(limit, np.nextafter(bound, np.inf))
    return np.where(is_beyond, above, np.minimum(limit, bound))


# --- The Clopper-Pearson interval of a binomial proportion


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

    Source: Clopper & Pearson (1934), Biometrika 26, 404-413.
    """
    checks.level("alpha", alpha)
    share = -math.expm1(math.log(alpha) / checks.count("n_queries", n_queries))
    return Unseen(share, share * span if math.isfinite(span) else math.nan)


def clopper_pearson(count: int, total: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of the chance behind ``count`` in ``total``.

    Source: Clopper & Pearson (1934), Biometrika 26, 404-413.
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
