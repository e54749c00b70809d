"""Tests of too few, too even, endless differences: every cell of their tables."""

from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from abrank._support.errors import ArgumentError
from abrank.inference import EFFECT_SIZES, pool_collections, run_joint_test, run_test
from abrank.inference.aa_test import check_level
from abrank.inference.clusters import run_cluster_test
from abrank.inference.effect_size import effect_interval
from abrank.inference.families import max_t
from abrank.inference.systems.friedman import critical_difference, friedman_test, two_way_anova
from abrank.inference.systems.pairwise import within_query_interval
from tests.inference.segmented import compare_segments

NAN, INF = np.nan, np.inf
ROWS = {
    "no query": [], "one query": [0.1], "two queries": [0.1, 0.3], "all 0": [0.0] * 8,
    "one value, not 0": [0.1] * 8, "one query differs": [0.0] * 7 + [0.8],
}  # fmt: skip
# The means, their standard errors and degrees of freedom, where there are errors.
TWO, ONE = (0.2, 0.1, 1), (0.1, 0.1, 7)
ANY = None  # as of any other sample: held against scipy or a formula in the room's other tests


def half_width(error, freedom, alpha=0.05):
    return stats.t.isf(alpha / 2, freedom) * error


def by_t(mean, error, freedom):
    half = half_width(error, freedom)
    return mean, 2 * stats.t.sf(mean / error, freedom), mean - half, mean + half


def nothing(width):
    return (NAN,) * width


# --- Sizes of effects, streams and pools


def effect(name):
    def ask(d):
        interval = effect_interval(name, np.full(len(d), 0.5), 0.5 + np.asarray(d))
        return interval.estimate[0], interval.ci_low[0], interval.ci_high[0]

    return ask


UNBOUNDED, ZERO = (NAN, -INF, INF), (0, 0, 0)
# Of d_av sqrt(2) d_z; its error is 1, and 5/16 by the outlier.
D_AV = [
    (size, size - half_width(e, f), size + half_width(e, f))
    for size, e, f in ((2, 1, 1), (0.5, 5 / 16, 7))
]
EFFECTS = {
    "d_z": [nothing(3), UNBOUNDED, ANY, ZERO, UNBOUNDED, ANY],
    "hedges_g": [nothing(3), UNBOUNDED, UNBOUNDED, ZERO, UNBOUNDED, ANY],
    "d_av": [nothing(3), UNBOUNDED, D_AV[0], ZERO, UNBOUNDED, D_AV[1]],
    # A baseline of one score has no unit.
    "glass_delta": [nothing(3), UNBOUNDED, UNBOUNDED, ZERO, UNBOUNDED, UNBOUNDED],
    "rank_biserial": [nothing(3), (1, -1, 1), ANY, ZERO, ANY, ANY],
    "p_better": [nothing(3), (1, 0, 1), ANY, (0.5, 0.5, 0.5), ANY, ANY],
}


def level(test, by):
    return lambda d: (check_level(test, d, by=by, n_replications=2000).rate,)


def pooled(d):
    collections = pool_collections([d, d])
    assert collections.tau == 0.0
    return [
        value for item in (collections.stratified, collections.fixed, collections.random)
        for value in (item.estimate, item.pvalue)
    ]  # fmt: skip


POOLED = [nothing(6), (0.1, *nothing(5)), ANY, (0, 1) * 3, (0.1, *nothing(5)), ANY]


def segments(d):
    result = compare_segments([*d, *d], ["x"] * len(d) + ["y"] * len(d))
    if not result.labels:
        return nothing(5)
    return (result.pvalue[0], result.pvalue_adj[0], result.ci_low_adj[0], result.ci_high_adj[0],
            result.interaction.pvalue)  # fmt: skip


