"""Cells of the tables of sizes and streams of too few, too even differences."""

import numpy as np
from scipy import optimize, special, stats

from abrank.inference import EFFECT_SIZES, pool_collections
from abrank.inference.aa_test import check_level
from abrank.inference.effect_size import effect_interval
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
from tests.inference.segmented import compare_segments


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
