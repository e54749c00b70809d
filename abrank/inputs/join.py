"""Join a run with its judgments block by block, and find out how ids differ if they do."""

# Of a run with millions of rows only the judged rows and some counts are kept, and on request the
# first documents of each query or all scores.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import methodcaller
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from abrank._support.typing import BoolArray, IntArray, SameId
from abrank._support.work import MAX_THREADS, threaded_map
from abrank.inputs import ids
from abrank.inputs.ids import Ids
from abrank.inputs.judged import JudgedRun, judged_subtopics
from abrank.inputs.qrels import Qrels
from abrank.inputs.run import Run
from abrank.inputs.trec import Block, NotPlain

if TYPE_CHECKING:
    import numpy.typing as npt

# --- How ids of a run differ from those of its judgments

# An id, and the number of the query in which it must match.
Placed = tuple[int, str]

# A smaller share of ids that match after a change is attributed to chance.
LEAST_SHARE = 0.05
# A guessed prefix or suffix must explain this share of ids; for digits only, nearly all.
LEAST_AFFIXED, LEAST_DIGITS, FEWEST_DIGITS = 0.5, 0.9, 3
# Number of ids from which affixes are guessed, number of guesses, and most ids checked.
GUESSED_FROM, MOST_GUESSES, MOST_IDS = 10, 20, 200_000

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
# A cause, the change that removes it, and a pattern that changed ids contain.
_CHANGES: tuple[tuple[str, Callable[[str], str], str], ...] = (
    ('".0"', lambda text: text.removesuffix(".0"), r"\.0"),
    ("leading zeros", lambda text: _LEADING_ZEROS.sub("", text), _LEADING_ZEROS.pattern),
    ("upper and lower case", str.casefold, r"[A-Z]|[^\x00-\x7f]"),
    ("blanks or quotes around them", lambda text: text.strip(" \t\r\n\"'"), r"[ \t\r\n\"']"),
    ("a byte order mark", lambda text: text.replace("\ufeff", ""), "\ufeff"),
)


@dataclass(frozen=True)
class IdDifference:
    """Why ids of a run match nothing."""

    cause: str  # such as ``upper and lower case`` or ``the prefix "x"``; empty if unknown
    n_alike: int  # unmatched ids that would match without this difference
    n_compared: int  # ids of the run that were checked, including those that match
    # An id of the run, and the judged id that it would match (or any other).
    in_run: str
    in_qrels: str


def id_difference(
    run: Sequence[Placed], qrels: Sequence[Placed], *, n_compared: int | None = None
) -> IdDifference | None:
    """Find the change under which most of a run's unmatched ids match."""
    if not run or not qrels or len(run) + len(qrels) > MOST_IDS:
        return None
    total = len(run) if n_compared is None else n_compared
    texts = "\0".join(text for _, text in (*run, *qrels))
    changed = [
        _alike(cause, run, qrels, change, change)
        for cause, change, held in _CHANGES
        if re.search(held, texts)  # otherwise the change affects no id
    ]
    best = max(
        (*changed, *_affixed(run, qrels)), key=lambda difference: difference.n_alike, default=None
    )
    if best is None or not best.n_alike or best.n_alike < LEAST_SHARE * total:
        return None
    return replace(best, n_compared=total)


def query_id_difference(run: Sequence[str], qrels: Sequence[str]) -> IdDifference | None:
    """Find the change under which most of a run's unmatched query ids match."""
    return id_difference([(0, query_id) for query_id in run], [(0, query_id) for query_id in qrels])


def how_ids_differ(qrels: Sequence[str], run: Sequence[str]) -> str:
    """Guess how two disjoint lists of query ids differ; empty if unknown."""
    difference = query_id_difference(run, qrels)
    return f"the ids differ by {difference.cause}" if difference else ""


def _alike(
    cause: str,
    run: Sequence[Placed],
    qrels: Sequence[Placed],
    of_run: Callable[[str], str],
    of_qrels: Callable[[str], str],
) -> IdDifference:
    """Count the ids of the run that match after both sides are changed."""
    texts = {(query, of_qrels(text)): text for query, text in qrels}
    hits = [(text, (query, of_run(text))) for query, text in run]
    hits = [(text, changed) for text, changed in hits if changed in texts]
    first = (hits[0][0], texts[hits[0][1]]) if hits else ("", "")
    return IdDifference(cause, len(hits), len(run), *first)


