"""Online control of errors (LORD++, SAFFRON, LOND, spending), and shrinkage of many effects."""

# An online procedure gives every comparison a level before its result is known, from what came
# before it, and pays some of it back for each finding. And of many effects measured with error,
# those that stand out were lucky, too: what a repetition would show of one is learnt from all. On
# halves of the topics of two TREC tracks 92 to 95 % of the intervals held the other half's
# difference (`reports/calibration/reuse.md`). scipy and statsmodels have neither.
#
# Sources: Javanmard and Montanari (2018), Online rules for control of false discovery rate, Annals
# of Statistics 46 (LOND, and the sequence of eq. 31); Ramdas, Yang, Wainwright and Jordan (2017),
# Online control of the false discovery rate with decaying memory, NeurIPS (LORD++); Ramdas, Zrnic,
# Wainwright and Jordan (2018), SAFFRON, ICML; Foster and Stine (2008), alpha-investing, JRSS B 70
# (spending). Levels equal those of Bioconductor's onlineFDR 2.10. Repetition: Gelman et al. (2013),
# Bayesian Data Analysis, 3rd edition, section 5.4: effects are normal with unknown mean and spread,
# each estimate normal around its own, and the posterior is averaged over mean and spread.

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray

OnlineMethod: TypeAlias = Literal["lord++", "saffron", "lond", "lond-dependent", "spending"]

# 1 / zeta(1.6), and what makes the weights of Javanmard and Montanari's sequence sum to 1.
_ZETA, _LORD = 0.4374901658, 0.07720838
_CANDIDATE = 0.5  # SAFFRON: a p-value above it costs level, one below it does not


def online_levels(
    pvalues: Sequence[float] | FloatArray,
    method: OnlineMethod = "lord++",
    *,
    alpha: float = 0.05,
    first: float | None = None,
    maximum: float = 1.0,
) -> FloatArray:
    """Return the level of every comparison of a stream so far, and of the next."""
    # A comparison finds something where its p-value is at most its level, which depends on nothing
    # but the p-values before it. `alpha` bounds the errors of the whole stream: the false discovery
    # rate where p-values are independent (`lord++`; `saffron`, with more power where many
    # candidates are better), also where they are positively dependent (`lond`) or however they
    # depend on each other (`lond-dependent`); the chance of any false finding (`spending`). No
    # level is above `maximum`. `first` is what LORD++ and SAFFRON may spend before the first
    # finding, half of `alpha` without it.
    checks.one_of("method", method, get_args(OnlineMethod))
    alpha = checks.level("alpha", alpha)
    p = np.asarray(pvalues, dtype=float)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ArgumentError("pvalues must be a sequence of numbers from 0 to 1")
    wealth = alpha / 2 if first is None else first
    if not 0 < wealth < alpha:
        raise ArgumentError(f"first must lie between 0 and alpha = {alpha:g}, not {first}")
    # The first weights of a sequence that falls and sums to at most 1.
    j, saffron = np.arange(1.0, len(p) + 2), method == "saffron"
    weights = _LORD * np.log(np.maximum(j, 2)) / (j * np.exp(np.sqrt(np.log(j))))
    share = 1.0
    if saffron:
        weights, share, maximum = _ZETA * j**-1.6, 1 - _CANDIDATE, min(maximum, _CANDIDATE)
    by_wealth = method in ("lord++", "saffron")
    # Comparisons that cost level: those that SAFFRON takes for candidates do not.
    clock = np.append(0, np.cumsum(p > (_CANDIDATE if saffron else -1.0)))
    base = weights[clock] * (wealth if by_wealth else alpha)
    if method == "lond-dependent":
        base /= np.cumsum(1 / j)
    paid, levels, n_done = base.copy(), np.minimum(share * base, maximum), 0
    while (rows := np.flatnonzero(p[n_done:] <= levels[n_done:-1])).size:
        # The first finding earns what was not there to begin with, each further one alpha.
        earned = alpha - wealth * (n_done == 0)
        n_done += int(rows[0]) + 1
        if by_wealth:
            paid[n_done:] += earned * weights[clock[n_done:] - clock[n_done]]
        elif method != "spending":
            paid[n_done:] += base[n_done:]
        levels[n_done:] = np.minimum(share * paid[n_done:], maximum)
    return np.asarray(levels)


MIN_EFFECTS = 8  # with fewer effects their spread is a guess
_COMMON = 0.5  # of the variance of an error, as of differences from one baseline
_GRID = 200  # spreads that the posterior is averaged over
# Differences of queries have longer tails than normal ones (kurtosis 5, not 3), so that their
# variance is known as if by half as many. The mean variance of all weighs like 12 degrees of
# freedom, and is worth half of them: the others' need not be the same.
_HEAVY, _POOLED = 2.0, 12.0


