"""The report of many systems on several collections."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from abrank._support import display as f
from abrank._support.files import name_of
from abrank.collections import CollectionsRanking, Standing
from abrank.estimate import Interval
from abrank.report.model import (
    DRAWN,
    EVERYWHERE,
    Bar,
    Caution,
    Cell,
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
    Table,
    Text,
    Tone,
    Words,
    report_of,
)
from abrank.report.sections.appendix import cited, methods, of_measures, reproduce
from abrank.report.sections.cautions import by_collection as cautions_by_collection
from abrank.report.sections.words import capital, in_sentence, name, queries
from abrank.report.subjects import compose
from abrank.report.subjects.leaderboard import chance, leaderboard
from abrank.report.subjects.systems import methods_text as ranking_methods
from abrank.report.subjects.systems import of_runs, verdict_of

MOST_NAMES = 4  # names in a sentence
MOST_COLUMNS = 10  # collections in a table
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
def compose_standings(result: CollectionsRanking, *, digits: int | None = None) -> Report:
    """Return everything a report says about many systems on several collections."""
    w = Words(result, digits)
    head, text = _headline(w), _methods(result)
    context = [
        f.plural(len(result.systems), "system"),
        f.plural(len(result.rankings), "collection"),
        queries(result.n_queries),
        ", ".join(name(measure.measure) for measure in result.measures),
    ]
    sources = cited([*of_measures(measure.measure for measure in result.measures), *SOURCES])
    return report_of(
        w,
        head,
        context=context,
        who=f"{context[0]} on {context[1]}",
        file=f"ranking-{name_of(result.primary.measure) or 'measure'}-collections",
        cautions=cautions(result),
        sections=(
            _leaderboard(w),
            _ranks(w),
            _measures(w) if result.measures[1:] else None,
            *_collections(w),
            _each(w),
            methods(text, sources, Text(claims(result))),
            reproduce(result.provenance, result.primary.fixed.seed, result.rankings),
        ),
        facts=tuple(_facts(w, head, context)),
        methods=text,
        sources=sources,
        papers=lambda _: _paper(w),
        hint='.to_frame()  .rankings  .plot.ranks()  .report("ranking.html")',
    )


def _headline(w: Words[CollectionsRanking]) -> Headline:
    result, top = w.result, w.result.primary.rows[0]
    alone = len(result.primary.first()) == 1
    declared = result.primary.fixed.direction_declared
    ends = [w.range(*item.interval) for item in (top.fixed, top.random)]
    return Headline(
        verdict="leads" if alone else "shared",
        glyph="▲" if alone and declared else "≈",
        tag="One first place" if alone else "Shared first place",
        tone="b" if alone and declared else "tie",
        title=title(result),
        numbers=f"{name(top.system)} has the {result.primary.fixed.best} mean,"
        f" {w.score(top.mean)} ({w.level} interval {ends[0]} on these collections, {ends[1]} on"
        " collections like them).",
        main_number=w.score(top.mean),
        meaning=like_these(result),
        next_step=(
            "Judge more queries to know more of these collections; add collections to know more of"
            " others like them."
            if len(result.primary.first(random=True)) > 1
            else "Look at which collections the lead rests on."
        ),
        rule="A system could be the best if no other is significantly better: all pairs, α ="
        f" {f.number(result.alpha)}, {f.plural(len(result.rankings), 'collection')} of equal"
        " weight.",
    )


def title(result: CollectionsRanking) -> str:
    """Say who may be first on these collections."""
    if not result.primary.fixed.direction_declared:
        measure = name(result.primary.measure)
        return f"Is lower better for {measure}? Declare it to learn who is first."
    n, first = len(result.systems), result.primary.first()
    these = f"these {f.count(len(result.rankings))} collections"
    if len(first) == n:
        which = "either of the 2" if n == 2 else f"any of the {f.count(n)}"
        return f"On {these} {which} systems could be the best."
    if len(first) == 1:
        return f"Only {name(first[0])} could be the best of {f.count(n)} systems on {these}."
    may = f"{f.count(len(first))} could be the best"
    worse = n - len(first)
    others = f"{f.count(worse)} {'is' if worse == 1 else 'are'} worse"
    return f"Of {f.count(n)} systems {may} on {these}: {_list(first)}. {others}."


def _list(names: Sequence[str]) -> str:
    return f.first_of([*map(name, names)], MOST_NAMES)


def like_these(result: CollectionsRanking) -> str:
    """Say who may be first on similar collections."""
    these, like = result.primary.first(), result.primary.first(random=True)
    n, best = len(result.systems), "could be the best"
    start = "On collections like these"
    if set(like) == set(these):
        if len(like) == n:
            return f"{start} it is as open."
        return f"{start} the same {best}." if len(like) > 1 else f"{start} it alone {best}, too."
    if len(like) == n:
        which = "either" if n == 2 else f"any of the {f.count(n)}"
        few = f"{f.count(len(result.rankings))} collections are too few to tell"
        return f"{start} {which} {best}: {few}."
    if len(like) == 1:
        return f"{start} only {name(like[0])} {best}."
    return f"{start} {f.count(len(like))} {best}: {_list(like)}."


def _leads(result: CollectionsRanking) -> str:
    """Say how often the first would lead with other queries, and with other collections."""
    top = result.primary.rows[0]
    text = f.count(result.primary.fixed.n_drawn)
    return (
        f"{name(top.system)} leads in {chance(top.fixed.chance_first)} of {text} resamples of the"
        f" queries, and in {chance(top.random.chance_first)} where the collections are resampled,"
        " too."
    )


def _firsts(result: CollectionsRanking) -> str:
    """Say on how many collections each system has the best mean."""
    rows = sorted(result.primary.rows, key=lambda row: -row.n_first)
    leading = [row for row in rows if row.n_first][:MOST_NAMES]
    text = ", ".join(f"{name(row.system)} on {f.count(row.n_first)}" for row in leading)
    n = f.count(len(result.rankings))
    return f"Collections with the {result.primary.fixed.best} mean, of {n}: {text}."


def _of_measures(result: CollectionsRanking) -> str:
    return " ".join(
        f"By {name(measure.measure)} {f.count(len(measure.first()))} could be the best on these"
        f" collections ({_list(measure.first())}), {f.count(len(measure.first(random=True)))} on"
        " collections like them."
        for measure in result.measures[1:]
    )


def claims(result: CollectionsRanking) -> str:
    """Say what the two columns of ranks claim, and by which tests."""
    text = " Each measure is a family of its own." if len(result.measures) > 1 else ""
    level = f" All at α = {f.number(result.alpha)}."
    return _CLAIMS.format(like=result.primary.random.title) + level + text


def _facts(w: Words[CollectionsRanking], head: Headline, context: Sequence[str]) -> Iterator[Fact]:
    result = w.result
    yield Fact("ranked", f"{', '.join(context)}.", everywhere=True)
    yield Fact("meaning", head.meaning)
    yield Fact("chances", f"{_leads(result)} {_firsts(result)}", everywhere=True)
    yield Fact("next", head.next_step, "strong")
    yield Fact("rule", head.rule, "muted")


def ranks(standing: Standing) -> str:
    """Format a rank interval."""
    if standing.rank_low == standing.rank_high:
        return f.count(standing.rank_low)
    return f"{f.count(standing.rank_low)} to {f.count(standing.rank_high)}"


def _difference(w: Words[CollectionsRanking], standing: Standing) -> Cell:
    low, high = standing.diff_low, standing.diff_high
    return Cell("" if math.isnan(low) else w.interval(low, high), low)


def _leaderboard(w: Words[CollectionsRanking]) -> Section:
    """Return one row per system: mean, difference from the first, rank intervals, chance."""
    result, rows = w.result, w.result.primary.rows
    bars = []
    for row in rows:
        limits = row.fixed.diff_low, row.fixed.diff_high
        # As in comparisons, A's colour means significantly worse than the first.
        tone: Tone = "a" if Interval(*limits).excludes_zero else "tie"
        drawn = (0.0, math.nan, math.nan) if row.position == 1 else (row.diff, *limits)
        bars.append(Bar(*drawn, tone=tone))
    legend = (
        f"Bold: could be the best. The {w.level} interval of Δ, the difference from the first, is"
        " for all pairs together. Rank: on these collections; like these: on others of which they"
        " are a sample."
    )
    scale = Scale("worse", "better", of="Δ from the first")
    card = Scorecard.by_row(
        "standings",
        rows,
        (Column("#", role="place"), lambda x: Cell.count(x.position)),
        (Column.name("system"), lambda x: Cell(x.system, x.system, strong=x.fixed.may_be_first)),
        (Column("mean", role="mean"), lambda x: w.mean(x.mean)),
        (
            Column("Δ", role="change"),
            lambda x: Cell("", x.diff) if x.position == 1 else w.change(x.diff),
        ),
        (DRAWN, Cell.empty),
        (Column("interval of Δ", role="interval"), lambda x: _difference(w, x.fixed)),
        (Column("rank"), lambda x: _rank(x.fixed)),
        (Column("like these"), lambda x: _rank(x.random)),
        (Column("first on", role="wins"), lambda x: Cell.count(x.n_first)),
        noun="system",
        bars=tuple(bars),
        scale=scale.facing(higher_is_better=result.primary.fixed.higher_is_better),
        tall=frozenset(),
        legend=(legend,),
    )
    return Section("leaderboard", "Leaderboard", _firsts(result), (card,))


def _rank(standing: Standing) -> Cell:
    return Cell(ranks(standing), standing.rank_low, strong=standing.may_be_first)


def _ranks(w: Words[CollectionsRanking]) -> Section:
    finding = _leads(w.result)
    caption = Text(
        "Thick: these collections, their queries drawn anew. Thin: collections like these, of which"
        " these are a sample; it takes many collections to say much of others. Neither speaks of"
        " systems tuned on these queries.",
        "caption",
    )
    blocks = (Figure("ranks", finding), caption)
    return Section("ranks", "Ranks that can be claimed", finding, blocks, group="appendix")


def _measures(w: Words[CollectionsRanking]) -> Section:
    result, columns = w.result, []
    for measure in result.measures:
        rows = [measure[system] for system in result.systems]
        columns.append((Column(measure.measure), [w.mean(row.mean) for row in rows]))
        columns.append((Column("Rank, these"), [_rank(row.fixed) for row in rows]))
    names = Column.name("System"), [Cell(system, system) for system in result.systems]
    table = Table.of("measures", names, *columns)
    return Section(
        "measures", "Other measures", _of_measures(result), (table,), EVERYWHERE, group="change"
    )


def _collections(w: Words[CollectionsRanking]) -> Iterator[Section]:
    """Yield systems by collections; every format shows those of the first measure."""
    result = w.result
    table = _by_collection(w, result.primary.measure)
    parts = []  # very many columns are split into parts that fit
    for start in range(1, len(table.columns), MOST_COLUMNS):
        selected = (0, *range(start, min(start + MOST_COLUMNS, len(table.columns))))
        columns = tuple(table.columns[i] for i in selected)
        key = table.key if start == 1 else f"{table.key}, from {columns[1].title}"
        rows = tuple(tuple(row[i] for i in selected) for row in table.rows)
        parts.append(Table(key, columns, rows, noun=table.noun))
    text = Text("Bold: the first, and those not significantly different from it.", "caption")
    heading = "Systems by collections"
    yield Section("collections", heading, _firsts(result), (*parts, text), EVERYWHERE)
    if result.measures[1:]:
        tables = tuple(
            replace(_by_collection(w, measure.measure), folded=f"By {measure.measure}", noun="row")
            for measure in result.measures[1:]
        )
        heading += ", further measures"
        yield Section("further", heading, _of_measures(result), tables, group="appendix")


def _by_collection(w: Words[CollectionsRanking], measure: str) -> Table:
    """Return systems by collections; values that do not differ from the first are bold."""
    systems, columns = [row.system for row in w.result.of(measure).rows], []
    for collection, result in w.result.rankings.items():
        ranking = result.of(measure)
        means = {row.system: row.mean for row in ranking.rows}
        cells = [w.mean(means[system], strong=system in ranking.leaders) for system in systems]
        columns.append((Column(collection), cells))
    names = Column.name("System"), [Cell(system, system) for system in systems]
    return Table.of(f"means, {measure}", names, *columns, noun="system")


def _each(w: Words[CollectionsRanking]) -> Section:
    finding = "Open a collection to read its own leaderboard."
    folds = []
    for place, (collection, ranking) in enumerate(w.result.rankings.items(), start=1):
        board = leaderboard(Words(ranking, w.digits))
        by = Text(f"By {in_sentence(ranking.title)}.", "caption")
        blocks = (replace(board, key=f"leaderboard of {collection}"), by)
        line = f"{collection}: {queries(ranking.n_queries)}, {verdict_of(ranking)[-1]}"
        folds.append(Fold(f"collection-{place}", line, blocks))
    return Section("each", "Each collection by itself", finding, tuple(folds), group="appendix")


def _methods(result: CollectionsRanking) -> str:
    systems, n = f.plural(len(result.systems), "system"), len(result.rankings)
    measures = ", ".join(name(measure.measure) for measure in result.measures)
    ranking = next(iter(result.rankings.values()))
    return (
        f"{capital(systems)} were scored on {f.plural(n, 'collection')}"
        f" ({queries(result.n_queries)}) by {measures}. {claims(result)} On each collection by"
        f" itself: {ranking_methods(ranking).partition('Means were compared, ')[2]}"
    )


def _paper(w: Words[CollectionsRanking]) -> Paper:
    """Return the means by collection, the overall mean and both rank intervals."""
    result, primary = w.result, w.result.primary
    table = _by_collection(w, primary.measure)
    rows = tuple(
        (*cells, Cell(w.score(row.mean), row.mean), Cell(ranks(row.fixed)), Cell(ranks(row.random)))
        for row, cells in zip(primary.rows, table.rows, strict=True)
    )
    heads = (
        Column.name("System"),
        *table.columns[1:],
        *map(Column, ("Mean", "Rank", "Rank, like these")),
    )
    measure = name(primary.measure)
    return Paper(
        comment=f"{measure}, {f.plural(len(result.systems), 'system')},"
        f" {f.plural(len(result.rankings), 'collection')}",
        caption=f"{measure} by collection and in the mean over them; bold: the first, and what is"
        " not significantly different from it there. Rank intervals hold for all systems"
        " together, at"
        f" α = {f.number(result.alpha)}: on these collections"
        f" ({in_sentence(primary.fixed.title)}), and others like them"
        f" ({in_sentence(primary.random.title)}).",
        label=f"collections {primary.measure}",
        table=Table("paper", heads, rows, noun="system"),
    )


def cautions(result: CollectionsRanking) -> tuple[Caution, ...]:
    """Return cautions on the runs of each collection, and how inputs were interpreted."""
    of_each = {collection: of_runs(ranking) for collection, ranking in result.rankings.items()}
    inputs = [Caution("input", "Input", f"{note}.", 1) for note in result.notes]
    return (*cautions_by_collection(of_each, result.rankings), *inputs)
