"""``python -m reports.studies.calibration``: error rates and coverage by simulation."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from abrank._support.errors import AbrankError
from reports.studies.calibration import writing
from reports.studies.calibration.cells import SIZES, Counts, measure
from reports.studies.calibration.material import Material, material
from reports.studies.calibration.parts.catalogue import PARTS
from reports.studies.calibration.parts.part import measure_part
from reports.studies.calibration.populations import Population, populations
from reports.studies.calibration.table import MAIN, MIXED, Cell, Study, read_study


def main(arguments: list[str] | None = None) -> int:
    """Run the study, or what is missing of it, and return the exit code."""
    names = [MAIN, *(part.name for part in PARTS)]
    parser = argparse.ArgumentParser(
        prog="python -m reports.studies.calibration", description=__doc__
    )
    parser.add_argument("--replications", type=int, default=20_000, help="samples of every cell")
    parser.add_argument("--output", type=Path, default=Path("reports/calibration"), metavar="DIR")
    parser.add_argument("--data", type=Path, metavar="DIR", help="real runs: see the page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="queries of a sample")
    parser.add_argument("--parts", nargs="+", choices=names, default=names, help="what to run")
    args = parser.parse_args(arguments)
    if MAIN not in args.parts and not (args.output / "calibration.json").exists():
        parser.error(f"--parts: {MAIN} comes first, because the page begins with it")
    try:
        study = run(args)
    except AbrankError as error:
        _tell(f"error: {error}")
        return error.exit_code
    writing.write(study, args.output)
    _tell(f"{args.output / 'calibration.md'}")
    return 0


def run(requested: argparse.Namespace) -> Study:
    """Measure all cells but those that an earlier run left in the output folder."""
    requested.output.mkdir(parents=True, exist_ok=True)
    file = requested.output / "calibration.json"
    study = Study(requested.replications, requested.seed, requested.data is not None, [])
    earlier = read_study(file) if file.exists() else study
    if earlier.settings == study.settings:
        study = earlier
    settings = {"replications": study.replications, "seed": study.seed}
    result = populations(requested.data, seed=requested.seed)
    drawn_from = material(requested.data, result, seed=requested.seed)
    for cell, count in _cells(result, drawn_from, requested):
        if study.has(cell.source, cell.measure, cell.n, cell.part):
            continue
        _tell(f"{cell.part}: {cell.source}, {cell.measure}, n = {cell.n}")
        cell.counts.extend(count(**settings))
        study.cells.append(cell)
        file.write_text(study.text(), encoding="utf-8")
    return study


def _cells(
    result: list[Population], drawn_from: Material, requested: argparse.Namespace
) -> Iterator[tuple[Cell, Callable[..., Counts]]]:
    """Go through the cells that are asked for, still empty, and what counts them."""
    for population in result if MAIN in requested.parts else []:
        for n in requested.sizes:
            cell = Cell(population.source, population.measure, n, [])
            yield cell, partial(measure, population, n)
    for part in PARTS:
        sizes = [n for n in requested.sizes if not part.sizes or n in part.sizes]
        for n in sizes if part.name in requested.parts else []:
            cell = Cell(drawn_from.source, MIXED, n, [], part.name)
            yield cell, partial(measure_part, part, drawn_from, n)


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
