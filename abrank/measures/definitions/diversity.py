"""Measures of diversity: gain over subtopics that fades with repetition.

All take the sum over ranks r of g(r) * discount(r). A document's gain g is the sum over the
subtopics it is relevant to of (1 - alpha)**i, where i documents above it are relevant to the same
subtopic. A subtopic without any relevant document does not count. What the sum is divided by makes
two of each: that of documents that all serve every subtopic (independent of the collection), or
that of the ideal ranking of the judged documents.
"""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.novelty import OVER_GREEDY, Aspects, of_ideal
from abrank.measures.kernels.segments import share
from abrank.measures.registry.entries import measure


def _logarithmic(rank: IntArray) -> FloatArray:
    discount: FloatArray = 1.0 / np.log2(rank + 1.0)
    return discount


def _reciprocal(rank: IntArray) -> FloatArray:
    return 1.0 / rank


@measure(
    "alpha_DCG",
    bounds=(0, 1),
    source="Clarke et al. 2008; ndeval.c",
    aliases=("α_DCG",),
    needs="subtopics",
)
def alpha_dcg(judged: JudgedRun, *, cutoff: int, rel: int = 1, alpha: float = 0.5) -> FloatArray:
    """Discounted gain that fades with repetition, over that of documents that serve all subtopics.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r to k of g(r) / log2(r + 1), divided by n times the same sum of
    (1 - alpha)**(r - 1) / log2(r + 1), for n subtopics with a relevant document [1]_. Equals
    ndeval's ``alpha-DCG@k`` from k = 2 on; ndeval leaves the sum at k = 1 undivided, so that it can
    be as high as n.

    Parameters
    ----------
    cutoff : int
        Ranks counted, from 1.

    References
    ----------
    .. [1] Clarke et al. (2008), Novelty and diversity in information retrieval evaluation, SIGIR;
       TREC Web Track ndeval.c, computeDCG.

    Examples
    --------
    Two subtopics; both documents serve the first one: 1 + (1/2) / log2(3) of 2 + 1 / log2(3).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> alpha_dcg(judged, cutoff=2).round(4)
    array([0.5])
    """
    aspects = Aspects.of(judged, rel=rel)
    return share(
        aspects.gain(_logarithmic, alpha=alpha, cutoff=cutoff),
        aspects.highest_gain(_logarithmic, alpha=alpha, cutoff=cutoff),
    )


@measure(
    "alpha_nDCG",
    bounds=(0, OVER_GREEDY),
    source="Clarke et al. 2008; ndeval.c",
    aliases=("α_nDCG",),
    needs="subtopics",
)
def alpha_ndcg(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1, alpha: float = 0.5
) -> FloatArray:
    """Discounted gain that fades with repetition, over that of the ideal ranking.

    Unitless, from 0; 1 is the ideal ranking as it is found greedily, and a ranking can exceed it,
    in theory up to e / (e - 1); 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r of g(r) / log2(r + 1), over the same sum of the ideal ranking, which takes
    at each rank the judged document of the highest gain and, of equal ones, the last by id [1]_.
    Equals ndeval's ``alpha-nDCG@k``, which stops at k = 20. Documents with equal scores in the run
    stand in the one order of this program (ndeval's ``-traditional``); pyndeval's is the reverse.

    Parameters
    ----------
    cutoff : int, optional
        Ranks counted, from 1, in the ranking and in the ideal one; ``None`` counts all retrieved
        and all judged.

    References
    ----------
    .. [1] Clarke et al. (2008), Novelty and diversity in information retrieval evaluation, SIGIR;
       TREC Web Track ndeval.c, computeDCG and idealResult.

    Examples
    --------
    Ideal would be to serve the second subtopic at rank 2: (1 + 0.5 / log2(3)) / (1 + 1 / log2(3)).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> alpha_ndcg(judged, cutoff=2).round(4)
    array([0.8066])
    """
    return of_ideal(judged, _logarithmic, rel=rel, alpha=alpha, cutoff=cutoff)


@measure(
    "ERR_IA",
    bounds=(0, 1),
    source="Chapelle et al. 2009; Clarke et al. 2011; ndeval.c",
    needs="subtopics",
)
def intent_aware_err(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Reciprocal rank in expectation, by subtopic, over that of documents that serve all of them.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r to k of g(r) / r with alpha = 1/2, the chance that a relevant document
    satisfies, divided by n times the same sum of (1/2)**(r - 1) / r, for n subtopics with a
    relevant document [1]_. Equals ndeval's ``ERR-IA@k`` from k = 2 on; ndeval leaves the sum at
    k = 1 undivided.

    Parameters
    ----------
    cutoff : int
        Ranks counted, from 1.

    References
    ----------
    .. [1] Chapelle et al. (2009), Expected reciprocal rank for graded relevance, CIKM; Clarke et
       al. (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM; TREC
       Web Track ndeval.c, computeERR.

    Examples
    --------
    Both documents serve the first of two subtopics: (1 + 1/4) / (2 + 1/2).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> intent_aware_err(judged, cutoff=2)
    array([0.5])
    """
    aspects = Aspects.of(judged, rel=rel)
    return share(
        aspects.gain(_reciprocal, alpha=0.5, cutoff=cutoff),
        aspects.highest_gain(_reciprocal, alpha=0.5, cutoff=cutoff),
    )


@measure(
    "nERR_IA",
    bounds=(0, OVER_GREEDY),
    source="Chapelle et al. 2009; Clarke et al. 2011; ndeval.c",
    needs="subtopics",
)
def normalized_intent_aware_err(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1
) -> FloatArray:
    """Reciprocal rank in expectation, by subtopic, over that of the ideal ranking.

    Unitless, from 0; 1 is the ideal ranking as it is found greedily, which a ranking can exceed, in
    theory up to e / (e - 1); 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r of g(r) / r with alpha = 1/2, over the same sum of the ideal ranking, that
    of ``alpha_nDCG`` [1]_. Equals ndeval's ``nERR-IA@k``, which stops at k = 20.

    Parameters
    ----------
    cutoff : int, optional
        Ranks counted, from 1, in the ranking and in the ideal one; ``None`` counts all retrieved
        and all judged.

    References
    ----------
    .. [1] Chapelle et al. (2009), Expected reciprocal rank for graded relevance, CIKM; Clarke et
       al. (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM; TREC
       Web Track ndeval.c, computeERR.

    Examples
    --------
    Ideal would be to serve the second subtopic at rank 2: (1 + 1/4) / (1 + 1/2).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> normalized_intent_aware_err(judged, cutoff=2).round(4)
    array([0.8333])
    """
    return of_ideal(judged, _reciprocal, rel=rel, alpha=0.5, cutoff=cutoff)
