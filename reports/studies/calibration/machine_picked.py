"""Coverage of verdicts by people and machine where the judged queries were picked, not drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference import run_prediction_powered, run_test
from abrank.inference.paired import t_pvalue
from reports.studies.calibration.judges import JUDGES, Judged

SIZES = (25, 50, 100)
N_QUERIES = 2_000
LEVEL = 0.05

# The machine's differences and its mean scores of both systems, (n_queries, n_samples) -> what the
# queries are picked by, the highest first.
Liking = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Picked:
    """One cell: coverage by people alone and with the machine, and how often the check notices."""

    picked: str
    judge: str
    n: int
    people: float
    coverage: float
    worst_coverage: float
    worst_pair: str
    noticed: float
    samples: int


# A way of picking: the liking, and whether the n that are liked best are taken, or any of the half.
PICKS: Mapping[str, tuple[Liking | None, bool]] = {
    "drawn at random": (None, False),
    "any of the harder half": (lambda _, score: -score, False),
    "any of the easier half": (lambda _, score: score, False),
    "any of the half with the larger differences": (lambda f, _: np.abs(f), False),
    "any of the half that is better for B": (lambda f, _: f, False),
    "the n with the largest differences": (lambda f, _: np.abs(f), True),
}


def measure_picked(pairs: Sequence[Judged], *, samples: int, seed: int) -> Iterator[Picked]:
    """Go through the cells: every way of picking, machine and number of human queries.

    Parameters
    ----------
    samples : int
        Of each pair, in each cell.
    """
    for judge in JUDGES:
        of_judge = [pair for pair in pairs if pair.judge == judge]
        for n in SIZES:
            result: dict[str, list[tuple[float, float, float]]] = {}
            for pair in of_judge:
                random = stream(seed, "picked", judge, str(n), pair.name)
                index = random.integers(0, pair.real.shape[1], (N_QUERIES, samples))
                real = pair.real[:, index]
                truth = float(pair.real[0].mean())
                for picked, (liking, best) in PICKS.items():
                    first = judged_first(liking, real, n, best=best)
                    result.setdefault(picked, []).append(_count(first, n, truth))
            for picked, cells in result.items():
                people, both, noticed = np.array(cells).T
                worst = int(both.argmin())
                yield Picked(
                    picked, judge, n, round(float(people.mean()), 4), round(float(both.mean()), 4),
                    round(float(both[worst]), 4), of_judge[worst].name,
                    round(float(noticed.mean()), 4), samples * len(cells),
                )  # fmt: skip


def judged_first(liking: Liking | None, sample: FloatArray, n: int, *, best: bool) -> FloatArray:
    """Return the same queries, those that people judge first."""
    if liking is None:
        return sample
    liked = liking(sample[1], sample[2])
    enough = np.partition(liked, -n if best else len(liked) // 2, axis=0)
    # The rows were drawn at random: the first of the liked ones are a random draw from these.
    wanted = liked >= enough[-n if best else len(liked) // 2]
    order = np.argsort(~wanted, axis=0, kind="stable")
    return np.stack([np.take_along_axis(item, order, axis=0) for item in sample])


def _count(sample: FloatArray, n: int, truth: float) -> tuple[float, float, float]:
    """Return the coverage by people and by both, and how often the check of the draw notices."""
    d, f, score = sample
    alone, both = run_test("t", d[:n]), run_prediction_powered(d[:n], np.arange(n), f)
    noticed = (welch(f[:n], f[n:]) < LEVEL) | (welch(score[:n], score[n:]) < LEVEL)
    return (
        float(np.mean((alone.ci_low <= truth) & (truth <= alone.ci_high))),
        float(np.mean((both.ci_low <= truth) & (truth <= both.ci_high))),
        float(noticed.mean()),
    )


def welch(first: FloatArray, two: FloatArray) -> FloatArray:
    """Return Welch's p-value of each sample; 1 where neither varies."""
    shares = np.array([item.var(axis=0, ddof=1) / len(item) for item in (first, two)])
    total = np.maximum(shares.sum(axis=0), 1e-300)
    sizes = np.array([[len(first) - 1.0], [len(two) - 1.0]])
    freedom = total**2 / np.maximum((shares**2 / sizes).sum(axis=0), 1e-300)
    statistic = (first.mean(axis=0) - two.mean(axis=0)) / np.sqrt(total)
    return np.asarray(t_pvalue(statistic, np.maximum(freedom, 1.0), "two-sided"))


WORDS = """## Queries that were picked

All of the above holds for human queries drawn at random. Here they are *picked* by what the
machine says: any of the half of the 2,000 that has the lower or the higher mean score of both
systems, of the half with the larger differences, of the half that is better for B, or the n with
the largest differences. "Both" is the coverage of people and machine by *refusing*, "worst" that of
the worst pair, "noticed" how often abrank's check of the draw has p < 0.05 in one of its two tests,
which a random draw has in {drawn:.0%} of samples. {samples} samples of each pair.

More judged queries do not restore the coverage; mostly they make it worse, as the interval narrows
around the wrong place. The check notices a pick by difficulty or by who is ahead nearly always, and
one by the size of the differences, whichever their sign, less often.
"""


def page_of_picked(rows: Sequence[Picked], *, samples: int) -> str:
    """Return a table for each way of picking, as Markdown."""
    noticed = [row.noticed for row in rows if row.picked == "drawn at random"]
    lines = [WORDS.format(drawn=float(np.mean(noticed)), samples=f"{samples:,}")]
    for picked in dict.fromkeys(row.picked for row in rows):
        lines += [
            f"### {picked[0].upper()}{picked[1:]}\n",
            "| machine | n | people alone | both | worst | pair | noticed |",
            "|---|---:|---:|---:|---:|---|---:|",
        ]
        lines += [
            f"| {row.judge} | {row.n} | {row.people:.3f} | {row.coverage:.3f} |"
            f" {row.worst_coverage:.3f} | {row.worst_pair} | {row.noticed:.3f} |"
            for row in rows
            if row.picked == picked
        ]
        lines.append("")
    return "\n".join(lines)
