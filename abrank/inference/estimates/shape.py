"""How the differences are spread, which queries stand apart, and which decide.

How the differences are spread: information about them, never a gate to a test:

=====================  =======  ======  ============  ==================
differences            mean     sd      skew, excess  normality
=====================  =======  ======  ============  ==================
no query               NaN      NaN     NaN           NaN, no test
one query              itself   NaN     NaN           NaN, no test
two queries            theirs   theirs  0 and -2      NaN, no test
all 0                  0        0       NaN           NaN, no test
one value, not 0       it       0       NaN           NaN, no test
one query differs      as any other data, everywhere
two values             the same
not finite             refused
=====================  =======  ======  ============  ==================

Queries that stand apart from the others by more than chance leaves of normal differences:

==================  =====================================================================
differences         answer
==================  =====================================================================
fewer than three    none
all one value       none
one query differs   that query
two values          as any other data
not finite          refused
==================  =====================================================================

Leave-one-out influence of single queries on the decision of the t test:

==================  =====================================================================
differences         answer
==================  =====================================================================
no query            no call; no shift (NaN) and nothing flips
one query           the same
two queries         one remains without the other, and no call: a call flips
all 0               no call, nothing flips; p 1 without any
one value, not 0    no call, nothing flips; p NaN without any
one query differs   without it the others are one value: p 1 if that is 0, else NaN
two values          as any other data
not finite          refused
==================  =====================================================================
"""

from __future__ import annotations

from functools import cache
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.registry import as_alpha, as_differences
from abrank.inference.rounding import round_off

# --- How the differences are spread: information about them, never a gate to a test

# Beyond this Shapiro and Wilk's p-value is not accurate.
MOST_FOR_SHAPIRO = 5_000
# A smooth curve through few values, or through a heap at one, shows what is not there.
FEWEST_FOR_DENSITY, FEW_VALUES, HEAP = 10, 25, 0.2

Form: TypeAlias = Literal["dots", "values", "bins", "density"]


@record
class Shape:
    """Moments of the differences, and what a test of normality says.

    ``sd`` has n - 1 below it; ``skew`` is g1 and ``excess`` the kurtosis g2, 0 for the normal
    distribution. ``zero_share`` is the share of ties, ``normality`` a p-value by the test that
    ``normality_test`` names.
    """

    n_queries: int
    mean: float
    sd: float
    skew: float
    excess: float
    zero_share: float
    normality: float
    normality_test: str


def describe_shape(differences: npt.ArrayLike) -> Shape:
    """Return moments of the differences and the p-value of a test that they are normal.

    With few queries such a test sees nothing and with many it sees what does no harm, so it decides
    nothing here: the paired t test asks for a mean that is near normal, not for such differences.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 digits of the largest.

    Returns
    -------
    Shape
        Shapiro and Wilk's test up to 5,000 queries, D'Agostino and Pearson's beyond.

    Raises
    ------
    ArgumentError
        If a difference is not finite.

    References
    ----------
    .. [1] Shapiro & Wilk (1965), Biometrika 52, 591-611; D'Agostino & Pearson (1973), Biometrika
       60, 613-622; both by scipy.stats.

    Examples
    --------
    >>> shape = describe_shape([0.0, 0.0, 0.1, -0.1, 0.0, 0.9])
    >>> round(shape.skew, 2), round(shape.zero_share, 2), shape.normality < 0.05
    (1.67, 0.5, True)
    """
    values = round_off(as_differences(differences)[:, 0])
    n = len(values)
    mean = float(values.mean()) if n else np.nan
    zeros = float(np.mean(values == 0.0)) if n else np.nan
    if n < 2 or np.ptp(values) == 0.0:
        sd = 0.0 if n > 1 else np.nan
        return Shape(n, mean, sd, np.nan, np.nan, zeros, np.nan, "none")
    skew, excess = moments(values)
    pvalue, test = _normality(values)
    return Shape(
        n_queries=n,
        mean=mean,
        sd=float(values.std(ddof=1)),
        skew=skew,
        excess=excess,
        zero_share=zeros,
        normality=pvalue,
        normality_test=test,
    )


