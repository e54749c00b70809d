"""The counts of a study as rates with their errors."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

# The part of the study with the tests of a mean, and of several measures at once.
MAIN = "tests"
# What the other parts have in place of a measure: pairs of all of them together.
MIXED = "mixed"
QUANTITIES = ("false_05", "false_01", "covers", "found_small", "found_large")
ALL = "all"


@dataclass(frozen=True)
class Cell:
    """Samples of one size from one population: counts by test and band of skewness.

    ``part`` is the part of the study; only the first has a measure and bands.
    """

    source: str
    measure: str
    n: int
    counts: list[dict[str, Any]]
    part: str = MAIN


@dataclass(frozen=True)
class Study:
    """What was asked, and the cells that are done."""

    replications: int
    seed: int
    real: bool
    cells: list[Cell]

    @property
    def settings(self) -> tuple[int, int, bool]:
        """What the numbers depend on."""
        return self.replications, self.seed, self.real

    def has(self, source: str, measure: str, n: int, part: str = MAIN) -> bool:
        """Whether a cell is done."""
        done = ((c.source, c.measure, c.n, c.part) for c in self.cells)
        return (source, measure, n, part) in done

    def text(self) -> str:
        """Return it as JSON, a cell a line."""
        settings = {"replications": self.replications, "seed": self.seed, "real": self.real}
        cells = ",\n".join(json.dumps(asdict(cell)) for cell in self.cells)
        return f'{json.dumps(settings)[:-1]}, "cells": [\n{cells}\n]}}\n'


def read_study(path: Path) -> Study:
    """Return the study that a file holds."""
    loads = json.loads(path.read_text(encoding="utf-8"))
    return Study(**(loads | {"cells": [Cell(**cell) for cell in loads["cells"]]}))


@dataclass(frozen=True)
class Row:
    """Rates of one test with ``n`` queries; NaN where a quantity was not asked.

    ``false_05`` and ``false_01`` are rates of false findings, ``covers`` the coverage of the 95 %
    interval, ``found_small`` and ``found_large`` powers; a part other than the first has one power,
    ``found_large``.
    """

    source: str
    measure: str
    skewness: str
    n: int
    test: str
    replications: int
    false_05: float
    false_01: float
    covers: float
    found_small: float
    found_large: float
    part: str = MAIN

    def error(self, quantity: str) -> float:
        """Return the binomial standard error of a rate.

        Examples
        --------
        >>> row = Row("simulated", "AP", "all", 50, "t", 20000, 0.05, 0.01, 0.95, 0.3, 0.6)
        >>> round(row.error("false_05"), 4)
        0.0015
        """
        rate = float(getattr(self, quantity))
        return math.sqrt(rate * (1.0 - rate) / self.replications)


def rows(study: Study) -> list[Row]:
    """Return the rates of a study: by population, and over measures by skewness of the pair.

    Returns
    -------
    list of Row
        For each source, measure, size and test; and with ``measure`` "all", over the measures
        taken one at a time, for each band of skewness where the source has more than one.
    """
    totals: dict[tuple[str, _Place], Counter[str]] = {}
    bands: dict[str, set[str]] = {}
    for cell in study.cells:
        for count in cell.counts:
            counts = {key: value for key, value in count.items() if isinstance(value, int)}
            band = count.get("skewness", ALL)
            bands.setdefault(cell.source, set()).add(band)
            for place in _places(cell, band):
                key = (cell.part, (*place, cell.n, count["test"]))
                totals.setdefault(key, Counter()).update(counts)
    result = [_row(part, place, counts) for (part, place), counts in totals.items()]
    return [row for row in result if row.skewness == ALL or len(bands[row.source] - {ALL}) > 1]


_Place: TypeAlias = tuple[str, str, str, int, str]


def _places(cell: Cell, skewness: str) -> Iterator[tuple[str, str, str]]:
    """Return the totals that a count belongs to, as source, measure and skewness."""
    yield cell.source, cell.measure, ALL
    if cell.part == MAIN and cell.measure != "all four":
        yield cell.source, ALL, ALL
        yield cell.source, ALL, skewness


def _row(part: str, place: _Place, counts: Counter[str]) -> Row:
    whole = counts["replications"]
    false_05, false_01, covers, small, large = (
        counts[item] / whole if item in counts else math.nan for item in QUANTITIES
    )
    return Row(*place, whole, false_05, false_01, covers, small, large, part)


def select(
    result: Sequence[Row], *, source: str, measure: str = ALL, part: str = MAIN
) -> list[Row]:
    """Return the rows of a source and measure in a part of the study, whatever the skewness."""
    wanted = (source, measure, ALL, part)
    return [row for row in result if (row.source, row.measure, row.skewness, row.part) == wanted]
