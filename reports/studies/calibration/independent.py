"""Independent groups: how often nothing is found to be something by Welch's t on skewed scores.

``python -m reports.studies.calibration.independent`` writes ``independent.md`` and
``independent.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.independent import welch
from reports.studies.calibration.single import simulate

SIZES = (20, 50, 200)  # units in each group; of unequal groups A has a third as many as B
LEVEL = 0.05
Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
# Each has the same mean in both groups; the last has another variance in B.
POPULATIONS: dict[str, tuple[Draw, Draw]] = {
    "exponential": (lambda r, shape: r.exponential(1.0, shape),) * 2,
    "lognormal": (lambda r, shape: r.lognormal(0.0, 1.0, shape),) * 2,
    "beta(1, 4)": (lambda r, shape: r.beta(1.0, 4.0, shape),) * 2,
    "0 or 1, 10% of them 1": (lambda r, shape: (r.random(shape) < 0.1).astype(float),) * 2,
    "exponential, and gamma with a quarter of the variance": (
        lambda r, shape: r.exponential(1.0, shape),
        lambda r, shape: r.gamma(4.0, 0.25, shape),
    ),
}


@dataclass(frozen=True)
class Found:
    """One cell: the share of samples in which each test finds a difference, and on which side."""

    population: str
    n_a: int
    n_b: int
    welch: float
    b_better: float
    student: float
    samples: int


def measure(*, samples: int, seed: int) -> Iterator[Found]:
    """Go through populations, sizes, and equal or unequal groups."""
    for name, (draw_a, draw_b) in POPULATIONS.items():
        for n_b in SIZES:
            for n_a in (n_b, n_b // 3):
                random = stream(seed, "independent", name, str(n_a), str(n_b))
                a, b = draw_a(random, (n_a, samples)), draw_b(random, (n_b, samples))
                spread = (np.ptp(a, axis=0) > 0.0) | (np.ptp(b, axis=0) > 0.0)
                result = welch(a[:, spread], b[:, spread], confidence=1.0 - LEVEL)
                student = stats.ttest_ind(b[:, spread], a[:, spread]).pvalue
                rejected = result.pvalue < LEVEL
                shares = (rejected, rejected & (result.estimate > 0.0), student < LEVEL)
                rates = [round(float(np.sum(share)) / samples, 4) for share in shares]
                yield Found(name, n_a, n_b, rates[0], rates[1], rates[2], samples)


WORDS = """# Independent groups

How often a difference is found at 5% where two groups of different users have one mean, in
simulated skewed scores. {samples} samples in a cell, so that a rate of 5% has a standard error of
{error:.1f} points; a rate above 6% by more than that is in bold.

*Welch* is the test of `--independent`: {least:.1%} to {most:.1%}; with groups of one size
{least_equal:.1%} to {most_equal:.1%}. *B better* is the part of it in which B is found to be the
better one: half of 5% if the test has no side. *Student* is the test that takes the variances of
both groups as equal. Where groups are small, unequal and skewed, the mean of the smaller one is
found too low too often: keep the groups of one size.

| population | units of A | units of B | Welch | B better | Student |
|---|---:|---:|---:|---:|---:|
"""


def page(rows: Sequence[Found]) -> str:
    """Return the table as Markdown; what finds too much is in bold."""
    samples = rows[0].samples
    levels = [row.welch for row in rows]
    equal = [row.welch for row in rows if row.n_a == row.n_b]
    head = WORDS.format(
        samples=f"{samples:,}", error=21.8 / samples**0.5, least=min(levels), most=max(levels),
        least_equal=min(equal), most_equal=max(equal),
    )  # fmt: skip
    lines, maximum = [], 0.06 + (0.06 * 0.94 / samples) ** 0.5
    for row in rows:
        rates = [f"**{x:.3f}**" if x > maximum else f"{x:.3f}" for x in (row.welch, row.student)]
        lines.append(
            f"| {row.population} | {row.n_a} | {row.n_b} | {rates[0]} | {row.b_better:.3f} |"
            f" {rates[1]} |"
        )
    return head + "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page and its table, and return the exit code."""
    return simulate("independent", __doc__, measure, page, arguments=arguments, samples=20_000)


if __name__ == "__main__":
    sys.exit(main())