def spread_form(differences: FloatArray) -> Form:
    """Return the picture that shows how differences are spread without making anything up.

    Dots below 10 queries; a bar a value where there are few values; bins where more than a fifth
    of the queries have one value; a density else.

    Examples
    --------
    >>> spread_form(np.zeros(3)), spread_form(np.arange(99) % 3), spread_form(np.arange(99))
    ('dots', 'values', 'density')
    """
    n = len(differences)
    counts = np.unique(differences, return_counts=True)[1]
    if n < FEWEST_FOR_DENSITY:
        return "dots"
    if len(counts) <= min(FEW_VALUES, n // 2):
        return "values"
    return "bins" if counts.max() > HEAP * n else "density"


def moments(differences: npt.ArrayLike) -> tuple[float, float]:
    """Return skewness g1 and excess kurtosis g2, as :func:`describe_shape` does, without a test.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Taken to 10 digits of the largest.

    Returns
    -------
    tuple of float
        NaN where the differences are fewer than two, or all the same.

    Examples
    --------
    >>> [round(each, 2) for each in moments([0.0, 0.0, 0.1, -0.1, 0.0, 0.9])]
    [1.67, 1.0]
    """
    values = round_off(as_differences(differences)[:, 0])
    if len(values) < 2 or np.ptp(values) == 0.0:
        return np.nan, np.nan
    centred = (values - values.mean()) / values.std()
    return float(np.mean(centred**3)), float(np.mean(centred**4)) - 3.0


def _normality(values: FloatArray) -> tuple[float, str]:
    """Return p-value and name of the test of normality; at least 3 values are needed."""
    from scipy import stats

    if len(values) < 3:
        return np.nan, "none"
    if len(values) <= MOST_FOR_SHAPIRO:
        return float(stats.shapiro(values).pvalue), "Shapiro-Wilk"
    return float(stats.normaltest(values).pvalue), "D'Agostino-Pearson"


# --- Queries that stand apart from the others by more than chance leaves of normal
# differences

# Rosner's percentage points for several outliers are right from so many values on; for one, always.
LEAST_FOR_SEVERAL = 15


def rosner_outliers(differences: npt.ArrayLike, *, most: int = 3, alpha: float = 0.05) -> IntArray:
    """Return the places of up to ``most`` outliers by the generalised extreme studentised deviate.

    Hypothesis: the differences are a sample of one normal distribution. The studentised deviates do
    not depend on the mean and its standard error (Basu's theorem), so of normal differences as many
    samples have an outlier among those with a small p of the t test as among all others.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 decimals.
    most : int
        Outliers that are looked for; one below 15 queries, where the test of several is too free.
    alpha : float
        Share of normal samples in which any is found.

    Returns
    -------
    int64 ndarray
        Furthest first.

    Raises
    ------
    ArgumentError
        If a difference is not finite.

    References
    ----------
    .. [1] Rosner (1983), Percentage points for a generalized ESD many-outlier procedure,
       Technometrics 25(2), 165-172, equation 2.5. One outlier is Grubbs' test (1969).

    Examples
    --------
    >>> rosner_outliers([0.1, 0.0, -0.1, 0.05, 0.9, -0.05, 0.0])
    array([4])
    """
    values = round_off(as_differences(differences)[:, 0])
    left, order, found = np.arange(len(values)), [], 0
    wanted = most if len(values) >= LEAST_FOR_SEVERAL else min(most, 1, max(len(values) - 2, 0))
    for step in range(1, wanted + 1):
        rest = values[left] - values[left].mean()
        spread = rest.std(ddof=1)
        if np.ptp(values[left]) == 0.0:
            break
        far = int(np.argmax(np.abs(rest)))
        order.append(left[far])
        if abs(rest[far]) > _limit(len(values), step, alpha) * spread:
            found = step
        left = np.delete(left, far)
    return np.array(order[:found], np.int64)


@cache
def _limit(n: int, step: int, alpha: float) -> float:
    """Return how many standard deviations the step's largest deviate may be from the mean."""
    from scipy.special import stdtrit

    m = n - step + 1
    t = float(stdtrit(m - 2, 1.0 - alpha / (2.0 * m)))
    return float((m - 1) * t / np.sqrt((m - 2 + t * t) * m))


# --- The points and the band of a normal quantile plot


@record
class NormalPlot:
    """Standardised values against normal quantiles, and where chance would leave each of them.

    All are ascending and of shape (n_points,). ``low`` and ``high`` hold a value of a normal sample
    with the chance of ``confidence``, each value by itself.
    """

    expected: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float


def normal_plot(
    differences: npt.ArrayLike, *, confidence: float = 0.95, most: int = 400
) -> NormalPlot:
    """Return the standardised differences against the quantiles of the normal distribution.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 digits of the largest.
    confidence : float
        Of the band.
    most : int
        Of more queries some are taken, evenly along the quantiles, both ends among them.

    Raises
    ------
    ArgumentError
        If a difference is not finite, or they do not vary.

    Notes
    -----
    Expected is the quantile of (i - 3/8) / (n + 1/4) [1]_. The band is of the i-th smallest of n
    independent normal values, whose distribution of chance is Beta(i, n + 1 - i) [2]_; that mean
    and deviation are those of the sample makes it a little wide.

    References
    ----------
    .. [1] Blom (1958), Statistical Estimates and Transformed Beta-Variables.
    .. [2] David & Nagaraja (2003), Order Statistics, section 2.1.

    Examples
    --------
    >>> found = normal_plot([0.1, 0.2, 0.3])
    >>> found.expected.round(3), found.observed.round(3), found.low.round(2)
    (array([-0.869,  0.   ,  0.869]), array([-1., -0.,  1.]), array([-2.39, -1.31, -0.55]))
    """
    from scipy.special import betaincinv, ndtri

    values = np.sort(round_off(as_differences(differences)[:, 0]))
    n = len(values)
    if n < 2 or values[0] == values[-1]:
        raise ArgumentError("differences that do not vary have no quantile plot")
    rank = _ranks(n, most)
    tails = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])[:, None]
    low, high = ndtri(betaincinv(rank, n + 1.0 - rank, tails))
    observed = (values[rank - 1] - values.mean()) / values.std(ddof=1)
    return NormalPlot(ndtri((rank - 0.375) / (n + 0.25)), observed, low, high, confidence)


