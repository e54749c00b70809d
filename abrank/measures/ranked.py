"""All judged documents of each query in the order of their scores, and the pairs among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs.judged import JudgedRun


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers of pairs of documents with different grades: float64[n_queries] each."""

    concordant: FloatArray
    discordant: FloatArray
    tied: FloatArray


@dataclass(frozen=True, eq=False)
class Ranked:
    """All judged documents with a grade from 0, those not retrieved last; by query and place.

    ``place`` is equal for documents with equal scores, and grows as scores fall.

    Examples
    --------
    >>> ranked = Ranked.of(JudgedRun.from_grades([[1, None, 0]], ideal=[[2, 1, 0, 0]]))
    >>> ranked.grade, ranked.place
    (array([1, 0, 0, 2]), array([1, 3, 4, 4]))
    """

    query: IntArray
    grade: IntArray
    place: IntArray

    @classmethod
    def of(cls, judged: JudgedRun) -> Ranked:
        """Gather them from a judged run."""
        kept, known = judged.grade >= 0, judged.ideal_grade >= 0
        span = int(judged.ideal_grade.max(initial=0)) + 1
        keys, n_judged = np.unique(
            judged.ideal_query[known] * span + judged.ideal_grade[known], return_counts=True
        )
        found = np.searchsorted(keys, judged.query[kept] * span + judged.grade[kept])
        missed = np.repeat(keys, n_judged - np.bincount(found, minlength=len(keys)))
        query = np.concatenate([judged.query[kept], missed // span])
        grade = np.concatenate([judged.grade[kept], missed % span])
        last = judged.n_retrieved[missed // span] + 1
        place = np.concatenate([judged.tie_first[kept], last])
        order = np.lexsort((place, query))
        return cls(query[order], grade[order], place[order])

    def around(self, rows: IntArray, flags: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
        """Count, for each row, the marked documents of its query below, above and beside it.

        Examples
        --------
        >>> ranked = Ranked.of(JudgedRun.from_grades([[0, 1, 0]], scores=[[3, 2, 2]]))
        >>> ranked.around(np.array([1]), ranked.grade == 0)
        (array([0]), array([1]), array([1]))
        """
        changes = (np.diff(self.query) != 0) | (np.diff(self.place) != 0)
        first, last = _bounds(changes)
        top, bottom = _bounds(np.diff(self.query) != 0)
        marked = np.concatenate([[0], np.cumsum(flags)])
        return (
            marked[bottom[rows]] - marked[last[rows]],
            marked[first[rows]] - marked[top[rows]],
            marked[last[rows]] - marked[first[rows]],
        )

    def pairs(self, grade: IntArray, n_queries: int) -> Pairs:
        """Count the pairs of each query that differ in ``grade``, by the order of their scores.

        Examples
        --------
        >>> ranked = Ranked.of(JudgedRun.from_grades([[1, 2, 0]]))
        >>> found = ranked.pairs(ranked.grade, 1)
        >>> found.concordant, found.discordant, found.tied
        (array([2.]), array([1.]), array([0.]))
        """
        counts = np.zeros((3, n_queries))
        for level in np.unique(grade)[1:]:
            rows = np.flatnonzero(grade == level)
            for total, number in zip(counts, self.around(rows, grade < level), strict=True):
                total += np.bincount(self.query[rows], weights=number, minlength=n_queries)
        return Pairs(*counts)

    def pairs_of_one_grade(self, n_queries: int) -> FloatArray:
        """Count the pairs of each query with equal grades and different scores.

        Examples
        --------
        >>> ranked = Ranked.of(JudgedRun.from_grades([[1, 1, 1, 0]], scores=[[3, 2, 2, 1]]))
        >>> ranked.pairs_of_one_grade(1)
        array([2.])
        """
        totals = np.zeros(n_queries)
        for sign, columns in ((1, (self.grade,)), (-1, (self.place, self.grade))):
            groups, sizes = np.unique(np.stack([self.query, *columns]), axis=1, return_counts=True)
            totals += np.bincount(
                groups[0], weights=sign * sizes * (sizes - 1) / 2, minlength=n_queries
            )
        return totals


def _bounds(changes: BoolArray) -> tuple[IntArray, IntArray]:
    """Return, for each row, where its group begins and where the next one does."""
    begins = np.flatnonzero(np.concatenate([[True], changes]))
    ends = np.append(begins[1:], len(changes) + 1)
    return np.repeat(begins, ends - begins), np.repeat(ends, ends - begins)
