"""The tables of several collections: one measure by collection, and all measures."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.collections import CollectionRow, CollectionsComparison, MeasureSummary, SummaryRow
from abrank.report.model import Cell, Column, Table, Tone
from abrank.report.sections.words import READINGS

SUMMARIES = {
    "stratified": "All queries (stratified)",
    "equal": "Equal weights",
    "random": "Random effects",
}
PREDICTION = "One more collection"
_TONES: dict[str, Tone] = {"better": "b", "worse": "a"}


def by_collection(found: CollectionsComparison, summary: MeasureSummary, *, digits: int) -> Table:
    """Return a row a collection, and under them the summaries and the prediction interval."""
    heads = [Column("Collection", numeric=False), Column("Queries"), Column("A"), Column("B")]
    heads += [
        Column("Δ"),
        Column(f"{f.level(1.0 - found.alpha)} interval (Holm)"),
        Column("p (Holm)"),
    ]
    heads += [Column("Weight (random)"), Column("Reading", numeric=False)]
    rows = [_row(row, found.alpha, digits) for row in summary.rows]
    rows += [
        _summary(words, getattr(summary, kind), summary, found.alpha, digits)
        for kind, words in SUMMARIES.items()
    ]
    low, high = summary.prediction
    if math.isfinite(low):
        limits = Cell(f.interval(low, high, digits=digits), low)
        blank = Cell("")
        rows.append((Cell(PREDICTION), blank, blank, blank, blank, limits, blank, blank, blank))
    return Table(f"by collection, {summary.measure}", tuple(heads), tuple(rows))


def _row(row: CollectionRow, alpha: float, digits: int) -> tuple[Cell, ...]:
    return (
        Cell(row.collection, row.collection),
        Cell(f.count(row.n_queries), row.n_queries),
        Cell(f.score(row.mean_a, digits=digits), row.mean_a),
        Cell(f.score(row.mean_b, digits=digits), row.mean_b),
        Cell(f.signed(row.diff, digits=digits), row.diff, _tone(row.reading)),
        Cell(f.interval(row.ci_low_adj, row.ci_high_adj, digits=digits), row.ci_low_adj),
        Cell(f.pvalue(row.pvalue_adj, alpha=alpha), row.pvalue_adj),
        Cell(f.percent(row.weight_random, sign=False), row.weight_random),
        Cell(READINGS[row.reading], row.reading, _tone(row.reading)),
    )


def _summary(
    words: str, row: SummaryRow, summary: MeasureSummary, alpha: float, digits: int
) -> tuple[Cell, ...]:
    return (
        Cell(words, words, strong=True),
        Cell(f.count(summary.n_queries), summary.n_queries),
        Cell(""),
        Cell(""),
        Cell(f.signed(row.estimate, digits=digits), row.estimate, _tone(row.reading), strong=True),
        Cell(f.interval(row.ci_low, row.ci_high, digits=digits), row.ci_low, strong=True),
        Cell(f.pvalue(row.pvalue, alpha=alpha), row.pvalue),
        Cell(""),
        Cell(READINGS[row.reading], row.reading, _tone(row.reading)),
    )


def by_measure(found: CollectionsComparison, *, digits: int) -> Table:
    """Return a row a measure: its summaries, and on how many collections B is better and worse."""
    heads = [Column("Measure", numeric=False)]
    heads += [Column(SUMMARIES["stratified"]), Column(SUMMARIES["random"])]
    heads += [Column("I²"), Column("Collections"), Column("Reading", numeric=False)]
    rows = []
    for each in found.measures:
        cells = [Cell(each.measure, each.measure, strong=each is found.primary)]
        for row in (each.stratified, each.random):
            shown = f.interval(row.ci_low, row.ci_high, digits=digits)
            diff = f.signed(row.estimate, digits=digits)
            cells.append(Cell(f"{diff} ({shown})", row.estimate, _tone(row.reading)))
        share = each.heterogeneity.i_squared
        cells.append(Cell(f.percent(share, sign=False), share))
        better, worse = each.count("better"), each.count("worse")
        cells.append(Cell(f"▲ {better} ▼ {worse} of {len(each.rows)}", better - worse))
        cells.append(Cell(READINGS[each.random.reading], each.random.reading))
        rows.append(tuple(cells))
    return Table("measures", tuple(heads), tuple(rows))


def _tone(reading: str) -> Tone:
    return _TONES.get(reading, "plain")
