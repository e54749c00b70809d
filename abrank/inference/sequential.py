"""Repeated looks while queries arrive: at any time, or at planned numbers of queries."""

# A confidence sequence is valid for any number of looks. With planned looks, boundaries divide the
# level among the tests; a look too early to spend 1e-14 of it has level 0.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.inference.registry import TestResult, as_alpha, as_differences
from abrank.inference.rounding import align_interval_with_pvalue, has_spread, round_off
from abrank.inference.student import find_root

# With fewer queries the limits of a confidence sequence are infinite, because it uses the standard
# deviation estimated from these queries.
MIN_QUERIES_ANYTIME = 25


def best_rho_squared(planned: int, alpha: float) -> float:
    """Return the rho**2 with the narrowest interval, to .01 %, at ``planned`` queries."""
    spent = 2.0 * np.log(1.0 / alpha)
    return float((spent + np.log1p(spent)) / planned)


def mixture_half_width(
    n: FloatArray, sd: FloatArray, rho_squared: float, alpha: float | FloatArray
) -> FloatArray:
    """Return the half-width of the interval after n queries with standard deviation ``sd``."""
    grown = n * rho_squared + 1.0
    return np.asarray(
        sd * np.sqrt(2.0 * grown / (n**2 * rho_squared) * np.log(np.sqrt(grown) / alpha))
    )


def mixture_log_ratio(
    n: FloatArray, mean: FloatArray, sd: FloatArray, rho_squared: float
) -> FloatArray:
    """Return the log likelihood ratio of a normal mixture of means against the mean 0."""
    grown = n * rho_squared + 1.0
    return np.asarray(n**2 * rho_squared * (mean / sd) ** 2 / (2.0 * grown) - np.log(grown) / 2.0)


# --- Boundaries for planned looks, which divide one level among the tests


# Beyond 8 standard deviations the probability is 1e-15; spending less than NOTHING is none.
_REACH = 8.0
NOTHING = 1e-14
# 16 Gauss-Legendre nodes per 4 standard deviations of the narrowest step.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 4.0
CLOSEST_LOOKS = 1.0 / 40_000.0


@record
class Boundaries:
    """Stopping boundaries: arrays of shape (n_looks,)."""

    share: FloatArray
    critical: FloatArray
    level: FloatArray
    spent: FloatArray


def stopping_boundaries(
    looks: int | Sequence[float], *, spending: str = "obrien-fleming", alpha: float = 0.05
) -> Boundaries:
    """Return two-sided group-sequential boundaries for planned looks at the data."""
    # `looks` is the number of evenly spaced looks, or the share of the planned queries at each
    # look. By look k, a function of the share has spent 4 (1 - Phi(z / sqrt(share))), where z is
    # the upper alpha / 4 quantile of the normal distribution; or ("pocock") alpha log(1 + (e - 1)
    # share).
    # Source: Lan & DeMets (1983), Biometrika 70, 659-663; Armitage, McPherson & Rowe (1969),
    # Journal of the Royal Statistical Society A 132, 235-244; Jennison & Turnbull (2000), Group
    # Sequential Methods, chapter 19. The stopping probability is found by propagating the density
    # of the sum of differences from look to look, for the paths that have not stopped. scipy and
    # statsmodels have no such boundaries.
    checks.level("alpha", alpha)
    from scipy.special import ndtr, ndtri

    share = _shares(looks)
    spent = (
        alpha * np.log1p((np.e - 1.0) * share)
        if spending == "pocock"
        else 4.0 * ndtr(ndtri(alpha / 4.0) / np.sqrt(share))
    )
    # The critical values for the planned spending at each look, and the level that they spend.
    critical, used = np.full(len(share), np.inf), np.zeros(len(share))
    path = _Path(math.sqrt(float(np.diff(share, prepend=0.0).min())))
    for k, time in enumerate(share):
        due = spent[k] - path.stopped
        if due > NOTHING:
            critical[k] = path.critical(time, due)
        path = path.step(time, critical[k])
        used[k] = path.stopped
    return Boundaries(share, critical, np.asarray(2.0 * ndtr(-critical)), used)


def _shares(looks: int | Sequence[float]) -> FloatArray:
    if isinstance(looks, int):
        return np.arange(1, checks.count("looks", looks) + 1) / looks
    share = np.asarray(looks, dtype=np.float64)
    gaps = np.diff(share, prepend=0.0)
    if not share.size or not gaps.min() > 0.0 or share[-1] > 1.0:
        raise ArgumentError(f"looks must be shares that rise within 0 and 1, not {list(looks)}")
    if gaps.min() < CLOSEST_LOOKS:
        raise ArgumentError("looks must be at least 1/40000 of the plan apart")
    return share


