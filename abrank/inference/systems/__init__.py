"""Tests over the whole block of queries and systems, and the letters that follow from them."""

from abrank._support.registry import complete
from abrank.inference.systems import friedman, pairwise  # noqa: F401 - register
from abrank.inference.systems.registry import JOINT_TESTS, PARAMETERS

for _test in JOINT_TESTS.values():
    complete(_test.function, PARAMETERS, Returns="JointAnswer")
