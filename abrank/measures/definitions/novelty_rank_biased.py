"""Novelty- and rank-biased precision: diversity for a reader who may stop at every rank."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.novelty import OVER_GREEDY, Aspects, Discount, of_ideal, portion
from abrank.measures.kernels.segments import share
from abrank.measures.registry.entries import measure


@measure("NRBP", bounds=(0, 1), source="Clarke et al. 2009; ndeval.c", needs="subtopics")
def novelty_rank_biased_precision(
    judged: JudgedRun, *, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> FloatArray:
    """Gain that fades with repetition, for a reader who goes on from rank to rank by chance.

    Unitless, in [0, 1], below 1 for every finite ranking unless alpha or beta is 1 or 0; 0 where no
    document relevant to a subtopic was retrieved.

    (1 - (1 - alpha) * beta) / n times the sum over ranks r of g(r) * beta**(r - 1), for n subtopics
    with a relevant document: documents that all serve every subtopic would have 1 [1]_. Equals
    ndeval's ``NRBP``.

    Parameters
    ----------
    beta : float
        Chance that the reader goes on to the next rank, in [0, 1].

    References
    ----------
    .. [1] Clarke, Kolla & Vechtomova (2009), An effectiveness measure for ambiguous and
       underspecified queries, ICTIR; TREC Web Track ndeval.c, computeNRBP.

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


@measure("nNRBP", bounds=(0, OVER_GREEDY), source="Clarke et al. 2009; ndeval.c", needs="subtopics")
def normalized_novelty_rank_biased_precision(
    judged: JudgedRun, *, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> FloatArray:
    """NRBP over that of the ideal ranking.

    Unitless, from 0; 1 is the ideal ranking as it is found greedily, which a ranking can exceed, in
    theory up to e / (e - 1); 0 where no document relevant to a subtopic was retrieved.

    The sum over ranks r of g(r) * beta**(r - 1), over the same sum of the ideal ranking, that of
    ``alpha_nDCG`` [1]_. Equals ndeval's ``nNRBP``, which is NaN where a query has no relevant
    document.

    Parameters
    ----------
    beta : float
        Chance that the reader goes on to the next rank, in [0, 1].

    References
    ----------
    .. [1] Clarke, Kolla & Vechtomova (2009), An effectiveness measure for ambiguous and
       underspecified queries, ICTIR; TREC Web Track ndeval.c, computeNRBP.

    Examples
    --------
    Ideal would be to serve the second subtopic at rank 2: (1 + 1/4) / (1 + 1/2 + 1/8).

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1}]], missed=[[{"b": 1}]])
    >>> normalized_novelty_rank_biased_precision(judged).round(4)
    array([0.7692])
    """
    return of_ideal(judged, _patience(beta), rel=rel, alpha=alpha, cutoff=None)


def _patience(beta: float) -> Discount:
    going_on = portion("beta", beta)

    def discount(rank: IntArray) -> FloatArray:
        chance: FloatArray = np.power(going_on, rank - 1.0)
        return chance

    return discount
