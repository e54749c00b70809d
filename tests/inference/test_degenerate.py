"""Tests of too few, too even, endless differences: every cell of their tables."""

from importlib import import_module

import numpy as np
import pytest
from scipy import optimize, special, stats

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
    "two values": [-0.1] * 4 + [0.3] * 4,
}  # fmt: skip
# The means, their standard errors and degrees of freedom, where there are errors.
TWO, ONE, HALF = (0.2, 0.1, 1), (0.1, 0.1, 7), (0.1, 0.2 / np.sqrt(7), 7)
SPREAD = (TWO, ONE, HALF)


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


def by_noncentral_t(n, freedom, t, factor=1.0):
    low, high = (
        optimize.brentq(lambda c: stats.nct.sf(t, freedom, c) - tail, -9, 12)  # noqa: B023
        for tail in (0.025, 0.975)
    )
    return tuple(factor * c / np.sqrt(n) for c in (t, low, high))


def hedges(freedom):
    return special.gamma(freedom / 2) / np.sqrt(freedom / 2) / special.gamma((freedom - 1) / 2)


def by_score(size, share, unit=lambda value: value):
    """The rho at which (size - rho)**2 is z**2 (1 - rho**2) share, by its two roots."""
    z = stats.norm.isf(0.025) ** 2 * share
    low, high = sorted(np.roots([1 + z, -2 * size, size**2 - z]))
    return unit(size), unit(low), unit(high)


def share_of_wins(net):
    return (1 + net) / 2


def effect_cells(name):
    sizes = (2, 8, 8)
    t = [mean / error for mean, error, _ in SPREAD]
    unknown = (NAN, -INF, INF)
    zero = (0, 0, 0)
    if name in ("rank_biserial", "p_better"):
        if name == "p_better":
            # By one coin a query; of the one that differs the variance is 1/8 - 1/64.
            two, flat, first, half = (
                by_score(net, share, share_of_wins)
                for net, share in ((1, 1 / 2), (1, 1 / 8), (1 / 8, 7 / 63 / 8), (0, 1 / 8))
            )
            return [nothing(3), (1, 0, 1), two, (0.5, 0.5, 0.5), flat, first, half]
        # Sum of squared ranks over the square of their sum: 1 2; 4.5 eight times; 2.5 and 6.5.
        two, flat, first, half = (
            by_score(size, share)
            for size, share in ((1, 5 / 9), (1, 1 / 8), (1, 1), (16 / 36, 194 / 1296))
        )
        return [nothing(3), (1, -1, 1), two, zero, flat, first, half]
    if name == "glass_delta":
        # A baseline of one score has no unit.
        return [nothing(3), unknown, unknown, zero, unknown, unknown, unknown]
    if name == "d_av":
        # sqrt(2) d_z; its error, 1 and 1/2 where the squares are equal, 5/16 by the outlier.
        two, first, half = (
            (size, size - half_width(e, f), size + half_width(e, f))
            for size, e, f in ((2, 1, 1), (0.5, 5 / 16, 7), (np.sqrt(7) / 4, 0.5, 7))
        )
        return [nothing(3), unknown, two, zero, unknown, first, half]
    two, first, half = (
        by_noncentral_t(n, n - 1, item, hedges(n - 1) if name == "hedges_g" and n > 2 else 1.0)
        for n, item in zip(sizes, t, strict=True)
    )
    return [nothing(3), unknown, unknown if name == "hedges_g" else two, zero, unknown, first, half]


def level(test, by):
    return lambda d: (check_level(test, d, by=by, n_replications=2000).rate,)


def pooled(d):
    collections = pool_collections([d, d])
    assert collections.tau == 0.0
    return [
        value for item in (collections.stratified, collections.fixed, collections.random)
        for value in (item.estimate, item.pvalue)
    ]  # fmt: skip


def pooled_twice(mean, error, freedom):
    """Two equal collections: twice the freedom, a normal law, and one collection's freedom."""
    t = np.sqrt(2) * mean / error
    return (
        mean, 2 * stats.t.sf(t, 2 * freedom), mean, 2 * stats.norm.sf(t), mean,
        2 * stats.t.sf(t, 1),
    )  # fmt: skip


POOLED = [nothing(6), (0.1, *nothing(5)), pooled_twice(*TWO), (0, 1) * 3, (0.1, *nothing(5)),
          pooled_twice(*ONE), pooled_twice(*HALF)]  # fmt: skip


