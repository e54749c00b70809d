"""Tests of many systems on all queries at once, and the grouping letters derived from them."""

from abrank._support.registry import complete
from abrank.inference.systems import friedman, pairwise  # noqa: F401 - register
from abrank.inference.systems.registry import JOINT_TESTS, PARAMETERS

for _test in JOINT_TESTS.values():
    complete(_test.function, PARAMETERS, Returns="JointAnswer")
