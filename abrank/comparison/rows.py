"""What a comparison holds: rows of its tables, what is known of votes, and of merged queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abrank._support.records import record
from abrank.diagnostics import Note
from abrank.estimate import AdjustedRow, Estimate, IntervalRow
from abrank.inference import TestResult
from abrank.inference.shape import HEAP, Form


@record
class MeasureResult(AdjustedRow):
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


@record
class TestRow(IntervalRow):
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

    @classmethod
    def of(cls, found: TestResult, title: str, *, decides: bool) -> TestRow:
        """Return the one column of a test's answer as a row of the table of tests."""
        numbers = {name: float(getattr(found, name)[0]) for name in _NUMBERS}
        return cls(
            test=found.test, title=title, estimand=found.estimand, method=found.method,
            n_resamples=found.n_resamples, decides=decides, **numbers,
        )  # fmt: skip


_NUMBERS = (
    "estimate", "ci_low", "ci_high", "statistic", "pvalue", "pvalue_low", "pvalue_high",
    "pvalue_error",
)  # fmt: skip


@record
class ExtremeQuery:
    """A query with one of the largest or smallest differences of the primary measure."""

    query_id: str
    a: float
    b: float
    difference: float


@record
class Cell:
    """Queries with one difference, or in one bin of differences, which ``value`` is the middle of.

    Bins stand as ``width`` says, from 0 outwards; those that tie are at 0 with no width.
    """

    value: float
    width: float
    n_queries: int


@record
class MergedQueries:
    """The queries of a comparison from merged statistics.

    Attributes
    ----------
    n_queries : int
    n_partitions, n_skipped : int
        Partitions that were scored, and those that could not be.
    step : float
        Width of the bins in which the differences of the primary measure were counted; 0 where each
        was counted by itself.
    errors : tuple of float, length n_measures
        Standard errors of the mean differences, by the test that decides.
    freedom : float
        Degrees of freedom of their t.
    missing : str
        What became of queries that a run lacks, ``zero`` or ``drop``; empty without any.
    profile : tuple of float, length 201
        Quantiles of the differences of the primary measure: of 0, 0.5, 1, ... 100 per cent.
    cells : tuple of Cell
        The same differences counted, in at most 25 values or some 80 bins.
    smallest, largest : tuple of ExtremeQuery
        The 20 queries with the smallest and with the largest difference, the furthest first.
    statistics : mapping, optional
        What gives the comparison again: exact sums, and the counted differences of the primary
        measure. None in files of earlier versions.
    """

    n_queries: int
    n_partitions: int
    n_skipped: int
    step: float
    errors: tuple[float, ...]
    freedom: float
    missing: str
    profile: tuple[float, ...]
    cells: tuple[Cell, ...]
    smallest: tuple[ExtremeQuery, ...]
    largest: tuple[ExtremeQuery, ...]
    statistics: Mapping[str, Any] | None = None

    @property
    def form(self) -> Form:
        """The picture that shows how the differences spread: as :func:`spread_form` has it."""
        ties = next((cell.n_queries for cell in self.cells if cell.value == 0.0), 0)
        if all(cell.width == 0.0 for cell in self.cells):
            return "values"
        return "bins" if ties > HEAP * self.n_queries else "density"


def share_of_net(found: TestResult) -> Estimate:
    """Return a net share between -1 and 1 as a share from 0 to 1."""
    net = Estimate.of(found)
    estimate, low, high = ((1.0 + each) / 2.0 for each in (net.estimate, *net.interval))
    return Estimate(estimate, low, high, net.pvalue)


@record
class Preferences:
    """What the votes tell of the order in which the two were shown, and what was left out.

    Attributes
    ----------
    n_votes, n_judges : int
        Those used.
    left_out : mapping of str to int
        Votes without a verdict, by what stood in its place.
    shown : mapping of str to int
        Votes by what was shown first: ``a``, ``b``, ``random``, or empty where nobody said.
    n_both : int
        Pairs of verdicts of one judge on one query in both orders.
    n_reversed, n_to_first, n_disagree : int
        Those whose winner is the other one in the other order; of these to the answer shown first;
        and all that differ, a tie against a winner too.
    bias : Estimate, optional
        Share of verdicts for the answer shown first less that for the second, between -1 and 1: by
        the paired t test in both orders, else between the votes of the two orders.
    to_first : Estimate, optional
        Of the reversed ones the share that goes to the answer shown first: exact binomial, which is
        McNemar's exact test of the two orders.
    credits : (float, float), optional
        Of interleaved lists: all credits of A and of B; then a query is an impression.
    n_without_click : int
        Impressions without a credit, which count as ties.
    decided : Estimate, optional
        Of the queries that are no tie the share that B wins, exact; none of clustered queries.
    """

    n_votes: int
    n_judges: int
    left_out: Mapping[str, int]
    shown: Mapping[str, int]
    n_both: int = 0
    n_reversed: int = 0
    n_to_first: int = 0
    n_disagree: int = 0
    bias: Estimate | None = None
    to_first: Estimate | None = None
    decided: Estimate | None = None
    credits: tuple[float, float] | None = None
    n_without_click: int = 0

    @property
    def always_first(self) -> str:
        """The side that was shown first in every vote; empty where it changes or is not known."""
        return next((side for side in "ab" if self.shown[side] == self.n_votes), "")

    def notes(self) -> list[Note]:
        """Return the cautions: one order alone, or nobody said which."""
        if self.always_first:
            return [Note("order-fixed", 3, {"first": self.always_first, "n": self.n_votes})]
        if self.shown[""]:
            return [Note("order-unknown", 2, {"n": self.shown[""], "of": self.n_votes})]
        return []
