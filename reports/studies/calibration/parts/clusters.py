"""Queries in clusters: the tests that know of them, and one that does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import IntArray
from abrank.inference import TestResult, run_test
from abrank.inference.clusters import CLUSTER_TESTS, ClusterResult, run_cluster_test
from reports.studies.calibration.cells import Asked, below, visible
from reports.studies.calibration.parts.part import Batch, Part, between, outside

MEAN_SIZE = 4
LARGEST_SIZE = 20
# The share of the variance of a difference that its cluster makes.
CORRELATION = 0.2
N_DRAWN = 200
ONE_IN = 10
POWER = 0.6


def ask_even(batch: Batch) -> Iterator[Asked]:
    """Ask about clusters of one size."""
    return _ask(batch, np.full(batch.n, MEAN_SIZE), ("t",))


def ask_uneven(batch: Batch) -> Iterator[Asked]:
    """Ask about clusters of many sizes, small ones the most."""
    sizes = batch.random.geometric(1.0 / MEAN_SIZE, batch.n)
    return _ask(batch, np.minimum(sizes, LARGEST_SIZE), CLUSTER_TESTS)


def ask_dominant(batch: Batch) -> Iterator[Asked]:
    """Ask about clusters of which one has as many queries as all others together."""
    sizes = np.full(batch.n, MEAN_SIZE)
    sizes[0] *= batch.n - 1
    return _ask(batch, sizes, CLUSTER_TESTS)


def _ask(batch: Batch, sizes: IntArray, tests: tuple[str, ...]) -> Iterator[Asked]:
    """Ask about differences that are a query's own part and one of its cluster, as in the pair."""
    pairs = batch.material.pairs
    pair = pairs[batch.turn % len(pairs)]
    cluster = np.repeat(np.arange(batch.n), sizes)
    custom = pair.draw(len(cluster), batch.count, batch.random)[:, :, 0]
    common = pair.draw(batch.n, batch.count, batch.random)[cluster, :, 0]
    d = np.sqrt(1.0 - CORRELATION) * custom + np.sqrt(CORRELATION) * common
    d = np.round(d, 4)
    of_mean = CORRELATION + (1.0 - CORRELATION) / MEAN_SIZE
    move = pair.spread * np.sqrt(of_mean) * visible(batch.n, POWER)
    seed = batch.seed()
    result: dict[str, ClusterResult | TestResult] = {"t, clusters ignored": run_test("t", d)}
    for name in tests:
        result[f"{name}, by cluster"] = run_cluster_test(
            name, d, cluster.tolist(), seed=seed, n_resamples=N_DRAWN
        )
    for test, answer in result.items():
        low, high = answer.ci_low, answer.ci_high
        power = outside(low + move, 0.0, high + move)
        yield Asked(test, below(answer.pvalue), between(low, 0.0, high), (power,))


_WORDS = (
    "A cluster brings a fifth of the variance of a difference, so that two queries of one have a"
    f" correlation of {CORRELATION}; the tests that draw take {N_DRAWN} flips or resamples."
)
_POWER = "How often a difference is found that t on means of clusters shows with 60 %."
CLUSTERS = (
    Part("clusters of one size", "clusters", f"{MEAN_SIZE} queries each. {_WORDS}", ask_even,
         _POWER, one_in=ONE_IN),
    Part(
        "clusters of many sizes", "clusters",
        f"From one query to {LARGEST_SIZE}, {MEAN_SIZE} on average, a quarter of them of one"
        f" query. {_WORDS}",
        ask_uneven, _POWER, one_in=ONE_IN,
    ),
    Part(
        "one cluster with half of the queries", "clusters",
        f"One has as many queries as all others together, which have {MEAN_SIZE} each: as much"
        f" evidence as four clusters of one size, however many there are. {_WORDS}",
        ask_dominant, _POWER, one_in=ONE_IN,
    ),
)  # fmt: skip
