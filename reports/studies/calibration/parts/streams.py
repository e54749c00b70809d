"""Sequential tests: false findings and coverage over all looks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import get_args

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inference import asymptotic_sequence, run_test, stopping_boundaries
from abrank.inference.sequential import (
    FIRST,
    Boundaries,
    Kind,
    answer_at_looks,
    betting_pvalues,
)
from reports.studies.calibration.cells import LEVELS, N_DRAWN, Asked, below, visible
from reports.studies.calibration.parts.part import Batch, Part, between, outside

N_LOOKS = 5
MANY_LOOKS = 25
POWER = 0.6
# Draws after which the Monte Carlo test stops once so many flips have reached the mean.
STOP_AFTER = 20


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask about streams whose mean is 0, and the same ones moved."""
    pairs = batch.material.pairs
    pair = pairs[batch.turn % len(pairs)]
    d = pair.draw(batch.n, batch.count, batch.random)[:, :, 0]
    move = pair.spread * visible(batch.n, POWER)
    looks = np.rint(np.arange(1, N_LOOKS + 1) * batch.n / N_LOOKS).astype(np.int64)
    if batch.n >= FIRST:
        yield _always_valid(d, move)
    pvalue = betting_pvalues(d)
    yield Asked("betting sequence", below(pvalue), pvalue >= LEVELS[0])
    for kind in get_args(Kind):
        yield _at_looks(d, move, looks, kind)
    yield _unadjusted("t at five looks, unadjusted", d, looks)
    many = np.unique(np.linspace(2, batch.n, MANY_LOOKS).astype(np.int64))
    yield _unadjusted(f"t at up to {MANY_LOOKS} looks, unadjusted", d, many)
    stopped = run_test(
        "permutation", d, method="monte-carlo", stop_after=STOP_AFTER, n_resamples=N_DRAWN,
        seed=batch.seed(),
    )  # fmt: skip
    yield Asked("permutation, draws stopped early", below(stopped.pvalue))


def _always_valid(d: FloatArray, move: float) -> Asked:
    """Ask the confidence sequence that rests on a limit theorem, looked at after every query."""
    found = [asymptotic_sequence(sample, planned=len(d)) for sample in d.T]
    low = np.array([each.ci_low[-1] for each in found])
    high = np.array([each.ci_high[-1] for each in found])
    pvalue = np.array([each.pvalue[-1] for each in found])
    return Asked(
        "confidence sequence", below(pvalue), between(low, 0.0, high),
        (outside(low + move, 0.0, high + move),),
    )  # fmt: skip


def _at_looks(d: FloatArray, move: float, looks: IntArray, kind: Kind) -> Asked:
    """Ask the t test at planned looks; covered is the truth by the interval at the stop."""
    shares = tuple((looks / looks[-1]).tolist())
    stops = [
        answer_at_looks(d, looks, _boundaries(shares, level, kind).level, test="t")
        for level in LEVELS
    ]
    at_05, at_01 = (np.any(outside(low, 0.0, high), axis=0) for _, low, high, _ in stops)
    _, low, high, _ = stops[0]
    stopped = outside(low + move, 0.0, high + move)
    found = np.any(stopped, axis=0)
    last = np.where(found, stopped.argmax(axis=0), len(looks) - 1)
    at_stop = np.take_along_axis(between(low, 0.0, high), last[None], axis=0)[0]
    return Asked(f"t at five looks, {kind}", (at_05, at_01), at_stop, (found,))


@cache
def _boundaries(shares: tuple[float, ...], alpha: float, kind: Kind) -> Boundaries:
    """Return the boundaries of a plan, which all samples of a size share."""
    return stopping_boundaries(shares, alpha=alpha, kind=kind)


def _unadjusted(test: str, d: FloatArray, looks: IntArray) -> Asked:
    """Ask the plain t test at every look, which stops at the first p below the level."""
    pvalue = answer_at_looks(d, looks, np.full(len(looks), LEVELS[0]), test="t")[3]
    return Asked(test, below(np.where(np.isnan(pvalue), 1.0, pvalue).min(axis=0)))


STREAMS = (
    Part(
        "streams",
        "queries, all looks included",
        "Streams of n queries, looked at as they come: false is a finding at any look. The"
        f" sequences look after every query, the first of them from query {FIRST} on; the t test at"
        " planned looks or, as the warning, without paying for them. Covered is the truth, by"
        " the intersection of all intervals of a sequence, and by the interval at which the t test"
        " stops where there is a difference.",
        ask,
        "How often a difference is found by the end that one t test there shows with 60 %.",
    ),
)