@dataclass(frozen=True)
class _Path:
    """The density of the sum of differences at a look, for paths that have not stopped."""

    # The sum is scaled to variance 1 at the end of the plan. `narrowest` is the smallest standard
    # deviation of a step between looks.

    narrowest: float
    time: float = 0.0
    nodes: FloatArray = field(default_factory=lambda: np.zeros(1))
    mass: FloatArray = field(default_factory=lambda: np.ones(1))
    stopped: float = 0.0

    def crossing(self, time: float, critical: float) -> float:
        """Return the probability to continue until now and to stop at ``time``."""
        from scipy.special import ndtr

        step, bound = math.sqrt(time - self.time), critical * math.sqrt(time)
        return float(
            self.mass @ (ndtr((-bound - self.nodes) / step) + ndtr((self.nodes - bound) / step))
        )

    def critical(self, time: float, due: float) -> float:
        """Return the critical value at ``time`` that stops with probability ``due``."""
        excess = lambda critical: self.crossing(time, critical) - due  # noqa: E731
        return float(find_root(excess, 0.0, 38.0, xtol=1e-13))

    def step(self, time: float, critical: float) -> _Path:
        """Return the density for the paths that have not stopped by ``time``."""
        step = math.sqrt(time - self.time)
        bound = min(critical, _REACH) * math.sqrt(time)
        panels = math.ceil(2.0 * bound / (_PANEL * self.narrowest))
        half = bound / panels
        centers = np.linspace(-bound + half, bound - half, panels)
        nodes = (centers[:, None] + half * _NODES).ravel()
        z = (nodes[:, None] - self.nodes) / step
        density = np.exp(-(z**2) / 2.0) @ self.mass / (step * math.sqrt(2.0 * math.pi))
        stopped = self.stopped + self.crossing(time, critical)
        return _Path(
            self.narrowest, time, nodes, np.tile(half * _WEIGHTS, panels) * density, stopped
        )


def anytime_result(
    differences: FloatArray, *, planned: int, alpha: float, confidence: float | FloatArray
) -> TestResult:
    """Return the confidence sequence at the last query, valid for any number of looks."""
    # mean +- s sqrt(2 (n r + 1) / (n**2 r) log(sqrt(n r + 1) / alpha)). It is asymptotic and
    # inverts the mixture sequential probability ratio test; no library provides it. Intervals of
    # earlier looks are not intersected, because that needs the order of the queries.
    # Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of Statistics 52,
    # 2613-2640; Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409; Johari, Koomen,
    # Pekelis & Walsh (2022), Operations Research 70, 1806-1821.
    data = round_off(as_differences(differences))
    level, n = as_alpha(confidence, data.shape[1]), len(data)
    rows = np.full((5, data.shape[1]), np.nan)
    if n:
        rows[0], rows[1], rows[2] = data.mean(axis=0), 0.0, 1.0
        rows[3], rows[4] = -np.inf, np.inf
        is_zero = np.all(data == 0.0, axis=0) & (n > 1)
        rows[3:, is_zero] = 0.0
    varies = has_spread(data) if n >= MIN_QUERIES_ANYTIME else np.zeros(data.shape[1], bool)
    if varies.any():
        mean, sd = rows[0, varies], data[:, varies].std(axis=0, ddof=1)
        rho, size = best_rho_squared(planned, alpha), np.full(len(mean), float(n))
        log_ratio = mixture_log_ratio(size, mean, sd, rho)
        half = mixture_half_width(size, sd, rho, level[varies])
        pvalue = np.exp(-np.maximum(log_ratio, 0.0))
        low, high = align_interval_with_pvalue(
            pvalue, mean, mean - half, mean + half, level[varies]
        )
        rows[1:, varies] = mean / (sd / np.sqrt(n)), pvalue, low, high
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=n)


def level_of_seen(n_seen: Sequence[int], n_planned: int, *, spending: str, alpha: float) -> float:
    """Return the two-sided level of the last of several looks, by the queries at each look."""
    # The last look, with all planned queries or more, spends the rest. The level is 0 for a look
    # that is too early.
    shares = [min(1.0, n / n_planned) for n in n_seen]
    level = float(stopping_boundaries(shares, alpha=alpha, spending=spending).level[-1])
    return level if level > NOTHING else 0.0
