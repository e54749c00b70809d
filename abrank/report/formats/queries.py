"""The table of all queries on the page, and the two ranked lists of each query."""

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
UNKNOWN = -1  # unknown rank of a document beyond the stored ones
_NONE: Mapping[str, Any] = MappingProxyType({})


def cutoff(measure: str) -> tuple[int, float]:
    """Return the number of documents to show for a measure, and its lowest relevant grade."""
    entry = known(measure)  # None for unknown measures
    parameters = dict(entry.parameters) if entry else {}
    depth = parameters.get("cutoff")
    return min(depth, DEEPEST) if isinstance(depth, int) else DEPTH, lowest_relevant(measure)


@dataclass(frozen=True)
class ListedDocument:
    """A document near the top of A or B: its grade, and its two ranks, 0 if not there."""

    # For a relevant document near the top of only one list, `elsewhere` is the rank in the other
    # one: 0 if not retrieved there, -1 if unknown.

    doc_id: str
    grade: float | None
    ranks: tuple[int, int]
    title: str = ""
    elsewhere: int | None = None


@dataclass(frozen=True)
class QueryLists:
    """The lists of a query: a sentence, A's first documents in order, then other ones of B."""

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
        """Combine the first documents of both lists, each once."""
        # Lists may be longer than `depth`; `elsewhere` has ranks beyond the lists.
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
        """The documents of A and of B: rank, movement between the lists, document."""
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
        """The relevant documents near the top of only one list, with their ranks as text."""
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
        """The data for the page: the sentence, then four values per document."""
        values = ((x.doc_id, x.grade, *x.ranks) for x in self.documents)
        return [self.why, *(value for item in values for value in item)]

    @property
    def compact_went(self) -> list[int]:
        """Two values per relevant document in one top only: its position, and the other rank."""
        both = ((i, x.elsewhere) for i, x in enumerate(self.documents) if x.elsewhere is not None)
        return [value for item in both for value in item]

    @property
    def titles(self) -> list[str] | None:
        """The titles of the documents; None if unknown."""
        titles = [document.title for document in self.documents]
        return titles if any(titles) else None


def why(a: RankedList, b: RankedList, *, depth: int, rel: float = 1) -> str:
    """Describe in one sentence what B's list gained and lost compared with A's."""
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
    """Describe how the common relevant documents moved."""
    up = sum(b[doc] < rank for doc, rank in a.items())
    down = sum(b[doc] > rank for doc, rank in a.items())
    if len(a) == 1:
        where = "higher" if up else "lower" if down else "at the same rank"
        return f"The one relevant document in the top {depth} is the same, in B {where}"
    parts = [f"{count} {way}" for count, way in ((up, "higher"), (down, "lower")) if count]
    where = " and ".join(parts) or "all at the same rank"
    return f"The {len(a)} relevant documents in the top {depth} are the same, in B {where}"


def _unjudged(a: RankedList, b: RankedList, depth: int) -> str:
    """Count the unjudged documents; empty if there are none."""
    holes = {name: sum(g is None for _, g in item) for name, item in (("A", a), ("B", b))}
    parts = [f"{f.count(n)} of {name}'s" for name, n in holes.items() if n]
    if not parts:
        return ""
    verb = "is" if sum(holes.values()) == 1 else "are"
    return f"{' and '.join(parts)} top {depth} {verb} not judged"


def _move(rank: int, rank_in_other: int, *, first: bool) -> str:
    """Describe where A's document is in B, or how many ranks B's moved compared with A."""
    if not rank_in_other:
        return "dropped" if first else "new"
    if rank_in_other == rank:
        return "="
    if first:
        return f"→ {rank_in_other}"
    return f"▲ {rank_in_other - rank}" if rank_in_other > rank else f"▼ {rank - rank_in_other}"


Kind: TypeAlias = Literal["id", "text", "segment", "score", "delta"]

FURTHER = 4  # columns for further measures; texts and segments use some of them
SEGMENTATIONS = 3  # properties of the queries with a column and a filter
LONGEST = 120  # displayed characters of an id, a text or a segment


@dataclass(frozen=True)
class QueryColumn:
    """A column of the table of queries: values for sorting, and displayed texts."""

    # If a column has `levels`, its values are positions in them.

    title: str
    csv: str
    kind: Kind
    values: list[Any]
    texts: list[str]
    bar: bool = False
    levels: tuple[str, ...] = ()
    lower_is_better: bool = False


def measure_scores(comparison: Comparison, chosen: IntArray) -> list[dict[str, Any]]:
    """Return every measure of every row, primary first, in the form of the page's script."""
    # `largest` is the length of a full bar, `flip` whether lower is better, `outcome` who wins.
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
    """Return the winner's colour for a difference, by the sign in its text."""
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
        # The segment of each row, as a position in the sorted segments.
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
    """Return the column of a measure's differences; the primary one has bars."""
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
    """Round values for the file (to the precision of ties), and format them for display."""
    write = f.signed if kind == "delta" else f.score
    # Adding 0.0 turns -0.0 into 0.0.
    selected = [round(float(value), DECIMALS) + 0.0 for value in values]
    return QueryColumn(title, csv, kind, selected, [write(float(v), digits=digits) for v in values])


