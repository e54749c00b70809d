"""The cascade: a reader goes down the ranking until a document satisfies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import ordinal, running, within
from abrank.measures.registry.entries import measure

Position = Callable[[FloatArray], FloatArray]

_POSITIONS: dict[str, Position] = {
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
    """Return what the rank of the satisfying document is worth, in expectation.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    position : callable
        phi: the worth of ranks, float64 to float64, without dimension; falling, 1 at rank 1.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all retrieved.
    max_grade : int, optional
        Highest grade of the scale, from 1; ``None`` takes the highest grade in the qrels, over all
        queries.

    Returns
    -------
    float64[n_queries]

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``max_grade`` is below 1, or a judgment is above ``max_grade``.

    Examples
    --------
    With no discount it is the probability that anything satisfies: 1 - 3/4 * 1/4.

    >>> cascade(JudgedRun.from_grades([[1, 2]]), lambda rank: np.ones_like(rank))
    array([0.8125])
    """
    counted = (judged.grade > 0) & within(judged.rank, cutoff)
    query, rank = judged.query[counted], judged.rank[counted].astype(np.float64)
    scale = float(scale_of(judged, max_grade))
    stop = np.exp2(judged.grade[counted] - scale) - np.exp2(-scale)  # no grade overflows
    going_on = running(np.multiply, query, 1.0 - stop)
    arriving = np.ones(len(query))
    later = np.flatnonzero(ordinal(query) > 1)
    arriving[later] = going_on[later - 1]
    return judged.total(query, arriving * stop * position(rank))


@measure("Cascade", bounds=(0, 1), source="Chapelle et al. 2009")
def cascade_measure(
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    phi: Literal["1/log2(r+1)", "1/r"] = "1/log2(r+1)",
    max_grade: int | None = None,
) -> FloatArray:
    """Cascade: worth of the rank at which a reader going down is satisfied, in expectation.

    Unitless, in [0, 1), below 1 even for the ideal ranking; 0 where no document with a grade above
    0 was retrieved.

    A document of grade g satisfies with probability s(g) = (2**g - 1) / 2**max_grade, grades below
    0 as 0 [1]_:

        Cascade = sum over ranks r of phi(r) * s(g_r) * product over i < r of (1 - s(g_i))

    Values for different ``max_grade`` cannot be compared.

    Parameters
    ----------
    phi : {"1/log2(r+1)", "1/r"}
        The worth of rank r: DCG's discount, or one over the rank, which makes it ERR.
        :func:`cascade` takes any other.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang & Grinspan (2009), Expected reciprocal rank for graded
       relevance, CIKM, eq. 3 and section 4.

    Examples
    --------
    Grades 1 and 2 on a scale to 2: 1/4 at rank 1, then 3/4 * 3/4 / log2(3) at rank 2.

    >>> cascade_measure(JudgedRun.from_grades([[1, 2], [0]])).round(4)
    array([0.6049, 0.    ])
    """
    position = _POSITIONS[checks.one_of("phi", phi, _POSITIONS)]
    return cascade(judged, position, cutoff=cutoff, max_grade=max_grade)


def scale_of(judged: JudgedRun, max_grade: int | None) -> int:
    """Return the highest grade of the scale, and refuse a scale that the judgments exceed.

    Examples
    --------
    >>> scale_of(JudgedRun.from_grades([[1, 3]]), None)
    3
    """
    highest = int(judged.ideal_grade.max(initial=0))
    if max_grade is None:
        return highest
    if highest > checks.count("max_grade", max_grade):
        raise ArgumentError(f"the qrels hold a grade of {highest}, above max_grade={max_grade}")
    return max_grade
