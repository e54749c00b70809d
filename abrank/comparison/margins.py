"""The unit in which differences are shown, and for which margins a comparison has which verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from abrank._support import display
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank.comparison.declared import known_range
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult
from abrank.estimate import Interval
from abrank.inference.equivalence import change_interval
from abrank.measures import parse
from abrank.verdict import Verdict, decide

# Ranges as wide as each other, but for less than this factor: that of alpha_nDCG, whose ideal list
# is only near the best, is 1.58.
ALIKE = 2.0


def is_relative(comparison: Comparison) -> bool:
    """Whether differences are shown in per cent of A's mean, as the margin was declared."""
    return comparison.decision.relative is not None


def rows_in_unit(comparison: Comparison) -> tuple[MeasureResult, ...]:
    """Return the rows with differences and intervals in the unit in which they are shown.

    With a margin in per cent of A's mean those are shares of each measure's own mean of A, their
    intervals Fieller's; a secondary measure of merged statistics has none.
    """
    if comparison.decision.relative is None:
        return comparison.rows
    return tuple(_as_share(comparison, row) for row in comparison.rows)


def _as_share(comparison: Comparison, row: MeasureResult) -> MeasureResult:
    change = comparison.decision.relative
    limits: tuple[float, ...] = (math.nan,) * 4
    if change is not None and row.measure == comparison.rule.primary:
        limits = comparison.decision.interval * 2
    elif comparison.merged is None:
        place = comparison.measures.index(row.measure)
        a, b = comparison.a[:, place], comparison.b[:, place]
        halves = (row.ci_high - row.diff, row.ci_high_adj - row.diff)
        own, adjusted = (change_interval(a, b, half)[1:] for half in halves)
        limits = (*own, *adjusted)
    low, high, low_adj, high_adj = limits
    return replace(
        row, diff=row.rel_diff, estimate=row.rel_diff, ci_low=low, ci_high=high,
        ci_low_adj=low_adj, ci_high_adj=high_adj,
    )  # fmt: skip


def difference_in_unit(comparison: Comparison, value: float, *, digits: int) -> str:
    """Return a difference as it is shown: in the measure's unit, or in per cent of A's mean.

    Percentages have decimals enough for the interval that decides.
    """
    if not is_relative(comparison) or not math.isfinite(value):
        return display.signed(value, digits=digits)
    return display.percent(value, digits=percent_digits(comparison))


def percent_digits(comparison: Comparison) -> int:
    """Return the decimals of percentages with which the interval that decides can be read."""
    low, high = comparison.decision.interval
    return display.decimals([(100.0 * low, 100.0 * high)], least=1)


def shares_scale(comparison: Comparison, measure: str) -> bool:
    """Whether a measure's differences can be read on the axis of the primary one's."""
    if is_relative(comparison):
        return True
    primary, own = (_range(comparison, name) for name in (comparison.rule.primary, measure))
    if primary == own:
        return True
    narrow, wide = sorted((primary[1] - primary[0], own[1] - own[0]))
    return math.isfinite(wide) and wide < ALIKE * narrow


def _range(comparison: Comparison, measure: str) -> tuple[float, float]:
    """Return the range of a measure, from 0 to 1 where a user's own scores lie there."""
    try:
        low, high = parse(measure).entry.bounds
    except ArgumentError:
        column = comparison.measures.index(measure)
        scores = np.concatenate([comparison.a[:, column], comparison.b[:, column]])
        low, high = scores.min(initial=0.0), scores.max(initial=1.0)
    return float(low), float(high)


# What the sign test estimates is no difference of scores, which a margin is.
_COUNTING = ("sign",)


@record
class MarginRange:
    """The verdict for every margin above ``low`` and below ``high``, in the unit of the margin."""

    verdict: Verdict
    low: float
    high: float


def margin_ranges(comparison: Comparison) -> tuple[MarginRange, ...]:
    """Return the verdicts that margins would give, from 0 upwards: where each begins and ends.

    Closed form: the verdict changes only where the margin passes a limit of the two intervals that
    decide. A margin that no difference of the measure can reach is left out.
    """
    rule, decision = comparison.rule, comparison.decision
    none = (Verdict.IDENTICAL, Verdict.CANNOT_TEST)
    if decision.verdict in none or rule.test in _COUNTING:
        return ()
    low, high = rule.gain(*decision.interval)
    inner_low, inner_high = rule.gain(*decision.equivalence_interval)
    last = 1.0  # of A's mean
    if not rule.margin_is_relative:
        row = comparison.primary
        least, largest = sorted((row.mean_a, row.mean_b))
        last = Interval(*known_range(row.measure, least=least, largest=largest)).width
    edges = sorted({each for each in (low, -high, -inner_low, inner_high) if 0.0 < each < last})
    found: list[MarginRange] = []
    for start, end in pairwise([0.0, *edges, last]):
        between = 0.5 * (start + end) if math.isfinite(end) else 2.0 * start or 1.0
        verdict = verdict_with(comparison, between)
        if found and found[-1].verdict is verdict:
            start = found.pop().low
        found.append(MarginRange(verdict, start, end if end < last else math.inf))
    return tuple(found)


def verdict_with(comparison: Comparison, margin: float) -> Verdict:
    """Return the verdict by the same intervals under another margin."""
    decision = comparison.decision
    return decide(
        replace(comparison.rule, margin=margin, require=None),
        estimate=decision.estimate,
        interval=(decision.ci_low, decision.ci_high),
        equivalence_interval=(decision.tost_low, decision.tost_high),
        relative=decision.relative,
    ).verdict
