"""Human queries needed where a machine judged many: from its correlation with people.

================================  ==============================================================
asked of                          answer of the closed forms
================================  ==============================================================
fewer than 25 human queries       as of 25: with fewer the test often sets the machine aside
more than the machine's queries   ``judged_needed`` None; power and width refused
a spread of 0                     25 queries; width 0; power refused
a difference of 0                 power alpha; no number of queries shows it: None
a correlation of 0                a little worse than people alone: one degree of freedom
================================  ==============================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank.inference.prediction_powered import UNSEEN_FAILURES
from abrank.inference.student import chance_above, student_quantile
from abrank.planning.student import smallest_effect, smallest_size

# With normal residuals the test sets the machine aside in 5 % of samples of 25 human queries, in
# 26 % of 18 and in 75 % of 12: a plan for fewer would not be kept.
FEWEST_PLANNED = 25


def judged_error(n_judged: int, *, correlation: float, n_queries: int) -> float:
    """Return the standard error to expect of the mean difference by people and machine together.

    Parameters
    ----------
    n_judged : int
        Queries that people judge, 4 at least, drawn at random from ``n_queries``.
    correlation : float
        Of people's differences and the machine's; its sign does not matter.
    n_queries : int
        That the machine judges, those of people among them.

    Returns
    -------
    float
        In units of the standard deviation of people's differences.

    Raises
    ------
    ArgumentError
        If people judge fewer than 4 queries or more than the machine, or the correlation is not in
        [-1, 1].

    Notes
    -----
    Its square is s2 (1/n + (1/n - 1/N) / (n - 3)) + r**2 / N with s2 = max(1 - r**2, min(1, 3/n)):
    the variance of :func:`abrank.inference.run_prediction_powered`, where the squared distance of
    the machine's two means takes its expectation for normal differences [1]_. Above the floor it
    is below that of people alone where r > 1 / sqrt(n - 2), for many more queries than judged ones.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, 3rd ed., 7.3.

    Examples
    --------
    >>> round(judged_error(50, correlation=0.8, n_queries=2000), 4), round(50**-0.5, 4)
    (0.0876, 0.1414)
    """
    n, r2 = checks.count("n_judged", n_judged, at_least=4), correlation**2
    if not r2 <= 1.0:
        raise ArgumentError(f"correlation must be in [-1, 1], not {correlation!r}")
    if n > n_queries:
        raise ArgumentError(f"people cannot judge {n} of {n_queries} queries of the machine")
    residual = max(1.0 - r2, min(1.0, UNSEEN_FAILURES / n))
    leverage = (1.0 / n - 1.0 / n_queries) / (n - 3)
    return math.sqrt(residual * (1.0 / n + leverage) + r2 / n_queries)


def judged_power(
    n_judged: int, *, effect: float, correlation: float, n_queries: int, alpha: float = 0.05
) -> float:
    """Return the chance that people and machine together show a true effect, two-sided.

    Parameters
    ----------
    n_judged, correlation, n_queries
        As for :func:`judged_error`.
    effect : float
        True mean difference in units of the standard deviation of people's differences (d_z).
    alpha : float

    Returns
    -------
    float
        Within .02 of simulations with normal differences from 25 human queries on.

    Raises
    ------
    ArgumentError
        As :func:`judged_error` does, and if the effect is not finite or alpha not in (0, 1).

    Examples
    --------
    >>> round(judged_power(50, effect=0.25, correlation=0.8, n_queries=2000), 3)
    0.799
    """
    checks.level("alpha", alpha)
    checks.finite("effect", effect)
    error = judged_error(n_judged, correlation=correlation, n_queries=n_queries)
    center = effect / error * np.array([1.0, -1.0])
    critical = -student_quantile(n_judged - 2.0, alpha / 2.0)
    return min(1.0, float(chance_above(critical, n_judged - 2.0, center).sum()))


def judged_width(
    sd: float, n_judged: int, *, correlation: float, n_queries: int, confidence: float = 0.95
) -> float:
    """Return the full width to expect of the interval by people and machine together.

    Parameters
    ----------
    sd : float
        Standard deviation of people's differences.
    n_judged, correlation, n_queries
        As for :func:`judged_error`.
    confidence : float

    Returns
    -------
    float
        In the unit of ``sd``.

    Raises
    ------
    ArgumentError
        As :func:`judged_error` does, and if the standard deviation is negative.

    Examples
    --------
    >>> round(judged_width(0.2, 50, correlation=0.8, n_queries=2000), 3)
    0.07
    """
    checks.not_negative("sd", sd)
    checks.fraction("confidence", confidence)
    error = judged_error(n_judged, correlation=correlation, n_queries=n_queries)
    return -2.0 * float(student_quantile(n_judged - 2.0, (1.0 - confidence) / 2.0)) * sd * error


def judged_needed(
    sd: float,
    difference: float,
    *,
    correlation: float,
    n_queries: int,
    alpha: float = 0.05,
    target: float = 0.8,
) -> int | None:
    """Return the fewest human queries that show a true difference, with a machine's beside them.

    Parameters
    ----------
    sd : float
        Standard deviation of people's differences.
    difference : float
        True mean difference, in the same unit; its sign does not matter.
    correlation, n_queries
        As for :func:`judged_error`.
    alpha, target : float
        Level of the test, and wanted power.

    Returns
    -------
    int or None
        25 or more; ``None`` where all ``n_queries`` judged by people would not be enough.

    Raises
    ------
    ArgumentError
        As :func:`judged_power` does.

    Examples
    --------
    >>> [judged_needed(0.2, 0.05, correlation=r, n_queries=2000) for r in (0.0, 0.8)]
    [129, 51]
    """
    if difference == 0 or not math.isfinite(difference) or not math.isfinite(sd):
        return None
    checks.not_negative("sd", sd)
    checks.fraction("target", target)
    known: dict[str, Any] = {"correlation": correlation, "n_queries": n_queries, "alpha": alpha}
    return _fewest(
        lambda n: sd == 0 or judged_power(n, effect=difference / sd, **known) >= target,
        n_queries,
    )


def judged_to_show_same(
    sd: float,
    margin: float,
    *,
    correlation: float,
    n_queries: int,
    alpha: float = 0.05,
    target: float = 0.8,
) -> int | None:
    """Return the fewest human queries that show a true difference of 0 to lie within a margin.

    Parameters
    ----------
    sd, correlation, n_queries
        As for :func:`judged_needed`.
    margin : float
        Above 0, in the unit of ``sd``.
    alpha, target : float
        Level of each of the two one-sided tests, and wanted power, as for
        :func:`abrank.planning.queries_to_show_same`.

    Examples
    --------
    >>> judged_to_show_same(0.2, 0.05, correlation=0.8, n_queries=2000)
    55
    """
    checks.positive("margin", margin)
    return judged_needed(
        sd, margin, correlation=correlation, n_queries=n_queries, alpha=2.0 * alpha,
        target=(1.0 + target) / 2.0,
    )  # fmt: skip


def judged_for_width(
    sd: float, width: float, *, correlation: float, n_queries: int, confidence: float = 0.95
) -> int | None:
    """Return the fewest human queries whose interval with the machine is as narrow as wanted.

    Parameters
    ----------
    sd, correlation, n_queries
        As for :func:`judged_needed`.
    width : float
        Full width, above 0.
    confidence : float

    Examples
    --------
    >>> judged_for_width(0.2, 0.07, correlation=0.8, n_queries=2000)
    51
    """
    checks.positive("width", width)
    known: dict[str, Any] = {"correlation": correlation, "n_queries": n_queries}
    known["confidence"] = confidence
    return _fewest(lambda n: judged_width(sd, n, **known) <= width, n_queries)


def judged_visible(
    sd: float,
    n_judged: int,
    *,
    correlation: float,
    n_queries: int,
    alpha: float = 0.05,
    target: float = 0.8,
) -> float:
    """Return the smallest true difference that people and machine together show.

    Parameters
    ----------
    sd, correlation, n_queries, alpha, target
        As for :func:`judged_needed`.
    n_judged : int

    Returns
    -------
    float
        In the unit of ``sd``; NaN for fewer than 25 human queries or more than the machine's.

    Examples
    --------
    >>> round(judged_visible(0.2, 50, correlation=0.8, n_queries=2000), 4)
    0.0501
    """
    if not FEWEST_PLANNED <= n_judged <= n_queries or not math.isfinite(sd):
        return math.nan
    known: dict[str, Any] = {"correlation": correlation, "n_queries": n_queries, "alpha": alpha}
    return sd * smallest_effect(lambda e: judged_power(n_judged, effect=e, **known), target)


def _fewest(enough: Callable[[int], bool], most: int) -> int | None:
    if most < FEWEST_PLANNED:
        return None
    found = smallest_size(lambda n: enough(max(n, FEWEST_PLANNED)), most=most)
    return None if found is None else max(found, FEWEST_PLANNED)


def correlation_interval(
    correlation: float, n_judged: int, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval that a sample leaves of a correlation, by Fisher's z.

    Parameters
    ----------
    correlation : float
    n_judged : int
    confidence : float

    Returns
    -------
    low, high : float
        NaN for fewer than four queries or a correlation that is not known.

    References
    ----------
    Fisher (1921), Metron 1, 3-32.

    Examples
    --------
    >>> [round(limit, 3) for limit in correlation_interval(0.8, 50)]
    [0.671, 0.882]
    """
    checks.fraction("confidence", confidence)
    if n_judged < 4 or not abs(correlation) <= 1.0:
        return math.nan, math.nan
    if abs(correlation) == 1.0:
        return correlation, correlation
    from scipy.special import ndtri

    half = float(ndtri((1.0 + confidence) / 2.0)) / math.sqrt(n_judged - 3)
    z = math.atanh(correlation)
    return math.tanh(z - half), math.tanh(z + half)
