"""The scorecard of a comparison: a row a measure, and its interval drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from abrank._support import display as f
from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.margins import difference_in_unit, is_relative, rows_in_unit, shares_scale
from abrank.estimate import Interval
from abrank.report.cells import one_line
from abrank.report.model import GUARD, Bar, Cell, Column, Scale, Scorecard, Tone
from abrank.report.sections import headline, margins, words
from abrank.rule import GuardResult

# Of a measure whose direction is not that of the primary one.
_OTHER_WAY = {
    True: "lower is better, so left of 0 B is better",
    False: "higher is better, so right of 0 B is better",
}


def scorecard(comparison: Comparison) -> Scorecard:
    """Return a row a measure, the primary one first, with its interval drawn, wins and reading."""
    rows = primary_first(comparison, rows_in_unit(comparison))
    level = f"{f.level(comparison.rule.confidence)} interval{', adjusted' * _adjusts(comparison)}"
    guards = {each.measure: each for each in comparison.decision.guards}
    win = words.wins(comparison)
    columns = (
        Column("measure", numeric=False, role="name"),
        Column("A", role="mean"),
        Column("B", role="mean"),
        Column(delta_title(comparison), role="change"),
        Column("", numeric=False, role="drawn"),
        Column(level, role="interval"),
        Column("adj p" if _adjusts(comparison) else "p", role="p"),
        Column(f"A {win} · ties · B {win}", role="wins"),
        Column("reading", numeric=False, role="reading"),
    )
    cells = []
    for row in rows:
        *others, reading = _row(comparison, row)
        if row.measure in guards:
            sign = "✓" if guards[row.measure].passed else "✗"
            reading = replace(reading, text=f"{reading.text} {sign} guard")
        cells.append((*others, reading))
    return Scorecard(
        "measures",
        columns,
        tuple(cells),
        noun="measure",
        bars=tuple(
            _bar(comparison, row)._replace(limit=_limit(comparison, guards.get(row.measure)))
            if shares_scale(comparison, row.measure) and math.isfinite(row.pvalue)
            else None
            for row in rows
        ),
        scale=scale(comparison, margin=comparison.rule.margin, percent=is_relative(comparison)),
        narrow=frozenset({"interval"}),
        legend=tuple(_legend(comparison)),
    )


def scale(
    comparison: Comparison, *, margin: float = 0.0, percent: bool = False, of: str = ""
) -> Scale:
    """Return the axis of differences, with whose side is left and right of 0."""
    better = comparison.better_direction()
    ahead = "higher" if better is None else "better"
    sides, tones = (f"A {ahead}", f"B {ahead}"), _SIDES
    if better is False:
        sides, tones = sides[::-1], tones[::-1]
    tones = ("plain", "plain") if better is None else tones
    return Scale(*sides, tones=tones, margin=margin, percent=percent, of=of or _of(comparison))


_SIDES: tuple[Tone, Tone] = ("a", "b")


def primary_first(
    comparison: Comparison, rows: Sequence[MeasureResult] | None = None
) -> list[MeasureResult]:
    """Return the rows of the measures, the primary one first, the others as they were asked for."""
    primary = comparison.rule.primary
    return sorted(rows or comparison.rows, key=lambda row: row.measure != primary)


def delta_title(comparison: Comparison) -> str:
    """Return the heading of the differences that have intervals."""
    return "Δ%" if is_relative(comparison) else "Δ"


def _adjusts(comparison: Comparison) -> bool:
    return comparison.rule.adjust != "none" and len(comparison.rows) > 1


def _row(comparison: Comparison, row: MeasureResult) -> tuple[Cell, ...]:
    digits = comparison.decimals
    lead = row.measure == comparison.rule.primary
    tone = words.reading_tone(row.reading)
    low, high = deciding(comparison, row)
    limits = f.interval(low, high, digits=digits)
    if lead or is_relative(comparison):
        limits = margins.limits(comparison, low, high)
    if lead and comparison.decision.by_margin:
        limits += f" ({f.level(comparison.rule.confidence_equivalence)})"
    change = row.estimate if comparison.with_machine else row.diff
    counts = (row.losses, row.ties, row.wins)
    star = " ★" if lead and len(comparison.rows) > 1 else ""
    return (
        Cell(f"{one_line(row.measure, width=120)}{star}", row.measure, strong=lead),
        Cell(f.score(row.mean_a, digits=digits), row.mean_a),
        Cell(f.score(row.mean_b, digits=digits), row.mean_b),
        Cell(difference_in_unit(comparison, change, digits=digits), change, tone, strong=lead),
        Cell(""),
        Cell(limits, low),
        Cell(f.pvalue(row.pvalue_adj, alpha=comparison.rule.alpha), row.pvalue_adj),
        # A count of wins says who is better, which nobody said of this measure.
        Cell("–")
        if comparison.rule.direction_declared and row.measure in comparison.asked
        else Cell(" · ".join(map(f.count, counts)), row.wins, parts=counts),
        Cell(words.reading(comparison, row), row.reading, tone, strong=lead),
    )


def deciding(comparison: Comparison, row: MeasureResult) -> Interval:
    """Return the interval that a row's reading rests on, in the unit that is drawn."""
    lead = row.measure == comparison.rule.primary
    return comparison.decision.deciding if lead else row.adjusted


