"""Tests at planned looks: the boundaries that share out one level, and the answer at each look.

Tests at planned looks, each held against its share of one level:

==================  ====================================================================
differences         answer at a look
==================  ====================================================================
no query            there is no look yet, as at any look with more queries than have come
one query           what the test says of it: interval unbounded, no stop
two queries         what the test says of them
all 0               p 1, interval [0, 0]
one value, not 0    what the test says of it; for t: p NaN, interval unbounded, no stop
one query differs   what the test says of them
two values          what the test says of them
not finite          refused
a look too early    interval (-inf, inf) and no stop, where less than 1e-14 may be spent
==================  ====================================================================

Boundaries for tests at planned looks, which share out one level among them:

=====================  ========================================================
looks                  boundaries
=====================  ========================================================
none                   refused
one                    that of the plain test
the last before 1      those of the plan so far; by shape alpha is spent by then
equal or falling       refused
at 0 or beyond 1       refused
not finite             refused
too early to stop at   critical value inf, level 0
=====================  ========================================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.exact.fourier import find_root
from abrank.inference.registry import as_alpha, as_column, run_test

# --- Boundaries for tests at planned looks, which share out one level among them

Kind = Literal["obrien-fleming", "pocock", "spend-obrien-fleming", "spend-pocock"]

# Beyond 8 standard deviations lies 1e-15, and a spending below NOTHING is none.
_REACH = 8.0
NOTHING = 1e-14
# Gauss and Legendre's 16 nodes to every 4 standard deviations of the narrowest step.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 4.0
CLOSEST_LOOKS = 1.0 / 40_000.0


@record
class Boundaries:
    """Where to stop: arrays of shape (n_looks,)."""

    share: FloatArray
    critical: FloatArray
    level: FloatArray
    spent: FloatArray


def stopping_boundaries(
    looks: int | Sequence[float], *, alpha: float = 0.05, kind: Kind = "spend-obrien-fleming"
) -> Boundaries:
    """Return two-sided group-sequential boundaries for planned looks at the data.

    Parameters
    ----------
    looks : int or sequence of float
        So many looks, evenly spaced; or the shares of the planned queries at each, rising to at
        most 1.
    alpha : float
        Level of all looks together.
    kind : {"obrien-fleming", "pocock", "spend-obrien-fleming", "spend-pocock"}
        "pocock" has one critical value for all looks [1]_, "obrien-fleming" one that falls with the
        root of the share, c / sqrt(share), so that the last test is nearly the plain one [2]_. The
        "spend" kinds share out alpha by a function of the share alone [3]_: looks need not be those
        that were planned, as long as their times do not depend on the results.

    Returns
    -------
    Boundaries

    Raises
    ------
    ArgumentError
        If the shares do not rise within (0, 1], or alpha is not in (0, 1).

    Notes
    -----
    By look k the function has spent 4 (1 - Phi(z / sqrt(share))), z the upper alpha / 4 point of
    the normal distribution, for "spend-obrien-fleming" (alpha / 2 on either side), and
    alpha log(1 + (e - 1) share) for "spend-pocock". The chance to stop is found by carrying the
    density of the sum of differences from look to look, by Gauss and Legendre's rule, over the
    paths that have not stopped [4]_.

    References
    ----------
    .. [1] Pocock (1977), Biometrika 64, 191-199.
    .. [2] O'Brien & Fleming (1979), Biometrics 35, 549-556.
    .. [3] Lan & DeMets (1983), Biometrika 70, 659-663.
    .. [4] Armitage, McPherson & Rowe (1969), Journal of the Royal Statistical Society A 132,
       235-244; Jennison & Turnbull (2000), Group Sequential Methods, chapter 19.

    Examples
    --------
    >>> stopping_boundaries(5, kind="pocock").critical.round(3)
    array([2.413, 2.413, 2.413, 2.413, 2.413])
    >>> stopping_boundaries(5).critical.round(3)
    array([4.877, 3.357, 2.68 , 2.29 , 2.031])
    """
    checks.one_of("kind", kind, get_args(Kind))
    checks.level("alpha", alpha)
    from scipy.special import ndtr, ndtri

    share = _shares(looks)
    if kind == "spend-pocock":
        critical, spent = _by_spending(share, alpha * np.log1p((np.e - 1.0) * share))
    elif kind == "spend-obrien-fleming":
        critical, spent = _by_spending(share, 4.0 * ndtr(ndtri(alpha / 4.0) / np.sqrt(share)))
    else:
        shape = share**-0.5 if kind == "obrien-fleming" else np.ones_like(share)
        critical, spent = _by_shape(share, shape, alpha)
    return Boundaries(share, critical, np.asarray(2.0 * ndtr(-critical)), spent)


def _shares(looks: int | Sequence[float]) -> FloatArray:
    """Return the shares of the plan at the looks, which rise to at most 1."""
    if isinstance(looks, int):
        return np.arange(1, checks.count("looks", looks) + 1) / looks
    share = np.asarray(looks, dtype=np.float64)
    gaps = np.diff(share, prepend=0.0)
    if not share.size or not gaps.min() > 0.0 or share[-1] > 1.0:
        raise ArgumentError(f"looks must be shares that rise within 0 and 1, not {list(looks)}")
    if gaps.min() < CLOSEST_LOOKS:
        raise ArgumentError("looks must be at least 1/40000 of the plan apart")
    return share


def _by_spending(share: FloatArray, spent: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the critical values that spend so much by each look, and what they spend."""
    critical, path = np.full(len(share), np.inf), _Path(_narrowest(share))
    used = np.zeros(len(share))
    for k, time in enumerate(share):
        due = spent[k] - path.stopped
        if due > NOTHING:

            def excess(
                z: float, *, at: float = time, path: _Path = path, due: float = due
            ) -> float:
                return path.crossing(at, z) - due

            critical[k] = find_root(excess, 0.0, 38.0, xtol=1e-13)
        path = path.step(time, critical[k])
        used[k] = path.stopped
    return critical, used


