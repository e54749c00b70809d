"""The interval of one system's mean: what the paired tests say of differences, said of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inference.designs.clusters import cluster_sizes, deciding_test, run_cluster_test
from abrank.inference.paired.bounded import bounded
from abrank.inference.registry import run_test
from abrank.inference.rounding import has_spread

MEAN_TESTS = ("bootstrap", "t", "permutation", "bounded")


def mean_interval(
    scores: FloatArray,
    test: str = "t",
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    clusters: Sequence[object] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
) -> tuple[float, float]:
    """Return the limits between which the mean of one system's scores lies.

    They are the means that the test of the centred scores does not reject: Student's t, sign flips
    (each score as far above the mean as below it by the toss of a coin), the studentised bootstrap,
    or bets, which ask for nothing but ``bounds``.

    Parameters
    ----------
    scores : ndarray of shape (n_queries,)
    test : {"t", "permutation", "bootstrap", "bounded"}
    bounds : (float, float)
        Least and largest score that a query can have: no limit lies beyond them.
    clusters : sequence of length n_queries, optional
        The cluster of each query; of too few clusters for the test their flips decide.
    confidence : float
    seed : int
    n_resamples : int, optional

    Returns
    -------
    (float, float)
        The bounds themselves where the test knows nothing: of one query, or of scores that are all
        one value, unless it is "bounded".

    Raises
    ------
    ArgumentError
        If "bounded" is asked about clusters, or about scores without bounds or beyond them.

    Examples
    --------
    >>> scores = np.array([0.2, 0.4, 0.1, 0.7, 0.5, 0.3])
    >>> [round(each, 3) for each in mean_interval(scores, bounds=(0.0, 1.0))]
    [0.14, 0.593]
    """
    checks.one_of("test", test, MEAN_TESTS)
    least, most = bounds
    if test == "bounded":
        if clusters is not None:
            raise ArgumentError("bets are of single queries, which clusters make dependent")
        if not math.isfinite(most - least) or scores.min() < least or scores.max() > most:
            raise ArgumentError("bounded is for scores of a known range, which none leaves")
        # On the range from -1 to 1 a score is what the difference of a bounded measure is.
        centre, half = (least + most) / 2.0, (most - least) / 2.0
        level = np.array([1.0 - confidence])
        bets = bounded(((scores - centre) / half)[:, None], alternative="two-sided", alpha=level)
        low, high = centre + half * bets.ci_low[0], centre + half * bets.ci_high[0]
        return max(least, float(low)), min(most, float(high))
    asked = {"confidence": confidence, "seed": seed, "n_resamples": n_resamples}
    if not has_spread(scores[:, None])[0]:
        return bounds
    found = (
        run_test(test, scores, **asked)  # type: ignore[arg-type]
        if clusters is None
        else run_cluster_test(
            deciding_test(test, cluster_sizes(clusters)), scores, clusters,
            **asked,  # type: ignore[arg-type]
        )
    )  # fmt: skip
    return max(least, float(found.ci_low[0])), min(most, float(found.ci_high[0]))
