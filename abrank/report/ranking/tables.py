"""The tables of a ranking: the leaderboard, the means by measure, and the pairs."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.report.model import Cell, Column, Table, Tone
from abrank.report.ranking import columns
from abrank.report.ranking.columns import Interval
from abrank.report.ranking.names import name


def leaderboard(ranking: Ranking, *, digits: int, interval: Interval = "difference") -> Table:
    """Return a row a system, best mean first: its distance, and its group or its reading."""
    if len(ranking.baselines) > 1:
        return _against_several(ranking, digits)
    against = ranking.baseline is not None
    wanted = _wanted(ranking, interval)
    heads = [Column(""), Column("System", numeric=False), Column("Mean")]
    heads += [Column("Mean rank")] * columns.shows_ranks(ranking)
    if interval != "difference":
        heads.append(Column(columns.title(ranking, interval)))
    if against:
        heads += _against(ranking, "Reading")
    else:
        heads += [Column("Δ from the first")] * (wanted > 0)
        heads += [Column("Simultaneous interval")] * (wanted > 1)
        heads.append(Column("Group", numeric=False))
    pairs, apart = {row.b: row for row in ranking.pair_rows}, columns.distances(ranking)
    rows = []
    for row in ranking.rows:
        cells = _mean(ranking, row, digits, interval)
        if not against:
            cells += _distance(apart.get(row.system), digits)[:wanted]
            cells.append(Cell(columns.letters(row.group), row.group))
        elif row.system == ranking.baseline:
            cells += [*[Cell("")] * (len(heads) - len(cells) - 1), Cell("baseline")]
        else:
            cells += _pair(ranking, pairs[row.system], digits)
        rows.append(tuple(cells))
    return Table("leaderboard", tuple(heads), tuple(rows))


def _against_several(ranking: Ranking, digits: int) -> Table:
    """Return a row a system, and a column for the difference from each baseline."""
    heads = [Column(""), Column("System", numeric=False), Column("Mean")]
    heads += [Column(f"Δ from {name(base)}") for base in ranking.baselines]
    pairs = {(row.a, row.b): row for row in ranking.pair_rows}
    rows = []
    for row in ranking.rows:
        cells = [
            Cell(f.count(row.position), row.position),
            Cell(row.system, row.system, strong=row.position == 1),
            Cell(f.score(row.mean, digits=digits), row.mean),
        ]
        for base in ranking.baselines:
            pair = pairs.get((base, row.system))
            cells.append(Cell("baseline" if row.system == base else ""))
            if pair is not None:
                cells[-1] = Cell(
                    f"{f.signed(pair.diff, digits=digits)} {columns.reading(pair)}",
                    pair.diff,
                    _tone(pair),
                )
        rows.append(tuple(cells))
    return Table("leaderboard", tuple(heads), tuple(rows))


def _tone(row: PairRow) -> Tone:
    tones: dict[str, Tone] = {"better": "b", "worse": "a"}
    return tones.get(row.reading, "plain")


def _wanted(ranking: Ranking, interval: Interval) -> int:
    """Return how many columns the difference from the first takes."""
    if interval != "difference":
        return 0
    return 2 if columns.has_intervals(ranking) else 1


def _mean(ranking: Ranking, row: SystemRow, digits: int, interval: Interval) -> list[Cell]:
    """Return place, name, mean, and what goes with the mean."""
    first = row.position == 1
    cells = [
        Cell(f.count(row.position), row.position),
        Cell(row.system, row.system, strong=first),
        Cell(f.score(row.mean, digits=digits), row.mean, strong=first),
    ]
    if columns.shows_ranks(ranking):
        cells.append(Cell(f.score(row.mean_rank, digits=2), row.mean_rank))
    if interval != "difference":
        low, high = columns.limits(row, interval)
        cells.append(Cell(_limits(low, high, digits), low))
    return cells


def _distance(distance: columns.Distance | None, digits: int) -> list[Cell]:
    """Return the difference from the first, and its interval; the first has none."""
    if distance is None:
        return [Cell(""), Cell("")]
    shown = f.interval(distance.low, distance.high, digits=digits)
    return [
        Cell(f.signed(distance.diff, digits=digits), distance.diff),
        Cell(shown, distance.low),
    ]


def by_measure(ranking: Ranking, *, digits: int) -> Table:
    """Return a row a system, in the order of the first measure, and a mean a measure."""
    marks = {each.measure: columns.marks(each) for each in ranking.by_measure}
    rows = []
    for system in ranking.systems:
        cells = [Cell(system, system)]
        for each in ranking.by_measure:
            row = each[system]
            shown = f"{f.score(row.mean, digits=digits)} {marks[each.measure][system]}".rstrip()
            cells.append(Cell(shown, row.mean, strong=row.position == 1))
        rows.append(tuple(cells))
    heads = [Column("System", numeric=False)]
    heads += [Column(measure, numeric=False) for measure in ranking.measures]
    return Table("means", tuple(heads), tuple(rows))


def pairs(ranking: Ranking, *, digits: int) -> Table:
    """Return a row a pair, B above A."""
    heads = [
        Column("A", numeric=False),
        Column("B", numeric=False),
        *_against(ranking, "Reading of B"),
    ]
    rows = tuple(
        (Cell(row.a, row.a), Cell(row.b, row.b), *_pair(ranking, row, digits))
        for row in ranking.pair_rows
    )
    return Table("pairs", tuple(heads), rows)


def _against(ranking: Ranking, reading: str) -> list[Column]:
    """Return the columns of what a pair shows."""
    interval = [Column("Simultaneous interval")] if columns.has_intervals(ranking) else []
    return [Column("Δ"), *interval, Column("Adjusted p"), Column(reading, numeric=False)]


def _pair(ranking: Ranking, row: PairRow, digits: int) -> list[Cell]:
    cells = [Cell(f.signed(row.diff, digits=digits), row.diff, _tone(row))]
    if columns.has_intervals(ranking):
        cells.append(Cell(f.interval(row.ci_low, row.ci_high, digits=digits), row.ci_low))
    p = f.pvalue(row.pvalue_adj, alpha=ranking.alpha)
    return [*cells, Cell(p, row.pvalue_adj), Cell(columns.reading(row), row.reading)]


def _limits(low: float, high: float, digits: int) -> str:
    if math.isnan(low):
        return f.UNDEFINED
    return " to ".join(f.score(each, digits=digits) for each in (low, high))