def segment_twice(mean, error, freedom, skewness):
    """The limits where both t and t corrected for skewness reach the level of two segments."""
    p, half, n = by_t(mean, error, freedom)[1], half_width(error, freedom, 0.025), freedom + 1
    g, spread = skewness * (1 + 6 / n), error * n**0.5

    def beyond(theta, level):
        size = (mean - theta) / spread
        hall = size + g * size**2 / 3 + g**2 * size**3 / 27 + g / (6 * n)
        return stats.t.cdf(n**0.5 * hall, freedom) - level

    low, high = (
        optimize.brentq(beyond, mean - 9, mean + 9, args=level) for level in (0.9875, 0.0125)
    )
    return p, 2 * p, min(mean - half, low), max(mean + half, high), 1.0


SEGMENTS = [nothing(5), nothing(5), nothing(5), (1, 1, 0, 0, NAN), (NAN, NAN, -INF, INF, NAN),
            segment_twice(*ONE, stats.skew(ROWS["one query differs"]))]  # fmt: skip


# What is asked, the cells in the order of ROWS, and what a drawn answer may be off by.
SIZES = {
    **{name: (effect(name), EFFECTS[name], 0) for name in EFFECT_SIZES},
    # 16 of the 256 signs have t = 3, of one value.
    "self-check t": (
        level("t", "flips"), [(v,) for v in (NAN, 0, 0, 0, 16 / 256, 0)], 0.02),
    "self-check permutation": (
        level("permutation", "flips"), [(v,) for v in (NAN, 0, 0, 0, 2 / 256, 0)], 0.013),
    "self-check halves": (level("t", "halves"), [(v,) for v in (NAN, NAN, 0, 0, 0, 0)], 0),
    "pooling": (pooled, POOLED, 0),
    "segments": (segments, SEGMENTS, 0),
}  # fmt: skip


# --- Tests of one sample and of many systems


UNKNOWN = (0.1, NAN, -INF, INF)
SAME = (0.0, 1.0, 0.0, 0.0)
T = [nothing(4), UNKNOWN, by_t(*TWO), SAME, UNKNOWN, by_t(*ONE)]
# The 6th and the 250th of the 255 means of subsets; .8 is in 128 of them, with up to 7 zeros.
PERMUTATION = [
    nothing(4), (0.1, 1, -INF, INF), (0.2, 0.5, -INF, INF), SAME, (0.1, 2**-7, 0.1, 0.1),
    (0.1, 1, 0, 0.4),
]  # fmt: skip
MAX_T = [*PERMUTATION[:5], (0.1, 1, -INF, INF)]


def run(name, **options):
    def ask(d):
        test = run_test(name, d, **options)
        return test.estimate[0], test.pvalue[0], test.ci_low[0], test.ci_high[0]

    return ask


def of_clusters(name):
    def ask(d):
        cluster_test = run_cluster_test(name, d, list(range(len(d))))
        return (
            cluster_test.estimate[0], cluster_test.pvalue[0], cluster_test.ci_low[0],
            cluster_test.ci_high[0],
        )  # fmt: skip

    return ask


def block(d):
    return np.column_stack([np.full(len(d), 0.5), 0.5 + np.asarray(d)])


def joint(name, fields="estimate pvalue_adj ci_low ci_high", **options):
    def ask(d):
        joint_test = run_joint_test(name, block(d), **options)
        return [getattr(joint_test, field)[0] for field in fields.split()]

    return ask


def normal(z):
    return 2 * stats.norm.sf(z)


# Two systems: 1 ahead of 2 by so much in mean rank, over sqrt(2 variance / n).
RANKS = [nothing(2), (1, normal(1)), (1, normal(np.sqrt(2))), (0, 1), (1, normal(np.sqrt(8))),
         (1 / 8, normal(1))]  # fmt: skip
CONOVER = [nothing(2), (1, NAN), (1, NAN), (0, 1), (1, NAN), (1 / 8, by_t(*ONE)[1])]
FRIEDMAN = [nothing(4), (1, normal(1), NAN, NAN), (2, normal(np.sqrt(2)), NAN, NAN), (0, 1, 0, 1),
            (8, normal(np.sqrt(8)), NAN, NAN), (1, normal(1), 1, by_t(*ONE)[1])]  # fmt: skip


