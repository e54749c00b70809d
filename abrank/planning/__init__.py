"""How many queries a paired test needs, and what a given number of queries can see.

Nothing here takes the p-value or the observed difference of a finished test: "observed power" only
says the p-value again. Throughout, ``sd`` is the standard deviation of the differences per query,
in whose unit differences, margins and widths are; ``alpha`` the level of the two-sided test,
``target`` the power wanted, ``confidence`` the level of an interval; ``df`` gives the degrees of
freedom of so many queries, as where these come in clusters. What has no meaning, as a spread below
0 or a level outside of (0, 1), is an ArgumentError. Fewer than two queries have no test: NaN, or
None for a number of queries. Differences of one value need two queries for any difference.

What few queries say of a population's spread is little: every number planned from a pilot has the
range that the interval of its standard deviation leaves it. With 25 queries the number of queries
needed may be .6 or 1.9 of what is said, with 100 .8 or 1.3.
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
