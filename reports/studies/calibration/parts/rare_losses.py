"""Rare large losses at the margin: how often a test does not see them and passes non-inferior."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import BoolArray, FloatArray
from abrank.inference import run_test
from reports.studies.calibration.cells import ENUMERATED_UP_TO, LEVELS, N_DRAWN, Asked
from reports.studies.calibration.parts.part import Batch, Part

MARGIN = 0.02
# Shares of queries that lose, and what such a one loses.
LOSSES = ((0.025, 1.0), (0.05, 0.8), (0.1, 0.5))
# What the others differ by, in whole steps.
STEP, STEPS = 0.001, 10
TESTS = ("t", "permutation", "bounded")


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask where the true loss is the margin, and where the same losses are made good by gains."""
    seed = batch.seed()
    for share, loss in LOSSES:
        at_margin = draw(share, loss, batch.n, batch.count, batch.random)
        for test in TESTS:
            yield Asked(
                f"{test}, {100.0 * share:g} % lose {loss:g}",
                (_passes(test, at_margin, seed),),
                found=(_passes(test, at_margin + MARGIN, seed),),
            )


def draw(
    share: float, loss: float, n_queries: int, n_samples: int, random: np.random.Generator
) -> FloatArray:
    """Return samples, (n_queries, n_samples), whose true mean is a loss of the margin.

    Of all queries ``share`` lose ``loss``; the others gain or lose a little, all much the same.
    """
    rest = (share * loss - MARGIN) / (1.0 - share)
    noise = STEP * random.integers(-STEPS, STEPS + 1, (n_queries, n_samples))
    return np.where(random.random(noise.shape) < share, -loss, rest + noise)


def _passes(test: str, d: FloatArray, seed: int) -> BoolArray:
    """Return which samples show that a loss is smaller than the margin, one-sided at 5 %."""
    sample = test == "permutation" and len(d) > ENUMERATED_UP_TO
    options = {"method": "monte-carlo", "n_resamples": N_DRAWN} if sample else {}
    result = run_test(test, d, confidence=1.0 - 2.0 * LEVELS[0], seed=seed, **options)  # type: ignore[arg-type]
    return np.asarray(result.ci_low > -MARGIN)


RARE_LOSSES = (
    Part(
        "rare losses",
        "queries",
        f"Made differences whose true mean is a loss of {MARGIN}, exactly the margin: few queries"
        f" lose much, and the others are within {STEP * STEPS:g} of one small difference. False is"
        " that the lower limit, one-sided at 5 %, tells of a smaller loss, so that a gate on"
        " non-inferior passes.",
        ask,
        "How often non-inferior passes with as many losses where the true mean is 0, since all"
        " queries have the margin more.",
        one_in=40,
    ),
)
