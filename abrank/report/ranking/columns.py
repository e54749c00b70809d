"""What stands in the columns of a ranking: which interval, and how a system stands to another."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

from abrank._support import display as f
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.ranking.result import RANK_TESTS

# Of the difference from the first or the baseline, of each mean by itself, or within the queries.
Interval: TypeAlias = Literal["difference", "own", "within"]
GLYPHS = {"better": "▲ better", "worse": "▼ worse", "unclear": "? unclear"}


class Distance(NamedTuple):
    """How far a system stands from the first or the baseline; limits NaN where a test has none."""

    diff: float
    low: float
    high: float


def distances(ranking: Ranking) -> dict[str, Distance]:
    """Return the difference of every other system from the first, or from the baseline.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]])[:, :, None]
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B"), ("AP",), values)
    >>> {name: round(each.diff, 3) for name, each in distances(rank_scores(scores)).items()}
    {'A': -0.425}
    """
    if ranking.baseline is not None:
        return {row.b: Distance(row.diff, row.ci_low, row.ci_high) for row in ranking.pair_rows}
    first = ranking.systems[0]
    return {
        row.a: Distance(-row.diff, -row.ci_high, -row.ci_low)
        for row in ranking.pair_rows
        if row.b == first
    }


def reference(ranking: Ranking) -> str:
    """Return what the differences are from, in words."""
    return "the first" if ranking.baseline is None else "the baseline"


def has_intervals(ranking: Ranking) -> bool:
    """Whether the test gives intervals of the differences."""
    return any(not math.isnan(row.ci_low) for row in ranking.pair_rows)


def shows_ranks(ranking: Ranking) -> bool:
    """Whether the test compares mean ranks, which then stand beside the means."""
    return ranking.test in RANK_TESTS


def title(ranking: Ranking, interval: Interval) -> str:
    """Return the heading of the column of intervals of the means."""
    level = f.level(1.0 - ranking.alpha)
    of = {"own": "interval of the mean", "within": "interval within queries"}[interval]
    return f"{level} {of}"


def limits(row: SystemRow, interval: Interval) -> tuple[float, float]:
    """Return the limits of one kind that go with a mean."""
    if interval == "own":
        return row.ci_low, row.ci_high
    return row.within_low, row.within_high


def explained(ranking: Ranking, interval: Interval) -> str:
    """Say what the intervals are, and what they are not."""
    if interval == "own":
        return (
            "Each interval is of one mean by itself: two that overlap can still be told apart, as"
            " all systems answer the same queries."
        )
    if interval == "within":
        return (
            "What a query adds to all systems is taken out of the intervals: they are for comparing"
            " systems, and no limits of a mean."
        )
    if not has_intervals(ranking):
        return ""
    return (
        f"The intervals are of the difference from {reference(ranking)}, for all"
        f" {'comparisons' if ranking.baseline is not None else 'pairs'} together."
    )


def reading(row: PairRow) -> str:
    """Return what a pair shows of b, with its glyph."""
    return GLYPHS.get(row.reading, row.reading)


def marks(ranking: Ranking) -> dict[str, str]:
    """Return the letters of each system, or the glyph of what it is to the baseline."""
    if ranking.baseline is None:
        return {row.system: row.group for row in ranking.rows}
    return {row.b: GLYPHS.get(row.reading, row.reading)[:1] for row in ranking.pair_rows} | {
        ranking.baseline: ""
    }
