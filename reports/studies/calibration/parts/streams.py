"""Sequential tests: false findings and coverage over all looks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import get_args

import numpy as np

from abrank._support.typing import FloatArray, IntArray, Spending
from abrank.inference import run_test
from abrank.inference.sequential import MIN_QUERIES_ANYTIME, anytime_result, stopping_boundaries
from reports.studies.calibration.cells import LEVELS, Asked, below, visible
from reports.studies.calibration.parts.part import Batch, Part, between, outside

N_LOOKS = 5
MANY_LOOKS = 25
POWER = 0.6


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask about streams whose mean is 0, and the same ones moved."""
    pairs = batch.material.pairs
    pair = pairs[batch.turn % len(pairs)]
    d = pair.draw(batch.n, batch.count, batch.random)[:, :, 0]
    move = pair.spread * visible(batch.n, POWER)
    looks = np.rint(np.arange(1, N_LOOKS + 1) * batch.n / N_LOOKS).astype(np.int64)
    if batch.n >= MIN_QUERIES_ANYTIME:
        yield _always_valid(d, move)
    for spending in get_args(Spending):
        yield _at_looks(d, move, looks, spending)
    yield _unadjusted("t at five looks, unadjusted", d, looks)
    distinct = np.unique(np.linspace(2, batch.n, MANY_LOOKS).astype(np.int64))
    yield _unadjusted(f"t at up to {MANY_LOOKS} looks, unadjusted", d, distinct)


def _always_valid(d: FloatArray, move: float) -> Asked:
    """Ask the confidence sequence that rests on a limit theorem, looked at after every query."""
    pvalue, low, high = sequence(d)
    return Asked(
        "confidence sequence", below(pvalue), between(low, 0.0, high),
        (outside(low + move, 0.0, high + move),),
    )  # fmt: skip


def sequence(d: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the least p and the intersection of the intervals after every query of streams."""
    looks = [
        anytime_result(d[:n], planned=len(d), alpha=LEVELS[0], confidence=1.0 - LEVELS[0])
        for n in range(MIN_QUERIES_ANYTIME, len(d) + 1)
    ]
    return (
        np.min([look.pvalue for look in looks], axis=0),
        np.max([look.ci_low for look in looks], axis=0),
        np.min([look.ci_high for look in looks], axis=0),
    )


def answers_at_looks(d: FloatArray, looks: IntArray, levels: FloatArray) -> FloatArray:
    """Return limits and p of t at every look, each at its own level."""
    answers = [
        run_test("t", d[:n], confidence=1.0 - level)
        for n, level in zip(looks, levels.tolist(), strict=True)
    ]
    return np.array(
        [
            [answer.ci_low for answer in answers],
            [answer.ci_high for answer in answers],
            [answer.pvalue for answer in answers],
        ]
    )


def _at_looks(d: FloatArray, move: float, looks: IntArray, spending: str) -> Asked:
    """Ask the t test at planned looks; covered is the truth by the interval at the stop."""
    shares = tuple((looks / looks[-1]).tolist())
    stops = [answers_at_looks(d, looks, _levels(shares, level, spending)) for level in LEVELS]
    at_05, at_01 = (np.any(outside(low, 0.0, high), axis=0) for low, high, _ in stops)
    low, high, _ = stops[0]
    stopped = outside(low + move, 0.0, high + move)
    result = np.any(stopped, axis=0)
    last = np.where(result, stopped.argmax(axis=0), len(looks) - 1)
    at_stop = np.take_along_axis(between(low, 0.0, high), last[None], axis=0)[0]
    return Asked(f"t at five looks, spend-{spending}", (at_05, at_01), at_stop, (result,))


@cache
def _levels(shares: tuple[float, ...], alpha: float, spending: str) -> FloatArray:
    """Return the levels of the looks of a plan, which all samples of a size share."""
    return stopping_boundaries(shares, alpha=alpha, spending=spending).level


def _unadjusted(test: str, d: FloatArray, looks: IntArray) -> Asked:
    """Ask the plain t test at every look, which stops at the first p below the level."""
    pvalue = answers_at_looks(d, looks, np.full(len(looks), LEVELS[0]))[2]
    return Asked(test, below(np.where(np.isnan(pvalue), 1.0, pvalue).min(axis=0)))


STREAMS = (
    Part(
        "streams",
        "queries, all looks included",
        "Streams of n queries, looked at as they come: false is a finding at any look. The"
        f" sequences look after every query, the first of them from query {MIN_QUERIES_ANYTIME} on;"
        " the t test at planned looks or, as the warning, without paying for them. Covered is"
        " the truth, by the intersection of all intervals of a sequence, and by the interval at"
        " which the t test stops where there is a difference.",
        ask,
        "How often a difference is found by the end that one t test there shows with 60 %.",
    ),
)
