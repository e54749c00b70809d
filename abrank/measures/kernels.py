"""Computations that measures share: sums, gains, pairs, gain per look and subtopics."""

# Judged documents that were not retrieved tie below all others. Documents without a grade or with a
# negative one, which trec_eval treats as unjudged, do not count.
#
# In the C/W/L framework a user who has looked at rank i continues with probability C(i). So rank i
# is looked at with a probability proportional to W(i) = C(1) * ... * C(i - 1), and the measure is
# the expected gain per look: sum of W(i) * gain(i) divided by sum of W(i).

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.registry import Gains

if TYPE_CHECKING:
    import numpy.typing as npt


# --- Sums and counts over the segments of a judged run, for all queries at once


@dataclass(frozen=True, eq=False)
class Hits:
    """The retrieved relevant documents: index of the query, and rank from 1."""

    query: IntArray
    rank: IntArray

    @classmethod
    def of(cls, judged: JudgedRun, *, rel: int, cutoff: int | None) -> Hits:
        """Select the documents with a grade of at least ``rel`` in the first ``cutoff`` ranks."""
        is_counted = relevant(judged, rel=rel) & within(judged.rank, cutoff)
        return cls(judged.query[is_counted], judged.rank[is_counted])

    def count(self, n_queries: int) -> IntArray:
        """Count the documents per query: int64[n_queries]."""
        return np.bincount(self.query, minlength=n_queries)


def relevant(judged: JudgedRun, *, rel: int) -> BoolArray:
    """Mark the retrieved rows with a grade of at least ``rel``."""
    # `rel` starts at 1, because trec_eval treats a grade below 0 as unjudged, and `rel=0` would
    # make documents relevant that were judged non-relevant.
    return judged.grade >= checks.relevant_grade("rel", rel)


def within(rank: IntArray, cutoff: int | None) -> BoolArray:
    """Mark the ranks that are counted; ``None`` counts all."""
    if cutoff is None:
        return np.ones(len(rank), dtype=np.bool_)
    return rank <= checks.count("cutoff", cutoff)


def ordinal(query: IntArray) -> IntArray:
    """Return the position of each row in its query, from 1; ``query`` is ascending."""
    return np.arange(1, len(query) + 1) - _first(query)


def counted_so_far(query: IntArray, flags: BoolArray) -> IntArray:
    """Count the marked rows of the same query up to and including each row."""
    running = np.cumsum(flags, dtype=np.int64)
    return running - (running - flags)[_first(query)]


def running(operation: np.ufunc, query: IntArray, values: npt.NDArray[np.number]) -> FloatArray:
    """Combine the values of the same query up to and including each row."""
    # `operation` is `np.add`, `np.multiply` or `np.maximum`. Each pass doubles the reach, so a
    # query of n rows needs log2(n) passes, and rounding errors do not spread between queries.
    combined = np.array(values, dtype=np.float64)
    position, reach = ordinal(query), 1
    while len(rows := np.flatnonzero(position > reach)):
        combined[rows] = operation(combined[rows - reach], combined[rows])
        reach *= 2
    return combined


def share(part: npt.NDArray[np.number], whole: npt.NDArray[np.number]) -> FloatArray:
    """Divide; 0 / 0 is 0."""
    result = np.zeros(len(part))
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def _first(query: IntArray) -> IntArray:
    counts = np.bincount(query)
    return (np.cumsum(counts) - counts)[query]


# --- Gains of graded documents, retrieved and ideal, for nDCG and related measures

Dcg: TypeAlias = Literal["log2", "exp-log2"]


@dataclass(frozen=True, eq=False)
class Gained:
    """Documents with a nonzero gain: index of the query, rank from 1, and gain."""

    # With `dcg="exp-log2"` gains are divided by 2**h, with h the highest grade of the query, to
    # avoid overflow.

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
        """Return the retrieved documents with a gain, by rank."""
        is_counted = within(judged.rank, cutoff)
        query, rank = judged.query[is_counted], judged.rank[is_counted]
        gain = _gain(judged, query, judged.grade[is_counted], dcg, gains)
        has_gain = gain != 0
        return cls(query[has_gain], rank[has_gain], gain[has_gain])

    @classmethod
    def ideal(
        cls,
        judged: JudgedRun,
        *,
        cutoff: int | None = None,
        dcg: Dcg = "log2",
        gains: Gains | None = None,
    ) -> Gained:
        """Return all judged documents with a gain above 0, highest gain first."""
        # trec_eval sorts gains by an integer difference, so gains less than 1 apart are not sorted
        # and its ideal ranking is wrong (gain_init.c).
        gain = _gain(judged, judged.ideal_query, judged.ideal_grade, dcg, gains)
        rows = np.flatnonzero(gain > 0)
        if gains:
            rows = rows[np.lexsort((-gain[rows], judged.ideal_query[rows]))]
        query, gain = judged.ideal_query[rows], gain[rows]
        rank = ordinal(query)
        is_counted = within(rank, cutoff)
        return cls(query[is_counted], rank[is_counted], gain[is_counted])

    @property
    def discounted(self) -> FloatArray:
        """The gain of each document divided by log2(rank + 1)."""
        discounted: FloatArray = self.gain / np.log2(self.rank + 1.0)
        return discounted


