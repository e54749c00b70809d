"""Paired tests, intervals and effect sizes: arrays in, arrays out.

These are the functions to call, the tables of what there is, and what a test of one's own is made
of; what a function returns is described in its module. Nothing here knows what is measured. Rows
are queries, the query pairs the two systems, columns are comparisons, and a difference is always
candidate minus baseline.

What an analysis says of too little or too even data is a table at the head of its module, always
of the same rows: no query, one query, two queries, all 0, one value, one query that differs, two
values, not finite. The tables of tests are in :mod:`~abrank.inference.registry` (of pairs) and
:mod:`~abrank.inference.systems.registry` (of many systems).
"""

from typing import TYPE_CHECKING

from abrank._support.docstrings import complete
from abrank._support.lazy import module_getattr
from abrank.inference.estimates.effect_formulas import EFFECT_SIZES
from abrank.inference.estimates.effect_size import effect_interval, effect_size
from abrank.inference.estimates.relative_change import ratio_interval
from abrank.inference.families.adjust import ADJUSTMENTS, adjust
from abrank.inference.families.max_t import max_t
from abrank.inference.paired import bootstrap, permutation, sign_test, t_test, wilcoxon  # noqa: F401 - register
from abrank.inference.registry import PARAMETERS, TESTS, paired_test, run_test
from abrank.inference.result import Answer, TestResult

if TYPE_CHECKING:
    from abrank.inference.designs.aa_test import check_level
    from abrank.inference.designs.bayes import bayesian_bootstrap, log_bayes_factor, t_posterior
    from abrank.inference.designs.clusters import run_cluster_test
    from abrank.inference.designs.equivalence import relative_tost, tost
    from abrank.inference.designs.group_sequential import run_at_looks
    from abrank.inference.designs.meta_analysis import pool_collections
    from abrank.inference.designs.prediction_powered import (
        run_prediction_powered,
        worth_interval,
    )
    from abrank.inference.designs.sequential import asymptotic_sequence, betting_sequence
    from abrank.inference.designs.stopping import stopping_boundaries
    from abrank.inference.estimates.influence import leave_out
    from abrank.inference.estimates.outliers import rosner_outliers
    from abrank.inference.estimates.segments import compare_segments
    from abrank.inference.estimates.shape import describe_shape
    from abrank.inference.systems.anova import two_way_anova
    from abrank.inference.systems.friedman import critical_difference, friedman_test
    from abrank.inference.systems.letters import group_letters
    from abrank.inference.systems.pairs import JointAnswer, JointResult, Pairs
    from abrank.inference.systems.registry import JOINT_TESTS, joint_test, run_joint_test
    from abrank.inference.systems.stability import kendall_tau, rank_stability, tau_ap
    from abrank.inference.systems.strata import compare_within_collections
    from abrank.inference.systems.within import within_query_interval

# What an everyday comparison does without is imported when it is asked for.
_ON_DEMAND = {
    "designs.aa_test": "check_level",
    "designs.bayes": "bayesian_bootstrap log_bayes_factor t_posterior",
    "designs.clusters": "run_cluster_test",
    "designs.equivalence": "relative_tost tost",
    "designs.group_sequential": "run_at_looks",
    "designs.meta_analysis": "pool_collections",
    "designs.prediction_powered": "run_prediction_powered worth_interval",
    "designs.sequential": "asymptotic_sequence betting_sequence",
    "designs.stopping": "stopping_boundaries",
    "estimates.influence": "calls_without leave_out",
    "estimates.outliers": "rosner_outliers",
    "estimates.segments": "compare_segments",
    "estimates.shape": "describe_shape",
    "systems.anova": "two_way_anova",
    "systems.friedman": "critical_difference friedman_test",
    "systems.letters": "group_letters",
    "systems.pairs": "JointAnswer JointResult Pairs",
    "systems.registry": "JOINT_TESTS joint_test run_joint_test",
    "systems.stability": "kendall_tau rank_stability tau_ap",
    "systems.strata": "compare_within_collections",
    "systems.within": "within_query_interval",
}

__all__ = [
    "ADJUSTMENTS",
    "EFFECT_SIZES",
    "JOINT_TESTS",
    "TESTS",
    "Answer",
    "JointAnswer",
    "JointResult",
    "Pairs",
    "TestResult",
    "adjust",
    "asymptotic_sequence",
    "bayesian_bootstrap",
    "betting_sequence",
    "calls_without",
    "check_level",
    "compare_segments",
    "compare_within_collections",
    "critical_difference",
    "describe_shape",
    "effect_interval",
    "effect_size",
    "friedman_test",
    "group_letters",
    "joint_test",
    "kendall_tau",
    "leave_out",
    "log_bayes_factor",
    "max_t",
    "paired_test",
    "pool_collections",
    "rank_stability",
    "ratio_interval",
    "relative_tost",
    "rosner_outliers",
    "run_at_looks",
    "run_cluster_test",
    "run_joint_test",
    "run_prediction_powered",
    "run_test",
    "stopping_boundaries",
    "t_posterior",
    "tau_ap",
    "tost",
    "two_way_anova",
    "within_query_interval",
    "worth_interval",
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
