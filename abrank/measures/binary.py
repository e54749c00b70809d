"""Measures over the ranks of relevant documents: AP, RR, Rprec, Bpref, RBP."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.entries import measure
from abrank.measures.segments import Hits, counted_so_far, ordinal, relevant, share


@measure(
    "AP",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_map.c, m_map_cut.c",
    aliases=("MAP",),
)
def average_precision(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Average precision: mean precision at the relevant documents, 0 for those not found.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all retrieved.
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
    With R relevant documents in the qrels, the i-th of them found at rank r_i:

        AP = (1 / R) * sum_i  i / r_i

    A cut-off leaves R as it is. Equals trec_eval's ``map`` and ``map_cut`` [1]_.

    References
    ----------
    .. [1] Buckley & Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval,
       ch. 3; trec_eval m_map.c, m_map_cut.c.

    Examples
    --------
    Found at ranks 1 and 3 of two relevant documents: (1/1 + 2/3) / 2.

    >>> average_precision(JudgedRun.from_grades([[1, 0, 1], [0, 0]])).round(4)
    array([0.8333, 0.    ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    precision = ordinal(hits.query) / hits.rank
    return share(judged.total(hits.query, precision), judged.n_relevant(rel=rel))


@measure(
    "RR",
    bounds=(0, 1),
    source="Voorhees 1999; trec_eval m_recip_rank.c",
    aliases=("MRR",),
    discrete=True,
)
def reciprocal_rank(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Reciprocal rank: one over the rank of the first relevant document.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all retrieved.
    rel : int
        Lowest grade that is relevant, from 1.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where no relevant document was retrieved (within the cut-off).
        Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``rel`` is below 1.

    Notes
    -----
    RR = 1 / r_1, r_1 the rank of the first relevant document. Equals trec_eval's ``recip_rank``
    [1]_. ir_measures computes RR@k with another tie rule than RR; here both follow trec_eval's.

    References
    ----------
    .. [1] Voorhees (1999), The TREC-8 Question Answering Track Report; trec_eval m_recip_rank.c.

    Examples
    --------
    >>> reciprocal_rank(JudgedRun.from_grades([[0, 1, 1], [1], [0]]))
    array([0.5, 1. , 0. ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    first = ordinal(hits.query) == 1
    return judged.total(hits.query[first], 1.0 / hits.rank[first])


@measure("Rprec", bounds=(0, 1), source="Buckley & Voorhees 2005; trec_eval m_Rprec.c")
def r_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """R-precision: precision at the rank that equals the number of relevant documents.

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
    With R relevant documents in the qrels: relevant documents at ranks 1 to R, over R, also where
    fewer than R were retrieved. Equals trec_eval's ``Rprec`` [1]_.

    References
    ----------
    .. [1] Buckley & Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval,
       ch. 3; trec_eval m_Rprec.c.

    Examples
    --------
    Three relevant documents, two of them among the first three:

    >>> r_precision(JudgedRun.from_grades([[1, 0, 1, 1], [0]])).round(4)
    array([0.6667, 0.    ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=None)
    n_relevant = judged.n_relevant(rel=rel)
    early = hits.rank <= n_relevant[hits.query]
    return share(np.bincount(hits.query[early], minlength=judged.n_queries), n_relevant)


@measure("Bpref", bounds=(0, 1), source="Buckley & Voorhees 2004; trec_eval m_bpref.c")
def binary_preference(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Binary preference: how rarely judged non-relevant documents stand above relevant ones.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are judged
        non-relevant.

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
    With R relevant and N judged non-relevant documents in the qrels, and n(d) judged non-relevant
    documents above a retrieved relevant document d:

        Bpref = (1 / R) * sum_d  1 - min(n(d), R) / min(N, R)

    Unjudged documents do not count, nor do those with a negative grade, which trec_eval takes as
    unjudged. Equals trec_eval's ``bpref`` [1]_.

    References
    ----------
    .. [1] Buckley & Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR, as
       corrected in trec_eval m_bpref.c.

    Examples
    --------
    One of two judged non-relevant documents stands above the second of two relevant ones:
    (1 + 1/2) / 2. The unjudged document (None) does no harm.

    >>> binary_preference(JudgedRun.from_grades([[1, None, 0, 1, 0], [0, 1]]))
    array([0.75, 0.  ])
    """
    is_relevant = relevant(judged, rel=rel)
    above = counted_so_far(judged.query, (judged.grade >= 0) & ~is_relevant)[is_relevant]
    refused = judged.ideal_query[(judged.ideal_grade >= 0) & (judged.ideal_grade < rel)]
    n_refused = np.bincount(refused, minlength=judged.n_queries)
    n_relevant = judged.n_relevant(rel=rel)
    query = judged.query[is_relevant]
    most = np.minimum(n_refused, n_relevant)[query]
    preferred = 1.0 - share(np.minimum(above, n_relevant[query]), most)
    return share(judged.total(query, preferred), n_relevant)


@measure("RBP", bounds=(0, 1), source="Moffat & Zobel 2008")
def rank_biased_precision(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1, p: float = 0.8
) -> FloatArray:
    """Rank-biased precision: gain of a reader who goes on to the next rank with probability p.

    Parameters
    ----------
    judged : JudgedRun
        A run laid on its qrels.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all retrieved.
    rel : int
        Lowest grade that is relevant, from 1.
    p : float
        Probability of going on, between 0 and 1.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1), and never above 1 - p**R with R relevant documents; 0 where no relevant
        document was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``rel`` is below 1, or ``p`` is not between 0 and 1.

    Notes
    -----
    RBP = (1 - p) * sum over relevant documents at rank r of p**(r - 1) [1]_. The gain is 0 or 1 and
    p is 0.8 by default, as in ir_measures. trec_eval 10.0 ``rbp`` has p = 0.9 and reads
    uninitialised memory where it scales graded gains, so it is no reference.

    References
    ----------
    .. [1] Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
       ACM TOIS 27(1), eq. 4.

    Examples
    --------
    Relevant at ranks 1 and 3: 0.5 * (1 + 0.25).

    >>> rank_biased_precision(JudgedRun.from_grades([[1, 0, 1], [0]]), p=0.5)
    array([0.625, 0.   ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    persistence = checks.fraction("p", p)
    seen = (1.0 - persistence) * np.float_power(persistence, hits.rank - 1)
    return judged.total(hits.query, seen)
