"""Measures as instruments, and risk: tables and what they say."""

from __future__ import annotations

from collections.abc import Iterator

from abrank._support import display as f
from abrank.ranking import Ranking
from abrank.report.model import Cell, Column, Figure, Section, Table, Text


def sections(ranking: Ranking, *, digits: int) -> list[Section]:
    """Return a section for each thing that was asked for beside the leaderboard."""
    found = []
    if ranking.extras.instruments:
        found.append(_instruments(ranking, digits))
    if ranking.extras.risk:
        found.append(_risk(ranking, digits))
    return found


def text_tables(ranking: Ranking, *, digits: int) -> Iterator[tuple[list[list[str]], str, str]]:
    """Yield rows with their headings, how the columns are aligned, and the finding."""
    for section in sections(ranking, digits=digits):
        for block in section.blocks:
            if isinstance(block, Table):
                head = [column.title for column in block.columns]
                rows = [[cell.text for cell in row] for row in block.rows]
                yield [head, *rows], "N" + "r" * (len(head) - 1), section.finding


def _instruments(ranking: Ranking, digits: int) -> Section:
    alpha = f.number(ranking.alpha)
    heads = [Column("Measure", numeric=False), Column("Told apart"), Column("Swap rate")]
    heads += [Column("Smallest Δ"), Column("Tau")]
    rows = tuple(
        (
            Cell(each.measure, each.measure),
            Cell(f.percent(each.discriminative_power, sign=False), each.discriminative_power),
            Cell(f.percent(each.swap_rate, sign=False), each.swap_rate),
            Cell(f.score(each.smallest_told, digits=digits), each.smallest_told),
            Cell(f.score(each.tau, digits=2), each.tau),
        )
        for each in ranking.extras.instruments
    )
    best = max(ranking.extras.instruments, key=lambda each: each.discriminative_power)
    pairs = f.plural(len(best.achieved_levels), "pair")
    finding = (
        f"{best.measure} tells most pairs apart: {f.percent(best.discriminative_power, sign=False)}"
        f" of {pairs}, by paired t tests that are not adjusted."
    )
    text = Text(
        f"Told apart: pairs with p < {alpha} by these tests"
        " (discriminative power; the p-values of all pairs stand in the JSON). Swap rate: how"
        " often disjoint halves of the queries order a pair the other way round. Smallest Δ: of"
        " two means told apart. Tau: Kendall's, with the order by the first measure.",
        "caption",
    )
    curve = Text(
        "The p-values of all pairs by each measure, smallest first: the further right a curve meets"
        " the line, the more pairs the measure tells apart (Sakai 2006).",
        "caption",
    )
    blocks = (Table("instruments", tuple(heads), rows), text, Figure("achieved", finding), curve)
    return Section("instruments", "Measures as instruments", finding, blocks)


def _risk(ranking: Ranking, digits: int) -> Section:
    extras = ranking.extras
    baseline = extras.risk[0].baseline
    heads = [Column("System", numeric=False)]
    heads += [Column("URisk"), Column("TRisk"), Column("GeoRisk")]
    rows = []
    for each in extras.risk:
        cells = [Cell(each.system, each.system)]
        if each.system == baseline:
            cells += [Cell("baseline"), Cell("")]
        else:
            urisk = (each.urisk, each.urisk_low, each.urisk_high)
            cells.append(Cell(_with_limits(*(f.signed(v, digits=digits) for v in urisk)), urisk[0]))
            trisk = (each.trisk, each.trisk_low, each.trisk_high)
            cells.append(Cell(_with_limits(*(f.signed(v, digits=1) for v in trisk)), trisk[0]))
        geo = (each.georisk, each.georisk_low, each.georisk_high)
        cells.append(Cell(_with_limits(*(f.score(v, digits=digits) for v in geo)), geo[0]))
        rows.append(tuple(cells))
    risky = [each.system for each in extras.risk if each.trisk < -2.0]
    weight = f.number(1.0 + extras.risk_weight)
    named = f.first_of(risky, 3)
    verb, wins = ("loses", "it wins") if len(risky) == 1 else ("lose", "they win")
    finding = f"Against {baseline}, a loss counted {weight} times: "
    finding += f"{named} {verb} more than {wins} (TRisk < -2)." if risky else "no TRisk below -2."
    text = Text(
        f"{ranking.measure}. URisk: mean gain with losses weighted, interval by t. TRisk: URisk"
        " over its standard error. GeoRisk: mean score and risk against all systems together,"
        " interval from resampled queries.",
        "caption",
    )
    table = Table("risk", tuple(heads), tuple(rows))
    return Section("risk", "Risk", finding.replace("-2", "−2"), (table, text))


def _with_limits(value: str, low: str, high: str) -> str:
    return value if f.UNDEFINED in (value, low) else f"{value} [{low}, {high}]"
