"""What stands in the columns of a ranking: which interval, and how a system stands to another."""

from __future__ import annotations

import math
import re
from itertools import groupby
from string import ascii_lowercase
from typing import Literal, NamedTuple, TypeAlias

from abrank._support import display as f
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.ranking.result import RANK_TESTS
from abrank.report.ranking.names import name

# Of the difference from the first or the baseline, of each mean by itself, or within the queries.
Interval: TypeAlias = Literal["difference", "own", "within"]
GLYPHS = {
    "better": "▲ better", "worse": "▼ worse", "unclear": "? unclear", "differs": "≠ differs",
}  # fmt: skip


class Distance(NamedTuple):
    """How far a system stands from the first or the baseline; limits NaN where a test has none."""

    diff: float
    low: float
    high: float


# A limit this near to 0 says on which side of it the difference is, and no more.
SMALLEST = 1e-300


def distances(ranking: Ranking) -> dict[str, Distance]:
    """Return the difference of every other system from the first, or from the baseline.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]])[:, :, None]
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B"), ("AP",), values)
    >>> {name: round(each.diff, 3) for name, each in distances(rank_scores(scores)).items()}
    {'A': -0.425}
    """
    if ranking.baseline is not None:
        return {
            system: Distance(row.diff, row.ci_low, row.ci_high)
            for system, row in against(ranking, ranking.baseline).items()
        }
    first = ranking.systems[0]
    return {
        row.a: Distance(-row.diff, -row.ci_high, -row.ci_low)
        for row in ranking.pair_rows
        if row.b == first
    }


def reference(ranking: Ranking) -> str:
    """Return what the differences are from, in words."""
    return "the first" if ranking.baseline is None else "the baseline"


def ahead(ranking: Ranking) -> list[str]:
    """Return the systems shown to be better than the first.

    There are some only where the test asks for something else than the mean, by which the first is
    first.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> many = {f"q{i}": 0.5 for i in range(20)}
    >>> few = {f"q{i}": 0.4 if i > 2 else 1.0 + i for i in range(20)}
    >>> ranking = rank_scores({"many": many, "few": few}, test="sign")
    >>> ranking.systems[0], ahead(ranking)
    ('few', ['many'])
    """
    first = ranking.systems[0]
    return [row.a for row in ranking.pair_rows if row.b == first and row.reading == "worse"]


def against(ranking: Ranking, base: str) -> dict[str, PairRow]:
    """Return the comparisons with one of the baselines, by system."""
    return {row.b: row for row in ranking.pair_rows if row.a == base}


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
    if not has_intervals(ranking) or len(ranking.baselines) > 1:
        return ""
    said = (
        f"The intervals are of the difference from {reference(ranking)}, for all"
        f" {'comparisons' if ranking.baseline is not None else 'pairs'} together."
    )
    ends = (end for row in ranking.pair_rows for end in (row.ci_low, row.ci_high))
    if any(0.0 < abs(end) < SMALLEST for end in ends):
        said += " One that ends at 0 leaves 0 out: the difference is shown step by step."
    return said


def reading(row: PairRow) -> str:
    """Return what a pair shows of b, with its glyph."""
    return GLYPHS.get(row.reading, row.reading)


def letters(group: str) -> str:
    """Return the letters of a system, four and more that follow each other as a range.

    Examples
    --------
    >>> letters("abc"), letters("abcdfghij"), letters("xyza2b2")
    ('abc', 'a–df–j', 'x–b2')
    """
    found = re.findall(r"([a-z])(\d*)", group)
    places = [26 * int(rounds or 1) + ascii_lowercase.index(letter) for letter, rounds in found]
    names = ["".join(each) for each in found]
    said = ""
    for _, run in groupby(enumerate(places), lambda each: each[1] - each[0]):
        part = [names[i] for i, _ in run]
        said += f"{part[0]}–{part[-1]}" if len(part) > 3 else "".join(part)
    return said


def marks(ranking: Ranking) -> dict[str, str]:
    """Return the letters of each system, or the glyph of what it is to each baseline."""
    if ranking.baseline is None:
        return {row.system: letters(row.group) for row in ranking.rows}
    if len(ranking.baselines) > 1:
        return {row.system: _against_several(ranking, row.system) for row in ranking.rows}
    return {row.b: GLYPHS.get(row.reading, row.reading)[:1] for row in ranking.pair_rows} | {
        ranking.baseline: ""
    }


def _against_several(ranking: Ranking, system: str) -> str:
    """Return a glyph and the number of the baseline for each; none for a baseline itself."""
    found = {row.a: row.reading for row in ranking.pair_rows if row.b == system}
    return " ".join(
        f"{GLYPHS.get(found[base], found[base])[:1]}{number}"
        for number, base in enumerate(ranking.baselines, start=1)
        if base in found
    )


def no_leader(ranking: Ranking, on: str) -> str:
    """Say why the system with the best mean leads nothing: its evidence is not sound."""
    first = ranking.systems[0]
    code = ranking.unsound[first]
    why = {
        "document-ids": "its document ids are not those of the judgments",
        "none-judged": "none of its documents is judged",
    }.get(code, "")
    if not why:
        twins = [name(each) for each, of in ranking.unsound.items() if of == code and each != first]
        why = f"{f.first_of(twins, 3)} {'has' if len(twins) == 1 else 'have'} the same content"
    return f"{name(first)} has the {ranking.best} mean{on}, but {why}: no system leads."


def highest_of_many(ranking: Ranking) -> str:
    """Say that the best of several was chosen by what is shown of it."""
    n = len(ranking.systems)
    if (
        n < 3
        or ranking.n_queries < 2
        or ranking.systems[0] in ranking.unsound
        or not ranking.direction_declared
        or all(row.reading == "identical" for row in ranking.pair_rows)
    ):
        return ""
    top = name(ranking.rows[0].system)
    return (
        f"The mean of {top} is the {ranking.best} of {f.count(n)} on these queries: on others it is"
        " likely to be less good, and its lead smaller."
    )
