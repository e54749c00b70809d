"""For which margins a comparison has which verdict: what a choice of the margin could change."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from abrank._support.records import record
from abrank.comparison.declared import known_range
from abrank.comparison.result import Comparison
from abrank.verdict import Verdict, decide

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
    last = _last(comparison)
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


def _last(comparison: Comparison) -> float:
    """Return the margin that no difference can reach; infinite where the range is not known."""
    if comparison.rule.margin_is_relative:
        return 1.0
    row = comparison.primary
    means = sorted((row.mean_a, row.mean_b))
    low, high = known_range(row.measure, least=means[0], largest=means[1])
    return high - low
