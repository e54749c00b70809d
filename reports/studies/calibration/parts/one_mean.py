"""One system's mean: how often its interval misses it, and how often a floor is cleared falsely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abrank.inference import run_test
from reports.studies.calibration.cells import ENUMERATED_UP_TO, N_DRAWN, Asked
from reports.studies.calibration.parts.part import Batch, Part, between

TESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("t", {}),
    ("permutation", {"method": "monte-carlo", "n_resamples": N_DRAWN}),
    ("bootstrap", {"n_resamples": N_DRAWN}),
    ("bounded", {}),
)


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask for the interval of the mean of one system's scores, all of them between 0 and 1."""
    blocks = batch.material.level
    block = blocks[batch.turn % len(blocks)]
    scores = block.draw(batch.n, batch.count, batch.random)[:, :, 0]
    truth, seed = float(block.mean[0]), batch.seed()
    for test, settings in TESTS:
        options = {} if test == "permutation" and batch.n <= ENUMERATED_UP_TO else {**settings}
        # Bets are of differences from -half to half, which scores less the middle of them are.
        minimum, maximum = min(0.0, block.scores.min()), max(1.0, block.scores.max())
        bets = test == "bounded"
        middle = (minimum + maximum) / 2.0 if bets else 0.0
        options |= {"span": (maximum - minimum) / 2.0} if bets else {}
        result = run_test(test, scores - middle, seed=seed, **options)
        low, high = middle + result.ci_low, middle + result.ci_high
        yield Asked(test, covers=between(low, truth, high))
        yield Asked(f"{test}, a floor at the mean is cleared", (low >= truth,))


ONE_MEAN = (
    Part(
        "one mean",
        "queries",
        "Scores of one system, as drawn for the effects. Missed is its true mean by the 95 %"
        " interval; a floor at the true mean is cleared falsely, which is promised to 2.5 %.",
        ask,
        one_in=4,
    ),
)