def segments(d):
    result = compare_segments([*d, *d], ["x"] * len(d) + ["y"] * len(d))
    if not result.labels:
        return nothing(5)
    return (result.pvalue[0], result.pvalue_adj[0], result.ci_low_adj[0], result.ci_high_adj[0],
            result.interaction.pvalue)  # fmt: skip


def segment_twice(mean, error, freedom, skewness=0.0):
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
            segment_twice(*ONE, stats.skew(ROWS["one query differs"])),
            segment_twice(*HALF)]  # fmt: skip


# What is asked, the cells in the order of ROWS, and what a drawn answer may be off by.
SIZES = {
    **{name: (effect(name), effect_cells(name), 0) for name in EFFECT_SIZES},
    # 16 of the 256 signs have t = 3, of one value; 22 a t of 2.39 or more, of two.
    "self-check t": (level("t", "flips"), [(v,) for v in
                     (NAN, 0, 0, 0, 16 / 256, 0, 22 / 256)], 0.02),
    "self-check permutation": (level("permutation", "flips"), [(v,) for v in
                               (NAN, 0, 0, 0, 2 / 256, 0, 10 / 256)], 0.013),
    "self-check halves": (level("t", "halves"), [(v,) for v in (NAN, NAN, 0, 0, 0, 0, 0)], 0),
    "pooling": (pooled, POOLED, 0),
    "segments": (segments, SEGMENTS, 0),
}  # fmt: skip


# --- Tests of one sample and of many systems


# Sign flips of four .1 and four .3 whose sum is at least the .8 observed: 36 of 256, on each side.
FLIPS = 72 / 256
# How often the .8 is drawn in 8, and how often a .3: the two bootstrap laws.
DRAWN_ONE, DRAWN_HALF = stats.binom(8, 1 / 8), stats.binom(8, 1 / 2)
# Resamples of the two values whose t (about the mean) reaches the 1.32 observed: |k - 4| >= 2.
BOOTSTRAP_T = 2 * DRAWN_HALF.cdf(2)


UNKNOWN = (0.1, NAN, -INF, INF)
SAME = (0.0, 1.0, 0.0, 0.0)
T = [nothing(4), UNKNOWN, by_t(*TWO), SAME, UNKNOWN, by_t(*ONE), by_t(*HALF)]
# The 6th and the 250th of the 255 means of subsets; .8 is in 128 of them, with up to 7 zeros.
PERMUTATION = [
    nothing(4), (0.1, 1, -INF, INF), (0.2, 0.5, -INF, INF), SAME, (0.1, 2**-7, 0.1, 0.1),
    (0.1, 1, 0, 0.4), (0.1, FLIPS, -0.1, 0.3),
]  # fmt: skip
# The largest |z| of all flips that is not rejected is 1.2 / sqrt(.4) for the two values.
MAX_T = [
    *PERMUTATION[:5], (0.1, 1, -INF, INF),
    (0.1, FLIPS, 0.1 - 0.2 * np.sqrt(9 / 11), 0.1 + 0.2 * np.sqrt(9 / 11)),
]  # fmt: skip


def sign():
    """The share of wins less that of losses, by Clopper and Pearson."""

    def all_won(n):
        return 2 * 0.025 ** (1 / n) - 1

    low = 2 * stats.beta.ppf(0.025, 4, 5) - 1
    return [
        nothing(4), (1, 1, -INF, INF), (1, 0.5, all_won(2), 1), SAME, (1, 2**-7, all_won(8), 1),
        (1, 1, all_won(1), 1), (0, 1, low, -low),
    ]  # fmt: skip


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
         (1 / 8, normal(1)), (0, 1)]  # fmt: skip
CONOVER = [nothing(2), (1, NAN), (1, NAN), (0, 1), (1, NAN), (1 / 8, by_t(*ONE)[1]), (0, 1)]
FRIEDMAN = [nothing(4), (1, normal(1), NAN, NAN), (2, normal(np.sqrt(2)), NAN, NAN), (0, 1, 0, 1),
            (8, normal(np.sqrt(8)), NAN, NAN), (1, normal(1), 1, by_t(*ONE)[1]),
            (0, 1, 0, 1)]  # fmt: skip


def friedman(d):
    test = friedman_test(block(d))
    return test.chi2, test.pvalue, test.f, test.pvalue_f


