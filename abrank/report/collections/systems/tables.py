"""The tables of many systems on several collections."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.collections import CollectionsRanking, MeasureStandings, Standing
from abrank.report.collections.systems import words
from abrank.report.model import Cell, Column, Table
from abrank.report.ranking.sections import chance, to_lead


def standings(standings: MeasureStandings, *, digits: int) -> Table:
    """Return a row a system: mean, distance from the first, both rank intervals, chance to lead."""
    heads = [Column(""), Column("System", numeric=False), Column("Mean")]
    heads += [Column("Δ"), Column("Interval of Δ"), Column("Rank"), Column("Like these")]
    heads += [Column(to_lead(standings.these)), Column("First on")]
    rows = tuple(
        (
            Cell(f.count(row.position), row.position),
            Cell(row.system, row.system, strong=row.these.may_be_first),
            Cell(f.score(row.mean, digits=digits), row.mean),
            Cell("" if row.position == 1 else f.signed(row.diff, digits=digits), row.diff),
            Cell(_difference(row.these, digits), row.these.diff_low),
            Cell(words.ranks(row.these), row.these.rank_low, strong=row.these.may_be_first),
            Cell(words.ranks(row.like), row.like.rank_low, strong=row.like.may_be_first),
            Cell(chance(row.these.lead), row.these.lead),
            Cell(f.count(row.n_first), row.n_first),
        )
        for row in standings.rows
    )
    return Table("standings", tuple(heads), rows)


def both_claims(standings: MeasureStandings, *, alpha: float, digits: int) -> Table:
    """Return a row a system: what is claimed of these collections, and of others like them."""
    level = f.level(1.0 - alpha)
    heads = [Column("System", numeric=False)]
    for which in ("these", "like these"):
        heads += [Column(f"{level} of the mean, {which}"), Column(f"Δ from the first, {which}")]
    heads += [Column(to_lead(standings.these)), Column("Like these"), Column("First on")]
    rows = []
    for row in standings.rows:
        cells = [Cell(row.system, row.system)]
        for each in (row.these, row.like):
            cells.append(Cell(f.interval(each.ci_low, each.ci_high, digits=digits), each.ci_low))
            cells.append(Cell(_difference(each, digits), each.diff_low))
        cells += [Cell(chance(each.lead), each.lead) for each in (row.these, row.like)]
        rows.append((*cells, Cell(f.count(row.n_first), row.n_first)))
    return Table("both claims", tuple(heads), tuple(rows))


def _difference(standing: Standing, digits: int) -> str:
    if math.isnan(standing.diff_low):
        return ""
    return f.interval(standing.diff_low, standing.diff_high, digits=digits)


def by_collection(found: CollectionsRanking, measure: str, *, digits: int) -> Table:
    """Return systems by collections; bold what is not told apart from the first there."""
    leaders = {name: set(each.of(measure).leaders) for name, each in found.rankings.items()}
    means = {
        name: {row.system: row.mean for row in each.of(measure).rows}
        for name, each in found.rankings.items()
    }
    heads = (Column("System", numeric=False), *(Column(name) for name in means))
    rows = tuple(
        (
            Cell(row.system, row.system),
            *(
                Cell(
                    f.score(own[row.system], digits=digits),
                    own[row.system],
                    strong=row.system in leaders[name],
                )
                for name, own in means.items()
            ),
        )
        for row in found.of(measure).rows
    )
    return Table(f"means, {measure}", heads, rows)


def by_measure(found: CollectionsRanking, *, digits: int) -> Table:
    """Return systems by measures: the mean, and its rank on these collections."""
    heads = [Column("System", numeric=False)]
    for each in found.measures:
        heads += [Column(each.measure), Column("Rank, these")]
    rows = []
    for system in found.systems:
        cells = [Cell(system, system)]
        for each in found.measures:
            row = each[system]
            cells.append(Cell(f.score(row.mean, digits=digits), row.mean))
            first = row.these.may_be_first
            cells.append(Cell(words.ranks(row.these), row.these.rank_low, strong=first))
        rows.append(tuple(cells))
    return Table("measures", tuple(heads), tuple(rows))
