"""The one join of the program: a run laid on its judgments, judged documents only.

Nearly every measure asks only about judged documents: which ranks they stand at, which grades they
have, and how the ideal ranking looks. So a ranking of 1,000 documents a query shrinks to the some
ten that were judged, and a measure is a sum over segments of flat arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import ids
from abrank.inputs.qrels import Qrels
from abrank.inputs.run import Run


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run laid on its qrels.

    Attributes
    ----------
    query_ids : tuple of str, length n_queries
        The queries of the qrels, sorted as text (by code point, which is trec_eval's strcmp).
    query : int64[n_rows]
        Index into ``query_ids`` of each retrieved judged document, ascending.
    rank : int64[n_rows]
        Its rank in the run, from 1; ascending within a query.
    grade : int64[n_rows]
        Its judged grade. A negative grade is kept as it is: no grade for most measures.
    n_retrieved : int64[n_queries]
        Number of documents the run retrieved for each query, judged or not; 0 where it has none.
    ideal_query, ideal_grade : int64[n_judgments]
        All judgments, by query and then by grade from high to low.

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
    n_retrieved: IntArray
    ideal_query: IntArray
    ideal_grade: IntArray

    @classmethod
    def from_grades(
        cls,
        rankings: Sequence[Sequence[int | None]],
        *,
        ideal: Sequence[Sequence[int]] | None = None,
        query_ids: Sequence[str] | None = None,
    ) -> JudgedRun:
        """Make one from each ranking's grades, in rank order; ``None`` is an unjudged document.

        Parameters
        ----------
        rankings : sequence of sequences
            Grades by rank, one ranking a query.
        ideal : sequence of sequences, optional
            All judged grades of each query; without it, those that were retrieved.
        query_ids : sequence of str, optional
            Ascending; without it ``q0000``, ``q0001``, …
        """
        judged = [[g for g in ranking if g is not None] for ranking in rankings]
        pools = [sorted(pool, reverse=True) for pool in (judged if ideal is None else ideal)]
        ranks = [[r for r, g in enumerate(ranking, 1) if g is not None] for ranking in rankings]
        every = np.arange(len(rankings))
        return cls(
            query_ids=tuple(query_ids or (f"q{i:04d}" for i in every)),
            query=np.repeat(every, [len(row) for row in judged]),
            rank=_flat(ranks),
            grade=_flat(judged),
            n_retrieved=np.array([len(ranking) for ranking in rankings], dtype=np.int64),
            ideal_query=np.repeat(every, [len(pool) for pool in pools]),
            ideal_grade=_flat(pools),
        )

    @property
    def n_queries(self) -> int:
        """Number of queries, those without a retrieved document included."""
        return len(self.query_ids)

    def n_relevant(self, *, rel: int = 1) -> IntArray:
        """Count each query's documents with a grade of at least ``rel``: int64[n_queries]."""
        return np.bincount(self.ideal_query[self.ideal_grade >= rel], minlength=self.n_queries)

    def total(self, query: IntArray, weights: FloatArray) -> FloatArray:
        """Sum ``weights`` by ``query`` in the order they stand: float64[n_queries].

        ``bincount`` adds one after the other, as a C loop over the ranking does, so sums over ranks
        are bit-equal to trec_eval's.
        """
        sums = np.bincount(query, weights=weights, minlength=self.n_queries)
        return sums.astype(np.float64, copy=False)


def _flat(rows: Sequence[Sequence[int]]) -> IntArray:
    return np.array([value for row in rows for value in row], dtype=np.int64)


def join(qrels: Qrels, run: Run) -> JudgedRun:
    """Lay a run on its judgments.

    Parameters
    ----------
    qrels : Qrels
        Its queries are those of the result, judged or retrieved for or not.
    run : Run
        Queries that the qrels lack are left out.

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
    place = {query_id: i for i, query_id in enumerate(qrels.query_ids)}
    judged_query = np.array([place.get(each, -1) for each in run.query_ids], dtype=np.int64)

    distinct, judged_doc = ids.code(qrels.docs)
    judgments = qrels.query * len(distinct) + judged_doc
    by_key = np.argsort(judgments)
    rows, doc = ids.find(run.docs, distinct)
    query = judged_query[run.query[rows]]
    key = query * len(distinct) + doc
    at = by_key[np.minimum(np.searchsorted(judgments, key, sorter=by_key), len(by_key) - 1)]
    hit = judgments[at] == key  # an extra query's key is negative and hits nothing

    first_row = run.first_row
    shared = judged_query >= 0
    n_retrieved = np.zeros(len(qrels.query_ids), dtype=np.int64)
    n_retrieved[judged_query[shared]] = np.diff(first_row)[shared]
    ideal = np.lexsort((-qrels.grade, qrels.query))
    return JudgedRun(
        query_ids=qrels.query_ids,
        query=query[hit],
        rank=rows[hit] - first_row[run.query[rows[hit]]] + 1,
        grade=qrels.grade[at[hit]],
        n_retrieved=n_retrieved,
        ideal_query=qrels.query[ideal],
        ideal_grade=qrels.grade[ideal],
    )
