"""Power analysis: the smallest visible difference, and the queries that the next test needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from abrank import planning
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.verdict import Rule

# A smaller "smallest visible difference" is the rounding of differences that are all the same.
NOTHING = 1e-9


@record
class PlannedDifference:
    """One true difference: the queries that show it, and the chance that these ones do.

    ``queries_low`` and ``queries_high`` are the queries needed at the two ends of the interval of
    the standard deviation. Each is None where no finite number is practical.
    """

    difference: float
    queries_needed: int | None
    power: float
    queries_low: int | None = None
    queries_high: int | None = None


@dataclass(frozen=True)
class PlannedClaim:
    """The queries with which a claim about the margin would be shown, if the true difference is 0.

    ``claim`` is ``same`` (both one-sided tests) or ``not-worse`` (one of them).
    """

    claim: str
    queries_needed: int | None
    queries_low: int | None
    queries_high: int | None


@record
class Planning:
    """What this number of queries can see, and how many the next test needs.

    Computed from the standard deviation of the differences alone: the difference that was observed
    plays no part. ``sd_low`` and ``sd_high`` are the interval of that deviation, by the chi-square
    distribution at the level of the rule; every other range follows from it. ``differences`` are
    round true differences, with the margin among them; none where the differences do not vary.
    ``claims`` are about the margin; none without one. ``inflation`` is by what the
    design makes the interval wider than that of one look at independent queries; ``sd`` has it in.
    """

    sd: float
    smallest_visible: float
    power: float = 0.8
    differences: tuple[PlannedDifference, ...] = ()
    sd_low: float = math.nan
    sd_high: float = math.nan
    visible_low: float = math.nan
    visible_high: float = math.nan
    claims: tuple[PlannedClaim, ...] = ()
    inflation: float = 1.0

    def of(self, difference: float) -> PlannedDifference | None:
        """Return the row of a true difference, such as the margin; None where it has none."""
        return next((row for row in self.differences if row.difference == difference), None)

    def claim(self, name: str) -> PlannedClaim | None:
        """Return what was planned for a claim; None where nothing was."""
        return next((each for each in self.claims if each.claim == name), None)


def plan_next_test(
    differences: FloatArray, rule: Rule, margin: float, *, inflation: float = 1.0
) -> Planning:
    """Plan the next test with the spread of the differences of this one.

    Parameters
    ----------
    inflation : float
        Of the standard error, over that of a t test of as many independent queries: by clusters, or
        by a confidence sequence. Of looks the plan is for all queries and all of alpha.

    Returns
    -------
    Planning
        By the closed forms of the paired t test, whatever test decided.

    Examples
    --------
    >>> rule = Rule("AP", margin=0.1)
    >>> found = plan_next_test(np.array([0.0, 0.1, 0.3, 0.12]), rule, rule.margin)
    >>> [(row.difference, row.queries_needed) for row in found.differences]
    [(0.01, 1227), (0.02, 309), (0.05, 51), (0.1, 15)]
    >>> [(each.claim, each.queries_needed) for each in found.claims]
    [('same', 15), ('not-worse', 12)]
    """
    n = len(differences)
    sd = float(np.std(differences, ddof=1)) if n > 1 else math.nan
    return plan_from_spread(sd, n, rule, margin, inflation=inflation)


def plan_from_spread(
    sd: float, n: int, rule: Rule, margin: float, *, inflation: float = 1.0
) -> Planning:
    """Plan as :func:`plan_next_test` does, from the standard deviation of ``n`` differences.

    Examples
    --------
    >>> round(plan_from_spread(0.2, 50, Rule("AP"), 0.0).smallest_visible, 3)
    0.081
    """
    sd *= inflation
    if rule.design is not None and rule.design.look:
        rule = replace(rule, alpha=rule.design.alpha)
    visible = planning.smallest_visible(sd, n, alpha=rule.alpha)
    if not visible > NOTHING:
        return Planning(sd=sd, smallest_visible=visible)
    low, high = planning.spread_interval(sd, n, confidence=rule.confidence)
    spreads = (sd, low, high)
    return Planning(
        sd=sd,
        smallest_visible=visible,
        differences=tuple(
            _planned(each, spreads, n, rule) for each in planned_differences(sd, margin)
        ),
        sd_low=low,
        sd_high=high,
        visible_low=visible * low / sd,
        visible_high=visible * high / sd,
        claims=_claims(spreads, rule, margin) if margin else (),
        inflation=inflation,
    )


def planned_differences(sd: float, margin: float) -> list[float]:
    """Return three round differences that suit a spread, with the margin among them.

    They depend on the power of ten of the spread alone, so that comparisons of one kind plan for
    the same differences: .01, .02 and .05 for a standard deviation from .05 to .5.

    Examples
    --------
    >>> planned_differences(0.21, 0.0), planned_differences(0.21, 0.015), planned_differences(30, 0)
    ([0.01, 0.02, 0.05], [0.01, 0.015, 0.02, 0.05], [1.0, 2.0, 5.0])
    """
    decade = math.floor(math.log10(2.0 * sd)) - 1
    rounded = {float(f"{factor}e{decade}") for factor in (1, 2, 5)}
    return sorted(rounded | ({margin} if margin else set()))


def _planned(
    difference: float, spreads: tuple[float, float, float], n: int, rule: Rule
) -> PlannedDifference:
    needed, low, high = (
        planning.queries_needed(sd, difference, alpha=rule.alpha) for sd in spreads
    )
    chance = planning.power(n, effect=difference / spreads[0], alpha=rule.alpha)
    return PlannedDifference(difference, needed, chance, low, high)


def _claims(
    spreads: tuple[float, float, float], rule: Rule, margin: float
) -> tuple[PlannedClaim, ...]:
    """Return the queries for both claims about the margin at a true difference of 0."""
    same = [planning.queries_to_show_same(sd, margin, alpha=rule.alpha) for sd in spreads]
    # One one-sided test at alpha is a two-sided one at twice alpha: its far tail never counts.
    one = [planning.queries_needed(sd, margin, alpha=2.0 * rule.alpha) for sd in spreads]
    return PlannedClaim("same", *same), PlannedClaim("not-worse", *one)
