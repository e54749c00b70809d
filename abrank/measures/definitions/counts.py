"""Measures that count documents: in the first ranks, in the retrieved set, over all queries."""

from __future__ import annotations

import math

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels import Hits, share, within
from abrank.measures.registry import measure

# --- Counts in the first ranks: P, R, RelP, Success, Judged, Unj


@measure(
    "P",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_P.c",
    aliases=("Precision",),
    discrete=True,
)
def precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Precision: share of the first k documents that are relevant.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

    P@k = relevant documents at ranks 1 to k, divided by k, even if fewer than k documents were
    retrieved. Equals trec_eval's ``P`` [1]_.

    Examples
    --------
    The second ranking has only one document:

    >>> precision(JudgedRun.from_grades([[1, 0, 1, 1], [1]]), cutoff=2)
    array([0.5, 0.5])
    """
    return Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries) / cutoff


@measure(
    "R", bounds=(0, 1), source="Buckley & Voorhees 2005; trec_eval m_recall.c", aliases=("Recall",)
)
def recall(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Recall: share of the relevant documents that are among the first k.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    R@k = relevant documents at ranks 1 to k, divided by the number of relevant documents in the
    qrels. Equals trec_eval's ``recall`` [1]_.

    Examples
    --------
    >>> recall(JudgedRun.from_grades([[1, 0, 1]], ideal=[[1, 1, 1, 1, 0]]), cutoff=3)
    array([0.5])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return share(n_hits, judged.n_relevant(rel=rel))


@measure("RelP", bounds=(0, 1), source="trec_eval m_rel_P.c")
def relative_precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Relative precision: precision at k divided by its maximum for these judgments.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    Relevant documents at ranks 1 to k, divided by the smaller of k and the number of relevant
    documents in the qrels: precision if these are many, recall if they are few. Equals trec_eval's
    ``relative_P`` [1]_.

    Examples
    --------
    Two of the three relevant documents in the first two ranks, or two of two in the first three:

    >>> judged = JudgedRun.from_grades([[1, 1, 1], [1, 0, 1]])
    >>> relative_precision(judged, cutoff=2), relative_precision(judged, cutoff=3)
    (array([1. , 0.5]), array([1., 1.]))
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return share(n_hits, np.minimum(judged.n_relevant(rel=rel), cutoff))


@measure(
    "Success", bounds=(0, 1), source="Craswell & Hawking 2004; trec_eval m_success.c", discrete=True
)
def success(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Success: 1 if a relevant document is among the first k, else 0.

    0 or 1; 0 where nothing was retrieved.

    Equals trec_eval's ``success`` [1]_; others call it hit rate.

    Examples
    --------
    >>> success(JudgedRun.from_grades([[0, 1], [0, 0, 1]]), cutoff=2)
    array([1., 0.])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return (n_hits > 0).astype(np.float64)


@measure(
    "Judged",
    bounds=(0, 1),
    source="ir_measures measures/judged.py",
    discrete=True,
    condensable=False,
    decides=False,
)
def judged_share(judged: JudgedRun, *, cutoff: int | None = None) -> FloatArray:
    """Judged: share of the retrieved documents that have a judgment.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

    Judged@k = judged documents at ranks 1 to k, divided by the smaller of k and the number
    retrieved, as in ir_measures [1]_. Every grade counts, even a negative one, because the document
    was seen. trec_eval 10.0 ``unj`` is the opposite: it always divides by k, and treats a negative
    grade as unjudged.

    Examples
    --------
    >>> judged_share(JudgedRun.from_grades([[1, None, 0, None], [0]]), cutoff=3).round(4)
    array([0.6667, 1.    ])
    """
    queries_of_judged = judged.query[within(judged.rank, cutoff)]
    n_counted = judged.n_retrieved if cutoff is None else np.minimum(judged.n_retrieved, cutoff)
    return share(np.bincount(queries_of_judged, minlength=judged.n_queries), n_counted)


@measure(
    "Unj",
    bounds=(0, 1),
    source="trec_eval m_unjudged.c",
    discrete=True,
    higher_is_better=False,
    condensable=False,
    decides=False,
)
def unjudged_share(judged: JudgedRun, *, cutoff: int) -> FloatArray:
    """Unjudged: share of the first k documents that have no judgment.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

    Retrieved documents at ranks 1 to k without a grade or with a negative one, divided by k: empty
    ranks count as judged. Equals trec_eval 10.0 ``unj`` [1]_. High values mean that the judgments
    hardly cover the run.

    Examples
    --------
    >>> unjudged_share(JudgedRun.from_grades([[1, None, -1, 0], [None]]), cutoff=4)
    array([0.5 , 0.25])
    """
    queries_of_judged = judged.query[within(judged.rank, cutoff) & (judged.grade >= 0)]
    n_counted = np.minimum(judged.n_retrieved, cutoff)
    return (n_counted - np.bincount(queries_of_judged, minlength=judged.n_queries)) / cutoff


# --- Measures of the retrieved set, independent of order: SetP, SetR, SetF, SetAP, Utility


@measure("SetP", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_P.c, m_set_rel_P.c")
def set_precision(judged: JudgedRun, *, rel: int = 1, relative: bool = False) -> FloatArray:
    """Precision of the retrieved set: share of all retrieved documents that are relevant.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

    Relevant retrieved divided by retrieved; with ``relative``, by the smaller of retrieved and
    relevant. Equals trec_eval's ``set_P`` and ``set_relative_P`` [1]_.

    Parameters
    ----------
    relative : bool
        Divide by the highest precision that a set of this size could have.

    Examples
    --------
    >>> set_precision(JudgedRun.from_grades([[1, None, 0, 1], []]))
    array([0.5, 0. ])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    n_retrieved = judged.n_retrieved
    possible = np.minimum(n_retrieved, judged.n_relevant(rel=rel)) if relative else n_retrieved
    return share(n_hits, possible)


