"""What these queries can see and how many the next test needs: the table and the sentences.

No number here rests on the difference that was observed: a count of queries "if the observed Δ is
the true one" says the p-value again, and jumps with it.
"""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.comparison import Comparison, PlannedClaim, PlannedDifference
from abrank.comparison.power_analysis import NOTHING
from abrank.diagnostics import bounds
from abrank.report.model import Cell, Column, Table
from abrank.report.sections import margins, words
from abrank.verdict import Verdict

_TOO_MANY = "more than 100 million"
_OPEN = (Verdict.NOT_WORSE, Verdict.NOT_BETTER, Verdict.INCONCLUSIVE)


def what_they_see(comparison: Comparison) -> str:
    """Say the smallest true difference that these queries show."""
    n, power = words.queries_of(comparison), f.level(comparison.planning.power)
    if visible := smallest_visible(comparison):
        return f"{n} show a true Δ of {visible} in {comparison.rule.primary} with {power} power."
    said = f"{n} can show no difference in {comparison.rule.primary} with {power} power by this"
    return f"{said} test: it would have to be larger than the measure's range."


def smallest_visible(comparison: Comparison) -> str:
    """Return the smallest true difference that is shown; empty where no measure differs so much.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.9}, {"q1": 0.9, "q2": 0.3, "q3": 0.1}
    >>> smallest_visible(compare_scores({"AP": a}, {"AP": b}))
    ''
    """
    least = comparison.planning.smallest_visible
    low, high = bounds(comparison.rule.primary)
    return f.least(least, digits=comparison.decimals) if NOTHING < least <= high - low else ""


def needed_table(comparison: Comparison) -> Table:
    """Return a row a true difference: the queries that show it, and the power of these ones."""
    rows = []
    ranged = _has_ranges(comparison)
    for row in comparison.planning.differences:
        difference, needed, chance = row.difference, row.queries_needed, row.power
        marked = (
            f"{margins.in_unit(comparison)} (margin)"
            if difference == comparison.decision.margin
            else ""
        )
        cells = [
            Cell(marked or f.number(difference), difference, strong=bool(marked)),
            Cell(_TOO_MANY if needed is None else f.count(needed), needed),
        ]
        if ranged:
            cells.append(Cell(_range(row), row.queries_low))
        if comparison.clusters is not None:
            same = row.queries_same_clusters
            cells.append(Cell("no number" if same is None else f.count(same), same))
        rows.append((*cells, Cell(f.percent(chance, sign=False), chance)))
    columns = (
        Column("True Δ"),
        Column(f"Queries, {f.level(comparison.planning.power)} power"),
        *([Column("Range")] if ranged else []),
        *([Column("In these clusters")] if comparison.clusters is not None else []),
        Column(f"Power, n = {f.count(comparison.n_queries)}"),
    )
    return Table("planning", columns, tuple(rows))


def queries_planned(comparison: Comparison) -> str:
    """Say how many queries the next test needs while a question is open; empty where none is.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> print(queries_planned(compare_scores(a, b, margin=0.05)))
    About 65 queries (23 to 880) would show a true Δ of 0.05, the margin, and about 70 (24 to 950)
    that the two are the same within it, if the true Δ is 0 (80% power). In brackets: the 95%
    range, since 4 queries tell the spread only roughly.
    """
    if comparison.verdict not in _OPEN or not comparison.planning.differences:
        return ""
    say = _about_the_margin if comparison.rule.margin else _about_round_differences
    of = ""
    if comparison.with_machine:
        of = " These are queries judged by people, with as many more by the machine as here."
    elif comparison.clusters is not None:
        of = f" {of_clusters(comparison)}"
    return f"{say(comparison)}{of}"


def of_clusters(comparison: Comparison) -> str:
    """Say that the queries planned are of new clusters, and what more of the same would do."""
    n_clusters = 0 if comparison.clusters is None else comparison.clusters.n_clusters
    rows = comparison.planning.differences
    wanted = comparison.planning.of(comparison.decision.margin) or next(
        (row for row in reversed(rows) if (row.queries_needed or math.inf) > comparison.n_queries),
        rows[-1],
    )
    units = words.unit(comparison)[1]
    said = f"These are {units} in new clusters like the ones at hand"
    if wanted.queries_needed is not None and wanted.queries_needed > comparison.n_queries:
        clusters = math.ceil(wanted.queries_needed * n_clusters / comparison.n_queries)
        said += f" (about {f.about(clusters)} clusters for {f.number(wanted.difference)})"
    same = wanted.queries_same_clusters
    of = f"of the same {f.plural(n_clusters, 'cluster')}"
    if same is None:
        return f"{said}; no number of {units} {of} shows it."
    if same <= comparison.n_queries:
        return f"{said}."
    return f"{said}; {of} it takes about {f.about(same)}."


def needed_for(claim: PlannedClaim | None, n_queries: int) -> str:
    """Return how many queries would show a claim about the margin; nothing where these are enough.

    Examples
    --------
    >>> needed_for(PlannedClaim("same", 71, 25, 960), 4)
    'about 71 queries (25 to 960) would show it if the true Δ is 0'
    >>> needed_for(None, 4)
    ''
    """
    if claim is None or (claim.queries_needed or n_queries + 1) <= n_queries:
        return ""
    return f"{about(claim)} would show it if the true Δ is 0"


