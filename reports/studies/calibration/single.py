"""Studies of a page and a table of their own: the command that runs one, and what it writes."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any


def command_of(name: str, about: str | None) -> argparse.ArgumentParser:
    """Return the command of a study, with the folder that it writes to and its seed."""
    parser = argparse.ArgumentParser(
        prog=f"python -m reports.studies.calibration.{name}", description=about
    )
    parser.add_argument("--output", type=Path, default=Path("reports/calibration"), metavar="DIR")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def save(folder: Path, name: str, page: str, rows: Sequence[Any]) -> None:
    """Write ``NAME.md`` and ``NAME.csv``, a column for each field of the rows."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(page, encoding="utf-8")
    save_table(folder, name, rows)
    sys.stderr.write(f"{folder / name}.md\n")


def save_table(folder: Path, name: str, rows: Sequence[Any]) -> None:
    """Write ``NAME.csv``, a column for each field of the rows."""
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(field.name for field in fields(rows[0]))
        table.writerows(map(astuple, rows))


def simulate(
    name: str,
    about: str | None,
    measure: Callable[..., Iterable[Any]],
    page: Callable[[list[Any]], str],
    *,
    arguments: list[str] | None,
    samples: int,
) -> int:
    """Run a study that takes no data, and return the exit code."""
    parser = command_of(name, about)
    parser.add_argument("--samples", type=int, default=samples)
    args = parser.parse_args(arguments)
    rows = list(measure(samples=args.samples, seed=args.seed))
    save(args.output, name, page(rows), rows)
    return 0
