"""Several collections as text for the terminal."""

from __future__ import annotations

from collections.abc import Callable

from abrank._support import checks
from abrank._support import display as f
from abrank.collections import CollectionRow, CollectionsComparison, SummaryRow
from abrank.report import cells
from abrank.report.collections import words
from abrank.report.collections.tables import SUMMARIES
from abrank.report.formats.terminal.note_lines import first_lines, note_lines
from abrank.report.formats.terminal.plain_text import NARROWEST, WIDTH
from abrank.report.formats.terminal.text_forest import Bars
from abrank.report.formats.terminal.text_table import ForestRow, forest_lines
from abrank.report.sections.words import READINGS

_SHORT = {"stratified": "= all queries", "equal": "= equal weights", "random": "= random effects"}


def collections_text(
    found: CollectionsComparison,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int | None = None,
) -> str:
    """Return the verdict, a forest of the collections with their summaries, and what they say.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.collections import summarise_collections
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> print(collections_text(summarise_collections({"x": one, "y": one})).splitlines()[0])
    These 2 collections cannot tell A and B apart.
    """
    digits = found.decimals if digits is None else digits
    checks.count("width", width, at_least=NARROWEST)
    put: Callable[[str], str] = cells.to_ascii if ascii else str
    told = words.cautions(found, digits=digits)
    blocks = [
        first_lines(told, width=width),
        cells.wrap_all(map(put, (words.title(found), words.context(found))), width),
        _forest(found, width, digits, ascii),
        _secondary(found, width, digits, ascii),
        cells.wrap_all(map(put, words.sentences(found, digits=digits)), width),
        cells.wrap(put(words.METHOD), width),
        note_lines(told, width=width),
    ]
    return cells.blocks_of_text(blocks, ascii=ascii)


def _forest(found: CollectionsComparison, width: int, digits: int, plain: bool) -> list[str]:
    """Return the collections on the primary measure, and under them the summaries."""
    summary = found.primary
    rows = [ForestRow(_texts(row, found.alpha, digits), row, "") for row in summary.rows]
    rows += [
        _summary(_SHORT[kind], getattr(summary, kind), found.alpha, digits) for kind in SUMMARIES
    ]
    return _lines(found, rows, "adj p", width, plain)


def _secondary(found: CollectionsComparison, width: int, digits: int, plain: bool) -> list[str]:
    """Return the summaries of the other measures."""
    rows = [
        _summary(f"{each.measure}, {words}", getattr(each, kind), found.alpha, digits)
        for each in found.measures[1:]
        if each.higher_is_better == found.primary.higher_is_better
        for kind, words in (("stratified", "all queries"), ("random", "random effects"))
    ]
    return _lines(found, rows, "p", width, plain, name="other measures") if rows else []


def _lines(
    found: CollectionsComparison,
    rows: list[ForestRow],
    p: str,
    width: int,
    plain: bool,
    *,
    name: str = "",
) -> list[str]:
    summary = found.primary
    head = (name or cells.one_line(summary.measure, width=40), "A", "B", "Δ", p, "reading")
    higher = None if summary.measure in found.asked else summary.higher_is_better
    lines, _ = forest_lines(head, rows, width=width, plain=plain, higher_is_better=higher)
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def _summary(name: str, row: SummaryRow, alpha: float, digits: int) -> ForestRow:
    limits = row.ci_low, row.ci_high
    p = f.pvalue(row.pvalue, alpha=alpha).replace("< ", "<")
    texts = (name, "", "", f.signed(row.estimate, digits=digits), p, READINGS[row.reading])
    return ForestRow(texts, Bars(row.estimate, *limits, *limits), "")


def _texts(row: CollectionRow, alpha: float, digits: int) -> tuple[str, ...]:
    return (
        cells.one_line(row.collection, width=200),
        f.score(row.mean_a, digits=digits),
        f.score(row.mean_b, digits=digits),
        f.signed(row.diff, digits=digits),
        f.pvalue(row.pvalue_adj, alpha=alpha).replace("< ", "<"),
        READINGS[row.reading],
    )
