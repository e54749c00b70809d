"""Measures that count documents: P, R, Success, Judged, and SetP, SetR, SetF over the whole run."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.catalogue import measure
from abrank.measures.segments import Hits, share, within


@measure(
    "P",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_P.c",
    aliases=("Precision",),
    discrete=True,
)
def precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Precision: share of the first k ranks that hold a relevant document.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int
        k, ranks counted, from 1.
    rel : int
        Lowest grade that is relevant, from 1.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where nothing was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``rel`` is below 1.

    Notes
    -----
    P@k = relevant documents at ranks 1 to k, over k: the divisor is k also where fewer than k
    documents were retrieved. Equals trec_eval's ``P`` [1]_.

    References
    ----------
    .. [1] Buckley & Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval,
       ch. 3; trec_eval m_P.c.

    Examples
    --------
    The second ranking holds one document only:

    >>> precision(JudgedRun.from_grades([[1, 0, 1, 1], [1]]), cutoff=2)
    array([0.5, 0.5])
    """
    return Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries) / cutoff


@measure(
    "R",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_recall.c",
    aliases=("Recall",),
)
def recall(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Recall: share of the relevant documents that stand in the first k ranks.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int
        k, ranks counted, from 1.
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
        If ``cutoff`` or ``rel`` is below 1.

    Notes
    -----
    R@k = relevant documents at ranks 1 to k, over the relevant documents of the qrels. Equals
    trec_eval's ``recall`` [1]_.

    References
    ----------
    .. [1] Buckley & Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval,
       ch. 3; trec_eval m_recall.c.

    Examples
    --------
    >>> recall(JudgedRun.from_grades([[1, 0, 1]], ideal=[[1, 1, 1, 1, 0]]), cutoff=3)
    array([0.5])
    """
    found = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return share(found, judged.n_relevant(rel=rel))


@measure(
    "Success",
    bounds=(0, 1),
    source="Craswell & Hawking 2004; trec_eval m_success.c",
    discrete=True,
)
def success(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Success: 1 if a relevant document stands in the first k ranks, else 0.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int
        k, ranks counted, from 1.
    rel : int
        Lowest grade that is relevant, from 1.

    Returns
    -------
    float64[n_queries]
        0 or 1; 0 where nothing was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``rel`` is below 1.

    Notes
    -----
    Equals trec_eval's ``success`` [1]_; others call it hit rate.

    References
    ----------
    .. [1] Craswell & Hawking (2004), Overview of the TREC 2004 Web Track; trec_eval m_success.c.

    Examples
    --------
    >>> success(JudgedRun.from_grades([[0, 1], [0, 0, 1]]), cutoff=2)
    array([1., 0.])
    """
    found = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return (found > 0).astype(np.float64)


@measure(
    "Judged",
    bounds=(0, 1),
    source="ir_measures measures/judged.py",
    discrete=True,
)
def judged_share(judged: JudgedRun, *, cutoff: int | None = None) -> FloatArray:
    """Judged: share of the retrieved documents that the qrels know.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all retrieved.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where nothing was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` is below 1.

    Notes
    -----
    Judged@k = judged documents at ranks 1 to k, over the smaller of k and the number retrieved, as
    in ir_measures [1]_. Every grade counts, a negative one too: an assessor has seen the document.
    trec_eval 10.0 ``unj`` is the other way round, divides by k always, and takes a negative grade
    as unjudged.

    References
    ----------
    .. [1] MacAvaney, Macdonald & Ounis (2022), Streamlining Evaluation with ir-measures, ECIR;
       ir_measures measures/judged.py.

    Examples
    --------
    >>> judged_share(JudgedRun.from_grades([[1, None, 0, None], [0]]), cutoff=3).round(4)
    array([0.6667, 1.    ])
    """
    known = judged.query[within(judged.rank, cutoff)]
    n_counted = judged.n_retrieved if cutoff is None else np.minimum(judged.n_retrieved, cutoff)
    return share(np.bincount(known, minlength=judged.n_queries), n_counted)


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
