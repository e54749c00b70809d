"""Measures of the retrieved set, whatever its order: SetP, SetR, SetF, SetAP, Utility."""

from __future__ import annotations

import math

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import Hits, share
from abrank.measures.registry.entries import measure


@measure("SetP", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_P.c, m_set_rel_P.c")
def set_precision(judged: JudgedRun, *, rel: int = 1, relative: bool = False) -> FloatArray:
    """Precision of the retrieved set: share of all retrieved documents that are relevant.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

    Relevant retrieved over retrieved, whatever the order; with ``relative``, over the smaller of
    retrieved and relevant. Equals trec_eval's ``set_P`` and ``set_relative_P`` [1]_.

    Parameters
    ----------
    relative : bool
        Over the highest precision that a set of this size could have.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7; trec_eval m_set_P.c,
       m_set_rel_P.c.

    Examples
    --------
    >>> set_precision(JudgedRun.from_grades([[1, None, 0, 1], []]))
    array([0.5, 0. ])
    """
    found = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    n_retrieved = judged.n_retrieved
    possible = np.minimum(n_retrieved, judged.n_relevant(rel=rel)) if relative else n_retrieved
    return share(found, possible)


@measure("SetR", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_recall.c")
def set_recall(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Recall of the retrieved set: share of the relevant documents that were retrieved.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    Relevant retrieved over relevant, whatever the order. Equals trec_eval's ``set_recall`` [1]_.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7; trec_eval m_set_recall.c.

    Examples
    --------
    >>> set_recall(JudgedRun.from_grades([[0, 1]], ideal=[[1, 1, 0]]))
    array([0.5])
    """
    found = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return share(found, judged.n_relevant(rel=rel))


@measure("SetF", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_F.c")
def set_f(judged: JudgedRun, *, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """F of the retrieved set: weighted harmonic mean of its precision and recall.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved.

    With precision P and recall R of the set:

        F = (1 + beta**2) * P * R / (beta**2 * P + R)

    trec_eval's ``set_F.x`` and ir_measures' ``SetF(beta=x)`` take x as beta squared [1]_; here beta
    is beta, and the spelling ``set_F.x`` keeps the meaning it has in trec_eval.

    Parameters
    ----------
    beta : float
        Recall weighs ``beta`` times as much as precision; above 0.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7; trec_eval m_set_F.c.

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

    Relevant retrieved squared, over retrieved times relevant: AP if every relevant document that
    was retrieved stood at the precision of the whole set. Equals trec_eval's ``set_map`` [1]_.

    References
    ----------
    .. [1] trec_eval m_set_map.c.

    Examples
    --------
    >>> set_average_precision(JudgedRun.from_grades([[1, None]], ideal=[[1, 1]]))
    array([0.25])
    """
    found = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return share(found**2, judged.n_retrieved * judged.n_relevant(rel=rel))


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
    """Worth of all documents together: each by its kind, and whether it was retrieved.

    In units of worth; 0 where nothing was retrieved, whatever the missed ones are worth.

    The weighted sum of the four cells of the table (relevant or not) x (retrieved or not). Equals
    trec_eval's ``utility`` [1]_, which takes the number of documents with ``-N`` and counts with 0
    without it, and whose ``-c`` gives 0 to a query that the run lacks.

    Parameters
    ----------
    relevant_retrieved : float
        Worth of each relevant document that was retrieved.
    others_retrieved : float
        Worth of each other document that was retrieved.
    relevant_missed : float
        Worth of each relevant document that was not.
    others_missed : float
        Worth of each other document that was not; unless it is 0, ``n_documents`` must be given.
    n_documents : int, optional
        Documents of the collection.

    References
    ----------
    .. [1] Lewis (1995), Evaluating and optimizing autonomous text classification systems, SIGIR;
       trec_eval m_utility.c.

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
    found = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    others = judged.n_retrieved - found
    missed = judged.n_relevant(rel=rel) - found
    total = relevant_retrieved * found + others_retrieved * others + relevant_missed * missed
    if others_missed:
        if n_documents is None:
            raise ArgumentError("others_missed needs n_documents, those of the collection")
        left = checks.count("n_documents", n_documents) - found - others - missed
        if left.min(initial=0) < 0:
            raise ArgumentError(f"n_documents={n_documents} is less than retrieved and relevant")
        total = total + others_missed * left
    return np.where(judged.n_retrieved > 0, total, 0.0)
