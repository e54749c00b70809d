"""The one tie rule of the program, and what contradicts or exercises it.

Score falling, then document id falling by bytes; the rank column and the order of lines do not
count. So trec_eval sorts (form_res_rels.c:111-113 and 266-275), whatever its version.
"""

from __future__ import annotations

import numpy as np

from abrank._support.typing import BoolArray, FloatArray, IntArray, ScoreDtype
from abrank.inputs import ids
from abrank.inputs.ids import Ids


def at_precision(score: FloatArray, score_dtype: ScoreDtype) -> FloatArray:
    """Return the scores at the precision that decides what is a tie, with one zero only."""
    if score_dtype == "float32":
        with np.errstate(over="ignore"):  # beyond float32 all scores are one, as in C
            score = score.astype(np.float32).astype(np.float64)
    positive_zero: FloatArray = score + 0.0
    return positive_zero


def rank_rows(query: IntArray, score: FloatArray, doc: Ids) -> IntArray:
    """Return the rows in rank order: by query, score falling, document id falling by bytes."""
    order = _by_query(query)
    if bool(np.any(_within(query[order]) & _rises(score[order]))):
        order = np.lexsort((-score, query)).astype(np.int64)
    tied = tied_rows(query[order], score[order])
    if len(tied):
        rows = order[tied]
        by_id = -ids.order(ids.take(doc, rows))
        order[tied] = rows[np.lexsort((by_id, -score[rows], query[rows]))]
    return order


def tied_rows(query: IntArray, score: FloatArray) -> IntArray:
    """Return the rows, given in rank order, whose score another row of their query has too."""
    same = _within(query) & (score[1:] == score[:-1])
    member = np.zeros(len(query), dtype=np.bool_)
    member[1:] |= same
    member[:-1] |= same
    return np.flatnonzero(member)


def rank_conflicts(query: IntArray, score: FloatArray, rank: IntArray) -> int:
    """Count the queries in which a document with a better rank has a lower score.

    Equal ranks contradict nothing, nor do equal scores.
    """
    as_read = _by_query(query)
    astray = (np.diff(rank[as_read]) < 0) | _rises(score[as_read])
    if not np.any(_within(query[as_read]) & astray):
        return 0
    by_rank = np.lexsort((-score, rank, query))
    rises = _within(query[by_rank]) & _rises(score[by_rank])
    return len(np.unique(query[by_rank][1:][rises]))


def _by_query(query: IntArray) -> IntArray:
    """Return the rows by query, in the order read within one."""
    if bool(np.all(query[1:] >= query[:-1])):
        return np.arange(len(query))
    return np.argsort(query, kind="stable").astype(np.int64)


def _within(query: IntArray) -> BoolArray:
    """Whether each row but the first has its predecessor's query."""
    same: BoolArray = query[1:] == query[:-1]
    return same


def _rises(score: FloatArray) -> BoolArray:
    """Whether each row but the first scores more than its predecessor."""
    higher: BoolArray = score[1:] > score[:-1]
    return higher
