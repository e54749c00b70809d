"""Intervals of several means with what the queries add to all of them taken out.

=====================  ========================================================
differences            interval of each mean
=====================  ========================================================
no query               NaN
one query              unbounded
two queries            as any other data
all 0                  the mean itself
one value, not 0       unbounded: no spread to judge by
one query differs      as any other data
two values             as any other data
not finite             refused
=====================  ========================================================

Of every system from every other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.typing import FloatArray
from abrank.inference.paired.t_test import mean_and_error, t_interval
from abrank.inference.registry import as_alpha
from abrank.inference.rounding import round_off
from abrank.inference.systems.registry import as_scores


def within_query_interval(
    scores: npt.ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return an interval of each system's mean that shows differences, not the queries' spread.

    A query that is hard is hard for all systems; in an ordinary interval of a mean that spread
    hides differences that every query shows. Here it is taken out, so the intervals go with paired
    comparisons: each says how steadily the system keeps its distance to the mean of all. They are
    not adjusted for the number of systems, and two that overlap can still differ.

    Parameters
    ----------
    scores : array_like of shape (n_queries, n_systems)
    confidence : float

    Returns
    -------
    low, high : ndarray of shape (n_systems,)
        Unbounded with one query, and for a system that keeps one distance on all queries; all of
        them are the mean itself where the systems are the same on every query. NaN without queries.

    Raises
    ------
    ArgumentError
        If a score is not finite, there are fewer than two systems, or the level is no level.

    Notes
    -----
    The t interval of the scores less the query's mean plus the mean of all, its width times
    ``sqrt(k / (k - 1))`` for what that takes too much [1]_, [2]_. With two systems a difference of
    means is significant by the paired t test exactly when it exceeds sqrt(2) times half a width.

    References
    ----------
    .. [1] Cousineau (2005), Tutorials in Quantitative Methods for Psychology 1, 42-45; Morey
       (2008), the same 4, 61-64.
    .. [2] Loftus & Masson (1994), Psychonomic Bulletin & Review 1, 476-490, pool the errors of all
       systems; these do not, as systems differ in how erratic they are.

    Examples
    --------
    >>> low, high = within_query_interval([[0.1, 0.3], [0.6, 0.7], [0.2, 0.5]])
    >>> low.round(3), high.round(3)
    (array([0.124, 0.324]), array([0.476, 0.676]))
    """
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    alpha = np.full(n_systems, as_alpha(float(confidence), 1)[0])
    if n_queries == 0:
        nothing = np.full(n_systems, np.nan)
        return nothing, nothing
    mean = block.mean(axis=0)
    if n_queries > 1 and not np.any(round_off(block - block[:, :1], scale=np.abs(block).max())):
        return mean, mean
    own = block - block.mean(axis=1, keepdims=True)
    _, error = mean_and_error(own)
    error = error * np.sqrt(n_systems / (n_systems - 1))
    return t_interval(mean, error, n_queries - 1, alpha, "two-sided")
