"""The bootstrap of the mean difference, as an interval and the p-value that inverts it.

What comes out where there is little to draw from (two-sided; one comparison):

====================  =============================================  ===========================
differences           percentile, BCa, basic, shift                  studentised
====================  =============================================  ===========================
no query              all NaN                                        all NaN
one query             p NaN (if 0: 1), (-inf, inf)                   p NaN (if 0: 1), (-inf, inf)
two queries           p .5 or more, bounded up to 50 % confidence;   the paired t test's
                      shift: .25 or more, up to 75 %
all 0                 p 1, [0, 0]                                    p 1, [0, 0]
one value, not 0      p NaN, (-inf, inf)                             p NaN, (-inf, inf)
one query differs     the binomial law of how often it is drawn      the paired t test's
two values            the binomial law of how often each is drawn    the same, studentised
not finite            refused                                        refused
====================  =============================================  ===========================
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from abrank._support import checks
from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.exact.bootstrap_distribution import (
    SMALLEST,
    BootstrapDistribution,
    Chances,
    bootstrap_distribution,
    laws_around,
)
from abrank.inference.paired.t_and_sign import mean_and_error
from abrank.inference.registry import Answer, paired_test
from abrank.inference.resampling import bootstrap_t
from abrank.inference.rounding import round_off

# Chances are rounded to 12 decimals.
ROUNDING = 1e-11

Method = Literal["studentised", "percentile", "BCa", "basic", "shift"]


@paired_test(
    "bootstrap",
    title="Bootstrap",
    estimand="mean difference",
    source="Efron & Tibshirani 1993; Hall 1988; DiCiccio & Efron 1996; Sakai 2006",
)
def bootstrap(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
    method: Method = "studentised",
    bounded: bool = True,
) -> Answer:
    """Estimate the mean difference by what resampling queries with replacement would give.

    Estimand: the mean difference. Hypothesis: it is 0 in the population the queries are a sample
    of. A query is drawn with both its scores, which pairs them.

    Parameters
    ----------
    seed : int
        The resamples depend on it and on the number of queries.
    n_resamples : int, optional
        Resamples B of "studentised"; 9,999. The other methods draw nothing.
    method : {"studentised", "percentile", "BCa", "basic", "shift"}
        "studentised" is the symmetric bootstrap-t [1]_, which keeps its level, with few queries
        with room to spare; the others reject too often up to some 100 queries, see
        ``reports/calibration``. "shift" is the test of [3]_: how often is a
        resampled mean as far from the sample's as that is from 0; its interval is symmetric.
    bounded : bool
        Whether a p-value "on a grid" is bounded; who wants limits alone saves half of the time.

    Returns
    -------
    Answer
        ``statistic`` is t for "studentised", else the mean. Method "exact": the distribution of the
        mean of all resamples, see
        :mod:`~abrank.inference.exact.bootstrap_distribution`; or "on a grid" where the differences
        of any column have no common step, with bounds of its p-value
        (:func:`~abrank.inference.exact.bootstrap_distribution.laws_around`). For "studentised" it
        is "Monte Carlo", and "closed form" if the paired t test stands in for it in every column.

    Notes
    -----
    The p-value is defined by the interval: the smallest alpha at which it excludes 0. No chance is
    taken to be below 1e-10, nor below n**-n, that of a single resample, so that p is never 0; an
    interval of so small an alpha is unbounded. One-sided, "shift" is "basic". For BCa the chances
    are carried through z0 and a [2]_ backwards.

    References
    ----------
    .. [1] Hall (1988), Journal of the Royal Statistical Society B 50, 35-45.
    .. [2] DiCiccio & Efron (1996), Statistical Science 11, 189-228, equation 2.3.
    .. [3] Sakai (2006), SIGIR, 525-532.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> d = [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4]
    >>> result = run_test("bootstrap", d, method="percentile")
    >>> result.pvalue.round(6), result.ci_low.round(3), result.ci_high.round(3), result.method
    (array([0.005489]), array([0.035]), array([0.225]), 'exact')
    >>> result = run_test("bootstrap", d)
    >>> bool(0 < result.ci_low[0] < 0.04), bool(result.pvalue[0] < 0.05), result.method
    (True, True, 'Monte Carlo')
    """
    checks.one_of("method", method, get_args(Method))
    rounded = round_off(differences)
    if method == "studentised":
        return bootstrap_t(
            rounded, alternative=alternative, alpha=alpha, seed=seed, n_resamples=n_resamples
        )
    mean, error = mean_and_error(rounded)
    found = np.full((5, len(mean)), np.nan)
    found[0], found[3], found[4] = mean, -np.inf, np.inf
    bounds, exact = np.full((3, len(mean)), np.nan), True
    bounds[2] = 0.0
    for one in np.flatnonzero(np.isfinite(error)):
        sample = rounded[:, one]
        law = bootstrap_distribution(sample)
        pvalue, low, high = answer_by_law(law, sample, method, alpha[one], alternative)
        bounds[:2, one] = pvalue
        if not law.on_lattice:
            exact = False
            if bounded:
                bounds[:2, one] = _bounds(sample, method, alternative)
                pvalue = float(np.clip(pvalue, *bounds[:2, one]))
            else:
                bounds[2, one] = np.nan
        found[1:, one] = mean[one], pvalue, low, high
    return Answer.from_rows(found, "exact" if exact else "on a grid", 0, bounds)


def answer_by_law(
    law: BootstrapDistribution,
    sample: FloatArray,
    method: Method,
    alpha: float,
    alternative: Alternative,
    counts: IntArray | None = None,
) -> tuple[float, float, float]:
    """Return p-value and limits of a bootstrap that draws nothing, from the law of the mean."""
    if method == "shift" and alternative == "two-sided":
        # From how far the resampled means are from the sample's.
        furthest = max(law.above.points[-1] + law.total, law.below.points[-1] - law.total)
        sizes = np.arange(np.floor(furthest) + 1.0)
        chance = law.below.at(law.total - sizes) + law.above.at(-law.total - sizes)
        # Of minus the size, so that it is a chance of "at most".
        far = replace(law.below, points=-sizes[::-1], chance=np.minimum(chance, 1.0)[::-1])
        reach = -far.reaches(alpha)
        pvalue = far.pvalue(-abs(law.total))
        return pvalue, (law.total - reach) * law.unit, (law.total + reach) * law.unit
    below, above = _tails(law, np.asarray(sample, np.float64), method, counts=counts)
    sides = 2.0 if alternative == "two-sided" else 1.0
    low, high = below.reaches(alpha / sides), -above.reaches(alpha / sides)
    pvalue = _pvalue(below, above, alternative)
    if alternative == "greater":
        return pvalue, low * law.unit, np.inf
    if alternative == "less":
        return pvalue, -np.inf, high * law.unit
    return pvalue, low * law.unit, high * law.unit


def _tails(
    law: BootstrapDistribution,
    sample: FloatArray,
    method: Method,
    *,
    bias: float | None = None,
    counts: IntArray | None = None,
) -> tuple[Chances, Chances]:
    """Return the chances by which a method rejects means: that are too small, and too large."""
    if method in ("basic", "shift"):
        # 2 total - sum is at most x where minus the sum is at most x - 2 total.
        return (
            replace(law.above, points=law.above.points + 2.0 * law.total),
            replace(law.below, points=law.below.points - 2.0 * law.total),
        )
    if method == "percentile":
        return law.below, law.above
    # The acceleration is a sixth of the skewness over the root of n.
    weights = np.ones(sample.size) if counts is None else counts.astype(np.int64)
    centred = sample - np.average(sample, weights=weights)
    acceleration = float(weights @ centred**3 / (6.0 * (weights @ centred**2) ** 1.5))
    bias = _bias(law.below, law.above, law.total) if bias is None else bias
    return _carried(law.below, bias, acceleration), _carried(law.above, -bias, -acceleration)


def _pvalue(below: Chances, above: Chances, alternative: Alternative) -> float:
    """Return the p-value of a mean of 0."""
    greater, less = below.pvalue(0.0), above.pvalue(0.0)
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(greater, less))
    return greater if alternative == "greater" else less


def _bounds(sample: FloatArray, method: Method, alternative: Alternative) -> tuple[float, float]:
    """Return two numbers between which the p-value of the distribution of all resamples lies."""
    under, over = laws_around(sample)
    # Chances of both tails that are too small, and too large.
    small = replace(over, above=under.above)
    large = replace(under, above=over.above)
    if method == "shift" and alternative == "two-sided":
        low, high = [_both_ends(small)], [_both_ends(large)]
        return max(low[0] - ROUNDING, 0.0), min(high[0] + ROUNDING, 1.0)
    # The larger the bias, the smaller the chance of a mean below 0 and the larger that above.
    biases = [_bias(each.below, each.above, each.total) for each in (over, under)]
    if method == "BCa" and not np.isfinite(biases).all():
        # So many queries that the two are apart: which bias the sample has is not known.
        return 0.0, 1.0
    if method in ("percentile", "BCa"):
        small, large = _at_zero(small), _at_zero(large)
    low, high = (
        [_pvalue(*_tails(law, sample, method, bias=bias), alternative) for bias in biases]
        for law in (small, large)
    )
    return max(min(low) - ROUNDING, 0.0), min(max(high) + ROUNDING, 1.0)


def _at_zero(law: BootstrapDistribution) -> BootstrapDistribution:
    """Return a law of steps with the one that a p-value of a mean of 0 is read from."""
    tails = []
    for chances in (law.below, law.above):
        place = int(np.searchsorted(chances.points, 0.0, side="right"))
        step = slice(max(place - 1, 0), place)
        tails.append(replace(chances, points=chances.points[step], chance=chances.chance[step]))
    return replace(law, below=tails[0], above=tails[1])


def _both_ends(law: BootstrapDistribution) -> float:
    """Return the chance of a mean as far from the sample's as that is from 0."""
    far = abs(law.total)
    chance = float(law.below.at(law.total - far) + law.above.at(-law.total - far))
    return min(1.0, max(chance, law.below.smallest))


def _bias(below: Chances, above: Chances, total: float) -> float:
    """Return the normal quantile of the chance of a mean below the sample's, z0 of BCa."""
    from scipy.special import ndtri

    # Resamples with the sample's mean count by half.
    return float(ndtri((below.at(total) + 1.0 - above.at(-total)) / 2.0))


def _carried(chances: Chances, z0: float, a: float) -> Chances:
    """Return the levels of percentile limits that BCa moves to where the chances are."""
    from scipy.special import ndtr, ndtri

    chance = np.append(chances.smallest, chances.chance)
    inside = (chance > 0.0) & (chance < 1.0)
    w = ndtri(np.where(inside, chance, 0.5)) - z0
    # Beyond the pole no level is left.
    y = np.copysign(np.inf, w)
    np.divide(w, 1.0 + a * w, out=y, where=1.0 + a * w > 0.0)
    carried = np.where(inside, ndtr(y - z0), chance)
    carried[1:] = np.maximum.accumulate(carried[1:])
    return replace(chances, chance=carried[1:], smallest=max(float(carried[0]), SMALLEST))
