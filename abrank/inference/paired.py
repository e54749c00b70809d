"""Paired tests of a mean: t, sign, sign-flip permutation, and the betting test."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import Alternative, FloatArray
from abrank.inference.registry import Answer, paired_test
from abrank.inference.rounding import (
    align_interval_with_pvalue,
    has_spread,
    round_off,
    snap,
    to_lattice,
)
from abrank.inference.sign_flips import flip_signs
from abrank.inference.student import find_root, student_quantile

# Rounding error of a mean, as a share of the largest difference.
ROUNDING = 1e-14


@paired_test(
    "t",
    title="Paired t",
    phrase="paired t test",
    estimand="mean difference",
    source="Student 1908; Urbano, Lima & Hanjalic 2019",
)
def t(differences: FloatArray, *, alternative: Alternative, alpha: FloatArray) -> Answer:
    """Test the mean difference by Student's t.

    Estimand: the mean difference. Hypothesis: it is 0 in the population that the queries are a
    sample of. The query pairs the scores. On per-query scores the test keeps its level from 25
    queries.

    Notes
    -----
    ``statistic`` is t = mean(d) / (s / sqrt(n)), where s is the standard deviation of the n
    differences d, with n - 1 degrees of freedom. If s is 0, t is NaN and the interval unbounded.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("t", [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    >>> result.pvalue.round(6), result.ci_low.round(4), result.ci_high.round(4)
    (array([0.030386]), array([0.0154]), array([0.2446]))
    """
    mean, error = mean_and_error(differences)
    answer = t_answer(mean, error, len(differences) - 1, alpha, alternative)
    return Answer(mean, *answer, "closed form")


def t_answer(
    mean: FloatArray,
    error: FloatArray,
    freedom: float | FloatArray,
    alpha: FloatArray,
    alternative: Alternative = "two-sided",
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return t, p-value and limits; NaN and unbounded if the standard error is NaN."""
    statistic = np.divide(mean, error, out=np.full_like(mean, np.nan), where=np.isfinite(error))
    pvalue = t_pvalue(statistic, freedom, alternative)
    limits = t_interval(mean, error, freedom, alpha, alternative)
    return statistic, pvalue, *align_interval_with_pvalue(pvalue, mean, *limits, alpha)


def mean_and_error(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard error of each column; the error is NaN without variance."""
    n_queries = len(differences)
    mean = differences.mean(axis=0)
    # A sum of differences that should be 0 leaves rounding errors.
    mean[np.abs(mean) <= ROUNDING * np.abs(differences).max(axis=0, initial=0.0)] = 0.0
    error = np.full_like(mean, np.nan)
    # Round first, because .3 - .2 and .2 - .1 differ by rounding only.
    spread = has_spread(differences)
    if spread.any():
        error[spread] = differences.std(axis=0, ddof=1)[spread] / np.sqrt(n_queries)
    return mean, error


def t_pvalue(
    statistic: FloatArray, freedom: float | FloatArray, alternative: Alternative
) -> FloatArray:
    """Return the p-value of t statistics; NaN stays NaN."""
    from scipy.special import stdtr

    if alternative == "two-sided":
        return np.asarray(2.0 * stdtr(freedom, -np.abs(statistic)))
    return np.asarray(stdtr(freedom, -statistic if alternative == "greater" else statistic))


def t_interval(
    mean: FloatArray,
    error: FloatArray,
    freedom: float | FloatArray,
    alpha: FloatArray,
    alternative: Alternative,
) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the t interval; unbounded if the error is NaN."""
    tail = alpha / 2.0 if alternative == "two-sided" else alpha
    half = np.full_like(mean, np.inf)
    defined = np.isfinite(error)
    quantile = student_quantile(np.broadcast_to(freedom, mean.shape)[defined], tail[defined])
    half[defined] = -quantile * error[defined]
    low = np.full_like(mean, -np.inf) if alternative == "less" else mean - half
    high = np.full_like(mean, np.inf) if alternative == "greater" else mean + half
    return low, high


def satterthwaite(squares: FloatArray, freedom: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the root of a sum of independent squared errors and its degrees of freedom."""
    # Source: Satterthwaite (1946), Biometrics Bulletin 2, 110-114.
    total = np.asarray(squares.sum(axis=0))
    error = np.sqrt(total, out=np.full_like(total, np.nan), where=total > 0.0)
    spread = (squares**2 / np.asarray(freedom)).sum(axis=0)
    return error, np.divide(total**2, spread, out=np.ones_like(total), where=total > 0.0)


# --- The t test for skewed differences


def skewness_of(differences: FloatArray) -> FloatArray:
    """Return the skewness of each column; NaN without variance."""
    values = np.full(differences.shape[1], np.nan)
    spread = has_spread(differences)
    centred = (differences - differences.mean(axis=0))[:, spread]
    standard = centred / centred.std(axis=0)
    values[spread] = (standard * standard * standard).mean(axis=0)  # a power takes 7 times as long
    return values


def skewed_t(
    mean: FloatArray,
    error: FloatArray,
    skewness: FloatArray,
    n_queries: FloatArray | float,
    alpha: FloatArray,
    *,
    alternative: Alternative = "two-sided",
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Combine t with t corrected for skewness (:func:`hall`); return p-values and limits."""
    # The sample skewness is biased towards 0, so it is multiplied by 1 + 6 / n, a factor found by
    # simulation (`reports/calibration`). The larger p-value and the outer limits are used, so the
    # interval excludes 0 exactly if both tests reject.
    n = np.broadcast_to(np.asarray(n_queries, np.float64), mean.shape)
    _, pvalue, low, high = t_answer(mean, error, n - 1.0, alpha, alternative)
    corrected = np.abs(skewness) > ROUNDING  # False without variance
    if not corrected.any():
        return pvalue, low, high
    m, s, n, alpha = (x[corrected] for x in (mean, error * np.sqrt(n), n, alpha))
    g = skewness[corrected] * (1.0 + 6.0 / n)
    size, shift = m / s, g / (6.0 * n)
    hall = size + g * size**2 / 3.0 + g**2 * size**3 / 27.0 + shift
    maximum = np.maximum(pvalue[corrected], t_pvalue(np.sqrt(n) * hall, n - 1.0, alternative))
    tail = alpha / 2.0 if alternative == "two-sided" else alpha
    quantile = student_quantile(n - 1.0, tail) / np.sqrt(n)
    ends = []
    for end in (-quantile, quantile):
        inner = g * (end - shift)
        near = np.expm1(np.log1p(np.clip(inner, -0.5, None)) / 3.0)  # accurate near 0
        ends.append(3.0 / g * np.where(inner > -0.5, near, np.cbrt(1.0 + inner) - 1.0))
    below = np.minimum(low[corrected], m - s * ends[0])
    above = np.maximum(high[corrected], m - s * ends[1])
    below, above = align_interval_with_pvalue(maximum, m, below, above, alpha)
    pvalue[corrected], low[corrected], high[corrected] = maximum, below, above
    return pvalue, low, high


@paired_test(
    "hall",
    title="Paired t, corrected for skewness",
    phrase="paired t test corrected for skewness",
    estimand="mean difference",
    source="Hall 1992; Student 1908",
)
def hall(differences: FloatArray, *, alternative: Alternative, alpha: FloatArray) -> Answer:
    """Test the mean difference by Student's t, confirmed by t corrected for skewness.

    Estimand: the mean difference. Hypothesis: it is 0 in the population that the queries are a
    sample of. The query pairs the scores. Use it at small levels, such as those of an error budget:
    there t and sign flips reject too often if differences are skewed
    (``reports/calibration/reuse.md``).

    Notes
    -----
    ``statistic`` is t. The p-value is the larger one of the t test and Hall's test, and the
    interval covers both; they are NaN and unbounded if t is undefined. With T = mean(d) / s, and g
    the skewness of d times 1 + 6 / n, Hall's statistic is
    sqrt(n) (T + g T**2 / 3 + g**2 T**3 / 27 + g / (6 n)), with n - 1 degrees of freedom.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> d = [0.02] * 10 + [0.01] * 9 + [-0.1]
    >>> [round(float(run_test(name, d).pvalue[0]), 4) for name in ("t", "hall")]
    [0.1221, 0.5269]
    """
    mean, error = mean_and_error(differences)
    moments = (mean, error, skewness_of(differences), len(differences))
    answer = skewed_t(*moments, alpha, alternative=alternative)
    return Answer(mean, mean / error, *answer, "closed form")


# --- The sign test


@paired_test(
    "sign",
    title="Sign",
    phrase="sign test",
    estimand="net share of decided queries won",
    source="Arbuthnott 1710; Conover 1999, section 3.4; interval: Clopper & Pearson 1934",
)
def sign(differences: FloatArray, *, alternative: Alternative, alpha: FloatArray) -> Answer:
    """Test whether the candidate wins as many queries as it loses; ties are dropped.

    Estimand: (wins - losses) / (wins + losses), between -1 and 1; sizes of differences are ignored.
    Hypothesis: both systems win a query with probability 1/2, if it is not tied. The query pairs
    the scores.

    Notes
    -----
    ``statistic`` is the number of wins. For w wins and l losses, p is min(1, 2 P(X >= max(w, l)))
    with X binomial (w + l, 1/2). The interval is Clopper and Pearson's for the share of wins,
    converted to the scale of the estimand.

    Examples
    --------
    29 wins and 21 losses, the published example of Smucker, Allan & Carterette 2007:

    >>> from abrank.inference import run_test
    >>> run_test("sign", [0.1] * 29 + [-0.1] * 21).pvalue.round(4)
    array([0.3222])
    """
    from scipy.special import betainc, betaincinv

    rounded = round_off(differences)
    wins = np.count_nonzero(rounded > 0.0, axis=0).astype(np.float64)
    losses = np.count_nonzero(rounded < 0.0, axis=0).astype(np.float64)
    # P(X >= x) of a fair binomial is an incomplete beta function. `scipy.stats.binomtest` handles
    # one column at a time, and importing scipy.stats takes a second.
    pvalues, limits = [], []
    tail = alpha / 2.0 if alternative == "two-sided" else alpha
    for x, rest in ((wins, losses), (losses, wins)):
        parameters = np.maximum(x, 1.0), rest + 1.0
        pvalues.append(np.where(x > 0, betainc(*parameters, 0.5), 1.0))
        limits.append(2.0 * np.where(x > 0, betaincinv(*parameters, tail), 0.0) - 1.0)
    pvalue = {
        "greater": pvalues[0], "less": pvalues[1],
        "two-sided": np.minimum(1.0, 2.0 * np.minimum(*pvalues)),
    }[alternative]  # fmt: skip
    low = np.full_like(wins, -np.inf) if alternative == "less" else limits[0]
    high = np.full_like(wins, np.inf) if alternative == "greater" else -limits[1]
    estimate = (wins - losses) / (wins + losses)
    return Answer(
        estimate, wins, pvalue, *align_interval_with_pvalue(pvalue, estimate, low, high, alpha),
        "exact",
    )  # fmt: skip


Method = Literal["exact", "monte-carlo"]

N_FLIPS = 99_999
N_FLIPS_OF_MANY_QUERIES = 9_999
MANY_QUERIES = 100_000


@paired_test(
    "permutation",
    title="Sign-flip permutation",
    phrase="sign-flip permutation test",
    estimand="mean difference",
    source="Fisher 1935; Smucker, Allan & Carterette 2007; interval: Hartigan 1969",
)
def permutation(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
    method: Method = "exact",
) -> Answer:
    """Test the mean difference by flipping the signs of the queries' differences.

    Estimand: the mean difference. Hypothesis: the two scores of a query could be swapped between
    the systems, so each difference is symmetric about 0. The query pairs the scores.

    Parameters
    ----------
    seed : int
        Seed of the flips, which also depend on the number of queries and are shared by all columns.
    n_resamples : int, optional
        Number m of random flips. Default: 99,999, or 9,999 above 100,000 queries. If there are at
        most m + 1 flips in all (2**n), they are enumerated instead.
    method : {"exact", "monte-carlo"}
        "exact" uses random flips only for a column whose exact p would be uncertain by more than
        0.1 % of p and by more than 1e-6.

    Notes
    -----
    ``statistic`` is the mean difference. ``method`` of the result is "exact", or "Monte Carlo" if
    random flips were used for any column. Let J be the set of flipped queries. After a shift by
    theta, the flipped mean is at least the observed one exactly if the mean of d over J is
    <= theta (always, for the empty J). So the test of theta counts subset means, and the limits are
    subset means.

    For up to 16 queries the exact test enumerates all flips. Above, it computes the distribution of
    the flipped sum: differences with few decimals or small fractions by convolution [1]_; up to 32
    others by meeting in the middle; all others from the characteristic function, with proven bounds
    (:mod:`abrank.inference.student`) and nearly constant cost. The limits are subset means if those
    can be listed; else they are roots of that p, to 1e-4 of the standard error (2e-3 if many
    queries tie).

    With random flips p = (b + 1) / (m + 1) [2]_. The identity and the negative of every flip are
    included, so the one-sided p is half the two-sided one.

    The smallest two-sided p is 2**(1 - n0), where n0 is the number of nonzero differences (this is
    0 in floats above 1074). With n <= 5 and 95 % the interval is unbounded.

    References
    ----------
    .. [1] Pagano & Tritchler (1983), Journal of the American Statistical Association 78, 435-440.
    .. [2] Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1).

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("permutation", [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    >>> result.method, result.pvalue * 256
    ('exact', array([11.]))
    >>> result.ci_low.round(4), result.ci_high.round(4)
    (array([0.0125]), array([0.25]))
    """
    checks.one_of("method", method, get_args(Method))
    n_queries = len(differences)
    numbers, unit = to_lattice(differences)
    estimate = snap(numbers.sum(axis=0), n_queries) / n_queries * unit
    values, precision, n_drawn = flip_signs(
        numbers, unit, alpha=alpha, alternative=alternative, seed=seed, exact=method == "exact",
        n_flips=n_resamples or (N_FLIPS if n_queries <= MANY_QUERIES else N_FLIPS_OF_MANY_QUERIES),
    )  # fmt: skip
    rows = np.vstack([estimate, estimate, values])
    return Answer.from_rows(rows, "Monte Carlo" if n_drawn else "exact", n_drawn, precision)


# The shares of the capital that are bet, the same for every query. Large shares are more frequent,
# because small samples can only be rejected by large bets.
_N_SHARES = 64
_SHARES = np.sin((2 * np.arange(1, _N_SHARES + 1) - 1) * np.pi / (4 * _N_SHARES))
_LEAST = 1e-12  # replaces a mean of 0


@paired_test(
    "bounded",
    title="Betting, bounded",
    phrase="betting test of bounded differences",
    estimand="mean difference",
    source="Waudby-Smith & Ramdas 2024",
)
def bounded(
    differences: FloatArray, *, alternative: Alternative, alpha: FloatArray, span: float = 1.0
) -> Answer:
    """Test the mean difference of a bounded measure by betting, without further assumptions.

    Estimand: the mean difference. Hypothesis: it is 0. The query pairs the scores. The shape of the
    differences is arbitrary; even rare large losses need not be in the sample. The level holds for
    any number of queries, and the test may be repeated while queries arrive. In exchange its
    interval is wider, above all with few queries.

    Parameters
    ----------
    span : float
        Largest possible difference of a query: 1 for a measure from 0 to 1. A larger observed
        difference is an ArgumentError.

    Notes
    -----
    ``statistic`` is the logarithm of the capital of the more successful bet, starting from 1; it is
    negative if that was the bet on A. Let x = (d / span + 1) / 2 in [0, 1]. The capital of the bet
    against a mean m is K(m): the mean over fixed shares f of the product over queries of 1 + f (x /
    m - 1). If the mean is m its expectation is 1, so it ever reaches 1 / alpha with probability at
    most alpha (Ville's inequality). Half of the capital bets on a larger mean and half, with 1 - x,
    on a smaller one. The interval contains the means against which neither bet has won ("hedged
    grid Kelly").

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
        log_capital = {"greater": up, "less": down, "two-sided": max(up, down)}[alternative]
        statistic[column] = up if up >= down else -down
        pvalue[column] = min(1.0, sides * math.exp(-log_capital))
        threshold = math.log(sides / level) if level > 0.0 else math.inf
        low[column] = 2.0 * _lower_limit(values, counts, threshold) - 1.0
        high[column] = 1.0 - 2.0 * _lower_limit(1.0 - values, counts, threshold)
    estimate = differences.mean(axis=0)
    low, high = span * low, span * high
    if alternative == "two-sided":
        low, high = align_interval_with_pvalue(pvalue, estimate, low, high, alpha)
    return Answer(estimate, statistic, pvalue, low, high, "closed form", 0)


def _log_capital(values: FloatArray, counts: FloatArray, mean: float) -> float:
    """Return the logarithm of the capital of bets on a larger mean, starting from 1."""
    logs = np.log1p(np.multiply.outer(_SHARES, values / mean - 1.0)) @ counts
    maximum = float(logs.max())
    return maximum + math.log(float(np.exp(logs - maximum).mean()))


def _lower_limit(values: FloatArray, counts: FloatArray, threshold: float) -> float:
    """Return the largest mean against which bets on a larger one have won; 0 if none."""
    mean = float(values @ counts) / float(counts.sum())
    if mean <= _LEAST or _log_capital(values, counts, _LEAST) <= threshold:
        return 0.0
    root = find_root(
        lambda candidate: _log_capital(values, counts, candidate) - threshold,
        _LEAST,
        mean,
        rtol=1e-12,
    )
    return float(root)
