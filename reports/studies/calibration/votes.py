"""Votes: how often nothing is found to be something, and what is found of a preference.

``python -m reports.studies.calibration.votes`` writes ``votes.md`` and ``votes.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from abrank._support.rng import stream
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.rows import attainable_level
from abrank.inference import run_test
from abrank.inference.clusters import run_cluster_test
from reports.studies.calibration.single import simulate

SIZES = (25, 50, 100, 200, 400)
LEVEL = 0.05
LOOKED_AT = 300  # samples of which the attainable level is computed
WINS = 0.1  # what B has above one half, where it is preferred


@dataclass(frozen=True)
class Found:
    """One cell: the share of samples in which each test finds a difference."""

    votes: str
    preferred: bool
    n: int
    attainable: float
    flips: float
    t: float
    binomial: float
    samples: int


def drawn(
    votes: str, n: int, samples: int, shift: float, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return B's share less one half of each query, and single votes as wins less losses."""
    ties = 0.0 if votes == "one, no ties" else 0.3
    multiple = votes in ("both orders", "five judges")
    leaning = shift + 0.15 * multiple * random.choice([-1.0, 1.0], (n, samples))
    item = []
    for i in range(5 if votes == "five judges" else 2 if votes == "both orders" else 1):
        place = 0.12 * (1 - 2 * i) if votes == "both orders" else 0.0  # to the answer shown first
        wins = (1.0 - ties) * (0.5 + np.clip(leaning + place, -0.5, 0.5))
        position = random.random((n, samples))
        item.append(np.where(position < wins, 1.0, np.where(position < 1.0 - ties, -1.0, 0.0)))
    values = np.array(item)
    if votes == "both orders":
        return np.where(values[0] == values[1], values[0], 0.0) / 2.0, values.sum(axis=0)
    # Taken for independent, judges are as many votes as they gave.
    return values.mean(axis=0) / 2.0, values.sum(axis=0)


