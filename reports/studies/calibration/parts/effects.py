"""Coverage of the intervals of effect sizes and of relative changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference import EFFECT_SIZES, run_test
from abrank.inference.effect_size import effect_interval
from abrank.inference.equivalence import relative_change
from abrank.inference.rounding import round_off
from reports.studies.calibration.cells import Asked
from reports.studies.calibration.material import GAIN, Block
from reports.studies.calibration.parts.part import Batch, Part, between, confidences, outside

# Of these the truth is 0 where the means are equal; of ranks and of wins it need not be.
OF_MEANS = ("d_av", "glass_delta")
RELATIVE = "relative change, Fieller"


def true_effects(block: Block) -> dict[str, float]:
    """Return the effect sizes of a population of two systems.

    That of the ranks is what many queries tend to: the mean of the signs, weighted by the share of
    decided queries whose difference is smaller in size, ties of size counting by half.

    Examples
    --------
    >>> block = Block(np.array([[0.1, 0.3], [0.4, 0.3], [0.5, 0.5]]), np.array([0.5, 0.25, 0.25]))
    >>> found = true_effects(block)
    >>> round(found["rank_biserial"], 4), found["p_better"]
    (0.7778, 0.625)
    """
    difference = round_off(block.scores[:, 1] - block.scores[:, 0])
    mean = float(block.weights @ difference)
    spread = float(np.sqrt(block.weights @ (difference - mean) ** 2))
    decided = difference != 0.0
    sizes, weights = np.abs(difference[decided]), block.weights[decided]
    smaller = (sizes < sizes[:, None]) @ weights + (sizes == sizes[:, None]) @ weights / 2.0
    ranked = weights * smaller
    return {
        "d_z": mean / spread,
        "hedges_g": mean / spread,
        "d_av": mean / float(np.sqrt(np.mean(block.spread**2))),
        "glass_delta": mean / float(block.spread[0]),
        "rank_biserial": float(ranked @ np.sign(difference[decided]) / ranked.sum()),
        "p_better": float(block.weights @ (np.sign(difference) + 1.0) / 2.0),
    }


def ask_level(batch: Batch) -> Iterator[Asked]:
    """Ask where two systems have one mean."""
    blocks = batch.material.level
    block = blocks[batch.turn % len(blocks)]
    a, b = _scores(block, batch)
    truth = true_effects(block)
    for name in ("rank_biserial", "p_better"):
        interval = effect_interval(name, a, b)
        yield Asked(name, covers=between(interval.ci_low, truth[name], interval.ci_high))
    for name in OF_MEANS:
        low, high = zip(
            *(_limits(name, a, b, confidence) for confidence in confidences()), strict=True
        )
        yield _of_zero(name, low, high)
    low, high = zip(*(_relative_limits(a, b, level) for level in confidences()), strict=True)
    yield _of_zero(RELATIVE, low, high)


def ask_raised(batch: Batch) -> Iterator[Asked]:
    """Ask where the second system has a quarter more than the first."""
    blocks = batch.material.raised
    block = blocks[batch.turn % len(blocks)]
    a, b = _scores(block, batch)
    truth = true_effects(block)
    for name in EFFECT_SIZES:
        interval = effect_interval(name, a, b)
        yield Asked(name, covers=between(interval.ci_low, truth[name], interval.ci_high))
    low, high = _relative_limits(a, b, 0.95)
    yield Asked(RELATIVE, covers=between(low, GAIN, high))


def _relative_limits(
    a: FloatArray, b: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return Fieller's limits of the relative change of every column."""
    run_t = partial(run_test, "t")
    pairs = zip(a.T, b.T, strict=True)
    changes = [relative_change(run_t, *pair, alpha=1.0 - confidence) for pair in pairs]
    return np.array([x.ci_low for x in changes]), np.array([x.ci_high for x in changes])


def _scores(block: Block, batch: Batch) -> tuple[FloatArray, FloatArray]:
    samples = block.draw(batch.n, batch.count, batch.random)
    return samples[:, :, 0], samples[:, :, 1]


def _limits(
    name: str, a: FloatArray, b: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    interval = effect_interval(name, a, b, confidence=confidence)
    return interval.ci_low, interval.ci_high


def _of_zero(test: str, low: Sequence[FloatArray], high: Sequence[FloatArray]) -> Asked:
    """Count where the truth is 0; intervals at 95 and at 99 %."""
    wide, wider = (outside(item, 0.0, second) for item, second in zip(low, high, strict=True))
    return Asked(test, (wide, wider), between(low[0], 0.0, high[0]))


EFFECTS = (
    Part(
        "effects, equal means",
        "queries",
        "Two systems of one mean. What the ranks and the wins estimate need not be 0 there: covered"
        " is the population's own value.",
        ask_level,
    ),
    Part(
        "effects, a quarter more",
        "queries",
        "The second system has a quarter more than the first: an effect that is not 0.",
        ask_raised,
    ),
)
