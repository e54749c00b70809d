"""Convert differences and intervals to the displayed unit; verdicts under other margins."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from abrank._support import display
from abrank._support.result import record
from abrank.comparison.groups import Segmentation, SegmentRow
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.diagnostics import bounds
from abrank.estimate import Interval
from abrank.inference.equivalence import change_interval
from abrank.measures.names import known
from abrank.verdict import Verdict, decide

Row = TypeVar("Row", MeasureResult, SegmentRow)


def known_range(measure: str, *, minimum: float, largest: float) -> tuple[float, float]:
    """Return the range of a measure, infinite if unknown."""
    # Scores outside the measure's range use another scale, such as per cent.
    low, high = bounds(measure)
    inside = low <= minimum + 1e-9 and largest - 1e-9 <= high
    return (low, high) if inside else (-math.inf, math.inf)


def reachable(measure: str, *, minimum: float, largest: float) -> Interval:
    """Return the smallest and largest possible difference between two means of a measure."""
    width = Interval(*known_range(measure, minimum=minimum, largest=largest)).width
    return Interval(-width, width)


# Two ranges whose widths differ by less than this factor count as equally wide. The range of
# alpha_nDCG is 1.58, because its ideal list is only approximately the best.
ALIKE = 2.0


def is_relative(comparison: Comparison) -> bool:
    """Whether differences are shown in per cent of A's mean, as the margin was declared."""
    return comparison.decision.relative is not None


def within_reach(
    comparison: Comparison, ends: Interval, measure: str = "", *, relative: bool | None = None
) -> Interval:
    """Clip limits to the possible differences of the measure, in the displayed unit."""
    if is_relative(comparison) if relative is None else relative:
        # A relative margin needs scores of 0 or more, except with independent groups.
        return ends if comparison.rule.independent else ends.within(-1.0, math.inf)
    row = comparison[measure or comparison.rule.primary]
    minimum, largest = sorted((row.mean_a, row.mean_b))
    return ends.within(*reachable(row.measure, minimum=minimum, largest=largest))


def decision_intervals(comparison: Comparison) -> tuple[Interval, Interval]:
    """Return the ``1 - alpha`` and the ``1 - 2 alpha`` interval, in the unit of the margin."""
    decision = comparison.decision
    return (
        within_reach(comparison, decision.interval),
        within_reach(comparison, decision.equivalence_interval),
    )


def deciding_interval(comparison: Comparison) -> Interval:
    """Return the interval that decides verdict and gate, in the unit of the margin."""
    return decision_intervals(comparison)[comparison.decision.by_equivalence]


def deciding_level(comparison: Comparison) -> float:
    """Return the level of the interval that decides verdict and gate."""
    rule, by_equivalence = comparison.rule, comparison.decision.by_equivalence
    return rule.confidence_equivalence if by_equivalence else rule.confidence


def rows_in_unit(comparison: Comparison) -> tuple[MeasureResult, ...]:
    """Return the rows with differences and intervals in the displayed unit."""
    # With a relative margin they are shares of each measure's own mean of A, with Fieller
    # intervals. Secondary measures with clusters or weights have no such intervals.
    rows: Iterable[MeasureResult] = comparison.rows
    if is_relative(comparison):
        rows = (_as_share(comparison, row) for row in rows)
    return tuple(row_within_reach(comparison, row) for row in rows)


def row_within_reach(comparison: Comparison, row: Row, *, relative: bool | None = None) -> Row:
    """Clip both intervals of a row to the possible differences of the measure."""
    measure = row.measure if isinstance(row, MeasureResult) else ""
    alone, adjusted = (
        within_reach(comparison, ends, measure, relative=relative)
        for ends in (row.interval, row.adjusted)
    )
    return replace(
        row,
        ci_low=alone.low,
        ci_high=alone.high,
        ci_low_adj=adjusted.low,
        ci_high_adj=adjusted.high,
    )


def tests_in_unit(comparison: Comparison) -> tuple[TestRow, ...]:
    """Return the tests with estimates and intervals in the displayed unit."""
    # In per cent of A's mean, limits of a mean difference are Fieller's, scaled to the width of the
    # test's own interval. Counts of wins keep their unit.
    rows = []
    for row in comparison.test_rows:
        if "difference" not in row.estimand:
            rows.append(row)
            continue
        estimate, ends = row.estimate, row.interval
        change, half = comparison.decision.relative, 0.5 * ends.width
        if change is not None and row.decides:
            estimate, ends = change.estimate, comparison.decision.interval
        elif change is not None and row.estimand == "mean difference" and not math.isnan(half):
            estimate, *limits = _relative_change(comparison, comparison.rule.primary, half)
            ends = Interval(*limits)
        elif change is not None:
            factor = 1.0 / change.baseline
            estimate, ends = estimate * factor, ends.times(factor)
        low, high = within_reach(comparison, ends)
        rows.append(replace(row, estimate=estimate, ci_low=low, ci_high=high))
    return tuple(rows)


def _relative_change(
    comparison: Comparison, measure: str, half_width: float
) -> tuple[float, float, float]:
    """Return the change of a measure as a share of A's mean, and its limits."""
    place = comparison.measures.index(measure)
    a, b = comparison.a[:, place], comparison.b[:, place]
    return change_interval(a, b, half_width, independent=comparison.rule.independent)


