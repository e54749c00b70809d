"""The report of one query: both lists side by side, scores, what is missed, what to judge."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from abrank._support import display as f
from abrank.measures.names import known
from abrank.report.cells import one_line
from abrank.report.formats.queries import QueryLists, cutoff
from abrank.report.model import (
    EVERYWHERE,
    Cell,
    Column,
    Headline,
    Rankings,
    Report,
    Section,
    Table,
    Text,
    Tone,
    Words,
    report_of,
)
from abrank.report.subjects import compose
from abrank.scoring.judging import Inspection, QueryDocument, Unjudged

MOST = 20


@compose.register
def compose_query(
    result: Inspection, *, digits: int | None = None, depth: int | None = None
) -> Report:
    """Return everything a report says about a query of two runs."""
    # `depth` are the documents of each list; those that the first measure looks at without it, at
    # most 20.
    w = Words(result, digits)
    near, rel = cutoff(result.measures[0])
    depth = near if depth is None else depth
    lists = QueryLists.of(*result.rankings, depth=depth, rel=rel, titles=result.documents)
    query = f"{result.query_id} “{result.text}”" if result.text else result.query_id
    title = one_line(query, width=200)
    sections = [
        _lists(result, lists) if any(result.rankings) else None,
        _scores(w),
        _missed(result, depth),
        _to_judge(w),
    ]
    return report_of(
        w,
        _headline(w, title, lists.why if any(result.rankings) else ""),
        title=f"{title} · abrank",
        context=(f"A {result.baseline}", f"B {result.candidate}"),
        who=f"query {one_line(result.query_id, width=60)}",
        file="query",
        sections=tuple(section for section in sections if section is not None),
        hint=".rankings  .relevant  .to_judge",
    )


def _tone(measure: str, change: float) -> Tone:
    """Return whose a change is; nobody's where the measure has no known direction."""
    entry = known(measure)
    if not change or entry is None:
        return "plain"
    return "b" if (change > 0) is entry.entry.higher_is_better else "a"


def _headline(w: Words[Inspection], title: str, why: str) -> Headline:
    """Say first who is better on the query, by the first measure."""
    result = w.result
    measure, a, b = result.measures[0], result.a[0], result.b[0]
    tone = _tone(measure, b - a)
    # One query is no verdict: it has no tag.
    glyph, who = {"a": ("▼", "A is better"), "b": ("▲", "B is better")}.get(tone, ("=", "a tie"))
    if a != b and tone == "plain":
        glyph, who = "", f"{'B' if b > a else 'A'} is higher"
    change = f"{measure} {w.score(a)} → {w.score(b)}, Δ {w.signed(b - a)}"
    numbers = f"{change}: {who} on this query. {why}".strip()
    return Headline(verdict="query", glyph=glyph, tone=tone, title=title, numbers=numbers)


def _lists(result: Inspection, lists: QueryLists) -> Section:
    """Return the two lists: rank, grade, document, how it moved; titles below."""
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
    table = Table.by_row(
        "scores",
        zip(result.measures, result.a, result.b, strict=True),
        (Column.name("Measure"), lambda x: Cell(x[0])),
        (Column("A"), lambda x: w.mean(x[1])),
        (Column("B"), lambda x: w.mean(x[2])),
        (Column("Δ"), lambda x: w.change(x[2] - x[1], _tone(x[0], x[2] - x[1]))),
    )
    return Section("scores", "Scores", "", (table,), EVERYWHERE)


def _missed(result: Inspection, depth: int) -> Section | None:
    """Return where the relevant documents are that are not among the first of both."""
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
    """Return a rank; a dash stands for a document that was not retrieved."""
    return Cell({0: "–", -1: "?"}.get(rank, str(rank)))


_PLACES: tuple[tuple[Column, Callable[[QueryDocument | Unjudged], Cell]], ...] = (
    (Column("A"), lambda x: _place(x.rank_a)),
    (Column("B"), lambda x: _place(x.rank_b)),
)
