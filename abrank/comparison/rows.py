"""The rows of a comparison's tables, and what stands in their place where scores were merged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abrank._support.records import record
from abrank.estimate import AdjustedRow, IntervalRow
from abrank.inference.estimates.shape import HEAP, Form


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
