"""Segments of the queries: the difference in each, and whether they differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.segments import SegmentTest, answer_by_segment, heterogeneity
from reports.studies.calibration.cells import LEVELS, Asked, below, visible
from reports.studies.calibration.parts.part import Batch, Part, between

N_SEGMENTS = 3
POWER = 0.6


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask about segments of n queries each, every one from a pair of its own; the first moved."""
    pairs = batch.material.pairs
    chosen = [pairs[place] for place in batch.random.permutation(len(pairs))[:N_SEGMENTS]]
    truth = np.zeros(N_SEGMENTS)
    truth[0] = chosen[0].spread * visible(batch.n, POWER)
    parts = [
        pair.draw(batch.n, batch.count, batch.random)[:, :, 0] + move
        for pair, move in zip(chosen, truth, strict=True)
    ]
    large = np.ones(N_SEGMENTS, np.bool_)
    answers = answer_by_segment(parts, large, LEVELS[0], SegmentTest("t"), skewed=True)
    yield _of_segments("t allowing for skewness, Holm", answers[3:], truth)
    yield _of_segments("t in each segment, unadjusted", answers[:3], truth)
    counts = np.full(N_SEGMENTS, float(batch.n))
    means = np.array([part.mean(axis=0) for part in parts])
    variances = np.array([part.var(axis=0, ddof=1) for part in parts])
    interaction = [
        heterogeneity(counts, mean, variance)
        for mean, variance in zip(means.T, variances.T, strict=True)
    ]
    for test, name in (("Welch", "pvalue"), ("Cochran", "q_pvalue")):
        pvalue = np.array([getattr(item, name) for item in interaction])
        yield Asked(f"interaction, {test}", found=(pvalue < LEVELS[0],))


def _of_segments(test: str, answers: FloatArray, truth: FloatArray) -> Asked:
    """Count false findings in any segment, all intervals that hold, and all that is there found."""
    pvalue, low, high = answers
    # A segment of one value has no p-value.
    to_num = np.nan_to_num(pvalue, nan=1.0)
    still = truth == 0.0
    power = np.all(to_num[~still] < LEVELS[0], axis=0)
    covers = np.all(between(low, truth[:, None], high) | np.isnan(pvalue), axis=0)
    return Asked(test, below(to_num[still].min(axis=0)), covers, (power,))


SEGMENTS = (
    Part(
        "segments",
        "queries of a segment",
        f"{N_SEGMENTS} segments of n queries each, every one from a pair of its own; the first"
        " truly has a difference, which the t test alone shows with 60 %. False is a finding in any"
        f" other; covered are all {N_SEGMENTS}. How often segments that do not differ are said to"
        " differ stands with the collections: one test serves both.",
        ask,
        "How often the difference is found, and that the segments differ.",
    ),
)
