"""The table of all queries on the page, and the two ranked lists of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from abrank._support import display as f
from abrank._support.display import cut
from abrank.comparison import Comparison
from abrank.comparison.evidence import EACH_END, SNIPPET
from abrank.diagnostics import DECIMALS
from abrank.measures.names import known, lowest_relevant
from abrank.report.model import Cell, Tone
from abrank.report.sections import words

if TYPE_CHECKING:
    from abrank._support.typing import FloatArray, IntArray
    from abrank.comparison.evidence import RankedList


DEPTH = 10
DEEPEST = 20
LONGEST_DOC = 80
UNKNOWN = -1  # the rank of a document that is not among the first, where no more is known
_NONE: Mapping[str, Any] = MappingProxyType({})


def cutoff(measure: str) -> tuple[int, float]:
    """Return how many documents are shown for a measure, and the lowest grade that is relevant."""
    entry = known(measure)  # None: the scores of a measure that nobody here knows
    parameters = dict(entry.parameters) if entry else {}
    depth = parameters.get("cutoff")
    return min(depth, DEEPEST) if isinstance(depth, int) else DEPTH, lowest_relevant(measure)


@dataclass(frozen=True)
class ListedDocument:
    """A document among the first of A or of B: its grade, its two ranks; 0 where it is not."""

    # `elsewhere` is the rank in the other list of a relevant document that is in one top only: 0
    # where it was not retrieved, -1 where that is not known.

    doc_id: str
    grade: float | None
    ranks: tuple[int, int]
    title: str = ""
    elsewhere: int | None = None


@dataclass(frozen=True)
class QueryLists:
    """The two lists of a query: a sentence, and A's first documents in order, then B's others."""

    why: str
    documents: tuple[ListedDocument, ...]
    depth: int

    @classmethod
    def of(
        cls,
        a: RankedList,
        b: RankedList,
        *,
        depth: int,
        rel: float = 1,
        elsewhere: Mapping[str, int] = _NONE,
        titles: Mapping[str, str] = _NONE,
    ) -> Self:
        """Return the first documents of both lists, each once."""
        # A document of the lists beyond `depth` has its rank; `elsewhere` has ranks beyond them.
        positions = [{doc: i + 1 for i, (doc, _) in enumerate(ranked)} for ranked in (a, b)]
        documents = []
        for doc, grade in dict([*a[:depth], *b[:depth]]).items():
            ranks = (positions[0].get(doc, 0), positions[1].get(doc, 0))
            near, other = [0 < rank <= depth for rank in ranks], None
            if grade is not None and grade >= rel and not all(near):
                other = ranks[near.index(False)] or elsewhere.get(doc, UNKNOWN)
            title = cut(titles.get(doc, ""), SNIPPET)
            documents.append(ListedDocument(cut(doc, LONGEST_DOC), grade, ranks, title, other))
        return cls(why(a, b, depth=depth, rel=rel), tuple(documents), depth)

    @property
    def sides(self) -> tuple[list[tuple[int, str, ListedDocument]], ...]:
        """The documents of A and those of B: rank, how it moved against the other list."""
        return tuple(
            [
                (rank, _move(rank, document.ranks[1 - side], first=side == 0), document)
                for document in sorted(self.documents, key=lambda x: x.ranks[side])
                for rank in [document.ranks[side]]
                if 0 < rank <= self.depth
            ]
            for side in (0, 1)
        )

    @property
    def went(self) -> list[tuple[ListedDocument, tuple[str, str]]]:
        """The relevant documents in one top only, with their ranks as they are read."""
        names, result = {0: "not retrieved", UNKNOWN: "further down or not retrieved"}, []
        for document in self.documents:
            if document.elsewhere is not None:
                a, b = map(str, document.ranks)
                other = names.get(document.elsewhere, str(document.elsewhere))
                in_a = 0 < document.ranks[0] <= self.depth
                result.append((document, (a, other) if in_a else (other, b)))
        return result

    @property
    def compact(self) -> list[object]:
        """What a page needs: the sentence, then four values a document."""
        values = ((x.doc_id, x.grade, *x.ranks) for x in self.documents)
        return [self.why, *(value for item in values for value in item)]

    @property
    def compact_went(self) -> list[int]:
        """Two values a relevant document in one top only: its place, and its rank elsewhere."""
        both = ((i, x.elsewhere) for i, x in enumerate(self.documents) if x.elsewhere is not None)
        return [value for item in both for value in item]

    @property
    def titles(self) -> list[str] | None:
        """The titles of the documents; None where none is known."""
        titles = [document.title for document in self.documents]
        return titles if any(titles) else None


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


def _move(rank: int, rank_in_other: int, *, first: bool) -> str:
    """Say where A's document is in B, or by how many ranks B's stands higher or lower than in A."""
    if not rank_in_other:
        return "dropped" if first else "new"
    if rank_in_other == rank:
        return "="
    if first:
        return f"→ {rank_in_other}"
    return f"▲ {rank_in_other - rank}" if rank_in_other > rank else f"▼ {rank - rank_in_other}"


Kind: TypeAlias = Literal["id", "text", "segment", "score", "delta"]

FURTHER = 4  # columns of further measures; texts and segments take some of their places
SEGMENTATIONS = 3  # properties of the queries with a column and a filter
LONGEST = 120  # characters of an id, a text or a segment that are shown


@dataclass(frozen=True)
class QueryColumn:
    """A column of the table of queries: values to sort by, and the texts that are shown."""

    # The values of a column with `levels` are positions in them.

    title: str
    csv: str
    kind: Kind
    values: list[Any]
    texts: list[str]
    bar: bool = False
    levels: tuple[str, ...] = ()
    lower_is_better: bool = False


def measure_scores(comparison: Comparison, chosen: IntArray) -> list[dict[str, Any]]:
    """Return every measure of every row, the primary one first, as the page's script reads it."""
    # `largest` is the longest bar, `flip` whether lower is better, `outcome` who wins.
    primary = comparison.rule.primary
    result = []
    for name in sorted(comparison.measures, key=lambda measure: measure != primary):
        place = comparison.measures.index(name)
        a, b = (
            _numbers("", "", "score", scores[chosen, place], comparison.decimals).texts
            for scores in (comparison.a, comparison.b)
        )
        difference = _differences(comparison, name, chosen)
        result.append(
            {
                "name": cut(name, LONGEST),
                "a": a,
                "b": b,
                "texts": difference.texts,
                "values": difference.values,
                "outcome": comparison.outcomes(name)[chosen].tolist(),
                "largest": max(map(abs, difference.values), default=0.0) or 1.0,
                "flip": difference.lower_is_better,
            }
        )
    return result