def ideal_total(
    ideal: Gained, amounts: FloatArray, *, query: IntArray, rank: IntArray
) -> FloatArray:
    """Sum the amounts of the ideal ranking's documents up to each given rank and query."""
    lengths = np.bincount(ideal.query, minlength=query.max(initial=0) + 1)
    length = lengths[query]
    row = (np.cumsum(lengths) - lengths)[query] + np.minimum(rank, length) - 1
    sums = np.append(running(np.add, ideal.query, amounts), 0.0)
    return np.where(length > 0, sums[row], 0.0)


def highest_grade(judged: JudgedRun) -> IntArray:
    """Return the highest grade of each query's judgments, at least 0: int64[n_queries]."""
    first = ordinal(judged.ideal_query) == 1
    highest = np.zeros(judged.n_queries, dtype=judged.ideal_grade.dtype)
    highest[judged.ideal_query[first]] = np.maximum(judged.ideal_grade[first], 0)
    return highest


def _gain(
    judged: JudgedRun, query: IntArray, grade: IntArray, dcg: Dcg, gains: Gains | None
) -> FloatArray:
    if checks.one_of("dcg", dcg, ("log2", "exp-log2")) == "exp-log2":
        if gains:
            raise ArgumentError("gains take the place of the gain of dcg='log2': leave out one")
        scale = highest_grade(judged)[query].astype(np.float64)
        return np.exp2(np.maximum(grade, 0) - scale) - np.exp2(-scale)
    gain = np.maximum(grade, 0).astype(np.float64)
    for level, gain_of_grade in dict(gains or ()).items():
        if not math.isfinite(gain_of_grade):
            raise ArgumentError(f"the gain of grade {level} must be finite, not {gain_of_grade!r}")
        gain[grade == checks.count("a grade that has a gain", level, at_least=0)] = gain_of_grade
    return gain


# --- The judged documents of each query by score, and their pairs


