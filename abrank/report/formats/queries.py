"""The table of all queries on the page, and the two ranked lists of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from abrank._support import display
from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.evidence import EACH_END, SNIPPET, RankedList
from abrank.diagnostics.notes import DECIMALS
from abrank.measures.names import known, lowest_relevant
from abrank.report.cells import cut
from abrank.report.model import Cell, Tone
from abrank.report.sections import words

if TYPE_CHECKING:
    from abrank._support.typing import FloatArray, IntArray
    from abrank.comparison import Comparison
    from abrank.comparison.evidence import RankedList
    from abrank.comparison.groups import Segmentation


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


@dataclass(frozen=True)
class MeasureScores:
    """A measure of every row: A, B and B - A as they are shown, the difference to sort by."""

    # `largest` is the longest bar, `flip` whether lower is better, `outcome` who wins.

    name: str
    a: list[str]
    b: list[str]
    texts: list[str]
    values: list[float]
    outcome: list[int]
    largest: float
    flip: bool


def measure_scores(comparison: Comparison, chosen: IntArray) -> tuple[MeasureScores, ...]:
    """Return the scores of every measure, the primary one first."""
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
            MeasureScores(
                name=cut(name, LONGEST),
                a=a,
                b=b,
                texts=difference.texts,
                values=difference.values,
                outcome=comparison.outcomes(name)[chosen].tolist(),
                largest=max(map(abs, difference.values), default=0.0) or 1.0,
                flip=difference.lower_is_better,
            )
        )
    return tuple(result)


def tone_of(text: str, *, lower_is_better: bool = False) -> Tone:
    """Return the colour of a difference, that of who wins, by its written sign."""
    sides: tuple[Tone, Tone] = ("a", "b") if lower_is_better else ("b", "a")
    return dict(zip(("+", display.MINUS), sides, strict=True)).get(text[:1], "tie")


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
        yield _labels(segmentation, chosen)
    yield _numbers("A", "a", "score", comparison.a[chosen, lead], digits)
    yield _numbers("B", "b", "score", comparison.b[chosen, lead], digits)
    yield _differences(comparison, primary, chosen)
    room = max(1, FURTHER - 2 * bool(comparison.topics) - len(properties))
    for name in [name for name in comparison.measures if name != primary][:room]:
        yield _differences(comparison, name, chosen)


def _labels(segmentation: Segmentation, chosen: IntArray) -> QueryColumn:
    """Return the segment of each row, as its place among the sorted segments."""
    labels = [cut(segmentation.labels[i], LONGEST) for i in chosen]
    levels = tuple(sorted(set(labels)))
    place = {label: i for i, label in enumerate(levels)}
    title = cut(segmentation.name, LONGEST)
    codes = [place[label] for label in labels]
    return QueryColumn(words.capital(title), title, "segment", codes, labels, levels=levels)


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
    write = display.signed if kind == "delta" else display.score
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
    lists: Lists | None = None


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
    # For each row `compact`, None where no documents are known.
    lists: list[list[object] | None]
    # How many documents of a list are shown.
    depth: int
    # The lowest grade that is relevant.
    relevant: float
    # How many documents of a list are known.
    known: int
    # For each row `in_one_top`, None without lists.
    went: list[list[int] | None]
    # For each row the titles of its documents, None where they are not known.
    titles: list[list[str] | None]
    # Of every measure, the primary one first; empty where there is one measure or where the rows
    # are too many.
    scores: tuple[MeasureScores, ...] = ()

    @property
    def opens(self) -> bool:
        """Whether a row can be opened: the documents of some query are known."""
        return any(self.lists)

    @property
    def titled(self) -> str:
        """Which documents have titles; empty where none has."""
        if not any(self.titles):
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
        return f"{display.plural(between, 'query', 'queries')} between these"

    @property
    def left_out(self) -> str:
        """Which queries are not embedded; empty where all are."""
        if len(self.outcome) == self.total:
            return ""
        text = display.count(EMBED_EACH)
        return (
            f"Of {display.count(self.total)} queries this table holds {text} worst, {text} best and"
            f" {text} spread evenly between them; write a .csv report for all."
        )

    @property
    def without_lists(self) -> str:
        """How many of the rows have no lists; empty where all or none have."""
        lacking = sum(item is None for item in self.lists)
        if not self.opens or not lacking:
            return ""
        return (
            f"The documents of {display.count(len(self.lists) - lacking)} queries are in this file:"
            " those with the largest differences first."
        )

    def island(self, fill: Mapping[str, str]) -> str:
        """Return the rows by column as JSON."""
        # Of very many rows only the texts travel, and a number is what its text says; differences
        # that stand among the scores of every measure travel there.
        exact = len(self.outcome) <= EVERY_MEASURE
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
            "lists": self.lists if self.opens else None,
            "went": self.went if self.opens else None,
            "titles": self.titles if any(self.titles) else None,
            "depth": self.depth,
            "relevant": self.relevant,
            "measures": [asdict(score) for score in self.scores] or None,
            "total": self.total,
            "largest": self.largest,
            "group": display.GROUP,
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
        compact, one_sided, titles = self.lists[index], self.went[index], self.titles[index]
        lists = (
            lists_of(compact, depth=self.depth, one_sided=one_sided or (), titles=titles or ())
            if compact
            else None
        )
        return QueryRow(cells, QueryBar(min(0.0, share), abs(share), tone), lists)


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
    lists = _within_room(
        [ranking and compact(*ranking, depth=depth, rel=rel) for ranking in rankings]
    )
    pairs = [
        ranking if selected else None for ranking, selected in zip(rankings, lists, strict=True)
    ]
    return QueryRows(
        columns=tuple(columns(comparison, np.array(chosen))),
        outcome=comparison.outcomes()[chosen].tolist(),
        total=comparison.n_queries,
        largest=float(np.abs(differences).max()) or 1.0,
        lists=lists,
        went=[
            item and in_one_top(*item, evidence.elsewhere.get(ids[i], {}), depth=depth, rel=rel)
            for i, item in zip(chosen, pairs, strict=True)
        ],
        titles=[item and _titles(item, evidence.documents, depth) for item in pairs],
        depth=depth,
        relevant=rel,
        known=max((len(item) for pair in rankings if pair for item in pair), default=0),
        scores=()
        if len(comparison.measures) == 1 or len(chosen) > EVERY_MEASURE
        else measure_scores(comparison, np.array(chosen)),
    )


def _titles(
    pair: tuple[RankedList, RankedList], documents: Mapping[str, str], depth: int
) -> list[str] | None:
    """Return the titles of a query's documents; None where none is known."""
    docs = [document.doc_id for document in listed(*pair, depth=depth)] if documents else []
    cuts = [cut(documents.get(doc, ""), SNIPPET) for doc in docs]
    return cuts if any(cuts) else None


def _within_room(lists: list[list[object] | None]) -> list[list[object] | None]:
    """Keep the lists of the outermost rows, as many as a page has room for."""
    selected: list[list[object] | None] = [None] * len(lists)
    room = ROOM_FOR_LISTS
    for step in range(len(lists)):
        # From both ends towards the middle: 0, -1, 1, -2, …
        place = step // 2 if step % 2 == 0 else -1 - step // 2
        room -= len(json.dumps(lists[place]))
        if room < 0:
            break
        selected[place] = lists[place]
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