def _affixed(run: Sequence[Placed], qrels: Sequence[Placed]) -> Iterator[IdDifference]:
    """Yield the prefixes and suffixes of run or qrels ids that explain enough mismatches."""
    for longer, shorter in ((run, qrels), (qrels, run)):
        by_query: dict[int, list[str]] = {}
        for query, text in shorter:
            by_query.setdefault(query, []).append(text)
        pairs = ((first, second) for query, first in longer[:GUESSED_FROM]
                 for second in by_query.get(query, []) if second and first != second)  # fmt: skip
        counts: Counter[tuple[str, str]] = Counter()
        for first, second in pairs:
            if first.endswith(second):
                counts["prefix", first.removesuffix(second)] += 1
            if first.startswith(second):
                counts["ending", first.removeprefix(second)] += 1
        for (kind, affix), _ in counts.most_common(MOST_GUESSES):
            cut = methodcaller("removeprefix" if kind == "prefix" else "removesuffix", affix)
            changes = (cut if longer is side else str for side in (run, qrels))
            difference = _alike(f'the {kind} "{affix}"', run, qrels, *changes)
            digits = affix.isdecimal()
            minimum = (LEAST_DIGITS if digits else LEAST_AFFIXED) * min(len(run), len(qrels))
            if difference.n_alike >= max(minimum, FEWEST_DIGITS if digits else 1):
                yield difference


# --- The first documents of each query, and whether their ids differ from judged ids


# Where ids are checked: this number of queries, and this number of their first documents.
SAMPLED_QUERIES, SAMPLED_RANKS = 50, 10


@dataclass(frozen=True, eq=False)
class TopDocs:
    """The first documents of each judged query.

    Attributes
    ----------
    query : int64[n_rows]
        Index into the queries of the qrels, ascending.
    rank : int64[n_rows]
        From 1, ascending within a query.
    docs : Ids
    """

    query: IntArray
    rank: IntArray
    docs: Ids

    def top(self, depth: int) -> TopDocs:
        """Return the documents down to rank ``depth``."""
        rows = np.flatnonzero(self.rank <= depth)
        if len(rows) == len(self.rank):
            return self
        return TopDocs(self.query[rows], self.rank[rows], ids.take(self.docs, rows))


def sampled_queries(n_queries: int) -> IntArray:
    """Return the queries of the qrels whose first documents are checked, for every run."""
    return np.linspace(0, n_queries - 1, min(n_queries, SAMPLED_QUERIES)).astype(np.int64)


def document_ids(qrels: Qrels, judged: JudgedRun, top_docs: TopDocs) -> IdDifference | None:
    """Explain unjudged first documents of the sampled queries, if their ids are the cause."""
    sampled = np.isin(top_docs.query, sampled_queries(len(qrels.query_ids)))
    rows = np.flatnonzero(sampled & (top_docs.rank <= SAMPLED_RANKS))
    near = judged.rank <= SAMPLED_RANKS
    judged_places = judged.query[near] * SAMPLED_RANKS + judged.rank[near]
    places = top_docs.query[rows] * SAMPLED_RANKS + top_docs.rank[rows]
    unknown = rows[~np.isin(places, judged_places)]
    if len(unknown) < LEAST_SHARE * len(rows):
        return None
    judgments = np.flatnonzero(np.isin(qrels.query, top_docs.query[unknown]))

    def placed(query: IntArray, docs: Ids, rows: IntArray) -> list[Placed]:
        return list(zip(query[rows].tolist(), ids.decode(ids.take(docs, rows)), strict=True))

    return id_difference(
        placed(top_docs.query, top_docs.docs, unknown),
        placed(qrels.query, qrels.docs, judgments),
        n_compared=len(rows),
    )


# --- Judgments, prepared for looking up queries and documents


_PLACES = 16  # maximum slots per id of a group, so that collisions are rare
_MOST_PLACES = 1 << 24  # maximum slots in all, unless there are more ids