@dataclass(frozen=True, eq=False)
class Ranked:
    """The retrieved judged documents, by query and rank."""

    # `place` is equal for equal scores, and grows as scores decrease.

    query: IntArray
    grade: IntArray
    place: IntArray

    @classmethod
    def of(cls, judged: JudgedRun) -> Ranked:
        """Select them from a judged run."""
        is_judged = judged.grade >= 0
        return cls(judged.query[is_judged], judged.grade[is_judged], judged.tie_first[is_judged])

    @cached_property
    def _edges(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return, for each row, the starts of its query, its tie, the next tie and next query."""
        first, last = _bounds((np.diff(self.query) != 0) | (np.diff(self.place) != 0))
        top, bottom = _bounds(np.diff(self.query) != 0)
        return top, first, last, bottom

    def count(self, rows: IntArray, flags: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
        """Count, for each row, the marked documents of its query below, above and tied with it."""
        marked = np.concatenate([[0], np.cumsum(flags)])
        top, first, last, bottom = (marked[edge[rows]] for edge in self._edges)
        return bottom - last, first - top, last - first


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Numbers of pairs of judged documents, float64[n_queries] each."""

    concordant: FloatArray
    discordant: FloatArray
    tied: FloatArray
    of_one_grade: FloatArray

    @classmethod
    def of(cls, judged: JudgedRun, *, rel: int | None = None) -> PairCounts:
        """Count the pairs; with ``rel`` there are two grades, relevant and not."""
        ranked = Ranked.of(judged)
        is_judged = judged.ideal_grade >= 0
        query, ideal_grade, grade = (
            judged.ideal_query[is_judged],
            judged.ideal_grade[is_judged],
            ranked.grade,
        )
        if rel is not None:
            ideal_grade, grade = (
                (ideal_grade >= rel).astype(np.int64),
                (grade >= rel).astype(np.int64),
            )

        def number(query: IntArray, weights: IntArray | None = None) -> FloatArray:
            return np.bincount(query, weights, minlength=judged.n_queries).astype(np.float64)

        counts = np.zeros((4, judged.n_queries))
        for level in np.unique(ideal_grade):
            rows = np.flatnonzero(grade == level)
            query_of_row = ranked.query[rows]
            n_found, n_found_lower = number(query_of_row), number(ranked.query[grade < level])
            n_missed = number(query[ideal_grade == level]) - n_found
            n_missed_lower = number(query[ideal_grade < level]) - n_found_lower
            below, above, tied = ranked.count(rows, grade < level)
            below_of_grade, _, _ = ranked.count(rows, grade == level)
            counts += [
                number(query_of_row, below) + n_found * n_missed_lower,
                number(query_of_row, above) + n_missed * n_found_lower,
                number(query_of_row, tied) + n_missed * n_missed_lower,
                number(query_of_row, below_of_grade) + n_found * n_missed,
            ]
        return cls(*counts)


def _bounds(changes: BoolArray) -> tuple[IntArray, IntArray]:
    """Return, for each row, where its group begins and ends."""
    begins = np.flatnonzero(np.concatenate([[True], changes]))
    ends = np.append(begins[1:], len(changes) + 1)
    return np.repeat(begins, ends - begins), np.repeat(ends, ends - begins)


# --- Gain per look in the C/W/L framework

# As in cwl_eval: no ranks below this are seen, and a shorter ranking ends in documents without
# gain.
CWL_DEPTH = 1000
_QUERIES_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class ReaderState:
    """What a user knows at each rank."""

    rank: FloatArray
    gain: FloatArray
    gain_so_far: FloatArray


def rate_of_gain(
    judged: JudgedRun,
    going_on: Callable[[ReaderState], FloatArray],
    *,
    cutoff: int | None = None,
    min_rel: int,
    max_rel: int,
) -> FloatArray:
    """Return the expected gain per look, for users who continue as ``going_on`` says."""
    lowest = checks.count("min_rel", min_rel, at_least=0)
    scale = checks.count("max_rel", max_rel, at_least=lowest + 1) - lowest
    depth = CWL_DEPTH if cutoff is None else min(checks.count("cutoff", cutoff), CWL_DEPTH)
    has_gain = (judged.grade > lowest) & (judged.rank <= depth)
    query, column = judged.query[has_gain], judged.rank[has_gain] - 1
    units = np.minimum(judged.grade[has_gain] - lowest, scale)
    rank = np.arange(1.0, depth + 1.0)
    rates = np.zeros(judged.n_queries)
    for first in range(0, judged.n_queries, _QUERIES_AT_ONCE):
        last = min(first + _QUERIES_AT_ONCE, judged.n_queries)
        rows = slice(*np.searchsorted(query, [first, last]))
        grade = np.zeros((last - first, depth))
        grade[query[rows] - first, column[rows]] = units[rows]
        reader = ReaderState(rank, grade / scale, np.cumsum(grade, axis=1) / scale)
        looks = np.ones_like(grade)
        looks[:, 1:] = np.cumprod(going_on(reader), axis=-1)[..., :-1]
        rates[first:last] = (looks * reader.gain).sum(axis=1) / looks.sum(axis=1)
    return rates


def patience(rank: FloatArray, hope: float | FloatArray) -> FloatArray:
    """Return INSQ's C at these ranks for a user who hopes for ``hope`` documents of gain 1."""
    weight: FloatArray = ((rank + 2.0 * hope - 1.0) / (rank + 2.0 * hope)) ** 2
    return weight


Discount: TypeAlias = Callable[[Any], FloatArray]

# The ideal ranking is computed greedily, so a ranking may be better. Because gain is submodular, it
# is better by at most this factor (Nemhauser, Wolsey & Fisher 1978).
OVER_GREEDY = math.e / (math.e - 1.0)

# Sums of gains that differ only by rounding are ties.
_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Aspects:
    """Which documents are relevant to which subtopics, in a run and in its judgments."""

    n_subtopics: IntArray
    query: IntArray
    rank: IntArray
    subtopic: IntArray
    nth: IntArray
    n_relevant: IntArray
    pool_query: IntArray
    pool_document: IntArray
    pool_subtopic: IntArray

    @classmethod
    def of(cls, judged: JudgedRun, *, rel: int) -> Aspects:
        """Select the judgments with a grade of at least ``rel``."""
        if judged.subtopics is None:
            raise ArgumentError("these judgments are not by subtopic: query subtopic doc grade")
        subtopics, pool = judged.subtopics, judged.subtopics.pool
        needed = checks.relevant_grade("rel", rel)
        retrieved, relevant = subtopics.grade >= needed, pool.grade >= needed
        row, subtopic = subtopics.row[retrieved], subtopics.subtopic[retrieved]
        pool_subtopic = pool.subtopic[relevant]
        n_relevant = np.bincount(pool_subtopic, minlength=len(pool.ids))
        by_subtopic = np.argsort(subtopic, kind="stable")
        nth = np.empty_like(subtopic)
        nth[by_subtopic] = ordinal(subtopic[by_subtopic])
        return cls(
            n_subtopics=np.bincount(pool.query[n_relevant > 0], minlength=judged.n_queries),
            query=judged.query[row],
            rank=judged.rank[row],
            subtopic=subtopic,
            nth=nth,
            n_relevant=n_relevant[subtopic],
            pool_query=pool.query[pool_subtopic],
            pool_document=pool.document[relevant],
            pool_subtopic=pool_subtopic,
        )

    def total(self, weights: FloatArray) -> FloatArray:
        """Sum a weight of each retrieved row by query: float64[n_queries]."""
        sums = np.bincount(self.query, weights=weights, minlength=len(self.n_subtopics))
        return sums.astype(np.float64, copy=False)

    def gain(self, discount: Discount, *, alpha: float, cutoff: int | None) -> FloatArray:
        """Sum the discounted gain of the ranking: float64[n_queries]."""
        # A document gains (1 - alpha)**i for each of its subtopics, if i documents above it are
        # relevant to the same subtopic.
        fading = 1.0 - checks.share("alpha", alpha)
        is_counted = within(self.rank, cutoff)
        return self.total(is_counted * fading ** (self.nth - 1.0) * discount(self.rank))

    def ideal_gain(self, discount: Discount, *, alpha: float, cutoff: int | None) -> FloatArray:
        """Sum the discounted gain of the ideal ranking: float64[n_queries]."""
        # Finding the best order is NP-complete. As in ndeval.c, each rank takes the document with
        # the highest gain given those above it; of ties the last by id, as for ties in runs. All
        # queries advance by one rank at a time.
        fading = 1.0 - checks.share("alpha", alpha)
        query, document, subtopic = self.pool_query, self.pool_document, self.pool_subtopic
        n_above = np.zeros(subtopic.max(initial=-1) + 1)
        value = np.zeros(len(self.n_subtopics))
        rank = 0
        while len(document) and (cutoff is None or rank < cutoff):
            rank += 1
            begins = _changes(document)
            gain = np.add.reduceat(fading ** n_above[subtopic], np.flatnonzero(begins))
            query_of_document = query[begins]
            rounded, is_first = gain.round(_DECIMALS), _changes(query_of_document)
            highest = np.maximum.reduceat(rounded, np.flatnonzero(is_first))
            best = np.flatnonzero(rounded == highest[np.cumsum(is_first) - 1])
            best = best[np.append(np.diff(query_of_document[best]) != 0, True)]  # the last of ties
            value[query_of_document[best]] += gain[best] * discount(np.full(len(best), rank))
            is_of_best = np.isin(np.cumsum(begins) - 1, best)
            n_above[subtopic[is_of_best]] += 1
            query, document, subtopic = (x[~is_of_best] for x in (query, document, subtopic))
        return value

    def highest_gain(self, discount: Discount, *, alpha: float, cutoff: int) -> FloatArray:
        """Sum the gain if all documents are relevant to every subtopic: float64[n_queries]."""
        rank = np.arange(1, cutoff + 1)
        gain_of_subtopic = np.sum((1.0 - alpha) ** (rank - 1.0) * discount(rank))
        return self.n_subtopics.astype(np.float64) * gain_of_subtopic


def ratio_to_ideal(
    judged: JudgedRun, discount: Discount, *, rel: int, alpha: float, cutoff: int | None
) -> FloatArray:
    """Divide the discounted gain of the ranking by that of the ideal one: float64[n_queries]."""
    aspects = Aspects.of(judged, rel=rel)
    return share(
        aspects.gain(discount, alpha=alpha, cutoff=cutoff),
        aspects.ideal_gain(discount, alpha=alpha, cutoff=cutoff),
    )


def _changes(values: IntArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Mark the rows whose value differs from the row above; the first one does."""
    return np.insert(np.diff(values) != 0, 0, True)
