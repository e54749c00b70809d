"""Queries needed by simulation from a pilot, and where a machine judged many queries.

Human queries needed where a machine judged many: from its correlation with people.

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
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.aa_test import find_differences
from abrank.inference.equivalence import clopper_pearson
from abrank.inference.prediction_powered import UNSEEN_FAILURES
from abrank.inference.registry import as_differences
from abrank.inference.rounding import has_spread
from abrank.inference.student import chance_above, student_quantile
from abrank.planning.student import queries_needed, smallest_effect, smallest_size, smallest_visible

N_REPLICATIONS = 1_000
# The level of a test that draws is then off by .005, and its power by about .01.
N_RESAMPLES = 1_999
MOST_QUERIES = 100_000
# By then 2**(1 - n), the p-value of one difference throughout, is below any alpha that is asked.
MOST_OF_ONE_VALUE = 64
# Part of what a seed means: another value here gives other replications.
VALUES_AT_ONCE = 1_000_000
# Each step of the search corrects the scale of the last one; the third moves by noise only.
STEPS = 3


@record
class SimulatedPower:
    """A share of replications, and the interval of the chance behind it."""

    power: float
    low: float
    high: float
    n_replications: int


def simulate_power(
    pilot: npt.ArrayLike,
    *,
    n_queries: int,
    difference: float,
    test: str = "permutation",
    alpha: float = 0.05,
    n_replications: int = N_REPLICATIONS,
    seed: int = 0,
) -> SimulatedPower:
    """Return how often a test finds a mean difference among queries like those of a pilot.

    A replication draws ``n_queries`` of the pilot's differences with replacement, moved so that
    their mean is ``difference``; the query stays paired. With a difference of 0 the answer is the
    test's rate of false findings about the mean.

    Parameters
    ----------
    pilot : array_like of shape (n_pilot,)
        Differences, candidate minus baseline. Their spread and shape are taken for the
        population's, so 25 or more are wanted. The move turns ties into small differences.
    n_queries : int
    difference : float
        True mean difference, in the unit of the pilot.
    test : str
        A name in ``abrank.inference.TESTS``; two-sided.
    alpha : float
    n_replications : int
    seed : int
        The same queries are drawn for every difference and test.

    Returns
    -------
    SimulatedPower
        With the 95 % interval of Clopper and Pearson. A p that is not defined finds nothing. NaN
        for an empty pilot or no query.

    Raises
    ------
    ArgumentError
        If a number of the pilot is not finite or an argument has no meaning.

    Examples
    --------
    >>> pilot = np.sin(np.arange(50)) / 5
    >>> from abrank.planning import power
    >>> found = simulate_power(pilot, n_queries=50, difference=0.06, test="t", seed=1)
    >>> bool(found.low < power(50, effect=0.06 / pilot.std(ddof=1)) < found.high)
    True
    """
    values = as_differences(pilot)[:, 0]
    checks.level("alpha", alpha)
    checks.count("n_queries", n_queries, at_least=0)
    checks.count("n_replications", n_replications)
    checks.finite("difference", difference)
    if n_queries == 0 or not values.size:
        return SimulatedPower(math.nan, 0.0, 1.0, 0)
    moved = values - values.mean() + difference
    random = stream(seed, "planning", str(n_queries))
    at_once = max(1, VALUES_AT_ONCE // n_queries)
    found = 0
    for first in range(0, n_replications, at_once):
        index = random.integers(0, values.size, (at_once, n_queries))[: n_replications - first]
        rejected = find_differences(
            test, moved[index].T, alpha=alpha, seed=seed, n_resamples=N_RESAMPLES
        )
        found += int(np.count_nonzero(rejected))
    low, high = clopper_pearson(found, n_replications)
    return SimulatedPower(found / n_replications, low, high, n_replications)


def queries_by_simulation(
    pilot: npt.ArrayLike,
    *,
    difference: float,
    target: float = 0.8,
    test: str = "permutation",
    alpha: float = 0.05,
    n_replications: int = N_REPLICATIONS,
    seed: int = 0,
) -> int | None:
    """Return about how many queries a test needs, by simulation from a pilot.

    Parameters
    ----------
    pilot : array_like of shape (n_pilot,)
    difference : float
        True mean difference; its sign does not matter to t, but may to a test of ranks.
    target : float
        Wanted power.
    test, alpha, n_replications, seed
        As for :func:`simulate_power`. The answer is good to about 3 % with 1,000 replications.

    Returns
    -------
    int or None
        ``None`` where the difference is 0, the pilot has fewer than two queries, or more than
        100,000 queries are needed: use the t test's number there. Of a pilot that does not vary,
        the fewest queries whose one difference the test rejects; ``None`` for t, which has no error
        to judge it by.

    Raises
    ------
    ArgumentError
        As :func:`simulate_power` does.

    Notes
    -----
    The probit of the power is all but linear in sqrt(n). The search starts at the t test's number
    and corrects the slope by what was simulated, three times.

    Examples
    --------
    >>> pilot = np.sin(np.arange(50)) / 5
    >>> queries_by_simulation(pilot, difference=0.06, test="wilcoxon", n_replications=200)
    50
    """
    values = as_differences(pilot)[:, 0]
    spread = spread_of(values)
    n = queries_needed(spread, difference, alpha=alpha, target=target)
    if n and not spread:
        # The fewest queries that show a difference all of them have.
        return smallest_size(
            lambda size: bool(
                find_differences(
                    test, np.full((size, 1), difference), alpha=alpha, seed=0,
                    n_resamples=N_RESAMPLES,
                )[0]
            ),
            most=MOST_OF_ONE_VALUE,
        )  # fmt: skip
    for _ in range(STEPS):
        if n is None or n > MOST_QUERIES:
            return None
        found = simulate_power(
            values, n_queries=n, difference=difference, test=test, alpha=alpha,
            n_replications=n_replications, seed=seed,
        )  # fmt: skip
        n = max(2, math.ceil(n * _slope(found, alpha, target) ** 2))
    return n


def visible_by_simulation(
    pilot: npt.ArrayLike,
    *,
    n_queries: int,
    target: float = 0.8,
    test: str = "permutation",
    alpha: float = 0.05,
    n_replications: int = N_REPLICATIONS,
    seed: int = 0,
) -> float:
    """Return about the smallest true difference that a test shows, by simulation from a pilot.

    Parameters
    ----------
    pilot : array_like of shape (n_pilot,)
    n_queries, target, test, alpha, n_replications, seed
        As for :func:`queries_by_simulation`.

    Returns
    -------
    float
        Above 0, for a candidate that is better. NaN for fewer than two queries on either side; 0
        where the pilot does not vary.

    Raises
    ------
    ArgumentError
        As :func:`simulate_power` does.

    Examples
    --------
    >>> pilot = np.sin(np.arange(50)) / 5
    >>> round(visible_by_simulation(pilot, n_queries=50, test="wilcoxon", n_replications=200), 3)
    0.063
    """
    values = as_differences(pilot)[:, 0]
    visible = smallest_visible(spread_of(values), n_queries, alpha=alpha, target=target)
    if not visible > 0.0:
        return visible
    for _ in range(STEPS):
        found = simulate_power(
            values, n_queries=n_queries, difference=visible, test=test, alpha=alpha,
            n_replications=n_replications, seed=seed,
        )  # fmt: skip
        visible *= _slope(found, alpha, target)
    return visible


def spread_of(values: FloatArray) -> float:
    """Return the standard deviation; NaN for fewer than two, 0 but for rounding is 0."""
    if values.size < 2:
        return math.nan
    return float(values.std(ddof=1)) if has_spread(values) else 0.0


def _slope(found: SimulatedPower, alpha: float, target: float) -> float:
    """Return by how much the effect must grow so that the probit of the power reaches its target.

    The share is kept off 0 and 1, whose probits are endless, and the step within a factor of 2.
    """
    from scipy.special import ndtri

    half = 0.5 / found.n_replications
    critical = -float(ndtri(alpha / 2.0))
    reached = float(ndtri(min(max(found.power, half), 1.0 - half))) + critical
    wanted = float(ndtri(target)) + critical
    return float(np.clip(wanted / max(reached, 1e-6), 0.5, 2.0))


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
