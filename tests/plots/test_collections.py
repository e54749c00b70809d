"""The forest of several collections."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Polygon

from abrank.collections import compare_collections


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(3)
    given = {}
    for name, shift in (("x", 0.1), ("y", 0.02), ("z", 0.2)):
        a = random.uniform(0, 0.6, 12)
        queries = [f"q{i}" for i in range(12)]
        b = a + random.normal(shift, 0.1, 12)
        given[name] = (dict(zip(queries, a, strict=True)), dict(zip(queries, b, strict=True)))
    return compare_collections(given)


def test_three_diamonds_as_wide_as_their_intervals(found) -> None:
    axes = found.plot.forest().axes
    drawn = [patch.get_xy() for patch in axes.patches if isinstance(patch, Polygon)]
    diamonds = [each for each in drawn if len(each) == 5 and np.ptp(each[:, 1]) < 0.6]
    limits = [(each[:, 0].min(), each[:, 0].max()) for each in diamonds]
    summary = found.primary
    assert limits == [
        pytest.approx((each.ci_low, each.ci_high))
        for each in (summary.stratified, summary.equal, summary.random)
    ]


def test_the_prediction_interval_is_a_line_through_the_last(found) -> None:
    axes = found.plot.forest().axes
    ends = [tuple(line.get_xdata()) for line in axes.lines if set(line.get_ydata()) == {5}]
    assert (found.primary.prediction_low, found.primary.prediction_high) in ends


def test_of_very_many_collections_the_largest_are_drawn() -> None:
    a = {f"q{i}": (3 * i % 7) / 10 for i in range(5)}
    b = {query: value**2 + 0.2 for query, value in a.items()}
    three = dict(list(a.items())[:3]), dict(list(b.items())[:3])
    # Forty of three queries each, and the largest stands last.
    given = {f"c{i}": three for i in range(40)} | {"largest": (a, b)}
    axes = compare_collections(given).plot.forest().axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[:-3] == [*(f"c{i}" for i in range(39)), "largest"]
    assert "\nthe largest 40 of 41 collections" in axes.get_xlabel()
