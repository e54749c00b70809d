"""Counts and sums of partitions, merged into those of all queries."""

# What they hold does not grow with the queries: exact sums, counts, differences counted, the
# queries with the largest gains and losses. From them `Merged` is a sample. Up to `MOST` distinct
# differences are counted each by itself, rounded to 10 decimals as in memory, so that nothing of
# P@k or RR@k is lost. More of them are counted in bins of a grid whose step is a power of 2, the
# smallest for which the largest difference is within `BINS` steps. Which of the two it is, and the
# step, follow from the differences alone.

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import BoolArray, FloatArray, IntArray

# --- Sums that do not depend on the order of adding: every float64 is a whole number of units of
# 2**-1074, and Python's integers hold the sum of any number of them exactly

_UNIT = 1074
_HALF = 26  # bits of the lower half of a 53-bit mantissa
_MOST = 1 << 26  # values whose halves, below 2**27 each, add up within 53 bits


def exact_sum(values: FloatArray) -> int:
    """Return the sum of finite values in units of 2**-1074."""
    total = 0
    for start in range(0, len(values), _MOST):
        mantissa, exponent = np.frexp(values[start : start + _MOST])
        whole = np.ldexp(mantissa, 53)
        high = np.floor(np.ldexp(whole, -_HALF))
        low = whole - np.ldexp(high, _HALF)
        least = int(exponent.min(initial=0))
        place = exponent - least
        # Both halves are whole numbers below 2**27: bincount adds so many of them exactly.
        for part, shift in ((high, _HALF), (low, 0)):
            sums = np.bincount(place, weights=part)
            for i in np.flatnonzero(sums).tolist():
                value, places = int(sums[i]), i + least - 53 + shift + _UNIT
                # A value below the unit is a subnormal's, whose lowest bits are 0.
                total += value << places if places >= 0 else value >> -places
    return total


def exact_value(total: int) -> float:
    """Return a sum of :func:`exact_sum` as the nearest float."""
    return float(Fraction(total, 1 << _UNIT))


# --- Differences of one measure, counted: of any part of the queries, merged in any order, the same


MOST = 4096  # distinct differences that are counted each by itself
BINS = 1 << 14  # of differences above 0, and of those below
DECIMALS = 10


@dataclass(frozen=True)
class Counted:
    """Distinct differences, or bins of them, and how many queries are in each."""

    # The step of the grid is 2 to this power; None where every difference is there by itself
    exponent: int | None = None
    # Difference, or signed number of the bin, from 1 and -1 outwards, and 0 for ties; and how
    # many queries have it. Ascending.
    items: tuple[tuple[float, int], ...] = ()

    @property
    def step(self) -> float:
        """Width of a bin; 0 where every difference is there by itself."""
        return 0.0 if self.exponent is None else math.ldexp(1.0, self.exponent)

    def merged(self, other: Counted) -> Counted:
        """Return the counts of the queries of both."""
        both = [self, other]
        if self.exponent is None and other.exponent is None:
            return _fitted(_on_one_grid(None, both))
        levels = [each._level() for each in both]
        exponent = max(level for level in levels if level is not None)
        return _on_one_grid(exponent, [each._on(exponent) for each in both])

    def values(self) -> tuple[FloatArray, IntArray]:
        """Return distinct differences, a bin's by its middle, and how many queries have each."""
        places, counts = self._items()
        if self.exponent is not None:
            places = np.ldexp(places - 0.5 * np.sign(places), self.exponent)
        return places, counts

    def _items(self) -> tuple[FloatArray, IntArray]:
        places, counts = np.array(self.items, dtype=np.float64).reshape(-1, 2).T
        return places, counts.astype(np.int64)

    def _level(self) -> int | None:
        """Return the exponent of the grid that the largest difference asks for."""
        if self.exponent is not None:
            return self.exponent
        largest = max((abs(place) for place, _ in self.items), default=0.0)
        return _exponent_of(largest) if largest else None

    def _on(self, exponent: int) -> Counted:
        """Return the same queries in the bins of a coarser grid."""
        # Rounding up twice is rounding up once, so the way to a grid changes nothing.
        places, counts = self._items()
        own = self.exponent or 0  # a single difference counts steps of 1
        outwards = np.ceil(np.ldexp(np.abs(places), own - exponent))
        return _counted(exponent, np.copysign(outwards, places), counts)


def count(differences: FloatArray, *, tied: BoolArray | None = None) -> Counted:
    """Count differences."""
    rounded = np.round(differences, DECIMALS)
    # What is smaller than the last decimal is kept as it is: of scores that are as small.
    rounded = np.where(rounded == 0.0, differences, rounded)
    if tied is not None:
        rounded = np.where(tied, 0.0, rounded)
    return _fitted(_counted(None, rounded, np.ones(len(rounded), np.int64)))


def _fitted(alone: Counted) -> Counted:
    """Return counts of single differences as they are, or in bins where they are too many."""
    if len(alone.items) <= MOST:
        return alone
    return alone._on(_exponent_of(max(abs(place) for place, _ in alone.items)))


def _exponent_of(largest: float) -> int:
    share, exponent = math.frexp(largest)
    return exponent - (share == 0.5) - BINS.bit_length() + 1


def _on_one_grid(exponent: int | None, parts: Sequence[Counted]) -> Counted:
    """Return the queries of all parts, which are on one grid."""
    places, counts = zip(*(part._items() for part in parts), strict=True)
    return _counted(exponent, np.concatenate(places), np.concatenate(counts))


def _counted(exponent: int | None, places: FloatArray, counts: IntArray) -> Counted:
    """Return how many queries are in each place; a place may be there several times."""
    distinct, row = np.unique(places + 0.0, return_inverse=True)
    total = np.bincount(row, weights=counts, minlength=len(distinct)).astype(np.int64)
    kind = np.float64 if exponent is None else np.int64
    items = zip(distinct.astype(kind).tolist(), total.tolist(), strict=True)
    return Counted(exponent, tuple(items))


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
    """Sums and counts of one measure."""

    # Of a, b, d = b - a, a * a, b * b, a * b and d * d over the queries, in units of 2**-1074
    sums: tuple[int, ...]
    # wins, ties, losses: queries on which B scores higher, the same, lower
    wins: int
    ties: int
    losses: int
    # Queries with a d below -0.2 and the exact sum of those d, and the same of a d above 0.2
    beyond: tuple[int, ...]
    counted: Counted  # the differences, and how many queries have each
    # largest, smallest: the queries with the largest and with the smallest difference
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
    """Statistics of two systems on some queries."""

    measures: tuple[str, ...]
    n_queries: int
    of: tuple[MeasureStatistics, ...]  # by measure
    # For each cluster its number of queries, and the sum of d of each measure in units of
    # 2**-1074; empty where none were given. There is an entry for every cluster.
    clusters: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    # For each property of the queries and each of its values the number of queries, and for
    # each measure the sums of d, d**2 and d**3 in the same units; of earlier versions of d
    # and d**2
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
