"""A against B: every measure tested, the secondary ones adjusted, the verdict given."""

from abrank.comparison.alternatives import Alternative
from abrank.comparison.compare import compare_recorded, compare_scores, compare_systems
from abrank.comparison.effects import Effect, Spread
from abrank.comparison.family import ADJUSTMENTS
from abrank.comparison.pairing import name_runs, pair_scores, system_names
from abrank.comparison.power_analysis import PlannedClaim, PlannedDifference, Planning
from abrank.comparison.question import Question
from abrank.comparison.result import Comparison
from abrank.comparison.rows import ConfidenceInterval, MeasureResult, TestRow

__all__ = [
    "ADJUSTMENTS",
    "Alternative",
    "Comparison",
    "ConfidenceInterval",
    "Effect",
    "MeasureResult",
    "PlannedClaim",
    "PlannedDifference",
    "Planning",
    "Question",
    "Spread",
    "TestRow",
    "compare_recorded",
    "compare_scores",
    "compare_systems",
    "name_runs",
    "pair_scores",
    "system_names",
]
