"""Measures over the ranks of relevant documents: AP, GMAP, yaap, RR, Rprec, RprecMult."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import Hits, ordinal, share
from abrank.measures.registry.entries import measure

GEOMETRIC_FLOOR = 1e-5  # trec_eval.h MIN_GEO_MEAN


@measure(
    "AP",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_map.c, m_map_cut.c",
    aliases=("MAP",),
)
def average_precision(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Average precision: mean precision at the relevant documents, 0 for those not found.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    With R relevant documents in the qrels, the i-th of them found at rank r_i:

        AP = (1 / R) * sum_i  i / r_i

    A cut-off leaves R as it is. Equals trec_eval's ``map`` and ``map_cut`` [1]_.

    References
    ----------
    .. [1] Buckley & Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval,
       ch. 3; trec_eval m_map.c, m_map_cut.c.

    Examples
    --------
    Two relevant documents found at ranks 1 and 3: (1/1 + 2/3) / 2.

    >>> average_precision(JudgedRun.from_grades([[1, 0, 1], [0, 0]])).round(4)
    array([0.8333, 0.    ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    precision = ordinal(hits.query) / hits.rank
    return share(judged.total(hits.query, precision), judged.n_relevant(rel=rel))


@measure(
    "GMAP",
    bounds=(math.log(GEOMETRIC_FLOOR), 0),
    source="Robertson 2006; trec_eval m_gm_map.c",
    aggregate="geometric",
)
def geometric_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Logarithm of average precision, so that the mean over the queries is geometric.

    From ln(1e-5), where nothing relevant was retrieved, to 0.

    ln(max(AP, 1e-5)); the exponential of its mean is GMAP. Equals trec_eval's ``gm_map`` [1]_.

    References
    ----------
    .. [1] Robertson (2006), On GMAP: and other transformations, CIKM; trec_eval m_gm_map.c.

    Examples
    --------
    >>> geometric_average_precision(JudgedRun.from_grades([[1], [0]])).round(2)
    array([  0.  , -11.51])
    """
    return np.log(np.maximum(average_precision(judged, rel=rel), GEOMETRIC_FLOOR))


@measure("yaap", source="Robertson 2012; trec_eval m_yaap.c")
def smoothed_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Yet another average precision: its log-odds, so that extreme queries can be averaged.

    Log-odds, in [-ln(1 + R), ln(1 + R)] for R relevant documents; 0 where a query has none, -ln(1 +
    R) where none of them was retrieved.

    With R relevant documents in the qrels, the i-th of them at rank r_i, and S = sum_i i / r_i:

        yaap = ln((1 + S) / (1 + R - S))

    Equals trec_eval's ``yaap`` [1]_; its version 9 ``-c`` counts 0, a middling value, for a query
    that the run lacks.

    References
    ----------
    .. [1] Robertson (2012), On smoothing average precision, ECIR; trec_eval m_yaap.c.

    Examples
    --------
    The one relevant document at rank 2: ln(1.5 / 1.5); not retrieved: ln(1 / 2).

    >>> smoothed_average_precision(JudgedRun.from_grades([[0, 1], []], ideal=[[1], [1]])).round(4)
    array([ 0.    , -0.6931])
    """
    hits = Hits.of(judged, rel=rel, cutoff=None)
    found = judged.total(hits.query, ordinal(hits.query) / hits.rank)
    return np.log((1.0 + found) / (1.0 + judged.n_relevant(rel=rel) - found))


@measure(
    "RR",
    bounds=(0, 1),
    source="Voorhees 1999; trec_eval m_recip_rank.c",
    aliases=("MRR",),
    discrete=True,
)
def reciprocal_rank(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Reciprocal rank: one over the rank of the first relevant document.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved (within the cut-off).

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

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

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


@measure("RprecMult", bounds=(0, 1), source="trec_eval m_Rprec_mult.c")
def r_precision_multiple(judged: JudgedRun, *, multiple: float, rel: int = 1) -> FloatArray:
    """Precision at the rank that is so many times the number of relevant documents.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    For R relevant documents in the qrels: precision at rank floor(multiple * R + 0.9). Equals
    trec_eval's ``Rprec_mult`` [1]_.

    Parameters
    ----------
    multiple : float
        How many times R, above 0.

    References
    ----------
    .. [1] trec_eval m_Rprec_mult.c.

    Examples
    --------
    Two relevant documents, so the rank is 4:

    >>> r_precision_multiple(JudgedRun.from_grades([[1, 0, 0, 0, 1]]), multiple=2.0)
    array([0.25])
    """
    if not 0.0 < multiple < math.inf:
        raise ArgumentError(f"multiple must be above 0, not {multiple!r}")
    hits = Hits.of(judged, rel=rel, cutoff=None)
    cut = np.floor(multiple * judged.n_relevant(rel=rel) + 0.9)
    early = hits.query[hits.rank <= cut[hits.query]]
    return share(np.bincount(early, minlength=judged.n_queries), cut)
