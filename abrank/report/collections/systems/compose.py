"""From many systems on several collections to a report in words."""

from __future__ import annotations

from collections.abc import Iterator

from abrank._support import display as f
from abrank.collections import CollectionsRanking
from abrank.ranking import Ranking
from abrank.report.collections.systems import tables, words
from abrank.report.collections.systems.cautions import standings_cautions
from abrank.report.model import Block, Figure, Fold, Headline, Report, Section, Table, Text
from abrank.report.ranking import tables as ranking_tables
from abrank.report.ranking.sections import MOST_ROWS

# Rows of the leaderboard of one collection.
MOST_OF_ONE = 10
# Collections beside each other in a table.
MOST_COLUMNS = 10


def compose_standings(found: CollectionsRanking, *, digits: int | None = None) -> Report:
    """Return everything a report says about many systems on several collections.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> report = compose_standings(rank_collections({"web": one, "news": one}))
    >>> [section.key for section in report.sections]
    ['leaderboard', 'ranks', 'collections', 'each', 'methods', 'reproduce']
    """
    digits = found.decimals if digits is None else digits
    head = headline(found, digits=digits)
    created = str(found.provenance.get("created") or "")[:10]
    sections = [
        _leaderboard(found, digits),
        _ranks(found, digits),
        *([_measures(found, digits)] if found.measures[1:] else []),
        _collections(found, digits),
        _each(found, digits),
        Section("methods", "Methods", "What the two ranks claim.", (Text(words.claims(found)),)),
        _reproduce(found),
    ]
    return Report(
        title=f"{head.title.removesuffix('.')} · abrank",
        context=(*words.context(found), *([created] if created else [])),
        headline=head,
        cautions=standings_cautions(found, digits=digits),
        sections=tuple(sections),
        omitted=(),
    )


def headline(found: CollectionsRanking, *, digits: int) -> Headline:
    """Return who may be called first, on these collections and on others like them."""
    alone = len(found.primary.first()) == 1
    return Headline(
        verdict="leads" if alone else "shared",
        glyph="▲" if alone else "≈",
        tag="One first place" if alone else "Shared first place",
        tone="b" if alone else "tie",
        title=words.title(found),
        numbers=words.leader(found, digits=digits),
        meaning=words.like_these(found),
        next_step=(
            "More judged queries tell more of these collections, more collections tell of others."
            if len(found.primary.first(like=True)) > 1
            else "Read below on which collections the lead rests."
        ),
        rule="A system may be called first if no other is shown to be better: all pairs, alpha"
        f" {f.number(found.alpha)}, {f.plural(len(found.rankings), 'collection')} of equal weight.",
    )


def _cut(table: Table, key: str) -> list[Block]:
    """Return a table of which a page shows the first rows, and the others when it is opened."""
    blocks: list[Block] = [Table(table.key, table.columns, table.rows[:MOST_ROWS])]
    left = len(table.rows) - MOST_ROWS
    if left > 0:
        more = f"The other {f.plural(left, 'system')}"
        blocks.append(Table(f"{table.key}-{key}", table.columns, table.rows[MOST_ROWS:], more))
    return blocks


def _leaderboard(found: CollectionsRanking, digits: int) -> Section:
    table = tables.standings(found.primary, digits=digits)
    # The rows are in order; chances to lead stand in the table of both claims.
    table = Table(table.key, table.columns[1:7], tuple(row[1:7] for row in table.rows))
    finding = f"{words.leads(found)} {words.firsts(found)}"
    said = Text(
        "Bold: may be called first. Δ is the difference from the first, its interval for all pairs"
        " together. Rank: on these collections; like these: on others of which they are a sample;"
        " both hold for all systems together.",
        "caption",
    )
    return Section("leaderboard", "Leaderboard", finding, (*_cut(table, "more"), said))


def _ranks(found: CollectionsRanking, digits: int) -> Section:
    finding = f"{words.title(found)} {words.like_these(found)}"
    caption = Text(
        "Thick: these collections, their queries drawn anew. Thin: collections like these, of which"
        " these are a sample; it takes many collections to say much of others. Neither speaks of"
        " systems tuned on these queries.",
        "caption",
    )
    table = tables.both_claims(found.primary, alpha=found.alpha, digits=digits)
    folded = Table(table.key, table.columns, table.rows, "Both claims in numbers")
    blocks = (Figure("ranks", finding), caption, folded)
    return Section("ranks", "Ranks that can be claimed", finding, blocks)


def _measures(found: CollectionsRanking, digits: int) -> Section:
    table = tables.by_measure(found, digits=digits)
    finding = " ".join(words.measures(found))
    return Section("measures", "Measures", finding, tuple(_cut(table, "more")))


def _collections(found: CollectionsRanking, digits: int) -> Section:
    blocks: list[Block] = []
    for each in found.measures:
        table = tables.by_collection(found, each.measure, digits=digits)
        if each is found.primary:
            for part in _side_by_side(table):
                blocks += _cut(part, "more")
            blocks.append(Text("Bold: the first, and what is not told apart from it.", "caption"))
        else:
            blocks.append(Table(table.key, table.columns, table.rows, f"By {each.measure}"))
    return Section("collections", "Systems by collections", words.firsts(found), tuple(blocks))


def _side_by_side(table: Table) -> Iterator[Table]:
    """Yield a table of very many columns in parts that a page, or paper, has room for."""
    for start in range(1, len(table.columns), MOST_COLUMNS):
        kept = (0, *range(start, min(start + MOST_COLUMNS, len(table.columns))))
        columns = tuple(table.columns[i] for i in kept)
        key = table.key if start == 1 else f"{table.key}, from {columns[1].title}"
        yield Table(key, columns, tuple(tuple(row[i] for i in kept) for row in table.rows))


def _each(found: CollectionsRanking, digits: int) -> Section:
    finding = (
        "Open a collection to read its own leaderboard; the command makes its whole page, with"
        " every pair."
    )
    blocks = tuple(
        _fold(f"collection-{place}", name, ranking, digits)
        for place, (name, ranking) in enumerate(found.rankings.items(), start=1)
    )
    return Section("each", "Each collection by itself", finding, blocks)


def _fold(key: str, name: str, ranking: Ranking, digits: int) -> Fold:
    table = ranking_tables.leaderboard(ranking, digits=digits)
    rows = tuple(row[1:] for row in table.rows[:MOST_OF_ONE])
    blocks: list[Text | Table] = [Table(f"leaderboard of {name}", table.columns[1:], rows)]
    left = len(table.rows) - len(rows)
    said = f"{f.plural(left, 'more system')} not shown. " if left else ""
    blocks.append(
        Text(f"{said}Systems that share a letter are not told apart, {ranking.title}.", "caption")
    )
    command = words.rank_command(name, ranking)
    if command:
        blocks.append(Text(command, "code"))
    return Fold(key, f"{name}: {words.one_collection(ranking)}", tuple(blocks))


def _reproduce(found: CollectionsRanking) -> Section:
    command = str(found.provenance.get("command") or "")
    blocks: list[Block] = []
    versions = (found.provenance.get("versions") or {}).items()
    facts = [f"Seed {found.primary.these.seed}", *(f"{each} {number}" for each, number in versions)]
    blocks.append(Text(f"{', '.join(facts)}."))
    if command:
        blocks.append(Text(command, "code"))
    how = "The command below gives" if command else "The same inputs and seed give"
    return Section("reproduce", "Reproduce", f"{how} the same numbers again.", tuple(blocks))
