"""The tests of ``abrank/plots/intervals.py``."""

import dataclasses

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon

from abrank import ArgumentError, UnknownNameError, compare_collections
from abrank.plots import LIGHT, forest, segments
from abrank.plots import intervals as drawing


def bars(ax, width):
    """Intervals of a line width, by row."""
    result = {}
    for line in ax.lines:
        if (
            line.get_linewidth() == width
            and len(line.get_xdata()) == 2
            and line.get_marker() == "None"
        ):
            result[int(line.get_ydata()[0])] = tuple(line.get_xdata())
    return result


def test_rows_are_the_table_with_the_primary_first(comparison_of):
    comparison = comparison_of(60)
    rule = dataclasses.replace(comparison.rule, primary="AP")
    ax = forest(dataclasses.replace(comparison, rule=rule))
    labels = ax.get_yticklabels()
    assert [label.get_text() for label in labels] == ["AP", "nDCG@10", "RR"]
    assert [label.get_fontweight() for label in labels] == ["bold", "normal", "normal"]
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert [line.get_xdata().tolist() for line in diamonds] == [[comparison["AP"].estimate]]


def test_thick_is_the_plain_interval_and_thin_the_adjusted(comparison_of):
    comparison = comparison_of(60)
    ax = forest(comparison)
    assert bars(ax, 4.5) == {i: (r.ci_low, r.ci_high) for i, r in enumerate(comparison.rows)}
    assert bars(ax, 1.4) == {
        i: (r.ci_low_adj, r.ci_high_adj) for i, r in enumerate(comparison.rows) if i > 0
    }


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("digits", [3, 4])
@pytest.mark.parametrize("width", ["column", "text"])
@pytest.mark.parametrize("shift", [-0.3, 0.3])
def test_the_numbers_of_a_row_keep_clear_of_each_other(shift, width, digits, comparison_of):
    comparison = comparison_of(60, shift=shift)
    assert comparison.primary.pvalue < 0.001  # the widest number, in bold
    ax = comparison.plot.forest(width=width, theme=dataclasses.replace(LIGHT, digits=digits)).axes
    ax.figure.draw_without_rendering()
    texts = ax.texts[4:]
    boxes = [text.get_window_extent() for text in texts]
    for place in range(len(comparison.rows)):
        glyph, delta, p = boxes[3 * place : 3 * place + 3]
        minimum = 0.15 * texts[3 * place].get_fontsize() * ax.figure.dpi / 72.0
        assert delta.x0 - glyph.x1 >= minimum
        assert p.x0 - delta.x1 >= minimum


@pytest.mark.parametrize(
    ("how", "title"), [({}, "adj p"), ({"measures": ("AP",)}, "p"), ({"adjust": "none"}, "p")]
)
def test_the_column_says_whether_p_is_adjusted(how, title, comparison_of):
    assert title in [text.get_text() for text in forest(comparison_of(30, **how)).texts]


def test_a_measure_on_another_scale_is_named_and_not_drawn(comparison_of):
    ax = forest(comparison_of(30, measures=("AP", "NumRelRet", "alpha_nDCG@10", "my score")))
    assert [t.xy[1] for t in ax.texts if "another scale" in t.get_text()] == [1]
    assert sorted(bars(ax, 4.5)) == [0, 2, 3]


def test_a_row_without_an_interval_says_so(comparison_of):
    comparison = comparison_of(30)
    rows = (
        comparison.rows[0],
        dataclasses.replace(comparison.rows[1], ci_low=np.nan, ci_high=np.nan),
    )
    ax = forest(dataclasses.replace(comparison, rows=rows))
    assert [t.xy[1] for t in ax.texts if t.get_text() == "no interval"] == [1]


def test_equal_scores_have_a_frame_around_zero(comparison_of):
    low, high = forest(comparison_of(30, "identical")).get_xlim()
    assert (low, high) == (-0.1, 0.1)


