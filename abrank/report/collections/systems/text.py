"""Many systems on several collections as text for the terminal."""

from __future__ import annotations

from abrank._support import checks
from abrank.collections import CollectionsRanking
from abrank.report import cells
from abrank.report.collections.systems import tables, words
from abrank.report.collections.systems.cautions import standings_cautions
from abrank.report.formats.terminal.note_lines import first_lines, note_lines
from abrank.report.formats.terminal.plain_text import NARROWEST, WIDTH
from abrank.report.model import Table
from abrank.report.ranking.text import columns_of_text

# Columns for a name beside numbers: of the leaderboard, and of the other tables.
_LEAST, _NAME = 8, 16


def standings_text(
    found: CollectionsRanking,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int | None = None,
) -> str:
    """Return who may be called first, the leaderboard, the means by collection, what they say.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> print(standings_text(rank_collections({"web": one, "news": one})).splitlines()[0])
    Only Y may be called first of 2 systems on these 2 collections.
    """
    digits = found.decimals if digits is None else digits
    checks.count("width", width, at_least=NARROWEST)
    said = [words.title(found), words.like_these(found), ", ".join(words.context(found)) + "."]
    told = standings_cautions(found, digits=digits)
    blocks = [
        first_lines(told, width=width),
        cells.wrap_all(said, width),
        _leaderboard(found, width, digits),
        *_split(tables.by_collection(found, found.primary.measure, digits=digits), width),
        *(_split(tables.by_measure(found, digits=digits), width) if found.measures[1:] else ()),
        cells.wrap_all(words.sentences(found, digits=digits), width),
        cells.wrap(words.claims(found), width),
        note_lines(told, width=width),
    ]
    return cells.blocks_of_text(blocks, ascii=ascii)


def _leaderboard(found: CollectionsRanking, width: int, digits: int) -> list[str]:
    """Return a line a system; the interval is left out where there is no room."""
    table = tables.standings(found.primary, digits=digits)
    head = ["", "system", "mean", "from the first", "rank", "like these", "leads"]
    texts = [[cell.text for cell in row[:8]] for row in table.rows]
    rows = [[*row[:3], f"{row[3]}  ({row[4]})" if row[4] else "", *row[5:]] for row in texts]
    wide = [max(map(cells.columns, column)) + 2 for column in zip(head, *rows, strict=True)]
    if sum(wide[2:]) + wide[0] + _LEAST > width:
        rows = [[*row[:4], *row[5:]] for row in texts]
    return columns_of_text([head, *rows], width, "rNrlrrr")


def _split(table: Table, width: int) -> list[list[str]]:
    """Return a table of systems in tables of as many columns as fit."""
    rows = [[column.title for column in table.columns]]
    rows[0] = [cells.one_line(each, width=24) for each in rows[0]]
    rows += [[cell.text for cell in row] for row in table.rows]
    wide = [max(cells.columns(row[i]) for row in rows) + 2 for i in range(len(rows[0]))]
    blocks: list[list[int]] = [[]]
    for i in range(1, len(wide)):
        if blocks[-1] and _NAME + sum(wide[j] for j in [*blocks[-1], i]) > width:
            blocks.append([])
        blocks[-1].append(i)
    return [
        columns_of_text([[row[0], *(row[i] for i in block)] for row in rows], width, align)
        for block in blocks
        for align in ["N" + "r" * len(block)]
    ]
