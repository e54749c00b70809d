"""Plots of intervals: by measure, segment and collection, and the deciding interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from abrank._support import checks, display
from abrank._support.errors import ArgumentError
from abrank.comparison import Comparison
from abrank.comparison.units import (
    decision_intervals,
    is_relative,
    rows_in_unit,
    segments_in_unit,
    shares_scale,
)
from abrank.plots import style
from abrank.plots.axes import AxisRow, draw_rows
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, Theme
from abrank.verdict import GLYPHS

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison
    from abrank.comparison import MeasureResult
    from abrank.comparison.groups import Segmentation, SegmentRow


# --- Forest plot: differences in all measures, with intervals


def forest_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + 0.34 * max(2, len(comparison.rows))


@plot("forest", title="All measures", size=forest_size)
def forest(comparison: Comparison, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the interval of every measure, the primary one first, with a diamond and in bold.

    Thick bars are plain intervals, thin ones adjusted. The adjusted interval determines colour and
    glyph: B's colour for better, A's for worse, grey for unclear. If a margin decides, the thick
    bar of the primary measure is the interval of the two one-sided tests. The right columns are the
    estimate and the adjusted p-value; the margin is a band on the primary row. Measures with
    another scale than the primary one are named but not drawn; an arrow marks a measure with the
    opposite direction.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> [label.get_text() for label in forest(result).get_yticklabels()]
    ['score']
    """
    ax = ax if ax is not None else style.new_axes(theme, forest_size(comparison))
    if comparison.n_queries == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    primary, percent = comparison.primary, is_relative(comparison)
    ordered = sorted(rows_in_unit(comparison), key=lambda row: row.measure != primary.measure)
    family = len(ordered) > 1 and comparison.rule.adjust != "none"
    rows = [_measure_row(comparison, row, theme) for row in ordered]
    title = "adj p" if family else "p"
    higher = primary.higher_is_better
    first, words = "Δ", style.interval_axis(comparison, "mean Δ per query (B − A)")
    if percent:
        first, words = "Δ%", "change of the mean, in per cent of A's"
    elif not style.of_the_mean(comparison):
        first = "estimate"
    mixed = any(
        row.higher_is_better != higher and not drawn.remark
        for row, drawn in zip(ordered, rows, strict=True)
    )
    draw_rows(
        ax, theme, rows, first=first, last=title, higher_is_better=higher, percent=percent,
        mixed=mixed, margin=comparison.rule.margin, n_with_margin=1,
    )  # fmt: skip
    words += "\n" + ("\n" if style.inches(ax) < NARROW else "; ").join(
        [*_bar_words(comparison, rows), *_margin_words(comparison, theme)]
    )
    if any(row.higher_is_better != higher for row in ordered):
        side, better = ("left", "lower") if higher else ("right", "higher")
        words += f"\n{_TURNED[not higher]} {better} is better: {side} of 0 B is better"
    style.label_x(ax, theme, words)
    return ax


def _bar_words(comparison: Comparison, rows: Sequence[AxisRow]) -> list[str]:
    rule = comparison.rule
    level, adjusted = display.level(rule.confidence), any(row.thin for row in rows[1:])
    if not comparison.decision.by_equivalence:
        return [f"bar: {level} interval", *["thin: adjusted"] * any(row.thin for row in rows)]
    others = f" (others {level})" if len(rows) > 1 else ""
    thick = f"bar: {display.level(rule.confidence_equivalence)} interval{others}"
    return [thick, f"thin: {level}{', adjusted' * adjusted}"]


def _margin_words(comparison: Comparison, theme: Theme) -> list[str]:
    words = f"band: margin ±{style.margin_words(comparison, theme)}"
    return [words] if comparison.rule.margin else []


# Marks a measure whose direction is opposite to the primary one's.
_TURNED = {True: "↑", False: "↓"}


def _measure_row(comparison: Comparison, result: MeasureResult, theme: Theme) -> AxisRow:
    # The estimate of the sign test counts queries, so it does not depend on the scale.
    same_unit = comparison.rule.test == "sign" or shares_scale(comparison, result.measure)
    turned = result.higher_is_better != comparison.rule.higher_is_better
    mark = f" {_TURNED[result.higher_is_better]}" if turned else ""
    is_primary = result.measure == comparison.rule.primary
    thick, thin = result.interval, result.adjusted
    if is_primary and comparison.decision.by_equivalence:
        thin, thick = decision_intervals(comparison)
    return AxisRow.of(
        result,
        result.estimate,
        name=f"{result.measure}{mark}",
        thick=thick,
        thin=thin if thin != thick else None,
        last=style.pvalue(result.pvalue_adj, alpha=comparison.rule.alpha),
        reading=result.reading,
        glyph=_glyph(comparison) if is_primary else "",
        lead=is_primary,
        value_text=style.difference(comparison, result.estimate, theme),
        **({} if same_unit else {"remark": "another scale: see the numbers"}),
    )


