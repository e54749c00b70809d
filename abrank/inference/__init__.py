"""Paired tests, intervals and effect sizes: arrays in, arrays out.

These are the functions to call, the tables of what there is, and what a test of one's own is made
of; what a function returns is described in its module. Nothing here knows what is measured. Rows
are queries, the query pairs the two systems, columns are comparisons, and a difference is always
candidate minus baseline; ``confidence`` is the level of an interval, ``alpha`` that of a test, and
equal ``seed`` give equal draws.

Where the data are too few or too even, every analysis answers, and warns of nothing. Unless it says
otherwise: without a query all is NaN; with one query, and where all differences are one value other
than 0, there is no spread to judge by, so that what rests on an error has p NaN and the interval
(-inf, inf), and what counts signs or flips the smallest p there is; where all differences are 0, p
is 1 and the interval [0, 0]; all else is as any other data. A number that is not finite is an
ArgumentError with the place of the first; so are shapes that do not fit and arguments out of range,
and a name that is not registered is an UnknownNameError. Tables of it, by test, are in
:mod:`~abrank.inference.registry` (of pairs) and :mod:`~abrank.inference.systems.registry` (of many
systems).
"""

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr
from abrank._support.registry import complete
from abrank.inference import bootstrap, paired, wilcoxon  # noqa: F401 - register
from abrank.inference.effect_size import EFFECT_SIZES, effect_interval, effect_size
from abrank.inference.equivalence import ratio_interval
from abrank.inference.families import ADJUSTMENTS, adjust, max_t
from abrank.inference.registry import PARAMETERS, TESTS, Answer, TestResult, paired_test, run_test

if TYPE_CHECKING:
    from abrank.inference.aa_test import check_level
    from abrank.inference.bayes import bayesian_bootstrap, t_posterior
    from abrank.inference.clusters import run_cluster_test
    from abrank.inference.meta_analysis import pool_collections
    from abrank.inference.prediction_powered import run_prediction_powered
    from abrank.inference.repeats import compare_repeats
    from abrank.inference.segments import compare_segments
    from abrank.inference.systems.friedman import critical_difference, friedman_test, two_way_anova
    from abrank.inference.systems.pairwise import group_letters, within_query_interval
    from abrank.inference.systems.registry import (
        JOINT_TESTS,
        JointAnswer,
        JointResult,
        SystemPairs,
        joint_test,
        run_joint_test,
    )
    from abrank.inference.systems.stability import kendall_tau, rank_stability, tau_ap

# What an everyday comparison does without is imported when it is asked for.
_ON_DEMAND = {
    "aa_test": "check_level",
    "bayes": "bayesian_bootstrap t_posterior",
    "clusters": "run_cluster_test",
    "prediction_powered": "run_prediction_powered",
    "repeats": "compare_repeats",
    "segments": "compare_segments",
    "meta_analysis": "pool_collections",
    "systems.friedman": "critical_difference friedman_test two_way_anova",
    "systems.pairwise": "group_letters within_query_interval",
    "systems.registry": "JOINT_TESTS JointAnswer JointResult SystemPairs joint_test run_joint_test",
    "systems.stability": "kendall_tau rank_stability tau_ap",
}

__all__ = [
    "ADJUSTMENTS",
    "EFFECT_SIZES",
    "JOINT_TESTS",
    "TESTS",
    "Answer",
    "JointAnswer",
    "JointResult",
    "SystemPairs",
    "TestResult",
    "adjust",
    "bayesian_bootstrap",
    "check_level",
    "compare_repeats",
    "compare_segments",
    "critical_difference",
    "effect_interval",
    "effect_size",
    "friedman_test",
    "group_letters",
    "joint_test",
    "kendall_tau",
    "max_t",
    "paired_test",
    "pool_collections",
    "rank_stability",
    "ratio_interval",
    "run_cluster_test",
    "run_joint_test",
    "run_prediction_powered",
    "run_test",
    "t_posterior",
    "tau_ap",
    "two_way_anova",
    "within_query_interval",
]

__getattr__ = module_getattr(
    __name__,
    {
        name: f"{__name__}.{module}"
        for module, names in _ON_DEMAND.items()
        for name in names.split()
    },
)

for _test in TESTS.values():
    complete(_test.function, PARAMETERS, Returns="Answer")