def tone_of(text: str, *, lower_is_better: bool = False) -> Tone:
    """Return the colour of a difference, that of who wins, by its written sign."""
    sides: tuple[Tone, Tone] = ("a", "b") if lower_is_better else ("b", "a")
    return dict(zip(("+", f.MINUS), sides, strict=True)).get(text[:1], "tie")


def columns(comparison: Comparison, chosen: IntArray) -> Iterator[QueryColumn]:
    """Yield the columns of the chosen queries."""
    digits = comparison.decimals
    primary = comparison.rule.primary
    lead = comparison.measures.index(primary)
    ids = [comparison.query_ids[i] for i in chosen]
    yield QueryColumn("Query", "query_id", "id", ids, [cut(query_id, LONGEST) for query_id in ids])
    if comparison.topics:
        texts = [cut(comparison.topics.get(query_id, ""), LONGEST) for query_id in ids]
        yield QueryColumn("Text", "text", "text", texts, texts)
    properties = comparison.segmentations[:SEGMENTATIONS]
    for segmentation in properties:
        # The segment of each row, as its place among the sorted segments.
        labels = [cut(segmentation.labels[i], LONGEST) for i in chosen]
        levels = tuple(sorted(set(labels)))
        place = {label: i for i, label in enumerate(levels)}
        title = cut(segmentation.name, LONGEST)
        codes = [place[label] for label in labels]
        yield QueryColumn(words.capital(title), title, "segment", codes, labels, levels=levels)
    yield _numbers("A", "a", "score", comparison.a[chosen, lead], digits)
    yield _numbers("B", "b", "score", comparison.b[chosen, lead], digits)
    yield _differences(comparison, primary, chosen)
    room = max(1, FURTHER - 2 * bool(comparison.topics) - len(properties))
    for name in [name for name in comparison.measures if name != primary][:room]:
        yield _differences(comparison, name, chosen)