@record
class Repetition:
    """What a repetition on as many other queries would show."""

    # `expected` is the effect to be expected, `low` and `high` the limits between which the
    # repetition's estimate lies with probability `level`, `n_effects` how many it was learnt from.

    expected: float
    low: float
    high: float
    level: float
    n_effects: int


Effects: TypeAlias = Sequence[float] | FloatArray


def expected_again(
    estimates: Effects, standard_errors: Effects, *, freedom: float | Effects = np.inf
) -> FloatArray:
    """Return the effect to be expected of a repetition of each: float64[n]."""
    # The effects are those of `predict_repetition`.
    centre, _, weight = _posterior(*_checked(estimates, standard_errors, freedom)[:2])
    return np.asarray(weight @ centre)


def predict_repetition(
    estimates: Effects,
    standard_errors: Effects,
    place: int = -1,
    *,
    freedom: float | Effects = np.inf,
    level: float = 0.95,
) -> Repetition:
    """Return what a repetition of one of many measured effects would show."""
    # At least 8 effects, which are of comparisons in one measure; `place` says which is repeated.
    # Half of each error's variance is taken to be common to all, as where they have one baseline:
    # what luck that had on these queries, no number of candidates tells. `freedom`: degrees of
    # freedom of the standard errors, queries less one; of few, each error is drawn towards those of
    # the others.
    from scipy import optimize, special  # the levels of a stream do without them

    checks.fraction("level", level)
    y, se, freedom_of_errors = _checked(estimates, standard_errors, freedom)
    centre, sd, weight = (
        values[..., place] if values.ndim > 1 else values for values in _posterior(y, se)
    )

    def quantile(tail: float) -> float:
        def excess(value: float) -> float:
            return (
                float(weight @ special.stdtr(freedom_of_errors[place], (value - centre) / sd))
                - tail
            )

        low, high = (centre - 40 * sd).min(), (centre + 40 * sd).max()
        return float(optimize.brentq(excess, low, high, xtol=1e-12))

    low, high = quantile((1 - level) / 2), quantile((1 + level) / 2)
    return Repetition(float(weight @ centre), low, high, level, len(y))


def _checked(
    estimates: Effects, standard_errors: Effects, freedom: float | Effects
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return effects, their errors drawn together, and the freedom with which those are known."""
    y, se = np.asarray(estimates, dtype=float), np.asarray(standard_errors, dtype=float)
    if y.shape != se.shape or y.ndim != 1 or len(y) < MIN_EFFECTS:
        raise ArgumentError(
            f"at least {MIN_EFFECTS} effects are needed, each with a standard error; got {y.size}"
            f" and {se.size}"
        )
    if not (np.isfinite(y).all() and np.isfinite(se).all() and (se > 0).all()):
        raise ArgumentError("effects must be finite, and their standard errors above 0")
    freedom = np.broadcast_to(np.asarray(freedom, dtype=float), y.shape)
    maximum = np.maximum(freedom / _HEAVY, 1.0)
    if np.isfinite(maximum).all():
        # The variance of one query, by which effects on few and on many are alike.
        variance = se**2 * (freedom + 1)
        pooled = (_POOLED * variance.mean() + maximum * variance) / (_POOLED + maximum)
        se, maximum = np.sqrt(pooled / (freedom + 1)), maximum + _POOLED / 2
    return y, se, maximum


def _posterior(y: FloatArray, se: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return centres and standard deviations, [n_spreads, n], and the weight of each spread."""
    # The mean given the spread is normal, and integrated in closed form.
    spread = np.linspace(0, 4 * float(np.ptp(y)) + float(se.max()), _GRID)
    variance_alone = (1 - _COMMON) * se**2
    variance = variance_alone + spread[:, None] ** 2
    precision = (1 / variance).sum(axis=1)
    mean = (y / variance).sum(axis=1) / precision
    log = -0.5 * (
        np.log(precision)
        + np.log(variance).sum(axis=1)
        + ((y - mean[:, None]) ** 2 / variance).sum(axis=1)
    )
    weight = np.exp(log - log.max())
    share = variance_alone / variance  # of the mean in what is expected
    centre = share * mean[:, None] + (1 - share) * y
    # Of the effect, of the luck common to all, and of the repetition's own error.
    sd = np.sqrt(
        (1 - share) * variance_alone + share**2 / precision[:, None] + (_COMMON + 1) * se**2
    )
    return centre, sd, weight / weight.sum()
