"""The report of two systems on several collections: one row per collection, then summaries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from abrank._support import display as f
from abrank._support.display import one_line
from abrank._support.files import name_of
from abrank.collections import CollectionsComparison, MeasureSummary, SummaryRow
from abrank.report.model import (
    DRAWN,
    EVERYWHERE,
    Bar,
    Block,
    Caution,
    Cell,
    Column,
    Fact,
    Fold,
    Headline,
    Paper,
    Report,
    Scale,
    Scorecard,
    Section,
    Table,
    Text,
    Words,
    report_of,
)
from abrank.report.sections import appendix, cautions, decision, design, headline, scorecard, words
from abrank.report.sections.appendix import CLUSTERS, cited, methods, reproduce
from abrank.report.sections.decision import clause, doubted
from abrank.report.sections.next_step import next_step
from abrank.report.sections.words import READINGS, capital, name, queries
from abrank.report.subjects import compose
from abrank.report.subjects.pair import cases

_SHOWN = ("better", "worse")
# With up to this number of collections the prediction interval covers less often than stated: see
# reports/calibration, "collections with different effects".
FEW = 20
MOST_CAUTIONS = 4
SUMMARIES = {"stratified": "all queries", "equal": "equal weights", "random": "like these"}
_LONGEST = 30
_METHOD = (
    "All queries (stratified): the mean over all queries, its error from within the collections (t,"
    " Satterthwaite's degrees of freedom); it speaks of these collections. Collections like these"
    " (random effects): the collections are a sample of a population; variance between them by"
    " Paule and Mandel, interval by Hartung and Knapp, prediction interval by Higgins, Thompson and"
    " Spiegelhalter. Measures are not adjusted for their number; the first decides."
)
SOURCES = (
    ("Variance between collections", "Paule & Mandel 1982"),
    ("Interval of random effects", "Hartung & Knapp 2001"),
    ("Prediction interval", "Higgins, Thompson & Spiegelhalter 2009"),
    ("Collections", "Holm 1979"),
)


@compose.register
def compose_strata(result: CollectionsComparison, *, digits: int | None = None) -> Report:
    """Return everything a report says about two systems on several collections."""
    digits = result.decimals if digits is None else digits
    comparisons = {
        collection: replace(comparison, digits=digits)
        for collection, comparison in result.comparisons.items()
    }
    result = replace(result, comparisons=comparisons, pooled=replace(result.pooled, digits=digits))
    w = Words(result, digits)
    head = _headline(w)
    a, b = (name(item) for item in (result.baseline, result.candidate))
    context = (
        f"{words.system('A', a)} (baseline)",
        f"{words.system('B', b)} (candidate)",
        f.plural(len(result.comparisons), "collection"),
        queries(result.primary.n_queries),
    )
    text = _methods(result)
    works = [*appendix.of_measures(x.measure for x in result.measures), *SOURCES]
    if result.pooled.clusters is not None:
        works.append(("Errors of clusters", CLUSTERS))
    sources = cited(works)
    seed = next(iter(result.comparisons.values())).seed
    pooled = replace(result.pooled, provenance=result.provenance)
    finding = heterogeneity(w) or counts(result.primary)
    blocks = (_scorecard(w, result.primary), Text(_METHOD, "caption"))
    return report_of(
        w,
        head,
        context=context,
        who=f"{b} against {a} on {context[2]}",
        file=f"{name_of(result.candidate) or 'B'}-vs-{name_of(result.baseline) or 'A'}-collections",
        cautions=all_cautions(result),
        sections=(
            Section("numbers", "Collections", finding, blocks),
            _further(w) if result.measures[1:] else None,
            design.design(pooled),
            scorecard.segments(pooled),
            _each(w),
            methods(text, sources),
            reproduce(result.provenance, seed, result.comparisons),
        ),
        facts=tuple(_facts(w, head, context)),
        methods=text,
        sources=sources,
        cases=tuple(cases(result.pooled)),
        papers=lambda _: _paper(w),
        hint='.to_frame()  .comparisons  .plot.forest()  .report("report.html")',
    )


def _headline(w: Words[CollectionsComparison]) -> Headline:
    """Return the results of the primary measure for both questions."""
    result = w.result
    summary = result.primary
    reading = summary.stratified.reading
    tone = words.reading_tone(reading)
    glyph, _, tag = READINGS[reading].partition(" ")
    if result.unsound:
        glyph, tag, tone = "!", "cannot test", "tie"
    elif result.primary.measure in result.undeclared:
        glyph, tag, tone = "!", "not decided", "tie"
    elif result.verdict in words.BY_MARGIN:
        (glyph, tag), tone = words.tag(result.verdict), words.verdict_tone(result.verdict)
    doubts = "" if result.unsound else decision.doubts(result.pooled)
    gate = result.decision.gate
    guards = result.decision.guards
    against = " ".join(f"{design.guard(result.pooled, guard)}." for guard in guards if not gate)
    numbers = (
        f"{name(summary.measure)}, mean of the {queries(summary.n_queries)}:"
        f" {_clause(w, summary.stratified)}."
    )
    step, text = next_step(result.pooled), title(result)
    action = "" if result.unsound or summary.measure in result.undeclared else step.headline
    return Headline(
        verdict=reading,
        glyph=glyph,
        tag=f"{capital(tag)} over all queries{doubts and ', doubtful'}",
        tone=tone,
        title=text,
        numbers=numbers,
        main_number=f"Δ {w.signed(summary.stratified.estimate)}",
        meaning=words.joined(beyond(w), counts(summary)),
        action=action,
        reason=headline.after(action, text, name(result.candidate)),
        next_step=step.sentence,
        rule=f"{summary.measure} decides over all queries of all collections, two-sided α ="
        f" {words.alpha(result.pooled)}; each collection by itself is adjusted by Holm.",
        gate=decision.gate_sentence(result.pooled),
        gate_passed=gate is not None and gate.passed,
        against=against,
        soundness=doubts,
    )


def title(result: CollectionsComparison) -> str:
    """Say in one sentence what the primary measure shows for both questions."""
    a, b = (name(item) for item in (result.baseline, result.candidate))
    these, like = result.primary.stratified.reading, result.primary.random.reading
    if result.primary.measure in result.undeclared:
        return f"Is lower better for {name(result.primary.measure)}? Say so."
    for collection, soundness in result.unsound.items():
        why = clause(soundness.reasons[0], result.comparisons[collection])
        more = len(result.unsound) - 1
        text = f", nor on {f.count(more)} more" if more else ""
        sentence = f"{b} and {a} cannot be tested on {name(collection)}: {why}{text}."
        return f"{sentence} Mend the inputs, or leave the collection out."
    if these == "identical":
        return f"{a} and {b} score the same on every query of every collection."
    collections = f.plural(len(result.comparisons), "collection")
    ahead = f"(ahead on {f.count(result.primary.n_ahead)})"
    if result.verdict in words.BY_MARGIN:
        sentence = headline.title(result.pooled)
        return f"Over all queries of these {collections} {ahead}: {sentence}"
    on = f"on average over these {collections} {ahead}"
    if these in _SHOWN and like == these:
        return f"{b} is {these} than {a} {on}, and on average over others like them."
    if these in _SHOWN and like in _SHOWN:
        over = f"over all queries {ahead}"
        return f"{b} is {these} than {a} {over}, but {like} on average over collections like these."
    if these in _SHOWN:
        return f"{b} is {these} than {a} {on}; this does not prove it for other collections."
    if like in _SHOWN:
        return (
            f"{b} is {like} than {a} on average over collections like these; over all queries of"
            " these it is not significant."
        )
    ahead = f"{b} is ahead on {f.count(result.primary.n_ahead)}"
    return f"These {collections} cannot tell {b} from {a}: {ahead}."


def _clause(w: Words[CollectionsComparison], row: SummaryRow) -> str:
    limits = f"{w.level} interval {w.interval(*w.result.primary.within_reach(row.interval))}"
    return f"Δ {w.signed(row.estimate)} ({limits}, {w.p_clause(row.pvalue)})"


def beyond(w: Words[CollectionsComparison]) -> str:
    """Say what holds for similar collections, and for a further one."""
    summary = w.result.primary
    if math.isnan(summary.random.estimate):
        return "Too few collections vary to say anything of collections like these."
    text = f"Collections like these (random effects): {_clause(w, summary.random)}."
    if not math.isfinite(summary.prediction_low):
        return f"{text} It takes three collections to say where one more would lie."
    limits = w.interval(*summary.prediction)
    text += f" One more collection would have a Δ of {limits} ({w.level} prediction interval)."
    if len(summary.rows) <= FEW:
        text += (
            f" With up to {FEW} collections this interval covers the truth less often than"
            f" {w.level}."
        )
    return text


def heterogeneity(w: Words[CollectionsComparison]) -> str:
    """Say whether the collections differ by more than chance."""
    summary = w.result.primary
    result = summary.heterogeneity
    if math.isnan(result.pvalue):
        return ""
    words = "The collections differ by more than chance"
    if not result.pvalue < w.alpha:
        words = "The collections do not differ by more than chance"
    return (
        f"{words}: Welch's {w.p_clause(result.pvalue)}, I²"
        f" {f.percent(result.i_squared, sign=False)}, standard deviation between collections"
        f" {w.score(summary.tau)}."
    )


def counts(summary: MeasureSummary) -> str:
    """Count the collections where B is better and worse."""
    n = f.plural(len(summary.rows), "collection")
    return f"Of {n}: {words.counted(row.reading for row in summary.rows)} (adjusted p, Holm)."


def _facts(
    w: Words[CollectionsComparison], head: Headline, context: tuple[str, ...]
) -> Iterator[Fact]:
    yield Fact("systems", f"{context[0]}, {context[1]}")
    yield Fact("data", f"{', '.join(context[2:])}.", everywhere=True)
    yield Fact("meaning", head.meaning)
    if text := heterogeneity(w):
        yield Fact("differ", text, everywhere=True)
    pooled = w.result.pooled
    for kind, text in design.sentences(replace(pooled, provenance=w.result.provenance)):
        if kind != "guards" or pooled.rule.require is not None:  # otherwise in the headline
            yield Fact(kind, text)
    if pooled.segmentations:
        yield Fact("segments", scorecard.exploratory(pooled))
    yield Fact("next", head.next_step, "strong")
    yield Fact("rule", head.rule, "muted")


def _rows(
    w: Words[CollectionsComparison], summary: MeasureSummary
) -> Iterator[tuple[Bar, tuple[Cell, ...]]]:
    for row in summary.rows:  # thick: plain interval; thin: adjusted
        tone, interval = words.reading_tone(row.reading), summary.within_reach(row.interval)
        adjusted = summary.within_reach(row.adjusted)
        # A doubt about one collection is shown in its row; the headline is about all.
        level = w.result.comparisons[row.collection].soundness.level
        may_reverse = summary is w.result.primary and row.reading != "unclear"
        doubt = ", doubtful" * (may_reverse and level == "doubtful")
        cells = (
            Cell(row.collection, row.collection),
            Cell.count(row.n_queries),
            w.mean(row.mean_a),
            w.mean(row.mean_b),
            w.change(row.diff, tone),
            Cell.empty(),
            w.limits(adjusted),
            w.chance(row.pvalue_adj),
            Cell(f"{words.against_zero(w.result.pooled, row.reading)}{doubt}", row.reading, tone),
        )
        yield Bar(row.diff, *interval, *adjusted, tone), cells
    for kind, title in SUMMARIES.items():  # thin: prediction interval of a further collection
        result: SummaryRow = getattr(summary, kind)
        tone, thick = words.reading_tone(result.reading), summary.within_reach(result.interval)
        beyond = kind == "random" and math.isfinite(summary.prediction[0])
        cells = (
            Cell(f"= {title}", f"= {title}", strong=True),
            Cell.count(summary.n_queries),
            Cell(""),
            Cell(""),
            w.change(result.estimate, tone, strong=True),
            Cell.empty(),
            w.limits(thick, strong=True),
            w.chance(result.pvalue),
            Cell(words.against_zero(w.result.pooled, result.reading), result.reading, tone),
        )
        yield Bar(result.estimate, *thick, *(summary.prediction if beyond else thick), tone), cells


def _scorecard(w: Words[CollectionsComparison], summary: MeasureSummary) -> Scorecard:
    """Return one row per collection with its adjusted interval, then highlighted summaries."""
    bars, rows = zip(*_rows(w, summary), strict=True)
    legend = [
        "Limits, p and reading of a collection are adjusted for all collections (Holm), those of"
        " the summaries (=) are not.",
        "Thick: a collection's own interval; thin: adjusted.",
    ]
    if math.isfinite(summary.prediction_low):
        legend.append("Thin through the last row: where one more collection would lie.")
    ahead = "higher" if summary.measure in w.result.undeclared else "better"
    rule = w.result.pooled.rule
    has_margin = summary is w.result.primary and not rule.margin_is_relative
    scale = Scale(f"A {ahead}", f"B {ahead}", margin=rule.margin if has_margin else 0.0)
    return Scorecard(
        f"by collection, {summary.measure}",
        (
            Column.name("collection"),
            Column("queries", role="wins"),
            Column("A", role="mean"),
            Column("B", role="mean"),
            Column("Δ", role="change"),
            DRAWN,
            Column(f"{w.level} interval", role="interval"),
            Column("p", role="p"),
            Column.words("reading", "reading"),
        ),
        rows,
        noun="collection",
        bars=bars,
        scale=scale.facing(higher_is_better=summary.higher_is_better),
        tall=frozenset({len(summary.rows)}),
        narrow=frozenset({"interval"}),
        legend=tuple(legend),
    )


def _further(w: Words[CollectionsComparison]) -> Section:
    """Return the summaries of every measure, and the collections by each further measure."""
    result = w.result

    def of_all(summary: MeasureSummary, row: SummaryRow) -> Cell:
        limits = w.interval(*summary.within_reach(row.interval))
        text = f"{w.signed(row.estimate)} ({limits})"
        return Cell(text, row.estimate, words.reading_tone(row.reading))

    def counts_of(summary: MeasureSummary) -> Cell:
        b, a = summary.count("better"), summary.count("worse")
        return Cell(f"▲ {b} ▼ {a} of {len(summary.rows)}", b - a)

    table = Table.by_row(
        "measures",
        result.measures,
        (Column.name("measure"), lambda x: Cell(x.measure, x.measure, strong=x is result.primary)),
        (Column.words("all queries"), lambda x: of_all(x, x.stratified)),
        (Column.words("collections like these"), lambda x: of_all(x, x.random)),
        (Column("I²"), lambda x: Cell.share(x.heterogeneity.i_squared)),
        (Column.words("collections"), counts_of),
        (
            Column.words("reading", "reading"),
            lambda x: Cell(
                words.against_zero(result.pooled, x.stratified.reading), x.stratified.reading
            ),
        ),
    )
    readings = words.counted(item.stratified.reading for item in result.measures[1:])
    finding = f"Further measures over all queries: {readings}."
    folds = tuple(
        Fold(f"measure-{i}", f"{name(measure.measure)} by collection", (_scorecard(w, measure),))
        for i, measure in enumerate(result.measures[1:], start=2)
    )
    return Section("measures", "Other measures", finding, (table, *folds), EVERYWHERE, "change")


def _each(w: Words[CollectionsComparison]) -> Section:
    finding = (
        "Open one to read what its own report says first. Its interval and p are those of this"
        " collection alone; the line above has them adjusted for the number of collections, and"
        " decides."
    )
    folds = []
    for i, row in enumerate(w.result.primary.rows, start=1):
        comparison = w.result.comparisons[row.collection]
        head, reading = headline.headline(comparison), comparison.primary.reading
        text = f"{head.glyph} {doubted(comparison, head.title)}"
        if reading != row.reading:
            adjusted = f"By the p adjusted for all collections: {READINGS[row.reading][2:]}."
            text = f"{adjusted} Alone: {text}"
        line = (
            f"{name(row.collection)} · {READINGS[row.reading]} ·"
            f" {queries(row.n_queries)}, Δ {w.signed(row.diff)}"
            f" ({w.interval(*w.result.primary.within_reach(row.adjusted))}, adjusted)"
        )
        notes = [
            str(caution) for caution in cautions.cautions(comparison) if not caution.stands_first
        ]
        blocks: tuple[Block, ...] = (
            Text(words.joined(text, head.numbers)),
            *(Text(item) for item in (head.soundness, head.against, head.sensitivity) if item),
            replace(scorecard.scorecard(comparison), key=f"measures on {row.collection}"),
            *(Text(note) for note in notes[:MOST_CAUTIONS]),
        )
        folds.append(Fold(f"collection-{i}", line, blocks, words.reading_tone(row.reading)))
    return Section("each", "Each collection by itself", finding, tuple(folds), group="appendix")


def _methods(result: CollectionsComparison) -> str:
    pooled = result.pooled
    text = ""
    if pooled.clusters is not None:
        text += (
            f" Queries come in clusters ({name(pooled.clusters.name)}): the errors within"
            " collections are cluster-robust (CR2)."
        )
    if pooled.segmentations:
        names = f.listed([name(segmentation.name) for segmentation in pooled.segmentations])
        text += (
            f" Segments of the queries ({names}) were compared by their means over all queries,"
            " with errors from within the collections, adjusted by Holm; they are exploratory."
        )
    a, b = (name(item) for item in (result.baseline, result.candidate))
    n = f.plural(len(result.comparisons), "collection")
    return (
        f"We compared {words.followed(b, 'B')} with the baseline {words.followed(a, 'A')} on {n}"
        f" ({queries(result.primary.n_queries)}) by"
        f" {', '.join(measure.measure for measure in result.measures)}, at α ="
        f" {words.alpha(pooled)}. {_METHOD} Single collections were adjusted by Holm.{text}"
    )


def _paper(w: Words[CollectionsComparison]) -> Paper:
    """Return the table of the primary measure: collections, then summaries."""
    result = w.result
    card = _scorecard(w, result.primary).without("drawn", "reading")
    measure = one_line(result.primary.measure, width=_LONGEST)
    a, b = (one_line(item, width=_LONGEST) for item in (result.baseline, result.candidate))
    columns = tuple(
        Column(capital(column.title), column.numeric, column.role) if column.role != "p" else column
        for column in card.columns
    )
    return Paper(
        comment=f"{measure}, {f.plural(len(result.comparisons), 'collection')}",
        caption=f"{measure} of {words.followed(a, 'A')} and {words.followed(b, 'B')}, Δ = B − A, by"
        " collection; intervals and p adjusted by Holm, those of the summaries their own."
        f" {words.joined(beyond(w), heterogeneity(w))}",
        label=f"collections {result.primary.measure}",
        table=Table("paper", columns, card.rows, noun="collection"),
    )


def all_cautions(result: CollectionsComparison) -> tuple[Caution, ...]:
    """Return cautions on each collection, most severe first."""
    return cautions.by_collection(
        {name: cautions.cautions(comparison) for name, comparison in result.comparisons.items()},
        result.comparisons,
    )
