"""Measures of diversity: gain by subtopic that decreases with repetition."""

# All are sums over ranks r of g(r) * discount(r). The gain g of a document is the sum over its
# relevant subtopics of (1 - alpha)**i, if i documents above it are relevant to the same subtopic.
# Subtopics without any relevant document do not count. Each measure has two forms, by the divisor:
# the sum for documents that are all relevant to every subtopic (independent of the collection), or
# the sum of the ideal ranking of the judged documents.

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import POSITIONS
from abrank.measures.kernels import OVER_GREEDY, Aspects, Discount, ratio_to_ideal, share, within
from abrank.measures.registry import measure

_LOGARITHMIC, _RECIPROCAL = POSITIONS["1/log2(r+1)"], POSITIONS["1/r"]


@measure(
    "alpha_DCG",
    bounds=(0, 1),
    source="Clarke et al. 2008; ndeval.c, computeDCG",
    aliases=("α_DCG",),
    needs="subtopics",
)
def alpha_dcg(judged: JudgedRun, *, cutoff: int, rel: int = 1, alpha: float = 0.5) -> FloatArray:
    """Alpha-DCG: gain that falls with repeated subtopics, over that of documents on all of them.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r to k of g(r) / log2(r + 1), divided by n times the same sum of (1 -
    alpha)**(r - 1) / log2(r + 1), for n subtopics with a relevant document [1]_. Equals ndeval's
    ``alpha-DCG@k`` from k = 2; at k = 1 ndeval does not divide, so its value can be up to n.

    Examples
    --------
    Two subtopics; both documents serve the first: 1 + (1/2) / log2(3), divided by 2 + 1 / log2(3).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> alpha_dcg(judged, cutoff=2).round(4)
    array([0.5])
    """
    aspects = Aspects.of(judged, rel=rel)
    return share(
        aspects.gain(_LOGARITHMIC, alpha=alpha, cutoff=cutoff),
        aspects.highest_gain(_LOGARITHMIC, alpha=alpha, cutoff=cutoff),
    )


@measure(
    "alpha_nDCG",
    bounds=(0, OVER_GREEDY),
    source="Clarke et al. 2008; ndeval.c, computeDCG and idealResult",
    aliases=("α_nDCG",),
    needs="subtopics",
)
def alpha_ndcg(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1, alpha: float = 0.5
) -> FloatArray:
    """Alpha-nDCG: discounted gain that falls with repeated subtopics, divided by the ideal one.

    Unitless, from 0; 1 is the ideal ranking as it is found greedily, and a ranking can exceed it,
    in theory up to e / (e - 1); 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r of g(r) / log2(r + 1), divided by the same sum of the ideal ranking. At
    each rank that takes the judged document with the highest gain; of ties the last by id [1]_.
    Equals ndeval's ``alpha-nDCG@k``, which stops at k = 20. Ties in the run are ordered as
    everywhere in abrank (ndeval's ``-traditional``); pyndeval orders them in reverse.

    Examples
    --------
    Ideally the second subtopic is served at rank 2: (1 + 0.5 / log2(3)) / (1 + 1 / log2(3)).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> alpha_ndcg(judged, cutoff=2).round(4)
    array([0.8066])
    """
    return ratio_to_ideal(judged, _LOGARITHMIC, rel=rel, alpha=alpha, cutoff=cutoff)


