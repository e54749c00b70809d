"""Paired tests, intervals and effect sizes: arrays in, arrays out.

Nothing here knows what is measured. Rows are queries, the query pairs the two systems, columns are
comparisons, and a difference is always candidate minus baseline.

What an analysis says of too little or too even data is a table at the head of its module, always
of the same rows: no query, one query, two queries, all 0, one value, one query that differs, two
values, not finite. The tables of tests are in :mod:`~abrank.inference.registry` (of pairs) and
:mod:`~abrank.inference.systems.registry` (of many systems).
"""

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr
from abrank.inference.estimates.effect_size import (
    EFFECT_SIZES,
    EffectInterval,
    effect_interval,
    effect_size,
)
from abrank.inference.estimates.relative_change import RatioInterval, ratio_interval
from abrank.inference.families.adjust import ADJUSTMENTS, adjust
from abrank.inference.families.max_t import MaxT, max_t
from abrank.inference.paired import bootstrap, permutation, sign_test, t_test, wilcoxon  # noqa: F401 - register
from abrank.inference.registry import TESTS, PairedTest, paired_test, run_test
from abrank.inference.result import Answer, TestResult

if TYPE_CHECKING:
    from abrank.inference.designs.aa_test import AATest, check_level
    from abrank.inference.designs.bayes import (
        Posterior,
        bayesian_bootstrap,
        log_bayes_factor,
        t_posterior,
    )
    from abrank.inference.designs.clusters import ClusterResult, run_cluster_test
    from abrank.inference.designs.equivalence import Equivalence, relative_tost, tost
    from abrank.inference.designs.group_sequential import GroupSequential, run_at_looks
    from abrank.inference.designs.meta_analysis import MetaAnalysis, pool_collections
    from abrank.inference.designs.prediction_powered import (
        PredictionPowered,
        run_prediction_powered,
        welch_pvalue,
    )
    from abrank.inference.designs.sequential import (
        ConfidenceSequence,
        asymptotic_sequence,
        betting_sequence,
    )
    from abrank.inference.designs.stopping import Boundaries, stopping_boundaries
    from abrank.inference.estimates.heterogeneity import Heterogeneity
    from abrank.inference.estimates.influence import Influence, leave_out
    from abrank.inference.estimates.outliers import rosner_outliers
    from abrank.inference.estimates.segments import Segments, compare_segments
    from abrank.inference.estimates.shape import (
        Shape,
        describe_shape,
        find_outliers,
        skewness_limit,
        spread_form,
    )
    from abrank.inference.systems.anova import Anova, two_way_anova
    from abrank.inference.systems.friedman import Friedman, critical_difference, friedman_test
    from abrank.inference.systems.letters import find_cliques, find_groups, group_letters
    from abrank.inference.systems.pairs import JointAnswer, JointResult, Pairs
    from abrank.inference.systems.registry import JOINT_TESTS, JointTest, joint_test, run_joint_test
    from abrank.inference.systems.stability import (
        RankStability,
        kendall_tau,
        rank_stability,
        resample_means,
        tau_ap,
    )
    from abrank.inference.systems.within import within_query_interval

# What an everyday comparison does without is imported when it is asked for.
_ON_DEMAND = {
    "designs.aa_test": "AATest check_level",
    "designs.bayes": "Posterior bayesian_bootstrap log_bayes_factor t_posterior",
    "designs.clusters": "ClusterResult run_cluster_test",
    "designs.equivalence": "Equivalence relative_tost tost",
    "designs.group_sequential": "GroupSequential run_at_looks",
    "designs.meta_analysis": "MetaAnalysis pool_collections",
    "designs.prediction_powered": "PredictionPowered run_prediction_powered welch_pvalue",
    "designs.sequential": "ConfidenceSequence asymptotic_sequence betting_sequence",
    "designs.stopping": "Boundaries stopping_boundaries",
    "estimates.heterogeneity": "Heterogeneity",
    "estimates.influence": "Influence leave_out",
    "estimates.outliers": "rosner_outliers",
    "estimates.segments": "Segments compare_segments",
    "estimates.shape": "Shape describe_shape find_outliers skewness_limit spread_form",
    "systems.anova": "Anova two_way_anova",
    "systems.friedman": "Friedman critical_difference friedman_test",
    "systems.letters": "find_cliques find_groups group_letters",
    "systems.pairs": "JointAnswer JointResult Pairs",
    "systems.registry": "JOINT_TESTS JointTest joint_test run_joint_test",
    "systems.stability": "RankStability kendall_tau rank_stability resample_means tau_ap",
    "systems.within": "within_query_interval",
}

__all__ = [
    "ADJUSTMENTS",
    "EFFECT_SIZES",
    "JOINT_TESTS",
    "TESTS",
    "AATest",
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
    "MetaAnalysis",
    "PairedTest",
    "Pairs",
    "Posterior",
    "PredictionPowered",
    "RankStability",
    "RatioInterval",
    "Segments",
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
    "kendall_tau",
    "leave_out",
    "log_bayes_factor",
    "max_t",
    "paired_test",
    "pool_collections",
    "rank_stability",
    "ratio_interval",
    "relative_tost",
    "resample_means",
    "rosner_outliers",
    "run_at_looks",
    "run_cluster_test",
    "run_joint_test",
    "run_prediction_powered",
    "run_test",
    "skewness_limit",
    "spread_form",
    "stopping_boundaries",
    "t_posterior",
    "tau_ap",
    "tost",
    "two_way_anova",
    "welch_pvalue",
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
