"""The report of many systems on several collections."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from abrank._support import display as f
from abrank._support.files import name_of
from abrank.collections import CollectionsRanking, Standing
from abrank.ranking import Ranking
from abrank.report.model import (
    DRAWN,
    EVERYWHERE,
    Bar,
    Block,
    Caution,
    Cell,
    Chip,
    Column,
    Fact,
    Figure,
    Fold,
    Headline,
    Paper,
    Report,
    Scale,
    Scorecard,
    Section,
    Style,
    Table,
    Text,
    Tone,
    Words,
    counted,
    label,
    named,
    report_of,
)
from abrank.report.sections.appendix import cited, inputs_of, methods, of_measures, reproduce
from abrank.report.sections.cautions import by_collection as cautions_by_collection
from abrank.report.sections.words import capital
from abrank.report.subjects import compose
from abrank.report.subjects.leaderboard import ahead, chance, lead, leaderboard, name, to_lead
from abrank.report.subjects.systems import methods_text as ranking_methods
from abrank.report.subjects.systems import of_runs

MOST_NAMES = 4  # that a sentence lists
MOST_COLUMNS = 10  # collections beside each other in a table
MOST_INPUTS = 3
SOURCES = (
    ("Ranks and pairs", "Mogstad, Romano, Shaikh & Wilhelm 2024"),
    ("All pairs", "Westfall & Young 1993"),
)
_CLAIMS = (
    "Rank, on these collections: the collections stay, and their queries are drawn anew; all pairs"
    " by the smallest p of each bootstrap sample (Westfall and Young 1993). Like these: the"
    " collections are a sample, each one observation (test: {like}). Collections weigh equally. A"
    " rank interval counts the systems that are significantly better and worse, for all pairs"
    " together"
    " (Mogstad, Romano, Shaikh and Wilhelm 2024). A system could be the best if no other is"
    " significantly better."
)


@compose.register
def compose_standings(found: CollectionsRanking, *, digits: int | None = None) -> Report:
    """Return everything a report says about many systems on several collections."""
    w = Words(found, digits)
    head, text = _headline(w), _methods(found)
    context = [
        f.plural(len(found.systems), "system"),
        f.plural(len(found.rankings), "collection"),
        f.plural(found.n_queries, "query", "queries"),
        ", ".join(name(each.measure) for each in found.measures),
    ]
    sources = cited([*of_measures(each.measure for each in found.measures), *SOURCES])
    said = "A paragraph to paste, and what the two ranks claim."
    return report_of(
        w,
        head,
        context=context,
        who=f"{context[0]} on {context[1]}",
        file=f"ranking-{name_of(found.primary.measure) or 'measure'}-collections",
        cautions=cautions(found),
        sections=(
            _leaderboard(w),
            _ranks(w),
            *([_measures(w)] if found.measures[1:] else []),
            *_collections(w),
            _each(w),
            methods(text, sources, said, Text(claims(found))),
            reproduce(found.provenance, found.primary.these.seed, inputs_of(found.rankings)),
        ),
        facts=tuple(_facts(w, head, context)),
        chips=tuple(_chips(found)),
        methods=text,
        sources=sources,
        papers=partial(_paper, w),
        hint='.to_frame()  .rankings  .plot.ranks()  .report("ranking.html")',
    )


def _headline(w: Words[CollectionsRanking]) -> Headline:
    """Return who may be first, on these collections and on others like them."""
    found = w.result
    alone = len(found.primary.first()) == 1
    declared = found.primary.these.direction_declared
    return Headline(
        verdict="leads" if alone else "shared",
        glyph="▲" if alone and declared else "≈",
        tag="One first place" if alone else "Shared first place",
        tone="b" if alone and declared else "tie",
        title=title(found),
        numbers=_leader(w),
        lead=w.score(found.primary.rows[0].mean),
        meaning=like_these(found),
        next_step=(
            "Judge more queries to know more of these collections; add collections to know more of"
            " others like them."
            if len(found.primary.first(like=True)) > 1
            else "Look at which collections the lead rests on."
        ),
        rule="A system could be the best if no other is significantly better: all pairs, α ="
        f" {f.number(found.alpha)}, {f.plural(len(found.rankings), 'collection')} of equal weight.",
    )


def title(found: CollectionsRanking) -> str:
    """Say in one sentence who may be first on these collections."""
    if not found.primary.these.direction_declared:
        measure = name(found.primary.measure)
        return f"Is lower better for {measure}? Declare it to learn who is first."
    n, first = len(found.systems), found.primary.first()
    these = f"these {f.count(len(found.rankings))} collections"
    if len(first) == n:
        which = "either of the 2" if n == 2 else f"any of the {f.count(n)}"
        return f"On {these} {which} systems could be the best."
    if len(first) == 1:
        return f"Only {name(first[0])} could be the best of {f.count(n)} systems on {these}."
    may = f"{f.count(len(first))} could be the best"
    return f"Of {f.count(n)} systems {may} on {these}: {_list(first)}."


def _list(names: Sequence[str]) -> str:
    """Return names in a row, of many the first."""
    shown = list(map(name, names))
    return f.listed(shown) if len(shown) <= MOST_NAMES else f.first_of(shown, MOST_NAMES)


def like_these(found: CollectionsRanking) -> str:
    """Say who may be first on collections like these."""
    these, like = found.primary.first(), found.primary.first(like=True)
    n, best = len(found.systems), "could be the best"
    start = "On collections like these"
    if set(like) == set(these):
        if len(like) == n:
            return f"{start} it is as open."
        return f"{start} the same {best}." if len(like) > 1 else f"{start} it alone {best}, too."
    if len(like) == n:
        which = "either" if n == 2 else f"any of the {f.count(n)}"
        few = f"{f.count(len(found.rankings))} collections are too few to tell"
        return f"{start} {which} {best}: {few}."
    if len(like) == 1:
        return f"{start} only {name(like[0])} {best}."
    return f"{start} {f.count(len(like))} {best}: {_list(like)}."


def _leader(w: Words[CollectionsRanking]) -> str:
    """Return the highest mean with its two intervals."""
    found = w.result
    top = found.primary.rows[0]
    ends = [w.range(*each.interval) for each in (top.these, top.like)]
    return (
        f"{name(top.system)} has the {found.primary.these.best} mean, {w.score(top.mean)}"
        f" ({w.level} interval {ends[0]} on these collections, {ends[1]} on collections like them)."
    )


def _leads(found: CollectionsRanking) -> str:
    """Say how often the first would lead with other queries, and with other collections."""
    top = found.primary.rows[0]
    drawn = f.count(found.primary.these.n_drawn)
    return (
        f"{name(top.system)} leads in {chance(top.these.lead)} of {drawn} resamples of the queries,"
        f" and in {chance(top.like.lead)} where the collections are resampled, too."
    )


def _firsts(found: CollectionsRanking) -> str:
    """Say who has the best mean on how many collections."""
    rows = sorted(found.primary.rows, key=lambda row: -row.n_first)
    shown = [row for row in rows if row.n_first][:MOST_NAMES]
    said = ", ".join(f"{name(row.system)} on {f.count(row.n_first)}" for row in shown)
    n = f.count(len(found.rankings))
    return f"Collections with the {found.primary.these.best} mean, of {n}: {said}."


def _of_measures(found: CollectionsRanking) -> str:
    """Say who may be first by each further measure."""
    return " ".join(
        f"By {name(each.measure)} {f.count(len(each.first()))} could be the best on these"
        f" collections ({_list(each.first())}), {f.count(len(each.first(like=True)))} on"
        " collections like them."
        for each in found.measures[1:]
    )


def claims(found: CollectionsRanking) -> str:
    """Say what the two columns of ranks claim, and by which tests."""
    several = " Each measure is a family of its own." if len(found.measures) > 1 else ""
    level = f" All at α = {f.number(found.alpha)}."
    return _CLAIMS.format(like=found.primary.like.title) + level + several


def _facts(w: Words[CollectionsRanking], head: Headline, context: Sequence[str]) -> Iterator[Fact]:
    found = w.result
    yield Fact("ranked", f"{', '.join(context)}.", everywhere=True)
    yield Fact("meaning", head.meaning)
    yield Fact("chances", f"{_leads(found)} {_firsts(found)}", everywhere=True)
    yield Fact("next", head.next_step, "strong")
    yield Fact("rule", head.rule.removesuffix("."), "muted")


def _chips(found: CollectionsRanking) -> Iterator[Chip]:
    """Yield the numbers beside the leaderboard."""
    top, n = found.primary.rows[0], f.count(len(found.systems))
    first, like = (len(found.primary.first(like=each)) for each in (False, True))
    here = f"on these {f.count(len(found.rankings))} collections"
    yield Chip("Could be the best", f"{f.count(first)} of {n}", here)
    yield Chip("On collections like these", f"{f.count(like)} of {n}")
    leader = f"{name(top.system)}, rank {ranks(top.these)}"
    yield Chip(f"{to_lead(found.primary.these)} again", chance(top.these.lead), leader)


def ranks(standing: Standing) -> str:
    """Return a rank interval."""
    if standing.rank_low == standing.rank_high:
        return f.count(standing.rank_low)
    return f"{f.count(standing.rank_low)} to {f.count(standing.rank_high)}"


def _difference(w: Words[CollectionsRanking], standing: Standing) -> Cell:
    low, high = standing.diff_low, standing.diff_high
    return Cell("" if math.isnan(low) else w.interval(low, high), low)


def _leaderboard(w: Words[CollectionsRanking]) -> Section:
    """Return a row a system: mean, distance from the first, both rank intervals, chance to lead."""
    found, rows = w.result, w.result.primary.rows
    changes, bars = [], []
    for row in rows:
        tone: Tone = "b" if row.these.may_be_first else "tie"
        if row.position == 1:
            changes.append(Cell("", row.diff))
            bars.append(Bar(0.0, math.nan, math.nan, tone=tone))
        else:
            changes.append(w.change(row.diff))
            bars.append(Bar(row.diff, row.these.diff_low, row.these.diff_high, tone=tone))
    higher = found.primary.these.higher_is_better
    legend = (
        f"Bold: could be the best. The {w.level} interval of Δ, the difference from the first, is"
        " for all pairs together. Rank: on these collections; like these: on others of which they"
        " are a sample."
    )
    card = Scorecard.of(
        "standings",
        (Column("#", role="place"), [counted(row.position) for row in rows]),
        (named("system"), [Cell(x.system, x.system, strong=x.these.may_be_first) for x in rows]),
        (Column("mean", role="mean"), [w.mean(row.mean) for row in rows]),
        (Column("Δ", role="change"), changes),
        (DRAWN, [Cell("") for _ in rows]),
        (Column("interval of Δ", role="interval"), [_difference(w, row.these) for row in rows]),
        (Column("rank"), [_rank(row.these) for row in rows]),
        (Column("like these"), [_rank(row.like) for row in rows]),
        (Column("leads"), [Cell(lead(row.these.lead), row.these.lead) for row in rows]),
        (Column("first on", role="wins"), [counted(row.n_first) for row in rows]),
        noun="system",
        bars=tuple(bars),
        scale=Scale(
            *(("worse", "better") if higher else ("better", "worse")),
            tones=("a", "b") if higher else ("b", "a"),
            of="Δ from the first",
        ),
        tall=frozenset(),
        legend=(legend,),
    )
    return Section("leaderboard", "Leaderboard", f"{_leads(found)} {_firsts(found)}", (card,))


def _rank(standing: Standing) -> Cell:
    return Cell(ranks(standing), standing.rank_low, strong=standing.may_be_first)


def _ranks(w: Words[CollectionsRanking]) -> Section:
    found, rows = w.result, w.result.primary.rows
    finding = f"{title(found)} {like_these(found)}"
    caption = Text(
        "Thick: these collections, their queries drawn anew. Thin: collections like these, of which"
        " these are a sample; it takes many collections to say much of others. Neither speaks of"
        " systems tuned on these queries.",
        "caption",
    )
    columns, leads = [], []
    heads = (("these", to_lead(found.primary.these)), ("like these", "Like these"))
    of_each = ([row.these for row in rows], [row.like for row in rows])
    for (which, heading), standings in zip(heads, of_each, strict=True):
        ends = [Cell(w.range(*each.interval), each.ci_low) for each in standings]
        columns.append((Column(f"{w.level} of the mean, {which}"), ends))
        apart = [_difference(w, each) for each in standings]
        columns.append((Column(f"Δ from the first, {which}"), apart))
        leads.append((Column(heading), [Cell(chance(x.lead), x.lead) for x in standings]))
    names = label("System"), [Cell(row.system, row.system) for row in rows]
    folded = Table.of("both claims", names, *columns, *leads, folded="Both claims in numbers")
    blocks = (Figure("ranks", finding), caption, folded)
    return Section("ranks", "Ranks that can be claimed", finding, blocks, group="appendix")


def _measures(w: Words[CollectionsRanking]) -> Section:
    """Return systems by measures: the mean, and its rank on these collections."""
    found, columns = w.result, []
    for each in found.measures:
        rows = [each[system] for system in found.systems]
        columns.append((Column(each.measure), [w.mean(row.mean) for row in rows]))
        columns.append((Column("Rank, these"), [_rank(row.these) for row in rows]))
    names = named("System"), [Cell(system, system) for system in found.systems]
    table = Table.of("measures", names, *columns)
    return Section(
        "measures", "Other measures", _of_measures(found), (table,), EVERYWHERE, group="change"
    )


def _collections(w: Words[CollectionsRanking]) -> Iterator[Section]:
    """Yield systems by collections: of the first measure in every format."""
    found = w.result
    own = _by_collection(w, found.primary.measure)
    said = Text("Bold: the first, and those not significantly different from it.", "caption")
    heading = "Systems by collections"
    blocks: tuple[Block, ...] = (*_side_by_side(own), said)
    yield Section("collections", heading, _firsts(found), blocks, EVERYWHERE)
    if found.measures[1:]:
        tables = tuple(
            replace(_by_collection(w, each.measure), folded=f"By {each.measure}", noun="row")
            for each in found.measures[1:]
        )
        heading += ", further measures"
        yield Section("further", heading, _of_measures(found), tables, group="appendix")


def _by_collection(w: Words[CollectionsRanking], measure: str) -> Table:
    """Return systems by collections; bold what does not differ from the first there."""
    systems, columns = [row.system for row in w.result.of(measure).rows], []
    for collection, ranking in w.result.rankings.items():
        own = ranking.of(measure)
        means = {row.system: row.mean for row in own.rows}
        cells = [w.mean(means[each], strong=each in own.leaders) for each in systems]
        columns.append((Column(collection), cells))
    names = named("System"), [Cell(each, each) for each in systems]
    return Table.of(f"means, {measure}", names, *columns, noun="system")


def _side_by_side(table: Table) -> Iterator[Table]:
    """Yield a table of very many columns in parts that a page, or paper, has room for."""
    for start in range(1, len(table.columns), MOST_COLUMNS):
        kept = (0, *range(start, min(start + MOST_COLUMNS, len(table.columns))))
        columns = tuple(table.columns[i] for i in kept)
        key = table.key if start == 1 else f"{table.key}, from {columns[1].title}"
        rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
        yield Table(key, columns, rows, noun=table.noun)


def _each(w: Words[CollectionsRanking]) -> Section:
    finding = (
        "Open a collection to read its own leaderboard; the command makes its whole page, with"
        " every pair."
    )
    folds = []
    for place, (collection, ranking) in enumerate(w.result.rankings.items(), start=1):
        board = leaderboard(Words(ranking, w.digits))
        blocks: list[Block] = [replace(board, key=f"leaderboard of {collection}")]
        blocks.append(Text(f"By {ranking.title}.", "caption"))
        if command := rank_command(collection, ranking):
            blocks.append(Text(command, "code"))
        line = f"{collection}: {one_collection(ranking)}"
        folds.append(Fold(f"collection-{place}", line, tuple(blocks)))
    return Section("each", "Each collection by itself", finding, tuple(folds), group="appendix")


def one_collection(ranking: Ranking) -> str:
    """Say who leads on one collection."""
    first, others = name(ranking.systems[0]), len(ranking.leaders) - 1
    n = f.count(len(ranking.systems) - 1)
    told = (
        "better than all others"
        if not others
        else f"{f.count(others)} of {n} not significantly different"
    )
    better = len(ahead(ranking))
    if better:
        told = f"{f.count(better)} of {n} significantly better"
    return f"{f.plural(ranking.n_queries, 'query', 'queries')}, {first} leads, {told}"


def rank_command(collection: str, ranking: Ranking) -> str:
    """Return what makes the page of one collection; empty for objects in memory."""
    inputs: Mapping[str, Any] = ranking.provenance.get("inputs") or {}
    paths: dict[str, str] = {
        role: (source or {}).get("path") or "" for role, source in inputs.items()
    }
    qrels = paths.pop("qrels", "")
    if not set(ranking.systems) <= {system for system, path in paths.items() if path}:
        return ""
    runs = [
        path if Path(path).stem == system else f"{system}={path}" for system, path in paths.items()
    ]
    flags = [part for each in ranking.measures if each != "score" for part in ("-m", each)]
    report = f"html:reports/{name_of(collection) or 'collection'}.html"
    files = [qrels, *runs] if qrels else ["--scores", *dict.fromkeys(paths.values())]
    return shlex.join(["abrank", "rank", *files, *flags, "--report", report])


def _methods(found: CollectionsRanking) -> str:
    """Return the methods paragraph: what was ranked where, and by which tests."""
    systems, n = f.plural(len(found.systems), "system"), len(found.rankings)
    measures = ", ".join(name(each.measure) for each in found.measures)
    one = next(iter(found.rankings.values()))
    return (
        f"{capital(systems)} were scored on {f.plural(n, 'collection')}"
        f" ({f.plural(found.n_queries, 'query', 'queries')}) by {measures}. {claims(found)} On each"
        f" collection by itself: {ranking_methods(one).partition('Means were compared, ')[2]}"
    )


def _paper(w: Words[CollectionsRanking], style: Style) -> Paper:
    """Return the means by collection, with the mean over them and both rank intervals."""
    del style  # there is one
    found, primary = w.result, w.result.primary
    table = _by_collection(w, primary.measure)
    rows = tuple(
        (
            *cells,
            Cell(w.score(row.mean), row.mean),
            Cell(ranks(row.these)),
            Cell(ranks(row.like)),
        )
        for row, cells in zip(primary.rows, table.rows, strict=True)
    )
    heads = (
        named("System"),
        *table.columns[1:],
        *map(Column, ("Mean", "Rank", "Rank, like these")),
    )
    measure = name(primary.measure)
    return Paper(
        comment=f"{measure}, {f.plural(len(found.systems), 'system')},"
        f" {f.plural(len(found.rankings), 'collection')}",
        caption=f"{measure} by collection and in the mean over them; bold: the first, and what is"
        " not significantly different from it there. Rank intervals hold for all systems"
        " together, at"
        f" α = {f.number(found.alpha)}: on these collections ({primary.these.title}), and others"
        f" like them ({primary.like.title}).",
        label=f"collections {primary.measure}",
        table=Table("paper", heads, rows, noun="system"),
    )


def cautions(found: CollectionsRanking) -> tuple[Caution, ...]:
    """Return what is to be known of the runs on each collection, and how inputs were read."""
    of_each = {collection: of_runs(ranking) for collection, ranking in found.rankings.items()}
    notes = [f"{note}." for note in found.notes[:MOST_INPUTS]]
    if len(found.notes) > MOST_INPUTS:
        notes.append(f"{f.count(len(found.notes) - MOST_INPUTS)} more notes on inputs.")
    inputs = [Caution("input", "Input", " ".join(notes), 1)] if notes else []
    return (*cautions_by_collection(of_each, found.rankings), *inputs)
