"""The card a notebook shows: the verdict and a small forest, readable on any background."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abrank._support import display
from abrank.comparison.deciding import deciding_interval
from abrank.comparison.scales import difference, is_relative, rows_in_unit, shares_scale
from abrank.report.compose import compose
from abrank.report.formats.clean import cut
from abrank.report.sections import margins, segments, words
from abrank.report.sections.measures_and_tests import primary_first
from abrank.report.sections.notes.cautions import SHOWN

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult
    from abrank.report.model import Report

# Tones that read on white and on black; everything else takes the colour of the text around.
TONES = {"a": "#d2691e", "b": "#2b87c8", "tie": "#858b94", "plain": "#858b94"}
MOST_ROWS = 12
LONGEST_LABEL = 20
LONGEST_TITLE = 200
LONGEST_ASIDE = 400
_LEFT, _RIGHT, _TOP, _ROW = 150.0, 480.0, 22.0, 26.0


@dataclass(frozen=True)
class Line:
    """One measure of the forest; the ends of its bars in units of the drawing, or None."""

    y: float
    label: str
    lead: bool
    colour: str
    numbers: tuple[str, str]
    thick: tuple[float, float] | None
    thin: tuple[float, float] | None
    dot: float | None


@dataclass(frozen=True)
class Forest:
    """The small forest: its lines, the ticks of its axis, whose side is whose, and the margin."""

    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float
    bottom: float
    more: int
    sides: tuple[str, str]
    ahead: str
    guide: str
    of: str
    band: tuple[float, float] | None


def card(comparison: Comparison) -> str:
    """Return the verdict and a small forest as an HTML fragment for notebooks.

    It has no background, no script, no style sheet and no id, so it neither reads badly in a dark
    notebook nor changes anything outside of itself.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str
        At most 25 kB.

    Examples
    --------
    >>> import abrank
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> card(abrank.compare_scores(a, b)).startswith("<div")
    True
    """
    # Here, not above: a room that only writes text does not load the templates.
    from abrank.report.formats.jinja import environment

    report = compose(comparison)
    headline = report.headline
    return (
        environment()
        .get_template("card.html")
        .render(
            headline=headline,
            first=[cut(str(each), LONGEST_ASIDE) for each in report.first],
            title=cut(headline.title, LONGEST_TITLE),
            step=cut(headline.next_step, LONGEST_TITLE),
            tone=TONES[headline.tone],
            tones=TONES,
            forest=forest(comparison),
            asides=[cut(aside, LONGEST_ASIDE) for aside in _asides(comparison, report)],
            primary=comparison.rule.primary,
        )
        .strip()
    )


def _asides(comparison: Comparison, report: Report) -> Iterator[str]:
    """Yield what to read before acting, by title, and what the segments say."""
    titles = [each.title for each in report.notes]
    if titles:
        yield f"Read before you decide: {'; '.join(titles[:SHOWN])}."
    if len(titles) > SHOWN:
        more = display.plural(len(titles) - SHOWN, "more note")
        yield f'{more} in the report: .report("report.html").'
    if comparison.segmentations:
        yield segments.exploratory(comparison)


def forest(comparison: Comparison) -> Forest | None:
    """Lay out the small forest: the primary measure first, at most 12 measures.

    Only measures on the scale of the primary one get a bar; the numbers of the others stand alone.

    Returns
    -------
    Forest or None
        None where nothing was tested.
    """
    shown = primary_first(comparison, rows_in_unit(comparison))
    rows = [row for row in shown if math.isfinite(row.pvalue)]
    if not rows:
        return None
    percent = is_relative(comparison)
    drawn = [row for row in rows[:MOST_ROWS] if shares_scale(comparison, row.measure)]
    margin = comparison.rule.margin
    step, low, high = _axis(drawn, (*_deciding(comparison), -margin, margin))
    ticks = tuple(
        (_place(value, low, high), _tick(value, step, percent=percent))
        for value in _multiples(step, low, high)
    )
    lines = tuple(
        _line(row, index, comparison, (low, high) if row in drawn else None)
        for index, row in enumerate(rows[:MOST_ROWS])
    )
    return Forest(
        lines=lines,
        ticks=ticks,
        zero=_place(0.0, low, high),
        bottom=_TOP + _ROW * len(lines),
        more=max(len(rows) - MOST_ROWS, 0),
        sides=("a", "b") if comparison.rule.higher_is_better else ("b", "a"),
        ahead="better" if comparison.rule.direction_declared else "higher",
        guide=_guide(comparison),
        of=_of(comparison),
        band=(_place(-margin, low, high), _place(margin, low, high)) if margin else None,
    )


def _deciding(comparison: Comparison) -> tuple[float, float]:
    """Return the interval that the verdict rests on, in the unit that is drawn."""
    decision = comparison.decision
    deciding = deciding_interval(comparison.rule, decision)
    return decision.equivalence_interval if deciding.by_margin else decision.interval


def _of(comparison: Comparison) -> str:
    """Return what is drawn."""
    if is_relative(comparison):
        return "Change in per cent of A's mean"
    if words.estimand(comparison) == words.MEAN:
        return "Δ (B − A)"
    return f"{words.capital(words.estimand(comparison))}, B − A"


def _guide(comparison: Comparison) -> str:
    """Say what the bars are, and the band where there is a margin."""
    said = f"{_of(comparison)}; thick: interval, thin: adjusted"
    deciding = deciding_interval(comparison.rule, comparison.decision)
    if deciding.by_margin:
        said += f"; first row: {display.level(deciding.confidence)} interval"
    if comparison.rule.margin:
        said += f"; band: margin ±{margins.margin_of_what(comparison)}"
    return said


def _line(
    row: MeasureResult, index: int, comparison: Comparison, limits: tuple[float, float] | None
) -> Line:
    lead = row.measure == comparison.rule.primary
    p = display.p_clause(row.pvalue_adj, alpha=comparison.rule.alpha)
    declared = comparison.rule
    adjusted = declared.adjust != "none" and (not lead or declared.family == "all")
    ends = [(row.ci_low, row.ci_high), (row.ci_low_adj, row.ci_high_adj)]
    deciding = deciding_interval(comparison.rule, comparison.decision)
    if lead:
        ends = [_deciding(comparison)] * 2
    thick, thin = (
        (_place(low, *limits), _place(high, *limits)) if limits else None for low, high in ends
    )
    return Line(
        y=_TOP + _ROW * (index + 0.5),
        label=cut(row.measure, LONGEST_LABEL),
        lead=lead,
        colour=TONES[words.reading_tone(row.reading)],
        numbers=(
            difference(comparison, row.estimate, digits=comparison.decimals),
            words.reading(comparison, row)
            if lead and deciding.by_margin
            else f"{p} adj."
            if adjusted
            else p,
        ),
        thick=thick,
        thin=thin,
        dot=_place(row.estimate, *limits) if limits else None,
    )


def _axis(rows: Sequence[MeasureResult], others: tuple[float, ...]) -> tuple[float, float, float]:
    """Return a round step and the two ends of an axis that holds 0 and all finite limits."""
    ends = [0.0, *others]
    for row in rows:
        ends += [row.ci_low_adj, row.ci_high_adj, row.ci_low, row.ci_high, row.estimate]
    finite = [end for end in ends if math.isfinite(end)]
    low, high = min(finite), max(finite)
    span = (high - low) or 1.0
    low, high = low - 0.12 * span, high + 0.12 * span
    size = 10.0 ** math.floor(math.log10((high - low) / 4.0))
    step = next(size * k for k in (1, 2, 5, 10) if size * k >= (high - low) / 5.0)
    return step, low, high


def _multiples(step: float, low: float, high: float) -> Iterator[float]:
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield k * step


def _tick(value: float, step: float, *, percent: bool) -> str:
    """Return the label of a tick, with as many digits as their distance needs."""
    digits = max(0, -math.floor(math.log10(step)))
    if percent:
        return display.percent(value, digits=max(0, digits - 2))
    return display.signed(value, digits=digits)


def _place(value: float, low: float, high: float) -> float:
    """Return where a value stands in the drawing; beyond the axis, at its end."""
    share = (min(max(value, low), high) - low) / (high - low)
    return round(_LEFT + share * (_RIGHT - _LEFT), 1)
