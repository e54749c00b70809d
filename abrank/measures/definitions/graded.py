"""Measures of graded relevance: DCG and nDCG, cascades, normalized gain, compat."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels import (
    Dcg,
    Gained,
    Hits,
    highest_grade,
    ideal_total,
    ordinal,
    running,
    share,
    within,
)
from abrank.measures.registry import Gains, measure

# --- Discounted cumulative gain: DCG, nDCG, and averages of nDCG over cut-offs

HIGHEST_EXPONENT = 1000  # 2**1024 exceeds float64


@measure("DCG", bounds=(0, math.inf), source="Järvelin & Kekäläinen 2002; trec_eval m_ndcg.c")
def dcg_of(
    judged: JudgedRun, *, cutoff: int | None = None, dcg: Dcg = "log2", gains: Gains | None = None
) -> FloatArray:
    """Discounted cumulative gain: sum of the gains, each divided by the logarithm of its rank.

    In units of gain, from 0 (below 0 with a negative gain); 0 where nothing relevant was retrieved.

    DCG = sum over ranks r of gain(r) / log2(r + 1). Equals trec_eval 10.0 ``dcg``, which has no
    cut-off [1]_. (The 2002 paper does not discount ranks below the base of the logarithm and
    divides by log2(r) after that; the form with r + 1 is the usual one.)

    Examples
    --------
    3 / log2(2) + 1 / log2(4), and with exponential gains 7 / log2(2) + 1 / log2(4):

    >>> judged = JudgedRun.from_grades([[3, 0, 1]])
    >>> dcg_of(judged), dcg_of(judged, dcg="exp-log2")
    (array([3.5]), array([7.5]))
    """
    retrieved = Gained.retrieved(judged, cutoff=cutoff, dcg=dcg, gains=gains)
    total = judged.total(retrieved.query, retrieved.discounted)
    if dcg == "log2":
        return total
    highest = highest_grade(judged)
    if highest.max(initial=0) > HIGHEST_EXPONENT:
        raise ArgumentError(f"a grade of {highest.max()} has no exponential gain; use dcg='log2'")
    return total * np.exp2(highest.astype(np.float64))


@measure(
    "nDCG", bounds=(0, 1), source="Järvelin & Kekäläinen 2002; trec_eval m_ndcg.c, m_ndcg_cut.c"
)
def ndcg(
    judged: JudgedRun, *, cutoff: int | None = None, dcg: Dcg = "log2", gains: Gains | None = None
) -> FloatArray:
    """Discounted cumulative gain divided by that of the ideal ranking.

    Unitless, in [0, 1] (below 0 with a negative gain); 0 where a query has no relevant document or
    nothing was retrieved.

    DCG = sum over ranks r of gain(r) / log2(r + 1), and nDCG = DCG / ideal DCG. The ideal ranking
    has all judged documents of the query, retrieved or not, by descending gain. The base of the
    logarithm cancels. ``log2`` equals trec_eval's ``ndcg`` and ``ndcg_cut``; ``exp-log2`` (Burges
    et al. 2005, ICML) equals gdeval.pl, which rounds to 5 digits [1]_. With ``gains`` it equals
    trec_eval's ``ndcg`` if these are whole numbers; trec_eval does not sort others correctly.

    Examples
    --------
    Two queries; the first has a grade-2 document at rank 2, the second retrieves nothing relevant:

    >>> judged = JudgedRun.from_grades([[0, 2, 1], [0, 0, 0]], ideal=[[2, 1, 0], [1, 0, 0]])
    >>> ndcg(judged, cutoff=2).round(2)
    array([0.48, 0.  ])
    """
    retrieved = Gained.retrieved(judged, cutoff=cutoff, dcg=dcg, gains=gains)
    best = Gained.ideal(judged, cutoff=cutoff, dcg=dcg, gains=gains)
    return share(
        judged.total(retrieved.query, retrieved.discounted),
        judged.total(best.query, best.discounted),
    )


@measure("nDCGrel", bounds=(0, 1), source="trec_eval m_ndcg_rel.c")
def ndcg_at_relevant(judged: JudgedRun, *, gains: Gains | None = None) -> FloatArray:
    """Mean of nDCG at the ranks of the relevant documents.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    The mean of nDCG@r over the ranks r of the documents with a gain above 0; a document that was
    not retrieved counts as at the end of the ranking, with the whole ideal DCG. nDCG jumps where
    the ideal ranking changes grade, so it depends on the cut-off; this average does not. Equals
    trec_eval's ``ndcg_rel`` [1]_; 0 if negative gains would make it negative.

    Examples
    --------
    Relevant at rank 1 of 2: nDCG@1 is 1; for the other one, 1 / (1 + 1 / log2(3)).

    >>> ndcg_at_relevant(JudgedRun.from_grades([[1, 0]], ideal=[[1, 1]])).round(4)
    array([0.8066])
    """
    retrieved, best = Gained.retrieved(judged, gains=gains), Gained.ideal(judged, gains=gains)
    so_far = running(np.add, retrieved.query, retrieved.discounted)
    best_so_far = ideal_total(best, best.discounted, query=retrieved.query, rank=retrieved.rank)
    is_good = retrieved.gain > 0
    query = retrieved.query[is_good]
    reached = judged.total(query, share(so_far[is_good], best_so_far[is_good]))
    n_best = np.bincount(best.query, minlength=judged.n_queries)
    n_missed = n_best - np.bincount(query, minlength=judged.n_queries)
    return share(np.maximum(reached + n_missed * ndcg(judged, gains=gains), 0.0), n_best)


@measure("Rndcg", bounds=(0, 1), source="trec_eval m_Rndcg.c")
def ndcg_at_grade_changes(judged: JudgedRun, *, gains: Gains | None = None) -> FloatArray:
    """Mean of nDCG at the ranks where the grade changes in the ideal ranking.

    Unitless, in [0, 1] (below 0 with a negative gain); 0 where a query has no relevant document or
    nothing was retrieved.

    With 5 documents of grade 3, 3 of grade 2 and 10 of grade 1: the mean of nDCG@5, nDCG@8, nDCG@18
    and, if more than 18 + 1 documents were retrieved, nDCG of the whole ranking. Equals trec_eval's
    ``Rndcg`` [1]_ as implemented; its documentation also counts the grade 0, and always the whole
    ranking. With ``-l N`` trec_eval gives 0 to a query without a document of grade N, although N
    changes no gain.

    Examples
    --------
    One document of each of the grades 2 and 1: the mean of nDCG@1 = 1/2 and nDCG@2.

    >>> ndcg_at_grade_changes(JudgedRun.from_grades([[1, 2]])).round(4)
    array([0.6799])
    """
    retrieved, best = Gained.retrieved(judged, gains=gains), Gained.ideal(judged, gains=gains)
    best_so_far = running(np.add, best.query, best.discounted)
    n_best = np.bincount(best.query, minlength=judged.n_queries)
    changes = np.flatnonzero(
        (np.diff(best.query, append=-1) != 0) | (np.diff(best.gain, append=0.0) != 0)
    )
    change = ordinal(best.query[changes])
    total = np.zeros(judged.n_queries)
    # The i-th change of every query that has at least i changes.
    for row in (changes[change == i] for i in range(1, change.max(initial=0) + 1)):
        cut = np.zeros(judged.n_queries)
        cut[best.query[row]] = best.rank[row]
        is_early = retrieved.rank <= cut[retrieved.query]
        reached = judged.total(retrieved.query[is_early], retrieved.discounted[is_early])
        total[best.query[row]] += reached[best.query[row]] / best_so_far[row]
    goes_on = (n_best > 0) & (judged.n_retrieved > n_best + 1)
    total += np.where(goes_on, ndcg(judged, gains=gains), 0.0)
    n_points = np.bincount(best.query[changes], minlength=judged.n_queries) + goes_on
    return share(total, n_points)


# --- The cascade model: a user scans the ranking until a document satisfies

Position = Callable[[FloatArray], FloatArray]

POSITIONS: dict[str, Position] = {
    "1/r": lambda rank: 1.0 / rank,
    "1/log2(r+1)": lambda rank: 1.0 / np.log2(rank + 1.0),
}


def cascade(
    judged: JudgedRun,
    position: Position,
    *,
    cutoff: int | None = None,
    max_grade: int | None = None,
) -> FloatArray:
    """Return the expected worth of the rank at which a document satisfies the user."""
    is_counted = (judged.grade > 0) & within(judged.rank, cutoff)
    query, rank = judged.query[is_counted], judged.rank[is_counted].astype(np.float64)
    scale = float(scale_of(judged, max_grade))
    stop = np.exp2(judged.grade[is_counted] - scale) - np.exp2(-scale)  # no grade overflows
    going_on = running(np.multiply, query, 1.0 - stop)
    arriving = np.ones(len(query))
    later = np.flatnonzero(ordinal(query) > 1)
    arriving[later] = going_on[later - 1]
    return judged.total(query, arriving * stop * position(rank))


@measure("Cascade", bounds=(0, 1), source="Chapelle et al. 2009, eq. 3")
def cascade_measure(
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    phi: Literal["1/log2(r+1)", "1/r"] = "1/log2(r+1)",
    max_grade: int | None = None,
) -> FloatArray:
    """Cascade: expected discount at the rank where a reader who goes down is satisfied.

    Unitless, in [0, 1), below 1 even for the ideal ranking; 0 where no document with a grade above
    0 was retrieved.

    A document of grade g satisfies with probability s(g) = (2**g - 1) / 2**max_grade; grades below
    0 count as 0 [1]_:

        Cascade = sum over ranks r of phi(r) * s(g_r) * product over i < r of (1 - s(g_i))

    Values for different ``max_grade`` are not comparable.

    Parameters
    ----------
    phi : {"1/log2(r+1)", "1/r"}
        The worth of rank r: DCG's discount, or 1 / rank, which makes it ERR. :func:`cascade`
        accepts other functions.

    Examples
    --------
    Grades 1 and 2 on a scale up to 2: 1/4 at rank 1, then 3/4 * 3/4 / log2(3) at rank 2.

    >>> cascade_measure(JudgedRun.from_grades([[1, 2], [0]])).round(4)
    array([0.6049, 0.    ])
    """
    position = POSITIONS[checks.one_of("phi", phi, POSITIONS)]
    return cascade(judged, position, cutoff=cutoff, max_grade=max_grade)


def scale_of(judged: JudgedRun, max_grade: int | None) -> int:
    """Return the highest grade of the scale; refuse a scale that the judgments exceed."""
    highest: float = judged.ideal_grade.max(initial=0).item()
    if max_grade is None:
        return math.ceil(highest)
    if highest > checks.count("max_grade", max_grade):
        raise ArgumentError(f"the qrels hold a grade of {highest}, above max_grade={max_grade}")
    return max_grade


# --- Normalized gain, discounted by the loss compared with the ideal ranking: G, binG


@measure("G", bounds=(0, 1), source="trec_eval m_G.c")
def normalized_gain(judged: JudgedRun, *, gains: Gains | None = None) -> FloatArray:
    """Sum of gains, each discounted by how far the ranking is behind the ideal ranking there.

    Unitless, in [0, 1] (below 0 with a negative gain), 1 for the ideal ranking where no gain is
    below 1; 0 where a query has no relevant document or nothing was retrieved.

    With g(r) the gain at rank r, g*(r) that of the ideal ranking, and sums over i <= r:

        G = sum_r g(r) / log2(2 + sum_i max(g*(i), 1) - sum_i g(i))  /  sum_r g*(r)

    Unlike in nDCG, a document that follows better ones is hardly discounted. Equals trec_eval's
    ``G`` [1]_.

    Examples
    --------
    Only grade 2 at rank 2: 2 / log2(2 + (2 + 1) - 2) / 2.

    >>> normalized_gain(JudgedRun.from_grades([[0, 2]])).round(4)
    array([0.6309])
    """
    retrieved, best = Gained.retrieved(judged, gains=gains), Gained.ideal(judged, gains=gains)
    due = ideal_total(best, np.maximum(best.gain, 1.0), query=retrieved.query, rank=retrieved.rank)
    n_best = np.bincount(best.query, minlength=judged.n_queries)
    due += np.maximum(retrieved.rank - n_best[retrieved.query], 0)
    behind = due - running(np.add, retrieved.query, retrieved.gain)
    reached = judged.total(retrieved.query, retrieved.gain / np.log2(2.0 + behind))
    return share(reached, judged.total(best.query, best.gain))


@measure("binG", bounds=(0, 1), source="trec_eval m_binG.c")
def binary_normalized_gain(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Binary G: sum over relevant documents, discounted by the number of others above each.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    With R relevant documents in the qrels and n(d) non-relevant documents above a retrieved
    relevant document d:

        binG = (1 / R) * sum_d  1 / log2(2 + n(d))

    Equals trec_eval's ``binG`` [1]_.

    Examples
    --------
    Relevant documents at ranks 1 and 4, two others between them: (1 + 1/2) / 2.

    >>> binary_normalized_gain(JudgedRun.from_grades([[1, 0, None, 1]]))
    array([0.75])
    """
    hits = Hits.of(judged, rel=rel, cutoff=None)
    n_not_relevant_above = hits.rank - ordinal(hits.query)
    total = judged.total(hits.query, 1.0 / np.log2(2.0 + n_not_relevant_above))
    return share(total, judged.n_relevant(rel=rel))


