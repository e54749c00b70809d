"""Power analysis: what this number of queries can detect, and how many the next test needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.clusters import FEWEST_EFFECTIVE, effective_clusters, freedom_of_clusters
from abrank.planning import student
from abrank.planning.student import MOST_QUERIES, of_groups, of_queries
from abrank.verdict import Rule

# Below this, the smallest visible difference is only rounding error of equal differences.
NOTHING = 1e-9
POWER = 0.8


@record
class PlannedDifference:
    """One true difference: the queries needed to detect it, and the power of the present ones.

    ``queries_low`` and ``queries_high`` are the numbers needed at the two ends of the interval of
    the standard deviation; None if no practical number suffices. With clusters, the numbers assume
    new clusters like the present ones; ``queries_same_clusters`` assumes more queries of the
    same clusters.
    """

    difference: float
    queries_needed: int | None
    power: float
    queries_low: int | None = None
    queries_high: int | None = None
    queries_same_clusters: int | None = None


@dataclass(frozen=True)
class PlannedClaim:
    """The queries needed to show a claim about the margin if the true difference is 0.

    ``claim`` is ``same`` (both one-sided tests) or ``not-worse`` (one of them).
    """

    claim: str
    queries_needed: int | None
    queries_low: int | None
    queries_high: int | None


@record
class Planning:
    """What this number of queries can detect, and how many the next test needs.

    It uses only the standard deviation of the differences, not the observed mean. ``sd_low`` and
    ``sd_high`` are its chi-square interval at the level of the rule; all other ranges follow from
    it. ``differences`` are round true differences including the margin, empty if the differences do
    not vary. ``claims`` are about the margin, empty without one. ``inflation`` is the factor by
    which the design widens the interval of one look at independent queries; ``sd`` includes it.
    ``freedom`` is the degrees of freedom of t; NaN in files of earlier versions.
    """

    sd: float
    smallest_visible: float
    power: float = POWER
    differences: tuple[PlannedDifference, ...] = ()
    sd_low: float = math.nan
    sd_high: float = math.nan
    visible_low: float = math.nan
    visible_high: float = math.nan
    claims: tuple[PlannedClaim, ...] = ()
    inflation: float = 1.0
    freedom: float = math.nan

    def of(self, difference: float) -> PlannedDifference | None:
        """Return the row of a true difference, such as the margin; None if there is no such row."""
        return next((row for row in self.differences if row.difference == difference), None)

    def claim(self, name: str) -> PlannedClaim | None:
        """Return the plan for a claim; None if there is none."""
        return next((claim for claim in self.claims if claim.claim == name), None)


class ClusterSizes(NamedTuple):
    """The sizes of the present clusters, and their share of the squared error."""

    # If queries are `weighted`, a size is the share of the weight of a cluster or single query.
    # `lasting_share` is the share of the squared error that remains if the same clusters get more
    # queries.

    sizes: IntArray | FloatArray
    lasting_share: float
    weighted: bool = False

    @property
    def few(self) -> bool:
        """Whether there are too few clusters, or effective queries, to plan with."""
        alone = self.weighted and math.isnan(self.lasting_share)
        return effective_clusters(self.sizes) < (2.0 if alone else FEWEST_EFFECTIVE["t"])

    def freedom(self, n_queries: float) -> float:
        """Return the degrees of freedom of t for ``n_queries`` in clusters like these."""
        # With weights they are Kish's. With fewer queries than now, equal cluster sizes are
        # assumed.
        times = n_queries / float(self.sizes.sum())
        if self.weighted:
            return effective_clusters(self.sizes) * times - 1.0
        if times >= 1.0:
            return freedom_of_clusters(self.sizes, times=times)
        return (freedom_of_clusters(self.sizes) + 1.0) * times - 1.0

    def queries_of_same(
        self, error: float, difference: float, rule: Rule, target: float
    ) -> int | None:
        """Return how many queries of the same clusters detect a difference; None if none do."""
        freedom = self.freedom(float(self.sizes.sum()))
        if not math.isfinite(self.lasting_share) or not freedom > 0.0:
            return None
        centre = student.smallest_effect(
            lambda item: float(student.chance_to_show(item, freedom, alpha=rule.alpha)), target
        )
        allowed = (difference / error / centre) ** 2  # largest tolerable share of squared error
        if allowed <= self.lasting_share:
            return None
        shrinking = (1.0 - self.lasting_share) * float(self.sizes.sum())
        needed = max(2, math.ceil(shrinking / (allowed - self.lasting_share)))
        return needed if needed <= MOST_QUERIES else None


def plan_from_spread(
    sd: float,
    n: int,
    rule: Rule,
    margin: float,
    *,
    inflation: float = 1.0,
    clustered: ClusterSizes | None = None,
) -> Planning:
    """Plan the next paired t test from the standard deviation of ``n`` differences."""
    # `inflation` multiplies the standard error of as many independent queries. With several looks
    # the plan is for all queries and the overall alpha.
    sd *= inflation
    if rule.design is not None and rule.design.shared:
        rule = replace(rule, alpha=rule.design.alpha)
    by: student.Freedom = of_groups if rule.independent else of_queries
    if clustered is not None:
        by = clustered.freedom
    few = clustered is not None and clustered.few
    visible = math.nan if few else student.smallest_visible(sd, n, alpha=rule.alpha, df=by)
    if not visible > NOTHING:
        return Planning(sd=sd, smallest_visible=visible)
    low, high = student.spread_interval(sd, n, confidence=rule.confidence, freedom=by(n))
    spreads = (sd, low, high)

    def needed(difference: float, alpha: float) -> list[int | None]:
        return [
            student.queries_needed(spread, difference, alpha=alpha, df=by) for spread in spreads
        ]

    def planned(difference: float) -> PlannedDifference:
        queries, fewest, maximum = needed(difference, rule.alpha)
        chance = student.power(n, effect=difference / sd, alpha=rule.alpha, df=by)
        same = clustered and clustered.queries_of_same(sd / n**0.5, difference, rule, POWER)
        return PlannedDifference(difference, queries, chance, fewest, maximum, same)

    claims: tuple[PlannedClaim, ...] = ()
    if margin:  # the true difference is assumed to be 0
        same = [
            student.queries_to_show_same(spread, margin, alpha=rule.alpha, df=by)
            for spread in spreads
        ]
        # One-sided at alpha equals two-sided at 2 alpha, because the far tail has no weight.
        one_sided = needed(margin, 2.0 * rule.alpha)
        claims = PlannedClaim("same", *same), PlannedClaim("not-worse", *one_sided)
    return Planning(
        sd=sd,
        smallest_visible=visible,
        differences=tuple(map(planned, planned_differences(sd, margin))),
        sd_low=low,
        sd_high=high,
        visible_low=visible * low / sd,
        visible_high=visible * high / sd,
        claims=claims,
        inflation=inflation,
        freedom=by(n),
    )


def planned_differences(sd: float, margin: float) -> list[float]:
    """Return three round differences that suit a standard deviation, including the margin."""
    # They depend only on its power of ten, so similar comparisons plan for the same differences:
    # .01, .02 and .05 for a standard deviation from .05 to .5.
    decade = math.floor(math.log10(2.0 * sd)) - 1
    rounded = {float(f"{factor}e{decade}") for factor in (1, 2, 5)}
    return sorted(rounded | ({margin} if margin else set()))
