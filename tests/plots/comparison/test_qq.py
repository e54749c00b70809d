from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.plots import qq


def points(ax) -> np.ndarray:
    (drawn,) = [line for line in ax.lines if line.get_marker() == "o"]
    return np.array(drawn.get_data())


def test_points_are_the_standardised_differences(comparison_of):
    differences = np.sort(comparison_of(60).differences())
    x, y = points(qq(comparison_of(60)))
    assert y == pytest.approx((differences - differences.mean()) / differences.std(ddof=1))
    assert x == pytest.approx(stats.norm.ppf((np.arange(1, 61) - 0.375) / 60.25))


def test_the_moments_stand_under_the_axis(comparison_of):
    differences = comparison_of(250, "many ties").differences()
    shown = [
        f"{value:+.1f}".replace("-", "−")
        for value in (stats.skew(differences), stats.kurtosis(differences))
    ]
    label = qq(comparison_of(250, "many ties")).get_xlabel()
    assert label.endswith(f"\nskew {shown[0]}, excess kurtosis {shown[1]}")


def test_of_thousands_some_are_drawn_with_both_ends(comparison_of):
    differences = comparison_of(7000).differences()
    x, y = points(qq(comparison_of(7000)))
    assert len(x) <= 400
    ends = np.array([differences.min(), differences.max()])
    assert y[[0, -1]] == pytest.approx((ends - differences.mean()) / differences.std(ddof=1))


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [
        (0, "normal", "No queries: nothing to draw."),
        (1, "normal", "Only 1 query: too few"),
        (9, "normal", "Only 9 queries: too few"),
        (30, "constant", "The difference is +0.050 on every query"),
        (30, "identical", "The difference is 0.000 on every query"),
    ],
)
def test_a_sentence_where_there_is_no_law(n, kind, sentence, comparison_of):
    (text,) = qq(comparison_of(n, kind)).texts
    assert text.get_text().replace("\n", " ").startswith(sentence)
