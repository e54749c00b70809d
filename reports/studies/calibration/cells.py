"""How often each test is wrong on samples of one size from one population: counts, no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray
from abrank.inference import run_test
from abrank.inference.families import max_t
from abrank.inference.wilcoxon import wilcoxon_pvalues
from abrank.planning.student import smallest_visible
from reports.studies.calibration.populations import Pair, Population, Scope
from reports.studies.calibration.sources import MEASURES

SIZES = (10, 25, 50, 100, 250)
LEVELS = (0.05, 0.01)
# Differences that the paired t test shows with these chances.
POWERS = (0.3, 0.6)
# The margin of the equivalence test is what the paired t test shows with this chance.
MARGIN_POWER = 0.8
# Flips and resamples of the tests that draw; shared by as many samples as a batch has. With one
# more, 20 in 401 and 4 in 401 are the shares next below the levels.
N_DRAWN = 400
BATCH = 100
ENUMERATED_UP_TO = 16
# Ranks of more queries take the normal approximation here.
EXACT_RANKS = 25
# Sizes of the skewness of a pair that are counted apart.
SKEWNESS = (0.5, 1.0)
BANDS = ("below 0.5", "0.5 to 1", "above 1")


# By test: its name, the number of samples, and how many are of each kind.
Counts: TypeAlias = list[dict[str, int | str]]


@dataclass(frozen=True)
class Asked:
    """What a test says of every sample of a batch, arrays of shape (n_samples,).

    ``false`` are false findings at .05 and, where asked, at .01, ``covers`` whether the 95 %
    interval holds the truth, ``found`` the findings of the two differences of ``POWERS``, or of the
    larger alone; None where not asked.
    """

    test: str
    false: tuple[BoolArray, ...] | None = None
    covers: BoolArray | None = None
    found: tuple[BoolArray, ...] | None = None

    def counts(self) -> dict[str, int]:
        """Return how many samples there are of each kind."""
        named = {} if self.covers is None else {"covers": self.covers}
        if self.false is not None:
            named |= dict(zip(("false_05", "false_01"), self.false, strict=False))
        if self.found is not None:
            named["found_large"] = self.found[-1]
            if len(self.found) > 1:
                named["found_small"] = self.found[0]
        return {name: int(np.count_nonzero(those)) for name, those in named.items()}


def measure(population: Population, n_queries: int, *, replications: int, seed: int) -> Counts:
    """Count what every test gets wrong, by test and by how skewed the pair of systems is.

    Parameters
    ----------
    n_queries : int
        Queries of a sample.
    replications : int
        Samples, shared out evenly over the pairs of the population.

    Returns
    -------
    list of dict
        ``test``, ``skewness`` (a band of its size), ``replications`` and counts.
    """
    totals: dict[tuple[str, str], Counter[str]] = {}
    shares = np.array_split(np.arange(replications), len(population.pairs))
    for pair, share in zip(population.pairs, shares, strict=True):
        for first in range(0, len(share), BATCH):
            names = (population.source, population.measure, str(n_queries), str(share[first]))
            random = stream(seed, "calibrate", *names)
            count = min(BATCH, len(share) - first)
            samples = pair.draw(n_queries, count, random)
            sample = int(random.integers(2**31))
            left = population.measure in MEASURES
            answers = (
                _ask_one(pair, samples[:, :, 0], sample, population.scope)
                if left
                else _ask_family(samples, sample)
            )
            for answer in answers:
                total = totals.setdefault((answer.test, band(pair.skewness)), Counter())
                total.update({"replications": count} | answer.counts())
    return [{"test": key[0], "skewness": key[1], **total} for key, total in totals.items()]


def band(skewness: float) -> str:
    """Return the band of a skewness, whatever its sign.

    Examples
    --------
    >>> band(-0.7)
    '0.5 to 1'
    """
    return BANDS[sum(abs(skewness) >= limit for limit in SKEWNESS)]


def _ask_one(pair: Pair, d: FloatArray, seed: int, scope: Scope) -> Iterator[Asked]:
    """Ask the tests of one measure; the true mean of the samples is 0."""
    moves = [pair.spread * visible(len(d), power) for power in POWERS]
    moved = [np.where(d == 0.0, 0.0, d + move / pair.decided) for move in moves]
    yield _ask_interval("t", d, moves)
    yield _ask_interval("permutation", d, moves, seed=seed, **_flips(len(d)))
    yield _ask_ranks(d, moved)
    yield _ask_signs(d, moved, pair.net_share)
    if scope == "flips":
        return
    yield _ask_interval("bootstrap", d, moves, seed=seed, n_resamples=N_DRAWN)
    margin = pair.spread * visible(len(d), MARGIN_POWER)
    pvalue = np.maximum(
        run_test("t", d, alternative="less").pvalue,
        run_test("t", d + 2.0 * margin, alternative="greater").pvalue,
    )
    yield Asked("TOST, t", below(pvalue))


@cache
def visible(n_queries: int, power: float) -> float:
    """Return the mean that the t test shows with a power, in standard deviations."""
    return smallest_visible(1.0, n_queries, alpha=LEVELS[0], target=power)


def _flips(n_queries: int) -> dict[str, str | int]:
    """Return the options of the permutation test: all flips of 10 queries, random ones of more."""
    if n_queries <= ENUMERATED_UP_TO:
        return {}
    return {"method": "monte-carlo", "n_resamples": N_DRAWN}


def _ask_interval(name: str, d: FloatArray, moves: Iterable[float], **options: str | int) -> Asked:
    """Ask a test of the mean: moving all differences moves its interval as far."""
    result = run_test(name, d, **options)  # type: ignore[arg-type]
    label = "bootstrap, studentised" if name == "bootstrap" else name
    return _by_interval(label, result.pvalue, result.ci_low, result.ci_high, moves)


def _by_interval(
    label: str, pvalue: FloatArray, low: FloatArray, high: FloatArray, moves: Iterable[float]
) -> Asked:
    small, large = ((low + move > 0.0) | (high + move < 0.0) for move in moves)
    return Asked(label, below(pvalue), (low <= 0.0) & (high >= 0.0), (small, large))


def _ask_ranks(d: FloatArray, moved: Iterable[FloatArray]) -> Asked:
    """Ask Wilcoxon's test whether the mean is 0; its interval holds 0 where p is at least .05."""
    method: Literal["exact", "asymptotic"] = "exact" if len(d) <= EXACT_RANKS else "asymptotic"
    pvalue, small, large = (wilcoxon_pvalues(item, method=method) for item in (d, *moved))
    false = below(pvalue)
    return Asked("wilcoxon", false, ~false[0], (small < 0.05, large < 0.05))


