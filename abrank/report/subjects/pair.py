"""The reports of a comparison, and of one of its queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path

from abrank._support import display as f
from abrank._support.display import NO_BREAK, one_line
from abrank._support.files import name_of
from abrank.comparison import Comparison
from abrank.comparison.units import (
    decision_intervals,
    difference_in_unit,
    is_relative,
    rows_in_unit,
)
from abrank.measures.names import known
from abrank.report.formats.queries import QueryLists, cutoff
from abrank.report.model import (
    EVERYWHERE,
    Case,
    Cell,
    Column,
    Fact,
    Headline,
    Paper,
    Rankings,
    Report,
    Section,
    Style,
    Table,
    Text,
    Tone,
    Words,
    report_of,
)
from abrank.report.sections import (
    appendix,
    cautions,
    decision,
    design,
    headline,
    inputs,
    planning,
    scorecard,
    words,
)
from abrank.report.sections.next_step import next_step
from abrank.report.subjects import compose
from abrank.scoring.judging import Inspection, QueryDocument, Unjudged

LONGEST_NAME, _PAPER_NAME = 120, 30


@compose.register
def compose_pair(comparison: Comparison, *, digits: int | None = None) -> Report:
    """Return everything a report says about a comparison."""
    file = f"{name_of(comparison.candidate) or 'B'}-vs-{name_of(comparison.baseline) or 'A'}"
    # Names are kept on one line and short enough for headings.
    names = [one_line(x, width=LONGEST_NAME) for x in (comparison.baseline, comparison.candidate)]
    digits = comparison.digits if digits is None else digits
    comparison = comparison.renamed(*names, digits=digits)
    methods, sources = appendix.methods_text(comparison), appendix.bibliography(comparison)
    head = headline.headline(comparison)
    text = decision.doubted(comparison, headline.short(comparison))
    return report_of(
        Words(comparison),
        head,
        who=f"{comparison.candidate} against {comparison.baseline}",
        file=file,
        title=f"{text} · abrank",
        context=_context(comparison),
        cautions=cautions.cautions(comparison),
        sections=(
            design.votes(comparison),
            scorecard.measures(comparison),
            design.machine(comparison),
            design.design(comparison),
            inputs.sensitivity(comparison),
            inputs.judging(comparison),
            scorecard.all_tests(comparison),
            Section.line("margin", "Another margin", planning.other_margins(comparison)),
            Section.line("unseen", "Rare losses", decision.unseen(comparison), "!"),
            appendix.plan(comparison),
            scorecard.queries(comparison),
            scorecard.segments(comparison),
            appendix.effects(comparison),
            scorecard.distribution(comparison),
            inputs.depth(comparison),
            inputs.quality(comparison),
            appendix.methods(methods, sources),
            appendix.reproduce(comparison.provenance, comparison.seed),
        ),
        facts=tuple(_facts(comparison)),
        methods=methods,
        sources=sources,
        cases=tuple(cases(comparison)),
        papers=lambda style: _paper(comparison, style=style),
        hint='.to_frame()  .queries  .plot.deltas()  .report("report.html")',
    )


def _facts(comparison: Comparison) -> Iterator[Fact]:
    baseline, candidate, *_ = _context(comparison)
    yield Fact("systems", f"{baseline} {NO_BREAK}{NO_BREAK}{candidate}")
    if comparison.rule.independent:
        yield from (Fact("units", text) for text in [_visible(comparison)] if text)
    elif comparison.n_queries:
        # Wins, with A on the left as in plots, and what this number of queries can detect.
        row, win = comparison.primary, words.wins(comparison)
        parts = (
            f"A {win} {f.count(row.losses)}",
            f"ties {f.count(row.ties)}",
            f"B {win} {f.count(row.wins)}",
            _visible(comparison),
        )
        yield Fact(
            "queries", f" {NO_BREAK}".join(part.replace(" ", NO_BREAK) for part in parts if part)
        )
    yield from (Fact("votes", text) for text in design.vote_sentences(comparison))
    if meaning := headline.meaning(comparison):
        yield Fact("meaning", meaning)
    if left := decision.unseen(comparison):
        yield Fact("unseen", left)
    yield from (Fact(label, text) for label, text in design.sentences(comparison))
    if against := headline.contradictions(comparison):
        yield Fact("but", against, loud=True)
    yield Fact("next", next_step(comparison).sentence, "strong")
    if planned := planning.queries_planned(comparison):
        yield Fact("plan", planned)
    rule = "; ".join(headline.rule_parts(comparison))
    held = headline.controlled(comparison)
    yield Fact("rule", f"{rule}. {held}", "muted")
    if comparison.segmentations:
        yield Fact("segments", scorecard.exploratory(comparison))


def _visible(comparison: Comparison) -> str:
    """Return what this number of queries can detect; empty if unknown."""
    visible = planning.smallest_visible(comparison)
    power = f.level(comparison.planning.power)
    return f"smallest visible Δ {visible} ({power} power)" if visible else ""


def cases(comparison: Comparison) -> Iterator[Case]:
    """Yield a test case for the gate and for each guard, or for the verdict."""
    gate = comparison.decision.gate
    if gate is None:
        yield Case("verdict", True, decision.doubted(comparison, headline.title(comparison)))
        return
    text, passed = decision.primary_sentence(comparison, gate), gate.lacks in ("", "guards")
    yield Case(f"{gate.require} on {comparison.rule.primary}", passed, text)
    for item in comparison.decision.guards:
        yield Case(f"guard on {item.measure}", item.passed, design.guard(comparison, item))


def _context(comparison: Comparison) -> Iterator[str]:
    qrels = comparison.provenance.get("inputs", {}).get("qrels", {})
    path = qrels.get("path") if isinstance(qrels, Mapping) else None
    yield f"{words.system('A', comparison.baseline)} (baseline)"
    yield f"{words.system('B', comparison.candidate)} (candidate)"
    yield words.queries_of(comparison)
    if path:  # name the file with its folder
        text = f.shorten("/".join(Path(path).parts[-2:]).lstrip("/"), width=60)
        yield f"judgments {text}"


# --- The table of a comparison for a paper


def _paper(comparison: Comparison, *, style: Style) -> Paper:
    """Return the table of measures, the primary one first."""
    w, rule = Words(comparison), comparison.rule
    rows = scorecard.primary_first(comparison, rows_in_unit(comparison))
    named_, a_, b_ = Column.name("Measure"), [x.mean_a for x in rows], [x.mean_b for x in rows]
    names = [Cell(row.measure) for row in rows]
    if style == "superscript":
        over = [("b" * (x.reading == "worse"), "a" * (x.reading == "better")) for x in rows]
        table = Table.of(
            "paper",
            (named_, names),
            *(
                (
                    Column.words(side, "mean"),
                    [Cell(w.score(x), mark=y[i]) for x, y in zip(means, over, strict=True)],
                )
                for i, (side, means) in enumerate((("A", a_), ("B", b_)))
            ),
            noun="measure",
        )
        text = (
            "the superscript a marks a mean of B that is significantly better than A's, b one"
            " of A better"
        )
        text += " than B's,"
    else:
        estimand = words.estimand(comparison)
        in_unit = partial(difference_in_unit, comparison, digits=w.digits)
        ends = [[in_unit(end) for end in row.adjusted] for row in rows]
        adjusts = rule.adjust != "none" and len(rows) > 1
        estimates = [Cell(w.signed(row.estimate)) for row in rows]
        table = Table.of(
            "paper",
            (named_, names),
            (Column("A"), [Cell(w.score(x)) for x in a_]),
            (Column("B"), [Cell(w.score(x)) for x in b_]),
            (Column(words.delta_title(comparison)), [Cell(in_unit(row.diff)) for row in rows]),
            *([] if estimand == words.MEAN else [(Column("Estimate"), estimates)]),
            (
                Column(f"{w.level} interval", role="interval"),
                [Cell(x[0] if f.UNDEFINED in x else " to ".join(x)) for x in ends],
            ),
            (Column("adj p" if adjusts else "p"), [Cell(w.p(row.pvalue_adj)) for row in rows]),
            noun="measure",
        )
        text = f"the difference Δ = B − A{f', and the {estimand}' * (estimand != words.MEAN)}"
        if is_relative(comparison) and estimand == words.MEAN:
            text = "the change of the mean Δ%, in per cent of A's,"
        text += f" with {w.level} confidence interval and p"
    sentence = decision.doubted(comparison, headline.short(comparison))
    return Paper(
        comment=f"{sentence}. {next_step(comparison).sentence}",
        caption=_caption(comparison, text, has_intervals=style == "interval"),
        label=f"{comparison.candidate} {comparison.baseline} {rule.primary}",
        table=table,
    )


# Adjustments that make the intervals of a family wider, as they make its p-values larger.
_WITH_INTERVALS = ("max-t", "holm", "hochberg", "hommel", "bonferroni")


def _caption(comparison: Comparison, contents: str, *, has_intervals: bool) -> str:
    """Return what the table shows: systems, queries, test, level, adjustment."""
    rule = comparison.rule
    a, b = (
        one_line(name, width=_PAPER_NAME) for name in (comparison.baseline, comparison.candidate)
    )
    by = f"by a two-sided {words.declared_test(comparison)} at α = {words.alpha(comparison)}"
    text = f"{words.followed(b, 'B')} against the baseline {words.followed(a, 'A')}, means over"
    text += f" {words.queries_of(comparison)}; {contents} {by}."
    if len(comparison.rows) > 1:
        adjustment = headline.adjustment(comparison)
        alone = ", tested alone" if rule.family == "secondary" else ""
        primary = one_line(rule.primary, width=_PAPER_NAME)
        alike = ", intervals and p alike" * (has_intervals and rule.adjust in _WITH_INTERVALS)
        text += f" {primary} decides{alone}; {adjustment}{alike}."
    if comparison.decision.by_equivalence:
        margin = planning.margin_of_what(comparison)
        level = f"{f.level(rule.confidence_equivalence)} interval"
        interval = planning.labelled(comparison, level, decision_intervals(comparison)[1])
        text += f" The margin of {margin} is held against the {interval} of two one-sided tests."
    if comparison.soundness.level == "unsound":
        return f"{text} Nothing is tested: {decision.cannot_test(comparison)}."
    more = [*design.vote_sentences(comparison), decision.doubts(comparison)]
    return " ".join([text, *more]).rstrip()


# --- The report of one query: both lists side by side, scores, missed documents, what to judge

MOST = 20


@compose.register
def compose_query(
    result: Inspection, *, digits: int | None = None, depth: int | None = None
) -> Report:
    """Return everything a report says about one query of two runs."""
    # `depth` is the number of documents shown per list; by default the cut-off of the first
    # measure, at most 20.
    w = Words(result, digits)
    near, rel = cutoff(result.measures[0])
    depth = near if depth is None else depth
    lists = QueryLists.of(*result.rankings, depth=depth, rel=rel, titles=result.documents)
    query = f"{result.query_id} “{result.text}”" if result.text else result.query_id
    title = one_line(query, width=200)
    return report_of(
        w,
        _headline(w, title, lists.why if any(result.rankings) else ""),
        title=f"{title} · abrank",
        context=(f"A {result.baseline}", f"B {result.candidate}"),
        who=f"query {one_line(result.query_id, width=60)}",
        file="query",
        sections=(
            _lists(result, lists) if any(result.rankings) else None,
            _scores(w),
            _missed(result, depth),
            _to_judge(w),
        ),
        hint=".rankings  .relevant  .to_judge",
    )


def _tone(measure: str, change: float) -> Tone:
    """Return the winner's colour; neutral if the measure's direction is unknown."""
    entry = known(measure)
    if not change or entry is None:
        return "plain"
    return "b" if (change > 0) is entry.entry.higher_is_better else "a"


def _headline(w: Words[Inspection], title: str, why: str) -> Headline:
    """Return the headline: which system is better on the query, by the first measure."""
    result = w.result
    measure, a, b = result.measures[0], result.a[0], result.b[0]
    tone = _tone(measure, b - a)
    # A single query gives no verdict, so there is no tag.
    glyph, who = {"a": ("▼", "A is better"), "b": ("▲", "B is better")}.get(tone, ("=", "a tie"))
    if a != b and tone == "plain":
        glyph, who = "", f"{'B' if b > a else 'A'} is higher"
    change = f"{measure} {w.score(a)} → {w.score(b)}, Δ {w.signed(b - a)}"
    numbers = f"{change}: {who} on this query. {why}".strip()
    return Headline(verdict="query", glyph=glyph, tone=tone, title=title, numbers=numbers)


def _lists(result: Inspection, lists: QueryLists) -> Section:
    """Return the two lists: rank, grade, document, movement; titles below."""
    moved: dict[str, Tone] = {"dropped": "a", "new": "b"}
    columns = []
    for side in lists.sides:
        cells = []
        for rank, move, item in side:
            grade = "?" if item.grade is None else str(item.grade)
            text = f"{rank:>2}  {grade}  {item.doc_id}  {move}"
            cells.append(Cell(text, tone=moved.get(move, "plain")))
            cells += [Cell(f"       {item.title}", tone="tie")] if item.title else []
        columns.append(cells)
    heads = tuple(
        Column.name(f"{letter} {one_line(name, width=60)}")
        for letter, name in zip("AB", (result.baseline, result.candidate), strict=True)
    )
    rows = tuple(zip_longest(*columns, fillvalue=Cell("")))
    block = Rankings("lists", heads, rows, sides=lists.sides)
    finding = "Rank, grade (? is unjudged), document; → rank by B, ▲ ▼ how far B moved it"
    return Section("lists", "Ranked lists", finding, (block,), EVERYWHERE)


def _scores(w: Words[Inspection]) -> Section:
    result = w.result
    a, b = "A", "B"
    if not any(result.rankings):  # whose titles would have the names
        names = words.system(a, result.baseline), words.system(b, result.candidate)
        a, b = (one_line(name, width=24) for name in names)
    table = Table.by_row(
        "scores",
        zip(result.measures, result.a, result.b, strict=True),
        (Column.name("Measure"), lambda x: Cell(x[0])),
        (Column(a), lambda x: w.mean(x[1])),
        (Column(b), lambda x: w.mean(x[2])),
        (Column("Δ"), lambda x: w.change(x[2] - x[1], _tone(x[0], x[2] - x[1]))),
    )
    return Section("scores", "Scores", "", (table,), EVERYWHERE)


def _missed(result: Inspection, depth: int) -> Section | None:
    """Return the relevant documents that are not near the top of both lists."""
    missed = [
        item
        for item in result.relevant
        if not all(0 < rank <= depth for rank in (item.rank_a, item.rank_b))
    ]
    if not missed:
        return None
    unknown = any(-1 in (item.rank_a, item.rank_b) for item in missed)
    dash = f"– is not retrieved{', ? further down or not retrieved' if unknown else ''}"
    finding = f"Relevant, but missing from one top {depth} or both ({dash})"
    table = Table.by_row(
        "missed",
        missed[:MOST],
        (Column.name("Document"), lambda x: Cell(x.doc_id)),
        (Column("Grade"), lambda x: Cell(f"{x.grade}")),
        *_PLACES,
    )
    more = f.count(len(missed) - MOST)
    texts = (Text(f"and {more} more"),) if len(missed) > MOST else ()
    return Section("missed", "Missed documents", finding, (table, *texts), EVERYWHERE)


def _to_judge(w: Words[Inspection]) -> Section | None:
    result = w.result
    if not any(item.swing for item in result.to_judge):
        return None
    finding = (
        f"Judge next: unjudged documents that could most move Δ {result.measures[0]}, given grade"
        f" {result.grade}"
    )
    table = Table.by_row(
        "judge",
        result.to_judge,
        (Column.name("Document"), lambda x: Cell(x.doc_id)),
        *_PLACES,
        (Column("Δ"), lambda x: w.change(x.swing)),
    )
    return Section("judge", "To judge", finding, (table,), EVERYWHERE)


def _place(rank: int) -> Cell:
    """Format a rank; a dash if the document was not retrieved."""
    return Cell({0: "–", -1: "?"}.get(rank, str(rank)))


_PLACES: tuple[tuple[Column, Callable[[QueryDocument | Unjudged], Cell]], ...] = (
    (Column("A"), lambda x: _place(x.rank_a)),
    (Column("B"), lambda x: _place(x.rank_b)),
)
