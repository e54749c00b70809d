"""Ranking as classification: what stands in the first ranks, or scores enough, is called relevant.

Rates as in the textbooks of classification: PPV, TPR, FPR and ACC.
"""

from __future__ import annotations

import math

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import Hits, share
from abrank.measures.registry.entries import measure


@measure("PPV", bounds=(0, 1), source="van Rijsbergen 1979", needs="scores")
def positive_predictive_value(judged: JudgedRun, *, threshold: float, rel: int = 1) -> FloatArray:
    """Precision of the documents that score at least the threshold.

    Unitless, in [0, 1]; 0 where no document scores enough.

    Relevant documents with a score of at least ``threshold``, over all documents with such a score;
    unjudged ones count as not relevant. At a cut-off, precision is P [1]_.

    Parameters
    ----------
    threshold : float
        In units of the scores.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7.

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
    """Recall of the documents that score at least the threshold.

    Unitless, in [0, 1]; 0 where a query has no relevant document or none scores enough.

    Relevant documents with a score of at least ``threshold``, over all relevant documents of the
    qrels: sensitivity. At a cut-off, it is R [1]_.

    Parameters
    ----------
    threshold : float
        In units of the scores.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, 0, 1]], scores=[[0.9, 0.6, 0.2]])
    >>> true_positive_rate(judged, threshold=0.5)
    array([0.5])
    """
    called = called_relevant(judged, threshold=threshold)
    found = Hits.of(called, rel=rel, cutoff=None).count(judged.n_queries)
    return share(found, judged.n_relevant(rel=rel))


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
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    threshold: float | None = None,
    rel: int = 1,
) -> FloatArray:
    """Fallout: share of the refused documents that are called relevant, the false positive rate.

    Unitless, in [0, 1], lower is better; 0 where no document was refused or none was retrieved, so
    an empty ranking is perfect by it.

    Refused documents among those counted, over all refused documents of the qrels [1]_. Unjudged
    documents do not count, nor do those with a negative grade, which trec_eval takes as unjudged.

    Parameters
    ----------
    threshold : float, optional
        The least score that is counted, in units of the scores; ``None`` counts every score.
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are refused.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, ch. 7.

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


@measure("ACC", bounds=(0, 1), source="Manning et al. 2008", needs="scores", condensable=False)
def classification_accuracy(
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    threshold: float | None = None,
    rel: int = 1,
) -> FloatArray:
    """Accuracy of a classifier: share of the judged documents that are called what they are.

    Unitless, in [0, 1]; 0 where nothing was retrieved or judged.

    Relevant documents called relevant and refused ones not called so, over all judged documents
    [1]_. Unjudged documents do not count, nor do those with a negative grade. As most documents are
    refused, calling none relevant scores high; Accuracy is another measure, of pairs.

    Parameters
    ----------
    cutoff : int, optional
        Ranks that are called relevant, from 1; ``None`` calls all retrieved so.
    threshold : float, optional
        The least score that is called relevant, in units of the scores; ``None`` takes every score.
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are refused.

    References
    ----------
    .. [1] Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, section 8.3.

    Examples
    --------
    Ranks 1 and 2 are called relevant: right for the first, third and last document.

    >>> classification_accuracy(JudgedRun.from_grades([[1, 0, 0, 1, 0]]), cutoff=2)
    array([0.6])
    """
    called = called_relevant(judged, cutoff=cutoff, threshold=threshold)
    found = Hits.of(called, rel=rel, cutoff=None).count(judged.n_queries)
    n_refused = _count_refused(judged, judged.ideal_query, judged.ideal_grade, rel=rel)
    right = found + n_refused - _count_refused(judged, called.query, called.grade, rel=rel)
    accuracy = share(right, judged.n_relevant(rel=rel) + n_refused)
    return np.where(judged.n_retrieved > 0, accuracy, 0.0)


def called_relevant(
    judged: JudgedRun, *, cutoff: int | None = None, threshold: float | None = None
) -> JudgedRun:
    """Return the run with the documents in the first ranks and with enough score.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, None, 1]], scores=[[0.9, 0.6, 0.2]])
    >>> called_relevant(judged, cutoff=3, threshold=0.5).n_retrieved
    array([2])
    """
    if threshold is not None:
        if not math.isfinite(threshold):
            raise ArgumentError(f"threshold must be a number, not {threshold!r}")
        judged = judged.above(threshold)
    return judged if cutoff is None else judged.top(cutoff)


def _count_refused(judged: JudgedRun, query: IntArray, grade: IntArray, *, rel: int) -> IntArray:
    """Count each query's documents with a grade from 0 to ``rel`` - 1."""
    return np.bincount(query[(grade >= 0) & (grade < rel)], minlength=judged.n_queries)
