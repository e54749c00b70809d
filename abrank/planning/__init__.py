"""How many queries a paired test needs, and what a given number of queries can see.

Nothing here takes the p-value or the observed difference of a finished test: "observed power" only
says the p-value again. Throughout, ``sd`` is the standard deviation of the differences per query,
in whose unit differences, margins and widths are; ``alpha`` the level of the two-sided test,
``target`` the power wanted, ``confidence`` the level of an interval; ``by`` the test: of queries or
of clusters (:class:`PairedT`), or of judged queries with a machine beside people
(:class:`JudgedT`). What has no meaning, as a spread below 0 or a level outside of (0, 1), is an
ArgumentError.

=======================  ============================  ========================================
differences of a pilot   t, in closed form             any test, by simulation
=======================  ============================  ========================================
no query                 smallest visible difference   NaN, None, NaN
                         NaN, queries needed None,
                         power NaN
one query                the same                      NaN, None; power as of one value
two queries              as any other data             as any other data
all 0                    0, two queries, power 1       0; the fewest queries of one difference
                                                       that the test can reject; power 0 or 1
one value, not 0         the same                      the same
one query differs        as any other data             as any other data
two values               as any other data             as any other data
not finite               refused                       refused
=======================  ============================  ========================================

What has no answer is said by each function: fewer than two queries have no test, a spread of 0
needs two queries for any difference, fewer than 25 queries judged beside a machine count as 25.

What few queries say of a population's spread is little: every number planned from a pilot has the
range that :func:`spread_interval` leaves it. With 25 queries the number of queries needed may be .6
or 1.9 of what is said, with 100 .8 or 1.3.
"""

from typing import TYPE_CHECKING

from abrank._support.lazy import homes, module_getattr
from abrank.planning.student import (
    PairedT,
    expected_width,
    power,
    power_curve,
    queries_for_width,
    queries_needed,
    queries_to_show_same,
    smallest_visible,
    spread_interval,
)

if TYPE_CHECKING:
    from abrank.planning.audit import Margins as Margins
    from abrank.planning.audit import MeansAudit as MeansAudit
    from abrank.planning.plan import JudgedT as JudgedT
    from abrank.planning.plan import Plan as Plan
    from abrank.planning.plan import correlation_interval as correlation_interval
    from abrank.planning.simulation import SimulatedPower as SimulatedPower
    from abrank.planning.simulation import queries_by_simulation as queries_by_simulation
    from abrank.planning.simulation import simulate_power as simulate_power
    from abrank.planning.simulation import visible_by_simulation as visible_by_simulation

_HOMES = homes(
    {
        "abrank.planning.audit": "MeansAudit Margins",
        "abrank.planning.plan": "JudgedT Plan correlation_interval",
        "abrank.planning.simulation": "SimulatedPower queries_by_simulation simulate_power"
        " visible_by_simulation",
    }
)

__all__ = [
    *_HOMES,
    "PairedT",
    "expected_width",
    "power",
    "power_curve",
    "queries_for_width",
    "queries_needed",
    "queries_to_show_same",
    "smallest_visible",
    "spread_interval",
]

__getattr__ = module_getattr(__name__, _HOMES)