def _by_shape(share: FloatArray, shape: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Return critical values in proportion to ``shape`` that spend alpha, and what is spent."""
    from scipy.special import ndtri

    def spent(constant: float) -> FloatArray:
        path, used = _Path(_narrowest(share)), np.zeros(len(share))
        for k, time in enumerate(share):
            path = path.step(time, constant * shape[k])
            used[k] = path.stopped
        return used

    # The last look alone spends alpha at the one, and Bonferroni keeps it at the other.
    low, high = -ndtri(alpha / 2.0), -ndtri(alpha / (2.0 * len(share)))
    if len(share) == 1:
        return np.array([low]), np.array([alpha])
    ends = low / shape[-1], high / shape[-1]
    constant = float(find_root(lambda c: spent(c)[-1] - alpha, *ends, xtol=1e-12))
    return constant * shape, spent(constant)


def _narrowest(share: FloatArray) -> float:
    """Return the smallest standard deviation of a step between looks."""
    return math.sqrt(float(np.diff(share, prepend=0.0).min()))


@dataclass(frozen=True)
class _Path:
    """The sum of differences at a look, as a density over the paths that have not stopped.

    The sum is in units in which it has variance 1 at the end of the plan.
    """

    narrowest: float
    time: float = 0.0
    nodes: FloatArray = field(default_factory=lambda: np.zeros(1))
    mass: FloatArray = field(default_factory=lambda: np.ones(1))
    stopped: float = 0.0

    def crossing(self, time: float, critical: float) -> float:
        """Return the chance to go on until now and to be beyond the critical value at ``time``."""
        from scipy.special import ndtr

        step, bound = math.sqrt(time - self.time), critical * math.sqrt(time)
        return float(
            self.mass @ (ndtr((-bound - self.nodes) / step) + ndtr((self.nodes - bound) / step))
        )

    def step(self, time: float, critical: float) -> _Path:
        """Return the paths that have not stopped by ``time``."""
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


# --- Tests at planned looks, each held against its share of one level


@record
class GroupSequential:
    """The tests at the looks that have been reached: arrays of shape (n_reached,).

    The intervals are repeated confidence intervals: all of them hold at once with the confidence of
    the whole plan. ``stopped`` says at which look the test was below its level, and so its interval
    excluded 0.
    """

    n_queries: IntArray
    estimate: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    pvalue: FloatArray
    level: FloatArray
    stopped: BoolArray
    boundaries: Boundaries

    @property
    def first_stop(self) -> int | None:
        """The number of queries at the first look that stops; None if none does."""
        return int(self.n_queries[self.stopped][0]) if self.stopped.any() else None


def run_at_looks(
    differences: npt.ArrayLike,
    looks: Sequence[int],
    *,
    kind: Kind = "spend-obrien-fleming",
    test: str = "t",
    confidence: float = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
) -> GroupSequential:
    """Test the differences at planned numbers of queries, at one level for all looks together.

    Estimand: that of the test, the mean difference for t. Hypothesis: it is 0. The query pairs the
    scores.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline, in the order the queries came.
    looks : sequence of int
        The numbers of queries at which it is looked, rising; the last is the whole plan.
    kind
        As for :func:`stopping_boundaries`.
    test : str
        A name in ``TESTS``, two-sided; its p-value is held against the level of the look.
    confidence : float
        Of all intervals together.
    seed, n_resamples
        As for :func:`run_test`.

    Returns
    -------
    GroupSequential

    Raises
    ------
    ArgumentError
        If a difference is not finite or the looks do not rise from 1.

    References
    ----------
    .. [1] Jennison & Turnbull (1989), Journal of the Royal Statistical Society B 51, 305-361.

    Examples
    --------
    >>> d = 0.08 + 0.3 * np.sin(1.7 * np.arange(90))
    >>> found = run_at_looks(d, [40, 80, 120], kind="pocock")
    >>> found.n_queries, found.pvalue.round(4), found.first_stop
    (array([40, 80]), array([0.0153, 0.0007]), 40)
    """
    data = as_column(differences, "a stream is")[:, None]
    planned = np.asarray(looks, dtype=np.int64)
    if not planned.size or planned[0] < 1 or np.any(np.diff(planned) <= 0):
        raise ArgumentError(f"looks must be numbers of queries that rise, not {list(looks)}")
    alpha = float(as_alpha(confidence, 1)[0])
    found = stopping_boundaries((planned / planned[-1]).tolist(), alpha=alpha, kind=kind)
    reached = planned[planned <= len(data)]
    level = found.level[: len(reached)]
    answers = answer_at_looks(data, reached, level, test=test, seed=seed, n_resamples=n_resamples)
    estimate, low, high, pvalue = answers[..., 0]
    return GroupSequential(
        n_queries=reached,
        estimate=estimate,
        ci_low=low,
        ci_high=high,
        pvalue=pvalue,
        level=level,
        stopped=(low > 0.0) | (high < 0.0),
        boundaries=found,
    )


def answer_at_looks(
    data: FloatArray,
    looks: IntArray,
    level: FloatArray,
    *,
    test: str,
    seed: int = 0,
    n_resamples: int | None = None,
) -> FloatArray:
    """Return estimate, limits and p of streams at every look, each at the level of the look."""
    answers = np.empty((4, len(looks), data.shape[1]))
    for place, (n, alpha) in enumerate(zip(looks, level.tolist(), strict=True)):
        # A level of 0 cannot be asked of a test: no p is below it.
        result = run_test(
            test, data[:n], confidence=1.0 - max(alpha, NOTHING), seed=seed, n_resamples=n_resamples
        )
        answers[:, place] = result.estimate, result.ci_low, result.ci_high, result.pvalue
        if alpha == 0.0:
            answers[1:3, place] = np.array([[-np.inf], [np.inf]])
    return answers