def _differences(comparison: Comparison, measure: str, chosen: IntArray) -> QueryColumn:
    """Return the column of a measure's differences; that of the primary one has the bars."""
    lead = measure == comparison.rule.primary
    values = comparison.differences(measure)[chosen]
    column = _numbers(f"Δ {measure}", "diff", "delta", values, comparison.decimals)
    return replace(
        column,
        csv="diff" if lead else f"diff {measure}",
        bar=lead,
        lower_is_better=not comparison[measure].higher_is_better,
    )


def _numbers(title: str, csv: str, kind: Kind, values: FloatArray, digits: int) -> QueryColumn:
    """Round values for the file (to where ties are counted) and write them for the reader."""
    write = f.signed if kind == "delta" else f.score
    # Adding 0.0 turns a negative zero into zero.
    selected = [round(float(value), DECIMALS) + 0.0 for value in values]
    return QueryColumn(title, csv, kind, selected, [write(float(v), digits=digits) for v in values])


EMBED_ALL = 100_000  # rows; beyond, a page would weigh more than a browser likes
EVERY_MEASURE = 1_500  # rows that have the scores of all measures, and all digits to sort by
EMBED_EACH = 1_000  # worst, best, and spread between them, where not all are embedded
ROOM_FOR_LISTS = 500_000  # characters
FEW, FIRST_EACH = 25, 2  # all rows in the page itself, or the worst and best: without scripts


@dataclass(frozen=True)
class QueryBar:
    """A bar from the middle (0) to the left or the right (at most 100)."""

    x: float
    width: float
    tone: Tone


@dataclass(frozen=True)
class QueryRow:
    """One row as it stands in the page, with its two lists where they are known."""

    cells: tuple[Cell, ...]
    bar: QueryBar
    lists: QueryLists | None = None


@dataclass(frozen=True)
class QueryRows:
    """The rows of the table, worst difference first."""

    # The id, the text and the segments where they are known, A, B, their difference, and the
    # difference of further measures.
    columns: tuple[QueryColumn, ...]
    # +1 where B wins, -1 where A wins, 0 for a tie.
    outcome: list[int]
    # Queries compared, embedded or not.
    total: int
    # Largest absolute difference: the length of a full bar.
    largest: float
    # For each row its two lists, None where no documents are known.
    lists: list[QueryLists | None]
    # How many documents of a list are shown.
    depth: int
    # The lowest grade that is relevant.
    relevant: float
    # How many documents of a list are known.
    known: int
    # Every measure, the primary one first; empty where there is one measure or where the rows are
    # too many.
    scores: list[dict[str, Any]]

    @property
    def opens(self) -> bool:
        """Whether a row can be opened: the documents of some query are known."""
        return any(self.lists)

    @property
    def titled(self) -> str:
        """Which documents have titles; empty where none has."""
        if not any(item and item.titles for item in self.lists):
            return ""
        text = f"Under a document stands its title, or how its text begins: {SNIPPET} characters"
        if self.total <= 2 * EACH_END:
            return f"{text} at most."
        return f"{text} at most, for the {EACH_END} queries at each end of the table."

    @property
    def bar_column(self) -> QueryColumn:
        """The column with the difference that decides."""
        return next(column for column in self.columns if column.bar)

    @property
    def first(self) -> list[QueryRow | None]:
        """Rows for the page itself: all of a few, else the worst, None for a gap, the best."""
        n = len(self.outcome)
        if n <= FEW:
            return [self._row(i) for i in range(n)]
        ends = [*range(FIRST_EACH), *range(n - FIRST_EACH, n)]
        rows: list[QueryRow | None] = [self._row(i) for i in ends]
        return [*rows[:FIRST_EACH], None, *rows[FIRST_EACH:]]

    @property
    def gap(self) -> str:
        """What the gap between the worst and the best rows leaves out."""
        between = self.total - 2 * FIRST_EACH
        return f"{f.plural(between, 'query', 'queries')} between these"

    @property
    def left_out(self) -> str:
        """Which queries are not embedded; empty where all are."""
        if len(self.outcome) == self.total:
            return ""
        text = f.count(EMBED_EACH)
        return (
            f"Of {f.count(self.total)} queries this table holds {text} worst, {text} best and"
            f" {text} spread evenly between them; write a .csv report for all."
        )

    @property
    def without_lists(self) -> str:
        """How many of the rows have no lists; empty where all or none have."""
        lacking = sum(item is None for item in self.lists)
        if not self.opens or not lacking:
            return ""
        return (
            f"The documents of {f.count(len(self.lists) - lacking)} queries are in this file:"
            " those with the largest differences first."
        )

    def island(self, fill: Mapping[str, str]) -> str:
        """Return the rows by column as JSON."""
        # Of very many rows only the texts travel, and a number is what its text says; differences
        # that stand among the scores of every measure travel there.
        exact = len(self.outcome) <= EVERY_MEASURE
        titles = [item and item.titles for item in self.lists]
        data = {
            "columns": [
                {
                    "title": column.title,
                    "csv": column.csv,
                    "kind": column.kind,
                    "bar": column.bar,
                    "values": column.values
                    if column.kind not in ("score", "delta") or (exact and not among)
                    else None,
                    "texts": None
                    if among or column.levels or column.texts == column.values
                    else column.texts,
                    "levels": column.levels or None,
                    "flip": column.lower_is_better,
                }
                for column in self.columns
                for among in [bool(self.scores) and column.kind == "delta"]
            ],
            "outcome": self.outcome,
            "lists": [item and item.compact for item in self.lists] if self.opens else None,
            "went": [item and item.compact_went for item in self.lists] if self.opens else None,
            "titles": titles if any(titles) else None,
            "depth": self.depth,
            "relevant": self.relevant,
            "measures": self.scores or None,
            "total": self.total,
            "largest": self.largest,
            "group": f.GROUP,
            "fill": dict(fill),
        }
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def _row(self, index: int) -> QueryRow:
        cells = tuple(
            Cell(
                column.texts[index],
                tone=tone_of(column.texts[index], lower_is_better=column.lower_is_better)
                if column.kind == "delta"
                else "plain",
            )
            for column in self.columns
        )
        lead = self.bar_column
        share = round(100.0 * float(lead.values[index]) / self.largest, 2)
        tone = tone_of(lead.texts[index], lower_is_better=lead.lower_is_better)
        return QueryRow(cells, QueryBar(min(0.0, share), abs(share), tone), self.lists[index])


