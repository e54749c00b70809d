"""Power, smallest visible difference and queries needed of any test, by simulation from a pilot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.aa_test import rejections
from abrank.inference.registry import as_differences
from abrank.inference.rounding import has_spread
from abrank.planning.student import queries_needed, smallest_size, smallest_visible

N_REPLICATIONS = 1_000
# The level of a test that draws is then off by .005, and its power by about .01.
N_RESAMPLES = 1_999
MAX_QUERIES = 100_000
# By then 2**(1 - n), the p-value of one difference throughout, is below any alpha that is asked.
MAX_CONSTANT_QUERIES = 64
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
    """Return how often a two-sided test finds a mean difference among queries like a pilot's.

    A replication draws ``n_queries`` of the pilot's differences with replacement, moved so that
    their mean is ``difference``; the same ones for every difference and test of a seed. For the
    tests of ranks and signs a query without a difference stays one: moved by however little, all of
    them would count as wins or as losses. The interval is that of Clopper and Pearson; a p that is
    not defined finds nothing; NaN for an empty pilot or no query.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 25.
    """
    values = as_differences(pilot)[:, 0]
    checks.level("alpha", alpha)
    checks.count("n_queries", n_queries, at_least=0)
    checks.count("n_replications", n_replications)
    checks.finite("difference", difference)
    if n_queries == 0 or not values.size:
        return SimulatedPower(math.nan, 0.0, 1.0, 0)
    shifted, decided = values - values.mean() + difference, values != 0.0
    if test in ("wilcoxon", "sign") and 0.0 < decided.mean() < 1.0:  # ties stay ties
        shifted = values + (difference - values.mean()) / decided.mean()
        shifted = np.where(decided, shifted, 0.0)
    random = stream(seed, "planning", str(n_queries))
    at_once = max(1, VALUES_AT_ONCE // n_queries)
    n_rejected = 0
    for first in range(0, n_replications, at_once):
        index = random.integers(0, values.size, (at_once, n_queries))[: n_replications - first]
        rejected = rejections(
            test, shifted[index].T, alpha=alpha, seed=seed, n_resamples=N_RESAMPLES
        )
        n_rejected += int(np.count_nonzero(rejected))
    from scipy.stats import binomtest

    low, high = map(float, binomtest(n_rejected, n_replications).proportion_ci())
    return SimulatedPower(n_rejected / n_replications, low, high, n_replications)


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
    """Return about how many queries a test needs, by simulation from a pilot: to about 3 %.

    ``None`` where the difference is 0, the pilot has fewer than two queries, or more than 100,000
    are needed. Of a pilot that does not vary, the fewest queries whose one difference the test
    rejects. The probit of the power is all but linear in sqrt(n): the search starts at the t test's
    number and corrects the slope three times.
    Source: as :func:`simulate_power`; the search is our own.
    """
    values = as_differences(pilot)[:, 0]
    spread = spread_of(values)
    n = queries_needed(spread, difference, alpha=alpha, target=target)
    if n and not spread:

        def is_enough(size: int) -> bool:
            differences = np.full((size, 1), difference)
            return bool(rejections(
                test, differences, alpha=alpha, seed=0, n_resamples=N_RESAMPLES
            )[0])  # fmt: skip

        return smallest_size(is_enough, maximum=MAX_CONSTANT_QUERIES)
    settings: Any = {"test": test, "alpha": alpha, "n_replications": n_replications, "seed": seed}
    for _ in range(STEPS):
        if n is None or n > MAX_QUERIES:
            return None
        power = simulate_power(values, n_queries=n, difference=difference, **settings)
        n = max(2, math.ceil(n * _growth(power, alpha, target) ** 2))
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

    Above 0, for a candidate that is better. NaN for fewer than two queries on either side; 0 where
    the pilot does not vary.
    Source: as :func:`simulate_power`.
    """
    values = as_differences(pilot)[:, 0]
    visible = smallest_visible(spread_of(values), n_queries, alpha=alpha, target=target)
    if not visible > 0.0:
        return visible
    settings: Any = {"test": test, "alpha": alpha, "n_replications": n_replications, "seed": seed}
    for _ in range(STEPS):
        power = simulate_power(values, n_queries=n_queries, difference=visible, **settings)
        visible *= _growth(power, alpha, target)
    return visible


def spread_of(values: FloatArray) -> float:
    """Return the standard deviation; NaN for fewer than two, 0 but for rounding is 0."""
    if values.size < 2:
        return math.nan
    return float(values.std(ddof=1)) if has_spread(values) else 0.0


def _growth(result: SimulatedPower, alpha: float, target: float) -> float:
    """Return by how much the effect must grow for the probit of the power to reach its target."""
    # The share is kept off 0 and 1, whose probits are endless, and the step within a factor of 2.
    from scipy.special import ndtri

    half = 0.5 / result.n_replications
    critical = -float(ndtri(alpha / 2.0))
    reached_probit = float(ndtri(min(max(result.power, half), 1.0 - half))) + critical
    target_probit = float(ndtri(target)) + critical
    return float(np.clip(target_probit / max(reached_probit, 1e-6), 0.5, 2.0))
