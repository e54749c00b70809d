"""Which unjudged document could move the difference of two runs the most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.user_models import resolved
from abrank.measures.registry.entries import Measure
from abrank.measures.sensitivity.unjudged import with_judgments

MOST_ROWS = 500_000  # judgments that are looked at at once
NOTHING = 1e-12  # a sum of differences that is no more has no sign


def swing(
    measure: Measure,
    a: JudgedRun,
    b: JudgedRun,
    query: IntArray,
    rank_a: IntArray,
    rank_b: IntArray,
    *,
    grade: int,
) -> FloatArray:
    """Return how far B - A of its query moves where a document is judged, one at a time.

    Parameters
    ----------
    a, b : JudgedRun
        Joined with the same qrels.
    query : int64[n_documents]
        Index into the queries of the qrels.
    rank_a, rank_b : int64[n_documents]
        Ranks of the document in either run, 0 where it was not retrieved.
    grade : int
        The grade that each is given.

    Returns
    -------
    float64[n_documents]
        In the measure's unit: B - A with the judgment less B - A without it.

    Raises
    ------
    ArgumentError
        If the measure needs subtopics: nobody can say to which of them a document is relevant.

    Notes
    -----
    Each document is judged in a copy of its query; a document found relevant enters the ideal
    ranking of both.

    References
    ----------
    .. [1] Carterette, Allan & Sitaraman (2006), Minimal test collections for retrieval evaluation,
       SIGIR 2006: judge first what tells two systems apart.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> a, b = (JudgedRun.from_grades([[None, 1]], ideal=[[1]]) for _ in range(2))
    >>> one = np.array([0])
    >>> swing(parse("P@2"), a, b, one, np.array([1]), np.array([0]), grade=1)
    array([-0.5])
    """
    if measure.entry.needs == "subtopics":
        raise ArgumentError(f"{measure} has no swing: unjudged documents have no subtopics")
    measure = resolved(measure, a)  # a scale that is left open is that of all queries
    before = (measure(b) - measure(a))[query]
    found = np.empty(len(query))
    each = 1 + (len(a.ideal_query) + max(len(a.query), len(b.query))) // max(1, a.n_queries)
    step = max(1, MOST_ROWS // each)
    for start in range(0, len(query), step):
        rows = slice(start, start + step)
        copies, own = query[rows], np.arange(len(query[rows]))
        judged_a, judged_b = (
            measure(with_judgments(_of_queries(run, copies), own, rank[rows], grade))
            for run, rank in ((a, rank_a), (b, rank_b))
        )
        found[rows] = judged_b - judged_a - before[rows]
    return found


def tipping_rows(
    measure: Measure,
    a: JudgedRun,
    b: JudgedRun,
    query: IntArray,
    rank_a: IntArray,
    rank_b: IntArray,
    moved: FloatArray,
    *,
    total: float,
    grade: int,
    most: int,
) -> list[tuple[int, float]]:
    """Return the fewest documents, found one at a time, that turn the sign of a sum of B - A.

    Parameters
    ----------
    measure, a, b, query, rank_a, rank_b, grade
        As for :func:`swing`.
    moved : float64[n_documents]
        What that returns.
    total : float
        Sum of B - A over the queries.
    most : int
        Documents, after which it is given up.

    Returns
    -------
    list of (int, float)
        Row of each document, and its swing at its turn; empty where the sign does not turn.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> a, b = (JudgedRun.from_grades([[None, 1]], ideal=[[1, 1]]), JudgedRun.from_grades([[1, 1]]))
    >>> rows = np.array([0]), np.array([1]), np.array([0])
    >>> tipping_rows(parse("P@2"), a, b, *rows, np.array([-0.5]), total=0.5, grade=1, most=9)
    [(0, -0.5)]
    """
    measure = resolved(measure, a)
    left, by = np.ones(len(query), np.bool_), moved.copy()
    sign, found = np.sign(total), list[tuple[int, float]]()
    while total * sign > NOTHING and len(found) < most and left.any():
        gain = np.where(left, sign * by, np.inf)
        best = int(gain.argmin())
        if gain[best] >= -NOTHING:
            return []
        found.append((best, float(by[best])))
        left[best] = False
        total += float(by[best])
        here = query == query[best]
        taken, same = np.flatnonzero(here & ~left), np.flatnonzero(here & left)
        own, first, again = query[[best]], np.zeros_like(taken), np.zeros_like(same)
        one_a = with_judgments(_of_queries(a, own), first, rank_a[taken], grade)
        one_b = with_judgments(_of_queries(b, own), first, rank_b[taken], grade)
        by[same] = swing(measure, one_a, one_b, again, rank_a[same], rank_b[same], grade=grade)
    return found if total * sign <= NOTHING else []


def _of_queries(judged: JudgedRun, which: IntArray) -> JudgedRun:
    """Return some queries of a run, each as often as it is named."""
    row, query = _rows_of(judged.query, which)
    ideal_row, ideal_query = _rows_of(judged.ideal_query, which)
    scores = judged.retrieved_scores
    if scores is not None:
        every = np.repeat(np.arange(judged.n_queries), judged.n_retrieved)
        scores = scores[_rows_of(every, which)[0]]
    taken = {name: getattr(judged, name)[row] for name in _ROWS}
    return replace(
        judged,
        query_ids=tuple(judged.query_ids[i] for i in which.tolist()),
        query=query,
        n_retrieved=judged.n_retrieved[which],
        ideal_query=ideal_query,
        ideal_grade=judged.ideal_grade[ideal_row],
        retrieved_scores=scores,
        subtopics=None,
        judgment=None,
        **taken,
    )


_ROWS = ("rank", "grade", "score", "tie_first", "tie_last")


def _rows_of(query: IntArray, which: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of some queries, and the place of each one's query among them."""
    begins = np.searchsorted(query, which)
    ends = np.searchsorted(query, which, side="right")
    count = ends - begins
    rows = np.repeat(begins - (np.cumsum(count) - count), count) + np.arange(count.sum())
    return rows, np.repeat(np.arange(len(which)), count)
