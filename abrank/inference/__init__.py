"""Paired tests, intervals and effect sizes: arrays in, arrays out.

These are the functions to call, the tables of what there is, and what a test of one's own is made
of; what a function returns is described in its module. Nothing here knows what is measured. Rows
are queries, the query pairs the two systems, columns are comparisons, and a difference is always
candidate minus baseline; ``confidence`` is the level of an interval, ``alpha`` that of a test, and
equal ``seed`` give equal draws.

Where the data are too few or too even, every analysis answers, and warns of nothing: without a
query all is NaN; where there is no spread to judge by, what rests on an error has p NaN and the
interval (-inf, inf); where all differences are 0, p is 1 and the interval [0, 0]. Tables of it are
in :mod:`~abrank.inference.registry` (of pairs) and :mod:`~abrank.inference.systems.registry` (of
many systems). A number that is not finite is an ArgumentError with the place of the first; so are
shapes that do not fit and arguments out of range; other names are an UnknownNameError.
"""

from typing import TYPE_CHECKING

from abrank._support.lazy import homes, module_getattr
from abrank._support.registry import complete
from abrank.inference import bootstrap, paired, wilcoxon  # noqa: F401 - register
from abrank.inference.effect_size import EFFECT_SIZES, effect_size
from abrank.inference.families import ADJUSTMENTS, adjust
from abrank.inference.registry import PARAMETERS, TESTS, Answer, TestResult, paired_test, run_test

# What an everyday comparison does without is imported when it is asked for.
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