def _bar(comparison: Comparison, row: MeasureResult) -> Bar:
    """Return what is drawn: of the primary measure the interval that decides, else both."""
    tone = words.reading_tone(row.reading)
    if row.measure == comparison.rule.primary:
        thick = deciding(comparison, row)
        thin = row.interval if comparison.decision.by_margin else thick
        return Bar(row.estimate, *thick, *thin, tone)
    limits = (*row.interval, *row.adjusted)
    return Bar(row.estimate, *limits, tone)


def _limit(comparison: Comparison, guard: GuardResult | None) -> float:
    """Return the loss that a guard must exclude, where its unit is the one that is drawn."""
    if guard is None or guard.margin_is_relative != is_relative(comparison):
        return math.nan
    return -guard.margin if guard.higher_is_better else guard.margin


def _of(comparison: Comparison) -> str:
    """Return what is drawn."""
    if is_relative(comparison):
        return "Change in per cent of A's mean"
    if words.estimand(comparison) == words.MEAN:
        return "Δ (B − A)"
    return f"{words.capital(words.estimand(comparison))}, B − A"


def _legend(comparison: Comparison) -> list[str]:
    """Return what explains the table: the mark, the bars, the adjustment, what is not drawn."""
    found, rule = [], comparison.rule
    if len(comparison.rows) > 1:
        how = headline.adjustment(comparison)
        if rule.family == "secondary":
            how = f"tested alone; others {how.removeprefix('secondary measures ')}"
        found.append(f"★ primary, {how}")
    found += _bars(comparison)
    if any(math.isfinite(_limit(comparison, each)) for each in comparison.decision.guards):
        found.append(f"{GUARD} the loss that a guard must exclude")
    if comparison.with_machine:
        judged = f"A and B: the {words.queries_of(comparison)} judged by people"
        found.append(f"{judged}; Δ, bars and p: all queries, with the machine")
    elif words.estimand(comparison) != words.MEAN:
        found.append(f"interval, bars and p: {words.estimand(comparison)} (B − A), not Δ")
    turned = [row.measure for row in comparison.rows if _turned(comparison, row)]
    if turned:
        found.append(f"{', '.join(turned)}: {_OTHER_WAY[rule.higher_is_better]}")
    drawn = [row for row in comparison.rows if shares_scale(comparison, row.measure)]
    if len(drawn) < len(comparison.rows):
        left = len(comparison.rows) - len(drawn)
        found.append(f"{f.plural(left, 'measure')} on another scale, not drawn")
    return found


def _bars(comparison: Comparison) -> list[str]:
    """Say which interval is thick and which is thin, where that is not one and the same."""
    if comparison.soundness.level == "unsound" or comparison.n_queries < 2:
        return []
    level = f.level(comparison.rule.confidence)
    several = _adjusts(comparison)
    if comparison.decision.by_margin:
        narrow = f.level(comparison.rule.confidence_equivalence)
        which = "★" if len(comparison.rows) > 1 else "it"
        said = f"thick: {narrow} interval, which decides about the margin"
        said += f" ({which}; others {level})" if several else ""
        return [f"{said}; thin: {level}, whether Δ is 0{', adjusted' if several else ''}"]
    return [f"thick: {level} interval; thin: adjusted, which decides the reading"] * several


def _turned(comparison: Comparison, row: MeasureResult) -> bool:
    """Whether a drawn measure points the other way than the heading over the plot."""
    turned = row.higher_is_better != comparison.rule.higher_is_better
    return turned and shares_scale(comparison, row.measure)
