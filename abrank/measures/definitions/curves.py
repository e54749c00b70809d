"""The precision-recall curve of each query at fixed levels, so that it can be averaged."""

from __future__ import annotations

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.interpolated import ELEVEN_LEVELS, interpolated_precision
from abrank.measures.registry.parameters import Levels


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


def _known(levels: Levels) -> Levels:
    """Return ``levels`` if there is one and each lies between 0 and 1."""
    wrong = [level for level in levels if not 0.0 <= level <= 1.0]
    if wrong or not levels:
        given = f"not {wrong[0]!r}" if wrong else "and there is none"
        raise ArgumentError(f"a level must lie between 0 and 1, {given}")
    return levels
