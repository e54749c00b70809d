"""Measures of relevant documents by rank or by pairs; measures for incomplete judgments."""

from __future__ import annotations

import math

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels import Hits, PairCounts, counted_so_far, ordinal, relevant, share
from abrank.measures.registry import measure

# --- Measures by the ranks of relevant documents: AP, GMAP, yaap, RR, Rprec, RprecMult

GEOMETRIC_FLOOR = 1e-5  # trec_eval.h MIN_GEO_MEAN


@measure(
    "AP",
    bounds=(0, 1),
    source="Buckley & Voorhees 2005; trec_eval m_map.c, m_map_cut.c",
    aliases=("MAP",),
)
def average_precision(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Average precision: mean of the precision at each relevant document, 0 if not retrieved.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    With R relevant documents in the qrels, the i-th of them found at rank r_i:

        AP = (1 / R) * sum_i  i / r_i

    A cut-off does not change R. Equals trec_eval's ``map`` and ``map_cut`` [1]_.

    Examples
    --------
    Two relevant documents at ranks 1 and 3: (1/1 + 2/3) / 2.

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
    """Logarithm of average precision: its mean over queries gives a geometric mean.

    From ln(1e-5), where nothing relevant was retrieved, to 0.

    ln(max(AP, 1e-5)); the exponential of its mean is GMAP. Equals trec_eval's ``gm_map`` [1]_.

    Examples
    --------
    >>> geometric_average_precision(JudgedRun.from_grades([[1], [0]])).round(2)
    array([  0.  , -11.51])
    """
    return np.log(np.maximum(average_precision(judged, rel=rel), GEOMETRIC_FLOOR))


@measure("yaap", source="Robertson 2012; trec_eval m_yaap.c")
def smoothed_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Yet another average precision: the log-odds of average precision.

    Log-odds, in [-ln(1 + R), ln(1 + R)] for R relevant documents; 0 where a query has none, -ln(1 +
    R) where none of them was retrieved.

    With R relevant documents in the qrels, the i-th of them at rank r_i, and S = sum_i i / r_i:

        yaap = ln((1 + S) / (1 + R - S))

    Equals trec_eval's ``yaap`` [1]_, but with ``-c`` version 9 counts 0, a medium value, for a
    query that the run lacks.

    Examples
    --------
    The one relevant document at rank 2: ln(1.5 / 1.5); not retrieved: ln(1 / 2).

    >>> smoothed_average_precision(JudgedRun.from_grades([[0, 1], []], ideal=[[1], [1]])).round(4)
    array([ 0.    , -0.6931])
    """
    hits = Hits.of(judged, rel=rel, cutoff=None)
    total = judged.total(hits.query, ordinal(hits.query) / hits.rank)
    return np.log((1.0 + total) / (1.0 + judged.n_relevant(rel=rel) - total))


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

    RR = 1 / r_1, where r_1 is the rank of the first relevant document. Equals trec_eval's
    ``recip_rank`` [1]_. ir_measures breaks ties differently for RR@k and RR; here both follow
    trec_eval.

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

    With R relevant documents in the qrels: relevant documents at ranks 1 to R, divided by R, even
    if fewer than R were retrieved. Equals trec_eval's ``Rprec`` [1]_.

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
    """Precision at the rank that is a multiple of the number of relevant documents.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    For R relevant documents in the qrels: precision at rank floor(multiple * R + 0.9). Equals
    trec_eval's ``Rprec_mult`` [1]_.

    Parameters
    ----------
    multiple : float
        Multiple of R, above 0.

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


# --- Measures over pairs of documents: Accuracy, AUC, Concordance and Kendall's tau


@measure("Accuracy", bounds=(0, 1), source="ir_measures accuracy_provider.py")
def pairwise_accuracy(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Pairwise accuracy: how often a relevant document is ranked above a non-relevant one.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved (within the cut-off), and
    otherwise 1 where nothing else was.

    Of all pairs of a relevant and another document among the counted ranks, the share with the
    relevant one above. Unjudged documents count as not relevant; documents that were not retrieved
    do not count, so it measures how well a ranker orders its input. Equals ir_measures [1]_ if no
    scores are tied and it gives a value: it leaves out queries without a retrieved relevant
    document, and divides by zero if only relevant ones were retrieved.

    Examples
    --------
    Three of the four pairs are in the right order; the second ranking has no pair.

    >>> pairwise_accuracy(JudgedRun.from_grades([[1, None, 1, 0], [1]]))
    array([0.75, 1.  ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    n_hits = hits.count(judged.n_queries)
    counted = judged.n_retrieved if cutoff is None else np.minimum(judged.n_retrieved, cutoff)
    wrong = judged.total(hits.query, (hits.rank - ordinal(hits.query)).astype(np.float64))
    right = 1.0 - share(wrong, n_hits * (counted - n_hits))
    return np.where(n_hits > 0, right, 0.0)


@measure("AUC", bounds=(0, 1), source="Hanley & McNeil 1982", condensable=False)
def area_under_roc(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Area under the ROC curve: how often a relevant document scores higher than another one.

    Unitless, in [0, 1], and 0.5 in expectation for scores drawn at random; 0 where a query has no
    relevant document or nothing was retrieved, and otherwise 1 where it has no refused one.

    Of all pairs of a judged relevant and a judged non-relevant document, the share in which the
    relevant one has the higher score; ties count half. Judged documents that were not retrieved tie
    below all others. Unjudged documents and those with a negative grade, which trec_eval treats as
    unjudged, do not count. It is the Mann-Whitney statistic divided by the number of pairs, and the
    area under the curve of true against false positive rate [1]_.

    Examples
    --------
    The relevant document ties with one of two non-relevant ones and beats the other: (1/2 + 1) / 2.

    >>> area_under_roc(JudgedRun.from_grades([[0, 1, 0]], scores=[[0.9, 0.9, 0.1]]))
    array([0.75])
    """
    checks.relevant_grade("rel", rel)
    pairs = PairCounts.of(judged, rel=rel)
    return _concordance(pairs, judged, n_good=judged.n_relevant(rel=rel))


@measure("Concordance", bounds=(0, 1), source="Harrell et al. 1982", condensable=False)
def concordance(judged: JudgedRun) -> FloatArray:
    """Concordant pairs: how often the better of two judged documents scores higher.

    Unitless, in [0, 1], and 0.5 in expectation for scores drawn at random; 0 where a query has no
    relevant document or nothing was retrieved, and otherwise 1 where all its grades are equal.

    Of all pairs of judged documents with different grades, the share in which the better one has
    the higher score; ties count half: the C index [1]_. With two grades it is AUC. Judged documents
    that were not retrieved tie below all others. Documents without a grade or with a negative one
    do not count.

    Examples
    --------
    Of the pairs 2-1, 2-0 and 1-0, two are in the right order:

    >>> concordance(JudgedRun.from_grades([[1, 2, 0]])).round(4)
    array([0.6667])
    """
    n_good = np.bincount(judged.ideal_query[judged.ideal_grade > 0], minlength=judged.n_queries)
    return _concordance(PairCounts.of(judged), judged, n_good=n_good)


@measure("KendallTau", bounds=(-1, 1), source="Kendall 1945", aliases=("tau",), condensable=False)
def kendall_tau(judged: JudgedRun) -> FloatArray:
    """Kendall's tau-b of scores and grades: concordant minus discordant pairs, normalised.

    Unitless, in [-1, 1], and 0 in expectation for scores drawn at random; 1 needs as many different
    scores as grades. 0 where all grades of a query are equal or nothing was retrieved.

    Over all pairs of judged documents, with C concordant (the better one scores higher), D
    discordant, G pairs with different grades and S pairs with different scores [1]_:

        tau = (C - D) / sqrt(G * S)

    Judged documents that were not retrieved tie below all others. Documents without a grade or with
    a negative one do not count.

    Examples
    --------
    Of three pairs, two are in the right order and one is not:

    >>> kendall_tau(JudgedRun.from_grades([[1, 2, 0]])).round(4)
    array([0.3333])
    """
    pairs = PairCounts.of(judged)
    decided = pairs.concordant + pairs.discordant
    ways = np.sqrt((decided + pairs.tied) * (decided + pairs.of_one_grade))
    tau = np.zeros(judged.n_queries)
    np.divide(pairs.concordant - pairs.discordant, ways, out=tau, where=ways > 0)
    return tau


def _concordance(pairs: PairCounts, judged: JudgedRun, *, n_good: IntArray) -> FloatArray:
    number = pairs.concordant + pairs.discordant + pairs.tied
    right = np.where(number > 0, share(pairs.concordant + pairs.tied / 2.0, number), 1.0)
    return np.where((judged.n_retrieved > 0) & (n_good > 0), right, 0.0)


EPSILON = 1e-5  # trec_eval.h INFAP_EPSILON


@measure("Bpref", bounds=(0, 1), source="Buckley & Voorhees 2004; trec_eval m_bpref.c")
def binary_preference(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Binary preference: how rarely judged non-relevant documents are above relevant ones.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    With R relevant and N judged non-relevant documents in the qrels, and n(d) judged non-relevant
    documents above a retrieved relevant document d:

        Bpref = (1 / R) * sum_d  1 - min(n(d), R) / min(N, R)

    Unjudged documents and those with a negative grade, which trec_eval treats as unjudged, do not
    count. Equals trec_eval's ``bpref`` [1]_, which corrects the paper.

    Examples
    --------
    One of two judged non-relevant documents is above the second of two relevant ones:
    (1 + 1/2) / 2. The unjudged document (None) has no effect.

    >>> binary_preference(JudgedRun.from_grades([[1, None, 0, 1, 0], [0, 1]]))
    array([0.75, 0.  ])
    """
    is_relevant = relevant(judged, rel=rel)
    above = counted_so_far(judged.query, (judged.grade >= 0) & ~is_relevant)[is_relevant]
    refused = judged.ideal_query[(judged.ideal_grade >= 0) & (judged.ideal_grade < rel)]
    n_refused = np.bincount(refused, minlength=judged.n_queries)
    n_relevant = judged.n_relevant(rel=rel)
    query = judged.query[is_relevant]
    maximum = np.minimum(n_refused, n_relevant)[query]
    preferred = 1.0 - share(np.minimum(above, n_relevant[query]), maximum)
    return share(judged.total(query, preferred), n_relevant)


@measure(
    "GMBpref",
    bounds=(math.log(GEOMETRIC_FLOOR), 0),
    source="Robertson 2006; trec_eval m_gm_bpref.c",
    aggregate="geometric",
)
def geometric_binary_preference(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Logarithm of Bpref: its mean over queries gives a geometric mean.

    From ln(1e-5), where nothing relevant was retrieved, to 0.

    ln(max(Bpref, 1e-5)); the exponential of its mean over the queries is their geometric mean.
    Equals trec_eval's ``gm_bpref`` [1]_.

    Examples
    --------
    >>> geometric_binary_preference(JudgedRun.from_grades([[1], [0, 1]])).round(2)
    array([  0.  , -11.51])
    """
    return np.log(np.maximum(binary_preference(judged, rel=rel), GEOMETRIC_FLOOR))


@measure("infAP", bounds=(0, 1), source="Yilmaz & Aslam 2006; trec_eval m_infap.c")
def inferred_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Inferred average precision: an estimate of AP if only a sample of the pool was judged.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    At a relevant document at rank k, with p pool documents above it, of which r are judged relevant
    and n judged non-relevant, the expected precision is

        1/k + (p / k) * (r + e) / (r + n + 2e),    e = 1e-5

    and infAP is the sum of these divided by R, the number of relevant documents in the qrels.
    Equals trec_eval's ``infAP`` [1]_. If the whole pool was judged it is AP, except for e.

    Parameters
    ----------
    rel : int
        Lowest relevant grade, from 1. A negative grade means that the document is in the pool, but
        not in the sample.

    Examples
    --------
    The first document is judged relevant, so the unjudged pool document at rank 2 is estimated to
    be relevant, too:

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