def friedman(d):
    test = friedman_test(block(d))
    return test.chi2, test.pvalue, test.f, test.pvalue_f


def anova(d):
    way_anova = two_way_anova(block(d))
    return way_anova.f, way_anova.pvalue


def within(d):
    low, high = within_query_interval(block(d))
    return low[0], high[1]


# What is asked, the cells in the order of ROWS, and what a drawn answer may be off by.
ANALYSES = {
    "t": (run("t"), T, 0),
    "permutation": (run("permutation"), PERMUTATION, 0),
    "wilcoxon": (run("wilcoxon"), [*PERMUTATION[:5], (0.8, 1, -INF, INF)], 0),
    "sign": (run("sign"), [nothing(4), (1, 1, -INF, INF), ANY, SAME, ANY, ANY], 0),
    # Resamples without spread are too many for a bootstrap-t, so it is the t test.
    "bootstrap": (run("bootstrap"), T, 0),
    # Two clusters are fewer than t takes.
    "clusters t": (of_clusters("t"), [*T[:2], (0.2, NAN, -INF, INF), *T[3:]], 0),
    "clusters permutation": (of_clusters("permutation"), PERMUTATION, 0),
    # An eighth of the draws of eight is the one that differs.
    "clusters bootstrap": (
        of_clusters("bootstrap"),
        [*T[:2], (0.2, NAN, -INF, INF), *T[3:5],
         (0.1, stats.binom.pmf(0, 8, 1 / 8) + stats.binom.sf(2, 8, 1 / 8), -INF, INF)], 0.02,
    ),
    "tukey": (joint("tukey"), T, 0),
    "dunnett": (joint("dunnett", baseline=0), T, 0),
    "pairwise": (joint("pairwise"), T, 0),
    "max-t": (joint("max-t"), MAX_T, 0),
    "max-T step down": (
        lambda d: (np.mean(d) if len(d) else NAN, *(
            getattr(max_t(np.column_stack([d, d])), field)[1]
            for field in ("pvalue_step_down", "ci_low", "ci_high")
        )), MAX_T, 0,
    ),
    "randomised-tukey": (
        joint("randomised-tukey"),
        [*PERMUTATION[:4], (0.1, 2**-7, 0.1 - 0.6 / 8, 0.1 + 0.6 / 8), (0.1, 1, -INF, INF)], 0,
    ),
    "nemenyi": (joint("nemenyi", "estimate pvalue_adj"), RANKS, 0),
    "bonferroni-dunn": (joint("bonferroni-dunn", "estimate pvalue_adj", baseline=0), RANKS, 0),
    "conover": (joint("conover", "estimate pvalue_adj"), CONOVER, 0),
    "friedman": (friedman, FRIEDMAN, 0),
    "critical difference": (
        lambda d: (critical_difference(friedman_test(block(d)), len(d), 0.05),),
        [(stats.norm.isf(0.025) * root,) for root in (NAN, 1, 2**-0.5, NAN, 8**-0.5, 1 / 8)], 0,
    ),
    # F = t**2 for two systems.
    "anova": (
        anova, [nothing(2), nothing(2), (4, T[2][1]), (0, 1), nothing(2), (1, T[5][1])], 0),
    "within": (within, [nothing(2), (-INF, INF), ANY, (0.5, 0.5), (-INF, INF), ANY], 0),
    **SIZES,
}  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize("name", ANALYSES)
def test_row_against_theory(name) -> None:
    ask, cells, off = ANALYSES[name]
    for (row, d), cell in zip(ROWS.items(), cells, strict=True):
        result = ask(d)
        if cell is not ANY:
            np.testing.assert_allclose(result, cell, rtol=1e-7, atol=max(off, 1e-10), err_msg=row)


def test_what_is_not_finite_is_refused() -> None:
    for (ask, *_), endless in product(ANALYSES.values(), (INF, -INF, NAN)):
        with pytest.raises(ArgumentError, match="finite"):
            ask([0.1] * 7 + [endless])
