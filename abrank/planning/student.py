"""Power, smallest detectable difference and queries needed for the paired t test.

``statsmodels`` ``TTestPower`` has the same power to 1e-12, but its import takes a second in every
comparison, it only has the degrees of freedom of independent queries, and its ``solve_power`` stops
up to .01 short of the desired power. Exact tests of the mean need practically the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inference.student import chance_above, find_root, student_quantile

# Maps a number of queries to the degrees of freedom of the test.
Freedom: TypeAlias = Callable[[float], float]


MOST_QUERIES = 100_000_000  # larger results are returned as None


def of_queries(n: float) -> float:
    """Return the degrees of freedom for ``n`` independent queries."""
    return n - 1.0


def of_groups(n: float) -> float:
    """Return the degrees of freedom for ``n`` units in two independent groups together."""
    return n - 2.0


def power(n_queries: int, *, effect: float, alpha: float = 0.05, df: Freedom = of_queries) -> float:
    """Return the probability, in [alpha, 1], that a two-sided t test detects a true effect.

    ``effect`` is the mean difference divided by the standard deviation of differences (d_z).
    Source: Cohen (1988), Statistical Power Analysis, 2.2.
    """
    return float(power_curve(n_queries, effect, alpha=alpha, df=df))


def power_curve(
    n_queries: int, effects: npt.ArrayLike, *, alpha: float = 0.05, df: Freedom = of_queries
) -> FloatArray:
    """Return the power of a t test for many effects at once, an array of their shape.

    Source: Johnson, Kotz & Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 31.
    """
    checks.level("alpha", alpha)
    n = checks.count("n_queries", n_queries, at_least=2)
    effect = np.abs(np.asarray(effects, dtype=np.float64))
    if not np.all(np.isfinite(effect)):
        raise ArgumentError("power needs a finite effect")
    return chance_to_show(effect / float(n) ** -0.5, df(n), alpha=alpha)


def chance_to_show(centre: npt.ArrayLike, freedom: float, *, alpha: float) -> FloatArray:
    """Return the probability that a two-sided t test detects a mean of ``centre`` errors."""
    centre = np.asarray(centre, dtype=np.float64)
    if not freedom > 0.0:
        return np.full_like(centre, alpha)
    critical = -student_quantile(freedom, alpha / 2.0)
    # By symmetry, rejecting on the wrong side is the near tail at -centre.
    tails = chance_above(critical, freedom, np.stack([centre, -centre]))
    chance: FloatArray = np.minimum(tails.sum(axis=0), 1.0)
    return chance


def smallest_visible(
    sd: float,
    n_queries: int,
    *,
    alpha: float = 0.05,
    target: float = 0.8,
    df: Freedom = of_queries,
) -> float:
    """Return the smallest true difference that n queries detect with the desired power.

    ``nan`` for fewer than two queries; 0 if differences are constant or target <= alpha.
    Source: Bloom (1995), Evaluation Review 19, 547-556.
    """
    _check(sd, alpha, target)
    if not 2 <= n_queries <= MOST_QUERIES or not math.isfinite(sd):
        return math.nan
    if sd == 0 or target <= alpha:
        return 0.0
    if not df(n_queries) > 0.0:
        return math.nan
    return sd * smallest_effect(
        lambda effect: power(n_queries, effect=effect, alpha=alpha, df=df), target
    )


def smallest_effect(chance: Callable[[float], float], target: float) -> float:
    """Return the smallest effect with power ``target``; power increases with the effect."""
    high = 1.0
    while chance(high) < target:
        high *= 2.0
    return float(find_root(lambda effect: chance(effect) - target, 0.0, high))


def queries_needed(
    sd: float,
    difference: float,
    *,
    alpha: float = 0.05,
    target: float = 0.8,
    df: Freedom = of_queries,
) -> int | None:
    """Return the smallest number of queries that detects a true difference with power.

    ``None`` if the difference is 0 or more than 100 million queries would be needed.
    Source: Sakai (2018), Laboratory Experiments in Information Retrieval, 6.2.
    """
    _check(sd, alpha, target)
    if difference == 0 or not math.isfinite(difference) or not math.isfinite(sd):
        return None
    if sd == 0:
        return 2
    from scipy.special import ndtri

    effect = abs(difference) / sd
    at_alpha, at_target = -ndtri(alpha / 2.0), ndtri(target)
    # Start with the normal distribution; the result is larger by one or two.
    with np.errstate(over="ignore", divide="ignore"):
        normal_approximation = ((at_alpha + at_target) / effect) ** 2 + at_alpha**2 / 2.0
    return smallest_size(
        lambda n: power(n, effect=effect, alpha=alpha, df=df) >= target,
        near=normal_approximation,
    )


def queries_to_show_same(
    sd: float,
    margin: float,
    *,
    alpha: float = 0.05,
    target: float = 0.8,
    df: Freedom = of_queries,
) -> int | None:
    """Return the queries with which two one-sided t tests show that equal systems are equivalent.

    ``alpha`` is the level of each test, below one half. Each may miss in ``(1 - target) / 2`` of
    samples, so the result is never too small, and above five queries it is exact.
    Source: Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.
    """
    checks.positive("margin", margin)
    power_of_each = (1.0 + checks.fraction("target", target)) / 2.0
    return queries_needed(sd, margin, alpha=2.0 * alpha, target=power_of_each, df=df)


def smallest_size(
    is_enough: Callable[[int], bool], *, maximum: int = MOST_QUERIES, near: float = 2.0
) -> int | None:
    """Return the smallest n >= 2 that is enough, as all larger ones are, or None."""
    # The search starts at `near` with growing steps, so that a good guess needs few calls.
    # `low` is not enough (or below 2); `high` is enough (or above the maximum).
    low, high, step = 1, maximum + 1, 1
    size = round(min(max(2.0, near), maximum))
    while low + 1 < high:
        low, high = (low, size) if is_enough(size) else (size, high)
        if low >= 2 and high <= maximum:
            size = (low + high) // 2
        else:
            size = max(2, high - step) if high == size else min(low + step, maximum)
        step *= 2
    return high if high <= maximum else None


def _check(sd: float, alpha: float, target: float) -> None:
    if sd < 0:
        raise ArgumentError(f"sd must be 0 or more, not {sd!r}")
    checks.level("alpha", alpha)
    checks.fraction("target", target)


def spread_interval(
    sd: float, n_queries: int, *, confidence: float = 0.95, freedom: float | None = None
) -> tuple[float, float]:
    """Return the interval of the population's standard deviation, given a sample.

    By the chi-square distribution with ``freedom`` (default n - 1). It is exact for normal
    differences, and too narrow with heavy tails.
    Source: Julious & Owen (2006), Pharmaceutical Statistics 5, 29-37.
    """
    from scipy.special import chdtri

    checks.fraction("confidence", confidence)
    checks.count("n_queries", n_queries, at_least=0)
    if n_queries < 2 or not math.isfinite(sd):
        return math.nan, math.nan
    checks.not_negative("sd", sd)
    freedom = n_queries - 1.0 if freedom is None else freedom
    if not freedom > 0.0:
        return math.nan, math.nan
    tail = (1.0 - confidence) / 2.0
    # chdtri takes the area of the upper tail.
    low, high = (sd * math.sqrt(freedom / float(chdtri(freedom, q))) for q in (tail, 1.0 - tail))
    return low, high


def expected_width(
    sd: float, n_queries: int, *, confidence: float = 0.95, df: Freedom = of_queries
) -> float:
    """Return the expected full width of the t interval of a mean difference.

    ``inf`` without degrees of freedom, as for one query; 0 if ``sd`` is 0.
    Source: Sakai (2016), Topic set size design, Information Retrieval Journal 19, 256-283, 3.3.
    """
    checks.not_negative("sd", sd)
    checks.fraction("confidence", confidence)
    n = checks.count("n_queries", n_queries, at_least=0)
    freedom = df(n)
    if not freedom > 0.0:
        return math.inf
    from scipy.special import poch

    critical = -float(student_quantile(freedom, (1.0 - confidence) / 2.0))
    # Expected standard deviation of a sample divided by that of the population.
    shrinkage = math.sqrt(2.0 / freedom) * float(poch(freedom / 2.0, 0.5))
    return 2.0 * critical * sd / math.sqrt(n) * shrinkage


def queries_for_width(
    sd: float, width: float, *, confidence: float = 0.95, df: Freedom = of_queries
) -> int | None:
    """Return the smallest number of queries whose expected t interval is narrow enough.

    Source: as :func:`expected_width`. ``None`` for more than 100 million.
    """
    checks.positive("width", width)
    return smallest_size(
        lambda n: expected_width(sd, n, confidence=confidence, df=df) <= width,
    )
