"""Compare candidate B with baseline A: test every measure, adjust p-values, give the verdict.

Names used throughout: ``scores`` are those of baseline and candidate; ``a`` and ``b`` their values;
``differences`` is B - A, float64[n_queries] for the primary measure or float64[n_queries,
n_measures]. ``primary`` is the measure that decides, or its position. ``row`` is the result of
one measure. ``higher`` says for each measure whether higher is better. ``clusters`` is the cluster
of each query. ``margin`` is in the unit of the primary measure, 0 for none.
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