def _ask_signs(d: FloatArray, moved: Iterable[FloatArray], net_share: float) -> Asked:
    """Ask the sign test whether the mean is 0, and its interval for what it does estimate."""
    still, *rest = (run_test("sign", item) for item in (d, *moved))
    # The interval of samples of ties only is [0, 0]; they say nothing of the decided queries.
    covers = (still.ci_low <= net_share) & (still.ci_high >= net_share) | ~d.any(axis=0)
    small, large = (result.pvalue < 0.05 for result in rest)
    return Asked("sign", below(still.pvalue), covers, (small, large))


def _ask_family(samples: FloatArray, seed: int) -> Iterator[Asked]:
    """Ask the tests of several measures at once whether any of the means is not 0."""
    lowest, holds = np.empty(samples.shape[1]), np.empty(samples.shape[1], np.bool_)
    for place in range(samples.shape[1]):
        result = max_t(samples[:, place], n_resamples=N_DRAWN, seed=seed + place)
        lowest[place] = result.pvalue.min()
        holds[place] = np.all((result.ci_low <= 0.0) & (result.ci_high >= 0.0))
    yield Asked("max-T", below(lowest), holds)
    alone = np.stack([run_test("t", item).pvalue for item in np.moveaxis(samples, 2, 0)])
    smallest = np.where(np.isnan(alone), 1.0, alone).min(axis=0)
    # Of p-values all adjusted by Holm, the smallest is that of Bonferroni.
    yield Asked("t, Holm", below(samples.shape[2] * smallest))
    yield Asked("t, unadjusted", below(smallest))


def below(pvalue: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return which p-values are below the levels; one that is not defined is not."""
    return pvalue < LEVELS[0], pvalue < LEVELS[1]