def _about_the_margin(comparison: Comparison) -> str:
    margin, power = margins.in_unit(comparison), f.level(comparison.planning.power)
    row = comparison.planning.of(comparison.decision.margin)
    if row is None:
        return ""
    if row.queries_needed is None:
        return f"No practical number of queries would show a true Δ of {margin}, the margin."
    if row.queries_needed <= comparison.n_queries:
        return _enough(comparison, f"{margin}, the margin,")
    units = words.unit(comparison)[1]
    said = f"{about(row, noun=f' {units}')} would show a true Δ of {margin}, the margin"
    same = comparison.planning.claim("same")
    if same is not None:
        said += f", and {about(same, noun='')} that the two are the same within it, if the true Δ"
        said += " is 0"
    return words.capital(f"{said} ({power} power).{_why(comparison)}")


def _about_round_differences(comparison: Comparison) -> str:
    power = f.level(comparison.planning.power)
    rows = comparison.planning.differences
    open_rows = [
        row for row in rows if row.queries_needed is None
        or row.queries_needed > comparison.n_queries
    ][::-1]  # fmt: skip
    if not open_rows:
        return _enough(comparison, f.number(rows[0].difference))
    first, *others = open_rows
    parts = [
        f"seeing a true Δ of {f.number(first.difference)} takes"
        f" {about(first, noun=f' {words.unit(comparison)[1]}')}"
    ]
    parts += [f"{f.number(row.difference)} {about(row, noun='')}" for row in others]
    return f"With {power} power, {', '.join(parts)}.{_why(comparison)}"


def _enough(comparison: Comparison, difference: str) -> str:
    return (
        f"These {words.queries_of(comparison)} show a true Δ of {difference} with at least"
        f" {f.level(comparison.planning.power)} power; more {words.unit(comparison)[1]} narrow the"
        " interval."
    )


def claims(comparison: Comparison) -> str:
    """Say with how many queries each claim about the margin would be shown."""
    margin = margins.in_unit(comparison)
    named = {"same": f"the same within ±{margin}", "not-worse": f"not worse by {margin} or more"}
    parts = [
        f"{named[each.claim]} with {about(each)}" for each in comparison.planning.claims
    ]  # fmt: skip
    if not parts:
        return ""
    return f"If the true Δ is 0, B would be shown to be {'; and '.join(parts)}."


def assumption(comparison: Comparison) -> str:
    """Say what the numbers of queries rest on."""
    digits = comparison.decimals
    planned = comparison.planning
    if comparison.with_machine:
        return (
            "For the prediction-powered t test, from the width of its interval here. Queries are"
            " those that people judge, if the machine judges as many more to each as here."
        )
    wider = ""
    if planned.inflation != 1.0:
        times = f.score(planned.inflation, digits=2)
        wider = f" ({times} times that of single queries, for the design)"
    test = "For a two-sided paired t test"
    if comparison.clusters is not None:
        freedom = f.score(planned.freedom, digits=1)
        test = f"For the cluster-robust t test with {freedom} degrees of freedom here"
    said = (
        f"{test}, if the differences keep the standard deviation seen here,"
        f" {f.score(planned.sd, digits=digits)}{wider}. The difference that was observed plays no"
        " part."
    )
    if not _has_ranges(comparison):
        return said
    low, high = (f.score(each, digits=digits) for each in (planned.sd_low, planned.sd_high))
    level = _level(comparison)
    return (
        f"{said} {words.queries_of(comparison)} leave that deviation between {low} and"
        f" {high} ({level} interval by the chi-square law): hence the ranges."
    )


def _has_ranges(comparison: Comparison) -> bool:
    """Whether the spread has an interval; files of older versions hold none."""
    return comparison.planning.sd_low > 0.0


def _level(comparison: Comparison) -> str:
    """Return the level of the ranges; a plan for all looks is made at the level of all of them."""
    rule = comparison.rule
    looks = rule.design is not None and rule.design.shared
    return f.level(1.0 - rule.design.alpha if looks and rule.design else rule.confidence)


def _why(comparison: Comparison) -> str:
    """Say what the ranges are, where there are any."""
    if not _has_ranges(comparison):
        return ""
    level = _level(comparison)
    few = words.queries_of(comparison)
    if comparison.clusters is not None:
        few = f.plural(comparison.clusters.n_clusters, "cluster")
    return f" In brackets: the {level} range, since {few} tell the spread only roughly."


def about(row: PlannedDifference | PlannedClaim, *, noun: str = " queries") -> str:
    """Return a number of queries with its range."""
    needed = _TOO_MANY if row.queries_needed is None else f"about {f.about(row.queries_needed)}"
    range_ = _range(row)
    return f"{needed}{noun}" + (f" ({range_})" if range_ else "")


def _range(row: PlannedDifference | PlannedClaim) -> str:
    """Return the range of a number of queries, rounded as one that is planned."""
    if row.queries_low is None:
        return ""
    high = _TOO_MANY if row.queries_high is None else f.about(row.queries_high)
    return f"{f.about(row.queries_low)} to {high}"
