"""Paired tests, intervals and effect sizes: arrays in, arrays out.

Nothing here knows what is measured. Rows are queries, the query pairs the two systems, columns are
comparisons, and a difference is always candidate minus baseline.
"""

from abrank.inference import bootstrap, permutation, sign, student, wilcoxon  # noqa: F401 - register
from abrank.inference.catalogue import TESTS, PairedTest, paired_test, run_test
from abrank.inference.effect import EFFECT_SIZES, RatioInterval, effect_size, ratio_interval
from abrank.inference.equivalence import Equivalence, tost
from abrank.inference.joint import MaxT, max_t
from abrank.inference.multiplicity import ADJUSTMENTS, adjust
from abrank.inference.result import Answer, TestResult

__all__ = [
    "ADJUSTMENTS",
    "EFFECT_SIZES",
    "TESTS",
    "Answer",
    "Equivalence",
    "MaxT",
    "PairedTest",
    "RatioInterval",
    "TestResult",
    "adjust",
    "effect_size",
    "max_t",
    "paired_test",
    "ratio_interval",
    "run_test",
    "tost",
]
