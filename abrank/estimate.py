"""Interval, Estimate, and the base classes of table rows that have an interval."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from abrank._support.result import record

__all__ = ["AdjustedRow", "Estimate", "Interval", "IntervalRow"]

# The sign that reports print before the word for what an interval says.
GLYPHS = {
    "better": "▲",
    "worse": "▼",
    "unclear": "?",
    "identical": "=",
    "untested": "!",
    "differs": "≠",
}


class Interval(NamedTuple):
    """Lower and upper limit of an interval: NaN where there is none, infinite where it is open.

    Examples
    --------
    >>> found = Interval(0.01, 0.04)
    >>> found.side, found.width, found.read(), found.read(higher=False)
    (1, 0.03, 'better', 'worse')
    >>> -found
    Interval(low=-0.04, high=-0.01)
    """

    low: float
    high: float

    @property
    def side(self) -> int:
        """+1 where it lies above 0, -1 where it lies below, 0 where it includes 0 or is NaN."""
        return int(self.low > 0.0) - int(self.high < 0.0)

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 is not among its values."""
        return self.side != 0

    @property
    def width(self) -> float:
        """How far its limits are apart."""
        return self.high - self.low

    @property
    def is_finite(self) -> bool:
        """Whether both limits are numbers."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def gain(self, *, higher: bool) -> Interval:
        """Return the interval of B - A as one of what B gains: mirrored where lower is better."""
        return self if higher else -self

    def times(self, factor: float) -> Interval:
        """Return it in another unit; the factor is not negative."""
        return Interval(self.low * factor, self.high * factor)

    def within(self, minimum: float, maximum: float) -> Interval:
        """Return it with limits inside a range; as it is where it has no end or does not exist."""
        if not self.is_finite:
            return self
        return Interval(*(min(max(end, minimum), maximum) for end in self))

    def read(
        self,
        *,
        tested: bool = True,
        moved: bool = True,
        higher: bool = True,
        declared: bool = True,
    ) -> str:
        """Say in one word what an interval of B - A says: the one reading of every interval.

        ``moved`` is False where every query scores the same; where nobody declared which direction
        is better, a difference is no more than that.
        """
        if not tested:
            return "untested"
        if not moved:
            return "identical"
        if not self.excludes_zero:
            return "unclear"
        if not declared:
            return "differs"
        return "better" if (self.side > 0) == higher else "worse"


@record
class Estimate:
    """A number, its interval at the level of the result that holds it, and its p-value.

    NaN where there is none.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> found = Estimate.of(run_test("t", [0.1, 0.2, 0.3, 0.2]))
    >>> round(found.estimate, 3), found.interval.excludes_zero, found.pvalue < 0.05
    (0.2, True, True)
    """

    estimate: float
    low: float
    high: float
    pvalue: float = math.nan

    @classmethod
    def of(cls, result: Any, column: int = 0) -> Estimate:  # noqa: ANN401 - any test's answer
        """Return one column of a test's answer."""
        columns = (result.estimate, result.ci_low, result.ci_high, result.pvalue)
        return cls(*(float(values[column]) for values in columns))

    @property
    def interval(self) -> Interval:
        """The limits."""
        return Interval(self.low, self.high)

    def __neg__(self) -> Estimate:
        return Estimate(-self.estimate, *-self.interval, self.pvalue)


class IntervalRow:
    """What a row of a table with columns ``ci_low`` and ``ci_high`` answers.

    A plain class: each row names its fields itself, in the order in which its table is written.
    """

    ci_low: float
    ci_high: float

    @property
    def interval(self) -> Interval:
        """The interval that is not adjusted."""
        return Interval(self.ci_low, self.ci_high)


class AdjustedRow(IntervalRow):
    """A row with columns ``ci_low_adj`` and ``ci_high_adj``, too."""

    ci_low_adj: float
    ci_high_adj: float

    @property
    def adjusted(self) -> Interval:
        """The interval that is adjusted for the other rows."""
        return Interval(self.ci_low_adj, self.ci_high_adj)