@measure(
    "ERR_IA",
    bounds=(0, 1),
    source="Chapelle et al. 2009; Clarke et al. 2011; ndeval.c, computeERR",
    needs="subtopics",
)
def intent_aware_err(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Intent-aware ERR: ERR by subtopic, divided by that of documents on all subtopics.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r to k of g(r) / r with alpha = 1/2, the probability that a relevant document
    satisfies, divided by n times the same sum of (1/2)**(r - 1) / r, for n subtopics with a
    relevant document [1]_. Equals ndeval's ``ERR-IA@k`` from k = 2; at k = 1 ndeval does not
    divide.

    Examples
    --------
    Both documents serve the first of two subtopics: (1 + 1/4) / (2 + 1/2).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> intent_aware_err(judged, cutoff=2)
    array([0.5])
    """
    aspects = Aspects.of(judged, rel=rel)
    return share(
        aspects.gain(_RECIPROCAL, alpha=0.5, cutoff=cutoff),
        aspects.highest_gain(_RECIPROCAL, alpha=0.5, cutoff=cutoff),
    )


@measure(
    "nERR_IA",
    bounds=(0, OVER_GREEDY),
    source="Chapelle et al. 2009; Clarke et al. 2011; ndeval.c, computeERR",
    needs="subtopics",
)
def normalized_intent_aware_err(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1
) -> FloatArray:
    """Intent-aware ERR divided by that of the ideal ranking.

    Unitless, from 0; 1 is the ideal ranking as it is found greedily, which a ranking can exceed, in
    theory up to e / (e - 1); 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r of g(r) / r with alpha = 1/2, divided by the same sum of the ideal ranking
    of ``alpha_nDCG`` [1]_. Equals ndeval's ``nERR-IA@k``, which stops at k = 20.

    Examples
    --------
    Ideally the second subtopic is served at rank 2: (1 + 1/4) / (1 + 1/2).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> normalized_intent_aware_err(judged, cutoff=2).round(4)
    array([0.8333])
    """
    return ratio_to_ideal(judged, _RECIPROCAL, rel=rel, alpha=0.5, cutoff=cutoff)


# --- Ordinary measures computed for each subtopic (a user's intent) and averaged over them


@measure(
    "AP_IA",
    bounds=(0, 1),
    source="Agrawal et al. 2009; ndeval.c, computeMAP",
    aliases=("MAP_IA",),
    needs="subtopics",
)
def intent_aware_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Average precision of each subtopic, averaged over the subtopics.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    AP over the whole run if only one subtopic's documents are relevant, averaged with equal weight
    over the subtopics that have any [1]_. Equals ndeval's ``MAP-IA``.

    Examples
    --------
    AP is 1 for the first subtopic and 1/2 for the second:

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1, "b": 1}]])
    >>> intent_aware_average_precision(judged)
    array([0.75])
    """
    aspects = Aspects.of(judged, rel=rel)
    precision = aspects.total(aspects.nth / aspects.rank / aspects.n_relevant)
    return share(precision, aspects.n_subtopics)


@measure(
    "P_IA",
    bounds=(0, 1),
    source="Agrawal et al. 2009; ndeval.c, computePrecision",
    discrete=True,
    needs="subtopics",
)
def intent_aware_precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Precision of each subtopic at a cut-off, averaged over the subtopics.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    P@k of each subtopic that has a relevant document, averaged [1]_. Equals ndeval's ``P-IA@k``.

    Parameters
    ----------
    cutoff : int
        Ranks counted, from 1; also the divisor if fewer documents were retrieved.

    Examples
    --------
    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1, "b": 1}]])
    >>> intent_aware_precision(judged, cutoff=2)
    array([0.75])
    """
    aspects = Aspects.of(judged, rel=rel)
    is_counted = within(aspects.rank, checks.count("cutoff", cutoff))
    return share(aspects.total(is_counted.astype(np.float64)), cutoff * aspects.n_subtopics)


@measure(
    "StRecall",
    bounds=(0, 1),
    source="Zhai et al. 2003; ndeval.c, computeSTRecall",
    aliases=("strec",),
    discrete=True,
    needs="subtopics",
)
def subtopic_recall(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Subtopic recall: share of the subtopics that have a relevant document in the ranking.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    Subtopics without any relevant document do not count [1]_. Equals ndeval's ``strec@k``.

    Examples
    --------
    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1, "b": 1}]])
    >>> subtopic_recall(judged, cutoff=1)
    array([0.5])
    """
    aspects = Aspects.of(judged, rel=rel)
    is_first = (aspects.nth == 1) & within(aspects.rank, cutoff)
    return share(aspects.total(is_first.astype(np.float64)), aspects.n_subtopics)


# --- Novelty- and rank-biased precision: diversity for a user who may stop at every rank


@measure(
    "NRBP", bounds=(0, 1), source="Clarke et al. 2009; ndeval.c, computeNRBP", needs="subtopics"
)
def novelty_rank_biased_precision(
    judged: JudgedRun, *, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> FloatArray:
    """Rank-biased gain that falls with repeated subtopics (novelty- and rank-biased precision).

    Unitless, in [0, 1], below 1 for every finite ranking unless alpha or beta is 1 or 0; 0 where no
    document relevant to a subtopic was retrieved.

    (1 - (1 - alpha) * beta) / n times the sum over ranks r of g(r) * beta**(r - 1), for n subtopics
    with a relevant document; it is 1 if all documents are relevant to every subtopic [1]_. Equals
    ndeval's ``NRBP``.

    Parameters
    ----------
    beta : float
        Probability that the reader continues to the next rank, in [0, 1].

    Examples
    --------
    Both documents serve the first of two subtopics: (3/4) / 2 * (1 + 1/4).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> novelty_rank_biased_precision(judged)
    array([0.46875])
    """
    aspects = Aspects.of(judged, rel=rel)
    value = aspects.gain(_patience(beta), alpha=alpha, cutoff=None)
    return share(value * (1.0 - (1.0 - alpha) * beta), aspects.n_subtopics)


@measure(
    "nNRBP",
    bounds=(0, OVER_GREEDY),
    source="Clarke et al. 2009; ndeval.c, computeNRBP",
    needs="subtopics",
)
def normalized_novelty_rank_biased_precision(
    judged: JudgedRun, *, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> FloatArray:
    """NRBP divided by that of the ideal ranking.

    Unitless, from 0; 1 is the ideal ranking as it is found greedily, which a ranking can exceed, in
    theory up to e / (e - 1); 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r of g(r) * beta**(r - 1), divided by the same sum of the ideal ranking of
    ``alpha_nDCG`` [1]_. Equals ndeval's ``nNRBP``, which is NaN for a query without relevant
    documents.

    Parameters
    ----------
    beta : float
        Probability that the reader continues to the next rank, in [0, 1].

    Examples
    --------
    Ideally the second subtopic is served at rank 2: (1 + 1/4) / (1 + 1/2 + 1/8).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> normalized_novelty_rank_biased_precision(judged).round(4)
    array([0.7692])
    """
    return ratio_to_ideal(judged, _patience(beta), rel=rel, alpha=alpha, cutoff=None)


def _patience(beta: float) -> Discount:
    going_on = checks.share("beta", beta)
    return lambda rank: np.power(going_on, rank - 1.0)
