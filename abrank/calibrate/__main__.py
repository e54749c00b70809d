"""``python -m abrank.calibrate``: error rates and coverage of all tests, by simulation."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from abrank._support.errors import AbrankError
from abrank.calibrate import writing
from abrank.calibrate.cells import SIZES, measure
from abrank.calibrate.populations import populations
from abrank.calibrate.table import Cell, Study, read_study


def main(arguments: list[str] | None = None) -> int:
    """Run the study, or what is missing of it, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m abrank.calibrate", description=__doc__)
    parser.add_argument("--replications", type=int, default=20_000, help="samples of every cell")
    parser.add_argument("--output", type=Path, default=Path("reports/calibration"), metavar="DIR")
    parser.add_argument("--data", type=Path, metavar="DIR", help="real runs: see the page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="queries of a sample")
    asked = parser.parse_args(arguments)
    try:
        study = run(asked)
    except AbrankError as error:
        _tell(f"error: {error}")
        return error.exit_code
    writing.write(study, asked.output)
    _tell(f"{asked.output / 'calibration.md'}")
    return 0


def run(asked: argparse.Namespace) -> Study:
    """Measure all cells but those that an earlier run left in the output folder."""
    asked.output.mkdir(parents=True, exist_ok=True)
    file = asked.output / "calibration.json"
    study = Study(asked.replications, asked.seed, asked.data is not None, [])
    earlier = read_study(file) if file.exists() else study
    if earlier.settings == study.settings:
        study = earlier
    for population in populations(asked.data, seed=asked.seed):
        for n in asked.sizes:
            if study.has(population.source, population.measure, n):
                continue
            _tell(f"{population.source}, {population.measure}, {n} queries")
            counts = measure(population, n, replications=study.replications, seed=study.seed)
            study.cells.append(Cell(population.source, population.measure, n, counts))
            file.write_text(study.text(), encoding="utf-8")
    return study


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
