"""Rates of gain by the C/W/L framework: readers who look at one rank after another, and stop.

A reader who has looked at rank i goes on to the next with probability C(i). So rank i is looked at
with a probability in proportion to W(i) = C(1) * ... * C(i - 1), and the measure is the gain that
one look brings in expectation: sum of W(i) * gain(i) over sum of W(i).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun

# As in cwl_eval: nobody looks below this rank, and a shorter ranking ends in documents of no gain.
DEPTH = 1000
_QUERIES_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class Seen:
    """What a reader knows at each rank.

    Attributes
    ----------
    rank : float64[depth]
        From 1.
    gain : float64[queries, depth]
        Gain of the document there, from 0 to 1.
    gain_so_far : float64[queries, depth]
        Sum of the gains down to it, itself included.
    """

    rank: FloatArray
    gain: FloatArray
    gain_so_far: FloatArray


def rate_of_gain(
    judged: JudgedRun,
    going_on: Callable[[Seen], FloatArray],
    *,
    cutoff: int | None = None,
    min_rel: int,
    max_rel: int,
) -> FloatArray:
    """Return the gain of a look in expectation, for readers who go on as ``going_on`` says.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    going_on : callable
        ``going_on(seen)`` gives C, the probability of looking at the next rank: float64[depth] or
        float64[queries, depth].
    cutoff : int, optional
        The last rank looked at; at most 1,000, which ``None`` means.
    min_rel, max_rel : int
        Grades with a gain of 0 and of 1; the gains between lie on a line.

    Returns
    -------
    float64[n_queries]

    Raises
    ------
    ArgumentError
        If ``cutoff`` is below 1, ``min_rel`` below 0 or ``max_rel`` not above it.

    Examples
    --------
    Everybody looks at three ranks: precision at 3.

    >>> judged = JudgedRun.from_grades([[1, 0, 1], [0]])
    >>> everybody = lambda seen: np.ones_like(seen.gain)
    >>> rate_of_gain(judged, everybody, cutoff=3, min_rel=0, max_rel=1).round(4)
    array([0.6667, 0.    ])
    """
    lowest = checks.count("min_rel", min_rel, at_least=0)
    scale = checks.count("max_rel", max_rel, at_least=lowest + 1) - lowest
    depth = DEPTH if cutoff is None else min(checks.count("cutoff", cutoff), DEPTH)
    counted = (judged.grade > lowest) & (judged.rank <= depth)
    query, column = judged.query[counted], judged.rank[counted] - 1
    units = np.minimum(judged.grade[counted] - lowest, scale)
    rank = np.arange(1.0, depth + 1.0)
    rates = np.zeros(judged.n_queries)
    for first in range(0, judged.n_queries, _QUERIES_AT_ONCE):
        last = min(first + _QUERIES_AT_ONCE, judged.n_queries)
        rows = slice(*np.searchsorted(query, [first, last]))
        grade = np.zeros((last - first, depth))
        grade[query[rows] - first, column[rows]] = units[rows]
        seen = Seen(rank, grade / scale, np.cumsum(grade, axis=1) / scale)
        looks = np.ones_like(grade)
        looks[:, 1:] = np.cumprod(going_on(seen), axis=-1)[..., :-1]
        rates[first:last] = (looks * seen.gain).sum(axis=1) / looks.sum(axis=1)
    return rates


def patience(rank: FloatArray, hope: float | FloatArray) -> FloatArray:
    """Return INSQ's C at these ranks, of a reader who hopes for so many documents of gain 1.

    Examples
    --------
    >>> patience(np.array([1.0, 2.0]), 1.0).round(4)
    array([0.4444, 0.5625])
    """
    weight: FloatArray = ((rank + 2.0 * hope - 1.0) / (rank + 2.0 * hope)) ** 2
    return weight
