"""The one join of the program: a run joined with its judgments, block by block.

What stays of a run of millions of rows are the judged ones, some counts, and on request the first
documents of each query or the scores of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank._support.work import MOST_THREADS, threaded_map
from abrank.inputs import ids, subtopics
from abrank.inputs.id_differences import IdDifference, TopDocs, document_ids, ranks_kept
from abrank.inputs.ids import Ids
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels
from abrank.inputs.run import Run
from abrank.inputs.trec.stream import Block, NotPlain

if TYPE_CHECKING:
    import numpy.typing as npt

    pass


# --- Judgments, ready for the queries and documents of a run to be looked up among them


_PLACES = 16  # for each id of a group, at most: few places have two ids
_MOST_PLACES = 1 << 24  # of all groups, as long as there are fewer ids


@dataclass(frozen=True, eq=False)
class Places:
    """A hash table of ids by group.

    The places of a group lie side by side, so that a processor's cache holds them while documents
    of that group are looked up.

    ids : Ids
    mark : uint64[n_ids]
        Their fingerprints.
    start : int64[n_groups + 1]
        First place of each group; last that of no group, which is empty.
    mask : uint64[n_groups + 1]
        The bits of a fingerprint that choose among the places of the group.
    last : int32[n_places]
        The last id that belongs in a place; -1 in an empty one.
    before : int32[n_ids]
        The id that belongs in the same place before it, or -1.
    """

    ids: Ids
    mark: npt.NDArray[np.uint64]
    start: IntArray
    mask: npt.NDArray[np.uint64]
    last: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]

    @classmethod
    def of(cls, group: IntArray, column: Ids, n_groups: int) -> Places:
        """Return the places of ids, each with the number of its group."""
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
        """Return which rows hold an id of their group, and the places of those among the ids."""
        place = (mark & np.repeat(self.mask[group], length)).astype(np.int64)
        place += np.repeat(self.start[group], length)
        at = self.last[place]
        rows = np.flatnonzero(at >= 0)
        at = at[rows]
        found = [(rows[:0], at[:0])]
        while len(rows):
            alike = np.flatnonzero(self.mark[at] == mark[rows])
            found.append((rows[alike], at[alike]))
            at = self.before[at]
            more = np.flatnonzero(at >= 0)
            rows, at = rows[more], at[more]
        rows, at = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(rows, kind="stable")
        rows, which = rows[order], at[order].astype(np.int64)
        same = ids.same(ids.take(column, rows), ids.take(self.ids, which))
        return rows[same], which[same]


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments, ready to be looked up; ``ideal`` has them by query, the best first."""

    queries: Places
    docs: Places
    ideal: IntArray

    @classmethod
    def of(cls, qrels: Qrels) -> Judgments:
        """Return those of ``qrels``."""
        n_queries = len(qrels.query_ids)
        one = np.zeros(n_queries, dtype=np.int64)
        return cls(
            queries=Places.of(one, ids.encode(qrels.query_ids), 1),
            docs=Places.of(qrels.query, qrels.docs, n_queries),
            ideal=np.lexsort((-qrels.grade, qrels.query)),
        )

    def numbers(self, queries: Ids) -> IntArray:
        """Return the number in the qrels of each query, or -1."""
        found = np.full(len(queries), -1, dtype=np.int64)
        all_of_them = np.array([len(queries)])
        mark = ids.fingerprint(queries)
        rows, at = self.queries.find(np.array([0]), all_of_them, queries, mark)
        found[rows] = at
        return found


# --- The one join of the program: a run joined with its judgments, block by block


_Piece = TypeVar("_Piece")


@dataclass
class ReadCounts:
    """What was counted while the rows of a run went by.

    n_shared : int
        Queries that the qrels have too.
    extra : list of str
        Queries that the qrels lack.
    n_rows : int
        Documents, extra queries included.
    n_tied_rows, n_queries_with_ties : int
        Documents whose score another document of their query has too, and the queries they are of.
    n_rank_conflicts : int
        Queries in which the rank column contradicts the scores.
    tags : dict of str to None
        Distinct run tags, in order of appearance.
    document_ids : IdDifference or None
        Why documents are not judged, where their ids look like judged ones.
    """

    n_shared: int = 0
    extra: list[str] = field(default_factory=list)
    n_rows: int = 0
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_rank_conflicts: int = 0
    tags: dict[str, None] = field(default_factory=dict)
    document_ids: IdDifference | None = None

    def add(self, other: ReadCounts) -> None:
        """Count the rows that went by later."""
        self.n_shared += other.n_shared
        self.extra += other.extra
        self.n_rows += other.n_rows
        self.n_tied_rows += other.n_tied_rows
        self.n_queries_with_ties += other.n_queries_with_ties
        self.n_rank_conflicts += other.n_rank_conflicts
        self.tags |= other.tags


