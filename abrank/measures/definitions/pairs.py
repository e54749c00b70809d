"""Measures over pairs of documents: Accuracy, AUC, Concordance and Kendall's tau."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.ranked import Pairs
from abrank.measures.kernels.segments import Hits, ordinal, share
from abrank.measures.registry.entries import measure


@measure("Accuracy", bounds=(0, 1), source="ir_measures accuracy_provider.py")
def pairwise_accuracy(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Pairwise accuracy: how often a relevant document retrieved stands above one that is not.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved (within the cut-off), and
    otherwise 1 where nothing else was.

    Of all pairs of a relevant document and another one among the ranks counted, the share with the
    relevant one above. Unjudged documents count as not relevant; what was not retrieved does not
    count, so the measure tells how well a ranker separates what it is given. Equals ir_measures
    [1]_ where no scores are tied and it gives a value: it leaves out queries without a relevant
    document retrieved and stops with a division by zero where nothing else was.

    References
    ----------
    .. [1] MacAvaney, Macdonald & Ounis (2022), Streamlining Evaluation with ir-measures, ECIR;
       ir_measures accuracy_provider.py.

    Examples
    --------
    Three of the four pairs stand right; the second ranking has no pair.

    >>> pairwise_accuracy(JudgedRun.from_grades([[1, None, 1, 0], [1]]))
    array([0.75, 1.  ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    found = hits.count(judged.n_queries)
    counted = judged.n_retrieved if cutoff is None else np.minimum(judged.n_retrieved, cutoff)
    wrong = judged.total(hits.query, (hits.rank - ordinal(hits.query)).astype(np.float64))
    right = 1.0 - share(wrong, found * (counted - found))
    return np.where(found > 0, right, 0.0)


@measure("AUC", bounds=(0, 1), source="Hanley & McNeil 1982", condensable=False)
def area_under_roc(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Area under the ROC curve: how often a relevant document scores higher than a refused one.

    Unitless, in [0, 1], and 0.5 in expectation for scores drawn at random; 0 where a query has no
    relevant document or nothing was retrieved, and otherwise 1 where it has no refused one.

    Of all pairs of a relevant and a refused document among the judged ones, the share in which the
    relevant one scores higher; pairs with equal scores count half. Judged documents that were not
    retrieved stand below all others, with equal scores. Unjudged documents do not count, nor do
    those with a negative grade, which trec_eval takes as unjudged. It is the Mann-Whitney statistic
    over the number of pairs, and the area under the curve of the true against the false positive
    rate [1]_.

    Parameters
    ----------
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are refused.

    References
    ----------
    .. [1] Hanley & McNeil (1982), The meaning and use of the area under a receiver operating
       characteristic (ROC) curve, Radiology 143(1).

    Examples
    --------
    The relevant document ties with one of two refused ones and beats the other: (1/2 + 1) / 2.

    >>> area_under_roc(JudgedRun.from_grades([[0, 1, 0]], scores=[[0.9, 0.9, 0.1]]))
    array([0.75])
    """
    pairs = Pairs.of(judged, rel=checks.count("rel", rel))
    return _concordance(pairs, judged, n_good=judged.n_relevant(rel=rel))


@measure("Concordance", bounds=(0, 1), source="Harrell et al. 1982", condensable=False)
def concordance(judged: JudgedRun) -> FloatArray:
    """Concordant pairs: how often the better of two judged documents scores higher.

    Unitless, in [0, 1], and 0.5 in expectation for scores drawn at random; 0 where a query has no
    relevant document or nothing was retrieved, and otherwise 1 where all its grades are equal.

    Of all pairs of judged documents with different grades, the share in which the better one scores
    higher; pairs with equal scores count half: the C index [1]_. For two grades it is AUC. Judged
    documents that were not retrieved stand below all others, with equal scores. Documents without a
    grade or with a negative one do not count.

    References
    ----------
    .. [1] Harrell, Califf, Pryor, Lee & Rosati (1982), Evaluating the yield of medical tests, JAMA
       247(18).

    Examples
    --------
    Of the pairs 2-1, 2-0 and 1-0, two stand right:

    >>> concordance(JudgedRun.from_grades([[1, 2, 0]])).round(4)
    array([0.6667])
    """
    return _concordance(Pairs.of(judged), judged, n_good=judged.n_relevant(rel=1))


@measure("KendallTau", bounds=(-1, 1), source="Kendall 1945", aliases=("tau",), condensable=False)
def kendall_tau(judged: JudgedRun) -> FloatArray:
    """Kendall's tau-b of the scores with the grades: concordant less discordant pairs.

    Unitless, in [-1, 1], and 0 in expectation for scores drawn at random; 1 needs as many different
    scores as grades. 0 where all grades of a query are equal or nothing was retrieved.

    Over all pairs of judged documents, with C concordant (the better one scores higher), D
    discordant, G pairs with different grades and S pairs with different scores [1]_:

        tau = (C - D) / sqrt(G * S)

    Judged documents that were not retrieved stand below all others, with equal scores. Documents
    without a grade or with a negative one do not count.

    References
    ----------
    .. [1] Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3).

    Examples
    --------
    Of three pairs, two stand right and one wrong:

    >>> kendall_tau(JudgedRun.from_grades([[1, 2, 0]])).round(4)
    array([0.3333])
    """
    pairs = Pairs.of(judged)
    decided = pairs.concordant + pairs.discordant
    ways = np.sqrt((decided + pairs.tied) * (decided + pairs.of_one_grade))
    tau = np.zeros(judged.n_queries)
    np.divide(pairs.concordant - pairs.discordant, ways, out=tau, where=ways > 0)
    return tau


def _concordance(pairs: Pairs, judged: JudgedRun, *, n_good: IntArray) -> FloatArray:
    """Return the share of concordant pairs, ties half; without a pair, nothing stands wrong."""
    number = pairs.concordant + pairs.discordant + pairs.tied
    right = np.where(number > 0, share(pairs.concordant + pairs.tied / 2.0, number), 1.0)
    return np.where((judged.n_retrieved > 0) & (n_good > 0), right, 0.0)
