"""Looks by the queries seen, a sequence where losses are rare, and the A/A test of both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import BoolArray, FloatArray
from abrank.inference import run_test
from abrank.inference.aa_test import MIN_RESAMPLED, Way, check_level
from abrank.inference.sequential import MIN_QUERIES_ANYTIME, level_of_seen
from reports.studies.calibration.cells import LEVELS, Asked
from reports.studies.calibration.parts.part import Batch, Part
from reports.studies.calibration.parts.streams import sequence

# Shares of the queries planned at which somebody looked, the last with more than were planned.
SHARES = (0.3, 0.45, 0.9, 1.1)
RARE, LOSS = 0.03, 0.6  # of queries, and what such a one loses: the mean of all is 0
ONE_IN, AA_REPLICATIONS = 20, 200


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask about streams of mean 0, normal ones and ones with rare large losses."""
    normal = 0.2 * batch.random.standard_normal((round(batch.n * SHARES[-1]), batch.count))
    lost = batch.random.random(normal.shape) < RARE
    rare = np.where(lost, -LOSS, LOSS * RARE / (1.0 - RARE)) + 0.05 * normal
    for name, d in (("normal", normal), ("rare losses", rare)):
        for spending in ("obrien-fleming", "pocock"):
            yield Asked(f"looks by queries seen, {spending}, {name}", _seen(d, batch.n, spending))
        yield Asked(f"last of four looks, four times, {name}", _last_always(d, batch.n))
        if batch.n >= MIN_QUERIES_ANYTIME:
            yield Asked(f"confidence sequence, {name}", _sequence(d[: batch.n]))
    if batch.n >= MIN_RESAMPLED:
        yield Asked("A/A accuses t, normal", _accused(normal[: batch.n]))


def _pvalue(d: FloatArray) -> FloatArray:
    return np.nan_to_num(run_test("t", d).pvalue, nan=1.0)


def _seen(d: FloatArray, planned: int, spending: str) -> tuple[BoolArray, ...]:
    """Return which streams show a difference at any look, each at the level of the queries seen."""
    rounds = [round(share * planned) for share in SHARES]
    values = np.zeros(d.shape[1], np.bool_)
    for k, n in enumerate(rounds):
        level = level_of_seen(rounds[: k + 1], planned, spending=spending, alpha=LEVELS[0])
        values |= _pvalue(d[:n]) < level
    return (values,)


def _last_always(d: FloatArray, planned: int) -> tuple[BoolArray, ...]:
    """Return which streams do where every look is called the last of four: ``--look 4/4``."""
    level = level_of_seen(range(1, 5), 4, spending="obrien-fleming", alpha=LEVELS[0])
    looks = [_pvalue(d[: round(share * planned)]) < level for share in SHARES]
    return (np.any(looks, axis=0),)


def _sequence(d: FloatArray) -> tuple[BoolArray, ...]:
    return (sequence(d)[0] < LEVELS[0],)


def _accused(d: FloatArray) -> tuple[BoolArray, ...]:
    """Return of which samples one of three checks says that t finds too much."""
    ways: tuple[Way, ...] = ("flips", "halves", "resampled")
    return (
        np.array([
            any(
                check_level(
                    "t", sample, by=way, n_replications=AA_REPLICATIONS, seed=i,
                    n_checks=len(ways),
                ).too_often
                for way in ways
            )
            for i, sample in enumerate(d.T)
        ]),
    )  # fmt: skip


LOOKS = (
    Part(
        "looks by queries seen",
        "queries planned",
        "Streams of mean 0, normal ones of standard deviation 0.2 and ones of which 3 % of the"
        f" queries lose {LOSS}. Looks at {', '.join(f'{share:g}' for share in SHARES)} of the"
        " queries planned, each at the level that is left by the queries seen; the same with every"
        " look called the last of four, which nobody can check; the confidence sequence looked at"
        f" from query {MIN_QUERIES_ANYTIME} on; and how often an A/A test accuses t of normal"
        " samples.",
        ask,
        one_in=ONE_IN,
    ),
)
