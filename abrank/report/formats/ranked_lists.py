"""One query's two ranked lists: what B gained and lost, in a sentence, and the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from abrank._support import display as f
from abrank.comparison.evidence import RankedList
from abrank.measures.names import known, lowest_relevant
from abrank.report.cells import cut

DEPTH = 10
DEEPEST = 20
LONGEST_DOC = 80
UNKNOWN = -1  # the rank of a document that is not among the first, where no more is known
_NOWHERE: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class Listed:
    """A document among the first of A or of B: its grade, its ranks; 0 where it is not there."""

    doc_id: str
    grade: float | None
    rank_a: int
    rank_b: int


def cutoff(measure: str) -> tuple[int, float]:
    """Return how many documents are shown for a measure, and the lowest grade that is relevant."""
    entry = known(measure)  # None: the scores of a measure that nobody here knows
    parameters = dict(entry.parameters) if entry else {}
    depth = parameters.get("cutoff")
    return min(depth, DEEPEST) if isinstance(depth, int) else DEPTH, lowest_relevant(measure)


def listed(a: RankedList, b: RankedList, *, depth: int) -> tuple[Listed, ...]:
    """Return the documents among the first of A or of B, each once: A's in order, then B's own."""
    # `a, b`: As much as is known of each: a document beyond `depth` has its rank.
    # `depth`: How many of each are shown.
    rank_a, rank_b = ({doc: i + 1 for i, (doc, _) in enumerate(ranked)} for ranked in (a, b))
    grades = dict([*a[:depth], *b[:depth]])
    return tuple(
        Listed(doc, grade, rank_a.get(doc, 0), rank_b.get(doc, 0)) for doc, grade in grades.items()
    )


def why(a: RankedList, b: RankedList, *, depth: int, rel: float = 1) -> str:
    """Say in one sentence what B's list gained and lost against A's."""
    ranked_a, ranked_b = a[:depth], b[:depth]
    if not ranked_a or not ranked_b:
        if not ranked_a and not ranked_b:
            return "Neither returned a document for this query."
        return f"{'B' if ranked_a else 'A'} returned no document for this query."
    if ranked_a == ranked_b:
        return f"Both have the same top {depth}, in the same order."
    ranks = [
        {
            doc: rank
            for rank, (doc, grade) in enumerate(item, start=1)
            if grade is not None and grade >= rel
        }
        for item in (ranked_a, ranked_b)
    ]
    lost, gained = len(ranks[0].keys() - ranks[1]), len(ranks[1].keys() - ranks[0])
    if lost or gained:
        noun = "document" if lost == gained == 1 else "documents"
        text = f"B lost {lost} and gained {gained} relevant {noun} in the top {depth}"
    elif ranks[0]:
        text = _moved(*ranks, depth=depth)
    else:
        text = f"Neither has a relevant document in the top {depth}"
    holes = _unjudged(ranked_a, ranked_b, depth)
    return f"{text}; {holes}." if holes else f"{text}."


def _moved(a: dict[str, int], b: dict[str, int], *, depth: int) -> str:
    """Say how the same relevant documents moved."""
    up = sum(b[doc] < rank for doc, rank in a.items())
    down = sum(b[doc] > rank for doc, rank in a.items())
    if len(a) == 1:
        where = "higher" if up else "lower" if down else "at the same rank"
        return f"The one relevant document in the top {depth} is the same, in B {where}"
    parts = [f"{count} {way}" for count, way in ((up, "higher"), (down, "lower")) if count]
    where = " and ".join(parts) or "all at the same rank"
    return f"The {len(a)} relevant documents in the top {depth} are the same, in B {where}"


def _unjudged(a: RankedList, b: RankedList, depth: int) -> str:
    """Count what nobody judged; empty where all is judged."""
    holes = {name: sum(g is None for _, g in item) for name, item in (("A", a), ("B", b))}
    parts = [f"{f.count(n)} of {name}'s" for name, n in holes.items() if n]
    if not parts:
        return ""
    verb = "is" if sum(holes.values()) == 1 else "are"
    return f"{' and '.join(parts)} top {depth} {verb} not judged"


def compact(a: RankedList, b: RankedList, *, depth: int, rel: float) -> list[object]:
    """Return what a page needs of a query's lists: the sentence, then four values a document."""
    result: list[object] = [why(a, b, depth=depth, rel=rel)]
    for document in listed(a, b, depth=depth):
        result += [
            cut(document.doc_id, LONGEST_DOC),
            document.grade,
            document.rank_a,
            document.rank_b,
        ]
    return result


