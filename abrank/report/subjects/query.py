"""The report of one query: both lists side by side, scores, what is missed, what to judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from abrank._support import display as f
from abrank.measures import parse
from abrank.measures.names import is_known
from abrank.report.cells import one_line
from abrank.report.formats import ranked_lists
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
    named,
    report_of,
)
from abrank.report.subjects import compose
from abrank.scoring.judging import Found, Inspection, Unjudged

MOST = 20


@compose.register
def compose_query(
    found: Inspection, *, digits: int | None = None, depth: int | None = None
) -> Report:
    """Return everything a report says about a query of two runs."""
    # `depth` are the documents of each list; those that the first measure looks at without it, at
    # most 20.
    w = Words(found, digits)
    lead = found.measures[0]
    parameters = dict(parse(lead).parameters) if is_known(lead) else {}
    cutoff, rel = parameters.get("cutoff"), parameters.get("rel")
    if depth is None:
        near = cutoff if isinstance(cutoff, int) else ranked_lists.DEPTH
        depth = min(near, ranked_lists.DEEPEST)
    compact = ranked_lists.compact(
        *found.rankings, depth=depth, rel=rel if isinstance(rel, int) else 1
    )
    lists = ranked_lists.lists_of(compact, depth=depth)
    query = f"{found.query_id} “{found.text}”" if found.text else found.query_id
    title = one_line(query, width=200)
    sections = [
        _lists(found, lists) if any(found.rankings) else None,
        _scores(w),
        _missed(found, depth),
        _to_judge(w),
    ]
    return report_of(
        w,
        _headline(w, title, lists.why if any(found.rankings) else ""),
        title=f"{title} · abrank",
        context=(f"A {found.baseline}", f"B {found.candidate}"),
        who=f"query {one_line(found.query_id, width=60)}",
        file="query",
        sections=tuple(section for section in sections if section is not None),
        hint=".rankings  .relevant  .to_judge",
    )


def _tone(measure: str, change: float) -> Tone:
    """Return whose a change is; nobody's where the measure has no known direction."""
    if not change or not is_known(measure):
        return "plain"
    return "b" if (change > 0) is parse(measure).entry.higher_is_better else "a"


def _headline(w: Words[Inspection], title: str, why: str) -> Headline:
    """Say first who is better on the query, by the first measure."""
    found = w.result
    measure, a, b = found.measures[0], found.a[0], found.b[0]
    tone = _tone(measure, b - a)
    glyph, tag = {"a": ("▼", "A is better"), "b": ("▲", "B is better")}.get(tone, ("=", "A tie"))
    if a != b and tone == "plain":
        glyph, tag = "", f"{'B' if b > a else 'A'} is higher"
    numbers = f"{measure} {w.score(a)} → {w.score(b)}, Δ {w.signed(b - a)}. {why}".strip()
    return Headline(verdict="query", glyph=glyph, tag=tag, tone=tone, title=title, numbers=numbers)


def _lists(found: Inspection, lists: ranked_lists.Lists) -> Section:
    """Return the two lists: rank, grade, document, how it moved; titles below."""
    moved: dict[str, Tone] = {"dropped": "a", "new": "b"}
    sides, columns = [], []
    for side in lists.sides:
        lines, cells = [], []
        for each in side:
            title = one_line(found.documents.get(each.doc_id, ""), width=200)
            lines.append(replace(each, title=title))
            grade = "?" if each.grade is None else str(each.grade)
            document = one_line(each.doc_id, width=200)
            text = f"{each.rank:>2}  {grade}  {document}  {each.move}"
            cells.append(Cell(text, tone=moved.get(each.move, "plain")))
            cells += [Cell(f"       {title}", tone="tie")] if title else []
        sides.append(tuple(lines))
        columns.append(cells)
    heads = tuple(
        named(f"{letter} {one_line(name, width=60)}")
        for letter, name in zip("AB", (found.baseline, found.candidate), strict=True)
    )
    rows = tuple(zip_longest(*columns, fillvalue=Cell("")))
    block = Rankings("lists", heads, rows, sides=(sides[0], sides[1]))
    return Section("lists", "Ranked lists", "", (block,), EVERYWHERE)


def _scores(w: Words[Inspection]) -> Section:
    found = w.result
    changes = [(name, b - a) for name, a, b in zip(found.measures, found.a, found.b, strict=True)]
    table = Table.of(
        "scores",
        (named("Measure"), map(Cell, found.measures)),
        (Column("A"), map(w.mean, found.a)),
        (Column("B"), map(w.mean, found.b)),
        (Column("Δ"), [w.change(each, _tone(name, each)) for name, each in changes]),
    )
    return Section("scores", "Scores", "", (table,), EVERYWHERE)


def _missed(found: Inspection, depth: int) -> Section | None:
    """Return where the relevant documents are that are not among the first of both."""
    missed = [
        each
        for each in found.relevant
        if not all(0 < rank <= depth for rank in (each.rank_a, each.rank_b))
    ]
    if not missed:
        return None
    unknown = any(-1 in (each.rank_a, each.rank_b) for each in missed)
    dash = f"– is not retrieved{', ? further down or not retrieved' if unknown else ''}"
    finding = f"Relevant, but missing from one top {depth} or both ({dash})"
    table = Table.of(
        "missed",
        (named("Document"), [Cell(each.doc_id) for each in missed[:MOST]]),
        (Column("Grade"), [Cell(f"{each.grade}") for each in missed[:MOST]]),
        *_places(missed[:MOST]),
    )
    more = f.count(len(missed) - MOST)
    texts = (Text(f"and {more} more"),) if len(missed) > MOST else ()
    return Section("missed", "Missed documents", finding, (table, *texts), EVERYWHERE)


def _to_judge(w: Words[Inspection]) -> Section | None:
    found = w.result
    if not any(each.swing for each in found.to_judge):
        return None
    finding = (
        f"Judge next: unjudged documents that could most move Δ {found.measures[0]}, given grade"
        f" {found.grade}"
    )
    table = Table.of(
        "judge",
        (named("Document"), [Cell(each.doc_id) for each in found.to_judge]),
        *_places(found.to_judge),
        (Column("Δ"), [w.change(each.swing) for each in found.to_judge]),
    )
    return Section("judge", "To judge", finding, (table,), EVERYWHERE)


def _places(rows: Sequence[Found | Unjudged]) -> Iterator[tuple[Column, list[Cell]]]:
    """Yield the columns of ranks; a dash stands for a document that was not retrieved."""
    said = {0: "–", -1: "?"}
    for side, ranks in (("A", [x.rank_a for x in rows]), ("B", [x.rank_b for x in rows])):
        yield Column(side), [Cell(said.get(rank, str(rank))) for rank in ranks]
