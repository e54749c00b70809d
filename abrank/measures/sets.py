"""Measures of the retrieved set, whatever its order: SetP, SetR, SetF."""

from __future__ import annotations

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.entries import measure
from abrank.measures.segments import Hits, share


@measure("SetP", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_P.c")
def set_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Precision of the retrieved set: share of all retrieved documents that are relevant.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    rel : int
        Lowest grade that is relevant, from 1.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where nothing was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``rel`` is below 1.

    Notes
    -----
    Relevant retrieved over retrieved, whatever the order. Equals trec_eval's ``set_P`` [1]_.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7; trec_eval m_set_P.c.

    Examples
    --------
    >>> set_precision(JudgedRun.from_grades([[1, None, 0, 1], []]))
    array([0.5, 0. ])
    """
    found = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return share(found, judged.n_retrieved)


@measure("SetR", bounds=(0, 1), source="van Rijsbergen 1979; trec_eval m_set_recall.c")
def set_recall(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Recall of the retrieved set: share of the relevant documents that were retrieved.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    rel : int
        Lowest grade that is relevant, from 1.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.
        Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``rel`` is below 1.

    Notes
    -----
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

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    rel : int
        Lowest grade that is relevant, from 1.
    beta : float
        Recall weighs ``beta`` times as much as precision; above 0.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where no relevant document was retrieved. Order of
        ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``rel`` is below 1, or ``beta`` is not above 0.

    Notes
    -----
    With precision P and recall R of the set:

        F = (1 + beta**2) * P * R / (beta**2 * P + R)

    trec_eval's ``set_F.x`` and ir_measures' ``SetF(beta=x)`` take x as beta squared [1]_; here beta
    is beta, and the spelling ``set_F.x`` keeps the meaning it has in trec_eval.

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
