"""Tests at planned looks, each held against its share of one level.

==================  ====================================================================
differences         answer at a look
==================  ====================================================================
no query            there is no look yet, as at any look with more queries than have come
one query           what the test says of it: interval unbounded, no stop
two queries         what the test says of them
all 0               p 1, interval [0, 0]
one value, not 0    what the test says of it; for t: p NaN, interval unbounded, no stop
one query differs   what the test says of them
two values          what the test says of them
not finite          refused
a look too early    interval (-inf, inf) and no stop, where less than 1e-14 may be spent
==================  ====================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.designs.stopping import NOTHING, Boundaries, Kind, stopping_boundaries
from abrank.inference.registry import as_alpha, as_differences, run_test


@record
class GroupSequential:
    """The tests at the looks that have been reached: arrays of shape (n_reached,).

    The intervals are repeated confidence intervals: all of them hold at once with the confidence
    of the whole plan. ``stopped`` says at which look the test was below its level, and so its
    interval excluded 0.
    """

    n_queries: IntArray
    estimate: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    pvalue: FloatArray
    level: FloatArray
    stopped: BoolArray
    boundaries: Boundaries

    @property
    def first_stop(self) -> int | None:
        """The number of queries at the first look that stops; None if none does."""
        return int(self.n_queries[self.stopped][0]) if self.stopped.any() else None


def run_at_looks(
    differences: npt.ArrayLike,
    looks: Sequence[int],
    *,
    kind: Kind = "spend-obrien-fleming",
    test: str = "t",
    confidence: float = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
) -> GroupSequential:
    """Test the differences at planned numbers of queries, at one level for all looks together.

    Estimand: that of the test, the mean difference for t. Hypothesis: it is 0. The query pairs the
    scores.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline, in the order the queries came.
    looks : sequence of int
        The numbers of queries at which it is looked, rising; the last is the whole plan.
    kind
        As for :func:`stopping_boundaries`.
    test : str
        A name in ``TESTS``, two-sided; its p-value is held against the level of the look.
    confidence : float
        Of all intervals together.
    seed, n_resamples
        As for :func:`run_test`.

    Returns
    -------
    GroupSequential

    Raises
    ------
    ArgumentError
        If a difference is not finite or the looks do not rise from 1.

    References
    ----------
    .. [1] Jennison & Turnbull (1989), Journal of the Royal Statistical Society B 51, 305-361.

    Examples
    --------
    >>> d = 0.08 + 0.3 * np.sin(1.7 * np.arange(90))
    >>> found = run_at_looks(d, [40, 80, 120], kind="pocock")
    >>> found.n_queries, found.pvalue.round(4), found.first_stop
    (array([40, 80]), array([0.0153, 0.0007]), 40)
    """
    data = as_differences(differences)
    if data.shape[1] != 1:
        raise ArgumentError(f"a stream is one column of differences, not {data.shape[1]}")
    planned = np.asarray(looks, dtype=np.int64)
    if not planned.size or planned[0] < 1 or np.any(np.diff(planned) <= 0):
        raise ArgumentError(f"looks must be numbers of queries that rise, not {list(looks)}")
    alpha = float(as_alpha(confidence, 1)[0])
    found = stopping_boundaries((planned / planned[-1]).tolist(), alpha=alpha, kind=kind)
    reached = planned[planned <= len(data)]
    level = found.level[: len(reached)]
    estimate, low, high, pvalue = (
        row[:, 0]
        for row in answer_at_looks(
            data, reached, level, test=test, seed=seed, n_resamples=n_resamples
        )
    )
    return GroupSequential(
        n_queries=reached,
        estimate=estimate,
        ci_low=low,
        ci_high=high,
        pvalue=pvalue,
        level=level,
        stopped=(low > 0.0) | (high < 0.0),
        boundaries=found,
    )


def answer_at_looks(
    data: FloatArray,
    looks: IntArray,
    level: FloatArray,
    *,
    test: str,
    seed: int = 0,
    n_resamples: int | None = None,
) -> FloatArray:
    """Return estimate, limits and p-value of streams at every look, each at the level of the look.

    Parameters
    ----------
    data : ndarray of shape (n_queries, n_streams)
    looks, level : ndarray of shape (n_looks,)
        Numbers of queries that have come, and the two-sided levels.
    test, seed, n_resamples
        As for :func:`run_at_looks`.

    Returns
    -------
    ndarray of shape (4, n_looks, n_streams)

    Examples
    --------
    >>> d = np.array([[0.1], [0.3], [0.2], [0.4]])
    >>> answer_at_looks(d, np.array([2, 4]), np.array([0.01, 0.04]), test="t")[3].round(4)
    array([[0.2952],
           [0.0305]])
    """
    answers = np.empty((4, len(looks), data.shape[1]))
    for place, (n, alpha) in enumerate(zip(looks, level.tolist(), strict=True)):
        # A level of 0 cannot be asked of a test: no p is below it.
        result = run_test(
            test, data[:n], confidence=1.0 - max(alpha, NOTHING), seed=seed, n_resamples=n_resamples
        )
        answers[:, place] = result.estimate, result.ci_low, result.ci_high, result.pvalue
        if alpha == 0.0:
            answers[1:3, place] = np.array([[-np.inf], [np.inf]])
    return answers
