"""Discounted cumulative gain: DCG, nDCG, and averages of nDCG down the ranking."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.gains import Dcg, Gained, highest_grade, ideal_total
from abrank.measures.kernels.segments import ordinal, running, share
from abrank.measures.registry.entries import measure
from abrank.measures.registry.parameters import Gains

HIGHEST_EXPONENT = 1000  # 2**1024 is no float


@measure("DCG", bounds=(0, math.inf), source="Järvelin & Kekäläinen 2002; trec_eval m_ndcg.c")
def dcg_of(
    judged: JudgedRun, *, cutoff: int | None = None, dcg: Dcg = "log2", gains: Gains | None = None
) -> FloatArray:
    """Discounted cumulative gain: sum of the gains, each over the logarithm of its rank.

    In units of gain, from 0 (below 0 with a negative gain); 0 where nothing relevant was retrieved.

    DCG = sum over ranks r of gain(r) / log2(r + 1). Equals trec_eval 10.0 ``dcg``, which has no
    cut-off [1]_. (The 2002 paper leaves the ranks below the base of the logarithm undiscounted and
    divides by log2(r) from there on; the form with r + 1 is the one in use.)

    Parameters
    ----------
    dcg : {"log2", "exp-log2"}
        Gain of grade g: g, or 2**g - 1. A negative grade gains 0.
    gains : mapping of int to float, optional
        Gain of the grades named, from grade 0, instead of g; the others keep theirs.

    References
    ----------
    .. [1] Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM TOIS
       20(4); trec_eval m_ndcg.c.

    Examples
    --------
    3 / log2(2) + 1 / log2(4), and with exponential gains 7 / log2(2) + 1 / log2(4):

    >>> judged = JudgedRun.from_grades([[3, 0, 1]])
    >>> dcg_of(judged), dcg_of(judged, dcg="exp-log2")
    (array([3.5]), array([7.5]))
    """
    found = Gained.retrieved(judged, cutoff=cutoff, dcg=dcg, gains=gains)
    total = judged.total(found.query, found.discounted)
    if dcg == "log2":
        return total
    highest = highest_grade(judged)
    if highest.max(initial=0) > HIGHEST_EXPONENT:
        raise ArgumentError(f"a grade of {highest.max()} has no exponential gain; use dcg='log2'")
    return total * np.exp2(highest.astype(np.float64))


@measure(
    "nDCG",
    bounds=(0, 1),
    source="Järvelin & Kekäläinen 2002; trec_eval m_ndcg.c, m_ndcg_cut.c",
)
def ndcg(
    judged: JudgedRun, *, cutoff: int | None = None, dcg: Dcg = "log2", gains: Gains | None = None
) -> FloatArray:
    """Discounted cumulative gain over that of the ideal ranking.

    Unitless, in [0, 1] (below 0 with a negative gain); 0 where a query has no relevant document or
    nothing was retrieved.

    DCG = sum over ranks r of gain(r) / log2(r + 1), and nDCG = DCG / ideal DCG, where the ideal
    ranking holds all judged documents of the query, retrieved or not, by gain. The base of the
    logarithm cancels. ``log2`` equals trec_eval's ``ndcg`` and ``ndcg_cut``, ``exp-log2`` equals
    gdeval.pl (which rounds to 5 digits) [1]_. With ``gains`` it equals trec_eval's ``ndcg`` where
    these are whole numbers: trec_eval does not sort others into the ideal order.

    Parameters
    ----------
    cutoff : int, optional
        Ranks counted, from 1, in the ranking and in the ideal one; ``None`` counts all retrieved
        and all judged.
    dcg : {"log2", "exp-log2"}
        Gain of grade g: g, or 2**g - 1. A negative grade gains 0.
    gains : mapping of int to float, optional
        Gain of the grades named, from grade 0, instead of g; the others keep theirs.

    References
    ----------
    .. [1] Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM TOIS
       20(4); the exponential gain: Burges et al. (2005), ICML; trec_eval m_ndcg.c, m_ndcg_cut.c.

    Examples
    --------
    Two queries; the first finds a grade-2 document at rank 2, the second nothing:

    >>> judged = JudgedRun.from_grades([[0, 2, 1], [0, 0, 0]], ideal=[[2, 1, 0], [1, 0, 0]])
    >>> ndcg(judged, cutoff=2).round(2)
    array([0.48, 0.  ])
    """
    found = Gained.retrieved(judged, cutoff=cutoff, dcg=dcg, gains=gains)
    best = Gained.ideal(judged, cutoff=cutoff, dcg=dcg, gains=gains)
    return share(
        judged.total(found.query, found.discounted), judged.total(best.query, best.discounted)
    )


@measure("nDCGrel", bounds=(0, 1), source="trec_eval m_ndcg_rel.c")
def ndcg_at_relevant(judged: JudgedRun, *, gains: Gains | None = None) -> FloatArray:
    """Average of nDCG over the relevant documents, each cut at its own rank.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    The mean of nDCG@r over the ranks r of the documents with a gain above 0; a document that was
    not retrieved counts as at the end of the ranking, with the whole ideal DCG. nDCG jumps where
    the ideal ranking comes to the next grade, which makes it depend on the cut-off; this average
    does not. Equals trec_eval's ``ndcg_rel`` [1]_; 0 where negative gains would take it below.

    Parameters
    ----------
    gains : mapping of int to float, optional
        Gain of the grades named, from grade 0, instead of the grade itself.

    References
    ----------
    .. [1] trec_eval m_ndcg_rel.c.

    Examples
    --------
    Relevant at rank 1 of 2: nDCG@1 is 1; for the other one, 1 / (1 + 1 / log2(3)).

    >>> ndcg_at_relevant(JudgedRun.from_grades([[1, 0]], ideal=[[1, 1]])).round(4)
    array([0.8066])
    """
    found, best = Gained.retrieved(judged, gains=gains), Gained.ideal(judged, gains=gains)
    so_far = running(np.add, found.query, found.discounted)
    best_so_far = ideal_total(best, best.discounted, query=found.query, rank=found.rank)
    good = found.gain > 0
    query = found.query[good]
    reached = judged.total(query, share(so_far[good], best_so_far[good]))
    n_best = np.bincount(best.query, minlength=judged.n_queries)
    n_missed = n_best - np.bincount(query, minlength=judged.n_queries)
    return share(np.maximum(reached + n_missed * ndcg(judged, gains=gains), 0.0), n_best)


@measure("Rndcg", bounds=(0, 1), source="trec_eval m_Rndcg.c")
def ndcg_at_grade_changes(judged: JudgedRun, *, gains: Gains | None = None) -> FloatArray:
    """Average of nDCG at the ranks where the ideal ranking comes to the next grade.

    Unitless, in [0, 1] (below 0 with a negative gain); 0 where a query has no relevant document or
    nothing was retrieved.

    With 5 documents of grade 3, 3 of grade 2 and 10 of grade 1, the mean of nDCG@5, nDCG@8, nDCG@18
    and, where more than 18 + 1 documents were retrieved, nDCG of the whole ranking. Equals
    trec_eval's ``Rndcg`` [1]_ as it is computed there; its description counts the grade 0 too, and
    the whole ranking always. Under ``-l N`` trec_eval gives 0 to a query without a document of
    grade N, although N changes no gain.

    Parameters
    ----------
    gains : mapping of int to float, optional
        Gain of the grades named, from grade 0, instead of the grade itself.

    References
    ----------
    .. [1] trec_eval m_Rndcg.c.

    Examples
    --------
    One document of each of the grades 2 and 1: the mean of nDCG@1 = 1/2 and nDCG@2.

    >>> ndcg_at_grade_changes(JudgedRun.from_grades([[1, 2]])).round(4)
    array([0.6799])
    """
    found, best = Gained.retrieved(judged, gains=gains), Gained.ideal(judged, gains=gains)
    best_so_far = running(np.add, best.query, best.discounted)
    n_best = np.bincount(best.query, minlength=judged.n_queries)
    changes = np.flatnonzero(
        (np.diff(best.query, append=-1) != 0) | (np.diff(best.gain, append=0.0) != 0)
    )
    change = ordinal(best.query[changes])
    total = np.zeros(judged.n_queries)
    # The i-th change of every query that has so many.
    for row in (changes[change == i] for i in range(1, change.max(initial=0) + 1)):
        cut = np.zeros(judged.n_queries)
        cut[best.query[row]] = best.rank[row]
        early = found.rank <= cut[found.query]
        reached = judged.total(found.query[early], found.discounted[early])
        total[best.query[row]] += reached[best.query[row]] / best_so_far[row]
    goes_on = (n_best > 0) & (judged.n_retrieved > n_best + 1)
    total += np.where(goes_on, ndcg(judged, gains=gains), 0.0)
    n_points = np.bincount(best.query[changes], minlength=judged.n_queries) + goes_on
    return share(total, n_points)