def anova(d):
    way_anova = two_way_anova(block(d))
    return way_anova.f, way_anova.pvalue


def within(d):
    low, high = within_query_interval(block(d))
    return low[0], high[1]


def within_cells():
    # A system's own part is half the difference; times sqrt(2) for two systems.
    result = [half_width(error, freedom) / np.sqrt(2) for _, error, freedom in SPREAD]
    two, first, half = ((0.5 - w, 0.5 + m[0] + w) for w, m in zip(result, SPREAD, strict=True))
    return [nothing(2), (-INF, INF), two, (0.5, 0.5), (-INF, INF), first, half]


# What is asked, the cells in the order of ROWS, and what a drawn answer may be off by.
ANALYSES = {
    "t": (run("t"), T, 0),
    "permutation": (run("permutation"), PERMUTATION, 0),
    "wilcoxon": (
        run("wilcoxon"), [*PERMUTATION[:5], (0.8, 1, -INF, INF), (0.1, FLIPS, -0.1, 0.3)], 0,
    ),
    "sign": (run("sign"), sign(), 0),
    # Resamples without spread are too many for a bootstrap-t, so it is the t test.
    "bootstrap": (
        run("bootstrap"),
        [*T[:6], (0.1, BOOTSTRAP_T, 0.1 - 0.6 / 7**0.5, 0.1 + 0.6 / 7**0.5)], 0.02,
    ),
    # Two clusters are fewer than t takes.
    "clusters t": (of_clusters("t"), [*T[:2], (0.2, NAN, -INF, INF), *T[3:]], 0),
    "clusters permutation": (of_clusters("permutation"), PERMUTATION, 0),
    "clusters bootstrap": (
        of_clusters("bootstrap"),
        [*T[:2], (0.2, NAN, -INF, INF), *T[3:5],
         (0.1, DRAWN_ONE.pmf(0) + DRAWN_ONE.sf(2), -INF, INF),
         (0.1, BOOTSTRAP_T, 0.1 - 0.6 / 7**0.5, 0.1 + 0.6 / 7**0.5)],
        0.02,
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
        [*PERMUTATION[:4], (0.1, 2**-7, 0.1 - 0.6 / 8, 0.1 + 0.6 / 8), (0.1, 1, -INF, INF),
         (0.1, FLIPS, 0.1 - 1.2 / 8, 0.1 + 1.2 / 8)], 0,
    ),
    "nemenyi": (joint("nemenyi", "estimate pvalue_adj"), RANKS, 0),
    "bonferroni-dunn": (joint("bonferroni-dunn", "estimate pvalue_adj", baseline=0), RANKS, 0),
    "conover": (joint("conover", "estimate pvalue_adj"), CONOVER, 0),
    "friedman": (friedman, FRIEDMAN, 0),
    "critical difference": (
        lambda d: (critical_difference(friedman_test(block(d)), len(d), 0.05),),
        [(stats.norm.isf(0.025) * root,) for root in
         (NAN, 1, 2**-0.5, NAN, 8**-0.5, 1 / 8, 8**-0.5)], 0,
    ),
    # F = t**2 for two systems.
    "anova": (
        anova, [nothing(2), nothing(2), (4, T[2][1]), (0, 1), nothing(2), (1, T[5][1]),
                (7 / 4, T[6][1])], 0,
    ),
    "within": (within, within_cells(), 0),
    **SIZES,
}  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize("name", ANALYSES)
def test_row_against_theory(name) -> None:
    ask, cells, off = ANALYSES[name]
    result = [ask(d) for d in ROWS.values()]
    np.testing.assert_allclose(result, cells, rtol=1e-7, atol=max(off, 1e-10), err_msg=str(ROWS))


@pytest.mark.every_case
@pytest.mark.parametrize("name", ANALYSES)
def test_what_is_not_finite_is_refused(name) -> None:
    for endless in (INF, -INF, NAN):
        with pytest.raises(ArgumentError, match="finite"):
            ANALYSES[name][0]([0.1] * 7 + [endless])


MODULES = {"registry": 1, "systems.registry": 1}  # how many tables each has; the guide shows them


@pytest.mark.parametrize("name", MODULES)
def test_every_table_has_every_row(name) -> None:
    lines = (import_module(f"abrank.inference.{name}").__doc__ or "").splitlines()
    for row in (*ROWS, "not finite"):
        assert sum(line.startswith(row) for line in lines) >= MODULES[name], (name, row)
