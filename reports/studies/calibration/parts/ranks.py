"""Coverage of the Wilcoxon test's interval of the pseudo-median."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference import run_test
from abrank.inference.rounding import round_off
from reports.studies.calibration.cells import EXACT_RANKS, Asked
from reports.studies.calibration.parts.part import Batch, Part, between
from reports.studies.calibration.populations import Pair

DECIMALS = 10
# Limits nearer to a value than this are the value: nothing is printed to more digits.
PRINTED = 1e-9


def pseudo_median(pair: Pair) -> tuple[float, float]:
    """Return the least and the largest median of the mean of two draws of decided queries.

    As the test drops ties, so are they left out here. The two are one number but where the
    distribution of the mean has a gap at exactly one half.

    Examples
    --------
    >>> values = np.array([[-0.1], [0.0], [0.3]])
    >>> pseudo_median(Pair(values, np.array([0.6, 0.2, 0.2])))
    (-0.1, -0.1)
    """
    values = round_off(pair.differences[:, 0])
    decided = values != 0.0
    values, weights = values[decided], pair.weights[decided] / pair.weights[decided].sum()
    # To the decimals of the differences, which are whole steps: equal sums are one point.
    sums = (np.round(values[:, None] + values, DECIMALS) + 0.0).ravel()
    points, place = np.unique(sums, return_inverse=True)
    below = np.cumsum(np.bincount(place, np.outer(weights, weights).ravel()))
    half = np.searchsorted(below, [0.5 - 1e-12, 0.5 + 1e-12])
    low, high = points[half] / 2.0
    return float(low), float(high)


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask whether the interval holds a median of the law; samples of ties only say nothing."""
    pairs = batch.material.pairs
    pair = pairs[batch.turn % len(pairs)]
    d = pair.draw(batch.n, batch.count, batch.random)[:, :, 0]
    low, high = _run(d)
    minimum, largest = pseudo_median(pair)
    tied = ~d.any(axis=0)
    held = (low <= largest + PRINTED) & (high >= minimum - PRINTED)
    yield Asked("wilcoxon, of the pseudo-median", covers=held | tied)
    accepted = (low <= largest) & (high >= minimum)
    yield Asked("wilcoxon, of the pseudo-median as tested", covers=accepted | tied)
    yield Asked("wilcoxon, of the mean", covers=between(low, 0.0, high))


def _run(d: FloatArray) -> tuple[FloatArray, FloatArray]:
    method = "exact" if len(d) <= EXACT_RANKS else "asymptotic"
    test = run_test("wilcoxon", d, method=method)
    return test.ci_low, test.ci_high


RANKS = (
    Part(
        "ranks",
        "queries",
        "The pseudo-median is the median of the mean of two draws; of decided queries, since the"
        " test drops ties. Where scores have few values it is a mean that many pairs of queries"
        " have, and the test of exactly that value counts those by half: it may reject it though"
        " the interval ends there, moved in the last digit only. As printed such an interval holds"
        " the value, which is the first line; the second is what the test decides. The third is how"
        " often the same interval holds the mean.",
        ask,
    ),
)
