from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from abrank._support.errors import UnknownNameError
from abrank.plots import LIGHT, segments
from abrank.plots.comparison import segments as drawing


def names(ax) -> list[str]:
    return [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]


def intervals(ax, width: float) -> list[tuple[float, float]]:
    return [tuple(line.get_xdata()) for line in ax.lines if line.get_linewidth() == width]


def test_rows_are_the_segments_under_all_queries(comparison_of):
    comparison = comparison_of(250)
    ax = segments(comparison)
    rows = [row for each in comparison.segmentations for row in each.rows]
    labels = [f"{each.name}: {row.label}" for each in comparison.segmentations for row in each.rows]
    assert names(ax) == ["All queries", *labels]
    row = comparison.primary
    assert intervals(ax, 4.5) == [
        (row.ci_low, row.ci_high),
        *((each.ci_low, each.ci_high) for each in rows),
    ]
    assert intervals(ax, 1.4) == [(each.ci_low_adj, each.ci_high_adj) for each in rows]
    dots = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    assert [dot.get_xdata()[0] for dot in dots] == [row.diff, *(each.mean for each in rows)]
    colours = [LIGHT.of_reading(each.reading) for each in (row, *rows)]
    assert [dot.get_color() for dot in dots] == colours
    shown = [text.get_text() for text in ax.texts]
    assert {str(each.n_queries) for each in rows} <= set(shown)


def test_a_dots_area_grows_with_the_root_of_the_queries(comparison_of):
    comparison = comparison_of(250)
    dots = [x for x in segments(comparison).lines if x.get_marker() == "o"]
    counts = [row.n_queries for each in comparison.segmentations for row in each.rows]
    areas = [dot.get_markersize() ** 2 for dot in dots]
    assert np.array(areas) / areas[0] == pytest.approx(np.sqrt(np.array(counts) / counts[0]))


def test_one_property_can_be_chosen(comparison_of):
    comparison = comparison_of(60)
    ax = segments(comparison, by="length")
    assert sorted(names(ax)) == ["1", "2", "3", "4", "All queries"]
    assert "length: do its segments differ? p" in ax.get_xlabel()
    assert "intent" not in ax.get_xlabel()
    with pytest.raises(UnknownNameError, match="length"):
        segments(comparison, by="lenght")


def test_the_largest_of_very_many_are_drawn(comparison_of):
    comparison = comparison_of(250)
    made = comparison.segmentations[0]
    rows = tuple(
        dataclasses.replace(made.rows[0], label=f"s{i}", n_queries=9 if i > 3 else 30 - i)
        for i in range(50)
    )
    many = dataclasses.replace(comparison, segmentations=(dataclasses.replace(made, rows=rows),))
    ax = segments(many)
    assert names(ax)[1:] == [f"intent: s{i}" for i in range(drawing.MOST)]
    assert "; the largest 20 of 50 segments" in ax.get_xlabel()
    assert ax.figure.get_size_inches()[1] == pytest.approx(1.1 + 0.28 * 21)


def test_too_few_queries_have_no_interval(comparison_of):
    ax = segments(comparison_of(10))
    few = [text for text in ax.texts if text.get_text() == "too few queries"]
    expected = [
        np.isnan(row.ci_low_adj) for each in comparison_of(10).segmentations for row in each.rows
    ]
    assert len(few) == sum(expected) > 0


def test_an_estimate_that_is_not_on_the_axis_has_no_dot(comparison_of):
    ax = segments(comparison_of(60, test="sign"))
    assert "net share" in ax.get_xlabel()
    assert [line.get_marker() for line in ax.lines if line.get_marker() in ("o", "D")] == []


@pytest.mark.parametrize("n", [0, 30])
def test_without_segments_there_is_a_sentence(n, comparison_of):
    (text,) = segments(comparison_of(n, segmented=False)).texts
    assert text.get_text() == "No segments of the queries were given."