@pytest.mark.parametrize(("plot", "height"), [(forest, 1 / 3), (segments, 1.0)])
def test_the_margin_is_a_band_and_named(plot, height, comparison_of):
    ax = plot(comparison_of(60, margin=0.02))
    (band,) = [patch for patch in ax.patches if patch.get_facecolor()[:3] == to_rgb(LIGHT.band)]
    assert (band.get_x(), band.get_width()) == (-0.02, pytest.approx(0.04))
    assert (band.get_y(), band.get_height()) == (pytest.approx(1 - height), pytest.approx(height))
    assert "margin ±0.020" in ax.get_xlabel()
    assert "margin" not in plot(comparison_of(60, margin=0.0)).get_xlabel()


def test_another_test_names_what_it_estimates(comparison_of):
    assert "pseudo-median" in forest(comparison_of(60, test="wilcoxon")).get_xlabel()
    assert "net share" in forest(comparison_of(60, test="sign")).get_xlabel()


def test_an_infinite_interval_ends_in_arrows(comparison_of):
    comparison = comparison_of(3, test="permutation")
    assert np.isinf(comparison.primary.ci_low)
    ax = forest(comparison)
    arrows = [line for line in ax.lines if line.get_marker() in (4, 5)]
    assert {line.get_xdata()[0] for line in arrows} == {*ax.get_xlim()}


@pytest.mark.parametrize("margin", [0.09, "40%"])
def test_where_the_margin_decides_the_bar_is_the_interval_that_decides(comparison_of, margin):
    comparison = comparison_of(60, shift=0.0, margin=margin)
    decision = comparison.decision
    assert decision.by_equivalence
    assert decision.direction == 0
    ax = forest(comparison)
    bar = next(line for line in ax.lines if line.get_linewidth() == 4.5)
    low, high = decision.equivalence_interval
    assert bar.get_xdata().tolist() == pytest.approx([low, high])
    xlabel = " ".join(ax.get_xlabel().split())
    assert "bar: 90% interval" in xlabel
    assert ("margin ±40% of A's mean" if decision.relative else "margin ±0.090") in xlabel


def names(ax) -> list[str]:
    return [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]


def intervals(ax, width: float) -> list[tuple[float, float]]:
    return [tuple(line.get_xdata()) for line in ax.lines if line.get_linewidth() == width]


def test_rows_are_the_segments_under_all_queries(comparison_of):
    comparison = comparison_of(250)
    ax = segments(comparison)
    rows = [row for segmentation in comparison.segmentations for row in segmentation.rows]
    labels = [
        f"{segmentation.name}: {row.label}"
        for segmentation in comparison.segmentations
        for row in segmentation.rows
    ]
    assert names(ax) == ["All queries", *labels]
    row = comparison.primary
    assert intervals(ax, 4.5) == [
        (row.ci_low, row.ci_high),
        *((row.ci_low, row.ci_high) for row in rows),
    ]
    assert intervals(ax, 1.4) == [(row.ci_low_adj, row.ci_high_adj) for row in rows]
    dots = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    assert [dot.get_xdata()[0] for dot in dots] == [row.diff, *(row.mean for row in rows)]
    colours = [LIGHT.of_reading(item.reading) for item in (row, *rows)]
    assert [dot.get_color() for dot in dots] == colours
    texts = [text.get_text() for text in ax.texts]
    assert {str(row.n_queries) for row in rows} <= set(texts)


def test_a_dots_area_grows_with_the_root_of_the_queries(comparison_of):
    comparison = comparison_of(250)
    dots = [x for x in segments(comparison).lines if x.get_marker() == "o"]
    counts = [
        row.n_queries for segmentation in comparison.segmentations for row in segmentation.rows
    ]
    areas = [dot.get_markersize() ** 2 for dot in dots]
    assert np.array(areas) / areas[0] == pytest.approx(np.sqrt(np.array(counts) / counts[0]))


