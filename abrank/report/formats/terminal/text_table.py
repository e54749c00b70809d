"""The table of measures on a terminal, with the forest drawn inside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from abrank._support import display as f
from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.scales import difference, rows_in_unit, shares_scale
from abrank.report import cells
from abrank.report.formats.terminal import text_forest
from abrank.report.sections import headline, margins, words
from abrank.report.sections.measures_and_tests import delta_title, primary_first

Line = list[tuple[str, str]]

_GAP = "  "
_LEAST_NAME = 9
_ENOUGH_PLOT = 20
_WIDEST_PLOT = 30
_MARK = " ★"


class _Row(NamedTuple):
    """The texts of a measure; the plot comes when its width is known."""

    measure: str
    a: str
    b: str
    diff: str
    p: str
    reading: str


class _Grid(NamedTuple):
    """Widths of the columns, 0 for one that is not shown; ``cut`` marks a name that was cut."""

    measure: int
    a: int
    b: int
    diff: int
    plot: int
    p: int
    reading: int
    cut: str = cells.cut_mark(False)


def measure_lines(comparison: Comparison, *, width: int, digits: int, plain: bool) -> list[Line]:
    """Return the table: a heading, a line a measure, and what a reader must know about it.

    Parameters
    ----------
    width : int
        Columns. Names give way first, then the plot, then the means; numbers are never cut.
    plain : bool
        Use no character beyond ASCII.

    Returns
    -------
    list of lines of (text, style)
    """
    put: Callable[[str], str] = cells.to_ascii if plain else str
    adjusts = comparison.rule.adjust != "none" and len(comparison.rows) > 1
    results = primary_first(comparison, rows_in_unit(comparison))
    drawn = [result for result in results if shares_scale(comparison, result.measure)]
    mark = _MARK if len(results) > 1 else ""
    rows = [
        ForestRow(
            _texts(comparison, result, digits),
            result if result in drawn else None,
            _style(result),
            mark if i == 0 else "",
        )
        for i, result in enumerate(results)
    ]
    lines, has_plot = forest_lines(
        ("measure", "A", "B", delta_title(comparison), "adj p" if adjusts else "p", "reading"),
        rows,
        width=width,
        plain=plain,
        higher_is_better=comparison.better_direction(),
    )
    for footer in _footers(comparison, len(results) - len(drawn) if has_plot else 0):
        lines += [[(line, "muted")] for line in cells.wrap(put(footer), width)]
    return lines


class ForestRow(NamedTuple):
    """A row: name, A, B, Δ, p and reading; what is drawn, if anything; its style, and its mark."""

    texts: tuple[str, ...]
    drawn: text_forest.Drawn | None
    style: str
    mark: str = ""


def forest_lines(
    head: tuple[str, ...],
    rows: Sequence[ForestRow],
    *,
    width: int,
    plain: bool,
    higher_is_better: bool | None,
) -> tuple[list[Line], bool]:
    """Return a heading and a line a row, and whether there was room to draw."""
    put: Callable[[str], str] = cells.to_ascii if plain else str
    texts = [_Row(*map(put, row.texts)) for row in rows]
    title = _Row(*map(put, head))
    grid = _grid([title, *texts], width)
    axis = text_forest.axis([row.drawn for row in rows if row.drawn], grid.plot)
    grid = grid._replace(plot=grid.plot if axis else 0, cut=cells.cut_mark(plain))
    sides = text_forest.title(axis, higher_is_better=higher_is_better)
    lines: list[Line] = [[(_joined(title, put(sides), grid), "muted")]]
    for row, text in zip(rows, texts, strict=True):
        plot = put(text_forest.draw(row.drawn, axis)) if axis and row.drawn else ""
        lines.append(_line(text, plot, grid, mark=put(row.mark), style=row.style))
    return lines, axis is not None


def _texts(comparison: Comparison, row: MeasureResult, digits: int) -> tuple[str, ...]:
    return (
        cells.one_line(row.measure, width=200),
        f.score(row.mean_a, digits=digits),
        f.score(row.mean_b, digits=digits),
        difference(
            comparison, row.estimate if comparison.with_machine else row.diff, digits=digits
        ),
        f.pvalue(row.pvalue_adj, alpha=comparison.rule.alpha).replace("< ", "<"),
        words.reading(comparison, row),
    )


def _style(row: MeasureResult) -> str:
    tone = words.reading_tone(row.reading)
    return tone if tone in ("a", "b") else "muted"


def _grid(rows: Sequence[_Row], width: int) -> _Grid:
    """Share the width among the columns."""
    wide = [max(cells.columns(each) for each in column) for column in zip(*rows, strict=True)]
    want = wide[0] + len(_MARK)
    for means, plots in ((True, True), (True, False), (False, False)):
        fixed = wide[1:] if means else wide[3:]
        room = width - sum(fixed) - len(_GAP) * (len(fixed) + plots)
        plot = min(_WIDEST_PLOT, max(room - want, min(_ENOUGH_PLOT, room // 2))) if plots else 0
        if room - plot >= min(want, _LEAST_NAME) and (not plots or plot >= text_forest.LEAST):
            break
    a, b = wide[1:3] if means else (0, 0)
    name = max(2, min(want, room - plot))
    return _Grid(name, a, b, wide[3], plot, wide[4], wide[5])


def _joined(row: _Row, plot: str, grid: _Grid, mark: str = "") -> str:
    return "".join(each for each, _ in _line(row, plot, grid, mark=mark, style=""))


def _line(row: _Row, plot: str, grid: _Grid, *, mark: str, style: str) -> Line:
    """Return one line of the table; the columns that have no width are left out."""
    name = cells.fit(row.measure, grid.measure - len(mark), mark=grid.cut) + mark
    numbers = [
        cells.right(text, wide)
        for text, wide in ((row.a, grid.a), (row.b, grid.b), (row.diff, grid.diff))
        if wide
    ]
    line = [
        (cells.left(name, grid.measure), "strong" if mark else ""),
        (_GAP + _GAP.join(numbers), ""),
    ]
    if grid.plot:
        line.append((_GAP + cells.left(plot, grid.plot), style))
    return [*line, (_GAP + cells.right(row.p, grid.p) + _GAP, ""), (row.reading, style)]


# Of a measure whose direction is not that of the primary one.
_OTHER_WAY = {
    True: "lower is better, so left of 0 B is better",
    False: "higher is better, so right of 0 B is better",
}


def _turned(comparison: Comparison, row: MeasureResult) -> bool:
    """Whether a drawn measure points the other way than the heading over the plot."""
    turned = row.higher_is_better != comparison.rule.higher_is_better
    return turned and shares_scale(comparison, row.measure)


def _footers(comparison: Comparison, not_drawn: int) -> list[str]:
    """Return what explains the table: the mark, the adjustment, what the plot leaves out."""
    found = []
    if len(comparison.rows) > 1:
        how = headline.adjustment(comparison)
        if comparison.rule.family == "secondary":
            how = f"tested alone; others {how.removeprefix('secondary measures ')}"
        found.append(f"★ primary, {how}")
    if comparison.with_machine:
        judged = f"A and B: the {words.queries(comparison.n_queries)} judged by people"
        found.append(f"{judged}; Δ, bars and p: all queries, with the machine")
    elif words.estimand(comparison) != words.MEAN:
        found.append(f"bars and p: {words.estimand(comparison)} (B − A), not Δ")
    if margins.decides_alone(comparison):
        level = f.level(comparison.rule.confidence)
        found.append(f"{level} bars and p ask whether Δ is 0; the verdict asks about the margin")
    turned = [row.measure for row in comparison.rows if _turned(comparison, row)]
    if turned:
        found.append(f"{', '.join(turned)}: {_OTHER_WAY[comparison.rule.higher_is_better]}")
    if not_drawn:
        found.append(f"{f.plural(not_drawn, 'measure')} on another scale, not drawn")
    return found
