"""One query on a terminal: both lists side by side, scores, what is missed, what to judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from abrank._support import display as f
from abrank.measures import parse
from abrank.report import cells
from abrank.report.formats import ranked_lists
from abrank.report.formats.terminal.plain_text import WIDTH
from abrank.scoring.judging import MOST_TIPPING, Found, Inspection, ToJudge, Unjudged

_LEAST_DOC = 8
DEPTH = ranked_lists.DEPTH
MOST = 20


def query_text(
    found: Inspection,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int = f.DIGITS,
    depth: int | None = None,
) -> str:
    """Return a query of two runs as plain text.

    Parameters
    ----------
    depth : int, optional
        Documents of each list; those that the first measure looks at without it, at most 20.

    Examples
    --------
    >>> from abrank.scoring.judging import inspect_query
    >>> runs = {"q1": {"d1": 1.0}}, {"q1": {"d9": 2.0, "d1": 1.0}}
    >>> print(query_text(inspect_query({"q1": {"d1": 1}}, *runs, "q1", measures=["RR"])))
    q1
    The one relevant document in the top 10 is the same, in B lower; 1 of B's top 10
    is not judged.
    <BLANKLINE>
        A run                                  B run
     1  1  d1  → 2                           1  ?  d9  new
                                             2  1  d1  ▼ 1
    <BLANKLINE>
    measure      A      B       Δ
    RR       1.000  0.500  −0.500
    <BLANKLINE>
    judge next: unjudged documents that could most move Δ RR, given grade 1
      d9  A –  B 1  Δ +0.500
    """
    depth, rel = depth or _depth(found), _rel(found)
    compact = ranked_lists.compact(*found.rankings, depth=depth, rel=rel)
    lists = ranked_lists.lists_of(compact, depth=depth)
    name = f"{found.query_id} “{found.text}”" if found.text else found.query_id
    blocks: list[list[str]] = [
        [*cells.wrap(cells.one_line(name, width=200), width), *cells.wrap(lists.why, width)],
        _side_by_side(found, lists, width, ascii),
        _scores(found, digits, ascii),
        list(_missed(found, depth, width)),
        list(_to_judge(found, width, digits)),
    ]
    return cells.blocks_of_text(blocks, ascii=ascii)


def documents_text(
    found: ToJudge, *, tipping: bool, most: int, width: int = WIDTH, ascii: bool = False
) -> str:
    """Return the unjudged documents of all queries as plain text.

    Parameters
    ----------
    tipping : bool
        List those that would turn the sign of the mean, in the place of all.
    most : int
        Documents that are listed.
    """
    many, delta = f.plural(found.n_documents, "document"), f"Δ {found.measure}"
    lines = [
        f"{many} in the top {found.depth} of A or B that nobody judged count as not relevant:"
        f" {delta} is {f.signed(found.difference)}."
    ]
    if found.tipping:
        n = len(found.tipping)
        those = "1 of them was" if n == 1 else f"{f.count(n)} of them were all"
        lines.append(
            f"If {those} relevant (grade {found.grade}), its sign would turn, to"
            f" {f.signed(found.tipped)}: the tipping list{'' if tipping else ' (--tipping)'}."
        )
    elif found.documents:
        lines.append(f"No choice of up to {MOST_TIPPING} of them that was found turns its sign.")
    chosen = found.tipping if tipping else found.documents
    rows = [
        (each.doc_id, each.query_id, *_places(each), f"swing {f.signed(each.swing)}")
        for each in chosen[:most]
    ]
    said = [line for each in lines for line in cells.wrap(each, width)]
    if rows:
        swing = f"swing: how far Δ of its query moves if the document has grade {found.grade}"
        said += ["", *_table(rows, width), *cells.wrap(swing, width)]
    if len(chosen) > most:
        said.append(f"and {f.count(len(chosen) - most)} more: --pool FILE writes all")
    text = "\n".join(said)
    return cells.to_ascii(text) if ascii else text


def _depth(found: Inspection) -> int:
    cutoff = dict(parse(found.measures[0]).parameters).get("cutoff")
    return min(cutoff, ranked_lists.DEEPEST) if isinstance(cutoff, int) else DEPTH


def _rel(found: Inspection) -> int:
    rel = dict(parse(found.measures[0]).parameters).get("rel")
    return rel if isinstance(rel, int) else 1


def _side_by_side(
    found: Inspection, lists: ranked_lists.Lists, width: int, plain: bool
) -> list[str]:
    """Return the two lists: rank, grade, document, how it moved; titles below."""
    half = (width - 2) // 2
    sides = [
        [
            cells.fit(f"    {letter} {cells.one_line(name, width=60)}", half),
            *(line for each in side for line in _document(each, found, half)),
        ]
        for letter, name, side in zip("AB", _names(found), lists.sides, strict=True)
    ]
    shown = [[_put(line, plain) for line in side] for side in sides]
    return [
        f"{cells.left(a, half)}  {b}".rstrip()
        for a, b in zip_longest(shown[0], shown[1], fillvalue="")
    ]


def _names(found: Inspection) -> tuple[str, str]:
    return found.baseline, found.candidate


def _put(line: str, plain: bool) -> str:
    return cells.to_ascii(line) if plain else line


def _table(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows in columns; the first, a document's id, gives way."""
    wide = [max(cells.columns(row[i]) for row in rows) for i in range(len(rows[0]))]
    room = width - sum(wide[1:]) - 2 * len(wide)
    wide[0] = min(wide[0], max(room, _LEAST_DOC))
    for doc, *rest in rows:
        shown = [cells.fit(cells.one_line(doc, width=200), wide[0]), *rest]
        yield "  " + "  ".join(map(cells.left, shown, wide)).rstrip()


