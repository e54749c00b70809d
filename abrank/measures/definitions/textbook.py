"""Textbook measures: sums, averages, classification, and precision at recall levels."""

# For classification, the first ranks, or documents with a sufficient score, are called relevant.

from __future__ import annotations

import math

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray, Interpolation
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels import Hits, ordinal, share, within
from abrank.measures.registry import Levels, measure

# --- Ranking as classification: the first ranks or highest scores are called relevant


@measure("PPV", bounds=(0, 1), source="van Rijsbergen 1979", needs="scores")
def positive_predictive_value(judged: JudgedRun, *, threshold: float, rel: int = 1) -> FloatArray:
    """Precision of the documents whose score is at least the threshold.

    Unitless, in [0, 1]; 0 where no document scores enough.

    Relevant documents with a score of at least ``threshold``, divided by all documents with such a
    score; unjudged ones count as not relevant. With a cut-off, precision is P [1]_.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, None, 1]], scores=[[0.9, 0.6, 0.2]])
    >>> positive_predictive_value(judged, threshold=0.5)
    array([0.5])
    """
    called = called_relevant(judged, threshold=threshold)
    return share(Hits.of(called, rel=rel, cutoff=None).count(judged.n_queries), called.n_retrieved)


@measure("TPR", bounds=(0, 1), source="van Rijsbergen 1979", needs="scores")
def true_positive_rate(judged: JudgedRun, *, threshold: float, rel: int = 1) -> FloatArray:
    """Recall of the documents whose score is at least the threshold.

    Unitless, in [0, 1]; 0 where a query has no relevant document or none scores enough.

    Relevant documents with a score of at least ``threshold``, divided by all relevant documents in
    the qrels: sensitivity. With a cut-off it is R [1]_.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, 0, 1]], scores=[[0.9, 0.6, 0.2]])
    >>> true_positive_rate(judged, threshold=0.5)
    array([0.5])
    """
    called = called_relevant(judged, threshold=threshold)
    n_hits = Hits.of(called, rel=rel, cutoff=None).count(judged.n_queries)
    return share(n_hits, judged.n_relevant(rel=rel))


@measure(
    "FPR",
    bounds=(0, 1),
    source="van Rijsbergen 1979",
    aliases=("Fallout",),
    higher_is_better=False,
    needs="scores",
    condensable=False,
)
def false_positive_rate(
    judged: JudgedRun, *, cutoff: int | None = None, threshold: float | None = None, rel: int = 1
) -> FloatArray:
    """Fallout, or false positive rate: share of the non-relevant documents called relevant.

    Unitless, in [0, 1], lower is better; 0 where no document was refused or none was retrieved, so
    an empty ranking is perfect by it.

    Judged non-relevant documents among those counted, divided by all judged non-relevant documents
    in the qrels [1]_. Unjudged documents and those with a negative grade, which trec_eval treats as
    unjudged, do not count.

    Examples
    --------
    >>> false_positive_rate(JudgedRun.from_grades([[1, 0, 1, 0]]), cutoff=2)
    array([0.5])
    """
    called = called_relevant(judged, cutoff=cutoff, threshold=threshold)
    return share(
        _count_refused(judged, called.query, called.grade, rel=rel),
        _count_refused(judged, judged.ideal_query, judged.ideal_grade, rel=rel),
    )


@measure(
    "ACC",
    bounds=(0, 1),
    source="Manning et al. 2008, section 8.3",
    needs="scores",
    condensable=False,
)
def classification_accuracy(
    judged: JudgedRun, *, cutoff: int | None = None, threshold: float | None = None, rel: int = 1
) -> FloatArray:
    """Accuracy as a classifier: share of the judged documents that are classified correctly.

    Unitless, in [0, 1]; 0 where nothing was retrieved or judged.

    Relevant documents called relevant plus non-relevant ones not called so, divided by all judged
    documents [1]_. Unjudged documents and those with a negative grade do not count. Because most
    documents are not relevant, calling none relevant gives a high value. ``Accuracy`` is another
    measure, of pairs.

    Parameters
    ----------
    cutoff : int, optional
        Ranks that are called relevant, from 1; ``None`` calls all retrieved documents relevant.
    threshold : float, optional
        Lowest score that is called relevant, in units of the scores; ``None`` accepts every score.

    Examples
    --------
    Ranks 1 and 2 are called relevant, correctly for the first, third and last document.

    >>> classification_accuracy(JudgedRun.from_grades([[1, 0, 0, 1, 0]]), cutoff=2)
    array([0.6])
    """
    called = called_relevant(judged, cutoff=cutoff, threshold=threshold)
    n_hits = Hits.of(called, rel=rel, cutoff=None).count(judged.n_queries)
    n_refused = _count_refused(judged, judged.ideal_query, judged.ideal_grade, rel=rel)
    right = n_hits + n_refused - _count_refused(judged, called.query, called.grade, rel=rel)
    accuracy = share(right, judged.n_relevant(rel=rel) + n_refused)
    return np.where(judged.n_retrieved > 0, accuracy, 0.0)


