"""Coverage and type I error of verdicts by people and machine, on pairs of real runs.

``python -m reports.studies.calibration.machine --data DIR`` writes ``machine.md``, ``machine.csv``
and ``machine-picked.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from reports.studies.calibration.judges import JUDGES, Judged, judged_pairs
from reports.studies.calibration.machine_methods import METHODS
from reports.studies.calibration.machine_picked import measure_picked, page_of_picked
from reports.studies.calibration.single import command_of, save, save_table

SIZES = (10, 25, 50, 100)
N_QUERIES = 2_000
LEVEL = 0.05


@dataclass(frozen=True)
class Row:
    """One cell: coverage, type I error and width over that by people alone, all pairs and worst.

    ``judged`` is the mean number of queries that people judge, above n where more are asked for.
    """

    judge: str
    n: int
    method: str
    coverage: float
    worst_coverage: float
    worst_pair: str
    width: float
    type_1: float
    worst_type_1: float
    judged: float
    samples: int


class _Counted(NamedTuple):
    covers: float
    width: float
    rejects: float
    judged: float


def measure(pairs: Sequence[Judged], *, samples: int, seed: int) -> Iterator[Row]:
    """Go through the cells: every judge, number of human queries and method.

    Parameters
    ----------
    samples : int
        Of each pair, in each cell.
    """
    for judge in JUDGES:
        of_judge = [pair for pair in pairs if pair.judge == judge]
        for n in SIZES:
            result: dict[str, list[_Counted]] = {}
            for pair in of_judge:
                random = stream(seed, judge, str(n), pair.name)
                for method, counted in _count(pair, n, samples, random):
                    result.setdefault(method, []).append(counted)
            names = [pair.name for pair in of_judge]
            yield from (_row(judge, n, key, item, names, samples) for key, item in result.items())


def _count(
    pair: Judged, n: int, samples: int, random: np.random.Generator
) -> Iterator[tuple[str, _Counted]]:
    real, null = (_draw(item, samples, random) for item in (pair.real, pair.null))
    truth = float(pair.real[0].mean())
    alone = None
    for name, method in METHODS.items():
        low, high, judged = method(*real, n)
        outside = method(*null, n)
        half = float(np.median(high - low))
        alone = half if alone is None else alone  # the first is by people alone
        yield (
            name,
            _Counted(
                float(np.mean((low <= truth) & (truth <= high))),
                half / alone,
                float(np.mean((outside[0] > 0.0) | (outside[1] < 0.0))),
                float(np.mean(judged)),
            ),
        )


def _draw(
    population: FloatArray, samples: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return human and machine differences, (N_QUERIES, samples) each; the first n are judged."""
    index = random.integers(0, population.shape[1], (N_QUERIES, samples))
    return population[0][index], population[1][index]


def _row(
    judge: str, n: int, method: str, result: list[_Counted], names: list[str], samples: int
) -> Row:
    covers, width, rejects, judged = (np.array(item) for item in zip(*result, strict=True))
    worst = int(covers.argmin())
    return Row(
        judge, n, method,
        round(float(covers.mean()), 4), round(float(covers[worst]), 4), names[worst],
        round(float(width.mean()), 3),
        round(float(rejects.mean()), 4), round(float(rejects.max()), 4),
        round(float(judged.mean()), 1), samples * len(result),
    )  # fmt: skip


WORDS = """# Verdicts by people and machine

Coverage of 95 % intervals of the mean difference in nDCG@10, and how often a true difference of 0
is rejected at 5 %, where people judge n queries, drawn at random, and a simulated machine judges
2,000. {pairs} pairs of real runs; {samples} samples of each in a cell, so that a rate of 5 % has a
standard error of {error:.1f} points for one pair. "Worst" is the worst pair; bold is a coverage
below 92.5 %. "Width" is the median over that by people alone, "judged" the mean number of queries
that people judge.

The machines: *noisy* changes 30 % of the grades by one; *lenient* raises 40 %; *favours B* calls
relevant 40 % of B's documents that are not; *useless* gives grades at random; *adversarial* turns
the scale around; *rare failures* is right but for 3 % of the queries, where it is grossly wrong.

The methods: *people alone*, the paired t test; *plain PPI++*, the slope held to [0, 1] and the
normal distribution; *regression*, without a floor; *with floor*, the residual variance at least 3/n
of the variance; *floor 8/n*, a heavier one; *take all*, with floor, where people judge also every
query beyond the range of the machine's differences on the drawn ones; *refusing*, as abrank
decides: with floor, but by people alone where fewer than six errors carry their sum of squares;
*machine alone*.

What closes the gap of rare failures: refusing does, at no cost in width from 50 human queries on
for a machine whose errors are many and small, at some cost with 25, and at nearly all of the gain
with 10. A machine that is right on all judged queries is refused, too. A heavier floor does so up
to 50 queries and not at 100; taking all beyond the range comes near at 50 and 100, for the further
queries in the last column.
"""


def page(rows: Sequence[Row], *, pairs: int, samples: int) -> str:
    """Return the tables as Markdown, a table a machine."""
    error = 100.0 * float(np.sqrt(LEVEL * (1 - LEVEL) / samples))
    lines = [WORDS.format(pairs=pairs, samples=f"{samples:,}", error=error)]
    for judge in dict.fromkeys(row.judge for row in rows):
        lines += [
            f"## {judge}\n",
            "| n | method | coverage | worst | pair | width | type I | worst | judged |",
            "|---:|---|---:|---:|---|---:|---:|---:|---:|",
        ]
        lines += [
            f"| {row.n} | {row.method} | {row.coverage:.3f} | {_marked(row.worst_coverage)} |"
            f" {row.worst_pair} | {row.width:.2f} | {row.type_1:.3f} | {row.worst_type_1:.3f} |"
            f" {row.judged:.0f} |"
            for row in rows
            if row.judge == judge
        ]
        lines.append("")
    return "\n".join(lines)


def _marked(coverage: float) -> str:
    return f"**{coverage:.3f}**" if coverage < 1.0 - 1.5 * LEVEL else f"{coverage:.3f}"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page and its table, and return the exit code."""
    parser = command_of("machine", __doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--samples", type=int, default=2_000)
    args = parser.parse_args(arguments)
    pairs = list(judged_pairs(args.data, seed=args.seed))
    rows = []
    for row in measure(pairs, samples=args.samples, seed=args.seed):
        rows.append(row)
        sys.stderr.write(f"{row.judge}, n = {row.n}, {row.method}: {row.coverage:.3f}\n")
    text = page(rows, pairs=len({pair.name for pair in pairs}), samples=args.samples)
    picked = list(measure_picked(pairs, samples=args.samples, seed=args.seed))
    save(args.output, "machine", text + page_of_picked(picked, samples=args.samples), rows)
    save_table(args.output, "machine-picked", picked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