def _document(line: ranked_lists.Line, found: Inspection, half: int) -> Iterator[str]:
    grade = "?" if line.grade is None else str(line.grade)
    before = f"{line.rank:>2}  {grade}  "
    room = half - cells.columns(before) - cells.columns(line.move) - 2
    doc = cells.fit(cells.one_line(line.doc_id, width=200), max(room, _LEAST_DOC))
    yield f"{before}{doc}  {line.move}"
    if line.doc_id in found.documents:
        first, *more = cells.wrap(cells.one_line(found.documents[line.doc_id], width=200), half - 9)
        yield f"       {first}{' …' if more else ''}"


def _scores(found: Inspection, digits: int, plain: bool) -> list[str]:
    rows: list[tuple[str, ...]] = [("measure", "A", "B", _put("Δ", plain))]
    for name, a, b in zip(found.measures, found.a, found.b, strict=True):
        means = (f.score(each, digits=digits) for each in (a, b))
        rows.append((name, *means, _put(f.signed(b - a, digits=digits), plain)))
    wide = [max(cells.columns(row[i]) for row in rows) for i in range(4)]
    return [
        "  ".join([cells.left(row[0], wide[0]), *map(cells.right, row[1:], wide[1:])])
        for row in rows
    ]


def _missed(found: Inspection, depth: int, width: int) -> Iterator[str]:
    """Yield where the relevant documents are that are not among the first of both."""
    missed = [
        each for each in found.relevant if not all(0 < rank <= depth for rank in _ranks(each))
    ]
    if missed:
        yield f"relevant, but missing from one top {depth} or both (– is not retrieved)"
        rows = [(each.doc_id, f"grade {each.grade}", *_places(each)) for each in missed[:MOST]]
        yield from _table(rows, width)
    if len(missed) > MOST:
        yield f"  and {f.count(len(missed) - MOST)} more"


def _to_judge(found: Inspection, width: int, digits: int) -> Iterator[str]:
    if not found.to_judge:
        return
    said = (
        f"judge next: unjudged documents that could most move Δ {found.measures[0]}, given grade"
        f" {found.grade}"
    )
    yield from cells.wrap(said, width)
    rows = [
        (each.doc_id, *_places(each), f"Δ {f.signed(each.swing, digits=digits)}")
        for each in found.to_judge
    ]
    yield from _table(rows, width)


def _ranks(each: Found | Unjudged) -> tuple[int, int]:
    return each.rank_a, each.rank_b


def _places(each: Found | Unjudged) -> tuple[str, ...]:
    """Return the ranks in words; a dash stands for a document that was not retrieved."""
    return tuple(f"{name} {rank or '–'}" for name, rank in zip("AB", _ranks(each), strict=True))