def clicked(
    n: int, samples: int, shift: float, random: np.random.Generator
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return wins less losses of each user, their impressions, and the wins and losses of all."""
    sizes = 1 + np.minimum(random.pareto(1.5, n) * 2.0, 60.0).astype(np.int64)
    liking = shift + 0.15 * random.standard_normal((n, samples))
    chance = 0.7 * (0.5 + np.clip(liking, -0.5, 0.5))
    at_most = np.broadcast_to(sizes[:, None], chance.shape)
    wins = random.binomial(at_most, chance)
    losses = random.binomial(at_most - wins, (0.7 - chance) / (1.0 - chance))
    return (
        (wins - losses).astype(np.float64),
        sizes,
        np.array([wins.sum(axis=0), losses.sum(axis=0)]),
    )


def attainable(values: FloatArray) -> float:
    """Return the mean over samples of the largest p below the level that signs of them can have."""
    largest = [attainable_level(column, LEVEL) or 0.0 for column in values[:, :LOOKED_AT].T]
    return round(float(np.mean(largest)), 4)


def measure(*, samples: int, seed: int) -> Iterator[Found]:
    """Go through kinds of votes, a preference or none, and numbers of queries."""
    for votes in ("one, no ties", "one, ties", "both orders", "five judges"):
        for shift in (0.0, WINS):
            for n in SIZES:
                random = stream(seed, "votes", votes, str(shift), str(n))
                values, counted = drawn(votes, n, samples, shift, random)
                tests = ("permutation", "t")
                ps = [run_test(test, values, confidence=1.0).pvalue for test in tests]
                arguments = {"five judges": 5, "both orders": 2}.get(votes, 1)
                cast = np.round(arguments * n * (0.7 if votes != "one, no ties" else 1.0))
                decided = np.abs(counted).sum(axis=0) if arguments == 1 else np.full(samples, cast)
                far = np.abs(counted.sum(axis=0))
                naive = np.minimum(1.0, 2.0 * binom.cdf((decided - far) // 2, decided, 0.5))
                rates = [float(np.mean(np.nan_to_num(p, nan=1.0) < LEVEL)) for p in (*ps, naive)]
                flips, t, binomial = (round(rate, 4) for rate in rates)
                maximum = attainable(values)
                yield Found(votes, shift > 0.0, n, maximum, flips, t, binomial, samples)
    for shift in (0.0, WINS):
        for n in SIZES:
            random = stream(seed, "votes", "interleaved", str(shift), str(n))
            sums, sizes, (won, lost) = clicked(n, samples, shift, random)
            shares, users = sums / sizes[:, None], np.arange(len(sizes))
            each, user = np.repeat(shares, sizes, axis=0), np.repeat(users, sizes)
            ps = [
                run_test("permutation", sums, confidence=1.0).pvalue,
                run_cluster_test("t", each, user, confidence=1.0 - LEVEL, seed=seed).pvalue,
                np.minimum(1.0, 2.0 * binom.cdf(np.minimum(won, lost), won + lost, 0.5)),
            ]
            flips, t, binomial = (round(float(np.mean(p < LEVEL)), 4) for p in ps)
            maximum = attainable(sums)
            yield Found("interleaved", shift > 0.0, n, maximum, flips, t, binomial, samples)


WORDS = """# Votes

How often a difference is found at 5 % in simulated votes: where neither is preferred (a rate
above 5 % is an error), and where B has {wins:.0%} more of what is decided than one half. {samples}
samples in a cell, so that a rate of 5 % has a standard error of {error:.1f} points.

*one*: a vote a query, 30 % of them ties or none. *both orders*: two votes of one judge, the answer
shown first 12 points ahead; what disagrees is a tie. *five judges*: their mean is the query's
share. Votes of one query share what is liked about its answers (15 points either way).
*interleaved*: n users with 1 to 61 impressions each, few of them with most, of whom each has a
liking of its own (standard deviation 15 points); flips and t are of users.

*flips*: exact sign flips of the queries, or of the users, by which abrank decides. *attainable*:
the level that this test can have at most with votes like these, the mean of the largest p below
5 % that any signs of the same votes give ({looked} samples): few decided votes of one size have
few possible p-values, and of 50 decided ones the largest below 5 % is 3.3 %. Measured and
attainable level differ by what {samples} samples leave to chance: nothing is lost but what is
not there. *t*: the paired t test of the same shares, or the cluster-robust t of the users
(`--test t`). It takes votes of one size for a continuum and jumps over 5 % where few of them are
decided; of users, of whom few have most impressions, it finds up to 6.4 %; it decides only if it
is asked for. *binomial*: every vote for itself, as scripts do it. It is the exact flips where a
query has one vote; of several it takes the votes of one query, or user, for independent, and
finds something where there is nothing. In two orders it takes a win and a tie for half a win, as
`mean of orders` does, and finds more than where these are a tie.

| votes | B preferred | queries or users | attainable | flips | t | binomial |
|---|---|---:|---:|---:|---:|---:|
"""


def page(rows: Sequence[Found]) -> str:
    """Return the table as Markdown; what finds too much where there is nothing is in bold."""
    samples = rows[0].samples
    head = WORDS.format(wins=WINS, samples=f"{samples:,}", error=21.8 / samples**0.5,
                        looked=LOOKED_AT)  # fmt: skip
    lines = []
    for row in rows:
        texts = [
            f"**{rate:.3f}**" if rate > 0.06 and not row.preferred else f"{rate:.3f}"
            for rate in (row.flips, row.t, row.binomial)
        ]
        yes = "yes" if row.preferred else "no"
        text = "" if row.preferred else f"{row.attainable:.3f}"
        lines.append(f"| {row.votes} | {yes} | {row.n} | {text} | {' | '.join(texts)} |")
    return head + "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page and its table, and return the exit code."""
    return simulate("votes", __doc__, measure, page, arguments=arguments, samples=10_000)


if __name__ == "__main__":
    sys.exit(main())
