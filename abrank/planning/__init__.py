"""How many queries a paired test needs, and what a given number of queries can see.

Nothing here takes the p-value or the observed difference of a finished test: "observed power" only
says the p-value again.

=========================  ======================================================================
asked of                   answer of the closed forms
=========================  ======================================================================
fewer than two queries     smallest visible difference NaN, power refused
a spread of 0              smallest visible difference 0; two queries needed for any difference
a difference of 0          power alpha; no number of queries shows it: None
a spread that is NaN       smallest visible difference NaN, ``queries_needed`` None
an effect not finite       refused
=========================  ======================================================================
"""

from abrank.planning.anova import anova_power, queries_for_anova
from abrank.planning.precision import expected_width, queries_for_width
from abrank.planning.simulation import (
    SimulatedPower,
    queries_by_simulation,
    simulate_power,
    visible_by_simulation,
)
from abrank.planning.student import power, power_curve, queries_needed, smallest_visible

__all__ = [
    "SimulatedPower",
    "anova_power",
    "expected_width",
    "power",
    "power_curve",
    "queries_by_simulation",
    "queries_for_anova",
    "queries_for_width",
    "queries_needed",
    "simulate_power",
    "smallest_visible",
    "visible_by_simulation",
]