def _as_share(comparison: Comparison, row: MeasureResult) -> MeasureResult:
    change = comparison.decision.relative
    limits: tuple[float, ...] = (math.nan,) * 4
    if change is not None and row.measure == comparison.rule.primary:
        limits = comparison.decision.interval * 2
    elif comparison.clusters is None and comparison.weights is None:
        _, *alone = _relative_change(comparison, row.measure, row.ci_high - row.diff)
        _, *adjusted = _relative_change(comparison, row.measure, row.ci_high_adj - row.diff)
        limits = (*alone, *adjusted)
    low, high, low_adj, high_adj = limits
    return replace(
        row, diff=row.rel_diff, estimate=row.rel_diff, ci_low=low, ci_high=high,
        ci_low_adj=low_adj, ci_high_adj=high_adj,
    )  # fmt: skip


def segments_in_unit(comparison: Comparison, result: Segmentation) -> tuple[SegmentRow, ...]:
    """Return the rows of segments in the displayed unit."""
    if not is_relative(comparison):
        return tuple(row_within_reach(comparison, row) for row in result.rows)
    place, labels = comparison.measures.index(comparison.rule.primary), np.array(result.labels)
    rows = []
    for row in result.rows:
        a, b = (side[labels == row.label, place] for side in (comparison.a, comparison.b))
        halves = (row.ci_high - row.mean, row.ci_high_adj - row.mean)
        alone, adjusted = (change_interval(a, b, half) for half in halves)
        rows.append(row_within_reach(comparison, replace(
            row, mean=alone[0], ci_low=alone[1], ci_high=alone[2],
            ci_low_adj=adjusted[1], ci_high_adj=adjusted[2],
        )))  # fmt: skip
    return tuple(rows)


def difference_in_unit(comparison: Comparison, value: float, *, digits: int) -> str:
    """Format a difference as it is shown: in the measure's unit, or in per cent of A's mean."""
    # Percentages get as many decimals as the deciding interval needs.
    if not is_relative(comparison) or not math.isfinite(value):
        return display.signed(value, digits=digits)
    return display.percent(value, digits=percent_digits(comparison))


def percent_digits(comparison: Comparison) -> int:
    """Return the decimals that percentages need to show the deciding interval."""
    low, high = comparison.decision.interval
    return display.decimals([(100.0 * low, 100.0 * high)], minimum=1)


def shares_scale(comparison: Comparison, measure: str) -> bool:
    """Whether a measure's differences fit on the axis of the primary measure."""
    if is_relative(comparison):
        return True
    primary, second = (_range(comparison, name) for name in (comparison.rule.primary, measure))
    if primary == second:
        return True
    narrow, wide = sorted((primary[1] - primary[0], second[1] - second[0]))
    return math.isfinite(wide) and wide < ALIKE * narrow


def _range(comparison: Comparison, measure: str) -> tuple[float, float]:
    if result := known(measure):
        return result.entry.bounds
    column = comparison.measures.index(measure)
    scores = np.concatenate([comparison.a[:, column], comparison.b[:, column]])
    return float(np.nanmin(scores, initial=0.0)), float(np.nanmax(scores, initial=1.0))


# The sign test does not estimate a difference of scores, so it has no margin.
_COUNTING = ("sign",)


@record
class MarginRange:
    """The verdict for all margins between ``low`` and ``high``, in the unit of the margin."""

    verdict: Verdict
    low: float
    high: float


def margin_ranges(comparison: Comparison) -> tuple[MarginRange, ...]:
    """Return the verdict for every margin from 0 upwards, as ranges of margins."""
    # Closed form: the verdict changes only where the margin equals a limit of one of the two
    # deciding intervals. Margins that exceed any possible difference are left out.
    rule, decision = comparison.rule, comparison.decision
    none = (Verdict.IDENTICAL, Verdict.CANNOT_TEST)
    if decision.verdict in none or rule.test in _COUNTING:
        return ()
    low, high = rule.gain(*decision.interval)
    inner_low, inner_high = rule.gain(*decision.equivalence_interval)
    last = 1.0  # 100 % of A's mean
    if not rule.margin_is_relative:
        row = comparison.primary
        minimum, largest = sorted((row.mean_a, row.mean_b))
        last = reachable(row.measure, minimum=minimum, largest=largest).high
    edges = sorted({item for item in (low, -high, -inner_low, inner_high) if 0.0 < item < last})
    result: list[MarginRange] = []
    for start, end in pairwise([0.0, *edges, last]):
        between = 0.5 * (start + end) if math.isfinite(end) else 2.0 * start or 1.0
        verdict = verdict_with(comparison, between)
        if result and result[-1].verdict is verdict:
            start = result.pop().low
        result.append(MarginRange(verdict, start, end if end < last else math.inf))
    return tuple(result)


def verdict_with(comparison: Comparison, margin: float) -> Verdict:
    """Return the verdict for another margin with the same intervals."""
    decision = comparison.decision
    return decide(
        replace(comparison.rule, margin=margin, require=None),
        estimate=decision.estimate,
        interval=(decision.ci_low, decision.ci_high),
        equivalence_interval=(decision.tost_low, decision.tost_high),
        relative=decision.relative,
    ).verdict