def _ranks(n: int, most: int) -> npt.NDArray[np.int64]:
    """Return at most ``most`` ranks of 1 to n, evenly along the quantiles of the normal law."""
    if n <= most:
        return np.arange(1, n + 1)
    reach = -NormalDist().inv_cdf(0.625 / (n + 0.25))
    chance = np.array([NormalDist().cdf(z) for z in np.linspace(-reach, reach, most)])
    rank = np.rint(chance * (n + 0.25) + 0.375).astype(np.int64)
    return np.unique(np.clip(rank, 1, n))


# --- Leave-one-out influence of single queries on the decision of the t test


@record
class Influence:
    """Answers of :func:`leave_out`.

    Attributes
    ----------
    call : int
        +1 where the mean is shown to be above 0, -1 below, else 0.
    mean_without, pvalue_without : ndarray of shape (n_queries,)
        Mean and two-sided p of the t test without each query.
    flips : ndarray of bool of shape (n_queries,)
        Whether the call is another one without that query.
    largest_shift : float
        The largest change of the mean by leaving one query out, with its sign.
    most_influential : int
        The place of that query; -1 without one.
    removed : ndarray of int
        The fewest queries, largest first, whose removal changes the call as found by taking away
        one after the other; empty where none does.
    """

    call: int
    mean_without: FloatArray
    pvalue_without: FloatArray
    flips: BoolArray
    largest_shift: float
    most_influential: int
    removed: IntArray


def leave_out(differences: npt.ArrayLike, *, confidence: float = 0.95) -> Influence:
    """Return how the call of the paired t test changes without single queries, in O(n log n).

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 digits of the largest.
    confidence : float

    Returns
    -------
    Influence
        Without query i the mean is (n mean - d_i) / (n - 1), and the sum of squares about it is
        less by n / (n - 1) (d_i - mean)**2. For ``removed``, queries are taken away by size in the
        direction of the call (against the mean, where nothing is shown) until another call is
        reached; fewer might do it in rare cases.

    Raises
    ------
    ArgumentError
        If a difference is not finite or the level not in (0, 1).

    Examples
    --------
    >>> found = leave_out([0.1, 0.2, 0.1, 0.0, 0.1, 0.3, -0.1, 0.2])
    >>> found.call, int(found.flips.sum()), found.removed
    (1, 6, array([5]))
    """
    values = round_off(as_differences(differences)[:, 0])
    alpha = float(as_alpha(confidence, 1)[0])
    n = len(values)
    if n < 2:
        nothing = np.full(n, np.nan)
        none = np.empty(0, np.int64)
        return Influence(0, nothing, nothing, np.zeros(n, np.bool_), np.nan, -1, none)
    mean, centred = values.mean(), _centred(values)
    call, without, pvalue, calls = _without_each(values, np.arange(n), alpha)
    most = int(np.argmax(np.abs(centred)))
    return Influence(
        call=call,
        mean_without=without,
        pvalue_without=pvalue,
        flips=calls != call,
        largest_shift=float(without[most] - mean),
        most_influential=most,
        removed=_removed(values, call, alpha, (centred**2).sum()),
    )


