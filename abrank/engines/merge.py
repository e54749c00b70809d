"""Mergeable statistics of paired scores: the same whatever the partitions and their order.

What they hold does not grow with the queries: exact sums and differences counted (see
:mod:`~abrank.engines.counted`), counts, the queries with the largest gains and losses. From them
:class:`abrank.comparison.merged.Merged` is a sample.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.engines.counted import DECIMALS, Counted, count, exact_sum

EXTREMES = 20  # queries kept at each end
LARGE = 0.2  # a difference beyond it is counted apart: a fifth of most measures' scale
TIED = 1e-10  # share of the larger score; a smaller difference counts as 0


class Extreme(NamedTuple):
    """A query with a large gain or loss."""

    difference: float
    query_id: str
    a: float
    b: float


@dataclass(frozen=True, eq=True)
class MeasureStatistics:
    """Sums and counts of one measure.

    sums : tuple of int
        Of a, b, d = b - a, a * a, b * b, a * b and d * d over the queries, in units of 2**-1074.
    wins, ties, losses : int
        Queries on which B scores higher, the same, lower.
    beyond : tuple of int
        Queries with a d below -0.2 and the exact sum of those d, and the same of a d above 0.2.
    counted : Counted
        The differences, and how many queries have each.
    largest, smallest : tuple of Extreme
        The queries with the largest and with the smallest difference.
    """

    sums: tuple[int, ...]
    wins: int
    ties: int
    losses: int
    beyond: tuple[int, ...]
    counted: Counted
    largest: tuple[Extreme, ...]
    smallest: tuple[Extreme, ...]

    def merged(self, other: MeasureStatistics) -> MeasureStatistics:
        """Return the statistics of the queries of both."""
        return MeasureStatistics(
            sums=_added(self.sums, other.sums),
            wins=self.wins + other.wins,
            ties=self.ties + other.ties,
            losses=self.losses + other.losses,
            beyond=_added(self.beyond, other.beyond),
            counted=self.counted.merged(other.counted),
            largest=tuple(heapq.nsmallest(EXTREMES, self.largest + other.largest, key=_falling)),
            smallest=tuple(heapq.nsmallest(EXTREMES, self.smallest + other.smallest)),
        )


@dataclass(frozen=True, eq=True)
class Statistics:
    """Statistics of two systems on some queries.

    measures : tuple of str
    n_queries : int
    of : tuple of MeasureStatistics
        By measure.
    clusters : mapping of str to tuple
        For each cluster its number of queries, and the sum of d of each measure in units of
        2**-1074; empty where none were given. There is an entry for every cluster.
    segments : mapping of str to mapping of str to tuple
        For each property of the queries and each of its values the number of queries, and for each
        measure the sums of d, d**2 and d**3 in the same units; of earlier versions of d and d**2.
    """

    measures: tuple[str, ...]
    n_queries: int
    of: tuple[MeasureStatistics, ...]
    clusters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    segments: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)

    def merged(self, other: Statistics) -> Statistics:
        """Return the statistics of the queries of both."""
        if self.measures != other.measures:
            raise ArgumentError("statistics of other measures cannot be merged")
        names = sorted({*self.segments, *other.segments})
        return Statistics(
            self.measures,
            self.n_queries + other.n_queries,
            tuple(one.merged(two) for one, two in zip(self.of, other.of, strict=True)),
            _together(self.clusters, other.clusters),
            {
                name: _together(self.segments.get(name, {}), other.segments.get(name, {}))
                for name in names
            },
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, which :func:`statistics_from` takes back from JSON."""
        return {
            "measures": list(self.measures),
            "n_queries": self.n_queries,
            "of": [
                {**vars(each), "counted": [each.counted.exponent, each.counted.items]}
                for each in self.of
            ],
            "clusters": dict(self.clusters),
            "segments": {name: dict(each) for name, each in self.segments.items()},
        }


def statistics_of(
    query_ids: Sequence[str],
    values: FloatArray,
    measures: Sequence[str],
    *,
    clusters: Sequence[str] | None = None,
    segments: Mapping[str, Sequence[str]] | None = None,
) -> Statistics:
    """Return the statistics of some queries."""
    a, b = values[:, 0, :], values[:, 1, :]
    d = b - a
    found = tuple(_of_measure(query_ids, a[:, m], b[:, m], d[:, m]) for m in range(len(measures)))
    by_cluster = {} if clusters is None else _by_label(clusters, (d,))
    by_segment = {
        name: _by_label(labels, (d, d * d, d * d * d))
        for name, labels in sorted((segments or {}).items())
    }
    return Statistics(tuple(map(str, measures)), len(query_ids), found, by_cluster, by_segment)


