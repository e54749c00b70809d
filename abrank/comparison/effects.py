"""How large the difference is without a unit, how differences spread, and what a posterior says."""

from __future__ import annotations

import math

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.estimate import IntervalRow
from abrank.inference.effect_size import EffectInterval
from abrank.inference.rounding import differences_of
from abrank.inference.shape import moments
from abrank.verdict import Rule


@record
class Effect(IntervalRow):
    """An effect size of the primary measure, its interval, and how that is made."""

    estimate: float
    ci_low: float
    ci_high: float
    method: str

    @classmethod
    def of(cls, found: EffectInterval, *, has_interval: bool) -> Effect:
        """Return the first of the effect sizes found."""
        known = 1.0 if has_interval else math.nan
        low, high = known * float(found.ci_low[0]), known * float(found.ci_high[0])
        return cls(float(found.estimate[0]), low, high, found.method)


@record
class Spread:
    """The differences of the primary measure in six numbers.

    Their quartiles, skewness and excess kurtosis (0 for a normal distribution), and the correlation
    of the scores of A and B, which is why pairing helps. NaN where there is nothing to compute it
    from.
    """

    lower_quartile: float
    median: float
    upper_quartile: float
    skew: float
    excess: float
    correlation: float


# Effect sizes that say which system wins, whatever the sign of its differences.
WHO_WINS = frozenset({"rank_biserial", "p_better"})


def effects(
    a: FloatArray,
    b: FloatArray,
    *,
    confidence: float,
    higher_is_better: bool = True,
    independent: bool = True,
) -> dict[str, Effect]:
    """Return every effect size of B over A, by name."""
    found = {}
    for name in inference.EFFECT_SIZES:
        swap = name in WHO_WINS and not higher_is_better
        pair = (b, a) if swap else (a, b)
        found[name] = inference.effect_interval(name, *pair, confidence=confidence)
    return {name: Effect.of(each, has_interval=independent) for name, each in found.items()}


def spread(a: FloatArray, b: FloatArray) -> Spread:
    """Return how the differences B - A are spread."""
    if len(a) == 0:
        return Spread(*[math.nan] * 6)
    differences = differences_of(a, b)
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75]).tolist()
    skew, excess = moments(differences)
    known = len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0
    correlation = float(np.corrcoef(a, b)[0, 1]) if known else math.nan
    return Spread(low, middle, high, skew, excess, correlation)


@record
class Belief(IntervalRow):
    """What a posterior of the mean difference says of B's gain.

    ``ahead`` is the probability that B is better at all; ``worse``, ``within`` and ``better`` those
    of a loss beyond the margin ``rope``, of less than it either way, and of a gain beyond it: they
    add up to 1. The interval of B - A is credible and equal-tailed.
    """

    model: str
    rope: float
    confidence: float
    ci_low: float
    ci_high: float
    ahead: float
    worse: float
    within: float
    better: float


def beliefs(
    differences: FloatArray, rule: Rule, *, margin: float, seed: int, asked: bool = True
) -> tuple[Belief, ...]:
    """Return the t posterior under Jeffreys' prior, and the Bayesian bootstrap."""
    if not asked:
        return ()
    if rule.design is not None and rule.design.clusters:
        raise ArgumentError(
            "the Bayesian view takes queries to be independent, and clusters say they are not;"
            " leave out bayes (Question(bayes=)) or --clusters (Clusters(...))"
        )
    from abrank.inference.bayes import bayesian_bootstrap, t_posterior

    # Looking does not change a posterior, so that its level is that of all looks.
    looks = rule.design is not None and rule.design.shared
    level = 1.0 - rule.design.alpha if rule.design and looks else rule.confidence
    found = []
    for name in ("t", "bootstrap"):
        narrow, wide = (
            t_posterior(differences, rope=rope, confidence=level)
            if name == "t"
            else bayesian_bootstrap(differences, rope=rope, confidence=level, seed=seed)
            for rope in (0.0, margin)
        )
        sides = ("worse", "better") if rule.higher_is_better else ("better", "worse")
        found.append(
            Belief(
                model=name,
                rope=margin,
                confidence=level,
                ci_low=float(wide.ci_low[0]),
                ci_high=float(wide.ci_high[0]),
                ahead=float(getattr(narrow, sides[1])[0]),
                worse=float(getattr(wide, sides[0])[0]),
                within=float(wide.equal[0]),
                better=float(getattr(wide, sides[1])[0]),
            )
        )
    return tuple(found)