def calls_without(
    differences: npt.ArrayLike, places: IntArray, *, confidence: float = 0.95
) -> tuple[int, IntArray, FloatArray]:
    """Return what :func:`leave_out` says of a few queries of many, without a look at the others.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        At least two.
    places : int64 ndarray
        The queries to leave out, one at a time.
    confidence : float

    Returns
    -------
    call : int
        Of all queries.
    calls, pvalues : ndarray of the shape of ``places``
        Without each of them.

    Examples
    --------
    >>> calls_without([0.1, 0.2, 0.1, 0.0, 0.1, 0.3, -0.1, 0.2], np.array([5, 6]))
    (1, array([0, 1]), array([0.07814075, 0.00823735]))
    """
    values = round_off(as_differences(differences)[:, 0])
    call, _, pvalues, calls = _without_each(values, places, float(as_alpha(confidence, 1)[0]))
    return call, calls, pvalues


def _without_each(
    values: FloatArray, places: IntArray, alpha: float
) -> tuple[int, FloatArray, FloatArray, IntArray]:
    """Return the call of all values, and mean, p-value and call without one after the other."""
    n, mean, centred = len(values), values.mean(), _centred(values)
    squares = (centred**2).sum()
    whole = _pvalue(np.array([mean]), np.array([squares]), np.array([n]), squares)
    call = int(_calls(np.array([mean]), whole, alpha)[0])
    without = mean - centred[places] / (n - 1)
    left = squares - centred[places] ** 2 * n / (n - 1)
    pvalue = _pvalue(without, left, np.full(len(places), n - 1), squares)
    return call, without, pvalue, _calls(without, pvalue, alpha)


def means_without(differences: FloatArray) -> FloatArray:
    """Return the mean without each query in turn: float64[n_queries]; at least two queries.

    Examples
    --------
    >>> means_without(np.array([0.25, 0.5, 0.75]))
    array([0.625, 0.5  , 0.375])
    """
    values = round_off(differences)
    return np.asarray(values.mean() - _centred(values) / (len(values) - 1))


def _removed(values: FloatArray, call: int, alpha: float, squares: float) -> IntArray:
    """Return the first of the largest queries whose removal changes the call."""
    direction = call or -(np.sign(values.sum()) or 1.0)
    order = np.argsort(-direction * values, kind="stable")
    # From the end, so that what remains is summed and not subtracted.
    rest = _centred(values)[order][::-1]
    counts = np.arange(1, len(values) + 1)
    shift = np.cumsum(rest) / counts
    remaining = np.cumsum(rest**2) - counts * shift**2
    means = values.mean() + shift
    calls = _calls(means, _pvalue(means, remaining, counts, squares), alpha)[::-1]
    # At least two must remain for a call to be one.
    changed = np.flatnonzero(calls[1 : len(values) - 1] != call)
    return order[: changed[0] + 1].astype(np.int64) if changed.size else np.empty(0, np.int64)


def _centred(values: FloatArray) -> FloatArray:
    """Return the distances from the mean; 0 where all are one value, to the last digit."""
    from_first: FloatArray = values - values[0]
    return np.asarray(from_first - from_first.mean())


def _pvalue(means: FloatArray, squares: FloatArray, counts: IntArray, scale: float) -> FloatArray:
    """Return p of t; what is left of the squares by rounding is no spread: p 1 or NaN."""
    from scipy.special import stdtr

    pvalue = np.where(np.abs(means) <= 1e-10 * np.sqrt(scale), 1.0, np.nan)
    spread = (counts > 1) & (squares > 1e-12 * scale)
    freedom = counts[spread] - 1.0
    error = np.sqrt(squares[spread] / (freedom * (freedom + 1.0)))
    pvalue[spread] = 2.0 * stdtr(freedom, -np.abs(means[spread]) / error)
    return pvalue


def _calls(means: FloatArray, pvalue: FloatArray, alpha: float) -> IntArray:
    return np.where(pvalue < alpha, np.sign(means), 0.0).astype(np.int64)