# --- Compat: overlap of a ranking with the ideal one


@measure("Compat", bounds=(0, 1), source="Clarke et al. 2020; ir_measures compat_provider.py")
def compatibility(judged: JudgedRun, *, p: float = 0.95, normalize: bool = True) -> FloatArray:
    """Compatibility: rank-biased overlap with the most similar ideal ranking.

    Unitless, in [0, 1]; 0 where no document with a grade above 0 was retrieved.

    The ideal ranking has the documents with a grade above 0, best grade first; documents of equal
    grade are in the order of the run, those not retrieved last. With o(d) the number of documents
    that both have in their first d ranks, and n the length of the longer one, rank-biased overlap
    is (Webber, Moffat & Zobel 2010, ACM TOIS 28(4)):

        RBO = sum over d to n of p**(d - 1) * o(d) / d  over  sum over d to n of p**(d - 1)

    Equals ir_measures [1]_ if no scores are tied (it breaks ties by ascending document id) and none
    is negative (it gives documents that were not retrieved the score 0).

    Parameters
    ----------
    p : float
        Ratio of the weights of consecutive depths, between 0 and 1.
    normalize : bool
        Whether to divide by the overlap of the ideal ranking with itself, which is below 1 if it is
        shorter than the ranking.

    Examples
    --------
    The better of two documents is second: no overlap at depth 1, complete overlap at depth 2.

    >>> compatibility(JudgedRun.from_grades([[1, 2], [0]]), p=0.5).round(4)
    array([0.3333, 0.    ])
    """
    weight = checks.fraction("p", p)
    is_good = judged.ideal_grade > 0
    ideal_query = judged.ideal_query[is_good]
    ideal_rank = ordinal(ideal_query)
    n_ideal = np.bincount(ideal_query, minlength=judged.n_queries)
    depth = np.maximum(judged.n_retrieved, n_ideal)

    exponents = np.arange(int(depth.max(initial=0)))
    weights = np.power(weight, exponents)
    shares = np.concatenate([[0.0], np.cumsum(weights / (exponents + 1.0))])

    def overlap(query: IntArray, both_from: IntArray) -> FloatArray:
        """Sum over documents, given the depth from which both rankings have them."""
        return judged.total(query, shares[depth[query]] - shares[both_from - 1])

    query, both_from = _found_in_both(judged)
    overlaps = overlap(query, both_from)
    if normalize:
        return share(overlaps, overlap(ideal_query, ideal_rank))
    return share(overlaps, np.concatenate([[0.0], np.cumsum(weights)])[depth])


def _found_in_both(judged: JudgedRun) -> tuple[IntArray, IntArray]:
    """Return query and lower one of both ranks for each good retrieved document."""
    is_good = judged.grade > 0
    query, rank, grade = judged.query[is_good], judged.rank[is_good], judged.grade[is_good]
    by_grade = np.lexsort((rank, -grade, query))
    query, rank, grade = query[by_grade], rank[by_grade], grade[by_grade]
    # Both sides are sorted by query and descending grade, so they share one ascending key.
    span = math.ceil(judged.ideal_grade.max(initial=0)) + 1
    key = query * span - grade
    n_better = np.searchsorted(judged.ideal_query * span - np.maximum(judged.ideal_grade, 0), key)
    n_better -= np.searchsorted(judged.ideal_query, query)
    n_same_grade = np.arange(len(key)) - np.searchsorted(key, key)
    return query, np.maximum(rank, n_better + n_same_grade + 1)
