"""Interval, Estimate, and the base classes of table rows that have an interval."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from abrank._support.result import record

__all__ = ["AdjustedRow", "Estimate", "Interval", "IntervalRow"]

# The sign that reports print before the word for the reading of an interval.
GLYPHS = {
    "better": "▲",
    "worse": "▼",
    "unclear": "?",
    "identical": "=",
    "untested": "!",
    "differs": "≠",
}


class Interval(NamedTuple):
    """Lower and upper limit of an interval: NaN if undefined, infinite if open.

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
        """+1 if the interval lies above 0, -1 if below, 0 if it includes 0 or is NaN."""
        return int(self.low > 0.0) - int(self.high < 0.0)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval excludes 0."""
        return self.side != 0

    @property
    def width(self) -> float:
        """Upper minus lower limit."""
        return self.high - self.low

    @property
    def is_finite(self) -> bool:
        """Whether both limits are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def gain(self, *, higher: bool) -> Interval:
        """Return an interval of B - A as an interval of B's gain: mirrored if lower is better."""
        return self if higher else -self

    def times(self, factor: float) -> Interval:
        """Return the interval in another unit; ``factor`` must not be negative."""
        return Interval(self.low * factor, self.high * factor)

    def within(self, minimum: float, maximum: float) -> Interval:
        """Clip the limits to a range; an infinite or NaN interval stays as it is."""
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
        """Describe an interval of B - A in one word; everything that reads an interval uses this.

        ``moved`` is False if every query scores the same for both systems. If the direction was not
        ``declared``, a significant difference reads "differs".
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
    """A number with its confidence interval and p-value, NaN if undefined.

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
        """Return one column of a test result."""
        columns = (result.estimate, result.ci_low, result.ci_high, result.pvalue)
        return cls(*(float(values[column]) for values in columns))

    @property
    def interval(self) -> Interval:
        """The confidence interval."""
        return Interval(self.low, self.high)

    def __neg__(self) -> Estimate:
        return Estimate(-self.estimate, *-self.interval, self.pvalue)


class IntervalRow:
    """Base class of table rows with columns ``ci_low`` and ``ci_high``.

    It is not a dataclass: each row declares its own fields, in the order of its table.
    """

    ci_low: float
    ci_high: float

    @property
    def interval(self) -> Interval:
        """The interval without adjustment."""
        return Interval(self.ci_low, self.ci_high)


class AdjustedRow(IntervalRow):
    """Base class of rows that also have columns ``ci_low_adj`` and ``ci_high_adj``."""

    ci_low_adj: float
    ci_high_adj: float

    @property
    def adjusted(self) -> Interval:
        """The interval adjusted for the other rows."""
        return Interval(self.ci_low_adj, self.ci_high_adj)
