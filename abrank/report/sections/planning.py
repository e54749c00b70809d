"""Sentences on the declared margin and the number of queries."""

from __future__ import annotations

import math
from collections.abc import Iterable

from abrank._support import display as f
from abrank.comparison import Comparison, PlannedClaim, PlannedDifference
from abrank.comparison.plans import NOTHING
from abrank.comparison.units import (
    MarginRange,
    deciding_interval,
    deciding_level,
    difference_in_unit,
    margin_ranges,
    percent_digits,
    verdict_with,
)
from abrank.diagnostics import bounds
from abrank.estimate import Interval
from abrank.report.model import Cell, Column, Table
from abrank.report.sections import words
from abrank.verdict import Verdict


def margin(comparison: Comparison) -> str:
    """Format the margin in the measure's unit, or as a percentage."""
    # It may have more decimals than scores.
    rule = comparison.rule
    if rule.margin_is_relative:
        return f.declared_percent(rule.margin)
    return _chosen(comparison, rule.margin)


def _chosen(comparison: Comparison, value: float) -> str:
    """Format a chosen difference; next to a margin it has the decimals of scores."""
    if not comparison.rule.margin:
        return f.number(value)
    return f.declared(value, digits=comparison.decimals)


def margin_of_what(comparison: Comparison) -> str:
    """Format the margin; a relative one with its reference."""
    text = margin(comparison)
    return f"{text} of A's mean" if comparison.rule.margin_is_relative else text


def limits(comparison: Comparison, low: float, high: float) -> str:
    """Format the limits of an interval in the unit of the margin."""
    # A limit gets more decimals if needed to show on which side of the margin it lies.
    if math.isnan(low) or math.isnan(high):
        return f.UNDEFINED
    if math.isinf(low) and math.isinf(high):
        return f.no_interval(comparison.n_queries)
    rule, percent = comparison.rule, comparison.rule.margin_is_relative
    digits = percent_digits(comparison) if percent else comparison.decimals
    return limits_beside((low, high), rule.margin, percent=percent, digits=digits)


_MOST_DECIMALS = 6


def limits_beside(
    ends: Iterable[float], margin: float, *, percent: bool = False, digits: int
) -> str:
    """Format limits with enough decimals to show on which side of a margin they lie."""
    texts = []
    for end in ends:
        decimals, times = digits, 100.0 if percent else 1.0
        while (
            0.0 < margin != abs(end)
            and decimals < _MOST_DECIMALS
            and f.score(times * abs(end), digits=decimals)
            == f.score(times * margin, digits=decimals)
        ):
            decimals += 1
        write = f.percent if percent and math.isfinite(end) else f.signed
        texts.append(write(end, digits=decimals))
    return " to ".join(texts)


def deciding_limits(comparison: Comparison, kind: str = "interval") -> str:
    """Return the interval that decides verdict and gate, with its level and kind."""
    level = f"{f.level(deciding_level(comparison))} {kind}"
    return labelled(comparison, level, deciding_interval(comparison))


def labelled(comparison: Comparison, label: str, ends: Interval) -> str:
    """Return limits with a label; without it if the interval is unbounded."""
    text = limits(comparison, *ends)
    is_open = math.isinf(ends.low) and math.isinf(ends.high)
    return text if is_open else f"{label} {text}"


def estimate(comparison: Comparison) -> str:
    """Return the estimate of the interval, in the unit of the margin."""
    digits = comparison.decimals
    change = comparison.decision.relative
    if change is None:
        return f.signed(comparison.primary.estimate, digits=digits)
    return difference_in_unit(comparison, change.estimate, digits=digits)


def declared(comparison: Comparison) -> str:
    """Return the margin of the rule, and the interval that was compared with it."""
    rule = comparison.rule
    if not rule.margin:
        return "no margin"
    text = f"margin {margin_of_what(comparison)}"
    whose = "Fieller's" if rule.margin_is_relative else "the"
    if comparison.decision.by_equivalence:
        level = f.level(rule.confidence_equivalence)
        return f"{text}, judged by {whose} {level} interval (two one-sided tests)"
    return f"{text}, judged by {whose} interval" if rule.margin_is_relative else text