def in_one_top(
    a: RankedList, b: RankedList, elsewhere: Mapping[str, int] = _NOWHERE, *, depth: int, rel: float
) -> list[int]:
    """Return the relevant documents in the top of one list only, and where the other has them."""
    # `elsewhere`: Ranks beyond what is known of the lists; 0 is not retrieved.
    # Returns: Two values a document: its place in `listed`, and its rank in the list that has it
    # not in its top, 0 where it was not retrieved, -1 where that is not known.
    result = []
    for place, document in enumerate(listed(a, b, depth=depth)):
        near = [0 < rank <= depth for rank in (document.rank_a, document.rank_b)]
        if document.grade is not None and document.grade >= rel and sum(near) == 1:
            rank_in_other = document.rank_b if near[0] else document.rank_a
            result += [place, rank_in_other or elsewhere.get(document.doc_id, UNKNOWN)]
    return result


@dataclass(frozen=True)
class Line:
    """A document of one list: its rank, its grade, and how it moved against the other list."""

    rank: int
    grade: float | None
    move: str
    doc_id: str
    title: str = ""


@dataclass(frozen=True)
class Went:
    """A relevant document in one top only: its grade, and its ranks as they are read."""

    doc_id: str
    grade: float
    ranks: tuple[str, str]


@dataclass(frozen=True)
class Lists:
    """The two lists of a query as they are read: the sentence, A's documents and B's."""

    # `went` has the relevant documents that are in the top of one of them only.

    why: str
    sides: tuple[tuple[Line, ...], tuple[Line, ...]]
    went: tuple[Went, ...] = ()


def lists_of(
    result: Sequence[Any], *, depth: int, one_sided: Sequence[int] = (), titles: Sequence[str] = ()
) -> Lists:
    """Return the lists of a query from what :func:`compact` and :func:`in_one_top` made of them."""
    sides: list[tuple[Line, ...]] = []
    flat = [result[i : i + 4] for i in range(1, len(result), 4)]
    documents = [[*item, title] for item, title in zip_longest(flat, titles, fillvalue="")]
    for here, there in ((2, 3), (3, 2)):
        top = sorted(
            (document for document in documents if 0 < document[here] <= depth),
            key=itemgetter(here),
        )
        sides.append(
            tuple(
                Line(item[here], item[1], move, item[0], item[4])
                for item in top
                for move in [_move(item[here], item[there], first=here == 2)]
            )
        )
    pairs = zip(one_sided[::2], one_sided[1::2], strict=True)
    gone = tuple(_went(documents[place], rank, depth) for place, rank in pairs)
    return Lists(result[0], (sides[0], sides[1]), gone)


def _went(document: Sequence[Any], elsewhere: int, depth: int) -> Went:
    names = {0: "not retrieved", UNKNOWN: "further down or not retrieved"}
    other = names.get(elsewhere, str(elsewhere))
    in_a = 0 < document[2] <= depth
    ranks = (str(document[2]), other) if in_a else (other, str(document[3]))
    return Went(document[0], document[1], ranks)


def _move(rank: int, rank_in_other: int, *, first: bool) -> str:
    """Say where A's document is in B, or by how many ranks B's stands higher or lower than in A."""
    if not rank_in_other:
        return "dropped" if first else "new"
    if rank_in_other == rank:
        return "="
    if first:
        return f"→ {rank_in_other}"
    return f"▲ {rank_in_other - rank}" if rank_in_other > rank else f"▼ {rank - rank_in_other}"
