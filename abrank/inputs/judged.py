"""A run joined with its judgments, reduced to judged documents; and judgments by subtopic."""

# A file with lines `query_id subtopic doc_id grade` has two uses. Plain measures need the judged
# documents of a query with the highest grade over their subtopics; diversity measures need the
# single judgments. Both are kept. Nearly all measures only use the judged documents: their ranks,
# their grades and the ideal ranking. So a ranking of 1,000 documents shrinks to some ten judged
# ones, and a measure is a sum over segments of flat arrays.

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError, ReadError
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import ids
from abrank.inputs.columns import Columns, as_grades


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Judgments by subtopic, one per row, sorted by query, document and subtopic."""

    # Subtopics are numbered within queries: subtopic 1 of query 301 is not subtopic 1 of 302.

    ids: tuple[str, ...]  # the id of each subtopic, in byte order within its query
    query: IntArray  # int64[n_subtopics]; index of its query, ascending
    # int64[n_rows]; row of the judged document in the Qrels, ascending, so documents are sorted by
    # id within a query
    document: IntArray
    subtopic: IntArray  # int64[n_rows]; index into ``ids``
    grade: IntArray  # int64[n_rows]


@dataclass(frozen=True, eq=False)
class JudgedSubtopics:
    """The subtopics of a judged run."""

    pool: Subtopics  # all judgments, retrieved or not
    # int64[n_rows]; row of the retrieved document in the JudgedRun, ascending
    row: IntArray
    # int64[n_rows]; index into ``pool.ids`` of a judged subtopic, and the grade for it
    subtopic: IntArray
    grade: IntArray

    def take(self, rows: IntArray) -> JudgedSubtopics:
        """Return the subtopics of a judged run whose row i was ``rows[i]`` before."""
        place = np.full(max(self.row.max(initial=-1), rows.max(initial=-1)) + 1, -1)
        place[rows] = np.arange(len(rows))
        row = place[self.row]
        by_row = np.argsort(row, kind="stable")[np.count_nonzero(row < 0) :]
        return replace(
            self, row=row[by_row], subtopic=self.subtopic[by_row], grade=self.grade[by_row]
        )


def gather(columns: Columns, row: IntArray, query: IntArray) -> Subtopics:
    """Collect the subtopics of judgments."""
    distinct, code = ids.number(columns.subtopic)
    if len(distinct) == 1:
        raise ReadError(
            columns.source.label,
            f'every row has "{ids.decode(distinct)[0]}" for its subtopic: these are judgments'
            " without subtopics",
            expected="query_id subtopic doc_id grade",
            hint="measures of diversity need judgments by subtopic; choose others",
        )
    pairs, subtopic = np.unique(query * len(distinct) + code, return_inverse=True)
    order = np.lexsort((subtopic, row))
    return Subtopics(
        ids=tuple(ids.decode(ids.take(distinct, pairs % len(distinct)))),
        query=pairs // len(distinct),
        document=row[order],
        subtopic=subtopic[order],
        grade=columns.value[order],
    )


def judged_subtopics(pool: Subtopics, document: IntArray) -> JudgedSubtopics:
    """Find the subtopics of retrieved documents, which are given as rows of the Qrels."""
    start = np.searchsorted(pool.document, document)
    count = np.searchsorted(pool.document, document, side="right") - start
    row = np.repeat(np.arange(len(document)), count)
    position = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + start[row]
    return JudgedSubtopics(pool, row, pool.subtopic[position], pool.grade[position])


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run joined with its qrels.

    Attributes
    ----------
    query_ids : tuple of str, length n_queries
        The queries of the qrels, sorted by code point (the order of trec_eval's strcmp).
    query : int64[n_rows]
        Index into ``query_ids`` of each retrieved judged document, ascending.
    rank : int64[n_rows]
        Rank of the document in the run, from 1; ascending within a query.
    grade : int64[n_rows]
        Judged grade. Negative grades are kept; most measures treat them as unjudged.
    score : float64[n_rows]
        Score in the run; not increasing within a query.
    tie_first, tie_last : int64[n_rows]
        Ranks of the first and last document, judged or not, with the same score; both equal
        ``rank`` without a tie.
    n_retrieved : int64[n_queries]
        Number of retrieved documents per query, judged or not; 0 if there are none.
    ideal_query, ideal_grade : int64[n_judgments]
        All judgments, sorted by query and descending grade.
    retrieved_scores : float64[sum of n_retrieved] or None
        Scores of all retrieved documents, by query and rank; kept on request.
    subtopics : JudgedSubtopics or None
        The judgments by subtopic, if the qrels have them.
    judgment : int64[n_rows] or None
        Row of the qrels with the grade of each document, if the run was read with qrels.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[0, 2, None, 1], []], ideal=[[2, 1, 1, 0], [1]])
    >>> judged.rank, judged.grade, judged.n_retrieved
    (array([1, 2, 4]), array([0, 2, 1]), array([4, 0]))
    >>> judged.n_relevant(rel=1)
    array([3, 1])
    """

    query_ids: tuple[str, ...]
    query: IntArray
    rank: IntArray
    grade: IntArray
    score: FloatArray
    tie_first: IntArray
    tie_last: IntArray
    n_retrieved: IntArray
    ideal_query: IntArray
    ideal_grade: IntArray
    retrieved_scores: FloatArray | None = None
    subtopics: JudgedSubtopics | None = None
    judgment: IntArray | None = None

    @classmethod
    def from_grades(
        cls,
        rankings: Sequence[Sequence[int | None]],
        *,
        ideal: Sequence[Sequence[int]] | None = None,
        scores: Sequence[Sequence[float]] | None = None,
        query_ids: Sequence[str] | None = None,
    ) -> JudgedRun:
        """Make a judged run from the grades of rankings; ``None`` is an unjudged document.

        Parameters
        ----------
        rankings : sequence of sequences
            Grades in rank order, one ranking per query.
        ideal : sequence of sequences, optional
            All judged grades of each query. Default: those of the ranking.
        scores : sequence of sequences, optional
            Scores in rank order. Default: they decrease by 1 per rank.
        query_ids : sequence of str, optional
            In ascending order. Default: ``q0000``, ``q0001``, …
        """
        pools = ideal or [[g for g in ranking if g is not None] for ranking in rankings]
        numbers = np.arange(len(rankings))
        lengths = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
        query = np.repeat(numbers, lengths)
        rank = _flat([range(1, n + 1) for n in lengths], np.int64)
        score = -rank.astype(np.float64) if scores is None else _flat(scores, np.float64)
        first, last = tie_ranks(query, rank, score)
        judged = _flat([[g is not None for g in ranking] for ranking in rankings], np.bool_)
        return cls(
            query_ids=tuple(query_ids or (f"q{i:04d}" for i in numbers)),
            query=query[judged],
            rank=rank[judged],
            grade=as_grades(_flat([[g for g in row if g is not None] for row in rankings], float)),
            score=score[judged],
            tie_first=first[judged],
            tie_last=last[judged],
            n_retrieved=lengths,
            ideal_query=np.repeat(numbers, [len(pool) for pool in pools]),
            ideal_grade=as_grades(_flat([sorted(pool, reverse=True) for pool in pools], float)),
            retrieved_scores=score,
        )

    @classmethod
    def from_subtopics(
        cls,
        rankings: Sequence[Sequence[Mapping[str, int] | None]],
        *,
        missed: Sequence[Sequence[Mapping[str, int]]] | None = None,
    ) -> JudgedRun:
        """Make a judged run from grades by subtopic; ``None`` is an unjudged document.

        Parameters
        ----------
        rankings : sequence of sequences
            ``{subtopic: grade}`` in rank order, one ranking per query.
        missed : sequence of sequences, optional
            ``{subtopic: grade}`` of the judged documents of each query that were not retrieved. In
            a tie of the ideal order, later documents come first.

        Examples
        --------
        >>> judged = JudgedRun.from_subtopics([[{"a": 1}, None, {"a": 0, "b": 2}]])
        >>> judged.rank, judged.grade, judged.subtopics.pool.ids
        (array([1, 3]), array([1, 2]), ('a', 'b'))
        """
        rows: list[tuple[int, int, str, int]] = []  # document, query, subtopic, grade
        pools: list[list[int]] = []
        retrieved: list[int] = []
        n_documents = 0
        missed = missed or [[] for _ in rankings]
        for query, (ranking, not_retrieved) in enumerate(zip(rankings, missed, strict=True)):
            documents = [*filter(None, ranking), *not_retrieved]
            pools.append([max(grades.values()) for grades in documents])
            retrieved += range(n_documents, n_documents + len(documents) - len(not_retrieved))
            for document, grades in enumerate(documents, n_documents):
                rows += [(document, query, *pair) for pair in grades.items()]
            n_documents += len(documents)
        names = sorted({(query, name) for _, query, name, _ in rows})
        place = {name: i for i, name in enumerate(names)}
        cells = sorted((document, place[query, name], grade)
                       for document, query, name, grade in rows)  # fmt: skip
        columns = np.array(cells, dtype=np.int64).reshape(-1, 3).T
        query_of = np.array([query for query, _ in names], dtype=np.int64)
        pool = Subtopics(tuple(name for _, name in names), query_of, *columns)
        best = [[max(grades.values()) if grades else None for grades in row] for row in rankings]
        subtopics = judged_subtopics(pool, np.array(retrieved, dtype=np.int64))
        return replace(cls.from_grades(best, ideal=pools), subtopics=subtopics)

    @property
    def n_queries(self) -> int:
        """Number of queries, including those without retrieved documents."""
        return len(self.query_ids)

    def n_relevant(self, *, rel: int = 1) -> IntArray:
        """Count each query's documents with a grade of at least ``rel``: int64[n_queries]."""
        return np.bincount(self.ideal_query[self.ideal_grade >= rel], minlength=self.n_queries)

    def total(self, query: IntArray, weights: FloatArray) -> FloatArray:
        """Sum ``weights`` by query in row order: float64[n_queries].

        ``bincount`` adds in sequence like a C loop over the ranking, so sums over ranks equal
        trec_eval's bit by bit.
        """
        sums = np.bincount(query, weights=weights, minlength=self.n_queries)
        return sums.astype(np.float64, copy=False)

    def top(self, depth: int) -> JudgedRun:
        """Return the run cut at rank ``depth``, as trec_eval's ``-M`` does.

        Examples
        --------
        >>> JudgedRun.from_grades([[0, None, 1]]).top(2).n_retrieved
        array([2])
        """
        depth = min(checks.count("depth", depth), np.iinfo(np.int64).max)
        n_retrieved = np.minimum(self.n_retrieved, depth)
        return self._rows(self.rank <= depth, n_retrieved)

    def above(self, threshold: float) -> JudgedRun:
        """Return the documents of the run whose score is at least ``threshold``.

        Raises
        ------
        ArgumentError
            If the scores of the unjudged documents were not kept.

        Examples
        --------
        >>> JudgedRun.from_grades([[0, None, 1]], scores=[[0.9, 0.5, 0.1]]).above(0.5).n_retrieved
        array([2])
        """
        if self.retrieved_scores is None:
            raise ArgumentError("a score threshold needs the scores of all retrieved documents")
        query_of_score = np.repeat(np.arange(self.n_queries), self.n_retrieved)
        n_retrieved = np.bincount(
            query_of_score[self.retrieved_scores >= threshold], minlength=self.n_queries
        ).astype(np.int64)
        return self._rows(self.score >= threshold, n_retrieved)

    def condensed(self) -> JudgedRun:
        """Return the run without unjudged documents, with new ranks, like trec_eval's ``-J``.

        Documents with a negative grade count as unjudged (trec_eval form_res_rels.c).

        Examples
        --------
        >>> JudgedRun.from_grades([[None, 1, -1, 0]]).condensed().rank
        array([1, 2])
        """
        selected = self.grade >= 0
        query, score = self.query[selected], self.score[selected]
        n_retrieved = np.bincount(query, minlength=self.n_queries).astype(np.int64)
        rank = np.arange(1, len(query) + 1) - (np.cumsum(n_retrieved) - n_retrieved)[query]
        first, last = tie_ranks(query, rank, score)
        return replace(
            self._rows(selected, n_retrieved),
            rank=rank,
            tie_first=first,
            tie_last=last,
            retrieved_scores=score,
        )

    def _rows(self, selected: BoolArray, n_retrieved: IntArray) -> JudgedRun:
        """Return selected rows; ``n_retrieved`` is the new length of each ranking."""
        scores = self.retrieved_scores
        if scores is not None:
            first = np.cumsum(self.n_retrieved) - self.n_retrieved
            rank = np.arange(1, len(scores) + 1) - np.repeat(first, self.n_retrieved)
            scores = scores[rank <= np.repeat(n_retrieved, self.n_retrieved)]
        rows = ("query", "rank", "grade", "score", "tie_first", "tie_last")
        return replace(
            self,
            **{name: getattr(self, name)[selected] for name in rows},
            n_retrieved=n_retrieved,
            retrieved_scores=scores,
            subtopics=None
            if self.subtopics is None
            else self.subtopics.take(np.flatnonzero(selected)),
            judgment=None if self.judgment is None else self.judgment[selected],
        )


def tie_ranks(query: IntArray, rank: IntArray, score: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first and last rank with the same query and score, for each row."""
    # Rows are sorted by query and rank, and the ranks within a tie have no gaps.
    if not len(rank):
        return rank, rank
    begins = np.flatnonzero(np.r_[True, (np.diff(query) != 0) | (np.diff(score) != 0)])
    ends = np.r_[begins[1:], len(rank)] - 1
    lengths = ends - begins + 1
    return np.repeat(rank[begins], lengths), np.repeat(rank[ends], lengths)


def _flat(rows: Iterable[Iterable[Any]], dtype: type[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    return np.array([value for row in rows for value in row], dtype=dtype)
