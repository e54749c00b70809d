"""What so many queries can see, and how many the next test needs."""

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

# A smaller "smallest visible difference" is the rounding of differences that are all the same.
NOTHING = 1e-9
POWER = 0.8


@record
class PlannedDifference:
    """One true difference: the queries that show it, and the chance that these ones do.

    ``queries_low`` and ``queries_high`` are the queries needed at the two ends of the interval of
    the standard deviation. Each is None where no finite number is practical. Where queries come in
    clusters these are queries in new clusters like the ones at hand, and
    ``queries_same_clusters`` would take as many of the same clusters; None where no number would.
    """

    difference: float
    queries_needed: int | None
    power: float
    queries_low: int | None = None
    queries_high: int | None = None
    queries_same_clusters: int | None = None


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
    ``freedom`` are the degrees of freedom of the t that the plan is for; NaN in files of earlier
    versions.
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
        """Return the row of a true difference, such as the margin; None where it has none."""
        return next((row for row in self.differences if row.difference == difference), None)

    def claim(self, name: str) -> PlannedClaim | None:
        """Return what was planned for a claim; None where nothing was."""
        return next((claim for claim in self.claims if claim.claim == name), None)


class ClusterSizes(NamedTuple):
    """The sizes of the clusters at hand, and the share of the squared error that is theirs."""

    # Of queries that count by weights, which are `weighted`, a size is the part of the cluster, or
    # of the query where each is its own. `lasting_share` is what more queries of the same clusters
    # would leave of it.

    sizes: IntArray | FloatArray
    lasting_share: float
    weighted: bool = False

    @property
    def few(self) -> bool:
        """Whether these are too few to plan with: clusters to test, or two queries in effect."""
        alone = self.weighted and math.isnan(self.lasting_share)
        return effective_clusters(self.sizes) < (2.0 if alone else FEWEST_EFFECTIVE["t"])

    def freedom(self, n_queries: float) -> float:
        """Return the degrees of freedom of the t of so many queries in clusters like these."""
        # Of weights they are Kish's; of fewer queries than these, by the rule of clusters of one
        # size.
        times = n_queries / float(self.sizes.sum())
        if self.weighted:
            return effective_clusters(self.sizes) * times - 1.0
        if times >= 1.0:
            return freedom_of_clusters(self.sizes, times=times)
        return (freedom_of_clusters(self.sizes) + 1.0) * times - 1.0

    def queries_of_same(
        self, error: float, difference: float, rule: Rule, target: float
    ) -> int | None:
        """Return the queries of the same clusters that show a difference; None where none do."""
        freedom = self.freedom(float(self.sizes.sum()))
        if not math.isfinite(self.lasting_share) or not freedom > 0.0:
            return None
        centre = student.smallest_effect(
            lambda item: float(student.chance_to_show(item, freedom, alpha=rule.alpha)), target
        )
        allowed = (difference / error / centre) ** 2  # share of the squared error that may be left
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
    """Plan the next test from the standard deviation of ``n`` differences, by the paired t test."""
    # `inflation` is of the standard error, over that of a t test of as many independent queries. Of
    # looks the plan is for all queries and all of alpha.
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
    if margin:  # at a true difference of 0
        same = [
            student.queries_to_show_same(spread, margin, alpha=rule.alpha, df=by)
            for spread in spreads
        ]
        # One one-sided test at alpha is a two-sided one at twice alpha: its far tail never counts.
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
    """Return three round differences that suit a spread, with the margin among them."""
    # They depend on the power of ten of the spread alone, so that comparisons of one kind plan for
    # the same differences: .01, .02 and .05 for a standard deviation from .05 to .5.
    decade = math.floor(math.log10(2.0 * sd)) - 1
    rounded = {float(f"{factor}e{decade}") for factor in (1, 2, 5)}
    return sorted(rounded | ({margin} if margin else set()))