def _glyph(comparison: Comparison) -> str:
    """Return the sign of the verdict if a margin decides; otherwise the reading has one."""
    return GLYPHS[comparison.verdict] if comparison.rule.margin else ""


# --- The primary measure in every segment of the queries

MOST_SEGMENTS = 20
# Size in points of the dot for all queries, and for the smallest segment.
LARGEST, SMALLEST = 9.0, 3.5


def _height(n_rows: int) -> float:
    return 1.1 + 0.28 * max(2, n_rows)


def _whole(result: Comparison | CollectionsComparison) -> Comparison:
    """Return the comparison itself, or that of all collections together."""
    return result if isinstance(result, Comparison) else result.pooled


def segments_size(comparison: Comparison | CollectionsComparison) -> tuple[float, float]:
    """Return width and height in inches."""
    n = sum(len(item.rows) for item in _whole(comparison).segmentations)
    return 7.0, _height(1 + min(MOST_SEGMENTS, n))


@plot("segments", title="The primary measure in every segment", size=segments_size)
def segments(
    comparison: Comparison | CollectionsComparison,
    *,
    by: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean difference in every segment, below that of all queries.

    Thick bars are intervals of single segments; thin ones are simultaneous for all segments of a
    property and determine the colour. The area of a dot grows with the root of the number of
    queries. Of more than 20 segments the largest are drawn; a segment with too few queries has no
    interval. With several collections, segments combine their queries.

    Parameters
    ----------
    by : str, optional
        The property. Default: all properties.

    Raises
    ------
    ArgumentError
        If there are no segments, or the queries have no such property.

    Examples
    --------
    >>> import pandas as pd
    >>> from abrank import compare_scores
    >>> scores = [{f"q{i}": i / base for i in range(12)} for base in (20, 15)]
    >>> kinds = pd.Series({f"q{i}": ("long", "short")[i % 2] for i in range(12)}, name="length")
    >>> result = compare_scores(*scores, segments=kinds)
    >>> [label.get_text() for label in segments(result).get_yticklabels()]
    ['All queries', 'long', 'short']
    """
    comparison = _whole(comparison)
    if not comparison.segmentations:
        raise ArgumentError("the comparison has no segments of its queries to draw: give segments=")
    ax = ax if ax is not None else style.new_axes(theme, segments_size(comparison))
    if by is not None:
        checks.one_of(
            "property", by, [segmentation.name for segmentation in comparison.segmentations]
        )
    chosen = [
        segmentation for segmentation in comparison.segmentations if by in (None, segmentation.name)
    ]
    total = sum(len(segmentation.rows) for segmentation in chosen)
    primary, percent = comparison.rule.primary, is_relative(comparison)
    (lead,) = (row for row in rows_in_unit(comparison) if row.measure == primary)
    size = LARGEST if style.of_the_mean(comparison) else 0.0
    last = display.count(comparison.n_queries)
    look: dict[str, Any] = {
        "reading": lead.reading, "last": last, "size": size, "glyph": _glyph(comparison),
    }  # fmt: skip
    value_text = style.difference(comparison, lead.diff, theme)
    rows = [
        AxisRow.of(lead, lead.diff, name="All queries", lead=True, value_text=value_text, **look)
    ]
    rows += _rows(comparison, chosen, theme, named=len(chosen) > 1)
    style.fit_height(ax, _height(len(rows)))
    higher = comparison.rule.higher_is_better
    first = "Δ%" if percent else "Δ"
    draw_rows(
        ax, theme, rows, first=first, last="queries", higher_is_better=higher, percent=percent,
        margin=comparison.rule.margin,
    )  # fmt: skip
    words = style.interval_axis(comparison, f"mean {style.delta(primary)}")
    if percent:
        words = f"change of {display.shorten(primary, width=28)}, in per cent of A's mean"
    if total >= len(rows):
        words += f"; the largest {MOST_SEGMENTS} of {display.count(total)} segments"
    words = "; ".join([words, *_margin_words(comparison, theme)])
    adjusted = "adjusted " * (len(comparison.segmentations) > 1)
    alpha = comparison.rule.alpha
    lines = [
        f"{display.shorten(segmentation.name, width=24)}: do its segments differ?"
        f" {adjusted}{display.p_clause(segmentation.interaction_pvalue_adj, alpha=alpha)}"
        for segmentation in chosen
        if not math.isnan(segmentation.interaction_pvalue_adj)
    ]
    style.label_x(ax, theme, "\n".join([words, *lines]))
    return ax


def _rows(
    comparison: Comparison, chosen: Sequence[Segmentation], theme: Theme, *, named: bool
) -> list[AxisRow]:
    sizes = sorted(
        (row.n_queries for segmentation in chosen for row in segmentation.rows), reverse=True
    )
    minimum = sizes[min(MOST_SEGMENTS, len(sizes)) - 1]
    result: list[AxisRow] = []
    room = {True: MOST_SEGMENTS - sum(size > minimum for size in sizes), False: MOST_SEGMENTS}
    for segmentation in chosen:
        for row in segments_in_unit(comparison, segmentation):
            # Among segments as small as the smallest one shown, the first ones.
            if row.n_queries >= minimum and room[row.n_queries == minimum] > 0:
                room[row.n_queries == minimum] -= 1
                name = f"{segmentation.name}: {row.label}" if named else row.label
                result.append(_segment_row(comparison, row, name, theme))
    return result


def _segment_row(comparison: Comparison, row: SegmentRow, name: str, theme: Theme) -> AxisRow:
    share = math.sqrt(math.sqrt(row.n_queries / comparison.n_queries))
    return AxisRow.of(
        row,
        row.mean,
        name=name,
        thin=row.adjusted,
        last=display.count(row.n_queries),
        reading=row.reading,
        remark="too few queries" if math.isnan(row.ci_low_adj) else "",
        value_text=style.difference(comparison, row.mean, theme),
        size=max(SMALLEST, LARGEST * share) if style.of_the_mean(comparison) else 0.0,
    )


plot(
    "segments",
    title="The primary measure in every segment, over all collections",
    size=segments_size,
    subject="CollectionsComparison",
)(segments)


# --- Several collections in one forest plot, with their summaries

MOST_COLLECTIONS = 40


def collections_size(result: CollectionsComparison) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 1.1 + 0.28 * (min(MOST_COLLECTIONS, len(result.comparisons)) + 3)


@plot(
    "forest",
    title="The primary measure on every collection, and on all together",
    size=collections_size,
    subject="CollectionsComparison",
)
def collections(
    result: CollectionsComparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean difference on every collection, and the summaries as diamonds below.

    Thick bars are intervals of single collections; thin ones are adjusted for the number of
    collections and determine the colour. The area of a dot grows with the weight in the
    random-effects summary. Diamonds are as wide as their intervals; the thin line through the
    random-effects diamond is the prediction interval for a further collection. Of more than 40
    collections those with the most queries are drawn.

    Examples
    --------
    >>> from abrank.collections.compare import summarise_collections
    >>> from abrank.comparison import compare_scores
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> two = compare_scores({"p1": 0.5, "p2": 0.25}, {"p1": 0.75, "p2": 0.75})
    >>> drawn = collections(summarise_collections({"x": one, "y": two}))
    >>> [label.get_text() for label in drawn.get_yticklabels()]
    ['x', 'y', 'All queries', 'Equal weights', 'Random effects']
    """
    ax = ax if ax is not None else style.new_axes(theme, collections_size(result))
    summary = result.of(measure) if measure else result.primary
    largest = sorted(summary.rows, key=lambda row: -row.n_queries)[:MOST_COLLECTIONS]
    chosen = [row for row in summary.rows if any(row is item for item in largest)]
    heaviest = max(row.weight_random for row in summary.rows) or 1.0
    rows = [
        AxisRow.of(
            row,
            row.estimate,
            name=row.collection,
            thick=summary.within_reach(row.interval),
            thin=summary.within_reach(row.adjusted),
            last=style.pvalue(row.pvalue_adj, alpha=result.alpha),
            reading=row.reading,
            size=max(SMALLEST, LARGEST * math.sqrt(row.weight_random / heaviest)),
        )
        for row in chosen
    ]
    prediction = summary.prediction
    rows += [
        AxisRow.of(
            row,
            row.estimate,
            name=name,
            thick=summary.within_reach(row.interval),
            thin=thin if math.isfinite(thin[0]) else None,
            last=style.pvalue(row.pvalue, alpha=result.alpha),
            reading=row.reading,
            lead=True,
            remark="no interval" if math.isnan(row.ci_low) else "",
            summary=True,
        )
        for name, row, thin in (
            ("All queries", summary.stratified, (math.nan, math.nan)),
            ("Equal weights", summary.equal, (math.nan, math.nan)),
            ("Random effects", summary.random, prediction),
        )
    ]
    style.fit_height(ax, 1.1 + 0.28 * len(rows))
    margin = result.pooled.rule.margin if summary is result.primary else 0.0
    draw_rows(
        ax, theme, rows, last="adj p", higher_is_better=summary.higher_is_better, margin=margin
    )
    level = display.level(1.0 - result.alpha)
    words = [f"mean Δ of {display.shorten(summary.measure, width=40)} (B − A), {level} intervals"]
    if len(chosen) < len(summary.rows):
        words.append(
            f"the largest {MOST_COLLECTIONS} of {display.count(len(summary.rows))} collections"
        )
    if math.isfinite(prediction[0]):
        words.append(f"line through the last diamond: {level} prediction interval")
    if margin:
        words += _margin_words(result.pooled, theme)
    style.label_x(ax, theme, "\n".join(words))
    return ax
