"""The forest plot in characters: one row of a fixed number of cells a measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from abrank.collections import CollectionRow
from abrank.comparison import MeasureResult

LEAST = 11


class Bars(NamedTuple):
    """What is drawn of a summary: an estimate, its interval, and the adjusted one."""

    estimate: float
    ci_low: float
    ci_high: float
    ci_low_adj: float
    ci_high_adj: float


Drawn: TypeAlias = MeasureResult | CollectionRow | Bars


@dataclass(frozen=True)
class Axis:
    """Where a difference lies among ``width`` cells; the cell of 0 is ``zero``."""

    low: float
    high: float
    width: int

    def cell(self, value: float) -> int:
        """Return the cell of a value; a value off the axis is put at its end."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    @property
    def zero(self) -> int:
        """The cell of 0, never an end of the axis, so that both sides have a place."""
        return min(max(self.cell(0.0), 1), self.width - 2)

    def bar(self, low: float, high: float) -> range:
        """Return the cells of an interval: among them that of 0 exactly if it contains 0."""
        first, last = self.cell(max(low, self.low)), self.cell(min(high, self.high))
        if low > 0:
            first = max(first, self.zero + 1)
        elif high < 0:
            last = min(last, self.zero - 1)
        else:
            first, last = min(first, self.zero), max(last, self.zero)
        return range(min(first, last), last + 1) if high < 0 else range(first, max(first, last) + 1)


def axis(rows: Sequence[Drawn], width: int) -> Axis | None:
    """Return an axis that holds every finite limit and 0; None where there is nothing to draw."""
    values = [
        value
        for row in rows
        for value in (row.ci_low, row.ci_high, row.ci_low_adj, row.ci_high_adj, row.estimate)
        if math.isfinite(value)
    ]
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high or width < LEAST:
        return None
    # One cell of air beyond the shorter side, so that "A better" and "B better" both have a place.
    air = (high - low) / (width - 1)
    return Axis(min(low, -air), max(high, air), width)


def draw(row: Drawn, scale: Axis) -> str:
    """Return a measure's row: thick the interval, thin the adjusted one, a dot, a line at 0.

    Examples
    --------
    >>> row = MeasureResult("AP", 0.3, 0.4, 0.1, 0.04, 0.16, -0.02, 0.22, 0.3, 7, 0, 3, 3.0, 0.01,
    ...                     0.06, "unclear", 0.1)
    >>> draw(row, axis([row], 25))
    '──┼───━━━━━━●━━━━━━──────'
    """
    cells = [" "] * scale.width
    cells[scale.zero] = "┊"
    thin = _cells(row.ci_low_adj, row.ci_high_adj, scale)
    thick = _cells(row.ci_low, row.ci_high, scale)
    for bar, mark, crossing in ((thin, "─", "┼"), (thick, "━", "╋")):
        for i in bar:
            cells[i] = crossing if i == scale.zero else mark
    if math.isfinite(row.estimate):
        dot = scale.cell(row.estimate)
        cells[min(max(dot, thick[0]), thick[-1]) if thick else dot] = "●"
    return "".join(cells)


def _cells(low: float, high: float, scale: Axis) -> range:
    return range(0) if math.isnan(low) or math.isnan(high) else scale.bar(low, high)


def title(scale: Axis | None, *, higher_is_better: bool | None = True) -> str:
    """Return the heading over the plot: whose side is whose, around the cell of 0.

    Where nobody said which direction is better (None) a side is that of the higher score.

    Examples
    --------
    >>> title(Axis(-0.1, 0.1, 25)), title(Axis(-0.1, 0.1, 11), higher_is_better=False)
    (' ◂ A better  B better ▸', '  ◂ B  A ▸')
    """
    if scale is None:
        return ""
    left, right = "BA" if higher_is_better is False else "AB"
    word = " higher" if higher_is_better is None else " better"
    if scale.width < 22:
        word = ""
    words = f"◂ {left}{word}  {right}{word} ▸"
    start = scale.zero - len(words) // 2 + 1
    return " " * min(max(start, 0), scale.width - len(words)) + words
