"""The parts of the study beside the tests of one mean: what each asks, and how it is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray
from reports.studies.calibration.cells import BATCH, LEVELS, Asked, Counts
from reports.studies.calibration.material import Material


@dataclass(frozen=True)
class Batch:
    """Samples to draw: ``count`` of ``n``; ``turn`` goes round what there is to draw from."""

    material: Material
    n: int
    count: int
    turn: int
    random: np.random.Generator

    def seed(self) -> int:
        """Return a seed for what a test draws."""
        return int(self.random.integers(2**31))


Ask: TypeAlias = Callable[[Batch], Iterable[Asked]]


@dataclass(frozen=True)
class Part:
    """A part of the study.

    ``name`` tells its cells from others. ``size`` is what n counts, ``words`` what was drawn,
    ``power`` what is found where there is something to find. ``gives`` is what is counted: false
    findings, or notes of a report; ``one_in`` asks for a sample in so many, where each takes long.
    ``sizes`` are those that are asked about; without them all.
    """

    name: str
    size: str
    words: str
    ask: Ask
    power: str = ""
    gives: Literal["finding", "note"] = "finding"
    one_in: int = 1
    sizes: tuple[int, ...] = ()


def measure_part(part: Part, material: Material, n: int, *, replications: int, seed: int) -> Counts:
    """Count what the tests of a part get wrong.

    Parameters
    ----------
    n : int
        What the part counts: queries, or clusters.

    Returns
    -------
    list of dict
        ``test``, ``replications`` and counts.
    """
    totals: dict[str, Counter[str]] = {}
    replications = max(replications // part.one_in, 1)
    for turn, first in enumerate(range(0, replications, BATCH)):
        random = stream(seed, "calibrate", part.name, str(n), str(first))
        batch = Batch(material, n, min(BATCH, replications - first), turn, random)
        for requested in part.ask(batch):
            total = totals.setdefault(requested.test, Counter())
            total.update({"replications": batch.count} | requested.counts())
    return [{"test": test, **total} for test, total in totals.items()]


def between(low: FloatArray, truth: FloatArray | float, high: FloatArray) -> BoolArray:
    """Return which intervals hold the truth; one that is not defined holds nothing.

    Examples
    --------
    >>> between(np.array([-0.1, 0.1]), 0.0, np.array([0.2, 0.2]))
    array([ True, False])
    """
    return np.asarray((low <= truth) & (truth <= high))


def outside(low: FloatArray, value: FloatArray | float, high: FloatArray) -> BoolArray:
    """Return which intervals exclude a value; one that is not defined excludes nothing."""
    return np.asarray((low > value) | (value > high))


def confidences() -> tuple[float, ...]:
    """Return the confidence levels that belong to the levels of false findings."""
    return tuple(1.0 - level for level in LEVELS)
