"""Interpolated precision at levels of recall: IPrec, AP11, and the curve of each query."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, Interpolation
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels import Hits, ordinal
from abrank.measures.registry import Levels, measure

# --- Interpolated precision at levels of recall: IPrec and AP11

ELEVEN_LEVELS: Levels = tuple(tenths / 10 for tenths in range(11))


@measure("IPrec", bounds=(0, 1), source="Buckley & Voorhees 2005; trec_eval m_iprec_at_recall.c")
def interpolated_precision(
    judged: JudgedRun, *, recall: float, rel: int = 1, interpolation: Interpolation = "10"
) -> FloatArray:
    """Interpolated precision: the highest precision at this level of recall or a higher one.

    Unitless, in [0, 1]; 0 where this recall is not reached or nothing was retrieved.

    With R relevant documents in the qrels, the i-th of them found at rank r_i, the value is the
    highest i / r_i of those with i >= n. n is recall * R rounded to the nearest whole number (half
    goes up); with ``interpolation="9"`` it is floor(recall * R + 0.9). Equals trec_eval's
    ``iprec_at_recall`` of that version [1]_; the two differ on a third of the queries or more.
    trec_eval 9 prints nan for an empty ranking at recall 0.

    Parameters
    ----------
    recall : float
        From 0 to 1.
    interpolation : {"10", "9"}
        How many relevant documents a level of recall asks for: rounded as in trec_eval 10.0, or as
        in its versions up to 9.

    References
    ----------
    .. [1] Buckley & Voorhees (2005), in TREC: Experiment and Evaluation in Information Retrieval,
       ch. 3; trec_eval m_iprec_at_recall.c.

    Examples
    --------
    Precision is 1/1, 2/4 and 3/5 at the three relevant documents. Half of them is 2, rounded:

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

    The mean of IPrec over the levels. Equals trec_eval's ``11pt_avg`` of that version [1]_.

    Parameters
    ----------
    levels : sequence of float, optional
        Other levels of recall, each from 0 to 1.
    interpolation : {"10", "9"}
        As for IPrec: rounded as in trec_eval 10.0, or as in its versions up to 9.

    References
    ----------
    .. [1] Salton & McGill (1983), Introduction to Modern Information Retrieval, ch. 5; trec_eval
       m_11pt_avg.c.

    Examples
    --------
    One of two relevant documents, at rank 2: precision 1/2 at the eight levels up to 0.7, which
    ask for one document at most, and 0 from 0.8 on.

    >>> judged = JudgedRun.from_grades([[0, 1]], ideal=[[1, 1]])
    >>> eleven_point_average(judged).round(4), eleven_point_average(judged, levels=(0.5,))
    (array([0.3636]), array([0.5]))
    """
    levels = ELEVEN_LEVELS if levels is None else levels
    return _at_levels(judged, levels, rel=rel, interpolation=interpolation)


def _at_levels(
    judged: JudgedRun, levels: Levels, *, rel: int, interpolation: Interpolation
) -> FloatArray:
    """Return the mean over the levels of the best precision from each level of recall on."""
    wrong = [level for level in levels if not 0.0 <= level <= 1.0]
    if wrong or not levels:
        given = f"not {wrong[0]!r}" if wrong else "and there is none"
        raise ArgumentError(f"a level of recall must lie between 0 and 1, {given}")
    checks.one_of("interpolation", interpolation, ("10", "9"))
    hits = Hits.of(judged, rel=rel, cutoff=None)
    n_relevant = judged.n_relevant(rel=rel)
    found = ordinal(hits.query)
    precision = found / hits.rank
    total = np.zeros(judged.n_queries)
    # From the highest level down, as trec_eval adds them up.
    for level in sorted(levels, reverse=True):
        asked = np.floor(level * n_relevant + (0.5 if interpolation == "10" else 0.9))
        enough = found >= asked[hits.query]
        best = np.zeros(judged.n_queries)
        np.maximum.at(best, hits.query[enough], precision[enough])
        total += best
    return total / len(levels)


# --- The precision-recall curve of each query at fixed levels, so that it can be averaged


def precision_recall_curve(
    judged: JudgedRun, *, rel: int = 1, levels: Levels = ELEVEN_LEVELS
) -> FloatArray:
    """Return the interpolated precision of each query at levels of recall.

    Source: Manning, Raghavan & Schütze (2008), Introduction to Information Retrieval, section 8.4.
    """
    wrong = [level for level in levels if not 0.0 <= level <= 1.0]
    if wrong or not levels:
        given = f"not {wrong[0]!r}" if wrong else "and there is none"
        raise ArgumentError(f"a level must lie between 0 and 1, {given}")
    curve = [interpolated_precision(judged, recall=level, rel=rel) for level in levels]
    return np.stack(curve, axis=1)
