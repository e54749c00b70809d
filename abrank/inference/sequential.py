"""Looks at the data while queries come in: at any time, or at planned numbers of queries.

A confidence sequence holds however often one looks. At planned looks boundaries share out one level
among the tests; a look that comes too early to spend 1e-14 of it has the interval (-inf, inf), and
no stop.
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
from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.registry import (
    TestResult,
    as_alpha,
    as_column,
    as_differences,
    run_test,
)
from abrank.inference.rounding import align_interval_with_pvalue, has_spread, round_off
from abrank.inference.student import find_root

FIRST = 25
# The largest share of its capital that a bet may lose.
_STAKE = 0.5
_HALVINGS = 50


@record
class ConfidenceSequence:
    """Mean, interval and p-value at every look: arrays of shape (n_looks,).

    ``n_queries`` is how many queries had come. Each interval is the intersection of all up to its
    look, and each p-value the least: the interval excludes 0 from the first look on at which p < 1
    - confidence. Limits that have crossed say that the queries are no stream of one kind.
    """

    n_queries: IntArray
    estimate: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    pvalue: FloatArray
    confidence: float


def asymptotic_sequence(
    differences: npt.ArrayLike, *, planned: int, confidence: float = 0.95, first: int = FIRST
) -> ConfidenceSequence:
    """Return the confidence sequence of the mean difference and its always-valid p-value.

    Estimand: the mean difference. Hypothesis: it is 0. The query pairs the scores, and queries come
    in an order that does not depend on them. One may look after every query and stop when one
    likes: the chance that any of the intervals misses the mean is at most 1 - confidence, for
    streams long enough for the central limit theorem. Over 1,000 queries at 95 % it was 3 % for
    normal, rounded and mostly tied differences, but 10 % where their skewness was 2.8.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline in the order the queries came; taken to 10 digits of the largest.
    planned : int
        The number of queries for which the interval is to be narrowest. Declared before the first.
    first : int
        Looks before so many queries say nothing: the spread is not known well enough.

    Returns
    -------
    ConfidenceSequence
        A look after each query: p 1 and the interval (-inf, inf) before ``first``, and as long as
        all differences are one value, which shows no spread to judge by.

    Notes
    -----
    mean +- s sqrt(2 (n r + 1) / (n**2 r) log(sqrt(n r + 1) / alpha)), r = rho**2 =
    (2 log(1 / alpha) + log(1 + 2 log(1 / alpha))) / planned [1]_. With tau = rho s it is the
    interval that the mixture sequential probability ratio test inverts, and p = 1 / L with L its
    ratio sqrt(1 / (n r + 1)) exp(n**2 r mean**2 / (2 s**2 (n r + 1))) [2]_. At ``planned`` queries
    it is about one and a half times as wide as the t interval: the price of looking.

    References
    ----------
    .. [1] Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of Statistics 52, 2613-2640.
    .. [2] Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409; Johari, Koomen, Pekelis
       & Walsh (2022), Operations Research 70, 1806-1821.

    Examples
    --------
    >>> d = 0.05 + 0.2 * np.sin(np.arange(400))
    >>> found = asymptotic_sequence(d, planned=400)
    >>> found.ci_low[-1].round(4), found.ci_high[-1].round(4), bool(found.pvalue[-1] < 0.05)
    (np.float64(0.0294), np.float64(0.0716), True)
    """
    values = round_off(as_column(differences, "a stream is"))
    alpha = float(as_alpha(confidence, 1)[0])
    checks.count("planned", planned)
    checks.count("first", first, at_least=2)
    n = np.arange(1, len(values) + 1)
    mean, sd = _running_moments(values)
    rho_squared = best_rho_squared(planned, alpha)
    usable = (n >= first) & (sd > 0.0)
    pvalue, half = np.ones(len(n)), np.full(len(n), np.inf)
    shown = n[usable].astype(np.float64)
    half[usable] = mixture_half_width(shown, sd[usable], rho_squared, alpha)
    log_ratio = mixture_log_ratio(shown, mean[usable], sd[usable], rho_squared)
    pvalue[usable] = np.exp(-np.maximum(log_ratio, 0.0))
    low, high = align_interval_with_pvalue(
        pvalue, mean, mean - half, mean + half, np.full(len(n), alpha)
    )
    return ConfidenceSequence(
        n_queries=n.astype(np.int64),
        estimate=mean,
        ci_low=np.maximum.accumulate(low),
        ci_high=np.minimum.accumulate(high),
        pvalue=np.minimum.accumulate(pvalue),
        confidence=confidence,
    )


def best_rho_squared(planned: int, alpha: float) -> float:
    """Return the rho**2 whose interval is narrowest, within .01 %, at ``planned`` queries."""
    spent = 2.0 * np.log(1.0 / alpha)
    return float((spent + np.log1p(spent)) / planned)


def mixture_half_width(
    n: FloatArray, sd: FloatArray, rho_squared: float, alpha: float | FloatArray
) -> FloatArray:
    """Return half the width of the interval after n queries of standard deviation ``sd``."""
    grown = n * rho_squared + 1.0
    return np.asarray(
        sd * np.sqrt(2.0 * grown / (n**2 * rho_squared) * np.log(np.sqrt(grown) / alpha))
    )


def mixture_log_ratio(
    n: FloatArray, mean: FloatArray, sd: FloatArray, rho_squared: float
) -> FloatArray:
    """Return the log of the likelihood ratio of a normal mixture of means against the mean 0."""
    grown = n * rho_squared + 1.0
    return np.asarray(n**2 * rho_squared * (mean / sd) ** 2 / (2.0 * grown) - np.log(grown) / 2.0)


def betting_sequence(
    differences: npt.ArrayLike, *, looks: Sequence[int] | None = None, confidence: float = 0.95
) -> ConfidenceSequence:
    """Return a confidence sequence that holds for any number of queries, of bounded differences.

    Estimand: the mean difference. Hypothesis: it is 0. The query pairs the scores. Nothing is taken
    from a limit theorem, so it holds with few queries and the most skewed differences too, and is
    wider for it.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline, within [-1, 1], in the order the queries came; taken to 10
        decimals.
    looks : sequence of int, optional
        Numbers of queries at which to say the interval; the last one without it. All queries before
        a look count as looked at.

    Returns
    -------
    ConfidenceSequence
        Of differences of one value, too, the interval narrows about it; of one or two queries it is
        [-1, 1], with p 1.

    Notes
    -----
    For a mean m, half a unit is bet that the differences lie above m and half that they lie below,
    each time a share that depends on the queries before; m is rejected once one capital has reached
    1 / alpha [1]_. The bets are the predictable plug-in ones of the paper, cut at half the capital.
    A limit is where rejection begins, by bisection.

    References
    ----------
    .. [1] Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86, 1-27,
       theorem 3 and equation 26.

    Examples
    --------
    >>> d = 0.05 + 0.2 * np.sin(np.arange(400))
    >>> found = betting_sequence(d, looks=[100, 400])
    >>> found.ci_low.round(3), found.ci_high.round(3)
    (array([-0.026,  0.026]), array([0.122, 0.074]))
    """
    values = round_off(as_column(differences, "a stream is"))
    alpha = float(as_alpha(confidence, 1)[0])
    if values.size and np.abs(values).max() > 1.0:
        raise ArgumentError("the differences of a betting sequence must lie within -1 and 1")
    n = len(values)
    at = np.array(([n] if n else []) if looks is None else looks, dtype=np.int64)
    if at.size and not (at.min() >= 1 and at.max() <= n and np.all(np.diff(at) > 0)):
        raise ArgumentError(f"looks must rise within 1 and {n}, not {at.tolist()}")
    unit = (values + 1.0) / 2.0
    bets = _bets(unit, alpha)
    low, high, pvalue = np.empty(len(at)), np.empty(len(at)), np.empty(len(at))
    for i, look in enumerate(at):
        seen = (unit[:look], bets[:look], np.log(2.0 / alpha))
        low[i] = 2.0 * _edge(*seen) - 1.0
        # The other limit is the first of the stream turned over.
        high[i] = 1.0 - 2.0 * _edge(1.0 - seen[0], *seen[1:])
        pvalue[i] = _pvalue(*seen[:2])
    mean = np.cumsum(values)[at - 1] / at
    low, high = align_interval_with_pvalue(pvalue, mean, low, high, np.full(len(at), alpha))
    return ConfidenceSequence(at, mean, low, high, pvalue, confidence)


def betting_pvalues(differences: FloatArray) -> FloatArray:
    """Return the last p-values of :func:`betting_sequence`: its limits take most of the time."""
    # They are those at a confidence of 95 %, on which the bets depend.
    unit = (round_off(differences) + 1.0) / 2.0
    return np.array([_pvalue(stream, _bets(stream, 0.05)) for stream in unit.T])


def _running_moments(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of the first 1, 2, ... values; 0 where all are one."""
    n = np.arange(1, len(values) + 1)
    shifted = values - values[:1].sum()
    total, squares = np.cumsum(shifted), np.cumsum(shifted**2)
    left = squares - total**2 / n
    sd = np.sqrt(np.where(left > 1e-12 * squares, left, 0.0) / np.maximum(n - 1, 1))
    return np.cumsum(values) / n, sd


