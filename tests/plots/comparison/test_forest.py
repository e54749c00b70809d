from __future__ import annotations

import itertools

import numpy as np
import pytest

from abrank.plots import LIGHT, forest


def bars(ax, width):
    """Intervals of a line width, by row."""
    found = {}
    for line in ax.lines:
        if (
            line.get_linewidth() == width
            and len(line.get_xdata()) == 2
            and line.get_marker() == "None"
        ):
            found[int(line.get_ydata()[0])] = tuple(line.get_xdata())
    return found


def test_rows_are_the_table_with_the_primary_first(comparison_of):
    import dataclasses

    made = comparison_of(60)
    rule = dataclasses.replace(made.rule, primary="AP")
    ax = forest(dataclasses.replace(made, rule=rule))
    labels = ax.get_yticklabels()
    assert [label.get_text() for label in labels] == ["AP", "nDCG@10", "RR"]
    assert [label.get_fontweight() for label in labels] == ["bold", "normal", "normal"]
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert [line.get_xdata().tolist() for line in diamonds] == [[made["AP"].estimate]]


def test_thick_is_the_plain_interval_and_thin_the_adjusted(comparison_of):
    comparison = comparison_of(60)
    ax = forest(comparison)
    assert bars(ax, 4.5) == {i: (r.ci_low, r.ci_high) for i, r in enumerate(comparison.rows)}
    assert bars(ax, 1.4) == {
        i: (r.ci_low_adj, r.ci_high_adj) for i, r in enumerate(comparison.rows) if i > 0
    }


@pytest.mark.parametrize("shift", [-0.06, 0.0, 0.06])
def test_colour_glyph_and_numbers_follow_the_adjusted_reading(shift, comparison_of):
    comparison = comparison_of(60, shift=shift)
    ax = forest(comparison)
    texts = [text.get_text() for text in ax.texts][4:]
    dots = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    for place, row in enumerate(comparison.rows):
        glyph, delta, p = texts[3 * place : 3 * place + 3]
        assert glyph == {"better": "▲", "worse": "▼", "unclear": "?"}[row.reading]
        assert delta == f"{row.estimate:+.3f}".replace("-", "−")
        assert p == (f"{row.pvalue_adj:.3f}" if row.pvalue_adj >= 0.001 else "< 0.001")
        assert dots[place].get_color() == LIGHT.of_reading(row.reading)
        excludes = row.ci_low_adj > 0 or row.ci_high_adj < 0
        assert (dots[place].get_color() != LIGHT.muted) is excludes


@pytest.mark.parametrize(
    ("how", "title"),
    [({}, "p adj."), ({"measures": ("AP",)}, "p"), ({"adjust": "none"}, "p")],
)
def test_the_column_says_whether_p_is_adjusted(how, title, comparison_of):
    assert title in [text.get_text() for text in forest(comparison_of(30, **how)).texts]


def test_a_measure_on_another_scale_is_named_and_not_drawn(comparison_of):
    ax = forest(comparison_of(30, measures=("AP", "NumRelRet", "alpha_nDCG@10", "my score")))
    assert [t.xy[1] for t in ax.texts if "another scale" in t.get_text()] == [1]
    assert sorted(bars(ax, 4.5)) == [0, 2, 3]


def test_a_row_without_an_interval_says_so(comparison_of):
    import dataclasses

    made = comparison_of(30)
    rows = (made.rows[0], dataclasses.replace(made.rows[1], ci_low=np.nan, ci_high=np.nan))
    ax = forest(dataclasses.replace(made, rows=rows))
    assert [t.xy[1] for t in ax.texts if t.get_text() == "no interval"] == [1]


def test_no_queries_make_a_sentence(comparison_of):
    assert [t.get_text() for t in forest(comparison_of(0)).texts] == [
        "No queries: nothing to draw."
    ]


def test_the_sign_test_names_its_unit(comparison_of):
    assert "net share" in forest(comparison_of(30, test="sign")).get_xlabel()


def test_equal_scores_have_a_frame_around_zero(comparison_of):
    low, high = forest(comparison_of(30, "identical")).get_xlim()
    assert (low, high) == (-0.1, 0.1)


@pytest.mark.parametrize("n", [5, 30, 300, 3000])
def test_ticks_in_a_column_do_not_run_together(n, comparison_of):
    ax = comparison_of(n).plot.forest(width="column").axes
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    boxes = [
        tick.label1.get_window_extent()
        for tick in ax.xaxis.get_major_ticks()
        if low <= tick.get_loc() <= high
    ]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
