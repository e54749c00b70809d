"""Weighted means: how often nothing is found to be something, by the test and by its alternatives.

``python -m reports.studies.calibration.weights`` writes ``weights.md`` and ``weights.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference import run_test
from abrank.inference.clusters import effective_queries, weighted_result
from reports.studies.calibration.single import simulate

SIZES = (25, 50, 100, 200, 400)
LEVEL = 0.05
CLUSTERED = "rank ** -0.7, four a cluster"
SHIFT = 0.3  # in standard deviations of a difference


@dataclass(frozen=True)
class Found:
    """One cell: the share of samples in which each test finds a difference."""

    weights: str
    shifted: bool
    n: int
    effective: float
    abrank: float
    hc1: float
    products: float
    samples: int


def weights_of(kind: str, n: int) -> FloatArray:
    """Return the weights of n queries."""
    rank = np.arange(1.0, n + 1.0)
    if kind == "strata 4 : 1":
        return np.where(rank <= n // 5, 4.0, 1.0)
    return rank ** (-1.0 if kind == "traffic, 1 / rank" else -0.7)


def measure(*, samples: int, seed: int) -> Iterator[Found]:
    """Go through kinds of weights, a difference or none, and numbers of queries."""
    for kind in ("strata 4 : 1", "traffic, rank ** -0.7", "traffic, 1 / rank", CLUSTERED):
        for shift in (0.0, SHIFT):
            for n in SIZES:
                random = stream(seed, "weights", kind, str(shift), str(n))
                # Differences of two scores between 0 and 1, skewed each.
                beta = random.beta(2.0, 5.0, (2, n, samples))
                values = beta[0] - beta[1]
                clusters = (np.arange(n) // 4).tolist() if kind == CLUSTERED else None
                if clusters is not None:  # a third of the variance is of the cluster
                    shared = random.beta(2.0, 5.0, (2, clusters[-1] + 1, samples))
                    values = (2 / 3) ** 0.5 * values
                    values += (1 / 3) ** 0.5 * (shared[0] - shared[1])[clusters]
                values += shift * float(np.sqrt(2.0 * 10.0 / (49.0 * 8.0)))
                weights = weights_of(kind, n)
                if clusters is not None:
                    weights = random.permutation(weights)
                share = weights / weights.sum()
                mean = share @ values
                error = np.sqrt(n / (n - 1.0) * (share**2 @ (values - mean) ** 2))
                ps = (
                    weighted_result(
                        values, weights, confidence=1.0 - LEVEL, clusters=clusters
                    ).pvalue,
                    2.0 * t.sf(np.abs(mean / error), n - 1),
                    run_test("t", values * weights[:, None], confidence=1.0 - LEVEL).pvalue,
                )
                custom, hc1, products = (round(float(np.mean(p < LEVEL)), 4) for p in ps)
                effective = round(effective_queries(weights), 1)
                yield Found(kind, shift > 0.0, n, effective, custom, hc1, products, samples)


WORDS = """# Weighted means

How often a difference is found at 5 % in simulated scores of queries that count by weights:
where the two systems have one mean (a rate above 6 % by more than its error is in bold), and
where they differ by {shift} standard deviations of a query's difference. {samples} samples in a
cell, so that a rate of 5 % has a standard error of {error:.1f} points. "Effective" is Kish's
number of queries of one weight.

*abrank*: the weighted mean with its robust error without bias, and the effective number less one
as degrees of freedom: {least:.1%} to {most:.1%} where there is no difference. *HC1*: the robust
error of weighted least squares with n - 1 degrees of freedom, which finds too much where few
queries have most of the weight. *products*: the t test of weight times difference, which finds too
little there. *four a cluster*: four queries depend on each other (a third of their variance is
common), and abrank is told of these clusters; the two others are not. Bell and McCaffrey's degrees
of freedom, which are for an error that does not depend on the mean, were tried as well and are not
taken: a weighted mean and its error do depend on each other, and with them a difference is found
in 0.1% of samples with the weights 1 / rank.

| weights | differ | queries | effective | abrank | HC1 | products |
|---|---|---:|---:|---:|---:|---:|
"""


def page(rows: Sequence[Found]) -> str:
    """Return the table as Markdown; what finds too much where there is nothing is in bold."""
    samples = rows[0].samples
    levels = [row.abrank for row in rows if not row.shifted]
    head = WORDS.format(
        shift=SHIFT, samples=f"{samples:,}", error=21.8 / samples**0.5,
        least=min(levels), most=max(levels),
    )  # fmt: skip
    lines, maximum = [], 0.06 + (0.06 * 0.94 / samples) ** 0.5
    for row in rows:
        texts = [
            f"**{rate:.3f}**" if rate > maximum and not row.shifted else f"{rate:.3f}"
            for rate in (row.abrank, row.hc1, row.products)
        ]
        yes = "yes" if row.shifted else "no"
        lines.append(f"| {row.weights} | {yes} | {row.n} | {row.effective} | {' | '.join(texts)} |")
    return head + "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page and its table, and return the exit code."""
    return simulate("weights", __doc__, measure, page, arguments=arguments, samples=20_000)


if __name__ == "__main__":
    sys.exit(main())
