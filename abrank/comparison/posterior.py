"""A Bayesian view of the primary measure, beside the tests; it decides nothing."""

from __future__ import annotations

from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.estimate import IntervalRow
from abrank.verdict import Rule


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
    from abrank.inference.designs.bayes import bayesian_bootstrap, t_posterior

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