EMBED_ALL = 100_000  # rows; with more a page would be too large for browsers
EVERY_MEASURE = 1_500  # rows up to which all measures, and all digits for sorting, are embedded
EMBED_EACH = 1_000  # worst rows, best rows, and rows between, if not all are embedded
ROOM_FOR_LISTS = 500_000  # maximum characters of all ranked lists
FEW, FIRST_EACH = 25, 2  # rows in the HTML itself: all if few, else the worst and best


@dataclass(frozen=True)
class QueryBar:
    """A bar from the middle (0) to the left or right (at most 100)."""

    x: float
    width: float
    tone: Tone


@dataclass(frozen=True)
class QueryRow:
    """One row as displayed, with its two lists if known."""

    cells: tuple[Cell, ...]
    bar: QueryBar
    lists: QueryLists | None = None


@dataclass(frozen=True)
class QueryRows:
    """The rows of the table, worst difference first."""

    # Id, text and segments (if known), A, B, their difference, and differences in further measures.
    columns: tuple[QueryColumn, ...]
    # +1 where B wins, -1 where A wins, 0 for a tie.
    outcome: list[int]
    # Number of compared queries, embedded or not.
    total: int
    # Largest absolute difference, which is the length of a full bar.
    largest: float
    # The two lists of each row, None if no documents are known.
    lists: list[QueryLists | None]
    # Number of displayed documents per list.
    depth: int
    # Lowest relevant grade.
    relevant: float
    # Number of known documents per list.
    known: int
    # Every measure, primary first; empty with a single measure or too many rows.
    scores: list[dict[str, Any]]

    @property
    def opens(self) -> bool:
        """Whether rows can be opened, because documents of some query are known."""
        return any(self.lists)

    @property
    def titled(self) -> str:
        """Which documents have titles; empty if none."""
        if not any(item and item.titles for item in self.lists):
            return ""
        text = f"Under a document stands its title, or how its text begins: {SNIPPET} characters"
        if self.total <= 2 * EACH_END:
            return f"{text} at most."
        return f"{text} at most, for the {EACH_END} queries at each end of the table."

    @property
    def first(self) -> list[QueryRow | None]:
        """Rows for the HTML itself: all if few, else the worst, None for a gap, and the best."""
        n = len(self.outcome)
        if n <= FEW:
            return [self._row(i) for i in range(n)]
        ends = [*range(FIRST_EACH), *range(n - FIRST_EACH, n)]
        rows: list[QueryRow | None] = [self._row(i) for i in ends]
        return [*rows[:FIRST_EACH], None, *rows[FIRST_EACH:]]

    @property
    def gap(self) -> str:
        """A text on the rows in the gap between worst and best."""
        between = self.total - 2 * FIRST_EACH
        return f"{f.plural(between, 'query', 'queries')} between these"

    @property
    def left_out(self) -> str:
        """A text on queries that are not embedded; empty if all are."""
        if len(self.outcome) == self.total:
            return ""
        text = f.count(EMBED_EACH)
        return (
            f"Of {f.count(self.total)} queries this table holds {text} worst, {text} best and"
            f" {text} spread evenly between them; write a .csv report for all."
        )

    @property
    def without_lists(self) -> str:
        """A text on rows without lists; empty if all or none have lists."""
        lacking = sum(item is None for item in self.lists)
        if not self.opens or not lacking:
            return ""
        return (
            f"The documents of {f.count(len(self.lists) - lacking)} queries are in this file:"
            " those with the largest differences first."
        )

    def island(self, fill: Mapping[str, str]) -> str:
        """Return the rows as JSON, by column."""
        # With very many rows only the texts are included, and numbers are parsed from them.
        # Differences that are among the scores of all measures are only included there.
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
        lead = next(column for column in self.columns if column.bar)
        share = round(100.0 * float(lead.values[index]) / self.largest, 2)
        tone = tone_of(lead.texts[index], lower_is_better=lead.lower_is_better)
        return QueryRow(cells, QueryBar(min(0.0, share), abs(share), tone), self.lists[index])


def query_rows(subject: object, *, digits: int | None = None) -> QueryRows | None:
    """Return the rows of the table of queries, sorted by the primary difference."""
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
    """Keep the lists of the outermost rows, up to the size limit."""
    selected: list[QueryLists | None] = [None] * len(lists)
    room = ROOM_FOR_LISTS
    for step in range(len(lists)):
        # From both ends to the middle: 0, -1, 1, -2, …
        place = step // 2 if step % 2 == 0 else -1 - step // 2
        item = lists[place]
        room -= len(json.dumps(item and item.compact))
        if room < 0:
            break
        selected[place] = item
    return selected


def _chosen(differences: FloatArray) -> list[int]:
    """Return all rows, or if very many, the worst, the best, and some between."""
    order = np.argsort(differences, kind="stable")
    n = len(order)
    if n > EMBED_ALL:
        spread = np.linspace(EMBED_EACH, n - EMBED_EACH - 1, EMBED_EACH).astype(np.int64)
        order = np.concatenate([order[:EMBED_EACH], order[spread], order[-EMBED_EACH:]])
    chosen: list[int] = order.tolist()
    return chosen
