"""A against B: every measure tested, the secondary ones adjusted, the verdict given.

Throughout, ``scores`` are those of the baseline and of the candidate; ``a`` and ``b`` the values of
the two and ``differences`` B - A, float64[n_queries] of the primary measure or float64[n_queries,
n_measures] of all. ``primary`` is the measure that decides or its place among the measures, ``row``
what was found of it; ``higher`` says of each measure whether the higher score is the better one;
``clusters`` has the cluster of each query, where the design has clusters; ``margin`` is in the unit
of the primary measure, 0 for none.
"""

from abrank.comparison.compare import compare_scores
from abrank.comparison.evidence import Alternative
from abrank.comparison.pairing import pair_scores
from abrank.comparison.plans import PlannedClaim, PlannedDifference, Planning
from abrank.comparison.resolve import ADJUSTMENTS
from abrank.comparison.result import Comparison
from abrank.comparison.rows import Effect, MeasureResult, Spread, TestRow
from abrank.comparison.two_systems import name_runs, system_names

__all__ = [
    "ADJUSTMENTS",
    "Alternative",
    "Comparison",
    "Effect",
    "MeasureResult",
    "PlannedClaim",
    "PlannedDifference",
    "Planning",
    "Spread",
    "TestRow",
    "compare_scores",
    "name_runs",
    "pair_scores",
    "system_names",
]
