"""The answers of :func:`abrank.power`."""

from __future__ import annotations

import math

from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.result import Printed


@record
class PlanRow:
    """What one true difference asks for.

    ``n`` is the number of queries needed (``None``: none, or too many to count), ``power`` the
    chance to show the difference with the queries at hand (NaN without any). Where they were
    simulated, ``power_low`` and ``power_high`` are the 95 % interval of that chance; else NaN.
    ``n_low`` and ``n_high`` are the queries needed at the ends of the interval of the pilot's
    standard deviation; None without a pilot, too.
    """

    difference: float
    n: int | None
    power: float
    power_low: float = math.nan
    power_high: float = math.nan
    n_low: int | None = None
    n_high: int | None = None


@record
class SameRow:
    """The queries that show a true difference of 0 to lie within a margin, and their range."""

    margin: float
    n: int | None
    n_low: int | None = None
    n_high: int | None = None


@record
class WidthRow:
    """The queries whose interval is expected to be as narrow as wanted, and their range."""

    width: float
    n: int | None
    n_low: int | None = None
    n_high: int | None = None


@record
class JudgedPlan:
    """The human queries needed where a machine judges ``n_queries``, at one correlation with it.

    ``mde`` is the smallest difference that the human queries at hand show with its help (NaN for
    fewer than 25 of them); ``needed`` are the human queries that each difference of the plan needs,
    ``same`` and ``width`` those for the margin and the width that were asked for. None: those of
    the machine are too few, or nothing was asked.
    """

    correlation: float
    n_queries: int
    mde: float
    needed: tuple[int | None, ...]
    same: int | None = None
    width: int | None = None


@record
class Plan(Printed):
    """Answers to what was asked of :func:`power`.

    Attributes
    ----------
    test : str
    alpha, target : float
        Level of the two-sided test, and the power wanted.
    sd : float
        Standard deviation of the differences.
    n_queries : int, optional
        The queries at hand.
    mde : float
        Smallest true difference that ``n_queries`` show with the wanted power; NaN without them.
    rows : tuple of PlanRow
        One a difference asked for; round ones around ``mde`` where none was. The margin is one of
        them.
    n_replications : int
        Of the simulation; 0 for the t test, which needs none.
    sd_low, sd_high : float
        95 % interval that the pilot leaves of the standard deviation, by the chi-square
        distribution; NaN without a pilot.
    mde_low, mde_high : float
        ``mde`` at both ends of it.
    same : SameRow, optional
        For the margin; by the t test, whatever test was asked for.
    width : WidthRow, optional
        For the width that was asked for; by the t test too.
    judged : tuple of JudgedPlan
        One a correlation with a machine; empty without one.
    """

    test: str
    alpha: float
    target: float
    sd: float
    n_queries: int | None
    mde: float
    rows: tuple[PlanRow, ...]
    n_replications: int = 0
    sd_low: float = math.nan
    sd_high: float = math.nan
    mde_low: float = math.nan
    mde_high: float = math.nan
    same: SameRow | None = None
    width: WidthRow | None = None
    judged: tuple[JudgedPlan, ...] = ()

    @property
    def n(self) -> int | None:
        """Queries needed for the one difference that was asked for."""
        return self._only().n

    @property
    def power(self) -> float:
        """Chance to show the one difference that was asked for, with the queries at hand."""
        return self._only().power

    def _only(self) -> PlanRow:
        if len(self.rows) != 1:
            raise ArgumentError(f"the plan has {len(self.rows)} differences; see its rows")
        return self.rows[0]
