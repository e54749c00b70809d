"""Gain that fades with repetition: what measures of diversity sum, for a ranking and its ideal."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels import ordinal, share, within

Discount: TypeAlias = Callable[[IntArray], FloatArray]

# The ideal ranking is found greedily, so a ranking may be better. Gain is submodular, so by no more
# than this (Nemhauser, Wolsey & Fisher 1978).
OVER_GREEDY = math.e / (math.e - 1.0)

# Sums of gains that are equal but for rounding are a tie.
_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Aspects:
    """Who is relevant to which subtopic, in a run and in its judgments."""

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
        found, pool = judged.subtopics, judged.subtopics.pool
        needed = checks.count("rel", rel)
        retrieved, relevant = found.grade >= needed, pool.grade >= needed
        row, subtopic = found.row[retrieved], found.subtopic[retrieved]
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
        """Sum the discounted gain of the ranking: float64[n_queries].

        A document gains (1 - alpha)**i for each subtopic it is relevant to, where i documents above
        it are relevant to the same one.
        """
        fading = 1.0 - portion("alpha", alpha)
        counted = within(self.rank, cutoff)
        return self.total(counted * fading ** (self.nth - 1.0) * discount(self.rank))

    def ideal_gain(self, discount: Discount, *, alpha: float, cutoff: int | None) -> FloatArray:
        """Sum the discounted gain of the ideal ranking: float64[n_queries].

        The best order is NP-complete to find; as in ndeval.c, each rank takes the document of the
        highest gain after those above it and, of equal ones, the last by id: the order of ties in
        runs too. One step down all queries at a time.
        """
        fading = 1.0 - portion("alpha", alpha)
        query, document, subtopic = self.pool_query, self.pool_document, self.pool_subtopic
        n_above = np.zeros(subtopic.max(initial=-1) + 1)
        value = np.zeros(len(self.n_subtopics))
        rank = 0
        while len(document) and (cutoff is None or rank < cutoff):
            rank += 1
            begins = _changes(document)
            gain = np.add.reduceat(fading ** n_above[subtopic], np.flatnonzero(begins))
            owner = query[begins]
            best = _last_highest(gain.round(_DECIMALS), owner)
            value[owner[best]] += gain[best] * discount(np.full(len(best), rank))
            taken = np.isin(np.cumsum(begins) - 1, best)
            n_above[subtopic[taken]] += 1
            query, document, subtopic = query[~taken], document[~taken], subtopic[~taken]
        return value

    def highest_gain(self, discount: Discount, *, alpha: float, cutoff: int) -> FloatArray:
        """Sum the gain of documents that all serve every subtopic: float64[n_queries]."""
        rank = np.arange(1, cutoff + 1)
        each = np.sum((1.0 - alpha) ** (rank - 1.0) * discount(rank))
        return self.n_subtopics.astype(np.float64) * each


def of_ideal(
    judged: JudgedRun, discount: Discount, *, rel: int, alpha: float, cutoff: int | None
) -> FloatArray:
    """Divide the discounted gain of the ranking by that of the ideal one: float64[n_queries]."""
    aspects = Aspects.of(judged, rel=rel)
    return share(
        aspects.gain(discount, alpha=alpha, cutoff=cutoff),
        aspects.ideal_gain(discount, alpha=alpha, cutoff=cutoff),
    )


def portion(argument: str, value: float) -> float:
    """Return ``value`` if it lies in [0, 1]."""
    if not 0.0 <= value <= 1.0:
        raise ArgumentError(f"{argument} must be from 0 to 1, not {value!r}")
    return float(value)


def _last_highest(gain: FloatArray, query: IntArray) -> IntArray:
    """Return, for each query, the last row of those with its highest gain; queries ascend."""
    begins = _changes(query)
    highest = np.maximum.reduceat(gain, np.flatnonzero(begins))
    rows = np.flatnonzero(gain == highest[np.cumsum(begins) - 1])
    last: IntArray = rows[np.append(np.diff(query[rows]) != 0, True)]
    return last


def _changes(values: IntArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Mark the rows whose value differs from that of the row above; the first does."""
    return np.insert(np.diff(values) != 0, 0, True)
