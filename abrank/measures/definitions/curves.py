"""Curves of each query at fixed levels, so that they can be averaged and drawn."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.interpolated import ELEVEN_LEVELS, interpolated_precision
from abrank.measures.kernels.ranked import Ranked
from abrank.measures.kernels.segments import share
from abrank.measures.registry.parameters import Levels

HUNDREDTHS: Levels = tuple(hundredths / 100 for hundredths in range(101))


def precision_recall_curve(
    judged: JudgedRun, *, rel: int = 1, levels: Levels = ELEVEN_LEVELS
) -> FloatArray:
    """Return the interpolated precision of each query at levels of recall.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    rel : int
        Lowest grade that is relevant, from 1.
    levels : sequence of float
        Levels of recall, each from 0 to 1; the usual eleven without it.

    Returns
    -------
    float64[n_queries, n_levels]
        IPrec at each level: unitless, in [0, 1]; 0 where this recall is not reached. The mean over
        the queries is the eleven-point curve of the textbooks [1]_.

    Raises
    ------
    ArgumentError
        If there is no level or one does not lie between 0 and 1, or ``rel`` is below 1.

    References
    ----------
    .. [1] Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, 0, 0, 1], [0, 1]])
    >>> precision_recall_curve(judged, levels=(0.0, 0.5, 1.0))
    array([[1. , 1. , 0.5],
           [0.5, 0.5, 0.5]])
    """
    curve = [interpolated_precision(judged, recall=level, rel=rel) for level in _known(levels)]
    return np.stack(curve, axis=1)


def roc_curve(judged: JudgedRun, *, rel: int = 1, levels: Levels = HUNDREDTHS) -> FloatArray:
    """Return the true positive rate of each query at levels of the false positive rate.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are refused.
    levels : sequence of float
        Levels of the false positive rate, each from 0 to 1; 0, 0.01, ..., 1 without it.

    Returns
    -------
    float64[n_queries, n_levels]
        Unitless, in [0, 1], and 1 at a level of 1; 0 everywhere where a query has no relevant
        document, and 1 everywhere where it has some and no refused one.

    Raises
    ------
    ArgumentError
        If there is no level or one does not lie between 0 and 1, or ``rel`` is below 1.

    Notes
    -----
    Going down the scores, the share of the relevant documents seen when so large a share of the
    refused ones was seen. Documents with equal scores come together, on a straight line; judged
    documents that were not retrieved come last, together. So the area under the curve is AUC [1]_.

    References
    ----------
    .. [1] Fawcett (2006), An introduction to ROC analysis, Pattern Recognition Letters 27(8),
       section 8.2.

    Examples
    --------
    >>> roc_curve(JudgedRun.from_grades([[1, 0, 1, 0]]), levels=(0.0, 0.5, 1.0))
    array([[0.5, 1. , 1. ]])
    """
    lowest = checks.count("rel", rel)
    ranked = Ranked.of(judged)
    good = ranked.grade >= lowest
    rows = np.flatnonzero(good)
    _, above, beside = ranked.count(rows, ~good)
    known = judged.ideal_query[(judged.ideal_grade >= 0) & (judged.ideal_grade < rel)]
    n_refused = np.bincount(known, minlength=judged.n_queries)
    n_relevant = judged.n_relevant(rel=rel)
    found_refused = np.bincount(ranked.query[~good], minlength=judged.n_queries)
    missed = n_relevant - np.bincount(ranked.query[rows], minlength=judged.n_queries)

    def seen(level: float, query: IntArray, above: IntArray, beside: IntArray) -> FloatArray:
        """Return how much of a relevant document was seen with this share of the refused ones."""
        over = level * n_refused[query] - above
        return np.where(beside > 0, np.clip(share(over, beside), 0.0, 1.0), over >= 0.0)

    every = np.arange(judged.n_queries)
    rates = np.zeros((judged.n_queries, len(levels)))
    for column, level in enumerate(_known(levels)):
        found = judged.total(ranked.query[rows], seen(level, ranked.query[rows], above, beside))
        last = missed * seen(level, every, found_refused, n_refused - found_refused)
        rates[:, column] = share(found + last, n_relevant)
    return rates


def _known(levels: Levels) -> Levels:
    """Return ``levels`` if there is one and each lies between 0 and 1."""
    wrong = [level for level in levels if not 0.0 <= level <= 1.0]
    if wrong or not levels:
        given = f"not {wrong[0]!r}" if wrong else "and there is none"
        raise ArgumentError(f"a level must lie between 0 and 1, {given}")
    return levels
