"""What so many queries can see, and how many the next test needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from abrank import planning
from abrank._support.typing import FloatArray
from abrank.planning.plan import round_differences
from abrank.verdict import Decision, Rule, Verdict

# A smaller "smallest visible difference" is the rounding of differences that are all the same.
NOTHING = 1e-9


@dataclass(frozen=True)
class PlannedDifference:
    """One true difference: the queries that show it, and the chance that these ones do.

    ``queries_needed`` is None where no finite number is practical.
    """

    difference: float
    queries_needed: int | None
    power: float


@dataclass(frozen=True)
class Planning:
    """What this number of queries can see, and how many the next test needs.

    ``queries_needed`` is for a true difference of ``difference`` at 80% power: the margin, or
    without one the difference observed; None where no finite number is practical. So are
    ``queries_to_settle``, which would put the whole interval beyond the margin where only the size
    is open, and ``queries_to_pass``, with which a gate that did not pass would, both if the
    difference observed is the true one; None also where nothing is to settle or to pass.
    ``differences`` are round ones around the smallest visible, with the margin among them; none
    where the differences do not vary.
    """

    sd: float
    smallest_visible: float
    difference: float
    queries_needed: int | None
    power: float = 0.8
    queries_to_settle: int | None = None
    queries_to_pass: int | None = None
    differences: tuple[PlannedDifference, ...] = ()


def look_ahead(differences: FloatArray, rule: Rule, decision: Decision) -> Planning:
    """Plan the next test with the spread of the differences of this one.

    Parameters
    ----------
    differences : float64[n_queries]
        B - A of the primary measure.
    rule : Rule
    decision : Decision

    Returns
    -------
    Planning
        By the closed forms of the paired t test, whatever test decided.

    Examples
    --------
    >>> from abrank.verdict import decide
    >>> rule = Rule("AP", margin=0.1)
    >>> limits = {"interval": (0.01, 0.25), "equivalence_interval": (0.03, 0.23)}
    >>> decision = decide(rule, estimate=0.13, **limits)
    >>> found = look_ahead(np.array([0.0, 0.1, 0.3, 0.12]), rule, decision)
    >>> found.queries_needed, found.queries_to_settle, [row.difference for row in found.differences]
    (15, 138, [0.05, 0.1, 0.2, 0.5])
    """
    n = len(differences)
    sd = float(np.std(differences, ddof=1)) if n > 1 else math.nan
    observed = float(np.mean(differences)) if n else math.nan
    visible = planning.smallest_visible(sd, n, alpha=rule.alpha)
    wanted = rule.margin or abs(observed)
    rows = planned_differences(visible, rule.margin) if visible > NOTHING else []
    return Planning(
        sd=sd,
        smallest_visible=visible,
        difference=wanted,
        queries_needed=planning.queries_needed(sd, wanted, alpha=rule.alpha),
        queries_to_settle=_to_settle(sd, observed, rule, decision),
        queries_to_pass=_to_pass(sd, observed, rule, decision),
        differences=tuple(_planned(each, sd, n, rule) for each in rows),
    )


def planned_differences(visible: float, margin: float) -> list[float]:
    """Return round differences around the smallest visible one, with the margin among them.

    Examples
    --------
    >>> planned_differences(0.036, 0.015)
    [0.005, 0.01, 0.015, 0.02, 0.05]
    """
    return sorted({*round_differences(visible), *([margin] if margin else [])})


def _planned(difference: float, sd: float, n: int, rule: Rule) -> PlannedDifference:
    needed = planning.queries_needed(sd, difference, alpha=rule.alpha)
    chance = planning.power(n, effect=difference / sd, alpha=rule.alpha)
    return PlannedDifference(difference, needed, chance)


def _to_settle(sd: float, observed: float, rule: Rule, decision: Decision) -> int | None:
    """Return how many queries would put the whole interval beyond the margin."""
    open_size = (Verdict.BETTER_SIZE_UNCLEAR, Verdict.WORSE_SIZE_UNCLEAR)
    beyond = abs(observed) - rule.margin
    if decision.verdict not in open_size or beyond <= 0:
        return None
    return planning.queries_needed(sd, beyond, alpha=rule.alpha)


def _to_pass(sd: float, observed: float, rule: Rule, decision: Decision) -> int | None:
    """Return how many queries the gate would need if the difference observed is the true one."""
    gate = decision.gate
    if gate is None or gate.passed or decision.verdict is Verdict.CANNOT_TEST:
        return None
    gain = observed if rule.higher_is_better else -observed
    # Better is asked of a two-sided test at alpha, the others of one-sided ones; equivalence needs
    # two of them, each with half of the allowed misses.
    room, alpha, target = {
        "better": (gain - rule.margin, rule.alpha, 0.8),
        "non-inferior": (gain + rule.margin, 2.0 * rule.alpha, 0.8),
        "equivalent": (rule.margin - abs(gain), 2.0 * rule.alpha, 0.9),
        "not-worse-shown": (0.0, rule.alpha, 0.8),
    }[gate.require]
    return planning.queries_needed(sd, max(room, 0.0), alpha=alpha, target=target)
