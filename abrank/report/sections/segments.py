"""The section on segments: exploratory, so its words say so before its numbers."""

from __future__ import annotations

import math
from dataclasses import replace

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.groups import Segmentation, SegmentRow
from abrank.report.model import Bar, Block, Cell, Column, Figure, Scorecard, Section, Text
from abrank.report.sections import words
from abrank.report.sections.scorecard import scale

MOST = 20
MOST_TOLD = 3
LONGEST = 60
TOO_FEW = "too few"


def segments(comparison: Comparison) -> Section | None:
    """Return the section of all segmentations; None where none was given."""
    if not comparison.segmentations:
        return None
    cards = [_table(comparison, each) for each in comparison.segmentations]
    # One axis for all properties, and what explains it once.
    reach = tuple(
        value
        for card in cards
        for bar in card.bars
        for value in (bar.places if bar is not None else ())
        if math.isfinite(value)
    )
    blocks: list[Block] = []
    for found, card in zip(comparison.segmentations, cards, strict=True):
        legend = card.legend if card is cards[-1] else ()
        blocks.append(replace(card, scale=replace(card.scale, reach=reach), legend=legend))
        if len(found.rows) > MOST:
            blocks.append(Text(_left_out(found), "caption"))
    blocks.append(Figure("segments", exploratory(comparison), repeats=True))
    title = "Segments (exploratory)"
    return Section("segments", title, exploratory(comparison), tuple(blocks))


def exploratory(comparison: Comparison) -> str:
    """Return a sentence on each of the first properties, and what they are good for."""
    shown = comparison.segmentations[:MOST_TOLD]
    return " ".join(["Exploratory.", *(sentence(comparison, each) for each in shown)])


def sentence(comparison: Comparison, found: Segmentation) -> str:
    """Say in how many segments B is better or worse, and whether the segments differ."""
    name = shorten(found.name, width=LONGEST)
    judged = [row for row in found.rows if row.reading != TOO_FEW]
    if not judged:
        return f"By {name}, every segment has too few queries."
    better, worse = (
        sum(row.reading == reading for row in judged) for reading in ("better", "worse")
    )
    of = f.plural(len(judged), "segment")
    if better or worse:
        said = (
            f"By {name}, B is better in {better or 'none'} of {of} after adjustment and worse in"
            f" {worse or 'none'}"
        )
    else:
        said = f"By {name}, none of {of} shows a difference after adjustment"
    few = len(found.rows) - len(judged)
    if few:
        said += f"; {f.word(few)} {'has' if few == 1 else 'have'} too few queries"
    return f"{said}; {_interaction(comparison, found)}."


def _interaction(comparison: Comparison, found: Segmentation) -> str:
    p = found.interaction
    if not math.isfinite(p):
        return "whether the segments differ cannot be tested"
    alpha = comparison.rule.alpha
    shown = f"{'adjusted ' * (len(comparison.segmentations) > 1)}{f.p_clause(p, alpha=alpha)}"
    differ = "differ" if p < alpha else "are not shown to differ"
    return f"the segments {differ} ({shown} for interaction)"


def _left_out(found: Segmentation) -> str:
    return f"The {MOST} largest of {f.count(len(found.rows))} segments; all are in a .json report."


def _table(comparison: Comparison, found: Segmentation) -> Scorecard:
    """Return all queries and a row a segment, with its own interval and the adjusted one drawn."""
    digits = comparison.decimals
    level = f.level(comparison.rule.confidence)
    columns = (
        Column(words.capital(shorten(found.name, width=LONGEST)), numeric=False, role="name"),
        Column("Queries"),
        Column("Δ", role="change"),
        Column("", numeric=False, role="drawn"),
        Column(f"{level} interval, adjusted", role="interval"),
        Column("adj p", role="p"),
        Column("Reading", numeric=False, role="reading"),
    )
    lead = comparison.primary
    tone = words.reading_tone(lead.reading)
    first = (
        Cell("All queries", "All queries", strong=True),
        Cell(f.count(comparison.n_queries), comparison.n_queries),
        Cell(f.signed(lead.diff, digits=digits), lead.diff, tone, strong=True),
        Cell(""),
        Cell(f.interval(*lead.interval, digits=digits), lead.ci_low),
        Cell(""),
        Cell(words.reading(comparison, lead), lead.reading, tone, strong=True),
    )
    shown = found.rows[:MOST]
    of_all: Bar | None = Bar(lead.diff, *lead.interval, tone=tone)
    if words.estimand(comparison) != words.MEAN or not lead.interval.is_finite:
        of_all = None
    properties = " of all properties" if len(comparison.segmentations) > 1 else ""
    return Scorecard(
        f"segments-{found.name}",
        columns,
        (first, *(_row(row, alpha=comparison.rule.alpha, digits=digits) for row in shown)),
        noun="segment",
        bars=(of_all, *map(_bar, shown)),
        scale=scale(comparison, of="Δ (B − A)"),
        narrow=frozenset({"interval"}),
        legend=(
            f"thick: {level} interval of a segment by itself; thin: adjusted for all"
            f" segments{properties}, which decides the reading",
            "Not part of the rule: what segments show is a question for the next test. Those of"
            " fewer than 6 queries are not tested.",
        ),
    )


def _bar(row: SegmentRow) -> Bar | None:
    if row.reading == TOO_FEW:
        return None
    limits = (*row.interval, *row.adjusted)
    return Bar(row.mean, *limits, words.reading_tone(row.reading))


def _row(row: SegmentRow, *, alpha: float, digits: int) -> tuple[Cell, ...]:
    tone = words.reading_tone(row.reading)
    start = (
        Cell(shorten(row.label, width=LONGEST), row.label),
        Cell(f.count(row.n_queries), row.n_queries),
        Cell(f.signed(row.mean, digits=digits), row.mean, tone),
        Cell(""),
    )
    if row.reading == TOO_FEW:
        return (*start, Cell(""), Cell(""), Cell(TOO_FEW, TOO_FEW))
    return (
        *start,
        Cell(f.interval(*row.adjusted, digits=digits), row.ci_low_adj),
        Cell(f.pvalue(row.pvalue_adj, alpha=alpha), row.pvalue_adj),
        Cell(words.READINGS[row.reading], row.reading, tone),
    )