def statistics_from(saved: Mapping[str, Any]) -> Statistics:
    """Return the statistics of :meth:`Statistics.to_dict`, which may have gone through JSON."""
    every = []
    for each in saved["of"]:
        known: dict[str, Any] = {key: tuple(each[key]) for key in ("sums", "beyond")}
        known |= {key: each[key] for key in ("wins", "ties", "losses")}
        exponent, items = each["counted"]
        known["counted"] = Counted(exponent, tuple((place, n) for place, n in items))
        known |= {key: tuple(Extreme(*one) for one in each[key]) for key in ("largest", "smallest")}
        every.append(MeasureStatistics(**known))
    clusters = {label: tuple(sums) for label, sums in saved["clusters"].items()}
    segments = {
        name: {label: tuple(sums) for label, sums in each.items()}
        for name, each in saved["segments"].items()
    }
    return Statistics(
        tuple(saved["measures"]), saved["n_queries"], tuple(every), clusters, segments
    )


class Tree:
    """Merges statistics in pairs as they arrive, and holds at most log2 of their number."""

    def __init__(self) -> None:
        self.held: list[tuple[int, Statistics]] = []

    def add(self, part: Statistics) -> None:
        """Take one more partition."""
        level = 0
        while self.held and self.held[-1][0] == level:
            part, level = self.held.pop()[1].merged(part), level + 1
        self.held.append((level, part))

    def total(self) -> Statistics:
        """Return the statistics of all partitions; the order in which they came changes nothing."""
        if not self.held:
            raise ArgumentError("there are no statistics to merge")
        every = [part for _, part in reversed(self.held)]
        merged = every[0]
        for part in every[1:]:
            merged = part.merged(merged)
        return merged


def _of_measure(
    query_ids: Sequence[str], a: FloatArray, b: FloatArray, difference: FloatArray
) -> MeasureStatistics:
    tied = np.abs(difference) <= TIED * np.maximum(np.abs(a), np.abs(b))
    # Those that differ by rounding alone stand by their ids.
    ranked = np.round(difference, DECIMALS)
    added = (a, b, difference, a * a, b * b, a * b, difference * difference)
    # By what is rounded: 0.5 - 0.3 is not beyond 0.2.
    below, above = difference[ranked < -LARGE], difference[ranked > LARGE]

    def ends(order: IntArray) -> list[Extreme]:
        return [
            Extreme(float(ranked[i]), query_ids[i], float(a[i]), float(b[i]))
            for i in order.tolist()
        ]

    return MeasureStatistics(
        sums=tuple(map(exact_sum, added)),
        wins=int(np.count_nonzero(~tied & (difference > 0))),
        ties=int(np.count_nonzero(tied)),
        losses=int(np.count_nonzero(~tied & (difference < 0))),
        beyond=(len(below), exact_sum(below), len(above), exact_sum(above)),
        counted=count(difference, tied=tied),
        largest=tuple(sorted(ends(_extreme(-ranked)), key=_falling)[:EXTREMES]),
        smallest=tuple(sorted(ends(_extreme(ranked)))[:EXTREMES]),
    )


def _extreme(values: FloatArray) -> IntArray:
    """Return the rows of the least values, those that equal the last of them too."""
    if len(values) <= EXTREMES:
        return np.arange(len(values))
    last = np.partition(values, EXTREMES - 1)[EXTREMES - 1]
    return np.flatnonzero(values <= last)


def _falling(extreme: Extreme) -> tuple[float, str]:
    return -extreme.difference, extreme.query_id


def _by_label(labels: Sequence[str], summed: Sequence[FloatArray]) -> dict[str, tuple[int, ...]]:
    """Return the number of rows with each label, and the exact sums of every column."""
    names, number = np.unique(np.array(labels, dtype=object).astype(str), return_inverse=True)
    order, ends = np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))
    found: dict[str, tuple[int, ...]] = {}
    if not len(names):
        return found
    for name, rows in zip(names.tolist(), np.split(order, ends[:-1]), strict=True):
        sums = (exact_sum(each[rows, m]) for m in range(summed[0].shape[1]) for each in summed)
        found[name] = (len(rows), *sums)
    return found


def _together(
    one: Mapping[str, tuple[int, ...]], other: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """Return the sums of each label, in the order of the labels."""
    total = dict(one)
    for name, sums in other.items():
        total[name] = _added(total[name], sums) if name in total else sums
    return dict(sorted(total.items()))


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x + y for x, y in zip(one, other, strict=True))
