"""The tables of a ranking: the leaderboard, and the pairs."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.ranking import PairRow, Ranking
from abrank.report.model import Cell, Column, Table

GLYPHS = {"better": "▲ better", "worse": "▼ worse", "unclear": "? unclear"}


def leaderboard(ranking: Ranking, *, digits: int) -> Table:
    """Return a row a system, best mean first: its group, or what it is against the baseline."""
    level = f"{f.level(1.0 - ranking.alpha)} interval"
    columns = [Column(""), Column("System", numeric=False), Column("Mean"), Column(level)]
    if ranking.baseline is None:
        columns.append(Column("Group", numeric=False))
    else:
        columns += _against(ranking, "Reading")
    pairs = {row.b: row for row in ranking.pair_rows}
    rows = []
    for row in ranking.rows:
        first = row.position == 1
        cells = [
            Cell(f.count(row.position), row.position),
            Cell(row.system, row.system, strong=first),
            Cell(f.score(row.mean, digits=digits), row.mean, strong=first),
            Cell(_limits(row.ci_low, row.ci_high, digits), row.ci_low),
        ]
        if ranking.baseline is None:
            cells.append(Cell(row.group, row.group))
        elif row.system == ranking.baseline:
            cells += [*[Cell("")] * (len(columns) - len(cells) - 1), Cell("baseline")]
        else:
            cells += _pair(ranking, pairs[row.system], digits)
        rows.append(tuple(cells))
    return Table("leaderboard", tuple(columns), tuple(rows))


def pairs(ranking: Ranking, *, digits: int) -> Table:
    """Return a row a pair, B above A."""
    columns = [
        Column("A", numeric=False),
        Column("B", numeric=False),
        *_against(ranking, "Reading of B"),
    ]
    rows = tuple(
        (Cell(row.a, row.a), Cell(row.b, row.b), *_pair(ranking, row, digits))
        for row in ranking.pair_rows
    )
    return Table("pairs", tuple(columns), rows)


def has_intervals(ranking: Ranking) -> bool:
    """Whether the test gives intervals of the differences."""
    return any(not math.isnan(row.ci_low) for row in ranking.pair_rows)


def _against(ranking: Ranking, reading: str) -> list[Column]:
    """Return the columns of what a pair shows."""
    interval = [Column("Simultaneous interval")] if has_intervals(ranking) else []
    return [Column("Δ"), *interval, Column("Adjusted p"), Column(reading, numeric=False)]


def _pair(ranking: Ranking, row: PairRow, digits: int) -> list[Cell]:
    tone = {"better": "b", "worse": "a"}.get(row.reading, "plain")
    cells = [Cell(f.signed(row.diff, digits=digits), row.diff, tone)]  # type: ignore[arg-type]
    if has_intervals(ranking):
        cells.append(Cell(f.interval(row.ci_low, row.ci_high, digits=digits), row.ci_low))
    p = f.pvalue(row.pvalue_adj, alpha=ranking.alpha)
    shown = GLYPHS.get(row.reading, row.reading)
    return [*cells, Cell(p, row.pvalue_adj), Cell(shown, row.reading)]


def _limits(low: float, high: float, digits: int) -> str:
    if math.isnan(low):
        return f.UNDEFINED
    return " to ".join(f.score(each, digits=digits) for each in (low, high))
