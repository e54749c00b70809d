"""The rows of a comparison's two tables: a measure, and a test of the primary measure."""

from __future__ import annotations

from typing import NamedTuple

from abrank._support.records import record


class ConfidenceInterval(NamedTuple):
    """Lower and upper limit of an interval."""

    low: float
    high: float


def read_interval(
    low: float,
    high: float,
    *,
    tested: bool = True,
    moved: bool = True,
    higher: bool = True,
    declared: bool = True,
) -> str:
    """Say in one word what an interval of B - A says: the one reading of every interval.

    ``moved`` is False where every query scores the same; where nobody declared which direction is
    better, a difference is no more than that.
    """
    if not tested:
        return "untested"
    if not moved:
        return "identical"
    if not (low > 0.0 or high < 0.0):
        return "unclear"
    if not declared:
        return "differs"
    return "better" if (low > 0.0) == higher else "worse"


@record
class MeasureResult:
    """One row of the table: one measure, A against B, by the test that decides.

    ``diff`` is the mean difference B - A; ``estimate`` what the test estimates (the same for tests
    of the mean). ``ci_low_adj``, ``ci_high_adj`` and ``pvalue_adj`` are adjusted over the family
    that the rule declares, and equal to the plain ones for a primary measure outside of it.
    ``wins`` counts the queries on which B scores better, which is lower where ``higher_is_better``
    is False. ``reading`` is better, worse, unclear, identical or untested, by the adjusted ones;
    differs where nobody said which direction is better.
    """

    measure: str
    mean_a: float
    mean_b: float
    diff: float
    ci_low: float
    ci_high: float
    ci_low_adj: float
    ci_high_adj: float
    rel_diff: float
    wins: int
    ties: int
    losses: int
    statistic: float
    pvalue: float
    pvalue_adj: float
    reading: str
    estimate: float
    higher_is_better: bool = True

    def confidence_interval(self) -> ConfidenceInterval:
        """Return the interval at the level of the rule, not adjusted."""
        return ConfidenceInterval(self.ci_low, self.ci_high)


@record
class TestRow:
    """One test of the primary measure, as shown beside the one that decides.

    ``method``, ``n_resamples``, ``pvalue_low``, ``pvalue_high`` and ``pvalue_error`` are those of
    :class:`abrank.inference.TestResult`: how the p-value was found, and how well it is known.
    """

    __test__ = False  # not a test case, whatever a test runner makes of the name

    test: str
    title: str
    estimand: str
    estimate: float
    ci_low: float
    ci_high: float
    statistic: float
    pvalue: float
    pvalue_low: float
    pvalue_high: float
    pvalue_error: float
    method: str
    n_resamples: int
    decides: bool
