"""Every pair of real systems by itself: how often t is wrong about the worst of them."""

from __future__ import annotations

from collections.abc import Iterator

from abrank.inference import run_test
from reports.studies.calibration.cells import Asked, below
from reports.studies.calibration.parts.part import Batch, Part, between


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask t about samples of each pair."""
    for pair in batch.material.pairs:
        d = pair.draw(batch.n, batch.count, batch.random)[:, :, 0]
        test = run_test("t", d)
        name = f"t, {pair.name}, skewness {pair.skewness:.1f}"
        yield Asked(name, below(test.pvalue), between(test.ci_low, 0.0, test.ci_high))


SINGLE_PAIRS = (
    Part(
        "single pairs",
        "queries",
        "The pairs that the other parts take in turn, each by itself: its measure, whether its"
        " scores are of runs or of a matrix, its place there, and how skewed its differences are."
        " Of so many pairs the worst looks worse than it is.",
        ask,
        one_in=4,
    ),
)