def join(qrels: Qrels, run: Run, *, keep_scores: bool = False) -> JudgedRun:
    """Lay a run on its judgments.

    Parameters
    ----------
    qrels : Qrels
        Its queries are those of the result, judged or retrieved for or not.
    run : Run
        Queries that the qrels lack are left out.
    keep_scores : bool
        Whether the scores of unjudged documents are kept too (``retrieved_scores``).

    Returns
    -------
    JudgedRun

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
    return Block(
        queries=ids.encode(run.query_ids),
        first_row=run.first_row,
        docs=run.docs,
        mark=ids.fingerprint(run.docs),
        ranking=run.query,
        row=None,
        score=run.score,
        tags=run.tags,
        n_rank_conflicts=run.n_rank_conflicts,
    )


def join_pieces(
    qrels: Qrels,
    pieces: Iterable[_Piece],
    block: Callable[[_Piece], Block],
    *,
    keep_scores: bool = False,
    top: int | None = None,
    threads: int = MOST_THREADS,
    judgments: Judgments | None = None,
) -> tuple[JudgedRun, ReadCounts, TopDocs]:
    """Lay a run on the judgments, piece by piece and several pieces at a time."""
    looked_up = judgments or Judgments.of(qrels)
    n_queries = len(qrels.query_ids)
    ranks = np.zeros(n_queries, np.int64) if top is None else ranks_kept(n_queries, top)

    def part_of(piece: _Piece) -> _Part:
        return _Part.of(looked_up, block(piece), keep_scores, ranks)

    part = _Part.joined(list(threaded_map(part_of, pieces, most=threads)))
    seen = part.seen
    order = np.lexsort((part.rank, part.query))
    at = part.at[order]
    n_retrieved = np.zeros(n_queries, dtype=np.int64)
    n_retrieved[part.ranking] = part.length
    if np.count_nonzero(n_retrieved) + len(set(seen.extra)) < seen.n_shared + len(seen.extra):
        raise NotPlain("the lines of a query do not stand together")
    ideal = looked_up.ideal
    scores = None
    if keep_scores:  # by query, however the rankings stood in the file
        scores = part.scores[np.argsort(np.repeat(part.ranking, part.length), kind="stable")]
    judged = JudgedRun(
        query_ids=qrels.query_ids,
        query=part.query[order],
        rank=part.rank[order],
        grade=qrels.grade[at],
        score=part.score[order],
        tie_first=part.tie_first[order],
        tie_last=part.tie_last[order],
        n_retrieved=n_retrieved,
        ideal_query=qrels.query[ideal],
        ideal_grade=qrels.grade[ideal],
        retrieved_scores=scores,
        subtopics=None if qrels.subtopics is None else subtopics.join(qrels.subtopics, at),
        judgment=at,
    )
    first = np.lexsort((part.top_rank, part.top_query))
    shown = TopDocs(part.top_query[first], part.top_rank[first], ids.take(part.top_docs, first))
    if top is not None:
        seen.document_ids = document_ids(qrels, judged, shown)
    return judged, seen, shown.top(top or 0)


@dataclass(frozen=True, eq=False)
class _Part:
    """What stays of a block: its judged rows, its rankings' lengths, its first documents."""

    query: IntArray
    rank: IntArray
    at: IntArray
    score: FloatArray
    tie_first: IntArray
    tie_last: IntArray
    ranking: IntArray
    length: IntArray
    scores: FloatArray
    top_query: IntArray
    top_rank: IntArray
    top_docs: Ids
    seen: ReadCounts

    @classmethod
    def of(cls, judgments: Judgments, block: Block, keep_scores: bool, ranks: IntArray) -> _Part:
        query = judgments.numbers(block.queries)
        length = np.diff(block.first_row)
        row, at = judgments.docs.find(query, length, block.docs, block.mark)
        if block.row is not None:
            place = np.empty(len(block.row), dtype=np.int64)
            place[block.row] = np.arange(len(block.row))
            row = place[row]
        ranking = block.ranking[row]
        first_row = block.first_row[ranking]
        # Whether a query or a score begins at each row, and behind the last one.
        new = np.ones(len(block.score) + 1, dtype=np.bool_)
        np.not_equal(block.score[1:], block.score[:-1], out=new[1:-1])
        new[block.first_row] = True
        begins = np.flatnonzero(new)
        tie = np.cumsum(new)[row]
        shared = query >= 0
        top_query, top_rank, shown = _top(block, query, ranks)
        return cls(
            query=query[ranking],
            rank=row - first_row + 1,
            at=at,
            score=block.score[row],
            tie_first=begins[tie - 1] - first_row + 1,
            tie_last=begins[tie] - first_row,
            ranking=query[shared],
            length=length[shared],
            scores=block.score[np.repeat(shared, length)] if keep_scores else block.score[:0],
            top_query=top_query,
            top_rank=top_rank,
            top_docs=ids.take(block.docs, shown if block.row is None else block.row[shown]),
            seen=_seen(block, query, begins),
        )

    @classmethod
    def joined(cls, parts: list[_Part]) -> _Part:
        names = [each.name for each in fields(cls) if each.name not in ("top_docs", "seen")]
        seen = ReadCounts()
        for part in parts:
            seen.add(part.seen)
        return cls(
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names},
            top_docs=ids.joined([part.top_docs for part in parts]),
            seen=seen,
        )


def _top(block: Block, query: IntArray, ranks: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return query, rank and row of the first documents of each judged query."""
    shared = np.flatnonzero(query >= 0)
    count = np.minimum(np.diff(block.first_row)[shared], ranks[query[shared]])
    rank = np.arange(1, count.sum() + 1) - np.repeat(np.cumsum(count) - count, count)
    return (
        np.repeat(query[shared], count),
        rank,
        np.repeat(block.first_row[shared], count) + rank - 1,
    )


def _seen(block: Block, query: IntArray, begins: IntArray) -> ReadCounts:
    """Count what a block holds."""
    size = np.diff(begins)
    # Ties stand by query, so a query with several is there several times in a row.
    with_ties = np.searchsorted(block.first_row, begins[:-1][size > 1], side="right")
    return ReadCounts(
        n_shared=int(np.count_nonzero(query >= 0)),
        extra=ids.decode(ids.take(block.queries, np.flatnonzero(query < 0))),
        n_rows=len(block.score),
        n_tied_rows=int(size[size > 1].sum()),
        n_queries_with_ties=int(np.count_nonzero(np.diff(with_ties, prepend=0))),
        n_rank_conflicts=block.n_rank_conflicts,
        tags=dict.fromkeys(block.tags),
    )
