"""In which unit differences are shown, and which measures can be read on one axis."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from abrank._support import display
from abrank._support.errors import ArgumentError
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult
from abrank.inference.estimates.relative_change import change_interval
from abrank.measures import parse

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
    limits = (math.nan,) * 4
    if change is not None and row.measure == comparison.rule.primary:
        limits = (change.ci_low, change.ci_high) * 2
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


def difference(comparison: Comparison, value: float, *, digits: int) -> str:
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
