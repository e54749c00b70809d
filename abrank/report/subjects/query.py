"""The report of one query: both lists side by side, scores, what is missed, what to judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from abrank._support import display as f
from abrank.diagnostics.notes import is_known
from abrank.measures import parse
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
)
from abrank.report.subjects import compose
from abrank.scoring.judging import Found, Inspection, Unjudged

MOST = 20


@compose.register
def compose_query(
    found: Inspection, *, digits: int | None = None, depth: int | None = None
) -> Report:
    """Return everything a report says about a query of two runs.

    ``depth`` are the documents of each list; those that the first measure looks at without it, at
    most 20.
    """
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
    return Report(
        subject=found,
        digits=w.digits,
        who=f"query {one_line(found.query_id, width=60)}",
        file="query",
        title=f"{title} · abrank",
        context=(f"A {found.baseline}", f"B {found.candidate}"),
        headline=_headline(w, title, lists.why if any(found.rankings) else ""),
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
    a, b = (
        tuple(
            replace(line, title=one_line(found.documents.get(line.doc_id, ""), width=200))
            for line in side
        )
        for side in lists.sides
    )
    sides = [[cell for line in side for cell in _document(line)] for side in (a, b)]
    rows = tuple(
        tuple(each or Cell("") for each in pair) for pair in zip_longest(sides[0], sides[1])
    )
    columns = tuple(
        Column(f"{letter} {one_line(name, width=60)}", numeric=False, role="name")
        for letter, name in zip("AB", (found.baseline, found.candidate), strict=True)
    )
    block = Rankings("lists", columns, rows, sides=(a, b))
    return Section("lists", "Ranked lists", "", (block,), EVERYWHERE)


def _document(line: ranked_lists.Line) -> Iterator[Cell]:
    grade = "?" if line.grade is None else str(line.grade)
    moved: dict[str, Tone] = {"dropped": "a", "new": "b"}
    text = f"{line.rank:>2}  {grade}  {one_line(line.doc_id, width=200)}  {line.move}"
    yield Cell(text, tone=moved.get(line.move, "plain"))
    if line.title:
        yield Cell(f"       {line.title}", tone="tie")


def _scores(w: Words[Inspection]) -> Section:
    found = w.result
    columns = (
        Column("measure", numeric=False, role="name"), Column("A"), Column("B"), Column("Δ"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(name),
            Cell(w.score(a), a),
            Cell(w.score(b), b),
            Cell(w.signed(b - a), b - a, _tone(name, b - a)),
        )
        for name, a, b in zip(found.measures, found.a, found.b, strict=True)
    )
    return Section("scores", "Scores", "", (Table("scores", columns, rows),), EVERYWHERE)


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
    finding = f"relevant, but missing from one top {depth} or both ({dash})"
    rows = tuple((Cell(x.doc_id), Cell(f"{x.grade}"), *_places(x)) for x in missed[:MOST])
    columns = (
        Column("document", numeric=False, role="name"), Column("grade"), Column("A"), Column("B"),
    )  # fmt: skip
    more = f.count(len(missed) - MOST)
    texts = (Text(f"and {more} more"),) if len(missed) > MOST else ()
    blocks = (Table("missed", columns, rows), *texts)
    return Section("missed", "Missed documents", finding, blocks, EVERYWHERE)


def _to_judge(w: Words[Inspection]) -> Section | None:
    found = w.result
    if not found.to_judge:
        return None
    finding = (
        f"judge next: unjudged documents that could most move Δ {found.measures[0]}, given grade"
        f" {found.grade}"
    )
    columns = (
        Column("document", numeric=False, role="name"), Column("A"), Column("B"), Column("Δ"),
    )  # fmt: skip
    rows = tuple(
        (Cell(each.doc_id), *_places(each), Cell(w.signed(each.swing), each.swing))
        for each in found.to_judge
    )
    return Section("judge", "To judge", finding, (Table("judge", columns, rows),), EVERYWHERE)


def _places(each: Found | Unjudged) -> tuple[Cell, Cell]:
    """Return the ranks; a dash stands for a document that was not retrieved."""
    a, b = ({0: "–", -1: "?"}.get(rank, str(rank)) for rank in (each.rank_a, each.rank_b))
    return Cell(a), Cell(b)