@dataclass(frozen=True, eq=False)
class Places:
    """A hash table of ids by group."""

    # The slots of a group are adjacent, so that they stay in the processor cache while documents of
    # that group are looked up.

    ids: Ids
    mark: npt.NDArray[np.uint64]  # uint64[n_ids]; fingerprints
    # int64[n_groups + 1]; first slot of each group; the last group is empty
    start: IntArray
    # uint64[n_groups + 1]; the bits of a fingerprint that select the slot in its group
    mask: npt.NDArray[np.uint64]
    # int32[n_places]; the last id in each slot; -1 if the slot is empty
    last: npt.NDArray[np.int32]
    # int32[n_ids]; the previous id in the same slot, or -1
    before: npt.NDArray[np.int32]

    @classmethod
    def of(cls, group: IntArray, column: Ids, n_groups: int) -> Places:
        """Build the table from ids and the number of each id's group."""
        mark = ids.fingerprint(column)
        share = max(min(_PLACES, _MOST_PLACES // max(len(column), 1)), 1)
        wanted = np.maximum(np.bincount(group, minlength=n_groups) * share, 1)
        size = np.exp2(np.ceil(np.log2(np.append(wanted, 1)))).astype(np.int64)
        start = np.cumsum(size) - size
        mask = (size - 1).astype(np.uint64)
        place = start[group] + (mark & mask[group]).astype(np.int64)
        order = np.argsort(place, kind="stable").astype(np.int32)
        ordered = place[order]
        last = np.full(size.sum(), -1, dtype=np.int32)
        last[ordered] = order
        before = np.full(len(order), -1, dtype=np.int32)
        again = np.flatnonzero(ordered[1:] == ordered[:-1])
        before[order[again + 1]] = order[again]
        return cls(column, mark, start, mask, last, before)

    def find(
        self, group: IntArray, length: IntArray, column: Ids, mark: npt.NDArray[np.uint64]
    ) -> tuple[IntArray, IntArray]:
        """Return the rows whose id is in their group, and the index of that id."""
        place = (mark & np.repeat(self.mask[group], length)).astype(np.int64)
        place += np.repeat(self.start[group], length)
        position = self.last[place]
        rows = np.flatnonzero(position >= 0)
        position = position[rows]
        matches = [(rows[:0], position[:0])]
        while len(rows):
            alike = np.flatnonzero(self.mark[position] == mark[rows])
            matches.append((rows[alike], position[alike]))
            position = self.before[position]
            more = np.flatnonzero(position >= 0)
            rows, position = rows[more], position[more]
        rows, position = (np.concatenate(columns) for columns in zip(*matches, strict=True))
        order = np.argsort(rows, kind="stable")
        rows, found_ids = rows[order], position[order].astype(np.int64)
        same = ids.same(ids.take(column, rows), ids.take(self.ids, found_ids))
        return rows[same], found_ids[same]


@dataclass(frozen=True, eq=False)
class Judgments:
    """Judgments prepared for look-up; ``ideal`` sorts them by query and descending grade."""

    queries: Places
    docs: Places
    ideal: IntArray

    @classmethod
    def of(cls, qrels: Qrels) -> Judgments:
        """Prepare the judgments of ``qrels``."""
        n_queries = len(qrels.query_ids)
        group = np.zeros(n_queries, dtype=np.int64)
        return cls(
            queries=Places.of(group, ids.encode(qrels.query_ids), 1),
            docs=Places.of(qrels.query, qrels.docs, n_queries),
            ideal=np.lexsort((-qrels.grade, qrels.query)),
        )

    def numbers(self, queries: Ids) -> IntArray:
        """Return the number of each query in the qrels, or -1."""
        query_numbers = np.full(len(queries), -1, dtype=np.int64)
        all_of_them = np.array([len(queries)])
        mark = ids.fingerprint(queries)
        rows, position = self.queries.find(np.array([0]), all_of_them, queries, mark)
        query_numbers[rows] = position
        return query_numbers


# --- Join a run with its judgments, block by block


_Piece = TypeVar("_Piece")


@dataclass
class ReadCounts:
    """Counts of the rows of a run, collected while they are read."""

    n_shared: int = 0  # queries that are also in the qrels
    extra: list[str] = field(default_factory=list)  # queries that are not in the qrels
    n_rows: int = 0  # documents, including those of extra queries
    # Documents that share their score with another document of the query, and their queries.
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_rank_conflicts: int = 0  # queries whose rank column contradicts the scores
    tags: dict[str, None] = field(default_factory=dict)  # distinct run tags, in order of appearance
    n_same_id_dropped: int = 0  # documents dropped because they have the id of their query
    # Queries (of the qrels) whose first document has the id of the query.
    first_has_query_id: list[int] = field(default_factory=list)
    # Why documents are unjudged although their ids resemble judged ones.
    document_ids: IdDifference | None = None

    def add(self, later: ReadCounts) -> None:
        """Add the counts of later rows."""
        self.tags |= later.tags
        for name, count in vars(later).items():
            if isinstance(count, (int, list)):
                setattr(self, name, getattr(self, name) + count)


def join(qrels: Qrels, run: Run, *, keep_scores: bool = False) -> JudgedRun:
    """Join a run with its judgments.

    Parameters
    ----------
    qrels, run : Qrels, Run
        The result has the queries of the qrels; other queries of the run are dropped.
    keep_scores : bool
        Whether to keep the scores of unjudged documents too (``retrieved_scores``).

    Examples
    --------
    >>> from abrank.inputs import read_qrels, read_run
    >>> qrels = read_qrels({"301": {"d1": 1, "d2": 0}, "302": {"d1": 2}})
    >>> judged = join(qrels, read_run({"301": {"d9": 3.0, "d1": 2.0}}))
    >>> judged.query, judged.rank, judged.grade, judged.n_retrieved
    (array([0]), array([2]), array([1]), array([2, 0]))
    """
    return join_pieces(qrels, [run], block_of, keep_scores=keep_scores)[0]


def block_of(run: Run) -> Block:
    """Return a run as one block."""
    queries, mark = ids.encode(run.query_ids), ids.fingerprint(run.docs)
    return Block(
        queries, run.first_row, run.docs, mark, run.query, None, run.score, run.tags,
        run.n_rank_conflicts,
    )  # fmt: skip


def join_pieces(
    qrels: Qrels,
    pieces: Iterable[_Piece],
    block: Callable[[_Piece], Block],
    *,
    keep_scores: bool = False,
    top: int | None = None,
    threads: int = MAX_THREADS,
    judgments: Judgments | None = None,
    same_id: SameId = "keep",
) -> tuple[JudgedRun, ReadCounts, TopDocs]:
    """Join a run with the judgments, several pieces at a time."""
    looked_up = judgments or Judgments.of(qrels)
    n_queries = len(qrels.query_ids)
    ranks = np.full(n_queries, top or 0, dtype=np.int64)  # documents to keep per query
    if top is not None:
        ranks[sampled_queries(n_queries)] = max(top, SAMPLED_RANKS)

    def part_of(piece: _Piece) -> tuple[dict[str, Any], ReadCounts]:
        return _part(looked_up, block(piece), keep_scores, ranks, same_id)

    parts, all_counts = zip(*threaded_map(part_of, pieces, maximum=threads), strict=True)
    counts = ReadCounts()
    for of_part in all_counts:
        counts.add(of_part)
    docs = ids.joined([part.pop("top_docs") for part in parts])
    part = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((part["rank"], part["query"]))
    position = part["at"][order]
    n_retrieved = np.zeros(n_queries, dtype=np.int64)
    n_retrieved[part["ranking"]] = part["length"]
    if np.count_nonzero(n_retrieved) + len(set(counts.extra)) < counts.n_shared + len(counts.extra):
        raise NotPlain("the lines of a query do not stand together")
    ideal = looked_up.ideal
    scores = None
    if keep_scores:  # sort by query; the file may have any order
        rows = np.repeat(part["ranking"], part["length"])
        scores = part["scores"][np.argsort(rows, kind="stable")]
    columns = ("query", "rank", "score", "tie_first", "tie_last")
    judged = JudgedRun(
        query_ids=qrels.query_ids,
        **{name: part[name][order] for name in columns},
        grade=qrels.grade[position],
        n_retrieved=n_retrieved,
        ideal_query=qrels.query[ideal],
        ideal_grade=qrels.grade[ideal],
        retrieved_scores=scores,
        subtopics=None if qrels.subtopics is None else judged_subtopics(qrels.subtopics, position),
        judgment=position,
    )
    first = np.lexsort((part["top_rank"], part["top_query"]))
    top_docs = TopDocs(part["top_query"][first], part["top_rank"][first], ids.take(docs, first))
    relevant = judged.query[(judged.rank == 1) & (judged.grade > 0)]
    counts.first_has_query_id = np.setdiff1d(counts.first_has_query_id, relevant).tolist()
    if top is not None:
        counts.document_ids = document_ids(qrels, judged, top_docs)
    return judged, counts, top_docs.top(top or 0)


def _part(
    judgments: Judgments, block: Block, keep_scores: bool, ranks: IntArray, same_id: SameId
) -> tuple[dict[str, Any], ReadCounts]:
    """Return what is kept of a block: judged rows, lengths of rankings, first documents."""
    has_query_id = block.has_query_id()
    if same_id == "drop" and has_query_id.any():
        block = block.without(has_query_id)
    query = judgments.numbers(block.queries)
    length = np.diff(block.first_row)
    row, position = judgments.docs.find(query, length, block.docs, block.mark)
    if block.row is not None:
        place = np.empty(len(block.row), dtype=np.int64)
        place[block.row] = np.arange(len(block.row))
        row = place[row]
    ranking = block.ranking[row]
    first_row = block.first_row[ranking]
    # Whether a new query or score begins at each row; the last element marks the end.
    new = np.ones(len(block.score) + 1, dtype=np.bool_)
    np.not_equal(block.score[1:], block.score[:-1], out=new[1:-1])
    new[block.first_row] = True
    begins = np.flatnonzero(new)
    tie = np.cumsum(new)[row]
    shared = query >= 0
    judged = np.flatnonzero(shared)
    count = np.minimum(length[judged], ranks[query[judged]])  # first documents per query
    top_rank = np.arange(1, count.sum() + 1) - np.repeat(np.cumsum(count) - count, count)
    top_row = np.repeat(block.first_row[judged], count) + top_rank - 1
    part = {
        "query": query[ranking],
        "rank": row - first_row + 1,
        "at": position,
        "score": block.score[row],
        "tie_first": begins[tie - 1] - first_row + 1,
        "tie_last": begins[tie] - first_row,
        "ranking": query[shared],
        "length": length[shared],
        "scores": block.score[np.repeat(shared, length)] if keep_scores else block.score[:0],
        "top_query": np.repeat(query[judged], count),
        "top_rank": top_rank,
        "top_docs": ids.take(block.docs, top_row if block.row is None else block.row[top_row]),
    }
    return part, _seen(block, query, begins, has_query_id, same_id)


def _seen(
    block: Block, query: IntArray, begins: IntArray, has_query_id: BoolArray, same_id: SameId
) -> ReadCounts:
    """Count the rows of a block."""
    first_has_query_id: list[int] = []
    if same_id == "keep" and has_query_id.any():
        first = block.first_row[:-1] if block.row is None else block.row[block.first_row[:-1]]
        first_has_query_id = query[has_query_id[first] & (query >= 0)].tolist()
    size = np.diff(begins)
    # Ties are sorted by query, so equal query numbers are adjacent.
    with_ties = np.searchsorted(block.first_row, begins[:-1][size > 1], side="right")
    return ReadCounts(
        n_shared=int(np.count_nonzero(query >= 0)),
        extra=ids.decode(ids.take(block.queries, np.flatnonzero(query < 0))),
        n_rows=len(block.score),
        n_tied_rows=int(size[size > 1].sum()),
        n_queries_with_ties=int(np.count_nonzero(np.diff(with_ties, prepend=0))),
        n_rank_conflicts=block.n_rank_conflicts,
        n_same_id_dropped=int(has_query_id.sum()) if same_id == "drop" else 0,
        first_has_query_id=first_has_query_id,
        tags=dict.fromkeys(block.tags),
    )
