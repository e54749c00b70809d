"""Paired tests, intervals and effect sizes: arrays in, arrays out.

Nothing here knows what is measured. Rows are queries, the query pairs the two systems, columns are
comparisons, and a difference is always candidate minus baseline.

What an analysis says of too little or too even data is a table at the head of its module, always
of the same rows: no query, one query, two queries, all 0, one value, one query that differs, two
values, not finite. The tables of tests are in :mod:`~abrank.inference.catalogue` (of pairs) and
:mod:`~abrank.inference.systems` (of many systems).
"""

from abrank.inference import (  # noqa: F401 - register
    bootstrap,
    friedman,
    orders,
    pairwise,
    permutation,
    sign,
    student,
    tukey,
    wilcoxon,
)
from abrank.inference.anova import Anova, two_way_anova
from abrank.inference.bayes import Posterior, bayesian_bootstrap, log_bayes_factor, t_posterior
from abrank.inference.catalogue import TESTS, PairedTest, paired_test, run_test
from abrank.inference.clusters import ClusterResult, run_cluster_test
from abrank.inference.effect import EFFECT_SIZES, EffectInterval, effect_interval, effect_size
from abrank.inference.equivalence import Equivalence, relative_tost, tost
from abrank.inference.friedman import Friedman, critical_difference, friedman_test
from abrank.inference.group_sequential import GroupSequential, run_at_looks
from abrank.inference.groups import find_cliques, find_groups, group_letters
from abrank.inference.heterogeneity import Heterogeneity
from abrank.inference.influence import Influence, leave_out
from abrank.inference.joint import MaxT, max_t
from abrank.inference.multiplicity import ADJUSTMENTS, adjust
from abrank.inference.pairs import JointAnswer, JointResult, Pairs
from abrank.inference.pooling import Pooled, pool_collections
from abrank.inference.relative import RatioInterval, ratio_interval
from abrank.inference.result import Answer, TestResult
from abrank.inference.segments import Segments, compare_segments
from abrank.inference.self_check import SelfCheck, check_level
from abrank.inference.sequential import ConfidenceSequence, asymptotic_sequence, betting_sequence
from abrank.inference.shape import Shape, describe_shape, find_outliers
from abrank.inference.stopping import Boundaries, stopping_boundaries
from abrank.inference.systems import JOINT_TESTS, JointTest, joint_test, run_joint_test
from abrank.inference.within import within_query_interval

__all__ = [
    "ADJUSTMENTS",
    "EFFECT_SIZES",
    "JOINT_TESTS",
    "TESTS",
    "Anova",
    "Answer",
    "Boundaries",
    "ClusterResult",
    "ConfidenceSequence",
    "EffectInterval",
    "Equivalence",
    "Friedman",
    "GroupSequential",
    "Heterogeneity",
    "Influence",
    "JointAnswer",
    "JointResult",
    "JointTest",
    "MaxT",
    "PairedTest",
    "Pairs",
    "Pooled",
    "Posterior",
    "RatioInterval",
    "Segments",
    "SelfCheck",
    "Shape",
    "TestResult",
    "adjust",
    "asymptotic_sequence",
    "bayesian_bootstrap",
    "betting_sequence",
    "check_level",
    "compare_segments",
    "critical_difference",
    "describe_shape",
    "effect_interval",
    "effect_size",
    "find_cliques",
    "find_groups",
    "find_outliers",
    "friedman_test",
    "group_letters",
    "joint_test",
    "leave_out",
    "log_bayes_factor",
    "max_t",
    "paired_test",
    "pool_collections",
    "ratio_interval",
    "relative_tost",
    "run_at_looks",
    "run_cluster_test",
    "run_joint_test",
    "run_test",
    "stopping_boundaries",
    "t_posterior",
    "tost",
    "two_way_anova",
    "within_query_interval",
]
