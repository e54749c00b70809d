"""Coverage of what abrank decides by: people alone where the draw or the machine is refused.

``python -m reports.studies.calibration.machine_decides --data DIR`` writes ``machine-decides.md``
and ``machine-decides.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference import run_prediction_powered, run_test
from reports.studies.calibration.judges import Judged, judged_pairs
from reports.studies.calibration.machine_picked import PICKS, SIZES, judged_first, welch
from reports.studies.calibration.single import command_of, save

JUDGES = ("noisy", "fails for B", "blind to the largest")
N_QUERIES = 2_000
LEVEL = 0.05


@dataclass(frozen=True)
class Decided:
    """One cell: how often people alone decide, and why; coverage, all pairs and the worst."""

    judge: str
    picked: str
    n: int
    draw_rejected: float
    errors_unknown: float
    coverage: float
    worst_coverage: float
    worst_pair: str
    samples: int


def measure(pairs: Sequence[Judged], *, samples: int, seed: int) -> Iterator[Decided]:
    """Go through machines, ways of picking and numbers of human queries."""
    for judge in JUDGES:
        of_judge = [pair for pair in pairs if pair.judge == judge]
        for n in SIZES:
            result: dict[str, list[tuple[float, float, float]]] = {}
            for pair in of_judge:
                random = stream(seed, "decides", judge, str(n), pair.name)
                real = pair.real[:, random.integers(0, pair.real.shape[1], (N_QUERIES, samples))]
                truth = float(pair.real[0].mean())
                for picked, (liking, best) in PICKS.items():
                    first = judged_first(liking, real, n, best=best)
                    result.setdefault(picked, []).append(_decide(first, n, truth))
            for picked, cells in result.items():
                draw, errors, covers = np.array(cells).T
                worst = int(covers.argmin())
                yield Decided(
                    judge, picked, n, round(float(draw.mean()), 4), round(float(errors.mean()), 4),
                    round(float(covers.mean()), 4), round(float(covers[worst]), 4),
                    of_judge[worst].name, samples * len(cells),
                )  # fmt: skip


def _decide(sample: FloatArray, n: int, truth: float) -> tuple[float, float, float]:
    d, f, score = sample
    alone, both = run_test("t", d[:n]), run_prediction_powered(d[:n], np.arange(n), f)
    # Both checks of the draw together at .05, as a comparison makes them.
    draw = np.minimum(welch(f[:n], f[n:]), welch(score[:n], score[n:])) < LEVEL / 2.0
    low, high = (
        np.where(draw, first, two)
        for first, two in ((alone.ci_low, both.ci_low), (alone.ci_high, both.ci_high))
    )
    covers = np.mean((low <= truth) & (truth <= high))
    return float(draw.mean()), float((both.refused & ~draw).mean()), float(covers)


WORDS = """# What decides beside a machine

Coverage of the 95 % interval of the mean difference by which abrank decides: people and machine,
or people alone where the draw of their queries is rejected ("draw": p below .025 in one of two
checks) or the machine's errors cannot be known ("errors"). n queries of 2,000 are judged by
people, picked as in `machine.md`; {samples} samples in a cell, over the pairs of real runs
together, and the worst pair. *fails for B* is off by a standard deviation of 0.05 and takes all of
B for not relevant on 3 % of the queries; *blind to the largest* is as far off and sees nothing of
the 5 % largest differences: both err in ways that n queries hardly show, and a random draw of
people's queries does not help. Of picked queries people alone are as far off as their queries are
from the others; no test of a sample mends that, so a rejected draw is in doubt whatever decides.

| machine | picked | n | draw | errors | coverage | worst | pair |
|---|---|---:|---:|---:|---:|---:|---|
"""


def page(rows: Sequence[Decided]) -> str:
    """Return the table as Markdown, what holds in less than 92.5 % in bold."""
    head = WORDS.format(samples=f"{rows[0].samples:,}")
    lines = [
        f"| {row.judge} | {row.picked} | {row.n} | {row.draw_rejected:.3f} |"
        f" {row.errors_unknown:.3f} | {row.coverage:.3f} |"
        f" {_marked(row.worst_coverage)} |"
        f" {row.worst_pair} |"
        for row in rows
    ]
    return head + "\n".join(lines) + "\n"


def _marked(coverage: float) -> str:
    return f"**{coverage:.3f}**" if coverage < 1.0 - 1.5 * LEVEL else f"{coverage:.3f}"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page and its table, and return the exit code."""
    parser = command_of("machine_decides", __doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--samples", type=int, default=400)
    args = parser.parse_args(arguments)
    pairs = [pair for pair in judged_pairs(args.data, seed=args.seed) if pair.judge in JUDGES]
    rows = []
    for row in measure(pairs, samples=args.samples, seed=args.seed):
        rows.append(row)
        sys.stderr.write(f"{row.judge}, {row.picked}, n = {row.n}: {row.coverage:.3f}\n")
    save(args.output, "machine-decides", page(rows), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
