"""Families of measures of which some differ: family-wise error among the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import BoolArray, FloatArray
from abrank.inference import adjust, run_test
from abrank.inference.families import max_t
from reports.studies.calibration.cells import LEVELS, N_DRAWN, Asked, below, visible
from reports.studies.calibration.parts.part import Batch, Part, between

MOVED = (0, 1)
STILL = (2, 3)
# Those that bound the chance of any false finding.
ADJUSTED = ("bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "hommel")
POWER = 0.6
N_MEASURES = 4


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask about four measures of one pair, two of them moved."""
    families = batch.material.families
    family = families[batch.turn % len(families)]
    samples = family.draw(batch.n, batch.count, batch.random)
    spread = np.sqrt(family.weights @ family.differences**2)
    truth = np.zeros(samples.shape[2])
    truth[list(MOVED)] = np.round(spread[list(MOVED)] * visible(batch.n, POWER), 4)
    samples = samples + truth
    first = batch.seed()
    max_ts = [
        max_t(samples[:, place], n_resamples=N_DRAWN, seed=first + place)
        for place in range(batch.count)
    ]
    single = np.stack([item.pvalue for item in max_ts])
    covers = np.array([np.all((e.ci_low <= truth) & (truth <= e.ci_high)) for e in max_ts])
    yield _asked("max-T, single step", single, covers)
    yield _asked("max-T, step down", np.stack([item.pvalue_step_down for item in max_ts]))
    alone = np.stack([run_test("t", item).pvalue for item in np.moveaxis(samples, 2, 0)], axis=1)
    for name in ADJUSTED:
        yield _asked(f"t, {name}", np.stack([adjust(row, name) for row in alone]))


def ask_printed(batch: Batch) -> Iterator[Asked]:
    """Ask what is printed of four measures of one pair that do not differ, by each family."""
    samples = _of_one_family(batch)
    yield from _printed(samples, batch.seed())


def ask_printed_tossed(batch: Batch) -> Iterator[Asked]:
    """Ask the same where the differences of each query have either sign by one coin."""
    samples = _of_one_family(batch)
    coins = batch.random.integers(0, 2, samples.shape[:2]) * 2 - 1
    yield from _printed(samples * coins[:, :, None], batch.seed())


def ask_skewed(batch: Batch) -> Iterator[Asked]:
    """Ask about four correlated measures whose differences are as skewed as an exponential law."""
    shared = batch.random.gamma(0.5, 1.0, (batch.n, batch.count, 1))
    gamma = batch.random.gamma(0.5, 1.0, (batch.n, batch.count, N_MEASURES))
    yield from _printed(shared + gamma - 1.0, batch.seed())


def _of_one_family(batch: Batch) -> FloatArray:
    families = batch.material.families
    return families[batch.turn % len(families)].draw(batch.n, batch.count, batch.random)


def _printed(samples: FloatArray, seed: int) -> Iterator[Asked]:
    """Ask t of the first measure and max-T of the others, as the table prints them."""
    by_t = [run_test("t", samples[:, :, place]) for place in range(N_MEASURES)]
    alone = np.stack(
        [np.where(np.isnan(first.pvalue), 1.0, first.pvalue) for first in by_t], axis=1
    )
    held = np.stack([between(first.ci_low, 0.0, first.ci_high) for first in by_t], axis=1)
    joint = [
        max_t(samples[:, place, 1:], n_resamples=N_DRAWN, seed=seed + place)
        for place in range(samples.shape[1])
    ]
    # Never below the p-value of t alone, never within its interval.
    adjusted = np.maximum(alone[:, 1:], [item.pvalue for item in joint]).min(axis=1)
    held_too = [between(item.ci_low, 0.0, item.ci_high) for item in joint]
    rest = np.all(held[:, 1:] | held_too, axis=1)
    yield Asked("primary alone", below(alone[:, 0]), held[:, 0])
    yield Asked("secondary together", below(adjusted), rest)
    anything = np.minimum(alone[:, 0], adjusted)
    yield Asked("all that is printed", below(anything), held[:, 0] & rest)


def _asked(test: str, pvalues: FloatArray, covers: BoolArray | None = None) -> Asked:
    """Count from adjusted p-values of shape (n_samples, n_measures)."""
    of_still = pvalues[:, list(STILL)]
    lowest = np.where(np.isnan(of_still), 1.0, of_still).min(axis=1)
    both = np.all(pvalues[:, list(MOVED)] < LEVELS[0], axis=1)
    return Asked(test, below(lowest), covers, (both,))


_TABLE = (
    "What a table of four measures marks by default where none differs: the primary by its own t"
    " test, the others together by max-T. False is any mark, covered are all means at once."
)
FAMILIES = (
    Part(
        "families",
        "queries",
        "AP, nDCG@10, RR and P@10 of one pair, of which AP and nDCG@10 truly differ, by what the t"
        " test alone shows with 60 %. False is any finding in RR or P@10; covered are all four.",
        ask,
        "How often both true differences are found.",
    ),
    Part(
        "marks of a table",
        "queries",
        f"{_TABLE} The means of real pairs of systems are 0.",
        ask_printed,
    ),
    Part(
        "marks of a table, signs tossed",
        "queries",
        f"{_TABLE} Every query's differences have either sign with one chance, all four by one"
        " coin: the hypothesis of max-T.",
        ask_printed_tossed,
    ),
    Part(
        "marks of a table, very skewed",
        "queries",
        f"{_TABLE} The differences are simulated, of mean 0, each measure's as skewed as an"
        " exponential law (2), any two correlated by one half: more than in any pair of systems"
        " here, and the warning.",
        ask_skewed,
    ),
)
