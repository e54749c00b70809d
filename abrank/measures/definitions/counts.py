"""Measures that count documents in the first ranks: P, R, RelP, Success, Judged, Unj."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import Hits, share, within
from abrank.measures.registry.entries import measure


@measure(
    "P",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_P.c",
    aliases=("Precision",),
    discrete=True,
)
def precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Precision: share of the first k ranks that hold a relevant document.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

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

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

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


@measure("RelP", bounds=(0, 1), source="trec_eval m_rel_P.c")
def relative_precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Relative precision: precision at k over the highest that the judgments allow.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    Relevant documents at ranks 1 to k, over the smaller of k and the relevant documents of the
    qrels: precision where these are many, recall where they are few. Equals trec_eval's
    ``relative_P`` [1]_.

    References
    ----------
    .. [1] trec_eval m_rel_P.c.

    Examples
    --------
    Two of three in the first two ranks, two of two in the first three:

    >>> judged = JudgedRun.from_grades([[1, 1, 1], [1, 0, 1]])
    >>> relative_precision(judged, cutoff=2), relative_precision(judged, cutoff=3)
    (array([1. , 0.5]), array([1., 1.]))
    """
    found = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return share(found, np.minimum(judged.n_relevant(rel=rel), cutoff))


@measure(
    "Success",
    bounds=(0, 1),
    source="Craswell & Hawking 2004; trec_eval m_success.c",
    discrete=True,
)
def success(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Success: 1 if a relevant document stands in the first k ranks, else 0.

    0 or 1; 0 where nothing was retrieved.

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
    condensable=False,
    decides=False,
)
def judged_share(judged: JudgedRun, *, cutoff: int | None = None) -> FloatArray:
    """Judged: share of the retrieved documents that the qrels know.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

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
    """Unjudged: share of the first k ranks that hold a document nobody judged.

    Unitless, in [0, 1]; 0 where nothing was retrieved.

    Retrieved documents at ranks 1 to k without a grade or with a negative one, over k: a rank that
    the run leaves empty counts as judged. Equals trec_eval 10.0 ``unj`` [1]_. High values say that
    the judgments hardly cover the run.

    References
    ----------
    .. [1] trec_eval m_unjudged.c.

    Examples
    --------
    >>> unjudged_share(JudgedRun.from_grades([[1, None, -1, 0], [None]]), cutoff=4)
    array([0.5 , 0.25])
    """
    known = judged.query[within(judged.rank, cutoff) & (judged.grade >= 0)]
    n_counted = np.minimum(judged.n_retrieved, cutoff)
    return (n_counted - np.bincount(known, minlength=judged.n_queries)) / cutoff
