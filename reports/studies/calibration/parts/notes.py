"""How often each note on the differences is given where there is no effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from abrank._support.typing import BoolArray, FloatArray
from abrank.diagnostics import inspect_differences
from abrank.inference import run_test
from abrank.inference.wilcoxon import wilcoxon_pvalues
from reports.studies.calibration.cells import ENUMERATED_UP_TO, EXACT_RANKS, LEVELS, N_DRAWN, Asked
from reports.studies.calibration.parts.part import Batch, Part

# Notes of the differences, under the test that decides where that matters.
CODES = (
    "few-signs",
    "one-query-decides",
    "constant-difference",
)
# The resamples of a test that draws, as it is asked for without a number.
N_RESAMPLES = 9_999
# Notes are asked for sample by sample.
ONE_IN = 5
# Standard deviation of normal differences: that of nDCG@10 between real runs, in round figures.
NORMAL_SD = 0.2


@dataclass(frozen=True)
class _Answer:
    """The p-value of a test, as a comparison has it."""

    test: str
    pvalue: float
    decides: bool


def ask(batch: Batch, draw: Callable[[Batch], FloatArray]) -> Iterator[Asked]:
    """Ask for the notes on every sample, each as it is given with the t test as the rule."""
    d = draw(batch)
    pvalues = _pvalues(d, batch.seed())
    codes = [_codes(sample, pvalues, i, "t") for i, sample in enumerate(d.T)]
    for code in CODES:
        yield Asked(code, (np.array([code in item for item in codes]),))
    for test in ("wilcoxon", "sign"):
        values = np.zeros(batch.count, np.bool_)
        for i in np.flatnonzero(pvalues[test] < LEVELS[0]).tolist():
            values[i] = "not-about-the-mean" in _codes(d[:, i], pvalues, i, test)
        yield Asked(f"not-about-the-mean, {test}", (values,))
    yield Asked("monte-carlo-near-alpha", (_near_alpha(pvalues["t"], batch.random),))


def _pvalues(d: FloatArray, seed: int) -> dict[str, FloatArray]:
    few = len(d) <= ENUMERATED_UP_TO
    sample = {} if few else {"method": "monte-carlo", "n_resamples": N_DRAWN}
    return {
        "t": run_test("t", d).pvalue,
        "permutation": run_test("permutation", d, seed=seed, **sample).pvalue,  # type: ignore[arg-type]
        "wilcoxon": wilcoxon_pvalues(d, method="exact" if len(d) <= EXACT_RANKS else "asymptotic"),
        "sign": run_test("sign", d).pvalue,
    }


def _codes(sample: FloatArray, pvalues: dict[str, FloatArray], i: int, rule: str) -> Counter[str]:
    tests = [_Answer(name, float(p[i]), name == rule) for name, p in pvalues.items()]
    ids = [str(place) for place in range(len(sample))]
    notes = inspect_differences(sample, tests, alpha=LEVELS[0], query_ids=ids)
    return Counter(note.code for note in notes)


def _near_alpha(pvalue: FloatArray, random: np.random.Generator) -> BoolArray:
    """Return which p-values, drawn with so many resamples, cannot be told from alpha."""
    p = np.where(np.isnan(pvalue), 1.0, pvalue)
    sample = (random.binomial(N_RESAMPLES, p) + 1.0) / (N_RESAMPLES + 1.0)
    error = np.sqrt(sample * (1.0 - sample) / N_RESAMPLES)
    return np.asarray(np.abs(sample - LEVELS[0]) <= 1.96 * error)


def _normal(batch: Batch) -> FloatArray:
    return NORMAL_SD * batch.random.standard_normal((batch.n, batch.count))


def _real(batch: Batch, *, tossed: bool) -> FloatArray:
    """Draw from the pairs of systems of one mean, with the sign of each difference or any."""
    pairs = batch.material.pairs
    d = pairs[batch.turn % len(pairs)].draw(batch.n, batch.count, batch.random)[:, :, 0]
    return d * batch.random.choice([-1.0, 1.0], d.shape) if tossed else d


_WHAT = (
    " A note on the differences as it is given with the t test as the rule, unless a test is named;"
    " short of what files and judgments give, which no sample can tell."
    f" The p-values of a test that draws are drawn with {N_RESAMPLES} resamples around that of t."
)

NOTES = (
    Part(
        "notes, normal differences",
        "queries",
        f"Normal differences of mean 0 and standard deviation {NORMAL_SD}.{_WHAT}",
        partial(ask, draw=_normal),
        gives="note",
        one_in=ONE_IN,
    ),
    Part(
        "notes, signs tossed",
        "queries",
        "Differences of real pairs, each with either sign: no effect, but long tails and ties,"
        f" which a note may name.{_WHAT}",
        partial(ask, draw=partial(_real, tossed=True)),
        gives="note",
        one_in=ONE_IN,
    ),
    Part(
        "notes, equal means",
        "queries",
        "Differences of real pairs, weighted so that the mean is 0: the count of wins need not be"
        f" even, the tails not alike, and a note may say so.{_WHAT}",
        partial(ask, draw=partial(_real, tossed=False)),
        gives="note",
        one_in=ONE_IN,
    ),
)