def _bets(unit: FloatArray, alpha: float) -> FloatArray:
    """Return what is bet on each value, from the values before it: shape (n_queries,)."""
    n = np.arange(1, len(unit) + 1)
    mean = (0.5 + np.cumsum(unit)) / (n + 1.0)
    variance = (0.25 + np.cumsum((unit - mean) ** 2)) / (n + 1.0)
    before = np.concatenate([[0.25], variance])[:-1]
    return np.asarray(np.sqrt(2.0 * np.log(2.0 / alpha) / (before * n * np.log1p(n))))


def _richest(unit: FloatArray, bets: FloatArray, mean: float) -> float:
    """Return the log of the most that bets on values above ``mean`` have made of 1; at least 0."""
    stake = np.minimum(bets, _STAKE / mean) if mean > 0.0 else bets
    return max(0.0, float(np.cumsum(np.log1p(stake * (unit - mean))).max()))


def _pvalue(unit: FloatArray, bets: FloatArray) -> float:
    """Return the p-value of no difference, by the richer of the bets on either side."""
    richest = max(_richest(unit, bets, 0.5), _richest(1.0 - unit, bets, 0.5))
    return float(min(1.0, 2.0 * np.exp(-richest)))


def _edge(unit: FloatArray, bets: FloatArray, enough: float) -> float:
    """Return the largest mean that bets on values above it reject; 0 if none."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if _richest(unit, bets, middle) >= enough:
            low = middle
        else:
            high = middle
    return low


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
    """The sum of differences at a look, as a density over the paths that have not stopped."""

    # The sum is in units in which it has variance 1 at the end of the plan.

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
        Of the looks that have been reached; each says what the test says of the queries so far.

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


def anytime_result(
    differences: FloatArray, *, planned: int, alpha: float, confidence: float | FloatArray
) -> TestResult:
    """Return the confidence sequence at the last query, which holds whenever one looks."""
    # The interval and p of `asymptotic_sequence` without the intersection over earlier looks, whose
    # order would have to be known.
    data = round_off(as_differences(differences))
    level, n = as_alpha(confidence, data.shape[1]), len(data)
    rows = np.full((5, data.shape[1]), np.nan)
    if n:
        rows[0], rows[1], rows[2] = data.mean(axis=0), 0.0, 1.0
        rows[3], rows[4] = -np.inf, np.inf
        same = np.all(data == 0.0, axis=0) & (n > 1)
        rows[3:, same] = 0.0
    live = has_spread(data) if n >= FIRST else np.zeros(data.shape[1], bool)
    if live.any():
        mean, sd = rows[0, live], data[:, live].std(axis=0, ddof=1)
        rho, size = best_rho_squared(planned, alpha), np.full(len(mean), float(n))
        log_ratio = mixture_log_ratio(size, mean, sd, rho)
        half = mixture_half_width(size, sd, rho, level[live])
        pvalue = np.exp(-np.maximum(log_ratio, 0.0))
        low, high = align_interval_with_pvalue(pvalue, mean, mean - half, mean + half, level[live])
        rows[1:, live] = mean / (sd / np.sqrt(n)), pvalue, low, high
    return TestResult.of_mean(rows, test="t", confidence=confidence, n_queries=n)


def level_of_seen(seen: Sequence[int], n_planned: int, *, spending: str, alpha: float) -> float:
    """Return the two-sided level of the last of some looks, by the queries seen at each."""
    # The last look, at the queries planned or more, spends what is left. 0 where it comes too
    # early.
    # Source: Lan & DeMets (1983), Biometrika 70, 659-663.
    return _level([min(1.0, n / n_planned) for n in seen], -1, spending, alpha)


def level_of_look(look: int, n_looks: int, *, spending: str, alpha: float) -> float:
    """Return the two-sided level of a look among evenly spaced ones; 0 where it comes too early."""
    return _level(n_looks, look - 1, spending, alpha)


def _level(looks: int | Sequence[float], place: int, spending: str, alpha: float) -> float:
    kind: Kind = "spend-pocock" if spending == "pocock" else "spend-obrien-fleming"
    level = float(stopping_boundaries(looks, alpha=alpha, kind=kind).level[place])
    return level if level > NOTHING else 0.0
