"""Judgments by subtopic: which aspect of a query a document serves, and how well.

One file of the form ``query_id subtopic doc_id grade`` holds two things: who was judged for a query
at all, with the highest grade over its subtopics (what plain measures ask), and the judgments one
by one (what diversity measures ask). So they are kept beside the plain columns and never instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from abrank._support.errors import ReadError
from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import ids
from abrank.inputs.columns import Columns


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Judgments by subtopic, a row each, by query, document and subtopic.

    A subtopic belongs to its query: subtopic 1 of query 301 and of query 302 are two.

    ids : tuple of str, length n_subtopics
        The id of each subtopic, ascending by bytes within its query.
    query : int64[n_subtopics]
        Index of its query, ascending.
    document : int64[n_rows]
        Row of the Qrels that the judged document stands in, ascending; so documents are in the
        order of their ids within a query.
    subtopic : int64[n_rows]
        Index into ``ids``.
    grade : int64[n_rows]
    """

    ids: tuple[str, ...]
    query: IntArray
    document: IntArray
    subtopic: IntArray
    grade: IntArray


@dataclass(frozen=True, eq=False)
class JudgedSubtopics:
    """What a judged run knows of subtopics.

    pool : Subtopics
        All judgments, retrieved or not.
    row : int64[n_rows]
        Row of the JudgedRun in which a retrieved document stands, ascending.
    subtopic, grade : int64[n_rows]
        A subtopic that it was judged for, an index into ``pool.ids``, and the grade.
    """

    pool: Subtopics
    row: IntArray
    subtopic: IntArray
    grade: IntArray

    def of_rows(self, kept: BoolArray) -> JudgedSubtopics:
        """Return those of a judged run that keeps the marked rows only."""
        mine = kept[self.row]
        place = np.cumsum(kept) - 1
        return replace(
            self,
            row=place[self.row[mine]],
            subtopic=self.subtopic[mine],
            grade=self.grade[mine],
        )

    def reordered(self, order: IntArray) -> JudgedSubtopics:
        """Return those of a judged run whose row i was row ``order[i]`` before."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        row = place[self.row]
        by_row = np.argsort(row, kind="stable")
        return replace(
            self, row=row[by_row], subtopic=self.subtopic[by_row], grade=self.grade[by_row]
        )


def gather(columns: Columns, row: IntArray, query: IntArray) -> Subtopics:
    """Make the subtopics of judgments as read."""
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


def join(pool: Subtopics, document: IntArray) -> JudgedSubtopics:
    """Lay a run's retrieved documents, given as rows of the Qrels, on the subtopics.

    Examples
    --------
    Document 0 was judged for two subtopics, document 1 for one; the run has them in reverse:

    >>> one_query = np.array([0, 0])
    >>> pool = Subtopics(("1", "2"), one_query, *np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0]]))
    >>> found = join(pool, np.array([1, 0]))
    >>> found.row, found.subtopic, found.grade
    (array([0, 1, 1]), array([1, 0, 1]), array([0, 1, 1]))
    """
    start = np.searchsorted(pool.document, document)
    count = np.searchsorted(pool.document, document, side="right") - start
    row = np.repeat(np.arange(len(document)), count)
    at = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + start[row]
    return JudgedSubtopics(pool, row, pool.subtopic[at], pool.grade[at])


def from_rankings(
    rankings: Sequence[Sequence[Mapping[str, int] | None]],
    missed: Sequence[Sequence[Mapping[str, int]]],
) -> JudgedSubtopics:
    """Make them from each document's grades by subtopic; ``None`` is an unjudged document."""
    names: list[tuple[int, str]] = sorted(
        {
            (query, name)
            for side in (rankings, missed)
            for query, documents in enumerate(side)
            for grades in documents
            for name in grades or {}
        }
    )
    place = {each: i for i, each in enumerate(names)}
    rows: list[tuple[int, int, int]] = []
    retrieved: list[int] = []
    document = 0
    for query, (ranking, others) in enumerate(zip(rankings, missed, strict=True)):
        judged = [grades for grades in ranking if grades]
        retrieved += range(document, document + len(judged))
        for grades in (*judged, *others):
            rows += [(document, place[query, name], grades[name]) for name in sorted(grades)]
            document += 1
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    query_of = np.array([query for query, _ in names], dtype=np.int64)
    pool = Subtopics(tuple(name for _, name in names), query_of, *columns)
    return join(pool, np.array(retrieved, dtype=np.int64))
