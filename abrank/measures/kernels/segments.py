"""Sums and counts over the segments of a judged run: all queries at once, never one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from abrank._support import checks
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs.judged import JudgedRun

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Hits:
    """The relevant documents that a run retrieved: index of the query, and rank from 1.

    Examples
    --------
    >>> hits = Hits.of(JudgedRun.from_grades([[1, 0, 2], [1]]), rel=1, cutoff=None)
    >>> hits.query, hits.rank
    (array([0, 0, 1]), array([1, 3, 1]))
    """

    query: IntArray
    rank: IntArray

    @classmethod
    def of(cls, judged: JudgedRun, *, rel: int, cutoff: int | None) -> Hits:
        """Select those with a grade of at least ``rel`` among the first ``cutoff`` ranks."""
        chosen = relevant(judged, rel=rel) & within(judged.rank, cutoff)
        return cls(judged.query[chosen], judged.rank[chosen])

    def count(self, n_queries: int) -> IntArray:
        """Count them for each query: int64[n_queries]."""
        return np.bincount(self.query, minlength=n_queries)


def relevant(judged: JudgedRun, *, rel: int) -> BoolArray:
    """Mark the retrieved rows with a grade of at least ``rel``.

    ``rel`` starts at 1: trec_eval takes a grade below 0 as unjudged, and ``rel=0`` would call the
    documents relevant that an assessor has refused.

    Examples
    --------
    >>> relevant(JudgedRun.from_grades([[1, 0, 2, -1]]), rel=2)
    array([False, False,  True, False])
    """
    return judged.grade >= checks.count("rel", rel)


def within(rank: IntArray, cutoff: int | None) -> BoolArray:
    """Mark the ranks that are counted; ``None`` counts all.

    Examples
    --------
    >>> within(np.array([1, 2, 3]), 2)
    array([ True,  True, False])
    """
    if cutoff is None:
        return np.ones(len(rank), dtype=np.bool_)
    return rank <= checks.count("cutoff", cutoff)


def ordinal(query: IntArray) -> IntArray:
    """Count the rows of each query from 1, in the order they stand; ``query`` is ascending.

    Examples
    --------
    >>> ordinal(np.array([0, 0, 0, 2, 2]))
    array([1, 2, 3, 1, 2])
    """
    return np.arange(1, len(query) + 1) - _first(query)


def counted_so_far(query: IntArray, flags: BoolArray) -> IntArray:
    """Count the marked rows of the same query down to each row, itself included.

    Examples
    --------
    >>> counted_so_far(np.array([0, 0, 1, 1]), np.array([True, True, False, True]))
    array([1, 2, 0, 1])
    """
    running = np.cumsum(flags, dtype=np.int64)
    return running - (running - flags)[_first(query)]


def running(operation: np.ufunc, query: IntArray, values: npt.NDArray[np.number]) -> FloatArray:
    """Combine the values of the same query down to each row, itself included.

    ``operation`` is ``np.add``, ``np.multiply`` or ``np.maximum``. Each pass reaches twice as far
    up, so that a query of n rows takes log2(n) of them, and no query's rounding meets another's.

    Examples
    --------
    >>> running(np.multiply, np.array([0, 0, 0, 1]), np.array([0.5, 0.5, 2.0, 3.0]))
    array([0.5 , 0.25, 0.5 , 3.  ])
    """
    combined = np.array(values, dtype=np.float64)
    position, reach = ordinal(query), 1
    while len(rows := np.flatnonzero(position > reach)):
        combined[rows] = operation(combined[rows - reach], combined[rows])
        reach *= 2
    return combined


def share(part: npt.NDArray[np.number], whole: npt.NDArray[np.number]) -> FloatArray:
    """Divide, where nothing of nothing is 0.

    Examples
    --------
    >>> share(np.array([1, 0]), np.array([2, 0]))
    array([0.5, 0. ])
    """
    result = np.zeros(len(part))
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def _first(query: IntArray) -> IntArray:
    """Return, for each row, the index of the first row of its query."""
    counts = np.bincount(query)
    return (np.cumsum(counts) - counts)[query]
