"""Clopper and Pearson's interval, against scipy."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from abrank._support.errors import ArgumentError
from abrank.inference.designs.binomial import clopper_pearson


@pytest.mark.parametrize(("count", "total"), [(0, 20), (1, 20), (13, 20), (20, 20), (500, 10_000)])
@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_against_scipy(count, total, confidence) -> None:
    expected = binomtest(count, total).proportion_ci(confidence, "exact")
    found = clopper_pearson(count, total, confidence=confidence)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_tried_nothing_known() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("count", "total"), [(-1, 5), (6, 5)])
def test_counts_without_meaning(count, total) -> None:
    with pytest.raises(ArgumentError, match="count must lie"):
        clopper_pearson(count, total)