def test_one_property_can_be_chosen(comparison_of):
    comparison = comparison_of(60)
    ax = segments(comparison, by="length")
    assert sorted(names(ax)) == ["1", "2", "3", "4", "All queries"]
    assert "length: do its segments differ? adjusted p" in ax.get_xlabel()
    assert "intent" not in ax.get_xlabel()
    with pytest.raises(UnknownNameError, match="length"):
        segments(comparison, by="lenght")


@pytest.mark.slow
def test_the_largest_of_very_many_are_drawn(comparison_of):
    comparison = comparison_of(250)
    segmentation = comparison.segmentations[0]
    rows = tuple(
        dataclasses.replace(segmentation.rows[0], label=f"s{i}", n_queries=9 if i > 3 else 30 - i)
        for i in range(50)
    )
    text = dataclasses.replace(
        comparison, segmentations=(dataclasses.replace(segmentation, rows=rows),)
    )
    ax = segments(text)
    assert names(ax)[1:] == [f"s{i}" for i in range(drawing.MOST_SEGMENTS)]
    assert "; the largest 20 of 50 segments" in ax.get_xlabel()
    assert ax.figure.get_size_inches()[1] == pytest.approx(1.1 + 0.28 * 21)


def test_too_few_queries_have_no_interval(comparison_of):
    ax = segments(comparison_of(10))
    few = [text for text in ax.texts if text.get_text() == "too few queries"]
    expected = [
        np.isnan(row.ci_low_adj)
        for segmentation in comparison_of(10).segmentations
        for row in segmentation.rows
    ]
    assert len(few) == sum(expected) > 0


def test_an_estimate_that_is_not_on_the_axis_has_no_dot(comparison_of):
    ax = segments(comparison_of(60, test="sign"))
    assert "net share" in ax.get_xlabel()
    assert [line.get_marker() for line in ax.lines if line.get_marker() in ("o", "D")] == []


@pytest.mark.parametrize("n", [0, 30])
def test_without_segments_there_is_an_error(n, comparison_of):
    with pytest.raises(ArgumentError, match="no segments of its queries to draw"):
        segments(comparison_of(n, segmented=False))


# --- The forest of several collections


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(3)
    arguments = {}
    for name, shift in (("x", 0.1), ("y", 0.02), ("z", 0.2)):
        a = random.uniform(0, 0.6, 12)
        queries = [f"q{i}" for i in range(12)]
        b = a + random.normal(shift, 0.1, 12)
        arguments[name] = (dict(zip(queries, a, strict=True)), dict(zip(queries, b, strict=True)))
    return compare_collections(arguments)


def test_three_diamonds_as_wide_as_their_intervals(found) -> None:
    axes = found.plot.forest().axes
    xies = [patch.get_xy() for patch in axes.patches if isinstance(patch, Polygon)]
    diamonds = [item for item in xies if len(item) == 5 and np.ptp(item[:, 1]) < 0.6]
    limits = [(diamond[:, 0].min(), diamond[:, 0].max()) for diamond in diamonds]
    summary = found.primary
    assert limits == [
        pytest.approx((item.ci_low, item.ci_high))
        for item in (summary.stratified, summary.equal, summary.random)
    ]


def test_the_prediction_interval_is_a_line_through_the_last(found) -> None:
    axes = found.plot.forest().axes
    ends = [tuple(line.get_xdata()) for line in axes.lines if set(line.get_ydata()) == {5}]
    assert (found.primary.prediction_low, found.primary.prediction_high) in ends


@pytest.mark.slow
def test_of_very_many_collections_the_largest_are_drawn() -> None:
    a = {f"q{i}": (3 * i % 7) / 10 for i in range(5)}
    b = {query: value**2 + 0.2 for query, value in a.items()}
    # Forty of three queries each, and the largest stands last.
    arguments = {
        f"c{i}": tuple({f"{i} {query}": x[query] for query in list(x)[:3]} for x in (a, b))
        for i in range(40)
    } | {"largest": (a, b)}
    axes = compare_collections(arguments).plot.forest().axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[:-3] == [*(f"c{i}" for i in range(39)), "largest"]
    assert "\nthe largest 40 of 41 collections" in axes.get_xlabel()
