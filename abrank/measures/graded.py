"""Measures over graded relevance: nDCG and ERR."""

from __future__ import annotations

from typing import Literal

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.entries import measure
from abrank.measures.segments import ordinal, share, within


@measure(
    "nDCG",
    bounds=(0, 1),
    source="Järvelin & Kekäläinen 2002; trec_eval m_ndcg.c, m_ndcg_cut.c",
)
def ndcg(
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    dcg: Literal["log2", "exp-log2"] = "log2",
) -> FloatArray:
    """Discounted cumulative gain over that of the ideal ranking.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int, optional
        Ranks counted, from 1, in the ranking and in the ideal one; ``None`` counts all retrieved
        and all judged.
    dcg : {"log2", "exp-log2"}
        Gain of grade g: g, or 2**g - 1. A negative grade gains 0.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.
        Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` is below 1 or ``dcg`` is unknown.

    Notes
    -----
    DCG = sum over ranks r of gain(r) / log2(r + 1), and nDCG = DCG / ideal DCG, where the ideal
    ranking holds all judged documents of the query, retrieved or not, by grade. The base of the
    logarithm cancels. ``log2`` equals trec_eval's ``ndcg`` and ``ndcg_cut``, ``exp-log2`` equals
    gdeval.pl (which rounds to 5 digits) [1]_.

    References
    ----------
    .. [1] Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM TOIS
       20(4); the exponential gain: Burges et al. (2005), ICML; trec_eval m_ndcg.c, m_ndcg_cut.c.

    Examples
    --------
    Two queries; the first finds a grade-2 document at rank 2, the second nothing:

    >>> judged = JudgedRun.from_grades([[0, 2, 1], [0, 0, 0]], ideal=[[2, 1, 0], [1, 0, 0]])
    >>> ndcg(judged, cutoff=2).round(2)
    array([0.48, 0.  ])
    """
    exponential = checks.one_of("dcg", dcg, ("log2", "exp-log2")) == "exp-log2"
    best = _highest_grade(judged)

    def cumulated(query: IntArray, rank: IntArray, grade: IntArray) -> FloatArray:
        counted = (grade > 0) & within(rank, cutoff)
        query, grade = query[counted], grade[counted]
        gain = _relative_gain(grade, best[query]) if exponential else grade
        return judged.total(query, gain / np.log2(rank[counted] + 1.0))

    return share(
        cumulated(judged.query, judged.rank, judged.grade),
        cumulated(judged.ideal_query, ordinal(judged.ideal_query), judged.ideal_grade),
    )


@measure(
    "ERR",
    bounds=(0, 1),
    source="Chapelle et al. 2009; gdeval.pl of the TREC Web Track",
)
def expected_reciprocal_rank(
    judged: JudgedRun, *, cutoff: int | None = None, max_grade: int | None = None
) -> FloatArray:
    """Reciprocal rank, in expectation, of the document that satisfies a reader going down.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all retrieved.
    max_grade : int, optional
        Highest grade of the scale, from 1; ``None`` takes the highest grade in the qrels, over all
        queries. The TREC Web Track's gdeval.pl takes 4.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1), below 1 even for the ideal ranking; 0 where no document with a grade
        above 0 was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``max_grade`` is below 1, or a judgment is above ``max_grade``.

    Notes
    -----
    A document of grade g satisfies with probability s(g) = (2**g - 1) / 2**max_grade, grades below
    0 as 0 [1]_:

        ERR = sum over ranks r of (1 / r) * s(g_r) * product over i < r of (1 - s(g_i))

    Values for different ``max_grade`` cannot be compared; state it where qrels may differ.
    ``max_grade=4`` equals gdeval.pl, which rounds to 5 digits.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang & Grinspan (2009), Expected reciprocal rank for graded
       relevance, CIKM, eq. 4 and algorithm 2; gdeval.pl of the TREC Web Track.

    Examples
    --------
    Grades 1 and 2 on a scale to 2: 1/4 at rank 1, then 3/4 * 3/4 at rank 2.

    >>> expected_reciprocal_rank(JudgedRun.from_grades([[1, 2], [0]]))
    array([0.53125, 0.     ])
    """
    counted = (judged.grade > 0) & within(judged.rank, cutoff)
    query, rank = judged.query[counted], judged.rank[counted]
    stop = _relative_gain(judged.grade[counted], np.int64(_scale(judged, max_grade)))
    position = ordinal(query)
    by_position = np.argsort(position, kind="stable")
    going_on, expected = np.ones(judged.n_queries), np.zeros(judged.n_queries)
    # One step down all rankings at a time: the i-th graded document of every query that has one.
    for rows in np.split(by_position, np.cumsum(np.bincount(position))[:-1]):
        expected[query[rows]] += going_on[query[rows]] * stop[rows] / rank[rows]
        going_on[query[rows]] *= 1.0 - stop[rows]
    return expected


def _scale(judged: JudgedRun, max_grade: int | None) -> int:
    """Return the highest grade of the scale, and refuse a scale that the judgments exceed."""
    highest = int(judged.ideal_grade.max(initial=0))
    if max_grade is None:
        return highest
    if highest > checks.count("max_grade", max_grade):
        raise ArgumentError(f"the qrels hold a grade of {highest}, above max_grade={max_grade}")
    return max_grade


def _highest_grade(judged: JudgedRun) -> IntArray:
    """Return the highest grade of each query's judgments: int64[n_queries]."""
    first = ordinal(judged.ideal_query) == 1
    highest = np.zeros(judged.n_queries, dtype=np.int64)
    highest[judged.ideal_query[first]] = judged.ideal_grade[first]
    return highest


def _relative_gain(grade: IntArray, highest: IntArray | np.int64) -> FloatArray:
    """Return (2**grade - 1) / 2**highest; so written, no grade overflows."""
    scale = np.asarray(highest, dtype=np.float64)
    gain: FloatArray = np.exp2(grade - scale) - np.exp2(-scale)
    return gain
