"""Gains of graded documents, retrieved and ideal: what nDCG and its kin add up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import ordinal, running, within
from abrank.measures.registry.parameters import Gains

Dcg: TypeAlias = Literal["log2", "exp-log2"]


@dataclass(frozen=True, eq=False)
class Gained:
    """Documents with a gain other than 0: index of the query, rank from 1, and gain.

    With ``dcg="exp-log2"`` a gain is that of its grade over 2**h, h the highest grade of the query,
    so that no grade overflows.
    """

    query: IntArray
    rank: IntArray
    gain: FloatArray

    @classmethod
    def retrieved(
        cls,
        judged: JudgedRun,
        *,
        cutoff: int | None = None,
        dcg: Dcg = "log2",
        gains: Gains | None = None,
    ) -> Gained:
        """Return those the run retrieved, by rank.

        Examples
        --------
        >>> found = Gained.retrieved(JudgedRun.from_grades([[1, None, -1, 2]]), gains=((2, 3.5),))
        >>> found.rank, found.gain
        (array([1, 4]), array([1. , 3.5]))
        """
        counted = within(judged.rank, cutoff)
        query, rank = judged.query[counted], judged.rank[counted]
        gain = _gain(judged, query, judged.grade[counted], dcg, gains)
        kept = gain != 0
        return cls(query[kept], rank[kept], gain[kept])

    @classmethod
    def ideal(
        cls,
        judged: JudgedRun,
        *,
        cutoff: int | None = None,
        dcg: Dcg = "log2",
        gains: Gains | None = None,
    ) -> Gained:
        """Return all that were judged and have a gain above 0, the highest gain first.

        trec_eval sorts gains by an integer difference, so that gains less than 1 apart come in no
        order there and its ideal ranking is none (gain_init.c).

        Examples
        --------
        >>> judged = JudgedRun.from_grades([[]], ideal=[[2, 1, 1]])
        >>> Gained.ideal(judged, gains=((1, 0.9), (2, 0.5))).gain
        array([0.9, 0.9, 0.5])
        """
        gain = _gain(judged, judged.ideal_query, judged.ideal_grade, dcg, gains)
        kept = np.flatnonzero(gain > 0)
        if gains:
            kept = kept[np.lexsort((-gain[kept], judged.ideal_query[kept]))]
        query, gain = judged.ideal_query[kept], gain[kept]
        rank = ordinal(query)
        counted = within(rank, cutoff)
        return cls(query[counted], rank[counted], gain[counted])

    @property
    def discounted(self) -> FloatArray:
        """The gain of each over log2(rank + 1)."""
        discounted: FloatArray = self.gain / np.log2(self.rank + 1.0)
        return discounted


def ideal_total(
    ideal: Gained, amounts: FloatArray, *, query: IntArray, rank: IntArray
) -> FloatArray:
    """Sum the amounts of an ideal ranking's documents down to each of these queries' ranks.

    Examples
    --------
    >>> ideal = Gained.ideal(JudgedRun.from_grades([[]], ideal=[[2, 1, 1]]))
    >>> ideal_total(ideal, ideal.gain, query=np.array([0, 0]), rank=np.array([2, 9]))
    array([3., 4.])
    """
    lengths = np.bincount(ideal.query, minlength=query.max(initial=0) + 1)
    length = lengths[query]
    row = (np.cumsum(lengths) - lengths)[query] + np.minimum(rank, length) - 1
    sums = np.append(running(np.add, ideal.query, amounts), 0.0)
    return np.where(length > 0, sums[row], 0.0)


def highest_grade(judged: JudgedRun) -> IntArray:
    """Return the highest grade of each query's judgments, at least 0: int64[n_queries].

    Examples
    --------
    >>> highest_grade(JudgedRun.from_grades([[0, 2], [-1], []]))
    array([2, 0, 0])
    """
    first = ordinal(judged.ideal_query) == 1
    highest = np.zeros(judged.n_queries, dtype=np.int64)
    highest[judged.ideal_query[first]] = np.maximum(judged.ideal_grade[first], 0)
    return highest


def _gain(
    judged: JudgedRun, query: IntArray, grade: IntArray, dcg: Dcg, gains: Gains | None
) -> FloatArray:
    """Return the gain of each document; that of a negative grade is 0."""
    if checks.one_of("dcg", dcg, ("log2", "exp-log2")) == "exp-log2":
        if gains:
            raise ArgumentError("gains take the place of the gain of dcg='log2': leave out one")
        scale = highest_grade(judged)[query].astype(np.float64)
        return np.exp2(np.maximum(grade, 0) - scale) - np.exp2(-scale)
    gain = np.maximum(grade, 0).astype(np.float64)
    for level, own in dict(gains or ()).items():
        if not math.isfinite(own):
            raise ArgumentError(f"the gain of grade {level} must be finite, not {own!r}")
        gain[grade == checks.count("a grade that has a gain", level, at_least=0)] = own
    return gain
