"""How many queries a paired test needs, and what a number of queries can detect.

Nothing here uses the p-value or the observed difference of a finished test, because "observed
power" only restates the p-value. Throughout, ``sd`` is the standard deviation of the per-query
differences, in the same unit as differences, margins and widths. ``alpha`` is the level of the
two-sided test, ``target`` the desired power, ``confidence`` the level of an interval. ``df`` gives
the degrees of freedom for a number of queries, for example with clusters. Invalid values raise an
ArgumentError. With fewer than two queries there is no test: results are NaN, or None for a number
of queries. Constant differences need two queries.

A pilot estimates the standard deviation only roughly, so every planned number has a range from the
interval of that standard deviation. With 25 queries, the number needed may be .6 or 1.9 times the
stated one; with 100, .8 or 1.3 times.
"""

from typing import TYPE_CHECKING

from abrank._support.lazy import homes, module_getattr

if TYPE_CHECKING:
    from abrank.planning.audit import Margins as Margins
    from abrank.planning.audit import MeansAudit as MeansAudit
    from abrank.planning.plan import Plan as Plan

_HOMES = homes({"abrank.planning.audit": "MeansAudit Margins", "abrank.planning.plan": "Plan"})

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