def other_margins(comparison: Comparison) -> str:
    """Say for which margins the verdict is the same, and what it is for others."""
    if comparison.verdict in (Verdict.IDENTICAL, Verdict.CANNOT_TEST):
        return ""
    ranges = margin_ranges(comparison)
    margin_ = comparison.rule.margin
    containing = next((item for item in ranges if margin_ <= item.high), None)
    if containing is None or (margin_ and containing.verdict is not comparison.verdict):
        return ""  # the declared margin equals a limit
    where = _between(comparison, containing)
    if not where:
        return "The verdict is the same for every margin." if len(ranges) == 1 else ""
    verb = "stays" if containing.verdict is comparison.verdict else "is"
    stays = f"the verdict {verb} {words.tag(containing.verdict)[1]}"
    if where.startswith("at "):
        first = f"Only {where} {stays.replace('stays', 'is')}."
    elif where.startswith("up to "):
        first = f"{words.capital(where.replace('up to ', 'up to a margin of '))} {stays}."
    else:
        first = f"For a margin {where} {stays}."
    texts = [
        f"{words.tag(range_.verdict)[1]} {place}"
        for range_ in ranges
        if range_ is not containing and (place := _between(comparison, range_))
    ]
    return f"{first} It is {f.listed(texts)}." if texts else first


def _between(comparison: Comparison, range_: MarginRange) -> str:
    """Return the first and the last round margin in a range; empty if there is none."""
    digits = comparison.decimals
    relative = comparison.rule.margin_is_relative
    digits = percent_digits(comparison) if relative else digits
    step = 10.0 ** -(digits + 2 * relative)
    first, last = math.ceil(range_.low / step), math.inf
    if relative and first * step >= 1.0:
        return ""  # a margin of 100 % makes no sense
    if math.isfinite(range_.high):
        last = math.floor(range_.high / step)
        # A round limit belongs to one of the two ranges.
        last -= verdict_with(comparison, last * step) is not range_.verdict
    if range_.low:
        first += verdict_with(comparison, first * step) is not range_.verdict
    if last < max(first, 1):
        return ""
    minimum, maximum = (
        f.percent(item * step, sign=False, digits=digits)
        if relative
        else f.score(item * step, digits=digits)
        for item in (first, last)
    )
    if not range_.low:
        return f"up to {maximum}" if math.isfinite(last) else ""
    if first == last:
        return f"at {minimum}"
    return f"from {minimum} to {maximum}" if math.isfinite(last) else f"from {minimum} on"


_TOO_MANY = "more than 100 million"
_OPEN = (Verdict.NOT_WORSE, Verdict.NOT_BETTER, Verdict.INCONCLUSIVE)


def what_they_see(comparison: Comparison) -> str:
    """Say which true difference these queries can detect."""
    n, power = words.queries_of(comparison), f.level(comparison.planning.power)
    if smallest := smallest_visible(comparison):
        return (
            f"With {n}, a true Δ of {smallest} in {comparison.rule.primary} is detected {power}"
            " of the time."
        )
    text = (
        f"{n} cannot detect any difference in {comparison.rule.primary} {power} of the time by this"
    )
    return f"{text} test: it would have to be larger than the measure's range."


def smallest_visible(comparison: Comparison) -> str:
    """Return the smallest detectable difference; empty if the measure cannot differ as much."""
    if not comparison.decision.interval.is_finite:
        return ""  # a confidence sequence that has not begun
    smallest = comparison.planning.smallest_visible
    low, high = bounds(comparison.rule.primary)
    change = comparison.decision.relative
    if change is not None and NOTHING < smallest <= high - low:
        return f"{f.percent(smallest / change.baseline, sign=False)} of A's mean"
    return f.least(smallest, digits=comparison.decimals) if NOTHING < smallest <= high - low else ""


def needed_table(comparison: Comparison) -> Table:
    """Return one row per true difference: queries needed, and power of the present ones."""

    def difference(row: PlannedDifference) -> Cell:
        lead = row.difference == comparison.decision.margin
        return Cell(_difference(comparison, row), row.difference, strong=lead)

    def number(n: int | None, lacking: str) -> Cell:
        return Cell(lacking if n is None else f.count(n), n)

    ranges = (Column("Range"), lambda x: Cell(_range(x), x.queries_low))
    same = (Column("In these clusters"), lambda x: number(x.queries_same_clusters, "no number"))
    return Table.by_row(
        "planning",
        comparison.planning.differences,
        (Column("True Δ"), difference),
        (
            Column(
                f"{words.capital(words.unit(comparison)[1])},"
                f" {f.level(comparison.planning.power)} power"
            ),
            lambda x: number(x.queries_needed, _TOO_MANY),
        ),
        *[ranges] * _has_ranges(comparison),
        *[same] * (comparison.clusters is not None),
        (Column(f"Power, n = {f.count(comparison.n_queries)}"), lambda x: Cell.share(x.power)),
    )


