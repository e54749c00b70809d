"""Online error control (LORD++, SAFFRON, LOND, spending), and shrinkage of many effects."""

# An online procedure assigns a level to each comparison before its result is known. The level
# depends on earlier results, and each discovery returns some level for later tests. Effects that
# stand out among many noisy ones were partly lucky. What a repetition would show is estimated from
# all of them (empirical Bayes shrinkage). On halves of the topics of two TREC tracks, 92 to 95 % of
# the intervals covered the difference on the other half (`reports/calibration/reuse.md`). scipy and
# statsmodels provide neither.
# Sources: Javanmard and Montanari (2018), Online rules for control of false discovery rate, Annals
# of Statistics 46 (LOND, and the sequence of eq. 31); Ramdas, Yang, Wainwright and Jordan (2017),
# Online control of the false discovery rate with decaying memory, NeurIPS (LORD++); Ramdas, Zrnic,
# Wainwright and Jordan (2018), SAFFRON, ICML; Foster and Stine (2008), alpha-investing, JRSS B 70
# (spending). Levels equal those of Bioconductor's onlineFDR 2.10. Repetition: Gelman et al. (2013),
# Bayesian Data Analysis, 3rd edition, section 5.4: effects are normal with unknown mean and
# standard deviation, estimates are normal around their effects, and the posterior is averaged over
# both.

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray

OnlineMethod: TypeAlias = Literal["lord++", "saffron", "lond", "lond-dependent", "spending"]

# 1 / zeta(1.6), and the factor with which Javanmard and Montanari's weights sum to 1.
_ZETA, _LORD = 0.4374901658, 0.07720838
_CANDIDATE = 0.5  # SAFFRON: a p-value above this costs level; one below does not


def online_levels(
    pvalues: Sequence[float] | FloatArray,
    method: OnlineMethod = "lord++",
    *,
    alpha: float = 0.05,
    first: float | None = None,
    maximum: float = 1.0,
) -> FloatArray:
    """Return the level of each comparison of a stream so far, and of the next one."""
    # A comparison is a discovery if its p-value is at most its level, which depends only on earlier
    # p-values. `alpha` limits the errors of the whole stream. `lord++` controls the false discovery
    # rate for independent p-values; `saffron` does too, with more power if many candidates are
    # better; `lond` also for positively dependent and `lond-dependent` for arbitrarily dependent
    # p-values. `spending` controls the probability of any false discovery. `maximum` caps every
    # level. `first` is what LORD++ and SAFFRON may spend before the first discovery; default: half
    # of `alpha`.
    checks.one_of("method", method, get_args(OnlineMethod))
    alpha = checks.level("alpha", alpha)
    p = np.asarray(pvalues, dtype=float)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ArgumentError("pvalues must be a sequence of numbers from 0 to 1")
    wealth = alpha / 2 if first is None else first
    if not 0 < wealth < alpha:
        raise ArgumentError(f"first must lie between 0 and alpha = {alpha:g}, not {first}")
    # The first weights of a decreasing sequence with sum at most 1.
    j, saffron = np.arange(1.0, len(p) + 2), method == "saffron"
    weights = _LORD * np.log(np.maximum(j, 2)) / (j * np.exp(np.sqrt(np.log(j))))
    share = 1.0
    if saffron:
        weights, share, maximum = _ZETA * j**-1.6, 1 - _CANDIDATE, min(maximum, _CANDIDATE)
    by_wealth = method in ("lord++", "saffron")
    # Number of comparisons that cost level; SAFFRON's candidates do not.
    clock = np.append(0, np.cumsum(p > (_CANDIDATE if saffron else -1.0)))
    base = weights[clock] * (wealth if by_wealth else alpha)
    if method == "lond-dependent":
        base /= np.cumsum(1 / j)
    paid, levels, n_done = base.copy(), np.minimum(share * base, maximum), 0
    while (rows := np.flatnonzero(p[n_done:] <= levels[n_done:-1])).size:
        # The first discovery earns alpha minus the initial wealth; each further one earns alpha.
        earned = alpha - wealth * (n_done == 0)
        n_done += int(rows[0]) + 1
        if by_wealth:
            paid[n_done:] += earned * weights[clock[n_done:] - clock[n_done]]
        elif method != "spending":
            paid[n_done:] += base[n_done:]
        levels[n_done:] = np.minimum(share * paid[n_done:], maximum)
    return np.asarray(levels)


MIN_EFFECTS = 8  # with fewer effects their standard deviation is too uncertain
_COMMON = 0.5  # share of the error variance that all have in common, such as the baseline's
_GRID = 200  # standard deviations over which the posterior is averaged
# Per-query differences have heavier tails than normal ones (kurtosis 5 instead of 3), so their
# variance is known only as well as from half as many. The pooled variance gets the weight of 12
# degrees of freedom, but contributes half of them, because the other variances may differ.
_HEAVY, _POOLED = 2.0, 12.0


@record
class Repetition:
    """The predicted result of a repetition on the same number of new queries."""

    # `expected` is the expected effect. The estimate of the repetition lies between `low` and
    # `high` with probability `level`.

    expected: float
    low: float
    high: float
    level: float


Effects: TypeAlias = Sequence[float] | FloatArray


def expected_again(
    estimates: Effects, standard_errors: Effects, *, freedom: float | Effects = np.inf
) -> FloatArray:
    """Return the expected effect of a repetition of each comparison: float64[n]."""
    # The effects are those of :func:`predict_repetition`.
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
    """Predict the result of a repetition of one of many measured effects."""
    # At least 8 effects of comparisons in the same measure; `place` is the position of the repeated
    # one. Half of each error variance is assumed to be common to all, for example from a shared
    # baseline, because the number of candidates cannot reduce it. `freedom` are the degrees of
    # freedom of the standard errors, queries minus one; uncertain errors are shrunk towards the
    # others.
    from scipy import optimize, special  # not needed for the levels of a stream

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
    return Repetition(float(weight @ centre), low, high, level)


def _checked(
    estimates: Effects, standard_errors: Effects, freedom: float | Effects
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return effects, their errors after shrinkage, and the degrees of freedom of these."""
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
        # Variances per query, so that effects on different numbers of queries are comparable.
        variance = se**2 * (freedom + 1)
        pooled = (_POOLED * variance.mean() + maximum * variance) / (_POOLED + maximum)
        se, maximum = np.sqrt(pooled / (freedom + 1)), maximum + _POOLED / 2
    return y, se, maximum


def _posterior(y: FloatArray, se: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return means and standard deviations, [n_grid, n], and the weight of each grid point."""
    # Given the standard deviation, the mean is normal and integrated in closed form.
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
    share = variance_alone / variance  # weight of the mean in the expected effect
    centre = share * mean[:, None] + (1 - share) * y
    # Variance of the effect, of the common error, and of the repetition's own error.
    sd = np.sqrt(
        (1 - share) * variance_alone + share**2 / precision[:, None] + (_COMMON + 1) * se**2
    )
    return centre, sd, weight / weight.sum()