def called_relevant(
    judged: JudgedRun, *, cutoff: int | None = None, threshold: float | None = None
) -> JudgedRun:
    """Return the run with the documents in the first ranks and with a sufficient score."""
    if threshold is not None:
        if not math.isfinite(threshold):
            raise ArgumentError(f"threshold must be a number, not {threshold!r}")
        judged = judged.above(threshold)
    return judged if cutoff is None else judged.top(cutoff)


def _count_refused(judged: JudgedRun, query: IntArray, grade: IntArray, *, rel: int) -> IntArray:
    return np.bincount(query[(grade >= 0) & (grade < rel)], minlength=judged.n_queries)


# --- Simple sums and averages: Hits, CG, MeanP and F


@measure("Hits", bounds=(0, math.inf), source="ranx hits.py", discrete=True)
def hits_of(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Hits: number of relevant documents retrieved.

    Documents, from 0; 0 where no relevant document was retrieved.

    Averaged over the queries, as in ranx [1]_; NumRelRet is the same count, summed.

    Examples
    --------
    >>> hits_of(JudgedRun.from_grades([[1, 0, 2], [0]]), cutoff=3)
    array([2., 0.])
    """
    n_hits = Hits.of(judged, rel=rel, cutoff=cutoff).count(judged.n_queries)
    return n_hits.astype(np.float64)


@measure("CG", bounds=(0, math.inf), source="Järvelin & Kekäläinen 2002, eq. 1")
def cumulated_gain(judged: JudgedRun, *, cutoff: int | None = None) -> FloatArray:
    """Cumulated gain: sum of the grades of the retrieved documents, in any order.

    In units of grades, from 0; 0 where nothing relevant was retrieved.

    CG = sum over ranks r of the grade at r; a negative grade counts 0 [1]_.

    Examples
    --------
    >>> cumulated_gain(JudgedRun.from_grades([[3, 2, 3, 0, 1, 2]]), cutoff=6)
    array([11.])
    """
    gained = np.where(within(judged.rank, cutoff), np.maximum(judged.grade, 0), 0)
    return judged.total(judged.query, gained.astype(np.float64))


@measure("MeanP", bounds=(0, 1), source="Manning et al. 2008, section 8.4")
def mean_precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Mean of the precision at the cut-offs 1 to k, which some texts call AP.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved within the cut-off.

    MeanP@k = (P@1 + ... + P@k) / k. AP averages precision only at the ranks of relevant documents
    [1]_.

    Examples
    --------
    P@1 = 1, P@2 = 1/2, P@3 = 2/3:

    >>> mean_precision(JudgedRun.from_grades([[1, 0, 1]]), cutoff=3).round(4)
    array([0.7222])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    # A document at rank r adds 1/r to P@r, 1/(r + 1) to P@(r + 1), ..., 1/k to P@k.
    inverse = np.concatenate(
        [[0.0], np.cumsum(1.0 / np.arange(1, checks.count("cutoff", cutoff) + 1))]
    )
    return judged.total(hits.query, inverse[cutoff] - inverse[hits.rank - 1]) / cutoff


@measure(
    "F", bounds=(0, 1), source="van Rijsbergen 1979; ranx f1.py", aliases=("F1",), needs="scores"
)
def f_measure(
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    threshold: float | None = None,
    rel: int = 1,
    beta: float = 1.0,
) -> FloatArray:
    """F: weighted harmonic mean of precision and recall at a cut-off or a score threshold.

    Unitless, in [0, 1]; 0 where no relevant document is counted.

    With precision P and recall R of the documents counted:

        F = (1 + beta**2) * P * R / (beta**2 * P + R)

    With a cut-off k, P divides by k even if fewer documents are counted, like P@k. Equals ranx's
    ``f1@k`` [1]_; without cut-off and threshold it is SetF.

    Examples
    --------
    P = 1/2 and R = 1:

    >>> f_measure(JudgedRun.from_grades([[1, 0, 0], []]), cutoff=2).round(4)
    array([0.6667, 0.    ])
    """
    recall_weight = checks.positive("beta", beta) ** 2
    called = called_relevant(judged, cutoff=cutoff, threshold=threshold)
    n_hits = Hits.of(called, rel=rel, cutoff=None).count(judged.n_queries)
    n_called = called.n_retrieved if cutoff is None else cutoff
    n_relevant = judged.n_relevant(rel=rel)
    return share((1.0 + recall_weight) * n_hits, recall_weight * n_relevant + n_called)


# --- Interpolated precision at recall levels: IPrec and AP11

ELEVEN_LEVELS: Levels = tuple(tenths / 10 for tenths in range(11))


@measure("IPrec", bounds=(0, 1), source="Buckley & Voorhees 2005; trec_eval m_iprec_at_recall.c")
def interpolated_precision(
    judged: JudgedRun, *, recall: float, rel: int = 1, interpolation: Interpolation = "10"
) -> FloatArray:
    """Interpolated precision: the highest precision at this recall or a higher one.

    Unitless, in [0, 1]; 0 where this recall is not reached or nothing was retrieved.

    With R relevant documents in the qrels, the i-th of them at rank r_i, the value is the highest i
    / r_i with i >= n. n is recall * R rounded to the nearest whole number (half up); with
    ``interpolation="9"`` it is floor(recall * R + 0.9). Equals ``iprec_at_recall`` of that
    trec_eval version [1]_; the two differ on a third of the queries or more. trec_eval 9 prints nan
    for an empty ranking at recall 0.

    Parameters
    ----------
    recall : float
        From 0 to 1.

    Examples
    --------
    Precision is 1/1, 2/4 and 3/5 at the three relevant documents. Half of three is 2, rounded:

    >>> judged = JudgedRun.from_grades([[1, 0, 0, 1, 1]])
    >>> interpolated_precision(judged, recall=0.5), interpolated_precision(judged, recall=0.0)
    (array([0.6]), array([1.]))
    """
    return _at_levels(judged, (recall,), rel=rel, interpolation=interpolation)


@measure("AP11", bounds=(0, 1), source="Salton & McGill 1983; trec_eval m_11pt_avg.c")
def eleven_point_average(
    judged: JudgedRun,
    *,
    levels: Levels | None = None,
    rel: int = 1,
    interpolation: Interpolation = "10",
) -> FloatArray:
    """Eleven-point average precision: mean interpolated precision at recall 0, 0.1, ..., 1.

    Unitless, in [0, 1]; 0 where no relevant document was retrieved.

    The mean of IPrec over the levels. Equals ``11pt_avg`` of that trec_eval version [1]_.

    Parameters
    ----------
    levels : sequence of float, optional
        Other recall levels, each from 0 to 1.

    Examples
    --------
    One of two relevant documents, at rank 2: precision 1/2 at the eight levels up to 0.7, which
    need one document at most, and 0 from 0.8.

    >>> judged = JudgedRun.from_grades([[0, 1]], ideal=[[1, 1]])
    >>> eleven_point_average(judged).round(4), eleven_point_average(judged, levels=(0.5,))
    (array([0.3636]), array([0.5]))
    """
    levels = ELEVEN_LEVELS if levels is None else levels
    return _at_levels(judged, levels, rel=rel, interpolation=interpolation)


def _at_levels(
    judged: JudgedRun, levels: Levels, *, rel: int, interpolation: Interpolation
) -> FloatArray:
    outside = [level for level in levels if not 0.0 <= level <= 1.0]
    if outside or not levels:
        problem = f"not {outside[0]!r}" if outside else "and there is none"
        raise ArgumentError(f"a level of recall must lie between 0 and 1, {problem}")
    checks.one_of("interpolation", interpolation, ("10", "9"))
    hits = Hits.of(judged, rel=rel, cutoff=None)
    n_relevant = judged.n_relevant(rel=rel)
    nth = ordinal(hits.query)
    precision = nth / hits.rank
    total = np.zeros(judged.n_queries)
    # From the highest level down, in trec_eval's order of summation.
    for level in sorted(levels, reverse=True):
        floor = np.floor(level * n_relevant + (0.5 if interpolation == "10" else 0.9))
        is_reached = nth >= floor[hits.query]
        best = np.zeros(judged.n_queries)
        np.maximum.at(best, hits.query[is_reached], precision[is_reached])
        total += best
    return total / len(levels)