def queries_planned(comparison: Comparison) -> str:
    """Say how many queries the next test needs, if a question is open; else empty."""
    planned, power = comparison.planning, f.level(comparison.planning.power)
    margin = planned.of(comparison.decision.margin) if comparison.rule.margin else None
    rows = [margin] if margin is not None else [*planned.differences]
    if comparison.verdict not in _OPEN or not rows:
        return ""
    n, units = comparison.n_queries, words.unit(comparison)[1]
    parts = [
        f"{about(row)} for {_difference(comparison, row)}"
        for row in reversed(rows)
        if (row.queries_needed or math.inf) > n
    ]
    if not parts:
        return (
            f"These {words.queries_of(comparison)} detect a true Δ of"
            f" {_difference(comparison, rows[0])} at least {power} of the time; more {units} narrow"
            " the interval."
        )
    new = ", in new clusters," if comparison.clusters is not None else ""
    text = f"{words.capital(units)} needed{new} to detect a true Δ {power} of the time:"
    text += f" {', '.join(parts)}."
    level = _level(comparison)
    return (
        f"{text} In brackets: the {level} range, as the variance is only estimated."
        if _has_ranges(comparison)
        else text
    )


def _difference(comparison: Comparison, row: PlannedDifference) -> str:
    if row.difference != comparison.decision.margin:
        return _chosen(comparison, row.difference)
    if not comparison.rule.margin_is_relative:
        return f"{margin(comparison)} (margin)"
    return f"{f.least(row.difference, digits=4)} (margin, {margin_of_what(comparison)})"


def needed_for(claim: PlannedClaim | None, comparison: Comparison) -> str:
    """Return the queries needed to show a claim about the margin; empty if these are enough."""
    # The claim is that a loss, or a difference, of the margin is excluded.
    n = comparison.n_queries
    if claim is None or (claim.queries_needed or n + 1) <= n:
        return ""
    return f"{about(claim, comparison)} would exclude it if the true Δ is 0"


def claims(comparison: Comparison) -> str:
    """Say how many queries would show each claim about the margin."""
    least = margin_of_what(comparison)
    named = {"same": f"the same within ±{least}", "not-worse": f"not worse by {least} or more"}
    parts = [
        f"{named[claim.claim]} with {about(claim, comparison)}"
        for claim in comparison.planning.claims
    ]
    if not parts:
        return ""
    return f"If the true Δ is 0, B would be found {'; and '.join(parts)}."


def assumption(comparison: Comparison) -> str:
    """Say what the numbers of queries assume."""
    planned = comparison.planning
    if comparison.with_machine:
        return (
            "For the prediction-powered t test, from the width of its interval here. Queries are"
            " those that people judge, if the machine judges as many more to each as here."
        )
    deviation = f.score(planned.sd, digits=comparison.decimals)
    kept = f"the differences keep the standard deviation of these queries, {deviation}"
    if planned.inflation != 1.0:
        times = f.score(planned.inflation, digits=2)
        kept += f" ({times} times that of single queries, for the design)"
    if comparison.rule.independent:
        kept = "both groups keep their standard deviations and their shares of the units"
    test = "paired t test"
    if comparison.clusters is not None:
        freedom = f.score(planned.freedom, digits=1)
        test = f"cluster-robust t test, with {freedom} degrees of freedom here, and new clusters"
    elif comparison.rule.independent:
        test = "Welch t test"
    text = f"For a two-sided {test}, if {kept}. The difference that was observed plays no part."
    if _has_ranges(comparison):
        text += f" The ranges are by the {_level(comparison)} chi-square interval of the deviation."
    return text


def _has_ranges(comparison: Comparison) -> bool:
    return comparison.planning.sd_low > 0.0


def _level(comparison: Comparison) -> str:
    """Return the level of the ranges; with several looks it is that of all looks."""
    rule = comparison.rule
    looks = rule.design is not None and rule.design.shared
    return f.level(1.0 - rule.design.alpha if looks and rule.design else rule.confidence)


def about(row: PlannedDifference | PlannedClaim, named: Comparison | None = None) -> str:
    """Format a number of queries with its range, and with the word for queries if named."""
    needed = _TOO_MANY if row.queries_needed is None else f"about {f.about(row.queries_needed)}"
    noun = "" if named is None else f" {words.unit(named)[1]}"
    range_ = _range(row)
    return f"{needed}{noun}" + (f" ({range_})" if range_ else "")


def _range(row: PlannedDifference | PlannedClaim) -> str:
    if row.queries_low is None:
        return ""
    high = _TOO_MANY if row.queries_high is None else f.about(row.queries_high)
    return f"{f.about(row.queries_low)} to {high}"
