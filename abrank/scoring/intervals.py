"""Confidence intervals of one system's mean scores, and floors that they must reach."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from abrank._support import checks
from abrank._support.display import plural
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.result import Result, record
from abrank._support.rng import entropy
from abrank._support.typing import FloatArray, RandomSource
from abrank.estimate import IntervalRow
from abrank.inference.equivalence import MEAN_TESTS, mean_interval
from abrank.inputs.topics import labels_of, lacking_labels, read_groups
from abrank.measures import parse
from abrank.measures.names import aggregate_of, known

FEW_UNITS = 10  # with fewer queries or clusters, sign flips must also show that a floor is reached
MIN_SEGMENT = 5  # minimum queries of a segment with an interval
MAX_FLIPPED = 1_000  # maximum queries for which slow sign flips are shown next to other tests
WITHOUT = "(none)"


@record
class MeanInterval(IntervalRow):
    """The mean of one system by one measure, with its interval."""

    # `property` and `segment` name the segment of the queries, empty for all. The limits are by
    # `test` at level `confidence`, within the measure's range.

    system: str
    measure: str
    property: str
    segment: str
    n_queries: int
    mean: float
    ci_low: float
    ci_high: float
    confidence: float
    test: str


@record
class Floor(IntervalRow):
    """A required mean: cleared if the lower limit ``ci_low`` is not below it."""

    # `by_flips` is the lower limit by sign flips, which must also reach the floor with few queries;
    # else NaN.

    system: str
    measure: str
    floor: float
    ci_low: float
    ci_high: float
    by_flips: float
    cleared: bool


@dataclass(frozen=True, eq=False)
class Intervals(Result):
    """The means of systems with their intervals, returned by :meth:`abrank.Scores.intervals`.

    Attributes
    ----------
    rows : tuple of MeanInterval
        One per system and measure, by the requested test.
    others : tuple of MeanInterval
        The same means by the other tests.
    segments : tuple of MeanInterval
        Means by segment; the intervals of a system and measure are simultaneous.
    floors : tuple of Floor
        One per system and floor.
    test : str
    alpha : float
    n_queries : int
    clusters : str
        The property that holds the clusters; empty if queries are independent.
    n_clusters : int
    seed : int
    remarks : tuple of str
        What has no interval, and what was left out.
    provenance : mapping
    """

    rows: tuple[MeanInterval, ...]
    others: tuple[MeanInterval, ...]
    segments: tuple[MeanInterval, ...]
    floors: tuple[Floor, ...]
    test: str
    alpha: float
    n_queries: int
    clusters: str
    n_clusters: int
    seed: int
    remarks: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cleared(self) -> bool:
        """Whether every floor is cleared; True without floors."""
        return all(floor.cleared for floor in self.floors)


def read_floors(
    floors: Mapping[str, float] | Sequence[str] | str, measures: Sequence[str] | None = None
) -> dict[str, float]:
    """Parse floors such as ``nDCG@10:0.35``, or a mapping, by the names of their measures."""
    result: dict[str, float] = {}
    texts = [floors] if isinstance(floors, str) else floors
    pairs = texts.items() if isinstance(texts, Mapping) else (text.rsplit(":", 1) for text in texts)
    for name, *rest in pairs:
        try:
            (value,) = map(float, rest)
        except ValueError:
            raise ArgumentError(
                f"{':'.join([name, *rest])} is not a floor: write it as nDCG@10:0.35"
            ) from None
        is_unknown = measures is not None and known(name) is None
        canonical = name if measures is None or name in measures or is_unknown else str(parse(name))
        low, high = _bounds(canonical)
        # Match measures whose scale was set from the judgments: ERR@20 is ERR(max_grade=4)@20.
        matches = [
            measure for measure in measures or ()
            if re.sub(r"\(max_grade=[^)]*\)", "", measure, count=1) == canonical
        ]  # fmt: skip
        if measures is not None and canonical not in measures and len(matches) == 1:
            canonical = matches[0]
        if measures is not None and canonical not in measures:
            raise ArgumentError(f"at least: {name} is not among {', '.join(measures)}")
        if not low <= value <= high:
            raise ArgumentError(f"at least: {name} lies between {low:g} and {high:g}, not {value}")
        if canonical in result:
            raise ArgumentError(f"at least: {name} has two floors")
        result[canonical] = value
    return result


def _bounds(name: str) -> tuple[float, float]:
    """Return the lowest and highest possible score of a measure; infinite if unknown."""
    measure = known(name)
    return (-math.inf, math.inf) if measure is None else measure.entry.bounds


def find_intervals(
    values: FloatArray,
    query_ids: Sequence[str],
    systems: Sequence[str],
    measures: Sequence[str],
    *,
    notes: Sequence[str],
    test: str,
    alpha: float,
    at_least: Mapping[str, float] | Sequence[str] | str,
    segments: object,  # whatever read_segments reads
    clusters: object,  # whatever read_clusters reads
    resamples: int | None,
    rng: RandomSource,
) -> Intervals:
    """Implement :meth:`abrank.Scores.intervals` for a block of scores."""
    checks.one_of("test", test, MEAN_TESTS)
    seed, properties, clustering = entropy(rng), *read_groups(segments, clusters)
    labels = labels_of(clustering, query_ids)
    n, n_units = len(query_ids), len(set(query_ids if labels is None else labels))
    if not n:
        raise AlignmentError("without a query there is no mean")
    if test == "bounded" and labels is not None:
        raise ArgumentError(
            "clusters: the betting interval is of single queries, which clusters make dependent;"
            " choose t, permutation or bootstrap"
        )
    averaged = [name for name in measures if aggregate_of(name) != "sum"]
    floors = read_floors(at_least, averaged)

    def mean_of(
        system: str, measure: str, test: str, positions: Sequence[int], confidence: float
    ) -> tuple[float, float, float]:
        """Return the mean over the queries at ``positions``, and its limits."""
        bounds = _bounds(measure)
        if test == "bounded" and not np.isfinite(bounds).all():
            raise ArgumentError(f"bounded: the range of {measure} is not known; choose another")
        column = values[list(positions), systems.index(system), measures.index(measure)]
        limits = mean_interval(
            column, test, bounds=bounds, confidence=confidence, seed=seed, n_resamples=resamples,
            clusters=None if labels is None else [labels[i] for i in positions],
        )  # fmt: skip
        mean, low, high = float(column.mean()), *limits
        if aggregate_of(measure) == "geometric":
            return math.exp(mean), math.exp(low), math.exp(high)
        return mean, low, high

    def rows_of(
        tests: Sequence[str], segments: Mapping[tuple[str, str], Sequence[int]], confidence: float
    ) -> Iterator[MeanInterval]:
        """Yield an interval for every system, measure, segment and test."""
        combinations = product(systems, averaged, segments.items(), tests)
        for system, measure, (key, positions), test in combinations:
            limits = mean_of(system, measure, test, positions, confidence)
            yield MeanInterval(system, measure, *key, len(positions), *limits, confidence, test)

    places, n_small = _places(properties, query_ids)
    can_bet = labels is None and all(np.isfinite(_bounds(item)).all() for item in averaged)
    mean_tests = [item for item in MEAN_TESTS if item != test and (can_bet or item != "bounded")]
    mean_tests = [item for item in mean_tests if item != "permutation" or n <= MAX_FLIPPED]
    deciding_rows = tuple(rows_of([test], {("", ""): range(n)}, 1.0 - alpha))
    floor_rows = []
    for row in (item for item in deciding_rows if item.measure in floors):
        floor, flips = floors[row.measure], math.nan
        if n_units < FEW_UNITS:
            flips = mean_of(row.system, row.measure, "permutation", range(n), 1.0 - alpha)[1]
        is_cleared = row.ci_low >= floor and not flips < floor
        floor_rows.append(Floor(row.system, row.measure, floor, *row.interval, flips, is_cleared))
    summed = [name for name in measures if name not in averaged]
    remarks = [
        *(f"{name} is added up over queries, not averaged: it has no interval" for name in summed),
        *[f"{plural(n_small, 'segment')} of fewer than {MIN_SEGMENT} queries left out"]
        * bool(n_small),
    ]
    return Intervals(
        rows=deciding_rows,
        others=tuple(rows_of(mean_tests, {("", ""): range(n)}, 1.0 - alpha)),
        segments=tuple(rows_of([test], places, 1.0 - alpha / max(len(places), 1))),
        floors=tuple(floor_rows),
        test=test,
        alpha=alpha,
        n_queries=n,
        clusters="" if clustering is None else clustering[0],
        n_clusters=0 if clustering is None else n_units,
        seed=seed,
        remarks=(*notes, *remarks, *lacking_labels(clustering, query_ids)),
    )


def _places(
    segments: Mapping[str, Mapping[str, str]], query_ids: Sequence[str]
) -> tuple[dict[tuple[str, str], Sequence[int]], int]:
    """Return the query positions of each segment, and the number of segments that are too small."""
    result: dict[tuple[str, str], list[int]] = {}
    for name, labels in segments.items():
        if set(labels).isdisjoint(query_ids):
            raise AlignmentError(f"segments by {name}: none of their query ids was scored")
        for position, query in enumerate(query_ids):
            result.setdefault((name, labels.get(query, WITHOUT)), []).append(position)
    large_segments: dict[tuple[str, str], Sequence[int]] = {
        key: positions for key, positions in result.items() if len(positions) >= MIN_SEGMENT
    }
    return large_segments, len(result) - len(large_segments)
