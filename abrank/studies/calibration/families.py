"""Families of measures of which some differ: is anything found among those that do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import BoolArray, FloatArray
from abrank.inference import adjust, max_t, run_test
from abrank.studies.calibration.cells import LEVELS, N_DRAWN, Asked, below, visible
from abrank.studies.calibration.parts import Batch, Part

MOVED = (0, 1)
STILL = (2, 3)
# Those that bound the chance of any false finding.
ADJUSTED = ("bonferroni", "sidak", "holm", "holm-sidak", "hochberg", "hommel")
POWER = 0.6


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
    found = [
        max_t(samples[:, place], n_resamples=N_DRAWN, seed=first + place)
        for place in range(batch.count)
    ]
    single = np.stack([each.pvalue for each in found])
    covers = np.array([np.all((e.ci_low <= truth) & (truth <= e.ci_high)) for e in found])
    yield _asked("max-T, single step", single, covers)
    yield _asked("max-T, step down", np.stack([each.pvalue_step_down for each in found]))
    alone = np.stack([run_test("t", each).pvalue for each in np.moveaxis(samples, 2, 0)], axis=1)
    for name in ADJUSTED:
        yield _asked(f"t, {name}", np.stack([adjust(row, name) for row in alone]))


def _asked(test: str, pvalues: FloatArray, covers: BoolArray | None = None) -> Asked:
    """Count from adjusted p-values of shape (n_samples, n_measures)."""
    of_still = pvalues[:, list(STILL)]
    lowest = np.where(np.isnan(of_still), 1.0, of_still).min(axis=1)
    both = np.all(pvalues[:, list(MOVED)] < LEVELS[0], axis=1)
    return Asked(test, below(lowest), covers, (both,))


FAMILIES = (
    Part(
        "families",
        "queries",
        "AP, nDCG@10, RR and P@10 of one pair, of which AP and nDCG@10 truly differ, by what the t"
        " test alone shows with 60 %. False is any finding in RR or P@10; covered are all four.",
        ask,
        "How often both true differences are found.",
    ),
)
