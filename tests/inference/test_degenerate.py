"""Tests of too few, too even, endless differences: every cell of their tables."""

from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_joint_test, run_test
from abrank.inference.clusters import run_cluster_test
from abrank.inference.families import max_t
from abrank.inference.systems.friedman import critical_difference, friedman_test, two_way_anova
from abrank.inference.systems.pairwise import within_query_interval
from tests.inference.degenerate import (
    HALF,
    INF,
    NAN,
    ONE,
    ROWS,
    SPREAD,
    TWO,
    by_t,
    half_width,
    nothing,
)
from tests.inference.degenerate_sizes import SIZES

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
