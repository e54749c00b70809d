"""Paired tests, intervals and effect sizes for arrays.

This module exports the functions to call, the registries of tests, and the parts for writing a new
test; each function's module describes its result. Nothing here knows what is measured. Rows are
queries, which pair the two systems, and columns are comparisons. A difference is always candidate
minus baseline. ``confidence`` is the level of an interval and ``alpha`` that of a test. Equal
values of ``seed`` give equal results.

Every analysis also answers for degenerate data, without warnings. Without queries all results are
NaN. Without variance, a result that needs a standard error has p NaN and the interval (-inf, inf).
If all differences are 0, p is 1 and the interval [0, 0]. The modules
:mod:`~abrank.inference.registry` (pairs) and :mod:`~abrank.inference.systems.registry` (many
systems) have tables of these cases. A non-finite number raises an ArgumentError that names the
first one; so do shapes that do not fit and arguments out of range. An unknown name raises an
UnknownNameError.
"""

from typing import TYPE_CHECKING

from abrank._support.lazy import homes, module_getattr
from abrank._support.registry import complete
from abrank.inference import bootstrap, paired, wilcoxon  # noqa: F401 - register
from abrank.inference.effect_size import EFFECT_SIZES, effect_size
from abrank.inference.families import ADJUSTMENTS, adjust
from abrank.inference.registry import PARAMETERS, TESTS, Answer, TestResult, paired_test, run_test

# Names that an everyday comparison does not need are imported on first use.
_HOMES = homes(
    {
        "abrank.inference.meta_analysis": "pool_collections",
        "abrank.inference.prediction_powered": "run_prediction_powered",
        "abrank.inference.independent": "compare_repeats",
        "abrank.inference.systems.registry": "JOINT_TESTS JointAnswer JointResult SystemPairs"
        " joint_test run_joint_test",
    }
)
if TYPE_CHECKING:
    from abrank.inference.independent import compare_repeats as compare_repeats
    from abrank.inference.meta_analysis import pool_collections as pool_collections
    from abrank.inference.prediction_powered import run_prediction_powered as run_prediction_powered
    from abrank.inference.systems.registry import JOINT_TESTS as JOINT_TESTS
    from abrank.inference.systems.registry import JointAnswer as JointAnswer
    from abrank.inference.systems.registry import JointResult as JointResult
    from abrank.inference.systems.registry import SystemPairs as SystemPairs
    from abrank.inference.systems.registry import joint_test as joint_test
    from abrank.inference.systems.registry import run_joint_test as run_joint_test

__all__ = [
    *_HOMES,
    "ADJUSTMENTS",
    "EFFECT_SIZES",
    "TESTS",
    "Answer",
    "TestResult",
    "adjust",
    "effect_size",
    "paired_test",
    "run_test",
]

__getattr__ = module_getattr(__name__, _HOMES)

for _test in TESTS.values():
    complete(_test.function, PARAMETERS, Returns="Answer")
