"""The judged documents of each query in the order of their scores, and the pairs among them.

Judged documents that were not retrieved stand below all others, with equal scores. Documents
without a grade or with a negative one, which trec_eval takes as unjudged, do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs.judged import JudgedRun


@dataclass(frozen=True, eq=False)
class Ranked:
    """The judged documents retrieved, by query and rank.

    ``place`` is equal for documents with equal scores, and grows as scores fall.

    Examples
    --------
    >>> ranked = Ranked.of(JudgedRun.from_grades([[1, None, 0, -1]]))
    >>> ranked.grade, ranked.place
    (array([1, 0]), array([1, 3]))
    """

    query: IntArray
    grade: IntArray
    place: IntArray

    @classmethod
    def of(cls, judged: JudgedRun) -> Ranked:
        """Select them from a judged run."""
        kept = judged.grade >= 0
        return cls(judged.query[kept], judged.grade[kept], judged.tie_first[kept])

    @cached_property
    def _edges(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """For each row, where its query, its place, the next place and the next query begin."""
        first, last = _bounds((np.diff(self.query) != 0) | (np.diff(self.place) != 0))
        top, bottom = _bounds(np.diff(self.query) != 0)
        return top, first, last, bottom

    def count(self, rows: IntArray, flags: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
        """Count, for each row, the marked documents of its query below, above and beside it.

        Examples
        --------
        >>> ranked = Ranked.of(JudgedRun.from_grades([[0, 1, 0]], scores=[[3, 2, 2]]))
        >>> ranked.count(np.array([1]), ranked.grade == 0)
        (array([0]), array([1]), array([1]))
        """
        marked = np.concatenate([[0], np.cumsum(flags)])
        top, first, last, bottom = (marked[edge[rows]] for edge in self._edges)
        return bottom - last, first - top, last - first


@dataclass(frozen=True, eq=False)
class Pairs:
    """Numbers of pairs of judged documents: float64[n_queries] each.

    Attributes
    ----------
    concordant, discordant, tied
        Of different grades: the better one scores higher, lower, the same.
    of_one_grade
        Of the same grade, with different scores.
    """

    concordant: FloatArray
    discordant: FloatArray
    tied: FloatArray
    of_one_grade: FloatArray

    @classmethod
    def of(cls, judged: JudgedRun, *, rel: int | None = None) -> Pairs:
        """Count them; with ``rel`` there are two grades, relevant and refused.

        Examples
        --------
        >>> found = Pairs.of(JudgedRun.from_grades([[1, 2, 0]], ideal=[[2, 1, 0, 0]]))
        >>> found.concordant, found.discordant, found.tied, found.of_one_grade
        (array([4.]), array([1.]), array([0.]), array([1.]))
        """
        ranked = Ranked.of(judged)
        known = judged.ideal_grade >= 0
        query, pool, grade = judged.ideal_query[known], judged.ideal_grade[known], ranked.grade
        if rel is not None:
            pool, grade = (pool >= rel).astype(np.int64), (grade >= rel).astype(np.int64)

        def number(query: IntArray, weights: IntArray | None = None) -> FloatArray:
            return np.bincount(query, weights, minlength=judged.n_queries).astype(np.float64)

        counts = np.zeros((4, judged.n_queries))
        for level in np.unique(pool):
            rows = np.flatnonzero(grade == level)
            here = ranked.query[rows]
            found, found_lower = number(here), number(ranked.query[grade < level])
            missed = number(query[pool == level]) - found
            missed_lower = number(query[pool < level]) - found_lower
            below, above, beside = ranked.count(rows, grade < level)
            below_alike, _, _ = ranked.count(rows, grade == level)
            counts += [
                number(here, below) + found * missed_lower,
                number(here, above) + missed * found_lower,
                number(here, beside) + missed * missed_lower,
                number(here, below_alike) + found * missed,
            ]
        return cls(*counts)


def _bounds(changes: BoolArray) -> tuple[IntArray, IntArray]:
    """Return, for each row, where its group begins and where the next one does."""
    begins = np.flatnonzero(np.concatenate([[True], changes]))
    ends = np.append(begins[1:], len(changes) + 1)
    return np.repeat(begins, ends - begins), np.repeat(ends, ends - begins)
