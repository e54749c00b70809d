"""Tests against a margin, at the margin: equivalence, and better or worse by more than it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import Alternative, FloatArray
from abrank.inference import run_test
from reports.studies.calibration.cells import ENUMERATED_UP_TO as ENUMERATED
from reports.studies.calibration.cells import LEVELS, MARGIN_POWER, N_DRAWN, Asked, below, visible
from reports.studies.calibration.parts.part import Batch, Part


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask where the true difference is the margin, and for equivalence also where it is 0."""
    pairs = batch.material.pairs
    pair = pairs[batch.turn % len(pairs)]
    d = pair.draw(batch.n, batch.count, batch.random)[:, :, 0]
    margin = pair.spread * visible(batch.n, MARGIN_POWER)
    seed = batch.seed()
    # TOST is the larger of two one-sided p-values.
    for test in ("t", "permutation"):
        p_at = np.maximum(_p(test, d, "less", seed), _p(test, d + 2.0 * margin, "greater", seed))
        p_within = np.maximum(
            _p(test, d - margin, "less", seed), _p(test, d + margin, "greater", seed)
        )
        yield Asked(f"TOST, {test}", below(p_at), found=(p_within < LEVELS[0],))
        yield Asked(f"better by more, {test}", below(_p(test, d, "greater", seed)))


def _p(test: str, d: FloatArray, side: Alternative, seed: int) -> FloatArray:
    sample = test == "permutation" and len(d) > ENUMERATED
    options = {"method": "monte-carlo", "n_resamples": N_DRAWN} if sample else {}
    return run_test(test, d, alternative=side, seed=seed, **options).pvalue  # type: ignore[arg-type]


MARGINS = (
    Part(
        "margins",
        "queries",
        "The true difference is the margin, one that the t test shows with 80 %. One-sided: 5 % is"
        " the level of either side. That a system is not worse is tested as that it is better.",
        ask,
        "How often TOST says equivalent where the true difference is 0.",
    ),
)
