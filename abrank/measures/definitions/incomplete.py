"""Measures that ask judged documents only, for incomplete judgments: Bpref, GMBpref, infAP."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.binary import GEOMETRIC_FLOOR
from abrank.measures.kernels import counted_so_far, ordinal, relevant, share
from abrank.measures.registry import measure

EPSILON = 1e-5  # trec_eval.h INFAP_EPSILON


@measure("Bpref", bounds=(0, 1), source="Buckley & Voorhees 2004; trec_eval m_bpref.c")
def binary_preference(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Binary preference: how rarely judged non-relevant documents stand above relevant ones.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    With R relevant and N judged non-relevant documents in the qrels, and n(d) judged non-relevant
    documents above a retrieved relevant document d:

        Bpref = (1 / R) * sum_d  1 - min(n(d), R) / min(N, R)

    Unjudged documents do not count, nor do those with a negative grade, which trec_eval takes as
    unjudged. Equals trec_eval's ``bpref`` [1]_.

    Parameters
    ----------
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are judged
        non-relevant.

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


@measure(
    "GMBpref",
    bounds=(math.log(GEOMETRIC_FLOOR), 0),
    source="Robertson 2006; trec_eval m_gm_bpref.c",
    aggregate="geometric",
)
def geometric_binary_preference(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Logarithm of Bpref, so that the mean over the queries is geometric.

    From ln(1e-5), where nothing relevant was retrieved, to 0.

    ln(max(Bpref, 1e-5)); the exponential of its mean over the queries is their geometric mean.
    Equals trec_eval's ``gm_bpref`` [1]_.

    Parameters
    ----------
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are judged
        non-relevant.

    References
    ----------
    .. [1] Robertson (2006), On GMAP: and other transformations, CIKM; trec_eval m_gm_bpref.c.

    Examples
    --------
    >>> geometric_binary_preference(JudgedRun.from_grades([[1], [0, 1]])).round(2)
    array([  0.  , -11.51])
    """
    return np.log(np.maximum(binary_preference(judged, rel=rel), GEOMETRIC_FLOOR))


@measure("infAP", bounds=(0, 1), source="Yilmaz & Aslam 2006; trec_eval m_infap.c")
def inferred_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Inferred average precision: AP as estimated from a pool of which a sample was judged.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    At a relevant document of rank k, with p documents of the pool above it, of which r are judged
    relevant and n judged non-relevant, the precision is expected to be

        1/k + (p / k) * (r + e) / (r + n + 2e),    e = 1e-5

    and infAP is the sum of these over R, the relevant documents in the qrels. Equals trec_eval's
    ``infAP`` [1]_. Where the whole pool was judged it is AP, but for e.

    Parameters
    ----------
    rel : int
        Lowest grade that is relevant, from 1. A negative grade means that the document was in the
        pool and not in the sample.

    References
    ----------
    .. [1] Yilmaz & Aslam (2006), Estimating average precision with incomplete and imperfect
       judgments, CIKM; trec_eval m_infap.c.

    Examples
    --------
    The first document above the second relevant one was judged relevant, so the other, which is in
    the pool and was not judged, is taken as relevant too:

    >>> inferred_average_precision(JudgedRun.from_grades([[1, -1, 1]])).round(4)
    array([1.])
    """
    is_relevant = relevant(judged, rel=rel)
    refused = (judged.grade >= 0) & ~is_relevant
    query, rank = judged.query[is_relevant], judged.rank[is_relevant]
    pooled = ordinal(judged.query)[is_relevant] - 1
    relevant_above = ordinal(query) - 1
    refused_above = counted_so_far(judged.query, refused)[is_relevant]
    likely = (relevant_above + EPSILON) / (relevant_above + refused_above + 2 * EPSILON)
    return share(judged.total(query, (1.0 + pooled * likely) / rank), judged.n_relevant(rel=rel))