@measure("SetR", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_recall.c")
def set_recall(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Recall of the retrieved set: share of the relevant documents that were retrieved.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    Relevant retrieved divided by relevant. Equals trec_eval's ``set_recall`` [1]_.

    Examples
    --------
    >>> set_recall(JudgedRun.from_grades([[0, 1]], ideal=[[1, 1, 0]]))
    array([0.5])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return share(n_hits, judged.n_relevant(rel=rel))


@measure("SetF", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_F.c")
def set_f(judged: JudgedRun, *, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """F of the retrieved set: weighted harmonic mean of its precision and recall.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved.

    With precision P and recall R of the set:

        F = (1 + beta**2) * P * R / (beta**2 * P + R)

    trec_eval's ``set_F.x`` and ir_measures' ``SetF(beta=x)`` take x as beta squared [1]_; here beta
    is beta itself, but the spelling ``set_F.x`` is read as in trec_eval.

    Examples
    --------
    P = 1/2 and R = 1: F1 = 2/3, F2 = 5/6.

    >>> judged = JudgedRun.from_grades([[1, 0]])
    >>> set_f(judged).round(4), set_f(judged, beta=2.0).round(4)
    (array([0.6667]), array([0.8333]))
    """
    if checks.not_negative("beta", beta) == 0.0:
        raise ArgumentError("beta must be above 0; a beta of 0 is SetP")
    p, r = set_precision(judged, rel=rel), set_recall(judged, rel=rel)
    return share((1.0 + beta**2) * p * r, beta**2 * p + r)


@measure("SetAP", bounds=(0, 1), source="trec_eval m_set_map.c")
def set_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Average precision of the retrieved set: its precision times its recall.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    Squared number of relevant retrieved, divided by retrieved times relevant: AP if precision at
    every retrieved relevant document equalled that of the whole set. Equals trec_eval's ``set_map``
    [1]_.

    Examples
    --------
    >>> set_average_precision(JudgedRun.from_grades([[1, None]], ideal=[[1, 1]]))
    array([0.25])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return share(n_hits**2, judged.n_retrieved * judged.n_relevant(rel=rel))


@measure("Utility", source="Lewis 1995; trec_eval m_utility.c", decides=False)
def utility(
    judged: JudgedRun,
    *,
    rel: int = 1,
    relevant_retrieved: float = 1.0,
    others_retrieved: float = -1.0,
    relevant_missed: float = 0.0,
    others_missed: float = 0.0,
    n_documents: int | None = None,
) -> FloatArray:
    """Total worth of all documents, which depends on whether each is relevant and retrieved.

    In units of worth; 0 where nothing was retrieved, whatever the missed ones are worth.

    The weighted sum of the four cells of the table (relevant or not) x (retrieved or not). Equals
    trec_eval's ``utility`` [1]_, which gets the number of documents by ``-N`` and assumes 0 without
    it, and with ``-c`` gives 0 to a query that the run lacks.

    Parameters
    ----------
    relevant_retrieved : float
        Worth of each relevant document that was retrieved.
    others_retrieved : float
        Worth of each other document that was retrieved.
    relevant_missed : float
        Worth of each relevant document that was not retrieved.
    others_missed : float
        Worth of each other document that was not retrieved; if not 0, needs ``n_documents``.
    n_documents : int, optional
        Number of documents in the collection.

    Examples
    --------
    Two relevant and one other document retrieved: 2 - 1, or 3 * 2 - 2 * 1.

    >>> judged = JudgedRun.from_grades([[1, 0, 2], []])
    >>> utility(judged), utility(judged, relevant_retrieved=3.0, others_retrieved=-2.0)
    (array([1., 0.]), array([4., 0.]))
    """
    worth = (relevant_retrieved, others_retrieved, relevant_missed, others_missed)
    if not all(map(math.isfinite, worth)):
        raise ArgumentError(f"every worth must be finite, not {worth}")
    n_hits = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    n_others = judged.n_retrieved - n_hits
    n_missed = judged.n_relevant(rel=rel) - n_hits
    total = relevant_retrieved * n_hits + others_retrieved * n_others + relevant_missed * n_missed
    if others_missed:
        if n_documents is None:
            raise ArgumentError("others_missed needs n_documents, those of the collection")
        n_others_missed = checks.count("n_documents", n_documents) - n_hits - n_others - n_missed
        if n_others_missed.min(initial=0) < 0:
            raise ArgumentError(f"n_documents={n_documents} is less than retrieved and relevant")
        total = total + others_missed * n_others_missed
    return np.where(judged.n_retrieved > 0, total, 0.0)


# --- Numbers of queries and documents, summed over the queries: NumQ, NumRet, NumRel, ...


@measure(
    "NumQ",
    bounds=(1, 1),
    source="trec_eval m_num_q.c",
    discrete=True,
    aggregate="sum",
    condensable=False,
    decides=False,
)
def number_of_queries(judged: JudgedRun) -> FloatArray:
    """Count the queries: 1 for each, so that the sum is their number.

    1 where a query has nothing else, too.

    Equals trec_eval's ``num_q`` [1]_, and with ``-c`` if queries that the run lacks are kept.

    Examples
    --------
    >>> number_of_queries(JudgedRun.from_grades([[1], []]))
    array([1., 1.])
    """
    return np.ones(judged.n_queries)


@measure(
    "NumRet", bounds=(0, math.inf), source="trec_eval m_num_ret.c", aggregate="sum", decides=False
)
def number_retrieved(judged: JudgedRun, *, rel: int | None = None) -> FloatArray:
    """Count the retrieved documents.

    Documents; 0 where nothing was retrieved.

    Equals trec_eval's ``num_ret``, and with ``rel`` its ``num_rel_ret``, as in ir_measures [1]_.

    Parameters
    ----------
    rel : int, optional
        Lowest grade that is counted, from 1; ``None`` counts all documents, judged or not.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, None, 0], []])
    >>> number_retrieved(judged), number_retrieved(judged, rel=1)
    (array([3., 0.]), array([1., 0.]))
    """
    if rel is None:
        return judged.n_retrieved.astype(np.float64)
    return number_relevant_retrieved(judged, rel=rel)


@measure(
    "NumRel",
    bounds=(0, math.inf),
    source="trec_eval m_num_rel.c",
    aggregate="sum",
    condensable=False,
    decides=False,
)
def number_relevant(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Count the relevant documents, retrieved or not.

    Documents; 0 where a query has no relevant document.

    Equals trec_eval's ``num_rel`` [1]_, except for its sum with ``-c``, which counts every grade
    above 0 for any ``-l``.

    Examples
    --------
    >>> number_relevant(JudgedRun.from_grades([[1], []], ideal=[[2, 1, 0], [0]]))
    array([2., 0.])
    """
    checks.relevant_grade("rel", rel)
    return judged.n_relevant(rel=rel).astype(np.float64)


@measure(
    "NumRelRet",
    bounds=(0, math.inf),
    source="trec_eval m_num_rel_ret.c",
    aggregate="sum",
    decides=False,
)
def number_relevant_retrieved(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Count the relevant documents that were retrieved.

    Documents; 0 where nothing relevant was retrieved.

    Equals trec_eval's ``num_rel_ret`` [1]_. Hits is the same count, averaged over the queries.

    Examples
    --------
    >>> number_relevant_retrieved(JudgedRun.from_grades([[1, None, 0, 2], []]))
    array([2., 0.])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return n_hits.astype(np.float64)


@measure(
    "NumNonrelJudgedRet",
    bounds=(0, math.inf),
    source="trec_eval m_num_nonrel_judged_ret.c",
    aggregate="sum",
    higher_is_better=False,
    decides=False,
)
def number_refused_retrieved(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Count the retrieved documents that were judged as not relevant.

    Documents; 0 where nothing of the kind was retrieved.

    Documents with a negative grade do not count, as trec_eval treats them as unjudged. Equals
    trec_eval's ``num_nonrel_judged_ret`` [1]_.

    Examples
    --------
    >>> number_refused_retrieved(JudgedRun.from_grades([[1, None, 0, -1, 0], []]))
    array([2., 0.])
    """
    judged_here = judged.query[judged.grade >= 0]
    count = np.bincount(judged_here, minlength=judged.n_queries)
    return count - number_relevant_retrieved(judged, rel=rel)
