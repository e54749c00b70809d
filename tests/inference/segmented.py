"""Segments of differences as a comparison answers them, for tests."""

from types import SimpleNamespace

import numpy as np

from abrank.inference.segments import MIN_QUERIES, SegmentTest, answer_by_segment, describe_segments

FIELDS = ("pvalue", "ci_low", "ci_high", "pvalue_adj", "ci_low_adj", "ci_high_adj")


def compare_segments(d, labels, *, test="t", confidence=0.95, n_resamples=None):
    d = np.asarray(d, np.float64)
    found = describe_segments(d, labels)
    answers = answer_by_segment(
        [d[row][:, None] for row in found.rows], found.n_queries >= MIN_QUERIES,
        round(1 - confidence, 12), SegmentTest(test, 0, n_resamples), skewed=True,
    )[..., 0]  # fmt: skip
    return SimpleNamespace(**vars(found), **dict(zip(FIELDS, answers, strict=True)))