def query_rows(subject: object, *, digits: int | None = None) -> QueryRows | None:
    """Return the rows of the table of queries, by the difference of the primary measure."""
    if not isinstance(subject, Comparison):
        return None
    comparison = subject if digits is None else replace(subject, digits=digits)
    if not comparison.n_queries or comparison.rule.independent:
        return None
    differences = comparison.differences()
    ids = comparison.query_ids
    chosen = sorted(_chosen(differences), key=lambda i: (differences[i], ids[i]))
    depth, rel = cutoff(comparison.rule.primary)
    evidence = comparison.evidence
    rankings = [evidence.rankings.get(ids[i]) for i in chosen]
    lists = [
        ranking
        and QueryLists.of(
            *ranking,
            depth=depth,
            rel=rel,
            elsewhere=evidence.elsewhere.get(ids[i], {}),
            titles=evidence.documents,
        )
        for i, ranking in zip(chosen, rankings, strict=True)
    ]
    return QueryRows(
        columns=tuple(columns(comparison, np.array(chosen))),
        outcome=comparison.outcomes()[chosen].tolist(),
        total=comparison.n_queries,
        largest=float(np.abs(differences).max()) or 1.0,
        lists=_within_room(lists),
        depth=depth,
        relevant=rel,
        known=max((len(item) for pair in rankings if pair for item in pair), default=0),
        scores=[]
        if len(comparison.measures) == 1 or len(chosen) > EVERY_MEASURE
        else measure_scores(comparison, np.array(chosen)),
    )


def _within_room(lists: list[QueryLists | None]) -> list[QueryLists | None]:
    """Keep the lists of the outermost rows, as many as a page has room for."""
    selected: list[QueryLists | None] = [None] * len(lists)
    room = ROOM_FOR_LISTS
    for step in range(len(lists)):
        # From both ends towards the middle: 0, -1, 1, -2, …
        place = step // 2 if step % 2 == 0 else -1 - step // 2
        item = lists[place]
        room -= len(json.dumps(item and item.compact))
        if room < 0:
            break
        selected[place] = item
    return selected


def _chosen(differences: FloatArray) -> list[int]:
    """Return all rows, or of very many the worst, the best, and some spread between them."""
    order = np.argsort(differences, kind="stable")
    n = len(order)
    if n > EMBED_ALL:
        spread = np.linspace(EMBED_EACH, n - EMBED_EACH - 1, EMBED_EACH).astype(np.int64)
        order = np.concatenate([order[:EMBED_EACH], order[spread], order[-EMBED_EACH:]])
    chosen: list[int] = order.tolist()
    return chosen
